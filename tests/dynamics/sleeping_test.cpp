// Who falls asleep, who wakes, and what is kept for then; scenes that sleep: tests/validation/sleeping_test.cpp.
#include "pliant/dynamics/sleeping.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

// Four bodies of one point each; what contacts there are is given by hand.
struct SleepingCase {
  Model model;
  State state;
  Controls controls;
  contact::ProjectedPairs pairs;
  std::vector<contact::ContactForce> forces;
  Sleeping sleeping;

  SleepingCase() {
    for (const char* name : {"a", "b", "c", "d"}) {
      model.layout.add_body(name, 1);
      model.bodies.emplace_back().name = name;
    }
    start();
  }
  void start() {
    sleeping = Sleeping(model, {.after = 0.25, .speed = 0.01, .margin = 0});
    sleeping.resize_memory(model, state.sleep);
    state.positions.resize(4);
    state.velocities.resize(4);
    sparse::set_zero(state.positions);
    sparse::set_zero(state.velocities);
  }
  // key: also the size of its force.
  void touch(int first, int second, std::uint64_t key) {
    contact::ContactForce force;
    force.first_body = first;
    force.second_body = second;
    force.force = Vec3(0, static_cast<double>(key), 0);
    forces.push_back(force);
    contact::ProjectedPair pair;
    pair.first_body = first;
    pair.second_body = second;
    pair.key = key;
    pairs.pairs.push_back(pair);
    state.forces.keys.push_back(key);
    state.forces.forces.push_back(force.force);
  }
  void go(int steps) {
    for (int i = 0; i < steps; ++i) sleeping.finish_step(model, pairs, forces, 0.1, state);
  }
  void begin(double time = 0) {
    controls.filter = BlockFilter(4);
    controls.held.clear();
    sleeping.begin_step(model, time, time + 0.1, state, controls);
  }
};

TEST(Sleeping, IslandsFallAsleepWhenAllOfThemHaveBeenCalm) {
  SleepingCase c;
  c.touch(0, 1, 7);
  c.state.velocities[1] = Vec3(0.02, 0, 0);  // too fast
  c.go(3);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{-1, -1, 2, 3}));
  c.state.velocities[1] = Vec3(0.005, 0, 0);
  c.go(2);
  EXPECT_EQ(c.state.sleep.island[0], -1);
  c.go(1);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{0, 0, 2, 3}));
  EXPECT_EQ(c.state.velocities[1].norm(), 0);
}

TEST(Sleeping, WhoSleepsIsHeld) {
  SleepingCase c;
  c.state.velocities[3] = Vec3(1, 0, 0);
  c.go(3);
  c.state.positions[1] = Vec3(1, 2, 3);
  c.begin();
  EXPECT_EQ(c.controls.held.size(), 3U);
  EXPECT_EQ(c.controls.filter.held_directions(1), 3);
  EXPECT_EQ(c.controls.filter.held_directions(3), 0);
  EXPECT_EQ(c.controls.held[1].target, Vec3(1, 2, 3));
}

// d, awake, presses on b: a and b wake with the force between them, c sleeps on.
TEST(Sleeping, ATouchWakesAnIslandWithItsForces) {
  SleepingCase c;
  c.touch(0, 1, 7);
  c.touch(2, 4, 9);  // on an obstacle
  c.state.velocities[3] = Vec3(1, 0, 0);
  c.go(3);
  ASSERT_EQ(c.state.sleep.island, (std::vector<int>{0, 0, 2, -1}));
  EXPECT_EQ(c.state.sleep.forces.keys, (std::vector<std::uint64_t>{7, 9}));
  c.forces.clear();
  c.state.forces = {{3}, {Vec3(1, 0, 0)}};
  EXPECT_FALSE(c.sleeping.wake_touched(c.forces, c.state));
  contact::ContactForce hit;
  hit.first_body = 3;
  hit.second_body = 1;
  c.forces.push_back(hit);
  EXPECT_TRUE(c.sleeping.wake_touched(c.forces, c.state));
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{-1, -1, 2, -1}));
  EXPECT_EQ(c.state.forces.keys, (std::vector<std::uint64_t>{3, 7}));
  EXPECT_EQ(c.state.forces.forces[1], Vec3(0, 7, 0));
  EXPECT_EQ(c.state.sleep.forces.keys, (std::vector<std::uint64_t>{9}));
  EXPECT_FALSE(c.sleeping.wake_touched(c.forces, c.state));
}

TEST(Sleeping, HandsAndChangingLoadsWake) {
  SleepingCase c;
  LoadCurve load;
  load.keys = {{0, Vec3(1, 0, 0)}};
  load.from = 2;
  load.until = 3;
  c.model.loads.push_back(load);
  c.go(3);
  c.begin(1);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{0, 1, 2, 3}));
  c.controls.grips = {{.block = 2}};
  c.begin(1);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{0, 1, -1, 3}));
  c.controls.grips.clear();
  c.begin(2);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{-1, -1, -1, -1}));
}

TEST(Sleeping, WhatScriptsMoveNeverSleeps) {
  SleepingCase c;
  ScriptedPin still, moving, short_one;
  still.blocks = {0};
  moving.blocks = {1};
  moving.motion = ScriptedMotion(Move{Vec3(1, 0, 0)});
  short_one.blocks = {2};
  short_one.until = 5;
  c.model.pins = {still, moving, short_one};
  c.model.bodies[3].is_poured = true;
  c.start();
  c.go(9);
  EXPECT_EQ(c.state.sleep.island, (std::vector<int>{0, -1, -1, -1}));
}

TEST(Sleeping, IsOffUnlessAskedFor) {
  SleepingCase c;
  c.sleeping = Sleeping(c.model, {});
  c.sleeping.resize_memory(c.model, c.state.sleep);
  EXPECT_EQ(c.state.sleep, SleepMemory{});
  c.go(9);
  EXPECT_EQ(c.state.sleep, SleepMemory{});
}

}  // namespace
}  // namespace pliant
