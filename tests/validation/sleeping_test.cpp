// Bodies that rest fall asleep and wake when something happens to them; who is awake does not notice. [solvers/projection.md]
#include "tests/validation/projection_case.h"

namespace pliant::validation::sleeping_test {
namespace {

// Four towers of three boxes of 0.1 m, and what else there is.
Scene towers(const std::string& sleep_after, double end, const std::string& more) {
  Scene scene = projection_scene(
      {.step = 0.01, .end = end, .friction = 0.5, .iteration = "conjugate_residual"},
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}, material: {density: 500}, "
      "position: [0, 0.0505, 0], copies: {count: [2, 3, 2], spacing: [0.15, 0.101, 0.15]}}\n" +
          more);
  if (sleep_after != "null") scene.solver.projection.sleep_after = std::stod(sleep_after);
  return scene;
}
int sleepers(SceneCase& run) {
  int count = 0;
  for (const int island : run.simulation().state().sleep.island) count += island >= 0 ? 1 : 0;
  return count;
}

TEST(SleepingScenes, ChangesNothingWhileAllAreAwake) {
  SceneCase with(towers("1.0", 0.9, "")), without(towers("null", 0.9, ""));
  with.run();
  without.run();
  EXPECT_EQ(sleepers(with), 0);
  EXPECT_TRUE(with.simulation().state().positions == without.simulation().state().positions);
  EXPECT_TRUE(with.simulation().state().velocities == without.simulation().state().velocities);
}

// A ball falls on one of the towers, which has slept for half a second. Where it hits is as in a run without sleeping; the
// other three towers sleep on.
TEST(SleepingScenes, WhatIsHitWakesAsIfItHadNotSlept) {
  const std::string ball =
      "  - {name: ball, kind: rigid, mesh: {sphere: {radius: 0.05}}, material: {density: 500}, position: [0.01, 5, "
      "0.01]}\nprobes: [{name: ball, body: ball, quantity: mean_position}]\n";
  SceneCase with(towers("0.4", 1.2, ball)), without(towers("null", 1.2, ball));
  int most = 0;
  std::vector<double> heights;
  without.run([&] { heights.push_back(without.value("ball.y")); });
  double largest = 0;
  std::size_t step = 0;
  BlockVector asleep;  // where they fell asleep
  with.run([&] {
    if (sleepers(with) > most) asleep = with.simulation().state().positions;
    most = std::max(most, sleepers(with));
    largest = std::max(largest, std::abs(with.value("ball.y") - heights[step++]));
  });
  record("how far the ball is from where it is without sleeping", largest);
  EXPECT_EQ(most, 12);
  EXPECT_EQ(sleepers(with), 9);
  EXPECT_LT(largest, 1e-6);
  // Those who sleep do not move at all, by no bit.
  const State& state = with.simulation().state();
  for (std::size_t b = 0; b < state.sleep.island.size(); ++b) {
    if (state.sleep.island[b] < 0) continue;
    const int first = with.simulation().model().layout.first_block(static_cast<int>(b));
    for (int block = first; block < first + 4; ++block) EXPECT_EQ(state.positions[block], asleep[block]) << block;
  }
}

// When they wake, contacts go on with the forces that they had: nothing sags.
TEST(SleepingScenes, ForcesOutlastSleep) {
  const std::string plate =
      "  - {name: plate, kind: obstacle, mesh: {box: {size: [0.1, 0.02, 0.1], cells: [1, 1, 1]}}, position: [0, 1, 0], "
      "motion: {keyframes: [{t: 0}, {t: 0.8}, {t: 1.0, position: [0, -0.6895, 0]}]}}\n";
  SceneCase run(towers("0.4", 1.5, plate));
  std::vector<int> asleep;
  BlockVector rest;
  double sag = 0;
  run.run([&] {
    asleep.push_back(sleepers(run));
    if (asleep.size() == 75) rest = run.simulation().state().positions;
    if (asleep.size() < 75) return;
    for (int b = 0; b < rest.size(); ++b) sag = std::max(sag, (run.simulation().state().positions[b] - rest[b]).norm());
  });
  record("sag", sag);
  EXPECT_EQ(asleep[75], 12);
  EXPECT_EQ(*std::min_element(asleep.begin() + 75, asleep.end()), 9);  // the plate comes near one tower
  EXPECT_EQ(asleep.back(), 12);                                        // it stands, and they sleep again
  EXPECT_LT(sag, 1e-12);
}

TEST(SleepingScenes, LoadsThatChangeWake) {
  const std::string push = "loads: [{body: box.0, force: [3, 0, 0], where: {all: true}, from: 0.7, until: 0.9}]\n";
  SceneCase run(towers("0.3", 0.95, push));
  std::vector<int> asleep;
  run.run([&] { asleep.push_back(sleepers(run)); });
  EXPECT_EQ(asleep[68], 12);
  EXPECT_EQ(asleep[71], 0);
}

// A body that a script moves, and what hangs from it, never sleeps; a chain that hangs from the world does, as one.
TEST(SleepingScenes, JoinedBodiesSleepTogetherAndDrivenOnesNever) {
  const auto chain = [](const std::string& name, double x) {
    return fmt::format(
        "  - {{name: {0}, kind: rigid, mesh: {{box: {{size: [0.02, 0.1, 0.02], cells: [1, 1, 1]}}}}, material: "
        "{{density: "
        "500}}, position: [{1}, 1, 0]}}\n"
        "  - {{name: {0}2, kind: rigid, mesh: {{box: {{size: [0.02, 0.1, 0.02], cells: [1, 1, 1]}}}}, material: "
        "{{density: 500}}, position: [{1}, 0.88, 0]}}\n",
        name, x);
  };
  const std::string joints =
      "joints:\n"
      "  - {name: a0, type: ball, bodies: [a], at: [0.5, 1.05, 0]}\n"
      "  - {name: a1, type: ball, bodies: [a, a2], at: [0.5, 0.94, 0]}\n"
      "  - {name: b0, type: hinge, bodies: [b], at: [0.8, 1.05, 0], axis: [0, 1, 0], motor: {speed: 0.001, max_torque: "
      "1.0}}\n"
      "  - {name: b1, type: ball, bodies: [b, b2], at: [0.8, 0.94, 0]}\n";
  SceneCase run(towers("0.3", 0.8, chain("a", 0.5) + chain("b", 0.8) + joints));
  run.run();
  const std::vector<int>& island = run.simulation().state().sleep.island;
  ASSERT_EQ(island.size(), 16U);
  EXPECT_GE(island[12], 0);
  EXPECT_EQ(island[12], island[13]);
  EXPECT_EQ(island[14], -1);
  EXPECT_EQ(island[15], -1);
}

}  // namespace
}  // namespace pliant::validation::sleeping_test
