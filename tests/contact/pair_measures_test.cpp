// Reach, area and safe way of a pair.
#include "pliant/contact/pair_measures.h"

#include <gtest/gtest.h>

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
  int block = 0;
  for (SurfacePart& part : parts) {
    for (std::size_t i = 0; i < part.rest.size(); ++i) part.points.push_back(MappedPoint::vertex(block++));
  }
  SurfacePart floor;
  floor.name = "floor";
  floor.rest = {Vec3(0, -1, 0)};
  ThreeTriangles made;
  made.surface = join(parts, {floor});
  made.surface.planes.push_back({made.surface.first_obstacle_point, Vec3::UnitY()});
  made.q.resize(block);
  for (int b = 0; b < block; ++b) made.q[b] = made.surface.rest_points[static_cast<std::size_t>(b)];
  made.controls.obstacle_before = floor.rest;
  made.controls.obstacle_points = {Vec3(0, 1, 0)};
  return made;
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
  const PairReach far = reach_of(made.surface, other, points_of(made.surface, other), 0.05);
  EXPECT_DOUBLE_EQ(far.offset, 0.03);
  EXPECT_DOUBLE_EQ(far.distance, 0.05);
  // At rest they are 0.1 m apart: half of that is for both reaches, in their proportion.
  const PairReach near = reach_of(made.surface, own, points_of(made.surface, own), 0.05);
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

TEST(PairMeasures, StopsBeforeAPlaneAndATriangle) {
  const ThreeTriangles made = three_triangles();
  std::vector<Vec3> x;
  place_points(made.surface, made.controls, made.q, 0, x);
  const Candidate plane{PairKind::point_plane, 0, 0}, triangle{PairKind::point_triangle, 3, 2};
  FourPoints way{Vec3(0, -4, 0), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  // 1 m above the plane with an offset of 0.2: of the 0.8 m a fifth is kept.
  EXPECT_NEAR(safe_fraction_of(made.surface, plane, gather(points_of(made.surface, plane), x), way, 0.2, 0.2), 0.64 / 4,
              1e-15);
  way[0] = Vec3(0.1, 0.8, 0.1);
  const double safe =
      safe_fraction_of(made.surface, triangle, gather(points_of(made.surface, triangle), x), way, 0, 0.2);
  EXPECT_GT(safe, 0.3);
  EXPECT_LE(safe, 0.4);  // 0.4 of 0.8 m: a fifth of the 0.4 m gap is left
}

}  // namespace
}  // namespace pliant::contact
