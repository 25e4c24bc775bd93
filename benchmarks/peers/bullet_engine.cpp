#include "benchmarks/peers/bullet_engine.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <LinearMath/btThreads.h>
#include <btBulletDynamicsCommon.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <memory>

#include "benchmarks/peers/stopwatch.h"

namespace pliant::peers {
namespace {

btVector3 bullet_from(const Vec3& v) {
  return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}
Vec3 pliant_from(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

contact::Pose pliant_from(const btTransform& t) {
  contact::Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) pose.turn(i, j) = t.getBasis()[i][j];
  }
  // Single precision: back to a rotation.
  pose.turn = Eigen::Quaterniond(pose.turn).normalized().toRotationMatrix();
  pose.shift = pliant_from(t.getOrigin());
  return pose;
}
btTransform bullet_from(const contact::Pose& pose) {
  const Eigen::Quaterniond q(pose.turn);
  return btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                     bullet_from(pose.shift));
}

// A world and what it points to, in the order in which they may go.
struct BulletWorld {
  btSoftBodyRigidBodyCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  btSoftRigidDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};

  BulletWorld() { world.setGravity(btVector3(0, static_cast<btScalar>(-PeerScene::kGravity), 0)); }
  ~BulletWorld() {
    for (auto& body : bodies) world.removeRigidBody(body.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  btRigidBody& add(btCollisionShape* shape, double mass, const btTransform& start) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(static_cast<btScalar>(mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape, inertia);
    info.m_startWorldTransform = start;
    info.m_friction = static_cast<btScalar>(std::sqrt(PeerScene::kFriction));  // Bullet multiplies the two
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
    return *bodies.back();
  }
};

// One shape for all bodies of a form, as Bullet advises.
class SharedShapes {
 public:
  explicit SharedShapes(BulletWorld& world) : world_(world) {}
  btCollisionShape* shape_of(const contact::ConvexShape& shape) {
    const std::array<double, 4> key = {shape.half_size[0], shape.half_size[1], shape.half_size[2], shape.radius};
    auto& made = by_size_[key];
    if (made == nullptr) {
      if (shape.kind == contact::ConvexKind::ball) {
        world_.shapes.push_back(std::make_unique<btSphereShape>(static_cast<btScalar>(shape.radius)));
      } else {
        world_.shapes.push_back(std::make_unique<btBoxShape>(bullet_from(shape.half_size)));
      }
      made = world_.shapes.back().get();
    }
    return made;
  }

 private:
  BulletWorld& world_;
  std::map<std::array<double, 4>, btCollisionShape*> by_size_;
};

double mass_of(const PeerBody& body) {
  if (body.is_fixed) return 0;
  if (body.shape.kind == contact::ConvexKind::ball) {
    return body.density * 4 / 3 * SIMD_PI * std::pow(body.shape.radius, 3);
  }
  return body.density * 8 * body.shape.half_size.prod();
}

}  // namespace

PeerRun run_bullet(const PeerScene& scene) {
  BulletWorld bullet;
  bullet.world.getSolverInfo().m_numIterations = scene.iterations;
  SharedShapes shapes(bullet);
  for (const PeerBody& body : scene.bodies) {
    btRigidBody& made = bullet.add(shapes.shape_of(body.shape), mass_of(body), bullet_from(body.pose));
    made.setLinearVelocity(bullet_from(body.velocity));
  }
  bullet.shapes.push_back(std::make_unique<btBoxShape>(btVector3(100, 1, 100)));
  btTransform below = btTransform::getIdentity();
  below.setOrigin(btVector3(0, -1, 0));
  bullet.add(bullet.shapes.back().get(), 0, below);

  PeerRun run;
  for (int step = 1; step <= scene.steps; ++step) {
    const Stopwatch watch(1);
    bullet.world.stepSimulation(static_cast<btScalar>(PeerScene::kStep), 0);
    run.step_seconds.push_back(watch.seconds());
    if (step % PeerRun::kSampled != 0 && step != scene.steps) continue;
    std::vector<contact::Pose>& poses = run.poses.emplace_back();
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      poses.push_back(pliant_from(bullet.bodies[i]->getWorldTransform()));
    }
  }
  return run;
}

ClothRun run_bullet(const ClothScene& scene) {
  BulletWorld bullet;
  btSoftBodyWorldInfo& info = bullet.world.getWorldInfo();
  info.m_broadphase = &bullet.broad_phase;
  info.m_dispatcher = &bullet.dispatcher;
  info.m_gravity = bullet.world.getGravity();
  info.m_sparsesdf.Initialize();
  constexpr int kTwoCornersFixed = 1 + 2;
  const std::unique_ptr<btSoftBody> cloth(
      btSoftBodyHelpers::CreatePatch(info, btVector3(-1, 3, -1), btVector3(1, 3, -1), btVector3(-1, 3, 1),
                                     btVector3(1, 3, 1), scene.points, scene.points, kTwoCornersFixed, true));
  cloth->setTotalMass(0.8F);
  cloth->m_cfg.piterations = scene.iterations;
  cloth->m_materials[0]->m_kLST = 1;  // as stiff as it gets
  cloth->generateBendingConstraints(2);
  bullet.world.addSoftBody(cloth.get());
  std::vector<double> seconds;
  for (int step = 0; step < scene.steps; ++step) {
    const Stopwatch watch(1);
    bullet.world.stepSimulation(static_cast<btScalar>(PeerScene::kStep), 0);
    seconds.push_back(watch.seconds());
  }
  ClothRun run;
  std::sort(seconds.begin(), seconds.end());
  run.seconds_per_step = seconds[seconds.size() / 2];
  run.links = cloth->m_links.size();
  for (int i = 0; i < cloth->m_nodes.size(); ++i) run.lowest = std::max(run.lowest, 3.0 - cloth->m_nodes[i].m_x.y());
  bullet.world.removeSoftBody(cloth.get());
  return run;
}

bool bullet_has_threads() {
  const std::unique_ptr<btITaskScheduler> scheduler(btCreateDefaultTaskScheduler());
  return scheduler != nullptr;
}

}  // namespace pliant::peers
