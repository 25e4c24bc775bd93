// The constant matrix of quasi_newton changes how a step is solved, not what comes out: the minimum of Newton for every
// material; the same bits for any number of threads and after a resume; one factor per run.
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
Scene scene_of(const Stuff& stuff) {
  const std::string kind = stuff.kind;
  const char* mesh = kind == "solid" ? "{box: {size: [0.3, 0.1, 0.1], cells: [4, 2, 2]}}"
                     : kind == "rod" ? "{strand: {length: 0.3, segments: 8}}"
                                     : "{grid: {size: [0.3, 0.3], cells: [4, 4]}}";
  return parse_scene(
      fmt::format(
          "pliant: 1\n"
          "time: {{end: 1, step: 0.01}}\n"
          "materials:\n  stuff: {{{}}}\n"
          "bodies:\n  - {{name: thing, kind: {}, mesh: {}, material: stuff, velocity: [0.3, 0.2, -0.1], "
          "angular_velocity: [1, 2, 3]}}\n"
          "pins: [{{body: thing, where: {{vertices: [0, 1]}}, motion: {{move: {{velocity: [0, 0.1, 0.2]}}}}}}]\n",
          stuff.material, kind, mesh),
      "scene.yaml");
}

class SameMinimum : public ::testing::TestWithParam<Stuff> {};

TEST_P(SameMinimum, AsNewton) {
  BuiltScene built = build(scene_of(GetParam()));
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
  fmt::print("  {}: {} iterations, relative difference {:.1e}\n", GetParam().name, ours.solve.iterations,
             std::sqrt(difference / motion));
  EXPECT_LT(std::sqrt(difference / motion), 1e-6);
}

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
