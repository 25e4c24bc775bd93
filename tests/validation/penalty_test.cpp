// Penalty contact under quasi_newton against theory: momentum, no glue; one factorisation; the same bits for any number of threads and after a resume; no intersection where steps are limited.
#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "pliant/parallel/parallel.h"
#include "pliant/scene/verification.h"
#include "tests/validation/slope_case.h"

namespace pliant::validation::penalty_test {
namespace {

std::vector<std::string> on_slope(double angle, std::vector<std::string> more) {
  more.insert(more.begin(), {tilted(angle), "solver.method=quasi_newton"});
  return more;
}

int factor_count(SceneCase& scene) {
  return dynamic_cast<const solver::QuasiNewton&>(*scene.simulation().solver()).factor_count();
}

// Two free blocks that collide, as in contact_test.cpp, solved to a tolerance.
std::string collision(const std::string& penalty, const std::string& iterations = "null",
                      const std::string& tolerance = "1.0e-9") {
  return "pliant: 1\n"
         "title: Two blocks collide\n"
         "time: {step: 0.002, end: 0.4}\n"
         "gravity: [0, 0, 0]\n"
         "solver: {method: quasi_newton, tolerance: " +
         tolerance + ", max_iterations: 2000, quasi_newton: {iterations: " + iterations +
         "}}\n"
         "materials: {soft: {model: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
         "bodies:\n"
         "  - {name: a, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}, material: soft, velocity: [1, 0, 0]}\n"
         "  - {name: b, mesh: {box: {size: [0.12, 0.2, 0.1], cells: [2, 3, 2]}}, material: soft, position: [0.2, 0.04, "
         "0.01], velocity: [-0.5, 0.1, 0], rotation: {axis: [1, 1, 0], degrees: 30}}\n"
         "contact: {friction: 0.4, distance: 2.0e-3" +
         penalty +
         "}\n"
         "probes: [{name: contacts, quantity: contacts}, {name: energy, quantity: energy}]\n";
}

Vec3 momentum_of(SceneCase& scene) {
  const State& s = scene.simulation().state();
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < s.positions.size(); ++i)
    sum += scene.simulation().model().inertia.masses()[i] * Vec3(s.velocities[i]);
  return sum;
}

// Springs push both bodies alike: momentum errs by what a step's residual leaves. Some steps do not converge, and err more.
TEST(Penalty, CollidingBodiesKeepTheirMomentum) {
  SceneCase both(parse_scene(collision("", "null", "1.0e-11"), "scene.yaml"));
  const Vec3 before = momentum_of(both);
  double most = 0, worst = 0;
  int converged = 0;
  Vec3 last = before;
  for (int i = 1; i <= 200; ++i) {
    const AdvanceReport report = both.simulation().advance(0.002);
    ASSERT_TRUE(report.reached);
    most = std::max(most, both.value("contacts.count"));
    const Vec3 now = momentum_of(both);
    if (report.steps.back().solve.status == solver::SolveStatus::converged) {
      worst = std::max(worst, (now - last).norm() / before.norm());
      ++converged;
    }
    last = now;
  }
  record("steps that converged, of 200", converged);
  record("change in one of them", worst);
  EXPECT_GT(converged, 100);
  EXPECT_LT(worst, 1e-11);
  EXPECT_GT(most, 3);
  const double change = (momentum_of(both) - before).norm() / before.norm();
  record("change of momentum", change);
  EXPECT_LT(change, 1e-7);
  EXPECT_EQ(factor_count(both), 1);
}

// A block that is thrown up from the floor leaves it at the speed that it has: nothing holds it back. By both readings of
// when a term ends.
TEST(Penalty, DoesNotGlue) {
  for (const char* const release : {"open", "separating"}) {
    SceneCase block("block_on_slope.yaml",
                    on_slope(0, {"time.end=0.12", std::string("contact.penalty.release=") + release,
                                 "bodies.block.velocity=[0, 1, 0]", "solver.quasi_newton.iterations=20"}));
    block.run();
    record(std::string("speed / free flight, ") + release, block.value("speed.y") / (1 - 0.12 * kGravity));
    EXPECT_GT(block.value("speed.y"), 1 - 0.12 * kGravity - 1e-3);
    EXPECT_EQ(block.value("push.y"), 0);
  }
}

// Why terms last until their gap is open: ended by the letter, as pairs separate, they leave a resting block restless.
TEST(Penalty, TermsThatEndBySeparationLeaveABlockRestless) {
  double speed[2] = {0, 0};
  int index = 0;
  for (const char* const release : {"open", "separating"}) {
    SceneCase block("block_on_slope.yaml", on_slope(0, {"time.end=1", std::string("contact.penalty.release=") + release,
                                                        "solver.quasi_newton.iterations=20"}));
    double fastest = 0;
    block.run([&] {
      if (block.simulation().state().time > 0.5) fastest = std::max(fastest, std::abs(block.value("speed.y")));
    });
    record(std::string("speed at rest, ") + release, fastest);
    speed[index++] = fastest;
  }
  EXPECT_LT(speed[0], 1e-6);
  EXPECT_GT(speed[1], 10 * speed[0]);
}

TEST(Penalty, ThreadsDoNotChangeABit) {
  std::uint64_t hashes[2];
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    SceneCase both(parse_scene(collision(""), "scene.yaml"));
    for (int i = 1; i <= 80; ++i) ASSERT_TRUE(both.simulation().advance(0.002).reached);
    hashes[threads - 1] = hash(both.simulation().state());
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

// A run that is taken up from a state has the bits of one that was not interrupted.
TEST(Penalty, ResumesWithTheSameBits) {
  const Scene scene = read_case("block_on_slope.yaml", on_slope(0.3, {"contact.friction=0.5"}));
  BuiltScene first = build(scene), second = build(scene);
  Simulation whole(std::move(first.model), std::move(first.state), first.options);
  State half;
  for (int i = 1; i <= 40; ++i) {
    ASSERT_TRUE(whole.advance(0.01, 0.01 * i, [] {}).reached);
    if (i == 20) half = whole.state();
  }
  EXPECT_FALSE(half.stick.keys.empty());
  Simulation resumed(std::move(second.model), half, second.options);
  for (int i = 21; i <= 40; ++i) ASSERT_TRUE(resumed.advance(0.01, 0.01 * i, [] {}).reached);
  EXPECT_EQ(hash(whole.state()), hash(resumed.state()));
}

// The brush of [Liu2018, B4]: two hundred chains, one factorisation, nothing that is not finite; how deep they sink is counted.
TEST(Penalty, ABallIsDrawnThroughABrushOfSprings) {
  SceneCase brush("brush_of_springs.yaml", {});
  double deepest = 0, most_drag = 0;
  int penetrations = 0, most = 0;
  brush.run([&] {
    const Vec3 ball(0.3 - 0.3 * brush.simulation().state().time, 0.1, 0);
    int inside = 0;
    for (int i = 0; i < brush.simulation().state().positions.size(); ++i) {
      const Vec3 place = brush.simulation().state().positions[i];
      ASSERT_TRUE(place.allFinite());
      inside += (place - ball).norm() < 0.1;
      deepest = std::max(deepest, 0.1 - (place - ball).norm());
    }
    penetrations += inside;
    most = std::max(most, inside);
    most_drag = std::max(most_drag, std::abs(brush.value("drag.x")));
  });
  record("vertices inside, over all steps", penetrations);
  record("vertices inside, most in a step", most);
  record("deepest", deepest);
  record("most drag", most_drag);
  record("drag at the end", brush.value("drag.x"));
  EXPECT_EQ(factor_count(brush), 1);
  EXPECT_GT(most_drag, 0.02);
  EXPECT_LT(std::abs(brush.value("drag.x")), 1e-6);  // it has passed
  EXPECT_LT(deepest, 0.01);
}

// A sheet that falls on its edge folds onto itself, and a bar sweeps through the folds: with limited steps every state is clean.
TEST(Penalty, LimitedStepsKeepClothFromItselfAndFromWhatMoves) {
  SceneCase sheet(parse_scene(
      "pliant: 1\n"
      "title: A sheet on its edge\n"
      "time: {step: 0.01, end: 0.9}\n"
      "drag: 1\n"
      "solver: {method: quasi_newton, quasi_newton: {iterations: 20}}\n"
      "materials: {cotton: {model: st_venant_kirchhoff, young: 5.0e4, poisson: 0.3, thickness: 5.0e-4, "
      "surface_density: 0.2, bending: {stiffness: 1.0e-5}, damping: {stiffness_proportional: 0.005}}}\n"
      "bodies:\n"
      "  - {name: sheet, kind: cloth, mesh: {grid: {size: [0.1, 0.5], cells: [4, 20], pattern: alternating}}, "
      "material: "
      "cotton, position: [0, 0.26, 0], rotation: {axis: [1, 0, 0], degrees: 88}}\n"
      "  - {name: floor, kind: obstacle, mesh: {box: {size: [2, 0.1, 2], cells: [1, 1, 1]}}, position: [0, -0.05, 0]}\n"
      "  - {name: bar, kind: obstacle, mesh: {box: {size: [0.3, 0.04, 0.04], cells: [2, 1, 1]}}, position: [0, 0.03, "
      "-0.5], motion: {move: {velocity: [0, 0, 0.8]}}}\n"
      "contact: {friction: 0.3, distance: 3.0e-3, penalty: {step_limit: true}}\n",
      "scene.yaml"));
  const Simulation& s = sheet.simulation();
  int with_itself = 0, with_bar = 0;
  for (int i = 1; i <= 90; ++i) {
    ASSERT_TRUE(sheet.simulation().advance(0.01).reached) << i;
    ASSERT_TRUE(scene::judge_state(s.model(), s.state().positions, s.state().time).is_clean()) << s.state().time;
    for (const contact::ContactForce& f : s.contact_forces()) {
      with_itself += f.first_body == 0 && f.second_body == 0;
      with_bar += f.first_body == 2 || f.second_body == 2;
    }
  }
  record("contacts with itself", with_itself);
  record("contacts with the bar", with_bar);
  EXPECT_GT(with_itself, 100);
  EXPECT_GT(with_bar, 100);
}

// With limited steps no accepted state intersects, whatever the budget.
TEST(Penalty, LimitedStepsNeverIntersect) {
  SceneCase both(parse_scene(collision(", penalty: {step_limit: true}", "20"), "scene.yaml"));
  double most = 0;
  for (int i = 1; i <= 120; ++i) {
    ASSERT_TRUE(both.simulation().advance(0.002).reached);
    const Simulation& s = both.simulation();
    ASSERT_TRUE(scene::judge_state(s.model(), s.state().positions, s.state().time).is_clean()) << s.state().time;
    most = std::max(most, both.value("contacts.count"));
  }
  EXPECT_GT(most, 3);
}

}  // namespace
}  // namespace pliant::validation::penalty_test
