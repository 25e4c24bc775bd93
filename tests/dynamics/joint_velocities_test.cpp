// Velocities that joints allow: rates vanish, momentum stays, no energy is made, limits stop and let go, motors give what they may.
#include "pliant/dynamics/joint_velocities.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/constraint/joint_rows.h"
#include "pliant/math/rotation.h"

namespace pliant::joint_velocities_test {
namespace {

using constraint::Joint;
using constraint::JointKind;
using constraint::kMostJointRows;
using constraint::SideKind;

constexpr double kStep = 0.01;
const Vec3 kMoments(0.02, 0.03, 0.04);  // kg m²

// Bodies of 1 kg, 2 kg, … that stand still in space and move by their velocities.
struct Linkage {
  std::vector<RigidFrame> frames;
  std::vector<Joint> joints;
  BlockVector positions{8}, velocities{8};
  Inertia inertia;
  Controls controls;

  Linkage() {
    std::vector<double> masses;
    for (int k = 0; k < 2; ++k) {
      const RigidFrame& frame = frames.emplace_back(rigid_frame(4 * k, 1 + k, (1 + k) * kMoments));
      masses.push_back(frame.mass);
      for (int i = 0; i < 3; ++i) masses.push_back(frame.axis_mass[i]);
      positions[frame.centre] = Vec3(k, 0.2 * k, 0);
      set_rotation(frame, math::rotation_from_vector(Vec3(0.3, -k, 0.4)), positions);
      velocities[frame.centre] = Vec3(1, 2 - k, 0.5 * k);
      set_angular_velocity(frame, Vec3(3, -2 * k, 1), positions, velocities);
    }
    inertia = Inertia(masses);
    controls.filter = BlockFilter(8);
  }
  // Body a to body b or to the world (b < 0), about z.
  Joint& add_joint(JointKind kind, int a, int b, const Vec3& at) {
    Joint& joint = joints.emplace_back();
    joint.kind = kind;
    for (int s = 0; s < 2; ++s) {
      const int body = s == 0 ? a : b;
      joint.side[s].anchor = at;
      joint.side[s].axes = math::rotation_from_vector(Vec3(0, -2, 0));
      if (body < 0) continue;
      const Mat3 rotation = rotation_of(frames[body], positions);
      joint.side[s].kind = SideKind::rigid;
      joint.side[s].rigid = body;
      joint.side[s].anchor = rotation.transpose() * (at - Vec3(positions[frames[body].centre]));
      joint.side[s].axes = rotation.transpose() * joint.side[s].axes;
    }
    return joint;
  }
  std::vector<double> settle(const std::vector<double>& multipliers) {
    controls.joints.broken.assign(joints.size(), 0);
    controls.joints.coordinates.assign(joints.size(), 0);
    return settle_joint_velocities({joints, frames, inertia, controls, positions, positions, kStep, 10000, 1e-14},
                                   multipliers, velocities);
  }
  std::vector<double> settle() { return settle(std::vector<double>(kMostJointRows * joints.size(), 0)); }
  [[nodiscard]] Vec3 spin(int k) const {
    return angular_velocity(frames[k], positions, angular_momentum(frames[k], positions, velocities));
  }
  [[nodiscard]] double energy() const {
    BlockVector momentum(8);
    inertia.multiply(velocities, momentum);
    return 0.5 * sparse::dot(velocities, momentum);
  }
  [[nodiscard]] Vec3 momentum() const { return Vec3(velocities[0]) + 2 * Vec3(velocities[4]); }
  [[nodiscard]] Vec3 angular() const {
    Vec3 sum = Vec3::Zero();
    for (const RigidFrame& frame : frames)
      sum += angular_momentum(frame, positions, velocities) +
             frame.mass * Vec3(positions[frame.centre]).cross(Vec3(velocities[frame.centre]));
    return sum;
  }
  // J v of a row.
  [[nodiscard]] double rate(std::size_t j, int r) const {
    std::array<constraint::SidePose, 2> poses;
    for (std::size_t s = 0; s < 2; ++s) {
      if (joints[j].side[s].kind != SideKind::rigid) continue;
      const RigidFrame& frame = frames[joints[j].side[s].rigid];
      poses[s] = {positions[frame.centre], rotation_of(frame, positions)};
    }
    constraint::JointRows rows;
    constraint::evaluate(joints[j], poses, {}, rows);
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s) {
      const int k = joints[j].side[s].rigid;
      if (k >= 0) sum += rows.row[r].force[s].dot(velocities[frames[k].centre]) + rows.row[r].torque[s].dot(spin(k));
    }
    return sum;
  }
};

TEST(JointVelocities, RatesVanishAndMomentumStays) {
  Linkage l;
  l.add_joint(JointKind::hinge, 1, 0, Vec3(0.5, 0, 0));
  const double energy = l.energy();
  const Vec3 momentum = l.momentum(), angular = l.angular();
  EXPECT_GT(std::abs(l.rate(0, 0)) + std::abs(l.rate(0, 3)), 0.1);
  l.settle();
  for (int r = 0; r < 5; ++r) EXPECT_NEAR(l.rate(0, r), 0, 1e-12);
  EXPECT_NEAR((l.momentum() - momentum).norm(), 0, 1e-13);
  EXPECT_NEAR((l.angular() - angular).norm(), 0, 1e-13);
  EXPECT_LT(l.energy(), energy);
  // Once more there is nothing to do.
  const double left = l.energy();
  l.settle();
  EXPECT_NEAR(l.energy(), left, 1e-14 * left);
}

TEST(JointVelocities, SeveralJointsSettleTogether) {
  Linkage l;
  l.add_joint(JointKind::ball, 0, -1, Vec3(-0.5, 0, 0));
  l.add_joint(JointKind::universal, 1, 0, Vec3(0.5, 0, 0));
  l.settle();
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(l.rate(0, r), 0, 1e-11);
  for (int r = 0; r < 4; ++r) EXPECT_NEAR(l.rate(1, r), 0, 1e-11);
}

// Half of what a rigid row did in the step is taken back; of a soft one nothing.
TEST(JointVelocities, HalfOfAForceIsThatOfTheEnd) {
  for (const double compliance : {0.0, 1e-3}) {
    Linkage l;
    Joint& joint = l.add_joint(JointKind::distance, 0, -1, Vec3(0, 0, 0));
    joint.side[1].anchor = Vec3(0, 1, 0);
    joint.length = 1;
    joint.compliance = compliance;
    l.velocities[0] = Vec3(2, -0.3, 0);
    set_angular_velocity(l.frames[0], Vec3::Zero(), l.positions, l.velocities);
    std::vector<double> multipliers(kMostJointRows, 0);
    multipliers[0] = -50;  // towards the anchor
    const std::vector<double> forces = l.settle(multipliers);
    EXPECT_NEAR(l.velocities[0].y(), compliance > 0 ? -0.3 : 0, 1e-13);
    // Rigid: 0.25 m/s taken back and 0.55 m/s given, 1 kg.
    EXPECT_NEAR(forces[0], compliance > 0 ? 50 : 25 + 55, 1e-10);
  }
}

// A limit that pushed stops what goes on, and lets go what comes back; one that did not push is not there.
TEST(JointVelocities, LimitsAreInelastic) {
  for (const double speed : {-1.0, 1.0}) {
    for (const double force : {0.0, 10.0}) {
      Linkage l;
      Joint& joint = l.add_joint(JointKind::distance, 0, -1, Vec3(0, 0, 0));
      joint.side[1].anchor = Vec3(0, 1, 0);
      joint.upper = 1;
      l.velocities[0] = Vec3(0, speed, 0);
      std::vector<double> multipliers(kMostJointRows, 0);
      multipliers[0] = force;
      l.settle(multipliers);
      const double half = 0.5 * force * kStep;  // m/s of 1 kg, upwards, taken back
      EXPECT_NEAR(l.velocities[0].y(), force > 0 ? std::max(speed - half, 0.0) : speed, 1e-13);
    }
  }
}

TEST(JointVelocities, MotorsReachTheirSpeedWithinTheirBound) {
  for (const double bound : {1e9, 0.5}) {
    Linkage l;
    Joint& joint = l.add_joint(JointKind::hinge, 0, -1, Vec3(0, 0, 0));
    joint.motor = {constraint::MotorKind::speed, 4, bound, 0};
    sparse::set_zero(l.velocities);
    l.settle();
    if (bound > 1) {
      EXPECT_NEAR(l.rate(0, 5), 4, 1e-11);
    } else {
      const double gained = 0.5 * kStep * bound;  // N m s
      EXPECT_GT(l.rate(0, 5), 0);
      EXPECT_NEAR(l.energy(), 0.5 * gained * l.rate(0, 5), 1e-14);
    }
  }
}

// What a script holds has the script's speed, and the other side follows.
TEST(JointVelocities, HeldBodiesMoveByTheirScript) {
  Linkage l;
  l.add_joint(JointKind::ball, 1, 0, Vec3(0, 0, 0));
  for (int b = 0; b < 4; ++b) {
    l.controls.filter.hold(b);
    l.controls.held.push_back({b, l.positions[b], b == 0 ? Vec3(0, 0, 2) : Vec3(Vec3::Zero())});
  }
  l.settle();
  EXPECT_EQ(Vec3(l.velocities[0]), Vec3(0, 0, 2));
  EXPECT_TRUE(l.spin(0).isZero(1e-14));
  EXPECT_NEAR((Vec3(l.velocities[4]) - l.spin(1).cross(Vec3(l.positions[4])) - Vec3(0, 0, 2)).norm(), 0, 1e-12);
}

}  // namespace
}  // namespace pliant::joint_velocities_test
