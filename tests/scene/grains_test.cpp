// Grains: none overlap, all are where they belong, births follow the rate, and the seed decides everything.
#include "pliant/scene/grains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/contact/sphere_pairs.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

Scene scene_of(const std::string& body, const std::string& material = "density: 2500, radius: 0.01",
               const std::string& more = "") {
  Scene scene =
      parse_scene("pliant: 1\ntime: {end: 1, step: 0.01}\nbodies: [{name: sand, kind: particles, material: {" +
                      material + "}, " + body + "}]\n" + more,
                  "scene.yaml");
  return scene;
}

PlacedBody placed(const Scene& scene) { return place_bodies(scene).front(); }

double least_gap(const std::vector<Vec3>& centres, const std::vector<double>& radii) {
  contact::SpherePairs near;
  near.find(centres, radii, *std::max_element(radii.begin(), radii.end()));
  double least = 1e300;
  for (const auto& [i, j] : near.pairs())
    least = std::min(least, (centres[i] - centres[j]).norm() - radii[i] - radii[j]);
  return least;
}

TEST(Grains, FillABoxDenselyWithoutOverlap) {
  const PlacedBody grains = placed(scene_of("mesh: {box: {size: [1, 0.6, 0.8]}}, position: [5, 0, 0]"));
  const double radius = 0.01;
  EXPECT_GT(least_gap(grains.mesh.vertices, grains.radii), 0.049 * radius);
  int inner = 0;
  for (std::size_t i = 0; i < grains.radii.size(); ++i) {
    const Vec3& x = grains.mesh.vertices[i];
    EXPECT_EQ(grains.radii[i], radius);
    EXPECT_LE(std::abs(x[0] - 5) + radius, 0.5);
    EXPECT_LE(std::abs(x[1]) + radius, 0.3);
    EXPECT_LE(std::abs(x[2]) + radius, 0.4);
    if (std::abs(x[0] - 5) < 0.4 && std::abs(x[1]) < 0.2 && std::abs(x[2]) < 0.3) ++inner;
  }
  // Away from the border: that of a close packing, at spacings longer by a twentieth.
  const double packed = std::numbers::pi / std::sqrt(18.0) / std::pow(1.05, 3);
  EXPECT_NEAR(inner * 4.0 / 3 * std::numbers::pi * std::pow(radius, 3) / (0.8 * 0.4 * 0.6), packed, 0.03 * packed);
  EXPECT_TRUE(grains.births.empty());
}

TEST(Grains, RadiiSpreadEvenly) {
  const PlacedBody grains =
      placed(scene_of("mesh: {box: {size: [1, 1, 1]}}", "density: 2500, radius: 0.01, radius_spread: 0.3"));
  const auto [least, most] = std::minmax_element(grains.radii.begin(), grains.radii.end());
  EXPECT_GE(*least, 0.007);
  EXPECT_LE(*most, 0.013);
  const auto count = static_cast<double>(grains.radii.size());
  EXPECT_GT(count, 20000);
  const double mean = std::accumulate(grains.radii.begin(), grains.radii.end(), 0.0) / count;
  EXPECT_NEAR(mean, 0.01, 4 * 0.003 / std::sqrt(3 * count));  // four standard deviations of a mean
  EXPECT_GT(least_gap(grains.mesh.vertices, grains.radii), 0.024 * 0.013);
}

TEST(Grains, FillAnyClosedMeshAndKeepTheirSizeWhenItIsScaled) {
  const PlacedBody grains = placed(scene_of("mesh: {sphere: {radius: 0.1, subdivisions: 4}}, scale: 2"));
  EXPECT_GT(grains.radii.size(), 2500u);  // half the volume of the ball, at least
  for (const Vec3& x : grains.mesh.vertices) EXPECT_LE(x.norm() + 0.01, 0.2);
  EXPECT_GT(least_gap(grains.mesh.vertices, grains.radii), 0.049 * 0.01);
}

TEST(Grains, CountIsTakenFromBelow) {
  const PlacedBody all = placed(scene_of("mesh: {box: {size: [0.2, 0.2, 0.2]}}"));
  const PlacedBody some = placed(scene_of("mesh: {box: {size: [0.2, 0.2, 0.2]}}, count: 60"));
  ASSERT_EQ(some.radii.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(some.mesh.vertices[i], all.mesh.vertices[i]);
  EXPECT_LT(some.mesh.vertices.back()[1], all.mesh.vertices.back()[1] - 0.1);
}

TEST(Grains, FollowTheSeed) {
  const std::string box = "mesh: {box: {size: [0.1, 0.1, 0.1]}}";
  const PlacedBody one = placed(scene_of(box)), again = placed(scene_of(box)),
                   other = placed(scene_of(box, "density: 2500, radius: 0.01", "seed: 2\n"));
  EXPECT_EQ(one.mesh.vertices, again.mesh.vertices);
  EXPECT_NE(one.mesh.vertices, other.mesh.vertices);
}

TEST(Grains, MeshesThatCannotBeFilledAreRefused) {
  EXPECT_INPUT_ERROR(placed(scene_of("mesh: {box: {size: [0.015, 1, 1]}}")), "no particle of radius 0.01 m fits");
  EXPECT_INPUT_ERROR(placed(scene_of("mesh: {box: {}}", "radius: 1.0e-4")), "larger radius");
}

// --- Emitters ---

std::string emitter_of(double rate, const std::string& more) {
  return "emitter: {rate: " + std::to_string(rate) + ", " + more + "}";
}

TEST(Grains, AreBornInTimeAndInTheOpening) {
  const Scene scene =
      scene_of(emitter_of(333, "from: {center: [0, 1, 0], radius: 0.08}, velocity: [0, -1, 0], until: 0.6"));
  const PlacedBody grains = placed(scene);
  ASSERT_EQ(grains.births.size(), 200u);  // k/333 < 0.6
  for (std::size_t k = 0; k < grains.births.size(); ++k) {
    const double asked = static_cast<double>(k) / 333, steps = grains.births[k] / 0.01;
    EXPECT_GE(grains.births[k], asked - 1e-9);
    EXPECT_LT(grains.births[k], asked + 0.01);
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
    EXPECT_LE((grains.mesh.vertices[k] - Vec3(0, 1, 0)).norm(), 0.08);
  }
  Scene few = scene;
  few.bodies[0].emitter->count = 30;
  EXPECT_EQ(placed(few).births.size(), 30u);
}

// At every birth those that are falling already are out of the way.
TEST(Grains, AreBornWithoutOverlap) {
  const Scene scene =
      scene_of(emitter_of(2000, "from: {box: {min: [-0.1, 1, -0.1], max: [0.1, 1, 0.1]}}, velocity: [0, -1, 0]"),
               "density: 2500, radius: 0.01, radius_spread: 0.5");
  const PlacedBody grains = placed(scene);
  ASSERT_EQ(grains.births.size(), 2000u);
  const double h = scene.time.step;
  for (int step = 0; step < 100; step += 7) {
    std::vector<Vec3> there;
    std::vector<double> radii;
    for (std::size_t k = 0; k < grains.births.size() && grains.births[k] <= step * h + 1e-9; ++k) {
      const double n = step - std::round(grains.births[k] / h);
      there.push_back(grains.mesh.vertices[k] + n * h * scene.bodies[0].emitter->velocity +
                      0.5 * n * (n + 1) * h * h * scene.gravity);
      radii.push_back(grains.radii[k]);
    }
    EXPECT_GT(least_gap(there, radii), 0.049 * 0.015) << step;
  }
}

TEST(Grains, RatesThatAnOpeningCannotGiveAreRefused) {
  const std::string from = "from: {box: {min: [-0.05, 1, -0.05], max: [0.05, 1, 0.05]}}";
  EXPECT_INPUT_ERROR(placed(scene_of(emitter_of(5000, from + ", velocity: [0, -0.1, 0]"))), "emitter.rate is too high");
  EXPECT_INPUT_ERROR(placed(scene_of(emitter_of(1e9, from))), "more than 1e+07 particles");
  EXPECT_EQ(placed(scene_of(emitter_of(500, from + ", velocity: [0, -1, 0]"))).births.size(), 500u);
}

}  // namespace
}  // namespace pliant::scene
