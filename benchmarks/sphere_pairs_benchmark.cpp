// The neighbour search of grains: time per sphere from 10³ to 10⁶ of them, as dense as in a heap.
//
//   sphere_pairs_benchmark
//
// Random places at 64 % of the room (spheres overlap here and there, which costs no more than a touch), of one radius and
// of radii 1:3; in random order, as after much stirring. Each with one and two threads.
#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "pliant/contact/sphere_pairs.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

struct Cloud {
  std::vector<Vec3> centres;  // m
  std::vector<double> radii;  // m

  // smallest: radius over the largest, which is 1 m
  Cloud(int count, double smallest) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> unit(0, 1);
    double volume = 0;
    for (int i = 0; i < count; ++i) {
      radii.push_back(smallest + (1 - smallest) * unit(random));
      volume += 4.0 / 3 * std::numbers::pi * std::pow(radii.back(), 3);
    }
    const double side = std::cbrt(volume / 0.64);
    for (int i = 0; i < count; ++i) centres.emplace_back(side * unit(random), side * unit(random), side * unit(random));
  }
};

void SpherePairs_find(benchmark::State& state, double smallest) {
  const Cloud cloud(static_cast<int>(state.range(0)), smallest);
  set_thread_count(static_cast<int>(state.range(1)));
  SpherePairs near;
  for (auto _ : state) near.find(cloud.centres, cloud.radii, 0.05);
  const auto count = static_cast<double>(state.range(0));
  state.counters["pairs_per_sphere"] = static_cast<double>(near.pairs().size()) / count;
  state.counters["ns_per_sphere"] =
      benchmark::Counter(count * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_thread_count(0);
}

BENCHMARK_CAPTURE(SpherePairs_find, one_radius, 1.0)
    ->ArgsProduct({{1000, 10000, 100000, 1000000}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SpherePairs_find, radii_1_to_3, 1.0 / 3)
    ->ArgsProduct({{100000}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant::contact
