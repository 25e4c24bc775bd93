// Grains against what is known of them: flight from their birth on, sliding friction, the weight of a heap, inelastic
// impact, meeting cloth; the same bits for any number of threads and after a restart.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"
#include "pliant/scene/verification.h"

namespace pliant::validation::particles_test {
namespace {

Scene parsed(const std::string& text) { return parse_scene("pliant: 1\n" + text, "scene.yaml"); }

Simulation simulation_of(const Scene& scene) {
  BuiltScene built = build(scene);
  return Simulation(std::move(built.model), std::move(built.state), built.options);
}

void run(Simulation& simulation, int steps, double step) {
  for (int n = 0; n < steps; ++n) ASSERT_TRUE(simulation.advance(step).reached);
}

// A grain waits where it is born, and flies from there as one that was thrown at that moment.
TEST(Particles, FlyFromTheirBirthOn) {
  const std::string sand =
      "contact: {method: none}\nmaterials: {sand: {radius: 0.01}}\nbodies: [{name: a, kind: particles, material: "
      "sand, ";
  for (const char* integrator : {"backward_euler", "bdf2", "implicit_midpoint", "newmark", "symplectic_euler"}) {
    const std::string time = "time: {step: 0.01, end: 1, integrator: " + std::string(integrator) + "}\n";
    const Scene poured =
        parsed(time + sand +
               "emitter: {rate: 5, count: 3, velocity: [1, 2, 3], from: {box: {min: [0, 0, 0], max: [1, 0, 0]}}}}]\n");
    const Scene thrown = parsed(time + sand + "mesh: {box: {size: [0.025, 0.025, 0.025]}}, velocity: [1, 2, 3]}]\n");
    Simulation waits = simulation_of(poured), flies = simulation_of(thrown);
    const Vec3 birth = waits.state().positions[2], start = flies.state().positions[0];
    run(waits, 40, 0.01);  // the third one is born at 0.4 s
    EXPECT_EQ(Vec3(waits.state().positions[2]), birth);
    run(waits, 30, 0.01);
    run(flies, 30, 0.01);
    const Vec3 fallen = flies.state().positions[0] - start;
    // bdf2 starts with a step of backward Euler, but knows a past of grains that are born later: half a step of falling.
    const double late = integrator == std::string("bdf2") ? 0.5 * 9.81 * 0.01 : 0;
    EXPECT_LT((waits.state().positions[2] - birth - fallen).norm(), 0.3 * late + 1e-12) << integrator;
    EXPECT_LT((waits.state().velocities[2] - flies.state().velocities[0]).norm(), late + 1e-11) << integrator;
    EXPECT_NEAR(fallen[1], 0.6 - 0.5 * 9.81 * 0.09, 0.5 * 9.81 * 0.3 * 0.01 + 1e-9);
  }
}

// One grain on a plane under gravity that leans by an angle: it stays below the friction angle, above it slides with
// g (sin θ − μ cos θ).
TEST(Particles, SlideAsFrictionSays) {
  const double g = 9.81, mu = 0.4, h = 0.01;
  for (const double degrees : {20.0, 30.0}) {
    const double angle = degrees * M_PI / 180;
    const Scene scene =
        parsed("time: {step: 0.01, end: 1}\ngravity: [" + std::to_string(g * std::sin(angle)) + ", " +
               std::to_string(-g * std::cos(angle)) +
               ", 0]\ncontact: {friction: 0.4, distance: 1.0e-4}\nbodies:\n"
               "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
               "  - {name: a, kind: particles, material: {radius: 0.01}, mesh: {box: {size: [0.022, 0.022, "
               "0.022]}}, position: [0, 0.0108, 0]}\n");
    Simulation simulation = simulation_of(scene);
    ASSERT_EQ(simulation.state().positions.size(), 1);
    run(simulation, 20, h);  // has landed
    const double start = simulation.state().positions[0][0], speed = simulation.state().velocities[0][0];
    run(simulation, 50, h);
    const double way = simulation.state().positions[0][0] - start, time = 0.5;
    const double acceleration = std::max(0.0, g * (std::sin(angle) - mu * std::cos(angle)));
    if (std::tan(angle) < mu) {
      EXPECT_LT(std::abs(way), 1e-9);
    } else {
      EXPECT_NEAR(simulation.state().velocities[0][0], speed + acceleration * time, 1e-3 * acceleration * time);
      EXPECT_NEAR(way, speed * time + 0.5 * acceleration * time * (time + h), 1e-3 * way);
    }
  }
}

// What a heap weighs, the floor bears; and nothing overlaps on the way.
TEST(Particles, AHeapPressesWithItsWeight) {
  const Scene scene = parsed(
      "time: {step: 0.01, end: 1}\ncontact: {friction: 0.5}\nbodies:\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: sand, kind: particles, material: {radius: 0.01, density: 2000}, count: 40, mesh: {box: {size: [0.08, "
      "0.08, "
      "0.1]}}, position: [0, 0.05, 0]}\n");
  Simulation simulation = simulation_of(scene);
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(simulation.advance(0.01).reached);
    ASSERT_TRUE(scene::judge_state(simulation.model(), simulation.state().positions, 0).is_clean());
  }
  double pressed = 0;
  for (const contact::ContactForce& f : simulation.contact_forces()) {
    if (f.second_body == 1) pressed += f.force[1];
  }
  const double weight = 40 * 2000 * 4.0 / 3 * M_PI * 1e-6 * 9.81;
  EXPECT_NEAR(pressed, weight, 0.01 * weight);
}

// Two grains that meet head on go on together: momentum stays, as well as steps are solved.
TEST(Particles, ImpactsKeepMomentum) {
  const Scene scene = parsed(
      "time: {step: 0.002, end: 1}\ngravity: [0, 0, 0]\nsolver: {tolerance: 1.0e-11}\nmaterials: {sand: {radius: "
      "0.01}}\nbodies:\n"
      "  - {name: a, kind: particles, material: sand, velocity: [1, 0, 0], mesh: {box: {size: [0.022, 0.022, "
      "0.022]}}}\n"
      "  - {name: b, kind: particles, material: sand, mesh: {box: {size: [0.022, 0.022, 0.022]}}, position: [0.05, "
      "0.004, 0]}\n");
  Simulation simulation = simulation_of(scene);
  run(simulation, 60, 0.002);
  const Vec3 a = simulation.state().velocities[0], b = simulation.state().velocities[1];
  EXPECT_LT((a + b - Vec3(1, 0, 0)).norm(), 1e-8);
  EXPECT_GT(b[0], 0.4);
  const Vec3 apart = (simulation.state().positions[1] - simulation.state().positions[0]);
  EXPECT_GE(apart.norm(), 0.02);
  EXPECT_GE((b - a).dot(apart), -1e-6);  // they do not come nearer any more
}

// Grains fall into a sheet that is held at its corners, and stay above it.
TEST(Particles, ClothBearsThem) {
  const Scene scene = parsed(
      "time: {step: 0.005, end: 1}\ncontact: {friction: 0.5}\nbodies:\n"
      "  - {name: sheet, kind: cloth, mesh: {grid: {size: [0.3, 0.3], cells: [10, 10]}}, material: cotton}\n"
      "  - {name: sand, kind: particles, material: {radius: 0.01}, count: 12, mesh: {box: {size: [0.09, 0.06, 0.09]}}, "
      "position: [0, 0.06, 0]}\n"
      "pins: [{body: sheet, where: {vertices: [0, 10, 110, 120]}}]\n");
  Simulation simulation = simulation_of(scene);
  for (int n = 0; n < 80; ++n) {
    ASSERT_TRUE(simulation.advance(0.005).reached);
    ASSERT_TRUE(scene::judge_state(simulation.model(), simulation.state().positions, 0).is_clean()) << n;
  }
  for (const int block : simulation.model().bodies[1].block_of_vertex)
    EXPECT_GT(simulation.state().positions[block][1], -0.2);
}

// Births and contacts: the same bits for any number of threads, and when a run is taken up in its middle.
TEST(Particles, HaveTheSameBitsEveryTime) {
  const Scene scene = parsed(
      "time: {step: 0.01, end: 1}\nbodies:\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: sand, kind: particles, material: {radius: 0.01}, emitter: {rate: 200, velocity: [0, -1, 0], from: "
      "{box: "
      "{min: [-0.03, 0.2, -0.03], max: [0.03, 0.2, 0.03]}}}}\n");
  const auto hash_after = [&](int threads) {
    set_thread_count(threads);
    Simulation simulation = simulation_of(scene);
    run(simulation, 40, 0.01);
    set_thread_count(0);
    return hash(simulation.state());
  };
  const std::uint64_t one = hash_after(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(hash_after(threads), one);
  Simulation first = simulation_of(scene), second = simulation_of(scene);
  run(first, 23, 0.01);
  second.restore(first.state());
  run(second, 17, 0.01);
  EXPECT_EQ(hash(second.state()), one);
}

}  // namespace
}  // namespace pliant::validation::particles_test
