// Speed of contact manifolds: nanoseconds per call of collide() for pairs that rest on each other.
//
//   manifold_benchmark                                    everything
//   manifold_benchmark --benchmark_filter=boxes           only some
//
// Every case has 64 pairs with small differences, so that branches are as hard to predict as in a pile.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <vector>

#include "pliant/contact/manifold/collide.h"

namespace pliant::contact {
namespace {

struct PlacedPair {
  Pose a, b;
};

Vec3 random_in_cube(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  return {in(random), in(random), in(random)};
}

// b is 1 mm into a from above, shifted by up to `offset` [m] to the sides and turned about the vertical by `yaw` [rad],
// a little tilted; all of it somewhere in the world.
std::vector<PlacedPair> resting_pairs(double height, double offset, double yaw) {
  std::mt19937 random(1);
  std::vector<PlacedPair> pairs;
  for (int i = 0; i < 64; ++i) {
    const Vec3 r = random_in_cube(random);
    const Pose world{Eigen::Quaterniond(1, r[0], r[1], r[2]).normalized().toRotationMatrix(), random_in_cube(random)};
    Pose above;
    above.turn = (Eigen::AngleAxisd(1e-4, random_in_cube(random).normalized()) *
                  Eigen::AngleAxisd(yaw * random_in_cube(random)[0], Vec3::UnitY()))
                     .toRotationMatrix();
    above.shift = offset * random_in_cube(random);
    above.shift[1] = height - 1e-3;
    pairs.push_back({world, {world.turn * above.turn, world.to_world(above.shift)}});
  }
  return pairs;
}

void run_pairs(benchmark::State& state, const ConvexShape& a, const ConvexShape& b,
               const std::vector<PlacedPair>& pairs) {
  Manifold manifold;
  long long points = 0;
  for (auto _ : state) {
    for (const PlacedPair& pair : pairs) {
      collide(a, pair.a, b, pair.b, 0.01, manifold);
      benchmark::DoNotOptimize(manifold);
      points += manifold.count;
    }
  }
  const auto calls = static_cast<double>(state.iterations()) * static_cast<double>(pairs.size());
  state.counters["per_call"] = benchmark::Counter(calls, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["points"] = static_cast<double>(points) / calls;
}

ConvexShape prism(int sides) {
  std::vector<Vec3> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * M_PI * i / sides;
    for (const double y : {-0.5, 0.5}) points.emplace_back(0.5 * std::cos(angle), y, 0.5 * std::sin(angle));
  }
  return hull_shape(convex_hull(points));
}

ConvexShape boulder(int count) {
  std::mt19937 random(2);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(0.5 * random_in_cube(random).normalized());
  return hull_shape(convex_hull(points));
}

void boxes_flush(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), box_shape({0.5, 0.5, 0.5}), resting_pairs(1, 1e-4, 1e-4));
}
void boxes_shifted(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), box_shape({0.5, 0.5, 0.5}), resting_pairs(1, 0.3, 1e-3));
}
void boxes_turned(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), box_shape({0.5, 0.5, 0.5}), resting_pairs(1, 0.2, 1));
}
void boxes_apart(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), box_shape({0.5, 0.5, 0.5}), resting_pairs(1.1, 0.2, 1));
}
void box_on_half_space(benchmark::State& state) {
  std::vector<PlacedPair> pairs = resting_pairs(0.5, 1, 1);
  for (PlacedPair& pair : pairs) pair.b.turn = pair.a.turn;
  for (PlacedPair& pair : pairs) std::swap(pair.a, pair.b);
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), half_space_shape(), pairs);
}
void balls(benchmark::State& state) { run_pairs(state, ball_shape(0.5), ball_shape(0.5), resting_pairs(1, 0.01, 1)); }
void capsules(benchmark::State& state) {
  run_pairs(state, capsule_shape(0.25, 0.25), capsule_shape(0.25, 0.25), resting_pairs(1, 0.01, 1));
}
void ball_on_box(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), ball_shape(0.5), resting_pairs(1, 0.3, 1));
}
void capsule_on_box(benchmark::State& state) {
  run_pairs(state, box_shape({0.5, 0.5, 0.5}), capsule_shape(0.25, 0.25), resting_pairs(1, 0.3, 1));
}
void box_on_prism(benchmark::State& state) {
  run_pairs(state, prism(8), box_shape({0.5, 0.5, 0.5}), resting_pairs(1, 0.2, 1));
}
// 18 sides: 20 faces.
void prisms(benchmark::State& state) { run_pairs(state, prism(18), prism(18), resting_pairs(1, 0.2, 1)); }
// 12 vertices: about 20 triangles.
void boulders(benchmark::State& state) { run_pairs(state, boulder(12), boulder(12), resting_pairs(0.8, 0.1, 1)); }
void large_boulders(benchmark::State& state) {
  run_pairs(state, boulder(200), boulder(200), resting_pairs(0.98, 0.1, 1));
}

BENCHMARK(boxes_flush);
BENCHMARK(boxes_shifted);
BENCHMARK(boxes_turned);
BENCHMARK(boxes_apart);
BENCHMARK(box_on_half_space);
BENCHMARK(balls);
BENCHMARK(capsules);
BENCHMARK(ball_on_box);
BENCHMARK(capsule_on_box);
BENCHMARK(box_on_prism);
BENCHMARK(prisms);
BENCHMARK(boulders);
BENCHMARK(large_boulders);

}  // namespace
}  // namespace pliant::contact
