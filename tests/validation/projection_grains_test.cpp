// Grains under projection: an hourglass empties at one rate however full it is, heaps are the steeper the more friction there
// is, and one that lies still goes on lying still. [validation/projection.md]
#include <numbers>

#include "tests/validation/projection_case.h"

namespace pliant::validation::projection_grains_test {
namespace {

// --- Discharge ---

// Least squares of count = rate t + start between 15 % and 75 % of the grains; unexplained: 1 − R².
struct Discharge {
  double rate = 0, unexplained = 1;  // 1/s, 1
};
Discharge fit(const std::vector<std::array<double, 2>>& points) {
  double t = 0, n = 0, tt = 0, tn = 0, nn = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& p : points) t += p[0] / count, n += p[1] / count;
  for (const auto& p : points) {
    tt += (p[0] - t) * (p[0] - t);
    tn += (p[0] - t) * (p[1] - n);
    nn += (p[1] - n) * (p[1] - n);
  }
  return {tn / tt, 1 - tn * tn / (tt * nn)};
}

Discharge discharge(int grains, double end) {
  SceneCase hopper("hopper.yaml", {fmt::format("bodies.sand.count={}", grains), fmt::format("time.end={}", end)});
  EXPECT_EQ(hopper.body(0).block_of_vertex.size(), static_cast<std::size_t>(grains));
  std::vector<std::array<double, 2>> points;
  hopper.run([&] {
    const double out = hopper.value("out");
    if (out > 0.15 * grains && out < 0.75 * grains) points.push_back({hopper.simulation().state().time, out});
  });
  EXPECT_GT(hopper.value("out"), 0.75 * grains);
  return fit(points);
}

// A liquid would run out √2 times as fast from twice the height; grains do not [Beverloo1961]: 0.58 n √g (D − 1.4 d)^2.5 grains
// per second out of a flat floor, n ≈ 0.6/(4/3 π r³) of them in a cubic metre. Steep cones let out some more.
TEST(ProjectionGrains, AnHourglassEmptiesAtOneRate) {
  const double radius = 3e-3, density = 0.6 / (4.0 / 3 * std::numbers::pi * std::pow(radius, 3));
  const double beverloo = 0.58 * density * std::sqrt(9.81) * std::pow(0.044 - 1.4 * 2 * radius, 2.5);
  const Discharge low = discharge(600, 0.3), high = discharge(1200, 0.45);
  for (const Discharge& found : {low, high}) {
    record("rate", found.rate);
    record("1 - R2", found.unexplained);
    record("rate / Beverloo", found.rate / beverloo);
    EXPECT_LT(found.unexplained, 2e-3);
    EXPECT_NEAR(found.rate, beverloo, 0.35 * beverloo);
  }
  EXPECT_NEAR(high.rate / low.rate, 1, 0.1);
}

// --- Heaps ---

std::vector<Vec3> places_of_grains(SceneCase& heap) {
  std::vector<Vec3> places;
  for (std::size_t v = 0; v < heap.body(0).block_of_vertex.size(); ++v)
    places.push_back(heap.position(0, static_cast<int>(v)));
  return places;
}

// In a cone of height H and radius R the mean height is H/4, the mean distance from the axis R/2: tan of its slope is H/R, twice
// the first over the second. Heights are those of grains over the floor.
double slope_of_heap(SceneCase& heap) {
  const std::vector<Vec3> places = places_of_grains(heap);
  const auto count = static_cast<double>(places.size());
  Vec3 mean = Vec3::Zero();
  for (const Vec3& x : places) mean += x / count;
  double height = 0, distance = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    height += (places[v].y() - heap.body(0).radii[v]) / count;
    distance += std::hypot(places[v].x() - mean.x(), places[v].z() - mean.z()) / count;
  }
  return std::atan2(2 * height, distance) * 180 / std::numbers::pi;
}

// A column of 300 grains of 4 to 6 mm falls apart; once it lies still it stays so. Degrees.
double heap_slope(double friction, int seed) {
  const ProjectionRun run{.step = 0.005, .end = 1.2, .friction = friction};
  SceneCase heap(projection_scene(
      run,
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: sand, kind: particles, material: {density: 2500, radius: 5.0e-3, radius_spread: 0.2}, count: 300, "
      "mesh: {cylinder: {radius: 0.04, height: 0.2}}, position: [0, 0.1005, 0]}\n"
      "probes: [{name: energy, quantity: energy}]\nseed: " +
          std::to_string(seed) + "\n"));
  std::vector<Vec3> lying;
  heap.run([&] {
    if (std::abs(heap.simulation().state().time - 0.9) < 1e-9) lying = places_of_grains(heap);
  });
  const double degrees = slope_of_heap(heap);
  record(fmt::format("friction {}, seed {}: slope [degrees]", friction, seed), degrees);
  if (friction == 0) return degrees;  // slides on for ever
  double moved = 0;
  const std::vector<Vec3> now = places_of_grains(heap);
  for (std::size_t v = 0; v < now.size(); ++v) moved = std::max(moved, (now[v] - lying[v]).norm());
  record(fmt::format("friction {}, seed {}: moved in 0.3 s [m]", friction, seed), moved);
  record(fmt::format("friction {}, seed {}: kinetic energy [J]", friction, seed), heap.value("energy.kinetic"));
  EXPECT_LT(moved, 5e-6);  // a thousandth of a radius
  EXPECT_LT(heap.value("energy.kinetic"), 1e-15);
  return degrees;
}

// The flattest of two heaps is steeper than the steepest with less friction; without friction there is one layer.
TEST(ProjectionGrains, HeapsAreTheSteeperTheMoreFriction) {
  double steepest = 0;
  for (const double friction : {0.0, 0.2, 0.5, 0.8}) {
    const double first = heap_slope(friction, 1), second = heap_slope(friction, 2);
    if (friction == 0) {
      EXPECT_LT(std::max(first, second), 1);
    } else {
      EXPECT_GT(std::min(first, second), steepest);
    }
    steepest = std::max(first, second);
  }
}

}  // namespace
}  // namespace pliant::validation::projection_grains_test
