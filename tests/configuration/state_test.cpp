// State: the hash and the comparison see every bit.
#include "pliant/configuration/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace pliant {
namespace {

State mixed_state() {
  State state;
  state.positions.resize(6);
  state.velocities.resize(6);
  for (int i = 0; i < 6; ++i) state.positions[i] = Vec3(i, 0.5 * i, -1);
  return state;
}

TEST(State, HashAndComparisonSeeEveryField) {
  State start = mixed_state();
  start.accelerations.resize(6);
  start.previous_positions.resize(6);
  start.previous_velocities.resize(6);
  start.pin_since = {0.25, -INFINITY};
  start.pin_anchors = {Vec3(1, 2, 3)};
  start.forces = {{7}, {Vec3(4, 5, 6)}};
  start.joints = {{0.5}, {20}, {0}};
  State copy = start;
  EXPECT_EQ(hash(copy), hash(start));
  EXPECT_TRUE(copy == start);
  const std::vector<std::function<void(State&)>> changes = {
      [](State& s) { s.time = std::nextafter(s.time, 1.0); },
      [](State& s) { ++s.step_count; },
      [](State& s) { s.positions[5][2] = std::nextafter(s.positions[5][2], 0.0); },
      [](State& s) { s.velocities[0][0] = 1e-300; },
      [](State& s) { s.accelerations[2][1] = 1e-300; },
      [](State& s) { s.previous_positions[2][1] = 1e-300; },
      [](State& s) { s.previous_velocities[2][1] = 1e-300; },
      [](State& s) { s.previous_step = 1e-300; },
      [](State& s) { s.pin_since[1] = 0; },
      [](State& s) { s.pin_anchors[0][0] = std::nextafter(1.0, 2.0); },
      [](State& s) { s.forces.keys[0] = 8; },
      [](State& s) { s.forces.forces[0][1] = 5.5; },
      [](State& s) { s.joints.coordinates[0] = 0.6; },
      [](State& s) { s.joints.forces[0] = 21; },
      [](State& s) { s.joints.broken[0] = 1; },
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
