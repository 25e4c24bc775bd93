// Distances against formulas, sides against known solids.
#include "pliant/mesh/signed_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/parallel/parallel.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant::mesh {
namespace {

// Signed distance to a cube with half edge h.
double cube_distance(const Vec3& p, double h) {
  const Vec3 q = p.cwiseAbs() - Vec3::Constant(h);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

TEST(ClosestPointOnTriangle, BeatsEverySampledPointAndLiesInTheTriangle) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-1, 1);
  const auto point = [&] { return Vec3(place(random), place(random), place(random)); };
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 a = point(), b = point(), c = trial % 10 == 0 ? Vec3(0.5 * (a + b)) : point(), p = 2 * point();
    const Vec3 q = closest_point_on_triangle(p, a, b, c);
    double best = 1e300, nearest_to_q = 1e300;
    for (int i = 0; i <= 40; ++i) {
      for (int j = 0; i + j <= 40; ++j) {
        const Vec3 x = a + (b - a) * i / 40.0 + (c - a) * j / 40.0;
        best = std::min(best, (x - p).norm());
        nearest_to_q = std::min(nearest_to_q, (x - q).norm());
      }
    }
    EXPECT_LE((q - p).norm(), best + 1e-12);
    EXPECT_LT(nearest_to_q, 0.1);
  }
}

TEST(SignedDistance, CubeHasItsFormula) {
  const SignedDistance cube(shapes::make_cube(2));
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(-2, 2);
  std::vector<Vec3> points;
  for (int i = 0; i < 3000; ++i) points.emplace_back(place(random), place(random), place(random));
  const std::vector<double> distances = cube.signed_distances(points);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(distances[i], cube_distance(points[i], 1), 1e-12);
}

TEST(SignedDistance, WindingNumberOfTheBunnyIsAnInteger) {
  const SignedDistance bunny(shapes::read_bunny());
  EXPECT_TRUE(bunny.closed());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-6, 10);
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const double w = bunny.winding_number(Vec3(place(random), place(random), place(random)));
    EXPECT_LT(std::abs(w - std::round(w)), 0.02);
    inside += w > 0.5 ? 1 : 0;
  }
  // 16³ · fraction inside = volume, 194.3, within four standard deviations of the count.
  EXPECT_NEAR(inside, 3000 * 194.288 / 4096, 4 * std::sqrt(3000 * 0.0474 * 0.9526));
}

TEST(SignedDistance, NestedAndOpenSurfaces) {
  // A shell: a sphere with a turned smaller one inside.
  TriangleMesh shell = shapes::make_sphere(1, 3);
  TriangleMesh inner = shapes::make_sphere(0.5, 3);
  shapes::turn(inner);
  shapes::append(shell, inner);
  const SignedDistance distance(shell);
  EXPECT_FALSE(distance.inside(Vec3::Zero()));
  EXPECT_TRUE(distance.inside(Vec3(0.75, 0, 0)));
  EXPECT_FALSE(distance.inside(Vec3(1.2, 0, 0)));

  // A sphere with a hole still has an inside and an outside.
  TriangleMesh open = shapes::make_sphere(1, 3);
  std::erase_if(open.triangles, [&](const Vec3i& t) { return open.vertices[t[0]][2] > 0.9; });
  const SignedDistance holed(open);
  EXPECT_FALSE(holed.closed());
  EXPECT_TRUE(holed.inside(Vec3::Zero()));
  EXPECT_TRUE(holed.inside(Vec3(0, 0, -0.95)));
  EXPECT_FALSE(holed.inside(Vec3(0, 0, 1.2)));
}

TEST(SignedDistance, RowsGiveTheSameAsSinglePoints) {
  const TriangleMesh surface = shapes::read_bunny();
  const SignedDistance bunny(surface);
  std::vector<Vec3> row;
  for (int j = 0; j < 10; ++j) {
    for (int i = 0; i < 100; ++i) row.emplace_back(-6 + 0.12 * i, 0.5 + j, 0.1);
  }
  std::vector<char> inside(row.size());
  bunny.find_inside(row, inside);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(inside[i] != 0, bunny.inside(row[i])) << i;
}

TEST(SignedDistance, CrossingsAreOnTheSurfaceAndSeamsCountOnce) {
  const SignedDistance cube(shapes::make_cube(2));
  // Through the middle of a face, which is the diagonal shared by its two triangles.
  const std::vector<double> through = cube.crossings(Vec3(0, 0, -2), Vec3(0, 0, 2));
  ASSERT_EQ(through.size(), 2U);
  EXPECT_NEAR(through[0], 0.25, 1e-12);
  EXPECT_NEAR(through[1], 0.75, 1e-12);
  EXPECT_NEAR(cube.boundary_crossing(Vec3(0.1, 0.2, 0), Vec3(0.1, 0.2, 4), true), 0.25, 1e-12);
  EXPECT_NEAR(cube.boundary_crossing(Vec3(0.1, 0.2, 4), Vec3(0.1, 0.2, 0), false), 0.75, 1e-12);
  // Three sheets on the way: any place where the side changes will do.
  TriangleMesh two = shapes::make_cube(2), other = shapes::make_cube(2);
  for (Vec3& x : other.vertices) x[2] += 3;
  shapes::append(two, other);
  const double t = SignedDistance(two).boundary_crossing(Vec3(0.1, 0.2, 0), Vec3(0.1, 0.2, 6), true);
  const double z = 6 * t;
  EXPECT_LT(std::min({std::abs(z - 1), std::abs(z - 2), std::abs(z - 4)}), 1e-6);
}

TEST(SignedDistance, SameBitsForAnyThreadCount) {
  const SignedDistance sphere(shapes::make_sphere(1, 3));
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.emplace_back(std::sin(i), std::cos(2.0 * i), std::sin(3.0 * i));
  set_thread_count(1);
  const std::vector<double> one = sphere.signed_distances(points);
  set_thread_count(3);
  EXPECT_EQ(one, sphere.signed_distances(points));
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::mesh
