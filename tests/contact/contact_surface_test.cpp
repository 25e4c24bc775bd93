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

}  // namespace
}  // namespace pliant::contact
