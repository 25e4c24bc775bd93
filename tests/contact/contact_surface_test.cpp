// Joining bodies to one surface: each edge once, areas that sum to the surface's, obstacles last.
#include "pliant/contact/contact_surface.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pliant::contact {
namespace {

SurfacePart square(const std::string& name) {
  SurfacePart part;
  part.name = name;
  part.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(0, 0, 1)};
  part.triangles = {Vec3i(0, 1, 2), Vec3i(0, 2, 3)};
  return part;
}

TEST(ContactSurface, HasEachEdgeOnceAndAllArea) {
  SurfacePart cloth = square("cloth");
  for (int i = 0; i < 4; ++i) cloth.points.push_back(MappedPoint::vertex(i));
  const ContactSurface s = join({cloth}, {square("table")});
  EXPECT_EQ(s.edges.size(), 10U);
  EXPECT_EQ(s.triangles.size(), 4U);
  EXPECT_EQ(s.first_obstacle_point, 4);
  EXPECT_EQ(s.points[5].count, 0);
  EXPECT_EQ(s.body_of_point[5], 1);
  EXPECT_NEAR(std::accumulate(s.point_area.begin(), s.point_area.end(), 0.0), 2, 1e-12);
  EXPECT_NEAR(std::accumulate(s.edge_area.begin(), s.edge_area.end(), 0.0), 2, 1e-12);
  EXPECT_DOUBLE_EQ(s.shortest_edge, 1);
}

TEST(ContactSurface, LeavesTrianglesWithoutAreaOut) {
  SurfacePart cloth = square("cloth");
  for (int i = 0; i < 4; ++i) cloth.points.push_back(MappedPoint::vertex(i));
  cloth.triangles.emplace_back(1, 1, 2);
  EXPECT_EQ(join({cloth}, {}).triangles.size(), 2U);
}

TEST(ContactSurface, SegmentsPressOnTheirWidth) {
  SurfacePart rod;
  rod.name = "rod";
  rod.rest = {Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(1, 0, 0)};
  for (int i = 0; i < 3; ++i) rod.points.push_back(MappedPoint::vertex(2 * i));
  rod.segments = {{0, 1}, {1, 2}};
  rod.segment_width = 0.02;
  const ContactSurface s = join({rod}, {});
  EXPECT_EQ(s.edges.size(), 2U);
  EXPECT_DOUBLE_EQ(s.edge_area[0], 0.01);
  EXPECT_DOUBLE_EQ(s.point_area[1], 0.01);
  EXPECT_EQ(s.points[2].block[0], 4);
}

// A sphere is a point, a capsule a segment; both press on whatever area touches them.
TEST(ContactSurface, RoundObstaclesTakeTheAreaOfWhatTouchesThem) {
  SurfacePart cloth = square("cloth"), ball, capsule;
  for (int i = 0; i < 4; ++i) cloth.points.push_back(MappedPoint::vertex(i));
  ball.is_round = capsule.is_round = true;
  ball.rest = {Vec3(0, -1, 0)};
  ball.segments = {{0, 0}};
  capsule.rest = {Vec3(0, -2, 0), Vec3(1, -2, 0)};
  capsule.segments = {{0, 1}};
  const ContactSurface s = join({cloth}, {ball, capsule});
  ASSERT_EQ(s.edges.size(), 7U);
  EXPECT_EQ(s.edges[5], (std::array<int, 2>{4, 4}));
  EXPECT_EQ(s.edges[6], (std::array<int, 2>{5, 6}));
  for (const std::size_t e : {5U, 6U}) EXPECT_EQ(std::min(s.edge_area[e], 0.3), 0.3);
  for (const std::size_t p : {4U, 5U, 6U}) EXPECT_EQ(std::min(s.point_area[p], 0.3), 0.3);
}

TEST(ContactSurface, GrainsAreLooseDiscs) {
  SurfacePart grains;
  grains.name = "grains";
  grains.is_loose = true;
  grains.segment_width = 0.2;
  grains.rest = {Vec3(0, 0, 0), Vec3(0.5, 0, 0)};
  for (int v = 0; v < 2; ++v) {
    grains.points.push_back(MappedPoint::vertex(v));
    grains.segments.push_back({v, v});
  }
  const ContactSurface s = join({grains}, {square("table")});
  EXPECT_EQ(s.is_loose, (std::vector<unsigned char>{1, 0}));
  EXPECT_EQ(s.used_points().size(), 6U);
  for (int v = 0; v < 2; ++v) {
    EXPECT_NEAR(s.point_area[v], 0.031415926535898, 1e-14);
    EXPECT_NEAR(s.edge_area[v], 0.031415926535898, 1e-14);
  }
}

TEST(ContactSurface, PairsReachAsFarAsTheirRuleSays) {
  std::vector<SurfacePart> parts = {square("a"), square("b"), square("c")};
  for (int b = 0; b < 3; ++b) {
    for (int i = 0; i < 4; ++i) parts[b].points.push_back(MappedPoint::vertex(4 * b + i));
    parts[b].thickness = 0.01 * b;
  }
  ContactSurface s = join(parts, {});
  EXPECT_DOUBLE_EQ(s.reach(1, 2, 0.004).offset, 0.03);
  EXPECT_DOUBLE_EQ(s.reach(1, 2, 0.004).distance, 0.004);
  s.rules.change(0, 2, [](PairRule& rule) {
    rule.thickness = 0.1;
    rule.distance = 0.02;
  });
  s.rules.change(1, 1,
                 [](PairRule& rule) { rule.thickness = 0; });  // b with itself: less than its own, so its margin stays
  EXPECT_DOUBLE_EQ(s.reach(2, 0, 0.004).offset, 0.1);
  EXPECT_DOUBLE_EQ(s.reach(2, 0, 0.004).distance, 0.02);
  const std::vector<double> margins = s.margins(0.004);
  EXPECT_DOUBLE_EQ(margins[1], 0.012);
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const PairReach reach = s.reach(a, b, 0.004);
      EXPECT_GE(margins[a] + margins[b], reach.offset + reach.distance - 1e-15) << a << b;
    }
  }
}

}  // namespace
}  // namespace pliant::contact
