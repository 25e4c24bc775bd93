// Joints as energies: derivatives, definiteness, agreement with the rows that constraint solvers take, what is remembered.
#include "pliant/constraint/joint_energy.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "pliant/constraint/joint_rows.h"
#include "pliant/math/rotation.h"
#include "tests/support/dense_algebra.h"

namespace pliant::constraint {
namespace {

constexpr JointKind kAllKinds[] = {JointKind::ball,      JointKind::hinge, JointKind::slider,
                                   JointKind::universal, JointKind::fixed, JointKind::distance};
constexpr int kBlocks = 12;  // two frames, a tet

class JointEnergyTest : public testing::Test {
 protected:
  JointEnergyTest() : now(kBlocks), before(kBlocks) {
    frames = {rigid_frame(0, 2.0, Vec3(0.3, 0.4, 0.5)), rigid_frame(4, 1.0, Vec3(0.1, 0.2, 0.25))};
    for (int b = 0; b < kBlocks; ++b) now[b] = vector();
    for (int s = 0; s < 2; ++s) {
      rotation[s] = math::rotation_from_vector(3 * vector());
      set_rotation(frames[s], rotation[s], now);
    }
    before = now;
  }
  std::mt19937 random{3};
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() { return {number(), number(), number()}; }

  // Between the two frames, holding exactly as they stand.
  Joint make_joint(JointKind kind) {
    Joint joint;
    joint.kind = kind;
    joint.rigid_stiffness = 300;
    joint.rigid_angular_stiffness = 70;
    joint.damping = 0.02;
    const Vec3 at = vector();
    const Mat3 axes = math::rotation_from_vector(2 * vector());
    for (int s = 0; s < 2; ++s) {
      JointSide& side = joint.side[s];
      side.kind = SideKind::rigid;
      side.rigid = s;
      side.anchor = rotation[s].transpose() * (at - now[frames[s].centre]);
      if (kind == JointKind::distance && s == 1) side.anchor += Vec3(0.3, 0.4, 1.2);
      side.axes = rotation[s].transpose() * axes;
      side.point = frames[s].point(side.anchor);
    }
    if (kind == JointKind::distance) joint.length = 1.1;
    return joint;
  }
  // All kinds, then with limits that press and motors that run, then with the world and a point of a tet.
  std::vector<Joint> make_joints() {
    std::vector<Joint> joints;
    for (const JointKind kind : kAllKinds) joints.push_back(make_joint(kind));
    for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::slider, JointKind::distance}) {
      joints.push_back(make_joint(kind));
      joints.back().upper = kind == JointKind::distance ? 1.2 : 0.02;
      joints.push_back(make_joint(kind));
      joints.back().lower = kind == JointKind::distance ? 1.4 : 0.1;
    }
    for (const JointKind kind : {JointKind::hinge, JointKind::slider}) {
      joints.push_back(make_joint(kind));
      joints.back().motor = {MotorKind::position, 0.5, 1000, 40};
      joints.push_back(make_joint(kind));
      joints.back().motor = {MotorKind::position, 0.8, 3, 40};  // gives all it has
      joints.push_back(make_joint(kind));
      joints.back().motor = {MotorKind::speed, 2, 1000, 0};
      joints.push_back(make_joint(kind));
      joints.back().side[0] = {};
      joints.back().side[0].axes = math::rotation_from_vector(vector());
      joints.back().side[0].anchor = vector();
    }
    joints.push_back(make_joint(JointKind::ball));
    joints.back().side[1] = {};
    joints.back().side[1].kind = SideKind::point;
    joints.back().side[1].point = {{8, 9, 10, 11}, {0.1, 0.2, 0.3, 0.4}, 4};
    return joints;
  }
  void shake(double size) {
    for (int b = 0; b < kBlocks; ++b) now[b] += size * vector();
  }
  // Moves as rigid bodies do.
  void shake_rigidly(double size) {
    for (int s = 0; s < 2; ++s) {
      rotation[s] = math::rotation_from_vector(size * vector()) * rotation[s];
      set_rotation(frames[s], rotation[s], now);
      now[frames[s].centre] += size * vector();
    }
  }
  [[nodiscard]] Configuration configuration() const { return {now, before, 0.01, controls}; }

  std::vector<RigidFrame> frames;
  std::array<Mat3, 2> rotation;
  BlockVector now, before;
  Controls controls;
};

struct Result {
  double value = 0;
  BlockVector gradient{kBlocks};
  Eigen::MatrixXd hessian;
};

Result result_of(const std::vector<Joint>& joints, const std::vector<RigidFrame>& frames, const Configuration& q,
                 HessianKind kind = HessianKind::exact) {
  JointEnergy energy(joints, frames);
  sparse::PatternBuilder builder(kBlocks);
  energy.couple(builder);
  const auto pattern = builder.build();
  energy.find_slots(*pattern);
  Result result;
  sparse::SymmetricBlockMatrix hessian(pattern);
  hessian.set_zero();
  Accumulator out{&result.value, &result.gradient, &hessian, kind};
  energy.evaluate(q, out);
  result.hessian.setZero(3 * kBlocks, 3 * kBlocks);
  for (int i = 0; i < kBlocks; ++i) {
    for (int s = pattern->row_start()[i]; s < pattern->row_start()[i + 1]; ++s) {
      const int j = pattern->column()[s];
      result.hessian.block<3, 3>(3 * i, 3 * j) = hessian.block(s);
      result.hessian.block<3, 3>(3 * j, 3 * i) = hessian.block(s).transpose();
    }
  }
  return result;
}

TEST_F(JointEnergyTest, DerivativesAreThoseOfTheValue) {
  const std::vector<Joint> joints = make_joints();
  shake(0.15);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    SCOPED_TRACE(k);
    const std::vector<Joint> one{joints[k]};
    const Result here = result_of(one, frames, configuration());
    const double size = here.hessian.norm();
    for (int i = 0; i < 3 * kBlocks; ++i) {
      // Central differences with two steps, fourth order by Richardson's rule.
      constexpr double kStep = 1e-3;
      const double start = now[i / 3][i % 3];
      const auto at = [&](double by) {
        now[i / 3][i % 3] = start + by;
        return result_of(one, frames, configuration());
      };
      const Result far[] = {at(kStep), at(-kStep)}, near[] = {at(kStep / 2), at(-kStep / 2)};
      now[i / 3][i % 3] = start;
      const double slope =
          (4 * (near[0].value - near[1].value) / kStep - (far[0].value - far[1].value) / (2 * kStep)) / 3;
      EXPECT_NEAR(here.gradient[i / 3][i % 3], slope, 1e-8 * size);
      for (int j = 0; j < 3 * kBlocks; ++j) {
        const auto g = [j](const Result& r) { return r.gradient[j / 3][j % 3]; };
        const double second = (4 * (g(near[0]) - g(near[1])) / kStep - (g(far[0]) - g(far[1])) / (2 * kStep)) / 3;
        EXPECT_NEAR(here.hessian(i, j), second, 1e-7 * size) << i << " " << j;
      }
    }
  }
}

TEST_F(JointEnergyTest, ProjectedHessianIsSemidefinite) {
  const std::vector<Joint> joints = make_joints();
  shake(0.4);
  for (const Joint& joint : joints) {
    const Result r = result_of({joint}, frames, configuration(), HessianKind::projected);
    const Eigen::VectorXd values = test::eigenvalues(r.hessian);
    EXPECT_GE(values.minCoeff(), -1e-11 * values.maxCoeff());
  }
}

TEST_F(JointEnergyTest, RestsWhereTheJointHolds) {
  for (const JointKind kind : kAllKinds) {
    Joint joint = make_joint(kind);
    if (kind == JointKind::distance) joint.length = 1.3;
    const Result r = result_of({joint}, frames, configuration());
    EXPECT_NEAR(r.value, 0, 1e-24);
  }
}

// The energy is Σ ½ c²/compliance of the rows, and its gradient Σ c/compliance times theirs: one physics for both solvers.
TEST_F(JointEnergyTest, IsTheEnergyOfTheRows) {
  for (const JointKind kind : kAllKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    Joint joint = make_joint(kind);
    joint.compliance = 0.004;
    joint.angular_compliance = 0.05;
    joint.damping = 0;
    shake_rigidly(0.3);
    JointRows rows;
    evaluate(joint, {{{now[0], rotation[0]}, {now[4], rotation[1]}}}, {}, rows);
    const Result r = result_of({joint}, frames, configuration());
    double energy = 0;
    std::array<Vec3, 2> force{Vec3::Zero(), Vec3::Zero()}, torque = force;
    for (int i = 0; i < rows.count; ++i) {
      const JointRow& row = rows.row[i];
      energy += 0.5 * row.value * row.value / row.compliance;
      for (int s = 0; s < 2; ++s) {
        force[s] += row.value / row.compliance * row.force[s];
        torque[s] += row.value / row.compliance * row.torque[s];
      }
    }
    EXPECT_NEAR(r.value, energy, 1e-12 * (1 + energy));
    for (int s = 0; s < 2; ++s) {
      Vec3 moment = Vec3::Zero();
      for (int i = 0; i < 3; ++i) moment += now[frames[s].axis(i)].cross(r.gradient[frames[s].axis(i)]);
      EXPECT_LE((r.gradient[frames[s].centre] - force[s]).norm(), 1e-11 * (1 + force[s].norm()));
      EXPECT_LE((moment - torque[s]).norm(), 1e-11 * (1 + torque[s].norm()));
    }
  }
}

TEST_F(JointEnergyTest, RemembersTurnsAndForcesAndBreaks) {
  std::vector<Joint> joints{make_joint(JointKind::hinge), make_joint(JointKind::ball)};
  for (Joint& joint : joints) joint.damping = 0;
  JointMemory memory{{0, 0}, {0, 0}, {0, 0}};
  // Almost two turns about the hinge.
  const Vec3 axis = rotation[1] * joints[0].side[1].axes.col(0);
  const Mat3 start = rotation[0];
  const JointEnergy energy(joints, frames);
  for (int i = 1; i <= 50; ++i) {
    set_rotation(frames[0], math::rotation_from_axis_angle(axis, 0.24 * i) * start, now);
    controls.joints = memory;
    energy.remember(configuration(), {}, memory);
    EXPECT_NEAR(memory.coordinates[0], 0.24 * i, 1e-12);
  }
  set_rotation(frames[0], start, now);

  // A gap of 0.01 m pulls with 3 N.
  now[0] += Vec3(0.006, -0.008, 0);
  energy.remember(configuration(), {}, memory);
  EXPECT_NEAR(memory.forces[1], 3, 1e-12);
  EXPECT_EQ(memory.broken[1], 0);
  joints[1].breaking_force = 2.9;
  const JointEnergy weak(joints, frames);
  weak.remember(configuration(), {}, memory);
  EXPECT_EQ(memory.broken[0], 0);
  EXPECT_EQ(memory.broken[1], 1);
  controls.joints = memory;
  double left = 0, one = 0;
  Accumulator out{&left, nullptr, nullptr, HessianKind::exact};
  weak.evaluate(configuration(), out);
  const JointEnergy hinge_alone({joints[0]}, frames);
  Controls none;
  out.value = &one;
  hinge_alone.evaluate({now, before, 0.01, none}, out);
  EXPECT_EQ(left, one);
}

// Scripts carry what is tied to an obstacle.
TEST_F(JointEnergyTest, FollowsAnObstacle) {
  Joint joint = make_joint(JointKind::fixed);
  joint.side[1] = {};
  joint.side[1].obstacle = 0;
  joint.side[1].anchor = joint.side[0].point.evaluate(now);
  joint.side[1].axes = rotation[0] * joint.side[0].axes;
  joint.damping = 0;
  controls.obstacle_poses_before = {{}};
  controls.obstacle_poses = {{math::rotation_from_vector(Vec3(0.3, -0.2, 0.5)), Vec3(1, 2, 3)}};
  EXPECT_GT(result_of({joint}, frames, configuration()).value, 1);
  set_rotation(frames[0], controls.obstacle_poses[0].rotation * rotation[0], now);
  now[0] = controls.obstacle_poses[0].rotation * now[0] + controls.obstacle_poses[0].translation;
  EXPECT_NEAR(result_of({joint}, frames, configuration()).value, 0, 1e-24);
}

// What quasi-Newton factors is the Hessian itself where the energy is quadratic: balls, hinges, fixed joints.
TEST_F(JointEnergyTest, WeightsAreTheHessianOfWhatIsQuadratic) {
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::fixed}) {
    JointEnergy energy({make_joint(kind)}, frames);
    sparse::PatternBuilder builder(kBlocks);
    energy.couple(builder);
    const auto pattern = builder.build();
    energy.find_slots(*pattern);
    sparse::SymmetricScalarMatrix weights(pattern);
    energy.add_weights(controls, 0.01, weights);
    sparse::SymmetricBlockMatrix hessian(pattern);
    hessian.set_zero();
    Accumulator out{nullptr, nullptr, &hessian, HessianKind::exact};
    energy.evaluate(configuration(), out);
    for (int s = 0; s < pattern->slot_count(); ++s)
      EXPECT_LE((hessian.block(s) - weights.values()[s] * Mat3::Identity()).norm(), 1e-10);
  }
}

}  // namespace
}  // namespace pliant::constraint
