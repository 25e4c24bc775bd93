// Reach, area and least distance of a pair.
#include "pliant/contact/pair_measures.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/contact/above_floor.h"

namespace pliant::contact {
namespace {

// Two parallel triangles of one body, 0.1 m apart at rest, and one of another body; a half-space below.
struct ThreeTriangles {
  ContactSurface surface;
  BlockVector q;
  Controls controls;
};

ThreeTriangles three_triangles() {
  std::vector<SurfacePart> parts(2);
  parts[0].name = "a";
  parts[0].thickness = 0.01;
  parts[0].rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, 0.1, 0), Vec3(1, 0.1, 0), Vec3(0, 0.1, 1)};
  parts[0].triangles = {Vec3i(0, 2, 1), Vec3i(3, 5, 4)};
  parts[1].name = "b";
  parts[1].thickness = 0.02;
  parts[1].rest = {Vec3(0, 0.5, 0), Vec3(2, 0.5, 0), Vec3(0, 0.5, 2)};
  parts[1].triangles = {Vec3i(0, 2, 1)};
  ThreeTriangles made;
  made.surface = join_above_floor(parts, -1);
  made.q.resize(made.surface.first_obstacle_point);
  for (int b = 0; b < made.q.size(); ++b) made.q[b] = made.surface.rest_points[static_cast<std::size_t>(b)];
  made.controls.obstacle_before = {made.surface.rest_points.back()};
  made.controls.obstacle_points = {Vec3(0, 1, 0)};
  return made;
}

// With a contact distance of 0.05 m.
PairReach full_reach_of(const ThreeTriangles& made, const Candidate& pair) {
  const std::array<int, 4> point = points_of(made.surface, pair);
  return reach_of(made.surface, pair, point, reach_of_bodies(made.surface, pair.kind, point, 0.05));
}

TEST(PairMeasures, PlacesObstaclesOnTheirWay) {
  const ThreeTriangles made = three_triangles();
  std::vector<Vec3> x;
  place_points(made.surface, made.controls, made.q, 0.25, x);
  EXPECT_EQ(x.back(), Vec3(0, -0.5, 0));
  EXPECT_EQ(x[4], Vec3(1, 0.1, 0));
  const FourPoints four = gather({4, made.surface.first_obstacle_point, -1, -1}, x);
  EXPECT_EQ(four[1], x.back());
  EXPECT_EQ(four[2], Vec3::Zero());
}

TEST(PairMeasures, ReachesLessWhereABodyIsNearItselfAtRest) {
  const ThreeTriangles made = three_triangles();
  const Candidate own{PairKind::point_triangle, 0, 1}, other{PairKind::point_triangle, 0, 2};
  const PairReach far = full_reach_of(made, other);
  EXPECT_DOUBLE_EQ(far.offset, 0.03);
  EXPECT_DOUBLE_EQ(far.distance, 0.05);
  // At rest they are 0.1 m apart: half of that is for both reaches, in their proportion.
  const PairReach near = full_reach_of(made, own);
  EXPECT_NEAR(near.offset + near.distance, 0.05, 1e-15);
  EXPECT_NEAR(near.offset / near.distance, 0.02 / 0.05, 1e-12);
}

TEST(PairMeasures, TakesTheSmallerArea) {
  const ThreeTriangles made = three_triangles();
  std::vector<Vec3> x;
  place_points(made.surface, made.controls, made.q, 0, x);
  const Candidate point{PairKind::point_triangle, 0, 2}, plane{PairKind::point_plane, 0, 0};
  EXPECT_DOUBLE_EQ(area_of(made.surface, point), 0.5 / 3);
  EXPECT_DOUBLE_EQ(area_of(made.surface, plane), 0.5 / 3);
  EXPECT_EQ(second_body_of(made.surface, point.kind, points_of(made.surface, point)), 1);
  EXPECT_EQ(parallel_threshold(made.surface, point.kind, points_of(made.surface, point)), 0);
  // Edges that are parallel have no area once mollified, those across each other all of it.
  for (int e = 0; e < 3; ++e) {
    const Candidate edges{PairKind::edges, 0, 6 + e};
    const FourPoints four = gather(points_of(made.surface, edges), x);
    const double sine = (four[1] - four[0]).normalized().cross((four[3] - four[2]).normalized()).norm();
    const double threshold = parallel_threshold(made.surface, edges.kind, points_of(made.surface, edges));
    const double area = edge_mollifier(four, threshold).value * area_of(made.surface, edges);
    EXPECT_NEAR(area, sine < 1e-12 ? 0 : 0.5 / 3, 1e-15) << e;
  }
}

// At 16 moments of the way pairs are as far apart as is said, and of most that are far it is said.
TEST(PairMeasures, FarIsNeverNear) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto point = [&] { return Vec3(number(random), number(random), number(random)); };
  int far = 0, found = 0;
  for (int n = 0; n < 5000; ++n) {
    const PairKind kind = n % 2 == 0 ? PairKind::edges : PairKind::point_triangle;
    const double distance = 0.1 * (1 + number(random));
    const Vec3 shift = 2 * point();
    FourPoints from, to;
    for (std::size_t j = 0; j < 4; ++j) {
      from[j] = 0.5 * point();
      if (j >= (kind == PairKind::edges ? 2U : 1U)) from[j] += shift;
      to[j] = from[j] + 0.2 * point();
    }
    double nearest = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= 16; ++k) {
      FourPoints at;
      for (std::size_t j = 0; j < 4; ++j) at[j] = from[j] + k / 16.0 * (to[j] - from[j]);
      nearest = std::min(nearest, closest_of(kind, at).distance());
    }
    const double said = distance_along_middles(kind, from, to);
    EXPECT_GT(nearest, said - 1e-14) << n;
    far += nearest > distance ? 1 : 0;
    found += said > distance ? 1 : 0;
  }
  EXPECT_GT(found, far / 2);
}

TEST(PairMeasures, KnowsWhatMovesAndHowFar) {
  ThreeTriangles made = three_triangles();
  made.controls.filter = BlockFilter(made.q.size());
  made.controls.filter.hold(1);
  made.controls.filter.hold(2, Vec3::UnitY());
  std::vector<unsigned char> is_fixed;
  find_fixed_points(made.surface, made.controls, is_fixed);
  for (std::size_t i = 0; i < is_fixed.size(); ++i)
    EXPECT_EQ(is_fixed[i] != 0, i == 1 || static_cast<int>(i) >= made.surface.first_obstacle_point) << i;
  BlockVector d(made.q.size());
  sparse::set_zero(d);
  d[4] = Vec3(1, 2, 3);
  std::vector<Vec3> way;
  find_ways(made.surface, made.controls, d, 0.5, way);
  EXPECT_EQ(way[4], Vec3(1, 2, 3));
  EXPECT_EQ(way[3], Vec3::Zero());
  EXPECT_EQ(way.back(), Vec3(0, 1, 0));  // half of the floor's two metres
}

}  // namespace
}  // namespace pliant::contact
