// Multigrid against block-Jacobi PCG and CHOLMOD on the same systems in one run, as ratios.
//
//   multigrid_benchmark                     sheets of 1 k to 66 k vertices, bars of 3 k to 20 k, ablation of prefiltering
//   multigrid_benchmark --large             up to 263 k vertices; CHOLMOD and PCG only up to 70 k
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
// The ablation on drop_horizontal gives iterations of four solvers to √(rᵀz) ≤ 10⁻⁵: block-Jacobi and multigrid, made of
// the unfiltered matrix with filtering inside the iteration, and of the prefiltered one [Tamstorf2016, fig. 11.8].
#include <time.h>

#include <cstdio>
#include <cstring>
#include <functional>

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

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Operation>
double seconds_of(const Operation& operation) {
  const double start = processor_seconds();
  operation();
  return processor_seconds() - start;
}

struct Measured {
  double build = 0, refresh = 0, solve = 0;
  int iterations = 0;
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
    std::printf(",%.1e,%.4f,%d,%.4f,%.4f,%.2f,%.2f,%.2f", std::sqrt(of_error / sparse::dot(exact, product)),
                pcg.build + pcg.solve, pcg.iterations, analyze, factor + solve,
                (pcg.build + pcg.solve) / (multigrid.build + multigrid.solve),
                (analyze + factor + solve) / (multigrid.build + multigrid.solve),
                (factor + solve) / (multigrid.refresh + multigrid.solve));
  }
  std::printf("\n");
  std::fflush(stdout);
}

// --- Ablation of prefiltering ---

// Conjugate gradients on S A S with z = S B S r; iterations until √(rᵀz) has fallen by 10⁻⁵.
int filtered_iterations(const System& system,
                        const std::function<void(const BlockVector&, BlockVector&)>& precondition) {
  const int n = system.positions.size();
  BlockVector r = system.right_side, z(n), p(n), ap(n);
  const auto apply = [&] {
    precondition(r, z);
    system.filter.apply(z);
    return sparse::dot(r, z);
  };
  double rz = apply();
  const double target = 1e-10 * rz;
  p = z;
  for (int k = 1; k <= 20000; ++k) {
    system.unfiltered.multiply(p, ap);
    system.filter.apply(ap);
    const double alpha = rz / sparse::dot(p, ap);
    sparse::add_scaled(r, -alpha, ap);
    const double next = apply();
    if (!(next > target)) return k;
    const double beta = -alpha * sparse::dot(z, ap) / rz;
    sparse::combine(p, 1, z, beta, p);
    rz = next;
  }
  return -1;
}

void ablate(int cells) {
  const System system = systems::make_sheet(Scene::drop_horizontal, cells, GridPattern::alternating);
  const auto jacobi_iterations = [&](const sparse::SymmetricBlockMatrix& matrix) {
    BlockJacobi jacobi;
    (void)jacobi.factor(matrix, nullptr);
    return filtered_iterations(system, [&](const BlockVector& r, BlockVector& z) {
      for (int i = 0; i < r.size(); ++i)
        z[i] = Eigen::Map<const Mat3>(jacobi.inverses() + 9 * static_cast<std::size_t>(i)) * r[i];
    });
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

void run(bool large, bool smoothers, const std::string& only) {
  const auto is_wanted = [&](const std::string& name) { return name.rfind(only, 0) == 0; };
  std::printf(
      "system,smoother,vertices,build,refresh,solve,iterations,operator_complexity,levels,bytes_per_vertex,energy_"
      "error,"
      "pcg,pcg_iterations,cholesky_analyze,cholesky,pcg_ratio,first_ratio,again_ratio\n");
  const auto measure = [&](const System& system, bool with_others) {
    measure_system(system, SmootherKind::gauss_seidel, with_others);
    if (smoothers) measure_system(system, SmootherKind::chebyshev, false);
  };
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
  bool large = false, smoothers = false;
  std::string only;
  for (int k = 1; k < argc; ++k) {
    large = large || std::strcmp(argv[k], "--large") == 0;
    smoothers = smoothers || std::strcmp(argv[k], "--smoothers") == 0;
    if (std::strncmp(argv[k], "--only=", 7) == 0) only = argv[k] + 7;
  }
  pliant::set_thread_count(1);
  pliant::linear::run(large, smoothers, only);
}
