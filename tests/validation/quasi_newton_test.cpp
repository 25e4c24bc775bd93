// The constant matrix of quasi_newton changes how a step is solved, not what comes out: the minimum of Newton for every
// material and integrator, ten iterations lower than one of Newton; the same bits for any number of threads and after a
// resume; one factor per run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>

#include "pliant/dynamics/simulation.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"

namespace pliant::validation::quasi_newton_test {
namespace {

struct Stuff {
  const char *name, *kind, *material;
};
std::ostream& operator<<(std::ostream& out, const Stuff& stuff) { return out << stuff.name; }

// A body held at one end that has begun to fall and to turn.
Scene scene_of(const Stuff& stuff, const std::string& integrator = "backward_euler") {
  const std::string kind = stuff.kind;
  const char* mesh = kind == "solid" ? "{box: {size: [0.3, 0.1, 0.1], cells: [4, 2, 2]}}"
                     : kind == "rod" ? "{strand: {length: 0.3, segments: 8}}"
                                     : "{grid: {size: [0.3, 0.3], cells: [4, 4]}}";
  return parse_scene(
      fmt::format(
          "pliant: 1\n"
          "time: {{end: 1, step: 0.01, integrator: {}}}\n"
          "materials:\n  stuff: {{{}}}\n"
          "bodies:\n  - {{name: thing, kind: {}, mesh: {}, material: stuff, velocity: [0.3, 0.2, -0.1], "
          "angular_velocity: [1, 2, 3]}}\n"
          "pins: [{{body: thing, where: {{vertices: [0, 1]}}, motion: {{move: {{velocity: [0, 0.1, 0.2]}}}}}}]\n",
          integrator, stuff.material, kind, mesh),
      "scene.yaml");
}

// Both methods on the sixth step, each to a tight tolerance.
void expect_same_minimum(const Scene& scene, const std::string& what) {
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(simulation.advance(0.01).reached);
  solver::Newton newton({.tolerance = 1e-10});
  solver::QuasiNewton quasi({.history = 5, .iterations = {}, .tolerance = 1e-9, .max_iterations = 20000});
  const StepTrial exact = simulation.try_step(0.01, newton), ours = simulation.try_step(0.01, quasi);
  EXPECT_TRUE(is_success(exact.solve.status)) << to_string(exact.solve.status);
  EXPECT_TRUE(is_success(ours.solve.status)) << to_string(ours.solve.status);
  double difference = 0, motion = 0;
  for (int i = 0; i < exact.positions.size(); ++i) {
    difference += (ours.positions[i] - exact.positions[i]).squaredNorm();
    motion += (exact.positions[i] - simulation.state().positions[i]).squaredNorm();
  }
  fmt::print("  {}: {} iterations, relative difference {:.1e}\n", what, ours.solve.iterations,
             std::sqrt(difference / motion));
  EXPECT_LT(std::sqrt(difference / motion), 1e-6) << what;
}

class SameMinimum : public ::testing::TestWithParam<Stuff> {};

TEST_P(SameMinimum, AsNewton) { expect_same_minimum(scene_of(GetParam()), GetParam().name); }

INSTANTIATE_TEST_SUITE_P(
    Materials, SameMinimum,
    ::testing::Values(
        Stuff{"neo_hookean", "solid", "model: neo_hookean, young: 3.0e4, poisson: 0.35"},
        Stuff{"stable_neo_hookean", "solid", "model: stable_neo_hookean, young: 3.0e4, poisson: 0.35"},
        Stuff{"corotated", "solid", "model: corotated, young: 3.0e4, poisson: 0.35"},
        Stuff{"st_venant_kirchhoff", "solid", "model: st_venant_kirchhoff, young: 3.0e4, poisson: 0.35"},
        Stuff{"linear", "solid", "model: linear, young: 3.0e4, poisson: 0.35"},
        Stuff{"arap", "solid", "model: arap, stiffness: 3.0e4"},
        Stuff{"mooney_rivlin", "solid", "model: mooney_rivlin, c1: 4.0e3, c2: 1.0e3, bulk: 5.0e4"},
        Stuff{"polynomial", "solid", "model: polynomial, mu: 3.0e6"},
        Stuff{"spline", "solid", "model: spline, a: [[0.5, -2.0e4], [0.8, -5.0e3], [1, 0], [1.2, 4.0e3], [2, 3.0e4]]"},
        Stuff{"fibre", "solid",
              "model: corotated, young: 3.0e4, poisson: 0.35, fibre: {direction: [1, 1, 0], stiffness: 3.0e4}"},
        Stuff{"strain_limit", "solid",
              "model: corotated, young: 3.0e4, poisson: 0.35, strain_limit: {min: 0.98, max: 1.02, stiffness: 2.0e5}"},
        Stuff{"volume", "solid", "model: corotated, young: 3.0e4, poisson: 0.35, volume: {stiffness: 2.0e5}"},
        Stuff{
            "all_terms", "solid",
            "model: stable_neo_hookean, young: 3.0e4, poisson: 0.35, volume: {stiffness: 1.0e5}, fibre: {stiffness: "
            "1.0e4}, strain_limit: {min: 0.98, max: 1.02, stiffness: 1.0e5}, damping: {stiffness_proportional: 0.01}"},
        Stuff{"woven", "cloth",
              "model: orthotropic_st_venant_kirchhoff, density: 300, thickness: 1.0e-3, young_warp: 1.0e5, young_weft: "
              "5.0e4, shear: 2.0e4, poisson: 0.2"},
        Stuff{"membrane_st_venant_kirchhoff", "cloth",
              "model: st_venant_kirchhoff, density: 300, thickness: 1.0e-3, young: 1.0e5, poisson: 0.3, bending: "
              "{model: hinge_angle}"},
        Stuff{"membrane_neo_hookean", "cloth",
              "model: neo_hookean, density: 300, thickness: 1.0e-3, young: 1.0e5, poisson: 0.3, bending: {model: "
              "willmore}"},
        Stuff{
            "membrane_corotated", "cloth",
            "model: corotated, density: 300, thickness: 1.0e-3, young: 1.0e5, poisson: 0.3, bending: {model: bridson}, "
            "strain_limit: {min: 0.98, max: 1.01, stiffness: 1.0e6}"},
        Stuff{"springs", "springs",
              "model: springs, stretch_stiffness: 50, shear_stiffness: 20, bend_stiffness: 5, surface_density: 0.3"},
        Stuff{"rod", "rod",
              "model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {circle: 4.0e-3}"}),
    [](const auto& test) { return std::string(test.param.name); });

// Whole runs by either method: every step has the history that its own solver left.
class SameMotion : public ::testing::TestWithParam<const char*> {};

TEST_P(SameMotion, WithEveryIntegrator) {
  const Stuff bodies[] = {
      {"viscous solid", "solid",
       "model: corotated, young: 3.0e4, poisson: 0.35, damping: {stiffness_proportional: 0.01}"},
      {"neo_hookean", "solid", "model: neo_hookean, young: 3.0e4, poisson: 0.35"},
      {"cloth", "cloth",
       "model: st_venant_kirchhoff, density: 300, thickness: 1.0e-3, young: 1.0e5, poisson: 0.3, bending: {model: "
       "hinge_angle}"},
      {"rod", "rod", "model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {circle: 4.0e-3}"},
      {"springs", "springs",
       "model: springs, stretch_stiffness: 50, shear_stiffness: 20, bend_stiffness: 5, surface_density: 0.3"}};
  for (const Stuff& stuff : bodies) {
    const Scene scene = scene_of(stuff, GetParam());
    expect_same_minimum(scene, fmt::format("{}, {}", stuff.name, GetParam()));
    std::vector<BlockVector> ends;
    double motion = 0;
    for (const StepMethod method : {StepMethod::newton, StepMethod::quasi_newton}) {
      BuiltScene built = build(scene);
      built.options.method = method;
      built.options.newton.tolerance = 1e-10;
      built.options.quasi_newton.iterations.reset();
      built.options.quasi_newton.tolerance = 1e-9;
      built.options.quasi_newton.max_iterations = 20000;
      const BlockVector start = built.state.positions;
      Simulation simulation(std::move(built.model), std::move(built.state), built.options);
      for (int k = 0; k < 10; ++k) {
        const AdvanceReport report = simulation.advance(0.01);
        ASSERT_TRUE(report.reached);
        EXPECT_TRUE(is_success(report.steps.front().solve.status)) << stuff.name << ' ' << k;
      }
      ends.push_back(simulation.state().positions);
      motion = 0;
      for (int i = 0; i < start.size(); ++i) motion += (ends.back()[i] - start[i]).squaredNorm();
    }
    double difference = 0;
    for (int i = 0; i < ends[0].size(); ++i) difference += (ends[1][i] - ends[0][i]).squaredNorm();
    EXPECT_LT(std::sqrt(difference / motion), 1e-6) << stuff.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, SameMotion,
                         ::testing::Values("backward_euler", "bdf2", "implicit_midpoint", "newmark"),
                         [](const auto& test) { return std::string(test.param); });

// --- Ten iterations against one of Newton ---

// The gallery's block, 4 × 1 × 1 with mass 10, μ = 20, λ = 100 (any consistent units), both ends attached, on steps of
// 1/30 s in the middle of two motions.
const Stuff kGallery[] = {
    {"corotated", "solid", "model: corotated, density: 2.5, young: 56.667, poisson: 0.41667"},
    {"neo_hookean", "solid", "model: neo_hookean, density: 2.5, young: 56.667, poisson: 0.41667"},
    {"st_venant_kirchhoff", "solid", "model: st_venant_kirchhoff, density: 2.5, young: 56.667, poisson: 0.41667"},
    {"polynomial", "solid", "model: polynomial, density: 2.5, mu: 20"},
    {"spline_stiff_in_compression", "solid",
     "model: spline, density: 2.5, a: [[0.2, -128], [0.6, -64], [1, 0], [1.4, 16], [2, 40]], c: [[0.2, -80], [0.6, "
     "-40], [1, 0], [1.4, 40], [2, 100]]"},
    {"spline_stiff_in_tension", "solid",
     "model: spline, density: 2.5, a: [[0.2, -32], [0.6, -16], [1, 0], [1.4, 64], [2, 160]], c: [[0.2, -80], [0.6, "
     "-40], [1, 0], [1.4, 40], [2, 100]]"}};

class TenIterations : public ::testing::TestWithParam<Stuff> {};

TEST_P(TenIterations, EndLowerThanOneOfNewton) {
  const std::pair<const char*, std::string> motions[] = {
      {"wrung", "{{rotate: {{axis: [1, 0, 0], degrees_per_second: {}180}}}}"},
      {"pulled", "{{move: {{velocity: [{}1, 0, 0]}}}}"},
  };
  for (const auto& [motion, script] : motions) {
    const Scene scene = parse_scene(
        fmt::format("pliant: 1\ntime: {{end: 1, step: 0.03333333}}\ngravity: [0, 0, 0]\ncontact: {{method: none}}\n"
                    "solver: {{method: quasi_newton, quasi_newton: {{iterations: 10}}}}\n"
                    "materials:\n  stuff: {{{}}}\n"
                    "bodies: [{{name: bar, mesh: {{box: {{size: [4, 1, 1], cells: [12, 3, 3]}}}}, material: stuff}}]\n"
                    "pins:\n  - {{body: bar, where: {{box: {{min: [-9, -9, -9], max: [-1.99, 9, 9]}}}}, motion: {}}}\n"
                    "  - {{body: bar, where: {{box: {{min: [1.99, -9, -9], max: [9, 9, 9]}}}}, motion: {}}}\n",
                    GetParam().material, fmt::format(fmt::runtime(script), "-"), fmt::format(fmt::runtime(script), "")),
        "scene.yaml");
    BuiltScene built = build(scene);
    Simulation simulation(std::move(built.model), std::move(built.state), built.options);
    const double step = 1.0 / 30;
    for (int k = 1; k <= 15; ++k) {
      ASSERT_TRUE(simulation.advance(step).reached);
      if (k % 5 != 0) continue;
      solver::Newton newton({.iterations = 1});
      solver::QuasiNewton ten({.history = 5, .iterations = 10, .tolerance = 0});
      solver::QuasiNewton none({.history = 5, .iterations = 0, .tolerance = 0, .bounded = false});
      solver::QuasiNewton converged({.history = 5, .iterations = 500, .tolerance = 1e-9});
      const double start = simulation.try_step(step, none).objective,
                   least = simulation.try_step(step, converged).objective,
                   after_newton = simulation.try_step(step, newton).objective,
                   after_ten = simulation.try_step(step, ten).objective;
      fmt::print("  {}, {}, step {}: left {:.1e} of Newton, {:.1e} of ten\n", GetParam().name, motion, k,
                 (after_newton - least) / (start - least), (after_ten - least) / (start - least));
      EXPECT_LT(least, after_newton);
      EXPECT_LT(after_ten, after_newton) << motion << ' ' << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gallery, TenIterations, ::testing::ValuesIn(kGallery),
                         [](const auto& test) { return std::string(test.param.name); });

// --- Bits ---

// All kinds of body at once.
Scene mixed(const std::string& solver) {
  return parse_scene(
      "pliant: 1\n"
      "time: {end: 1, step: 0.0333}\n"
      "solver: {method: quasi_newton" +
          solver +
          "}\n"
          "materials:\n"
          "  jelly: {model: stable_neo_hookean, density: 1000, young: 2.0e4, poisson: 0.4, volume: {stiffness: 5.0e4}, "
          "strain_limit: {min: 0.9, max: 1.1, stiffness: 5.0e4}}\n"
          "  sheet: {model: st_venant_kirchhoff, density: 300, thickness: 1.0e-3, young: 1.0e5, poisson: 0.3}\n"
          "  wire: {model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {circle: 4.0e-3}}\n"
          "  net: {model: springs, stretch_stiffness: 50, shear_stiffness: 20, surface_density: 0.3}\n"
          "bodies:\n"
          "  - {name: block, mesh: {box: {size: [0.4, 0.2, 0.2], cells: [8, 5, 5]}}, material: jelly}\n"
          "  - {name: sheet, kind: cloth, mesh: {grid: {cells: [15, 15]}}, material: sheet, position: [0, 1, 0]}\n"
          "  - {name: wire, kind: rod, mesh: {strand: {length: 0.5, segments: 20}}, material: wire, position: [0, 2, "
          "0]}\n"
          "  - {name: net, kind: springs, mesh: {grid: {cells: [12, 12]}}, material: net, position: [0, 3, 0]}\n"
          "pins:\n"
          "  - {body: block, where: {box: {min: [-1, -1, -1], max: [-0.19, 1, 1]}}, motion: {rotate: {axis: [1, 0, 0], "
          "degrees_per_second: 90}}}\n"
          "  - {body: sheet, where: {vertices: [0, 15]}}\n"
          "  - {body: wire, where: {vertices: [0, 1]}}\n"
          "  - {body: net, where: {vertices: [0, 12]}, stiffness: 500, motion: {move: {velocity: [0.2, 0, 0]}}}\n",
      "scene.yaml");
}

std::uint64_t hash_after(const Scene& scene, int steps, const State* start = nullptr, State* end = nullptr) {
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), start != nullptr ? *start : std::move(built.state), built.options);
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(simulation.advance(0.0333).reached);
  if (end != nullptr) *end = simulation.state();
  return hash(simulation.state());
}

TEST(QuasiNewtonRuns, ThreadsDoNotChangeABit) {
  for (const char* solver : {"", ", quasi_newton: {then_newton: true, iterations: 3}"}) {
    const Scene scene = mixed(solver);
    set_thread_count(1);
    const std::uint64_t reference = hash_after(scene, 6);
    for (const int threads : {2, 3}) {
      set_thread_count(threads);
      EXPECT_EQ(hash_after(scene, 6), reference) << threads << solver;
    }
    set_thread_count(0);
  }
}

TEST(QuasiNewtonRuns, GoOnWithTheSameBits) {
  for (const char* solver : {"", ", quasi_newton: {history: 0}"}) {
    const Scene scene = mixed(solver);
    State half;
    static_cast<void>(hash_after(scene, 4, nullptr, &half));
    EXPECT_EQ(hash_after(scene, 4, &half), hash_after(scene, 8)) << solver;
  }
}

TEST(QuasiNewtonRuns, FactorOnceWhilePinsMove) {
  BuiltScene built = build(mixed(""));
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (int k = 0; k < 15; ++k) ASSERT_TRUE(simulation.advance(0.0333).reached);
  const auto* solver = dynamic_cast<const solver::QuasiNewton*>(simulation.solver());
  ASSERT_NE(solver, nullptr);
  EXPECT_EQ(solver->factor_count(), 1);
}

}  // namespace
}  // namespace pliant::validation::quasi_newton_test
