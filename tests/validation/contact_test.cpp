// Contact and friction against theory: stopping distances, weights in a stack, momentum, inelastic landing; no intersection in
// any of them. Slopes are in slope_test.cpp.
#include <Eigen/Geometry>
#include <cmath>
#include <span>
#include <utility>

#include "pliant/parallel/parallel.h"
#include "pliant/scene/verification.h"
#include "tests/validation/slope_case.h"

namespace pliant::validation::contact_test {
namespace {

void expect_clean(SceneCase& scene) {
  const Simulation& simulation = scene.simulation();
  EXPECT_TRUE(scene::judge_state(simulation.model(), simulation.state().positions, simulation.state().time).is_clean());
}

TEST(Contact, AThrownBlockStopsWhereItShould) {
  constexpr double kFriction = 0.3;
  SceneCase block("block_on_slope.yaml",
                  {tilted(0), "bodies.block.velocity=[1.5, 0, 0]", "contact.friction=0.3", "time.step=0.0025"});
  double start = 0, speed = 0;
  block.run([&] {
    if (block.simulation().state().time > 0.15 + 1e-9) return;  // until then it settles on the floor
    start = block.value("at.x");
    speed = block.value("speed.x");
  });
  const double way = block.value("at.x") - start, theory = speed * speed / (2 * kFriction * kGravity);
  record("way / theory", way / theory);
  EXPECT_NEAR(way, theory, 0.01 * theory);
  EXPECT_LT(std::abs(block.value("speed.x")), 1e-6);
  expect_clean(block);
}

TEST(Contact, AStackPressesByTheWeightAboveEachBox) {
  SceneCase stack("stack_of_boxes.yaml", {});
  stack.run();
  const double weight = 1.0 * kGravity;  // of one box
  record("bottom / weight", stack.value("bottom.y") / (10 * weight));
  record("fifth / weight", stack.value("fifth.y") / (5 * weight));
  EXPECT_NEAR(stack.value("bottom.y"), 10 * weight, 0.005 * 10 * weight);
  EXPECT_NEAR(stack.value("fifth.y"), 5 * weight, 0.005 * 5 * weight);
  EXPECT_NEAR(stack.value("top.y"), weight, 0.005 * weight);
  EXPECT_LT(stack.value("energy.kinetic"), 1e-9);
  expect_clean(stack);
}

const char* const kCollision =
    "pliant: 1\n"
    "title: Two blocks collide\n"
    "time: {step: 0.002, end: 0.4}\n"
    "gravity: [0, 0, 0]\n"
    "solver: {tolerance: 1.0e-10}\n"
    "materials: {soft: {model: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
    "bodies:\n"
    "  - {name: a, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: soft, velocity: [1, 0, 0], "
    "angular_velocity: [40, 10, 90]}\n"
    "  - {name: b, mesh: {box: {size: [0.12, 0.2, 0.1], cells: [2, 3, 2]}}, material: soft, position: [0.2, 0.04, "
    "0.01], "
    "velocity: [-0.5, 0.1, 0], rotation: {axis: [1, 1, 0], degrees: 30}}\n"
    "contact: {friction: 0.4, distance: 2.0e-3}\n"
    "probes: [{name: contacts, quantity: contacts}, {name: energy, quantity: energy}]\n";

// Linear momentum is kept. Angular momentum is not, by backward Euler: L changes by h Σ m v × v_before even without forces.
// What contact must not do is turn the whole: its torque is the step's Σ x × m (v − v_before), x being the places where forces
// are taken. Friction acts across the gap, so it may turn by gap × force; without friction there must be none.
class Collision : public ::testing::TestWithParam<double> {};
TEST_P(Collision, KeepsMomentumAndDoesNotTurnTheWhole) {
  const double friction = GetParam();
  Scene scene = parse_scene(kCollision, "scene.yaml");
  scene.contact.friction = friction;
  SceneCase both(scene);
  const State& s = both.simulation().state();
  const std::span<const double> masses = both.simulation().model().inertia.masses();
  const auto moved = [&](const BlockVector& velocities) {
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    for (int i = 0; i < s.positions.size(); ++i) {
      const Vec3 p = masses[i] * Vec3(velocities[i]);
      momentum += p;
      spin += Vec3(s.positions[i]).cross(p);
    }
    return std::pair(momentum, spin);
  };
  const auto [momentum, spin] = moved(s.velocities);
  double most = 0;
  Vec3 turned = Vec3::Zero();
  BlockVector before = s.velocities;
  both.run([&] {
    most = std::max(most, both.value("contacts.count"));
    turned += moved(s.velocities).second - moved(before).second;
    before = s.velocities;
  });
  EXPECT_GT(most, 3);
  record("change of momentum", (moved(s.velocities).first - momentum).norm() / momentum.norm());
  record("turn by contact / angular momentum", turned.norm() / spin.norm());
  record("loss of angular momentum by the integrator", (moved(s.velocities).second - spin).norm() / spin.norm());
  EXPECT_LT((moved(s.velocities).first - momentum).norm(), 1e-8 * momentum.norm());
  EXPECT_LT(turned.norm(), (friction == 0 ? 1e-8 : 1e-2) * spin.norm());
  expect_clean(both);
}
INSTANTIATE_TEST_SUITE_P(Contact, Collision, ::testing::Values(0, 0.4),
                         [](const auto& tested) { return tested.param == 0 ? "smooth" : "rough"; });

// Backward Euler takes the normal velocity away; friction and impact never add energy.
TEST(Contact, LandingIsInelasticAndEnergyOnlyFalls) {
  SceneCase block("block_on_slope.yaml",
                  {tilted(0), "bodies.block.position=[0, 0.3, 0]", "bodies.block.velocity=[1, 0, 0.5]", "time.end=3"});
  double last = 1e9;
  block.run([&] {
    const EnergyBalance balance = block.simulation().energies();
    EXPECT_LE(balance.total(), last + 1e-9 * std::abs(last));
    last = balance.total();
  });
  record("normal velocity", block.value("speed.y"));
  EXPECT_LT(std::abs(block.value("speed.y")), 1e-6);
  expect_clean(block);
}

// Every implicit integrator: the forces on a block that rests on a slope are its weight's.
class RestingUnder : public ::testing::TestWithParam<const char*> {};
TEST_P(RestingUnder, EveryImplicitIntegrator) {
  // Without inertia friction needs a normal force from the step before: on a slope the first step would have no rest.
  const std::string integrator = GetParam();
  const double angle = integrator == "quasi_static" ? 0 : 0.8 * std::atan(0.5);
  SceneCase block("block_on_slope.yaml", {tilted(angle), "time.integrator=" + integrator, "time.end=5"});
  const double weight = 4 * kGravity;
  const Vec3 expected(-weight * std::sin(angle), weight * std::cos(angle), 0);
  // What does not damp rings on after the landing, and slips by micrometres while it does (newmark): means over the fourth
  // and the fifth second.
  struct Mean {
    Vec3 push = Vec3::Zero();
    double place = 0;
    int count = 0;
  } before, now;
  double largest = 0;
  block.run([&] {
    const double time = block.simulation().state().time;
    if (time <= 3) return;
    Mean& mean = time <= 4 ? before : now;
    const Vec3 push(block.value("push.x"), block.value("push.y"), 0);
    mean.push += push;
    mean.place += block.value("at.x");
    ++mean.count;
    if (time > 4) largest = std::max(largest, (push - expected).norm());
  });
  const Vec3 push = now.push / now.count;
  const double creep = now.place / now.count - before.place / before.count;
  record("normal / weight", push.y() / expected.y());
  record("off by / weight", (push - expected).norm() / weight);
  record("rings by / weight", largest / weight);
  record("creep in a second", creep);
  EXPECT_LT((push - expected).norm(), 0.002 * weight);
  EXPECT_NEAR(creep, 0, 1e-6);
  expect_clean(block);
}
INSTANTIATE_TEST_SUITE_P(Contact, RestingUnder,
                         ::testing::Values("backward_euler", "bdf2", "implicit_midpoint", "newmark", "quasi_static"),
                         [](const auto& tested) { return std::string(tested.param); });

// What a slide costs in quality: friction that lags behind the normal force leaves its cone a little, and points against
// the slip; the residual of complementarity says how far above the floor the block rides.
TEST(Contact, QualityOfASlide) {
  const double mu = 0.5, angle = 1.2 * std::atan(mu);
  SceneCase block("block_on_slope.yaml", {tilted(angle)});
  contact::ContactQuality landing, sliding;
  block.run([&] {
    const contact::ContactQuality quality = block.simulation().contact_quality();
    (block.simulation().state().time < 0.5 ? landing : sliding).include(quality);
  });
  record("landing: cone violation", landing.cone_violation);
  record("landing: relative", landing.relative_cone_violation);
  record("landing: angle", landing.friction_angle);
  record("sliding: cone violation", sliding.cone_violation);
  record("sliding: relative", sliding.relative_cone_violation);
  record("sliding: angle", sliding.friction_angle);
  record("sliding: complementarity", sliding.complementarity);
  EXPECT_LT(sliding.relative_cone_violation, 1e-6);
  EXPECT_LT(sliding.friction_angle, 1e-6);
  EXPECT_LT(landing.relative_cone_violation, 0.05);
  // All weight on one floor: the highest of the pressing gaps, x = gap/d̂, has φ(x, 1) at most.
  EXPECT_LT(sliding.complementarity, contact::fischer_burmeister(1, 1));
}

// A floor that moves takes the block along: m a = μ m g until it has the floor's speed.
TEST(Contact, AMovingFloorDragsWhatLiesOnIt) {
  SceneCase block("block_on_slope.yaml", {tilted(0), "contact.friction=0.2", "time.end=1.5",
                                          "bodies.floor.motion={move: {velocity: [1, 0, 0]}}"});
  double half = 0;
  block.run([&] {
    if (std::abs(block.simulation().state().time - 0.3) < 1e-9) half = block.value("speed.x");
  });
  record("speed after 0.3 s / theory", half / (0.2 * kGravity * 0.3));
  EXPECT_NEAR(half, 0.2 * kGravity * 0.3, 0.01 * 0.2 * kGravity * 0.3);
  EXPECT_NEAR(block.value("speed.x"), 1, 1e-6);
  expect_clean(block);
}

// Without memory friction needs a motion: this is why it has one.
TEST(Contact, WithoutMemoryItCreeps) {
  double creep[2];
  for (const bool remembers : {false, true}) {
    SceneCase block("block_on_slope.yaml",
                    {tilted(0.9 * std::atan(0.5)), fmt::format("contact.friction_memory={}", remembers), "time.end=3"});
    double settled = 0;
    block.run([&] {
      if (block.simulation().state().time <= 1) settled = block.value("at.x");
    });
    creep[remembers ? 1 : 0] = block.value("at.x") - settled;
  }
  record("creep in 2 s without memory", creep[0]);
  EXPECT_GT(creep[0], 1e-5);
  EXPECT_LT(std::abs(creep[1]), 1e-9);
}

// A block slides from one face of a mesh to the next: over an edge that sticks out, and into a valley. Contact goes on
// without a gap or an intersection, and friction stays in its cone and against the slide.
class SlidesOver : public ::testing::TestWithParam<double> {};
TEST_P(SlidesOver, AnEdgeWithoutABreak) {
  const double degrees = GetParam(), turn = degrees * M_PI / 180;  // of the second face, downwards where positive
  // Two boxes of 2 m whose upper faces meet at the origin.
  const Vec3 middle = Vec3(std::cos(turn), -std::sin(turn), 0) - 0.1 * Vec3(std::sin(turn), std::cos(turn), 0);
  SceneCase block(parse_scene(
      fmt::format(
          "pliant: 1\n"
          "title: Block over an edge\n"
          "time: {{step: 0.0025, end: 0.5}}\n"
          "solver: {{tolerance: 1.0e-7, max_iterations: 200}}\n"
          "materials: {{rubber: {{model: neo_hookean, young: 2.0e5, poisson: 0.3, density: 1000, damping: "
          "{{stiffness_proportional: 0.01}}}}}}\n"
          "bodies:\n"
          "  - {{name: block, mesh: {{box: {{size: [0.1, 0.05, 0.1], cells: [4, 2, 4]}}}}, material: rubber, position: "
          "[-0.2, 0.0258, 0.013], velocity: [{}, 0, 0]}}\n"
          "  - {{name: level, kind: obstacle, mesh: {{box: {{size: [2, 0.2, 2], cells: [1, 1, 1]}}}}, position: [-1, "
          "-0.1, 0]}}\n"
          "  - {{name: face, kind: obstacle, mesh: {{box: {{size: [2, 0.2, 2], cells: [1, 1, 1]}}}}, position: "
          "[{:.17g}, {:.17g}, 0], rotation: {{axis: [0, 0, 1], degrees: {}}}}}\n"
          "contact: {{friction: 0.2, distance: 1.0e-3}}\n"
          "probes:\n"
          "  - {{name: at, body: block, quantity: mean_position}}\n"
          "  - {{name: contacts, quantity: contacts}}\n"
          "  - {{name: first, quantity: contact_force, bodies: [block, level]}}\n"
          "  - {{name: second, quantity: contact_force, bodies: [block, face]}}\n"
          "  - {{name: energy, quantity: energy}}\n",
          degrees > 0 ? 1.0 : 1.5, middle.x(), middle.y(), -degrees),
      "scene.yaml"));
  double last = 1e9, violation = 0, angle = 0, least_force = 1e9;
  int without = 0;
  bool has_both = false;
  block.run([&] {
    const EnergyBalance balance = block.simulation().energies();
    EXPECT_LE(balance.total(), last + 1e-9 * std::abs(last));
    last = balance.total();
    expect_clean(block);
    if (block.simulation().state().time < 0.05) return;  // it lands
    without += block.value("contacts.count") == 0;
    const Vec3 first(block.value("first.x"), block.value("first.y"), 0),
        second(block.value("second.x"), block.value("second.y"), 0);
    has_both = has_both || (first.norm() > 0.1 && second.norm() > 0.1);
    least_force = std::min(least_force, (first + second).norm());
    violation = std::max(violation, block.value("contacts.relative_cone_violation"));
    angle = std::max(angle, block.value("contacts.friction_angle"));
  });
  record("steps without contact", without);
  record("least force over weight", least_force / (0.5 * kGravity));
  record("relative cone violation", violation);
  record("friction angle", angle);
  EXPECT_TRUE(has_both);
  EXPECT_GT(block.value("at.x"), 0.05);
  EXPECT_EQ(without, 0);
  EXPECT_LT(violation, 0.02);
}
INSTANTIATE_TEST_SUITE_P(Contact, SlidesOver, ::testing::Values(8, -8),
                         [](const auto& tested) { return tested.param > 0 ? "convex" : "concave"; });

const char* const kDrape =
    "pliant: 1\n"
    "title: A napkin on a ball, and a rod on the napkin\n"
    "time: {step: 0.01, end: 0.5}\n"
    "solver: {tolerance: 1.0e-4, max_iterations: 300}\n"
    "materials:\n"
    "  cotton: {model: st_venant_kirchhoff, young: 1.0e5, poisson: 0.3, thickness: 5.0e-4, surface_density: 0.2, "
    "bending: "
    "{stiffness: 2.0e-5}, damping: {stiffness_proportional: 0.005}}\n"
    "  cord: {model: elastic_rod, density: 1100, young: 1.0e6, shear: 4.0e5, section: {circle: 0.004}, viscosity: "
    "1000}\n"
    "bodies:\n"
    "  - {name: napkin, kind: cloth, mesh: {grid: {size: [0.4, 0.4], cells: [8, 8], pattern: alternating}}, material: "
    "cotton, position: [0.03, 0.14, 0.02], velocity: [0, -2, 0]}\n"
    "  - {name: cord, kind: rod, mesh: {strand: {length: 0.3, segments: 12, direction: [1, 0, 1]}}, material: cord, "
    "position: [-0.1, 0.19, -0.1], velocity: [0, -2, 0]}\n"
    "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.1, subdivisions: 2}}}\n"
    "contact: {friction: 0.3, distance: 2.0e-3}\n"
    "probes: [{name: contacts, quantity: contacts}]\n";

// Steps of 1/25 s, in which things fly by several times their thickness, and of 1/1000 s: no step ends with an intersection.
class StepLength : public ::testing::TestWithParam<double> {};
TEST_P(StepLength, NeverLetsThingsThrough) {
  for (const char* text : {kCollision, kDrape}) {
    Scene scene = parse_scene(text, "scene.yaml");
    scene.time.step = GetParam();
    SceneCase both(scene);
    double most = 0;
    both.run([&] {
      most = std::max(most, both.value("contacts.count"));
      expect_clean(both);
    });
    record(scene.title + ", contacts at most", most);
    EXPECT_GT(most, 3);
  }
}
INSTANTIATE_TEST_SUITE_P(Contact, StepLength, ::testing::Values(0.04, 0.001),
                         [](const auto& tested) { return tested.param > 0.01 ? "of40ms" : "of1ms"; });

// An obstacle that goes farther in a step than it is long: it does not jump through a sheet, but takes it along. Before the hit
// nothing is within the contact distance, so no energy tells of it.
TEST(Contact, AnObstacleFasterThanItsSizeTakesAlongWhatItHits) {
  constexpr double kSpeed = 5, kEnd = 0.12;  // m/s, s: 100 mm in a step, of a ball of 60 mm
  SceneCase hit(parse_scene(
      "pliant: 1\n"
      "title: A fast ball\n"
      "time: {step: 0.02, end: 0.12}\n"
      "gravity: [0, 0, 0]\n"
      "solver: {tolerance: 1.0e-3, max_iterations: 300}\n"
      "materials: {cloth: {model: st_venant_kirchhoff, young: 1.0e5, poisson: 0.3, thickness: 1.0e-3, density: 300, "
      "damping: {stiffness_proportional: 0.01}}}\n"
      "bodies:\n"
      "  - {name: sheet, kind: cloth, mesh: {grid: {size: [0.6, 0.6], cells: [12, 12]}}, material: cloth, position: "
      "[0, "
      "0.33, 0.01]}\n"
      "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.03, subdivisions: 1}}, motion: {move: {velocity: [0, "
      "5, "
      "0]}}}\n"
      "probes: [{name: high, body: sheet, quantity: max_position}, {name: low, body: sheet, quantity: min_position}]\n",
      "scene.yaml"));
  hit.run([&] { expect_clean(hit); });
  record("top of the sheet - top of the ball", hit.value("high.y") - (kSpeed * kEnd + 0.03));
  EXPECT_GT(hit.value("high.y"), kSpeed * kEnd + 0.03);
  EXPECT_LT(hit.value("low.y"), kSpeed * kEnd);  // it hangs over the ball
}

// A press that leaves no room: the run stops, and what it stops with does not intersect.
TEST(Contact, AnImpossibleSqueezeStopsWithoutIntersection) {
  const Scene scene = parse_scene(
      "pliant: 1\n"
      "time: {step: 0.02, end: 1, retries: 3}\n"
      "materials: {m: {model: neo_hookean, density: 1000, young: 1.0e4, poisson: 0.3}}\n"
      "bodies:\n"
      "  - {name: a, mesh: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: m, position: [0, 0.105, 0]}\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: press, kind: obstacle, mesh: {box: {size: [1, 0.1, 1], cells: [1, 1, 1]}}, position: [0, 0.28, 0], "
      "motion: {move: {velocity: [0, -0.5, 0]}}}\n",
      "scene.yaml");
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  bool has_stopped = false;
  for (int i = 1; i <= 50 && !has_stopped; ++i) {
    has_stopped = !simulation
                       .advance(0.02, 0.02 * i,
                                [&] {
                                  const contact::Judgement judgement = scene::judge_state(
                                      simulation.model(), simulation.state().positions, simulation.state().time);
                                  EXPECT_TRUE(judgement.is_clean()) << simulation.state().time;
                                })
                       .reached;
  }
  EXPECT_TRUE(has_stopped);
  EXPECT_LT(simulation.state().time, 0.47);  // the press is at the floor at 0.46 s
  record("stopped at", simulation.state().time);
}

TEST(Contact, ThreadsDoNotChangeABit) {
  std::uint64_t hashes[2];
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    SceneCase both(parse_scene(kCollision, "scene.yaml"));
    both.run();
    hashes[threads - 1] = hash(both.simulation().state());
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

// A small block slides down a sphere without friction. It stays on a circle, and the force follows
// N = m (g cos θ − v²/r); the facets of a mesh shake it.
class SlideOverSphere : public ::testing::TestWithParam<const char*> {};
TEST_P(SlideOverSphere, FollowsACircle) {
  SceneCase block(parse_scene(
      fmt::format(
          "pliant: 1\n"
          "title: Block on a sphere\n"
          "time: {{step: 0.002, end: 0.4}}\n"
          "solver: {{tolerance: 1.0e-7}}\n"
          "materials: {{stiff: {{model: neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000, damping: "
          "{{stiffness_proportional: 0.01}}}}}}\n"
          "bodies:\n"
          "  - {{name: block, mesh: {{box: {{size: [0.04, 0.04, 0.04], cells: [1, 1, 1]}}}}, material: stiff, "
          "position: [0, 1.0205, 0], velocity: [1.2, 0, 0.4]}}\n"
          "  - {{name: ball, kind: obstacle, mesh: {{sphere: {{radius: 1, subdivisions: 3}}}}, contact: {{shape: "
          "{}}}}}\n"
          "contact: {{friction: 0, distance: 1.0e-3}}\n"
          "probes:\n"
          "  - {{name: at, body: block, quantity: mean_position}}\n"
          "  - {{name: speed, body: block, quantity: mean_velocity}}\n"
          "  - {{name: push, quantity: contact_force, bodies: [block, ball]}}\n",
          GetParam()),
      "scene.yaml"));
  const double mass = 1000 * 0.04 * 0.04 * 0.04;
  double nearest = 10, farthest = 0, worst_force = 0;
  block.run([&] {
    if (block.simulation().state().time < 0.15) return;  // it settles; at 44° it would leave the sphere
    const Vec3 at(block.value("at.x"), block.value("at.y"), block.value("at.z"));
    const Vec3 speed(block.value("speed.x"), block.value("speed.y"), block.value("speed.z"));
    const Vec3 push(block.value("push.x"), block.value("push.y"), block.value("push.z"));
    nearest = std::min(nearest, at.norm());
    farthest = std::max(farthest, at.norm());
    const double theory = mass * (kGravity * at.y() / at.norm() - speed.squaredNorm() / at.norm());
    worst_force = std::max(worst_force, std::abs(push.norm() - theory) / (mass * kGravity));
  });
  expect_clean(block);
  record("radius, farthest - nearest", farthest - nearest);
  record("force - theory, of the weight", worst_force);
  if (std::string(GetParam()) == "analytic") {
    EXPECT_LT(farthest - nearest, 1e-4);
    EXPECT_LT(worst_force, 0.05);
  } else {
    EXPECT_GT(farthest - nearest, 1e-3);
  }
}
INSTANTIATE_TEST_SUITE_P(Contact, SlideOverSphere, ::testing::Values("analytic", "mesh"),
                         [](const auto& tested) { return std::string(tested.param); });

// A sheet lies on a sphere and over a capsule, and presses on them by its weight; no intersection with what is drawn.
TEST(Contact, ASheetRestsOnRoundObstacles) {
  SceneCase sheet(parse_scene(
      "pliant: 1\n"
      "title: Sheet on round obstacles\n"
      "time: {step: 0.02, end: 1.6}\n"
      "drag: 2\n"
      "materials: {cloth: {model: st_venant_kirchhoff, thickness: 1.0e-3, surface_density: 0.3, young: 2.0e5, poisson: "
      "0.3, bending: {stiffness: 1.0e-4}}}\n"
      "bodies:\n"
      "  - {name: sheet, kind: cloth, mesh: {grid: {size: [1, 0.6], cells: [20, 12]}}, material: cloth, position: "
      "[0, 0.21, 0], rotation: {axis: [0, 1, 0], degrees: 10}}\n"
      "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.2}}, position: [-0.25, 0, 0], contact: {shape: "
      "analytic}}\n"
      "  - {name: bar, kind: obstacle, mesh: {capsule: {radius: 0.2, height: 0.8}}, rotation: {axis: [1, 0, 0], "
      "degrees: "
      "90}, position: [0.25, 0, 0], contact: {shape: analytic}}\n"
      "contact: {friction: 0.6, distance: 2.0e-3}\n"
      "probes:\n"
      "  - {name: ball, quantity: contact_force, bodies: [sheet, ball]}\n"
      "  - {name: bar, quantity: contact_force, bodies: [sheet, bar]}\n"
      "  - {name: energy, quantity: energy}\n",
      "scene.yaml"));
  sheet.run([&] { expect_clean(sheet); });
  const double weight = 0.3 * 0.6 * kGravity;
  record("force / weight", (sheet.value("ball.y") + sheet.value("bar.y")) / weight);
  record("of it on the ball", sheet.value("ball.y") / weight);
  EXPECT_NEAR(sheet.value("ball.y") + sheet.value("bar.y"), weight, 0.005 * weight);
  EXPECT_GT(sheet.value("ball.y"), 0.1 * weight);
  EXPECT_NEAR(sheet.value("ball.x") + sheet.value("bar.x"), 0, 0.005 * weight);
}

}  // namespace
}  // namespace pliant::validation::contact_test
