// Time per matrix (or per number) of the kernels in pliant/math, on one core, four at a time and one at a time, with
// Eigen's JacobiSVD and the standard logarithm as yardsticks. "each" is the time per item, "times_eigen" how many times
// quicker than Eigen's decomposition of the same matrices (the "/s" that is printed behind it has no meaning).
//
// Two sets of matrices: `large_strain` (normally distributed entries, half of them inverted) and `near_rest`
// (rotations with strains of a few per cent), because the Newton iteration of the polar decomposition depends on them.
#include <benchmark/benchmark.h>

#include <Eigen/SVD>
#include <ctime>
#include <random>
#include <vector>

#include "pliant/math/polar.h"
#include "pliant/math/psd.h"
#include "pliant/math/rotation.h"
#include "pliant/math/svd.h"

namespace pliant::math {
namespace {

constexpr int kCount = 4096;  // 288 kB of matrices: stays in the second-level cache

enum Strain { large_strain, near_rest };

struct MatrixBatch {
  Lanes entries[3][3];
};

std::vector<Mat3> make_matrices(Strain strain) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<Mat3> matrices(kCount);
  for (Mat3& f : matrices) {
    f = Mat3::NullaryExpr([&] { return normal(random); });
    const Vec3 turn(normal(random), normal(random), normal(random));
    if (strain == near_rest) f = rotation_from_vector(turn) * (Mat3::Identity() + 0.03 * f);
  }
  return matrices;
}

std::vector<MatrixBatch> make_batches(Strain strain) {
  const std::vector<Mat3> matrices = make_matrices(strain);
  std::vector<MatrixBatch> batches(kCount / kLaneCount);
  for (int n = 0; n < kCount; ++n)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) batches[n / kLaneCount].entries[i][j][n % kLaneCount] = matrices[n](i, j);
  return batches;
}

// Time per item, shown as "each=31.4ns" and the like.
void report(benchmark::State& state, int count) {
  state.counters["each"] = benchmark::Counter(static_cast<double>(count) * static_cast<double>(state.iterations()),
                                              benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

using EigenSvd = Eigen::JacobiSVD<Mat3>;
constexpr int kFullSvd = Eigen::ComputeFullU | Eigen::ComputeFullV;

// Processor time, so that other programs on the machine do not count; the best of a few runs.
void report_times_eigen(benchmark::State& state) {
  const std::vector<Mat3> matrices = make_matrices(static_cast<Strain>(state.range(0)));
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const std::clock_t start = std::clock();
    for (const Mat3& f : matrices) {
      EigenSvd svd(f, kFullSvd);
      benchmark::DoNotOptimize(svd);
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  state.counters["times_eigen"] =
      benchmark::Counter(best * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void svd_wide(benchmark::State& state) {
  const std::vector<MatrixBatch> batches = make_batches(static_cast<Strain>(state.range(0)));
  for (auto _ : state)
    for (const MatrixBatch& batch : batches) {
      SvdLanes<Lanes> svd;
      signed_svd(batch.entries, svd);
      benchmark::DoNotOptimize(svd);
    }
  report(state, kCount);
  report_times_eigen(state);
}

void svd_one(benchmark::State& state) {
  const std::vector<Mat3> matrices = make_matrices(static_cast<Strain>(state.range(0)));
  for (auto _ : state)
    for (const Mat3& f : matrices) {
      Svd3 svd = signed_svd(f);
      benchmark::DoNotOptimize(svd);
    }
  report(state, kCount);
  report_times_eigen(state);
}

void svd_eigen(benchmark::State& state) {
  const std::vector<Mat3> matrices = make_matrices(static_cast<Strain>(state.range(0)));
  for (auto _ : state)
    for (const Mat3& f : matrices) {
      EigenSvd svd(f, kFullSvd);
      benchmark::DoNotOptimize(svd);
    }
  report(state, kCount);
}

void polar_wide(benchmark::State& state) {
  const std::vector<MatrixBatch> batches = make_batches(static_cast<Strain>(state.range(0)));
  for (auto _ : state)
    for (const MatrixBatch& batch : batches) {
      MatrixBatch r;
      polar_rotation(batch.entries, r.entries);
      benchmark::DoNotOptimize(r);
    }
  report(state, kCount);
  report_times_eigen(state);
}

void trace_of_stretch_wide(benchmark::State& state) {
  const std::vector<MatrixBatch> batches = make_batches(static_cast<Strain>(state.range(0)));
  for (auto _ : state)
    for (const MatrixBatch& batch : batches) {
      Lanes trace = trace_of_stretch(batch.entries);
      benchmark::DoNotOptimize(trace);
    }
  report(state, kCount);
}

// FᵀF − 1: about half of the large strains are indefinite, and nearly all of the small ones.
void project_psd_wide(benchmark::State& state) {
  std::vector<MatrixBatch> batches = make_batches(static_cast<Strain>(state.range(0)));
  for (MatrixBatch& batch : batches) {
    const MatrixBatch f = batch;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        batch.entries[i][j] = lanes_of(i == j ? -1 : 0);
        for (int k = 0; k < 3; ++k) batch.entries[i][j] += f.entries[k][i] * f.entries[k][j];
      }
  }
  for (auto _ : state)
    for (const MatrixBatch& batch : batches) {
      MatrixBatch projected = batch;
      project_psd_3x3(projected.entries);
      benchmark::DoNotOptimize(projected);
    }
  report(state, kCount);
}

std::vector<double> make_numbers() {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> positive;
  std::vector<double> numbers(kCount);
  for (double& x : numbers) x = positive(random);
  return numbers;
}

void log_wide(benchmark::State& state) {
  const std::vector<double> numbers = make_numbers();
  for (auto _ : state)
    for (int n = 0; n < kCount; n += kLaneCount) {
      Lanes y = log(load(&numbers[n]));
      benchmark::DoNotOptimize(y);
    }
  report(state, kCount);
}

void log_standard(benchmark::State& state) {
  const std::vector<double> numbers = make_numbers();
  for (auto _ : state)
    for (double x : numbers) {
      double y = std::log(x);
      benchmark::DoNotOptimize(y);
    }
  report(state, kCount);
}

BENCHMARK(svd_wide)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(svd_one)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(svd_eigen)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(polar_wide)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(trace_of_stretch_wide)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(project_psd_wide)->ArgName("near_rest")->Arg(large_strain)->Arg(near_rest);
BENCHMARK(log_wide);
BENCHMARK(log_standard);

}  // namespace
}  // namespace pliant::math
