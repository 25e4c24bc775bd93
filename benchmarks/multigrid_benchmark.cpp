// Multigrid against block-Jacobi PCG and CHOLMOD on the same systems in one run, as ratios.
//
//   multigrid_benchmark                     sheets of 2 401 to 37 249 vertices (re-entrant: three quarters of that), bars
//                                           of 2 673 to 18 785, ablation of prefiltering
//   multigrid_benchmark --large             sheets of 58 081 to 231 361, bars of 35 721 to 198 505; CHOLMOD and PCG only
//                                           for the smallest of these
//   multigrid_benchmark --huge              the pinned sheet of a million vertices alone
//   multigrid_benchmark --convergence       norms of every iteration on sheets of 37 k vertices, for tools/plot_multigrid.py
//   multigrid_benchmark --cycle             a cycle against a loop that reads as many bytes, and against two threads
//   multigrid_benchmark --choice            what `linear: auto` chooses by: 1 k to 20 k vertices, Cholesky, multigrid, pcg
//   multigrid_benchmark --smoothers         also Chebyshev's polynomial
//   multigrid_benchmark --only=bar          systems whose names begin so: pinned, drooping, …, bar, ablation
//
// All solve to the same relative residual ‖b − A x‖ ≤ 10⁻⁵ ‖b‖, by tightening the tolerance of the iteration until the
// measured residual is there. One thread, processor time of the process, so that other programs on the machine count
// little; still, only ratios within one run mean something. One line of CSV per system on standard output:
//   build, refresh, solve   seconds of multigrid; iterations; energy_error = ‖x − x*‖_A / ‖x*‖_A against CHOLMOD
//   pcg, cholesky           seconds (factor includes no analysis), and the ratios
//     pcg_ratio    = pcg / (build + solve)
//     first_ratio  = (analyze + factor + solve of CHOLMOD) / (build + solve)
//     again_ratio  = (factor + solve of CHOLMOD) / (refresh + solve)
//     memory_ratio = (matrix and multigrid) / (matrix and pcg), in bytes
// The ablation on drop_horizontal gives iterations of four solvers to √(rᵀz) ≤ 10⁻⁵: block-Jacobi and multigrid, made of
// the unfiltered matrix with filtering inside the iteration, and of the prefiltered one [Tamstorf2016, fig. 11.8].
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "benchmarks/multigrid_measures.h"
#include "benchmarks/multigrid_systems.h"
#include "pliant/linear/cholesky.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using systems::Scene;
using systems::System;

constexpr double kResidual = 1e-5;

struct Measured {
  double build = 0, refresh = 0, solve = 0;
  int iterations = 0;
  std::size_t bytes = 0;
  BlockVector x;
};

// The tolerance at which the measured residual is small enough, and the time with it.
template <class Solver, class Settings>
Measured measure_iterative(const System& system, Settings settings, const std::function<void(Solver&)>& prepare) {
  Measured result;
  result.x.resize(system.positions.size());
  for (settings.tolerance = 1e-5; settings.tolerance > 1e-14; settings.tolerance *= 0.1) {
    Solver solver(settings);
    prepare(solver);
    LinearReport report;
    result.build = seconds_of([&] { (void)solver.factor(system.matrix); });
    result.solve = seconds_of([&] { report = solver.solve(system.right_side, result.x); });
    result.iterations = report.iterations;
    result.bytes = solver.memory_bytes();
    if (report.residual <= kResidual || report.status != LinearStatus::solved) break;
  }
  return result;
}

void measure_system(const System& system, SmootherKind smoother, bool with_others) {
  const int n = system.positions.size();
  MultigridSettings settings{.max_iterations = 2000};
  settings.hierarchy.smoother = smoother;
  const SystemGeometry geometry{&system.positions, nullptr, &system.filter};
  Measured multigrid =
      measure_iterative<MultigridCg>(system, settings, [&](MultigridCg& solver) { solver.begin_step(geometry); });
  Hierarchy hierarchy(settings.hierarchy);
  (void)hierarchy.build(system.matrix, geometry);
  multigrid.refresh = seconds_of([&] { (void)hierarchy.refresh(system.matrix, geometry); });
  std::printf("%s,%s,%d,%.4f,%.4f,%.4f,%d,%.2f,%d,%.1f", system.name.c_str(),
              smoother == SmootherKind::gauss_seidel ? "gauss_seidel" : "chebyshev", n, multigrid.build,
              multigrid.refresh, multigrid.solve, multigrid.iterations, hierarchy.operator_complexity(),
              hierarchy.level_count(), static_cast<double>(hierarchy.memory_bytes()) / n);
  if (with_others) {
    const Measured pcg = measure_iterative<Pcg>(system, PcgSettings{.max_iterations = 50000}, [](Pcg&) {});
    Cholesky direct;
    BlockVector exact(n), error(n), product(n);
    const double analyze = seconds_of([&] { direct.analyze(system.matrix.shared_pattern()); });
    const double factor = seconds_of([&] { (void)direct.factor(system.matrix); });
    const double solve = seconds_of([&] { (void)direct.solve(system.right_side, exact); });
    sparse::combine(error, 1, multigrid.x, -1, exact);
    system.matrix.multiply(error, product);
    const double of_error = sparse::dot(error, product);
    system.matrix.multiply(exact, product);
    const double matrix = 76.0 * system.matrix.pattern().slot_count();  // 9 doubles and a column per block
    std::printf(",%.1e,%.4f,%d,%.4f,%.4f,%.2f,%.2f,%.2f,%.2f", std::sqrt(of_error / sparse::dot(exact, product)),
                pcg.build + pcg.solve, pcg.iterations, analyze, factor + solve,
                (pcg.build + pcg.solve) / (multigrid.build + multigrid.solve),
                (analyze + factor + solve) / (multigrid.build + multigrid.solve),
                (factor + solve) / (multigrid.refresh + multigrid.solve),
                (matrix + static_cast<double>(multigrid.bytes)) / (matrix + static_cast<double>(pcg.bytes)));
  }
  std::printf("\n");
  std::fflush(stdout);
}

// --- Ablation of prefiltering ---

void ablate(int cells) {
  const System system = systems::make_sheet(Scene::drop_horizontal, cells, GridPattern::alternating);
  const auto jacobi_iterations = [&](const sparse::SymmetricBlockMatrix& matrix) {
    return filtered_iterations(system, jacobi_of(matrix));
  };
  const auto multigrid_iterations = [&](const sparse::SymmetricBlockMatrix& matrix, const BlockFilter* filter) {
    Hierarchy hierarchy;
    (void)hierarchy.build(matrix, {&system.positions, nullptr, filter});
    return filtered_iterations(system, [&](const BlockVector& r, BlockVector& z) { hierarchy.apply(r, z); });
  };
  std::printf("ablation,%d,%d,%d,%d,%d\n", system.positions.size(), jacobi_iterations(system.unfiltered),
              jacobi_iterations(system.matrix), multigrid_iterations(system.unfiltered, nullptr),
              multigrid_iterations(system.matrix, &system.filter));
  std::fflush(stdout);
}

// --- Convergence ---

void trace_convergence() {
  std::printf("convergence,system,solver,iteration,norm\n");
  for (const Scene scene : systems::kScenes) {
    const System system = systems::make_sheet(scene, 192, GridPattern::alternating);
    const auto trace = [&](const char* solver, const Preconditioner& precondition) {
      (void)filtered_iterations(system, precondition, [&](int k, double norm) {
        std::printf("convergence,%s,%s,%d,%.3e\n", system.name.c_str(), solver, k, norm);
      });
    };
    Hierarchy hierarchy;
    (void)hierarchy.build(system.matrix, {&system.positions, nullptr, &system.filter});
    trace("multigrid", [&](const BlockVector& r, BlockVector& z) { hierarchy.apply(r, z); });
    if (scene == Scene::pinned) trace("pcg", jacobi_of(system.matrix));
  }
}

// --- Cycles and threads ---

double wall_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Reads floats in four chains of sums, with the loops of the library: what memory gives to those who only read.
double read_all(const std::vector<float>& values) {
  return parallel_sum(static_cast<int>(values.size() / 8), [&](int begin, int end) {
    Float8 sums[4] = {};
    int k = begin;
    for (; k + 4 <= end; k += 4) {
      for (int c = 0; c < 4; ++c) sums[c] += load_floats<Float8>(values.data() + 8 * (static_cast<std::size_t>(k) + c));
    }
    const Float8 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return static_cast<double>(sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7]);
  });
}

double fastest(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

// The fastest of rounds in which everything takes its turn, on one thread (processor time) and on two (wall time).
void measure_cycle(const System& system, int rounds) {
  const SystemGeometry geometry{&system.positions, nullptr, &system.filter};
  MultigridCg solver({.tolerance = 1e-6, .max_iterations = 2000});
  BlockVector x(system.positions.size());
  double sink = 0;
  std::vector<double> read[2], cycle[2], build[2], refresh[2], solve[2];
  int iterations = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int threads = 1; threads <= 2; ++threads) {
      set_thread_count(threads);
      const auto time = [&](std::vector<double>& to, const std::function<void()>& work) {
        const double start = threads == 1 ? processor_seconds() : wall_seconds();
        work();
        to.push_back((threads == 1 ? processor_seconds() : wall_seconds()) - start);
      };
      const int k = threads - 1;
      Hierarchy hierarchy;
      time(build[k], [&] { (void)hierarchy.build(system.matrix, geometry); });
      time(refresh[k], [&] { (void)hierarchy.refresh(system.matrix, geometry); });
      std::vector<float> bytes(hierarchy.cycle_bytes() / sizeof(float), 1.0F);
      for (int turn = 0; turn < 5; ++turn) {
        for (int twice = 0; twice < 2; ++twice) {
          std::fill_n(hierarchy.right_side(), 4 * static_cast<std::size_t>(x.size()), 1.0F);
          time(cycle[k], [&] { hierarchy.run_cycle(); });
        }
        sink += read_all(bytes);
        time(read[k], [&] { sink += read_all(bytes); });
      }
      solver.begin_step(geometry);
      (void)solver.factor(system.matrix);
      time(solve[k], [&] { iterations = solver.solve(system.right_side, x).iterations; });
    }
  }
  set_thread_count(1);
  std::printf("cycle,%s,%d,%d,%.1f,%.2f", system.name.c_str(), x.size(), iterations,
              static_cast<double>(solver.hierarchy().cycle_bytes()) / 1e6, solver.hierarchy().operator_complexity());
  for (const int k : {0, 1})
    std::printf(",%.3f,%.3f,%.2f,%.2f,%.2f,%.2f", 1e3 * fastest(read[k]), 1e3 * fastest(cycle[k]),
                fastest(cycle[k]) / fastest(read[k]), 1e3 * fastest(build[k]), 1e3 * fastest(refresh[k]),
                1e3 * fastest(solve[k]));
  std::printf("%s\n", sink == 0 ? "!" : "");
  std::fflush(stdout);
}

void measure_cycles(const std::string& only) {
  std::printf(
      "cycle,system,vertices,iterations,megabytes,operator_complexity,read_ms,cycle_ms,cycle_over_read,build_ms,"
      "refresh_ms,solve_ms,two_read_ms,two_cycle_ms,two_cycle_over_read,two_build_ms,two_refresh_ms,two_solve_ms\n");
  for (const int side : {64, 128, 256, 512}) {
    if ("cloth" + std::to_string(side) == only || only.empty())
      measure_cycle(systems::make_sheet(Scene::cloth, side - 1, GridPattern::alternating), side > 256 ? 3 : 9);
  }
  for (const int cells : {16, 28}) {
    if ("bar" + std::to_string(cells) == only || only.empty())
      measure_cycle(systems::make_bar(cells, 0.3), cells > 16 ? 3 : 9);
  }
}

// --- What auto chooses by ---

// Medians of rounds in which all take turns, at the tolerance of scenes (10⁻⁸) and at a loose one of Newton with contact.
void measure_choice(const System& system, int rounds) {
  const int n = system.positions.size();
  const SystemGeometry geometry{&system.positions, nullptr, &system.filter};
  BlockVector x(n);
  std::vector<double> analyze, factor, build, refresh, tight, loose, pcg, pcg_loose;
  int iterations[4] = {};
  double operations = 0;
  const auto time = [](std::vector<double>& to, const std::function<void()>& work) { to.push_back(seconds_of(work)); };
  for (int round = 0; round < rounds; ++round) {
    Cholesky direct;
    time(analyze, [&] { direct.analyze(system.matrix.shared_pattern()); });
    operations = direct.factor_operations();
    time(factor, [&] {
      (void)direct.factor(system.matrix);
      (void)direct.solve(system.right_side, x);
    });
    MultigridCg multigrid({.tolerance = 1e-8, .max_iterations = 2000});
    multigrid.begin_step(geometry);
    (void)multigrid.factor(system.matrix);
    multigrid.begin_step(geometry);  // as in every step but the first: patterns are known
    time(build, [&] { (void)multigrid.factor(system.matrix); });
    time(tight, [&] { iterations[0] = multigrid.solve(system.right_side, x).iterations; });
    time(refresh, [&] { (void)multigrid.factor_values(system.matrix); });
    multigrid.set_tolerance(1e-2);
    time(loose, [&] { iterations[1] = multigrid.solve(system.right_side, x).iterations; });
    Pcg simple({.tolerance = 1e-8, .max_iterations = 20000});
    const auto solve_simply = [&](int& count) {
      (void)simple.factor(system.matrix);
      count = simple.solve(system.right_side, x).iterations;
    };
    time(pcg, [&] { solve_simply(iterations[2]); });
    simple.set_tolerance(1e-2);
    time(pcg_loose, [&] { solve_simply(iterations[3]); });
  }
  const auto ms = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return 1e3 * values[values.size() / 2];
  };
  std::printf("choice,%s,%d,%d,%.3g,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%d,%d,%d,%d\n", system.name.c_str(), n,
              system.matrix.pattern().slot_count(), operations, operations / system.matrix.pattern().slot_count(),
              ms(analyze), ms(factor), ms(build), ms(refresh), ms(tight), ms(loose), ms(pcg), ms(pcg_loose),
              iterations[0], iterations[1], iterations[2], iterations[3]);
  std::fflush(stdout);
}

void measure_choices(const std::string& only) {
  std::printf(
      "choice,system,vertices,blocks_stored,operations,operations_per_block,analyze_ms,cholesky_ms,build_ms,refresh_ms,"
      "solve_ms,loose_ms,pcg_ms,pcg_loose_ms,iterations,loose_iterations,pcg_iterations,pcg_loose_iterations\n");
  const auto is_wanted = [&only](const std::string& name) { return name.rfind(only, 0) == 0; };
  for (const Scene scene : {Scene::pinned, Scene::cloth, Scene::drop_horizontal, Scene::drop_vertical}) {
    for (const int cells : {32, 48, 72, 96, 144}) {
      if (scene == Scene::drop_vertical && cells % 48 != 0) continue;
      if (is_wanted(systems::name_of(scene)))
        measure_choice(systems::make_sheet(scene, cells, GridPattern::alternating), 5);
    }
  }
  for (const double poisson : {0.3, 0.45, 0.49}) {
    for (const int cells : {5, 7, 10, 13, 16}) {
      if (is_wanted("bar")) measure_choice(systems::make_bar(cells, poisson), 3);
    }
  }
}

struct Wishes {
  bool cycle = false, choice = false;
  bool large = false, huge = false, smoothers = false, convergence = false;
  std::string only;
};

void run(const Wishes& wishes) {
  const bool large = wishes.large;
  if (wishes.convergence) return trace_convergence();
  if (wishes.cycle) return measure_cycles(wishes.only);
  if (wishes.choice) return measure_choices(wishes.only);
  const auto is_wanted = [&wishes](const std::string& name) { return name.rfind(wishes.only, 0) == 0; };
  std::printf(
      "system,smoother,vertices,build,refresh,solve,iterations,operator_complexity,levels,bytes_per_vertex,energy_"
      "error,"
      "pcg,pcg_iterations,cholesky_analyze,cholesky,pcg_ratio,first_ratio,again_ratio,memory_ratio\n");
  const auto measure = [&wishes](const System& system, bool with_others) {
    measure_system(system, SmootherKind::gauss_seidel, with_others);
    if (wishes.smoothers) measure_system(system, SmootherKind::chebyshev, false);
  };
  if (wishes.huge) return measure(systems::make_sheet(Scene::pinned, 1000, GridPattern::alternating), false);
  std::vector<int> sizes{48, 96, 144, 192};
  if (large) sizes = {240, 384, 480};
  for (const Scene scene : systems::kScenes) {
    if (!is_wanted(systems::name_of(scene))) continue;
    for (const GridPattern pattern : {GridPattern::alternating, GridPattern::irregular}) {
      for (const int cells : sizes) {
        if (pattern == GridPattern::irregular && cells != sizes[sizes.size() - 2]) continue;
        measure(systems::make_sheet(scene, cells, pattern), !large || cells <= 240);
      }
    }
  }
  std::vector<int> bars{8, 12, 16};
  if (large) bars = {20, 28, 36};
  for (const double poisson : {0.3, 0.45, 0.49}) {
    for (const int cells : bars) {
      if (is_wanted("bar")) measure(systems::make_bar(cells, poisson), !large || cells <= 20);
    }
  }
  if (large || !is_wanted("ablation")) return;
  std::printf("ablation,vertices,jacobi,jacobi_prefiltered,multigrid,multigrid_prefiltered\n");
  for (const int cells : {48, 96, 192}) ablate(cells);
}

}  // namespace
}  // namespace pliant::linear

int main(int argc, char** argv) {
  pliant::linear::Wishes wishes;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    wishes.large = wishes.large || word == "--large";
    wishes.huge = wishes.huge || word == "--huge";
    wishes.smoothers = wishes.smoothers || word == "--smoothers";
    wishes.cycle = wishes.cycle || word == "--cycle";
    wishes.choice = wishes.choice || word == "--choice";
    wishes.convergence = wishes.convergence || word == "--convergence";
    if (word.rfind("--only=", 0) == 0) wishes.only = word.substr(7);
  }
  pliant::set_thread_count(1);
  pliant::linear::run(wishes);
}
