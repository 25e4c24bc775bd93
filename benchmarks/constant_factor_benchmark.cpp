// Solves of three right-hand sides with one factor: ConstantFactor against both methods of CHOLMOD, in turn.
//
//   OMP_NUM_THREADS=1 constant_factor_benchmark --benchmark_counters_tabular=true
//
// Matrices: Laplacian and mass of triangulated sheets of n² vertices, without and with hinges, and of bars of tetrahedra. All solvers take turns,
// solve by solve, so that they see the same disturbances; the best of each counts. Counters, in µs: super, simplicial
// (CHOLMOD), double, float, half (ConstantFactor), each with the best of CHOLMOD over it (x_…). of_read = time of a loop
// that only reads as many bytes, twice the non-zeros of L in 8 bytes each, over the time of the solve in double.
// Cold: before every solve 128 MB of other memory are read and written.
#include <benchmark/benchmark.h>
#include <cholmod.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "pliant/linear/constant_factor.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/scalar_grid_matrix.h"

extern "C" void openblas_set_num_threads(int count);

namespace pliant::linear {
namespace {

// CHOLMOD as its manual has it: one dense matrix of three columns.
class CholmodSolver {
 public:
  CholmodSolver(const sparse::SymmetricScalarMatrix& matrix, int method)
      : size_(static_cast<std::size_t>(matrix.row_count())),
        start_(matrix.pattern().row_start().begin(), matrix.pattern().row_start().end()),
        row_(matrix.pattern().column().begin(), matrix.pattern().column().end()),
        values_(matrix.values().begin(), matrix.values().end()) {
    cholmod_l_start(&common_);
    common_.nmethods = 2;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.method[1].ordering = CHOLMOD_METIS;
    common_.supernodal = method;
    cholmod_sparse a{};
    a.nrow = a.ncol = size_;
    a.nzmax = row_.size();
    a.p = start_.data();
    a.i = row_.data();
    a.x = values_.data();
    a.stype = -1;
    a.itype = CHOLMOD_LONG;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = 1;
    factor_ = cholmod_l_analyze(&a, &common_);
    cholmod_l_factorize(&a, factor_, &common_);
  }
  ~CholmodSolver() {
    cholmod_l_free_factor(&factor_, &common_);
    for (cholmod_dense** dense : {&x_, &y_, &e_}) cholmod_l_free_dense(dense, &common_);
    cholmod_l_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  void solve(std::vector<double>& columns) {
    cholmod_dense right{};
    right.nrow = right.d = size_;
    right.ncol = 3;
    right.nzmax = 3 * size_;
    right.x = columns.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_l_solve2(CHOLMOD_A, factor_, &right, nullptr, &x_, nullptr, &y_, &e_, &common_);
  }
  [[nodiscard]] double solution(std::size_t row, std::size_t column) const {
    return static_cast<const double*>(x_->x)[row + column * size_];
  }
  [[nodiscard]] double nonzeros() const { return common_.lnz; }

 private:
  cholmod_common common_{};
  std::size_t size_;
  std::vector<std::int64_t> start_, row_;
  std::vector<double> values_;
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
};

template <class Operation>
void take_turn(double& best, const Operation& operation) {
  const auto start = std::chrono::steady_clock::now();
  operation();
  best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

double sum_of(const std::vector<double>& values) {
  math::Lanes a{}, b{}, c{}, d{};
  for (std::size_t i = 0; i + 16 <= values.size(); i += 16) {
    a += math::load(&values[i]);
    b += math::load(&values[i + 4]);
    c += math::load(&values[i + 8]);
    d += math::load(&values[i + 12]);
  }
  return math::sum((a + b) + (c + d));
}

enum class Caches { warm, cold };

class Contest {
 public:
  explicit Contest(sparse::SymmetricScalarMatrix matrix) : matrix_(std::move(matrix)) {
    openblas_set_num_threads(1);
    set_thread_count(1);
    const std::size_t n = static_cast<std::size_t>(matrix_.row_count());
    b_ = test::random_vector(matrix_.row_count(), 1);
    x_ = BlockVector(matrix_.row_count());
    columns_.resize(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < 3; ++c) columns_[i + c * n] = b_[static_cast<int>(i)][static_cast<int>(c)];
    }
    super_ = std::make_unique<CholmodSolver>(matrix_, CHOLMOD_SUPERNODAL);
    simplicial_ = std::make_unique<CholmodSolver>(matrix_, CHOLMOD_SIMPLICIAL);
    for (ConstantFactor* ours : {&double_, &float_, &half_}) (void)ours->factor(matrix_);
    read_.assign(static_cast<std::size_t>(super_->nonzeros()), 1.0);
  }

  void run(Caches caches, int threads) {
    const auto turn = [&](double& best, const auto& operation) {
      if (caches == Caches::cold) spoil_caches();
      take_turn(best, operation);
    };
    set_thread_count(1);
    turn(super_seconds_, [&] { super_->solve(columns_); });
    turn(simplicial_seconds_, [&] { simplicial_->solve(columns_); });
    turn(read_seconds_, [&] {
      for (int sweep = 0; sweep < 2; ++sweep) {
        benchmark::DoNotOptimize(sum_of(read_));
        benchmark::ClobberMemory();  // or one sum would serve for both
      }
    });
    set_thread_count(threads);
    turn(double_seconds_, [&] { double_.solve(b_, x_); });
    turn(float_seconds_, [&] { float_.solve(b_, x_); });
    turn(half_seconds_, [&] { half_.solve(b_, x_); });
  }

  void report(benchmark::State& state) {
    const double cholmod = std::min(super_seconds_, simplicial_seconds_);
    state.counters["super"] = 1e6 * super_seconds_;
    state.counters["simplicial"] = 1e6 * simplicial_seconds_;
    state.counters["double"] = 1e6 * double_seconds_;
    state.counters["float"] = 1e6 * float_seconds_;
    state.counters["half"] = 1e6 * half_seconds_;
    state.counters["x_double"] = cholmod / double_seconds_;
    state.counters["x_float"] = cholmod / float_seconds_;
    state.counters["x_half"] = cholmod / half_seconds_;
    state.counters["of_read"] = read_seconds_ / double_seconds_;
    state.counters["Mnz"] = 1e-6 * super_->nonzeros();
    state.counters["padded"] = static_cast<double>(float_.value_count()) / super_->nonzeros();
    state.counters["err_double"] = error(double_);
    state.counters["err_float"] = error(float_);
    state.counters["err_half"] = error(half_);
  }

 private:
  // Relative to CHOLMOD's solution.
  double error(ConstantFactor& ours) {
    ours.solve(b_, x_);
    double difference = 0, size = 0;
    for (int i = 0; i < x_.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        const double expected = super_->solution(static_cast<std::size_t>(i), static_cast<std::size_t>(c));
        difference += (x_[i][c] - expected) * (x_[i][c] - expected);
        size += expected * expected;
      }
    }
    return std::sqrt(difference / size);
  }
  void spoil_caches() {
    for (double& value : other_) value += 1;
    benchmark::DoNotOptimize(other_.data());
  }

  sparse::SymmetricScalarMatrix matrix_;
  BlockVector b_, x_;
  std::vector<double> columns_, read_, other_ = std::vector<double>(std::size_t{1} << 24, 0.0);
  std::unique_ptr<CholmodSolver> super_, simplicial_;
  ConstantFactor double_{FactorStorage::float64}, float_{FactorStorage::float32}, half_{FactorStorage::float16};
  double super_seconds_ = 1e30, simplicial_seconds_ = 1e30, read_seconds_ = 1e30;
  double double_seconds_ = 1e30, float_seconds_ = 1e30, half_seconds_ = 1e30;
};

constexpr double kMass = 0.01;  // of an edge weight

void measure(benchmark::State& state, sparse::SymmetricScalarMatrix matrix) {
  Contest contest(std::move(matrix));
  for (auto _ : state) contest.run(state.range(3) ? Caches::cold : Caches::warm, static_cast<int>(state.range(2)));
  contest.report(state);
  set_thread_count(0);
}

// Arguments: vertices along a side, or across and along; threads of ConstantFactor; 1 = cold caches.
void sheet(benchmark::State& state) {
  const test::Grid grid{static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), 1};
  measure(state, test::laplacian(grid, grid.pattern(), kMass));
}
void hinged_sheet(benchmark::State& state) {
  measure(state, test::hinged_sheet(static_cast<int>(state.range(0)), kMass));
}
void bar(benchmark::State& state) {
  const int across = static_cast<int>(state.range(0));
  const test::Grid grid{across, across, static_cast<int>(state.range(1))};
  measure(state, test::laplacian(grid, grid.pattern(), kMass));
}

void threads_and_caches(benchmark::internal::Benchmark* b, std::initializer_list<std::pair<int, int>> sizes) {
  b->ArgNames({"n", "m", "threads", "cold"})->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(4.0);
  for (const int cold : {0, 1}) {
    for (const auto& [n, m] : sizes) {
      for (const int threads : {1, 2}) b->Args({n, m, threads, cold});
    }
  }
}
void sheets(benchmark::internal::Benchmark* b) { threads_and_caches(b, {{64, 64}, {128, 128}, {256, 256}}); }
void bars(benchmark::internal::Benchmark* b) { threads_and_caches(b, {{11, 31}, {19, 52}, {28, 77}}); }

BENCHMARK(sheet)->Apply(sheets);
BENCHMARK(hinged_sheet)->Apply(sheets);
BENCHMARK(bar)->Apply(bars);

}  // namespace
}  // namespace pliant::linear

BENCHMARK_MAIN();
