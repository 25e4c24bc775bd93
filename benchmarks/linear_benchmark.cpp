// Cost of the linear solvers: what a factorisation spends besides factoring, and what an iteration spends besides the
// product.
//
//   linear_benchmark --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
//
// Springs on the edges of a cube of n³ vertices cut into tetrahedra; 27 is a model of 20 000 vertices, 100 000
// tetrahedra.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "pliant/linear/cholesky.h"
#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Best of several runs: the rest is disturbance.
template <class Operation>
double best_seconds(int runs, const Operation& operation) {
  double best = 1e30;
  for (int k = 0; k < runs; ++k) {
    const auto start = std::chrono::steady_clock::now();
    operation();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

sparse::SymmetricBlockMatrix grid_matrix(int n) {
  const test::Grid grid{n};
  return test::spring_matrix(grid, grid.pattern(), 0.01);
}

// Arguments: grid size, threads of the loops and of the dense kernels.
void cholesky_factor(benchmark::State& state) {
  const auto matrix = grid_matrix(static_cast<int>(state.range(0)));
  set_thread_count(static_cast<int>(state.range(1)));
  Cholesky solver(BlasThreads::as_many_as_loops);
  state.counters["analyze_ms"] = 1e3 * best_seconds(1, [&] { solver.analyze(matrix.shared_pattern()); });
  double best = 1e30;
  for (auto _ : state) {
    best = std::min(best, best_seconds(1, [&] { benchmark::DoNotOptimize(solver.factor(matrix)); }));
  }

  // The copy into the solver's format alone, in an order as scattered as the solver's.
  std::vector<int> order(matrix.row_count());
  for (int i = 0; i < matrix.row_count(); ++i) order[i] = static_cast<int>(7919LL * i % matrix.row_count());
  const PermutedLower lower(matrix.pattern(), order);
  std::vector<double> values(lower.entry_count());
  const double copy = best_seconds(20, [&] { benchmark::DoNotOptimize(lower.copy_values(matrix, values)); });
  state.counters["best_ms"] = 1e3 * best;
  state.counters["copy_ms"] = 1e3 * copy;
  state.counters["copy_share"] = copy / best;
  state.counters["memory_MB"] = 1e-6 * static_cast<double>(solver.memory_bytes());
}

void cholesky_solve(benchmark::State& state) {
  const auto matrix = grid_matrix(static_cast<int>(state.range(0)));
  set_thread_count(static_cast<int>(state.range(1)));
  Cholesky solver(BlasThreads::as_many_as_loops);
  if (solver.factor(matrix) != LinearStatus::solved) state.SkipWithError("not positive definite");
  const BlockVector b = test::random_vector(matrix.row_count(), 1);
  BlockVector x(matrix.row_count());
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(b, x));
}

void pcg_iteration(benchmark::State& state) {
  constexpr int kIterations = 50;
  const auto matrix = grid_matrix(static_cast<int>(state.range(0)));
  set_thread_count(static_cast<int>(state.range(1)));
  Pcg solver({.tolerance = 0, .max_iterations = kIterations});
  if (solver.factor(matrix) != LinearStatus::solved) state.SkipWithError("not finite");
  const BlockVector b = test::random_vector(matrix.row_count(), 1);
  BlockVector x(matrix.row_count()), y(matrix.row_count());
  double best = 1e30, product = 1e30;
  for (auto _ : state) {
    best = std::min(best, best_seconds(1, [&] { benchmark::DoNotOptimize(solver.solve(b, x)); }) / kIterations);
    state.PauseTiming();
    product = std::min(product, best_seconds(5, [&] { matrix.multiply(b, y); }));
    state.ResumeTiming();
  }
  state.counters["iteration_us"] = 1e6 * best;
  state.counters["product_us"] = 1e6 * product;
  state.counters["in_products"] = best / product;
  state.counters["factor_us"] = 1e6 * best_seconds(5, [&] { benchmark::DoNotOptimize(solver.factor(matrix)); });
}

void filter_matrix(benchmark::State& state) {
  auto matrix = grid_matrix(static_cast<int>(state.range(0)));
  set_thread_count(static_cast<int>(state.range(1)));
  BlockFilter filter(matrix.row_count());
  for (int i = 0; i < matrix.row_count() / 100; ++i) filter.hold(i);
  for (auto _ : state) filter.apply(matrix);
}

void arguments(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{27}, {1, 2}})->ArgNames({"n", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
}
void arguments_with_large(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{27, 80}, {1, 2}})->ArgNames({"n", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(cholesky_factor)->Apply(arguments);
BENCHMARK(cholesky_solve)->Apply(arguments);
BENCHMARK(pcg_iteration)->Apply(arguments_with_large);
BENCHMARK(filter_matrix)->Apply(arguments);

}  // namespace
}  // namespace pliant::linear

BENCHMARK_MAIN();
