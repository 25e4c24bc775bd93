// Speed of the sparse kernels against the speed of memory: a loop that only reads is the yardstick.
//
//   sparse_benchmark --benchmark_repetitions=5 --benchmark_report_aggregates_only=true
//
// Counters: bytes_per_second as each benchmark counts its traffic; `of_read` = that divided by the read loop over an
// array of the same size with the same threads. A product counts 76 bytes per stored block (nine doubles, one column
// index) and nothing for the vectors, so 1.0 cannot be reached: x and y add about 20 % on tetrahedral meshes.
// Meshes: cubes of n³ vertices cut into six tetrahedra each. 27 is a model of 20 000 vertices and 100 000 tetrahedra
// (11 MB of matrix, in the last-level cache); 80 is 280 MB, far larger than any cache.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/now.h"
#include "pliant/parallel/parallel.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant {
namespace {

constexpr double kBytesPerBlock = 76;

// Couples every vertex of an n³ grid with its neighbours in the six-tetrahedra subdivision of the cells.
std::shared_ptr<const sparse::BlockPattern> grid_pattern(int n) {
  sparse::PatternBuilder builder(n * n * n);
  const int step[7] = {1, n, n * n, 1 + n, 1 + n * n, n + n * n, 1 + n + n * n};
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        const int i = x + n * (y + n * z);
        for (int k = 0; k < 7; ++k) {
          const bool inside = ((k == 0 || k == 3 || k == 4 || k == 6) ? x + 1 < n : true) &&
                              ((k == 1 || k == 3 || k == 5 || k == 6) ? y + 1 < n : true) &&
                              ((k == 2 || k == 4 || k == 5 || k == 6) ? z + 1 < n : true);
          if (inside) builder.couple(std::vector<int>{i, i + step[k]});
        }
      }
    }
  }
  return builder.build();
}

const sparse::SymmetricBlockMatrix& grid_matrix(int n) {
  static std::map<int, sparse::SymmetricBlockMatrix> matrices;
  auto [found, inserted] = matrices.try_emplace(n);
  if (inserted) {
    found->second = sparse::SymmetricBlockMatrix(grid_pattern(n));
    std::fill_n(found->second.values(), 9 * static_cast<std::size_t>(found->second.pattern().slot_count()), 0.01);
  }
  return found->second;
}

double sum_of(const std::vector<math::Lanes>& values) {
  constexpr int kPiece = 1 << 13;  // 256 KiB
  return parallel_sum(static_cast<int>(values.size() / kPiece) * parallel::kSumBlock, [&](int begin, int end) {
    const std::size_t first = static_cast<std::size_t>(begin) / parallel::kSumBlock * kPiece;
    const std::size_t last = first + kPiece * ((static_cast<std::size_t>(end - begin) + 1) / parallel::kSumBlock);
    math::Lanes a{}, b{}, c{}, d{};
    for (std::size_t i = first; i < last; i += 4) {
      a += values[i];
      b += values[i + 1];
      c += values[i + 2];
      d += values[i + 3];
    }
    return math::sum((a + b) + (c + d));
  });
}

// Best time of two operations, sweep by sweep in turn: both see the same disturbances, and the best sees none.
template <class A, class B>
std::pair<double, double> best_seconds(const A& a, const B& b, int sweeps) {
  double best_a = 1e30, best_b = 1e30;
  for (int k = 0; k < sweeps; ++k) {
    const double start = now();
    a();
    const double middle = now();
    b();
    best_a = std::min(best_a, middle - start);
    best_b = std::min(best_b, now() - middle);
  }
  return {best_a, best_b};
}

// Times the operation, which counts `bytes` of traffic, and compares it with reading `bytes_held` bytes.
template <class Operation>
void measure(benchmark::State& state, double bytes, double bytes_held, const Operation& operation) {
  for (auto _ : state) operation();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * static_cast<double>(state.iterations())));
  const std::vector<math::Lanes> values(static_cast<std::size_t>(bytes_held / sizeof(math::Lanes)), math::lanes_of(1));
  const auto read = [&] { benchmark::DoNotOptimize(sum_of(values)); };
  const int sweeps = std::max(15, static_cast<int>(2e9 / bytes_held));
  const auto [best, best_read] = best_seconds(operation, read, sweeps);
  state.counters["best_us"] = 1e6 * best;
  state.counters["read_us"] = 1e6 * best_read;
  state.counters["of_read"] = (bytes / best) / (bytes_held / best_read);
}

// Arguments: grid size, threads.
void multiply(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  const sparse::SymmetricBlockMatrix& matrix = grid_matrix(static_cast<int>(state.range(0)));
  BlockVector x(matrix.row_count()), y(matrix.row_count());
  for (int i = 0; i < x.size(); ++i) x[i] = Vec3(1, 2, 3);
  const double bytes = kBytesPerBlock * matrix.pattern().slot_count();
  measure(state, bytes, bytes, [&] { matrix.multiply(x, y); });
  state.counters["colors"] = matrix.pattern().row_pieces().coloring.color_count();
}

void dot(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  const int n = static_cast<int>(state.range(0));
  const BlockVector x(n * n * n), y(n * n * n);
  const double bytes = 64.0 * n * n * n;
  measure(state, bytes, bytes, [&] { benchmark::DoNotOptimize(sparse::dot(x, y)); });
}

// Two vectors read, one written.
void add_scaled(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  const int n = static_cast<int>(state.range(0));
  const BlockVector x(n * n * n);
  BlockVector y(n * n * n);
  const double bytes_held = 64.0 * n * n * n;
  measure(state, 1.5 * bytes_held, bytes_held, [&] { sparse::add_scaled(y, 1.5, x); });
}

void sizes_and_threads(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{27, 80}, {1, 2}})->ArgNames({"n", "threads"})->Unit(benchmark::kMicrosecond)->UseRealTime();
}
void long_vectors(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{27, 200}, {1, 2}})->ArgNames({"n", "threads"})->Unit(benchmark::kMicrosecond)->UseRealTime();
}

BENCHMARK(multiply)->Apply(sizes_and_threads);
BENCHMARK(dot)->Apply(long_vectors);
BENCHMARK(add_scaled)->Apply(long_vectors);

}  // namespace
}  // namespace pliant

BENCHMARK_MAIN();
