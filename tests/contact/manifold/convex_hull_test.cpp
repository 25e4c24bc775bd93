// Hulls: they hold all points, their parts fit together (Euler), flat regions are one face, closest points are closest.
#include "pliant/contact/manifold/convex_hull.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "pliant/input_error.h"

namespace pliant::contact {
namespace {

Vec3 point_in_cube(std::mt19937& random) {
  std::uniform_real_distribution<double> in(-1, 1);
  return {in(random), in(random), in(random)};
}

// Twelve triangles and, on the top, four instead of two around a vertex in the middle, which comes last.
TriangleMesh cube_with_a_middle() {
  TriangleMesh cube;
  const ConvexHull hull = box_hull({1, 1, 1});
  cube.vertices = hull.vertices;
  cube.vertices.emplace_back(0, 1, 0);
  for (int f = 0; f < hull.face_count(); ++f) {
    const auto c = hull.face(f);
    if (hull.planes[f].normal[1] > 0.5) {
      for (int k = 0; k < 4; ++k) cube.triangles.emplace_back(c[k].vertex, c[(k + 1) % 4].vertex, 8);
    } else {
      cube.triangles.emplace_back(c[0].vertex, c[1].vertex, c[2].vertex);
      cube.triangles.emplace_back(c[0].vertex, c[2].vertex, c[3].vertex);
    }
  }
  return cube;
}

double volume_of(const ConvexHull& hull) {
  double six_volumes = 0;
  for (int f = 0; f < hull.face_count(); ++f) {
    const auto corners = hull.face(f);
    for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
      six_volumes += (hull.vertices[corners[0].vertex] - hull.centre)
                         .dot((hull.vertices[corners[k].vertex] - hull.centre)
                                  .cross(hull.vertices[corners[k + 1].vertex] - hull.centre));
    }
  }
  return six_volumes / 6;
}

void expect_hull_of(const ConvexHull& hull, std::span<const Vec3> points) {
  // V − E + F = 2, every edge between two different faces that walk it in opposite directions.
  EXPECT_EQ(int(hull.vertices.size()) - int(hull.edges.size()) + hull.face_count(), 2);
  EXPECT_EQ(hull.corners.size(), 2 * hull.edges.size());
  for (const HullEdge& edge : hull.edges) {
    EXPECT_NE(edge.left, edge.right);
    // left × right is along the edge: the hull is convex there.
    const Vec3 along = hull.vertices[edge.to] - hull.vertices[edge.from];
    EXPECT_GT(hull.planes[edge.left].normal.cross(hull.planes[edge.right].normal).dot(along), 0);
  }
  for (const Plane& plane : hull.planes) {
    EXPECT_NEAR(plane.normal.norm(), 1, 1e-14);
    for (const Vec3& p : points) EXPECT_LE(plane.normal.dot(p) - plane.offset, 1e-5);
    EXPECT_LT(plane.normal.dot(hull.centre) - plane.offset, 0);
  }
}

TEST(ConvexHull, OfRandomPoints) {
  std::mt19937 random(1);
  for (const int count : {4, 5, 8, 20, 300}) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(point_in_cube(random));
    expect_hull_of(convex_hull(points), points);
  }
}

TEST(ConvexHull, OfPointsOnASphere) {
  std::mt19937 random(2);
  std::vector<Vec3> points;
  for (int i = 0; i < 2000; ++i) points.push_back(point_in_cube(random).normalized());
  const ConvexHull hull = convex_hull(points);
  expect_hull_of(hull, points);
  EXPECT_NEAR(volume_of(hull), 4 * 3.14159265358979 / 3, 0.03);
}

TEST(ConvexHull, FlatRegionsAreOneFace) {
  // A cube of 5³ points, turned so that no plane is exact.
  const Mat3 turn = Eigen::Quaterniond(1, 2, 3, 4).normalized().toRotationMatrix();
  std::vector<Vec3> points;
  for (int i = 0; i < 125; ++i) points.push_back(turn * Vec3(i % 5, i / 5 % 5, i / 25));
  const ConvexHull hull = convex_hull(points);
  expect_hull_of(hull, points);
  EXPECT_EQ(hull.face_count(), 6);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.edges.size(), 12u);
  EXPECT_NEAR(volume_of(hull), 64, 1e-12);
  EXPECT_NEAR(hull.width, 2, 1e-12);
}

TEST(ConvexHull, OfABoxByFormula) {
  const ConvexHull hull = box_hull({1, 2, 3});
  expect_hull_of(hull, hull.vertices);
  EXPECT_NEAR(volume_of(hull), 48, 1e-12);
  EXPECT_EQ(hull.width, 1);
  EXPECT_EQ(hull.vertices[hull.support({1, -1, 1})], Vec3(1, -2, 3));
}

TEST(ConvexHull, RefusesFlatClouds) {
  const std::vector<Vec3> flat = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {0.3, 0, 0.2}};
  EXPECT_THROW((void)convex_hull(flat), InputError);
  EXPECT_THROW((void)convex_hull(std::span(flat).first(3)), InputError);
}

TEST(ConvexHull, TellsConvexMeshesFromOthers) {
  TriangleMesh cube = cube_with_a_middle();
  EXPECT_TRUE(is_convex(cube, 1e-9));
  // A dent, then none: the middle of a face pushed in.
  cube.vertices.back() *= 0.9;
  EXPECT_FALSE(is_convex(cube, 1e-3));
  EXPECT_TRUE(is_convex(cube, 0.2));
}

TEST(ConvexHull, ClosestPointIsClosest) {
  std::mt19937 random(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 15; ++i) points.push_back(point_in_cube(random));
  const ConvexHull hull = convex_hull(points);
  for (int round = 0; round < 2000; ++round) {
    const Vec3 p = 1.5 * point_in_cube(random);
    const HullPoint found = closest_point(hull, p, 10);
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12);
    ASSERT_LT((p - found.point - found.distance * found.normal).norm(), 1e-12);
    double highest = -1e300;
    for (const Plane& plane : hull.planes) {
      highest = std::max(highest, plane.normal.dot(p) - plane.offset);
      // The point found belongs to the hull.
      ASSERT_LE(plane.normal.dot(found.point) - plane.offset, found.distance > 0 ? 1e-12 : 1e300);
    }
    if (found.distance <= 0) {
      ASSERT_NEAR(found.distance, highest, 1e-14);
    } else {
      // The plane through it across the normal has the hull behind: nothing is closer.
      for (const Vec3& v : hull.vertices) ASSERT_LE(found.normal.dot(v - found.point), 1e-12);
    }
  }
}

}  // namespace
}  // namespace pliant::contact
