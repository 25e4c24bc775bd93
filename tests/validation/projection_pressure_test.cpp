// Light closed cloth under pressure, solved by projection: its size against theory and newton, for budgets, steps, masses and
// shapes; momentum in free flight, energy at rest, what bears a box, the same bits for any number of threads and from a state
// that was kept. [validation/projection.md, pressure]
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/validation/motion_measures.h"
#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_pressure_test {
namespace {

constexpr double kPressure = 500, kTension = 500, kPoisson = 0.3, kRadius = 0.2;  // Pa, N/m, 1, m

struct Balloon {
  std::string mesh = "{sphere: {radius: 0.2, subdivisions: 3}}";
  double density = 0.1, step = 0.01, end = 0.3;  // kg/m², s, s
  std::string iterations = "30", iteration = "gauss_seidel", method = "projection";
  std::string body = "";  // more keys
  std::string more = "";  // more lines
  std::string gravity = "[0, 0, 0]";
};

Scene scene_of(const Balloon& b) {
  const ProjectionRun run{.step = b.step,
                          .end = b.end,
                          .iterations = b.iterations,
                          .gravity = b.gravity,
                          .contact = b.more.empty() ? ", method: none" : ", distance: 4.0e-3",
                          .iteration = b.iteration};
  Scene scene = projection_scene(
      run,
      fmt::format("  - {{name: ball, kind: cloth, mesh: {}{}, material: {{model: st_venant_kirchhoff, young: {}, "
                  "poisson: {}, thickness: 1.0e-3, surface_density: {}, bending: {{stiffness: 1.0e-5}}}}}}\n{}"
                  "loads: [{{body: ball, where: {{all: true}}, pressure: {}}}]\n"
                  "probes:\n  - {{name: volume, body: ball, quantity: volume}}\n"
                  "  - {{name: energy, quantity: energy}}\n{}  - {{name: ball, body: ball, quantity: mean_velocity}}\n",
                  b.mesh, b.body, kTension / 1e-3, kPoisson, b.density, b.more, kPressure,
                  b.more.empty() ? "" : "  - {name: box, body: box, quantity: mean_position}\n"));
  if (b.method == "newton") scene.solver.method = scene::SolverMethod::newton;
  return scene;
}

double volume_at_end(const Balloon& b) {
  SceneCase run(scene_of(b));
  run.run();
  return run.value("volume");
}

// Green's strain (λ² − 1)/2 in both directions gives the tension T = Y t/(1 − ν) (λ² − 1)/2 per present length, and p λR/2 = T.
TEST(ProjectionPressure, ABalloonHasTheSizeOfTheory) {
  const double stiffness = kTension / (1 - kPoisson), half = kPressure * kRadius / (2 * stiffness);
  const double stretch = half + std::sqrt(half * half + 1);
  SceneCase run(scene_of({}));
  const double rest = run.value("volume");
  run.run();
  const double found = std::cbrt(run.value("volume") / rest), newton = volume_at_end({.method = "newton"});
  record("stretch of theory", stretch);
  record("found", found);
  record("volume / newton's", run.value("volume") / newton);
  EXPECT_NEAR(found, stretch, 0.004 * stretch);
  EXPECT_NEAR(run.value("volume"), newton, 0.012 * newton);
  EXPECT_LT(run.value("energy.kinetic"), 1e-6);
}

// Budgets below ten have fewer sweeps in every part of a step: larger, but never without bounds.
TEST(ProjectionPressure, ItStandsWithAnyBudget) {
  const double newton = volume_at_end({.method = "newton"});
  for (const auto& [iterations, error] :
       std::vector<std::pair<std::string, double>>{{"3", 0.06}, {"10", 0.012}, {"30", 0.012}, {"100", 0.012}}) {
    const double volume = volume_at_end({.iterations = iterations});
    record("volume / newton's with " + iterations, volume / newton);
    EXPECT_NEAR(volume, newton, error * newton) << iterations;
  }
}

TEST(ProjectionPressure, LongStepsAndOtherMasses) {
  const double newton = volume_at_end({.method = "newton"});
  for (const double density : {0.01, 0.03, 0.3, 1.0}) {
    const double volume = volume_at_end({.density = density, .step = 1.0 / 60});
    record(fmt::format("volume / newton's with {} kg/m2", density), volume / newton);
    EXPECT_NEAR(volume, newton, 0.012 * newton) << density;
  }
}

TEST(ProjectionPressure, OtherShapes) {
  for (const std::string mesh :
       {"{torus: {radius: 0.3, tube: 0.1, segments: 36}}", "{capsule: {radius: 0.1, height: 0.3, segments: 24}}"}) {
    const double newton = volume_at_end({.mesh = mesh, .method = "newton"});
    for (const std::string iterations : {"10", "30"}) {
      const double volume = volume_at_end({.mesh = mesh, .iterations = iterations});
      record("volume / newton's of " + mesh, volume / newton);
      EXPECT_NEAR(volume, newton, 0.02 * newton) << mesh << iterations;
    }
  }
}

// improved_jacobi and accelerated_jacobi go on with their own momentum instead, and are softer with ten sweeps in a part.
TEST(ProjectionPressure, AllIterationsBlowItUp) {
  const double newton = volume_at_end({.method = "newton"});
  for (const auto& [iteration, error] : std::vector<std::pair<std::string, double>>{{"sor", 0.012},
                                                                                    {"jacobi", 0.012},
                                                                                    {"improved_jacobi", 0.15},
                                                                                    {"accelerated_jacobi", 0.15},
                                                                                    {"conjugate_residual", 0.012},
                                                                                    {"minres", 0.012}}) {
    const double volume = volume_at_end({.iteration = iteration});
    record("volume / newton's with " + iteration, volume / newton);
    EXPECT_NEAR(volume, newton, error * newton) << iteration;
  }
}

// It flies and spins while it is blown up: linear momentum to rounding, angular momentum as far as backward Euler keeps it.
TEST(ProjectionPressure, FreeFlightKeepsMomentum) {
  SceneCase run(scene_of({.body = ", velocity: [1, 2, 0.5], angular_velocity: [0, 200, 60]"}));
  // m/s and kg m²/s, about the centre
  const auto measure = [&] {
    const State& s = run.simulation().state();
    const std::span<const double> masses = run.simulation().model().inertia.masses();
    Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
    double mass = 0;
    for (int b = 0; b < s.positions.size(); ++b) {
      centre += masses[b] * s.positions[b];
      velocity += masses[b] * s.velocities[b];
      mass += masses[b];
    }
    for (int b = 0; b < s.positions.size(); ++b)
      spin += masses[b] * Vec3(s.positions[b] - centre / mass).cross(Vec3(s.velocities[b]));
    return std::pair{Vec3(velocity / mass), spin};
  };
  const auto [velocity, before] = measure();
  run.run();
  const auto [velocity_after, after] = measure();
  record("change of velocity", (velocity_after - velocity).norm());
  record("change of angular momentum", (after - before).norm() / before.norm());
  EXPECT_LT((velocity_after - velocity).norm(), 1e-10);
  EXPECT_LT((after - before).norm(), 0.003 * before.norm());
}

// A bar that swings on it by a joint takes it along: what turns the one turns the other back, as far as backward Euler keeps it
// (newton loses 0.025).
TEST(ProjectionPressure, JointsKeepMomentum) {
  const std::string more =
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.2, 0.02, 0.02]}}, material: {density: 500}, position: [0.3, "
      "0, "
      "0], velocity: [0, 0, 2]}\n"
      "joints: [{name: hook, type: ball, bodies: [box, ball], at: [0.2, 0, 0]}]\n";
  SceneCase run(scene_of({.more = more}));
  // kg m²/s about the origin; axes of rigid bodies stand for what turns about their centres.
  const auto angular_momentum = [&] {
    const State& s = run.simulation().state();
    const BlockVector p = momenta(run.simulation());
    Vec3 sum = Vec3::Zero();
    for (int b = 0; b < p.size(); ++b) sum += Vec3(s.positions[b]).cross(Vec3(p[b]));
    return sum;
  };
  const auto linear_momentum = [&] {
    const BlockVector p = momenta(run.simulation());
    Vec3 sum = Vec3::Zero();
    for (int b = 0; b < p.size(); ++b) {
      if (run.simulation().model().layout.kind(b) != BlockKind::rigid_axis) sum += p[b];
    }
    return sum;
  };
  const Vec3 before = angular_momentum(), push = linear_momentum();
  run.run();
  const double change = (angular_momentum() - before).norm() / before.norm();
  record("change of angular momentum", change);
  record("change of momentum", (linear_momentum() - push).norm() / push.norm());
  EXPECT_LT(change, 0.006);
  EXPECT_LT((linear_momentum() - push).norm(), 1e-9 * push.norm());
}

// Nothing is gained: pressure's work is all there is, and once at rest it stays so, turning neither.
TEST(ProjectionPressure, ItStaysAtRest) {
  SceneCase run(scene_of({.end = 3}));
  double most = 0, volume = 0;
  run.run([&] {
    if (run.simulation().state().time < 0.3) return;
    if (volume == 0) volume = run.value("volume");
    most = std::max(most, run.value("energy.kinetic"));
    EXPECT_NEAR(run.value("volume"), volume, 1e-6 * volume);
  });
  record("largest kinetic energy at rest", most);
  EXPECT_LT(most, 1e-8);
}

// A plate of 2 kg falls on a balloon on the floor, and is thrown back from where it is with newton.
TEST(ProjectionPressure, ABalloonBearsABox) {
  const std::string more =
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.5, 0.02, 0.5]}}, material: {density: 400}, position: [0, "
      "0.27, 0]}\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -0.24, 0]}\n";
  double lowest[2] = {1, 1};
  for (const bool is_newton : {false, true}) {
    SceneCase run(scene_of(
        {.end = 0.5, .method = is_newton ? "newton" : "projection", .more = more, .gravity = "[0, -9.81, 0]"}));
    run.run([&] { lowest[is_newton] = std::min(lowest[is_newton], run.value("box.y")); });
    record(is_newton ? "lowest place of the box, newton" : "lowest place of the box", lowest[is_newton]);
  }
  EXPECT_NEAR(lowest[0], lowest[1], 0.02);
}

TEST(ProjectionPressure, SameBitsForAnyNumberOfThreadsAndFromAStateThatWasKept) {
  for (const std::string iteration : {"gauss_seidel", "conjugate_residual"}) {
    State reference, middle;
    for (const int threads : {1, 2, 3, 8}) {
      set_thread_count(threads);
      SceneCase run(scene_of({.end = 0.05, .iteration = iteration}));
      run.run([&] {
        if (threads == 1 && run.simulation().state().time < 0.035) middle = run.simulation().state();
      });
      if (threads == 1) reference = run.simulation().state();
      EXPECT_TRUE(run.simulation().state() == reference) << iteration << ", " << threads;
    }
    set_thread_count(0);
    SceneCase resumed(scene_of({.end = 0.05, .iteration = iteration}));
    resumed.simulation().restore(middle);
    for (const double time : {0.04, 0.05}) EXPECT_TRUE(resumed.simulation().advance(0.01, time, [] {}).reached);
    EXPECT_TRUE(resumed.simulation().state() == reference) << iteration;
  }
}

}  // namespace
}  // namespace pliant::validation::projection_pressure_test
