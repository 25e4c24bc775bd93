// Solves of three right-hand sides with one factor: ConstantFactor against both methods of CHOLMOD, in turn.
//
//   OMP_NUM_THREADS=1 constant_factor_benchmark --benchmark_counters_tabular=true
//
// Matrices: Laplacian and mass of triangulated sheets of n² vertices, without and with hinges, and of bars of tetrahedra.
// All solvers take turns, solve by solve, so that they see the same disturbances. A turn is a solve that does not count
// and one that does, so that each finds in the caches what fits of its own; cold: 64 MB of other memory are read and
// written instead of the first. Times are the tenth percentile of all rounds. On one thread it is the processor time of
// the thread, which other programs on the same core prolong only by what they do to the caches; on two it is real time.
//
// Counters, in µs: super, simplicial (CHOLMOD), double, float, half (ConstantFactor), each with the faster of CHOLMOD's
// over it (x_…). of_read = time of a loop that only reads twice the non-zeros of L in 8 bytes each, over the time of the
// solve in double.
//
// update: rows = changed rows, half of them held and half stiffened; plain and updated solves, setting the changes, and
// factoring anew, in µs.
#include <benchmark/benchmark.h>
#include <cholmod.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "pliant/linear/constant_factor.h"
#include "pliant/linear/panel_memory.h"
#include "pliant/linear/row_updates.h"
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

// Times of one operation over all rounds [s].
class Times {
 public:
  template <class Operation>
  void add(clockid_t clock, const Operation& operation) {
    const double start = seconds(clock);
    operation();
    times_.push_back(seconds(clock) - start);
  }
  // The tenth percentile: rounds that were least disturbed, but not the luckiest of all.
  [[nodiscard]] double low() const {
    std::vector<double> sorted = times_;
    const std::size_t place = sorted.size() / 10;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(place), sorted.end());
    return sorted[place];
  }

 private:
  static double seconds(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  std::vector<double> times_;
};

clockid_t clock_for(int threads) { return threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC; }

using Reading = std::vector<double, PanelAllocator<double>>;  // as the factor is stored

double sum_of(const Reading& values) {
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
    const auto turn = [&](Times& times, int count, const auto& operation) {
      set_thread_count(count);
      caches == Caches::cold ? spoil_caches() : operation();
      times.add(clock_for(threads), operation);
    };
    turn(super_times_, 1, [&] { super_->solve(columns_); });
    turn(double_times_, threads, [&] { double_.solve(b_, x_); });
    turn(simplicial_times_, 1, [&] { simplicial_->solve(columns_); });
    turn(float_times_, threads, [&] { float_.solve(b_, x_); });
    turn(read_times_, 1, [&] {
      for (int sweep = 0; sweep < 2; ++sweep) {
        benchmark::DoNotOptimize(sum_of(read_));
        benchmark::ClobberMemory();  // or one sum would serve for both
      }
    });
    turn(half_times_, threads, [&] { half_.solve(b_, x_); });
    if (threads > 1) turn(alone_times_, 1, [&] { double_.solve(b_, x_); });
    if (threads > 1) turn(float_alone_times_, 1, [&] { float_.solve(b_, x_); });
  }

  void report(benchmark::State& state, int threads) {
    const double cholmod = std::min(super_times_.low(), simplicial_times_.low());
    state.counters["super"] = 1e6 * super_times_.low();
    state.counters["simplicial"] = 1e6 * simplicial_times_.low();
    state.counters["double"] = 1e6 * double_times_.low();
    state.counters["float"] = 1e6 * float_times_.low();
    state.counters["half"] = 1e6 * half_times_.low();
    state.counters["x_double"] = cholmod / double_times_.low();
    state.counters["x_float"] = cholmod / float_times_.low();
    state.counters["x_half"] = cholmod / half_times_.low();
    state.counters["of_read"] = read_times_.low() / double_times_.low();
    state.counters["GB/s"] = 16e-9 * super_->nonzeros() / read_times_.low();
    state.counters["Mnz"] = 1e-6 * super_->nonzeros();
    state.counters["padded"] = static_cast<double>(double_.value_count()) / super_->nonzeros();
    state.counters["err_float"] = error(float_);
    state.counters["err_half"] = error(half_);
    state.counters["err_double"] = error(double_);
    // Against one thread in the same rounds and the same clock.
    state.counters["threads_double"] = threads > 1 ? alone_times_.low() / double_times_.low() : 1;
    state.counters["threads_float"] = threads > 1 ? float_alone_times_.low() / float_times_.low() : 1;
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
  Reading read_;
  std::vector<double> columns_, other_ = std::vector<double>(std::size_t{1} << 23, 0.0);
  std::unique_ptr<CholmodSolver> super_, simplicial_;
  ConstantFactor double_{FactorStorage::float64}, float_{FactorStorage::float32}, half_{FactorStorage::float16};
  Times super_times_, simplicial_times_, read_times_, double_times_, float_times_, half_times_;
  Times alone_times_, float_alone_times_;
};

constexpr double kMass = 0.01;  // of an edge weight

void measure(benchmark::State& state, sparse::SymmetricScalarMatrix matrix) {
  Contest contest(std::move(matrix));
  for (auto _ : state) contest.run(state.range(3) ? Caches::cold : Caches::warm, static_cast<int>(state.range(2)));
  contest.report(state, static_cast<int>(state.range(2)));
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

// Arguments: vertices along a side of a sheet, changed rows.
void update(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), rows = static_cast<int>(state.range(1));
  const test::Grid grid{n, n, 1};
  const sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), kMass);
  openblas_set_num_threads(1);
  set_thread_count(1);
  for (const auto& [storage, stored, name] :
       {std::tuple(FactorStorage::float64, RowUpdates::Stored::float64, std::string("double")),
        std::tuple(FactorStorage::float32, RowUpdates::Stored::float32, std::string("float"))}) {
    ConstantFactor factor(storage);
    Times factoring, plain, setting, updated;
    std::vector<RowChange> changes;
    for (int k = 0; k < rows; ++k) {
      const int row = static_cast<int>(static_cast<long>(grid.size()) * (2 * k + 1) / (2 * rows));
      changes.push_back({row, k % 2 == 0 ? RowState::held : RowState::unchanged, 3.0});
    }
    const BlockVector b = test::random_vector(grid.size(), 1);
    BlockVector x(grid.size());
    const auto solve_base = [&](const BlockVector& from, BlockVector& to) { factor.solve(from, to); };
    RowUpdates updates;
    (void)factor.factor(matrix);
    const RowUpdates::Base base{.held = {}, .entries = {}, .row_count = grid.size(), .stored = stored};
    if (name == "double") {
      for (auto _ : state) factoring.add(clock_for(1), [&] { (void)factor.factor(matrix); });
    } else {
      factoring.add(clock_for(1), [&] { (void)factor.factor(matrix); });
    }
    for (int round = 0; round < 5; ++round) {
      setting.add(clock_for(1), [&] { (void)updates.set(changes, base, solve_base); });
    }
    for (int round = 0; round < 100; ++round) {
      factor.solve(b, x);
      plain.add(clock_for(1), [&] { factor.solve(b, x); });
      updates.solve(b, x, solve_base);
      updated.add(clock_for(1), [&] { updates.solve(b, x, solve_base); });
    }
    state.counters[name + "_factor"] = 1e6 * factoring.low();
    state.counters[name + "_set"] = 1e6 * setting.low();
    state.counters[name + "_plain"] = 1e6 * plain.low();
    state.counters[name + "_updated"] = 1e6 * updated.low();
    state.counters[name + "_ratio"] = updated.low() / plain.low();
    state.counters["most"] = factor.most_changes();
  }
  set_thread_count(0);
}

// A fixed number of rounds: to find one out, the factors would be made several times.
void threads_and_caches(benchmark::internal::Benchmark* b, std::initializer_list<std::pair<int, int>> sizes) {
  b->ArgNames({"n", "m", "threads", "cold"})->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(40);
  for (const auto& [n, m] : sizes) {
    for (const int cold : {0, 1}) {
      for (const int threads : {1, 2}) b->Args({n, m, threads, cold});
    }
  }
}
void sheets(benchmark::internal::Benchmark* b) { threads_and_caches(b, {{64, 64}, {128, 128}, {256, 256}}); }
void bars(benchmark::internal::Benchmark* b) { threads_and_caches(b, {{11, 31}, {19, 52}, {28, 77}}); }

BENCHMARK(sheet)->Apply(sheets);
BENCHMARK(hinged_sheet)->Apply(sheets);
BENCHMARK(bar)->Apply(bars);
BENCHMARK(update)
    ->ArgNames({"n", "rows"})
    ->ArgsProduct({{64, 256}, {1, 4, 16, 32, 64}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace
}  // namespace pliant::linear

BENCHMARK_MAIN();
