#include "pliant/scene/build_joints.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "pliant/constraint/joint_energy.h"
#include "pliant/contact/distance/closest_points.h"
#include "pliant/input_error.h"
#include "pliant/mesh/disjoint_sets.h"
#include "pliant/mesh/embedding.h"
#include "pliant/scene/schema_names.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

using constraint::JointKind;
using constraint::JointSide;
using constraint::MotorKind;
using constraint::SideKind;

constexpr double kDegree = std::numbers::pi / 180;
// Stiffness of a rigid joint in units of m/h², m the mass of all that hangs together by joints: under an acceleration a
// the anchors part by at most about a h²/kJointRigidity, 1e-8 m under gravity with steps of 0.01 s. Ten times as much
// leaves ten times as much rounding in the equations, and so does a mass that is ten times the lighter body's: hence a bound.
constexpr double kJointRigidity = 1e5, kMostOfLighter = 100;
// Of a body's diagonal: how far from it a joint may be. Beyond, the place is surely a mistake.
constexpr double kFarFromBody = 0.1;

// Where one of a joint's bodies is held.
struct Hold {
  const Obstacle* obstacle = nullptr;
  int obstacle_index = -1;
  const ModelBody* body = nullptr;  // null: the world
  MaterialPoint soft;               // of a deformable body
  [[nodiscard]] bool is_soft() const { return body != nullptr && body->rigid < 0; }
};

double diagonal_of(const ModelBody& body) {
  Eigen::AlignedBox3d box;
  for (const Vec3& x : body.rest.vertices) box.extend(x);
  return box.diagonal().norm();
}

Hold find_hold(const Joint& joint, int side, const Vec3& at, const Model& model) {
  Hold hold;
  if (side >= static_cast<int>(joint.bodies.size())) return hold;
  const std::string& name = joint.bodies[side];
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    if (model.obstacles[o].name != name) continue;
    hold.obstacle = &model.obstacles[o];
    hold.obstacle_index = static_cast<int>(o);
    return hold;
  }
  hold.body = &model.bodies[bodies_named(model, name).front()];
  if (!hold.is_soft()) return hold;
  if (joint.vertex) {
    const int count = static_cast<int>(hold.body->rest.vertices.size());
    if (*joint.vertex >= count) {
      throw InputError(joint.source, fmt::format("joints.{}.vertex: body '{}' has the vertices 0 to {}, got {}",
                                                 joint.name, name, count - 1, *joint.vertex));
    }
    hold.soft = {hold.body->point(*joint.vertex), hold.body->rest.vertices[*joint.vertex], 0};
    return hold;
  }
  hold.soft = nearest_material_point(*hold.body, at);
  const double diagonal = diagonal_of(*hold.body);
  if (hold.soft.distance > kFarFromBody * diagonal) {
    throw InputError(joint.source,
                     fmt::format("joints.{}: body '{}' is {:.3g} m away from the joint, at [{:.4g}, {:.4g}, {:.4g}], a "
                                 "long way for a body {:.3g} m large; move the joint, or name a vertex",
                                 joint.name, name, hold.soft.distance, hold.soft.place.x(), hold.soft.place.y(),
                                 hold.soft.place.z(), diagonal));
  }
  return hold;
}

JointSide side_of(const Hold& hold, const Vec3& at, const Mat3& axes, const Model& model) {
  JointSide side;
  side.anchor = at;
  side.axes = axes;
  if (hold.is_soft()) {
    side.kind = SideKind::point;
    side.point = hold.soft.point;
    side.anchor.setZero();
  } else if (hold.body != nullptr) {
    const RigidBody& rigid = model.rigids[hold.body->rigid];
    side.kind = SideKind::rigid;
    side.rigid = hold.body->rigid;
    side.anchor = rigid.rest_rotation.transpose() * (at - rigid.rest_centre);
    side.axes = rigid.rest_rotation.transpose() * axes;
    side.point = rigid.frame.point(side.anchor);
  } else if (hold.obstacle != nullptr) {
    const RigidTransform start = hold.obstacle->motion.at(0);
    side.obstacle = hold.obstacle_index;
    side.anchor = start.inverse() * at;
    side.axes = start.rotation.transpose() * axes;
  }
  return side;
}

// The axis, the second axis, and what is perpendicular to both.
Mat3 axes_of(const Joint& joint) {
  Mat3 axes = Mat3::Identity();
  if (!joint.axis) return axes;
  axes.col(0) = joint.axis->normalized();
  axes.col(1) = joint.second_axis ? joint.second_axis->normalized() : axes.col(0).unitOrthogonal();
  axes.col(1) = (axes.col(1) - axes.col(1).dot(axes.col(0)) * axes.col(0)).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

void set_limits(const Joint& wanted, constraint::Joint& joint) {
  const double unit = wanted.type == JointType::ball || wanted.type == JointType::hinge ? kDegree : 1;
  if (wanted.limits && wanted.limits->lower) joint.lower = unit * *wanted.limits->lower;
  if (wanted.limits && wanted.limits->upper) joint.upper = unit * *wanted.limits->upper;
}

void set_motor(const Joint& wanted, constraint::Joint& joint) {
  if (!wanted.motor) return;
  const JointMotor& motor = *wanted.motor;
  const double unit = wanted.type == JointType::hinge ? kDegree : 1;
  joint.motor.kind = motor.speed ? MotorKind::speed : MotorKind::position;
  joint.motor.target = unit * (motor.speed ? *motor.speed : *motor.position);
  if (motor.stiffness) joint.motor.stiffness = *motor.stiffness;
  const std::optional<double>& bound = wanted.type == JointType::hinge ? motor.max_torque : motor.max_force;
  if (bound) joint.motor.bound = *bound;
}

constraint::Joint make_joint(const Joint& wanted, const Model& model) {
  constraint::Joint joint;
  joint.name = wanted.name;
  joint.kind = static_cast<JointKind>(wanted.type);
  std::array<Vec3, 2> at{wanted.at, wanted.to.value_or(wanted.at)};
  const std::array<Hold, 2> holds{find_hold(wanted, 0, at[0], model), find_hold(wanted, 1, at[1], model)};

  // Bodies are held where the material is.
  const bool is_distance = wanted.type == JointType::distance;
  for (int s = 0; s < 2; ++s) {
    if (!holds[s].is_soft()) continue;
    at[s] = holds[s].soft.place;
    if (!is_distance && !holds[1 - s].is_soft()) at[1 - s] = at[s];
  }
  const Mat3 axes = axes_of(wanted);
  for (int s = 0; s < 2; ++s) joint.side[s] = side_of(holds[s], at[s], axes, model);
  joint.length = wanted.length.value_or((at[0] - at[1]).norm());
  set_limits(wanted, joint);
  set_motor(wanted, joint);
  if (wanted.breaking_force) joint.breaking_force = *wanted.breaking_force;
  joint.compliance = wanted.compliance;
  joint.angular_compliance = wanted.angular_compliance;
  joint.damping = wanted.damping;
  return joint;
}

// Into Model::bodies; −1: the world.
int body_of(const JointSide& side, const Model& model) {
  if (side.kind == SideKind::rigid) return model.rigids[side.rigid].body;
  return side.kind == SideKind::point ? model.layout.locate(side.point.block[0]).body : -1;
}

// What a compliance of 0 is for solvers that minimise. A joint must bear what all that hangs together can pull.
void set_rigid_stiffness(double step, Model& model) {
  DisjointSets assemblies(model.bodies.size());
  for (const constraint::Joint& joint : model.joints) {
    const int a = body_of(joint.side[0], model), b = body_of(joint.side[1], model);
    if (a >= 0 && b >= 0) assemblies.join(a, b);
  }
  std::vector<double> assembly(model.bodies.size(), 0), mass;  // kg, of those that begin with a body; of bodies
  for (const ModelBody& body : model.bodies) mass.push_back(model.mass_of(body));
  for (std::size_t b = 0; b < mass.size(); ++b) assembly[assemblies.root(static_cast<int>(b))] += mass[b];
  for (constraint::Joint& joint : model.joints) {
    double lighter = std::numeric_limits<double>::infinity(), length = lighter, whole = 0;  // kg, m, kg
    for (const JointSide& side : joint.side) {
      const int body = body_of(side, model);
      if (body < 0) continue;
      lighter = std::min(lighter, mass[body]);
      whole = assembly[assemblies.root(body)];
      if (side.kind == SideKind::rigid) length = std::min(length, model.rigids[side.rigid].frame.length);
    }
    joint.rigid_stiffness = kJointRigidity * std::min(whole, kMostOfLighter * lighter) / (step * step);
    joint.rigid_angular_stiffness = std::isfinite(length) ? joint.rigid_stiffness * length * length : 0;
  }
}

// Takes the nearer of the known point and one of vertices with weights.
template <std::size_t N>
void offer(const ModelBody& body, const std::array<int, N>& vertices, const std::array<double, N>& weights,
           const Vec3& x, MaterialPoint& best) {
  MaterialPoint point;
  for (std::size_t i = 0; i < N; ++i) {
    point.place += weights[i] * body.rest.vertices[vertices[i]];
    if (weights[i] == 0) continue;
    point.point.block[point.point.count] = body.block_of_vertex[vertices[i]];
    point.point.weight[point.point.count++] = weights[i];
  }
  point.distance = (point.place - x).norm();
  if (best.point.count == 0 || point.distance < best.distance) best = point;
}

}  // namespace

MaterialPoint nearest_material_point(const ModelBody& body, const Vec3& x) {
  const std::vector<Vec3>& p = body.rest.vertices;
  MaterialPoint best;
  for (const Vec4i& t : body.rest.tets) {
    const Vec4 w = mesh::barycentric_weights(x, p[t[0]], p[t[1]], p[t[2]], p[t[3]]);
    if (w.minCoeff() < 0) continue;
    offer<4>(body, {t[0], t[1], t[2], t[3]}, {w[0], w[1], w[2], w[3]}, x, best);
    return best;
  }
  for (const Vec3i& t : surface_triangles(body)) {
    const contact::ClosestPoints c = contact::closest_point_triangle(x, p[t[0]], p[t[1]], p[t[2]]);
    offer<3>(body, {t[0], t[1], t[2]}, {-c.weight[1], -c.weight[2], -c.weight[3]}, x, best);
  }
  for (const auto& [from, to] : body.segments) {
    const contact::ClosestPoints c = contact::closest_point_edge(x, p[from], p[to]);
    offer<2>(body, {from, to}, {-c.weight[1], -c.weight[2]}, x, best);
  }
  return best;
}

void add_joints(const Scene& scene, ModelParts& parts) {
  if (scene.joints.empty()) return;
  Model& model = parts.model();
  for (const Joint& wanted : scene.joints) model.joints.push_back(make_joint(wanted, model));
  set_rigid_stiffness(scene.time.step, model);
  std::vector<RigidFrame> frames;
  for (const RigidBody& rigid : model.rigids) frames.push_back(rigid.frame);
  parts.add(std::make_unique<constraint::JointEnergy>(model.joints, frames), EnergyRole::elastic);
}

}  // namespace pliant::scene
