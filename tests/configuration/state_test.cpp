// State: increments of points add, of rotations turn from the left; the hash and the comparison see every bit.
#include "pliant/configuration/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

DofLayout mixed_layout() {
  DofLayout layout;
  layout.add_body("points", 2);
  layout.add_body("centre", 1, BlockKind::rigid_translation);
  layout.add_body("turn", 2, BlockKind::rigid_rotation, 0.3);
  layout.add_body("twist", 1, BlockKind::rod_twist, 0.01);
  return layout;
}

State mixed_state() {
  State state;
  state.positions.resize(6);
  state.velocities.resize(6);
  for (int i = 0; i < 6; ++i) state.positions[i] = Vec3(i, 0.5 * i, -1);
  state.orientations = {Vec4(1, 0, 0, 0), Vec4(0.5, 0.5, -0.5, 0.5)};
  return state;
}

Mat3 matrix_of(const Vec4& q) { return math::rotation_from_quaternion({q[0], q[1], q[2], q[3]}); }

TEST(State, RetractAddsToPointsAndTurnsRotationsFromTheLeft) {
  const DofLayout layout = mixed_layout();
  State state = mixed_state();
  const State start = state;
  BlockVector dq(6);
  for (int i = 0; i < 6; ++i) dq[i] = Vec3(0.3 * i - 0.4, 0.2, -0.7 + 0.1 * i);
  retract(layout, dq, state);
  for (const int i : {0, 1, 2, 5}) EXPECT_EQ(Vec3(state.positions[i]), Vec3(start.positions[i] + dq[i]));
  for (const int r : {0, 1}) {
    EXPECT_EQ(Vec3(state.positions[3 + r]), Vec3(start.positions[3 + r]));
    const Mat3 expected = math::rotation_from_vector(dq[3 + r]) * matrix_of(start.orientations[r]);
    EXPECT_LT((matrix_of(state.orientations[r]) - expected).norm(), 1e-14);
    EXPECT_NEAR(state.orientations[r].norm(), 1, 1e-15);
  }
}

TEST(State, TinyAndLargeTurnsAreExact) {
  const DofLayout layout = mixed_layout();
  for (const double angle : {1e-12, 1e-6, 0.99e-4, 1.01e-4, 1.0, 3.0}) {
    State state = mixed_state();
    BlockVector dq(6);
    const Vec3 axis = Vec3(1, -2, 0.5).normalized();
    dq[3] = angle * axis;
    retract(layout, dq, state);
    EXPECT_LT((state.orientations[0].tail<3>() - std::sin(angle / 2) * axis).norm(), 1e-15) << angle;
  }
}

TEST(State, ManyTurnsKeepUnitLength) {
  const DofLayout layout = mixed_layout();
  State state = mixed_state();
  BlockVector dq(6);
  dq[4] = Vec3(0.1, -0.2, 0.05);
  for (int i = 0; i < 1000; ++i) retract(layout, dq, state);
  EXPECT_NEAR(state.orientations[1].norm(), 1, 1e-15);
  const Mat3 expected = math::rotation_from_vector(1000 * dq[4]) * matrix_of(Vec4(0.5, 0.5, -0.5, 0.5));
  EXPECT_LT((matrix_of(state.orientations[1]) - expected).norm(), 1e-11);
}

TEST(State, HashAndComparisonSeeEveryField) {
  State start = mixed_state();
  start.accelerations.resize(6);
  start.previous_positions.resize(6);
  start.previous_velocities.resize(6);
  start.pin_since = {0.25, -INFINITY};
  start.pin_anchors = {Vec3(1, 2, 3)};
  State copy = start;
  EXPECT_EQ(hash(copy), hash(start));
  EXPECT_TRUE(copy == start);
  const std::vector<std::function<void(State&)>> changes = {
      [](State& s) { s.time = std::nextafter(s.time, 1.0); },
      [](State& s) { ++s.step_count; },
      [](State& s) { s.positions[5][2] = std::nextafter(s.positions[5][2], 0.0); },
      [](State& s) { s.velocities[0][0] = 1e-300; },
      [](State& s) { s.orientations[1][3] = std::nextafter(0.5, 1.0); },
      [](State& s) { s.accelerations[2][1] = 1e-300; },
      [](State& s) { s.previous_positions[2][1] = 1e-300; },
      [](State& s) { s.previous_velocities[2][1] = 1e-300; },
      [](State& s) { s.previous_step = 1e-300; },
      [](State& s) { s.pin_since[1] = 0; },
      [](State& s) { s.pin_anchors[0][0] = std::nextafter(1.0, 2.0); },
  };
  for (std::size_t c = 0; c < changes.size(); ++c) {
    State changed = start;
    changes[c](changed);
    EXPECT_NE(hash(changed), hash(start)) << "change " << c;
    EXPECT_FALSE(changed == start) << "change " << c;
  }
}

}  // namespace
}  // namespace pliant
