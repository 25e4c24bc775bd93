// Turning from step to step: momentum through free steps, torques, drag, and bodies that are held.
#include "pliant/dynamics/rigid_motion.h"

#include <gtest/gtest.h>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

constexpr double kStep = 0.01;
const Vec3 kMoments(0.4e-3, 1.0e-3, 1.3e-3);  // kg m²

struct Turning {
  std::vector<RigidBody> bodies{1};
  BlockVector before{4}, velocities{4}, target{4}, now{4};
  BlockFilter filter{4};

  explicit Turning(const Vec3& omega) {
    bodies[0].frame = rigid_frame(0, 0.5, kMoments);
    set_rotation(frame(), math::rotation_from_vector(Vec3(0.3, 1, -0.4)), before);
    set_angular_velocity(frame(), omega, before, velocities);
    predict_turning(bodies, before, velocities, kStep, target);
    now = target;
  }
  [[nodiscard]] const RigidFrame& frame() const { return bodies[0].frame; }
  [[nodiscard]] Vec3 momentum() const { return angular_momentum(frame(), before, velocities); }
  // What the velocities say after the step.
  [[nodiscard]] Vec3 momentum_after(double drag = 0) const {
    BlockVector after(4);
    finish_turning(bodies, {before, velocities, target, now, filter, kStep, drag}, after);
    return angular_momentum(frame(), now, after);
  }
};

TEST(RigidMotion, FreeBodyKeepsItsMomentum) {
  Turning turning(Vec3(2, 30, 1));
  const Vec3 momentum = turning.momentum();
  for (int step = 0; step < 1000; ++step) {
    BlockVector after(4);
    finish_turning(turning.bodies,
                   {turning.before, turning.velocities, turning.target, turning.now, turning.filter, kStep, 0}, after);
    turning.velocities = after;
    turning.before = turning.now;
    predict_turning(turning.bodies, turning.before, turning.velocities, kStep, turning.target);
    turning.now = turning.target;
  }
  EXPECT_LE((turning.momentum() - momentum).norm(), 1e-12 * momentum.norm());
  EXPECT_LE(strain_of(turning.frame(), turning.now), 1e-14);
}

// A solve that moved the axes by forces fᵢ: μᵢ (aᵢ − ãᵢ)/h² = fᵢ. The impulse of their torques is added.
TEST(RigidMotion, ForcesOnAxesAddTheirTorque) {
  Turning turning(Vec3(2, 30, 1));
  Vec3 torque = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const int axis = turning.frame().axis(i);
    const Vec3 force(0.1 * i, -0.2, 0.05);
    turning.now[axis] += kStep * kStep / turning.frame().axis_mass[i] * force;
    torque += Vec3(turning.now[axis]).cross(force);
  }
  const Vec3 expected = turning.momentum() + kStep * torque;
  EXPECT_LE((turning.momentum_after() - expected).norm(), 1e-13 * expected.norm());
}

// What a solver says it did counts, not what the axes say.
TEST(RigidMotion, ImpulsesOfTheSolverAreTakenAsTheyAre) {
  Turning turning(Vec3(2, 30, 1));
  set_rotation(turning.frame(),
               math::rotation_from_vector(Vec3(0.5, 0.1, 0)) * rotation_of(turning.frame(), turning.target),
               turning.now);
  const std::vector<Vec3> impulses = {Vec3(1e-3, -2e-3, 5e-4)};
  BlockVector after(4);
  finish_turning(turning.bodies,
                 {turning.before, turning.velocities, turning.target, turning.now, turning.filter, kStep, 0, impulses},
                 after);
  const Vec3 expected = turning.momentum() + impulses[0];
  EXPECT_LE((angular_momentum(turning.frame(), turning.now, after) - expected).norm(), 1e-13 * expected.norm());
}

TEST(RigidMotion, DragSlowsTurning) {
  const Turning turning(Vec3(2, 30, 1));
  EXPECT_LE((turning.momentum_after(3) - turning.momentum() / 1.03).norm(), 1e-13 * turning.momentum().norm());
}

// Held by a script that turned it by a radian.
TEST(RigidMotion, HeldBodyTurnsAsItWasTurned) {
  Turning turning(Vec3::Zero());
  const Vec3 way(0.6, 0, 0.8);
  set_rotation(turning.frame(), math::rotation_from_vector(way) * rotation_of(turning.frame(), turning.before),
               turning.now);
  for (int i = 0; i < 3; ++i) turning.filter.hold(turning.frame().axis(i));
  const Vec3 omega = angular_velocity(turning.frame(), turning.now, turning.momentum_after());
  EXPECT_LE((omega - way / kStep).norm(), 1e-12 / kStep);
}

}  // namespace
}  // namespace pliant
