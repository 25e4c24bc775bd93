#include "pliant/picture/smooth_normals.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/picture/small_result.h"

namespace pliant::picture {
namespace {

TEST(SmoothNormals, OfABallPointOutwards) {
  const TriangleMesh mesh = testing::ball_of_triangles(16, 24);
  const SmoothNormals smooth(mesh);
  EXPECT_EQ(smooth.normal_count(), static_cast<int>(mesh.vertices.size()));
  const std::vector<Vec3> normals = smooth.normals(mesh.vertices, mesh.triangles);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (int c = 0; c < 3; ++c) {
      const Vec3& normal = normals[static_cast<std::size_t>(smooth.corner_normals()[t][c])];
      EXPECT_GT(normal.dot(mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][c])]), 0.999);
    }
  }
}

TEST(SmoothNormals, OfABoxAreThoseOfItsFaces) {
  const TriangleMesh mesh = testing::unit_box();
  const SmoothNormals smooth(mesh);
  EXPECT_EQ(smooth.normal_count(), 24);
  const std::vector<Vec3> normals = smooth.normals(mesh.vertices, mesh.triangles);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto at = [&](int c) { return mesh.vertices[static_cast<std::size_t>(mesh.triangles[t][c])]; };
    const Vec3 face = (at(1) - at(0)).cross(at(2) - at(0)).normalized();
    for (int c = 0; c < 3; ++c)
      EXPECT_LT((normals[static_cast<std::size_t>(smooth.corner_normals()[t][c])] - face).norm(), 1e-12);
  }
}

// Two triangles hinged by an angle: together below the crease angle, apart above it.
TEST(SmoothNormals, CreaseAngleDecidesAtRest) {
  for (const double degrees : {45.0, 55.0}) {
    const double angle = degrees * std::numbers::pi / 180;
    const TriangleMesh mesh{
        {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {std::cos(angle), std::sin(angle), 0}}, {{0, 2, 1}, {0, 1, 3}}, {}};
    const SmoothNormals smooth(mesh);
    EXPECT_EQ(smooth.normal_count(), degrees < 50 ? 4 : 6) << degrees;
    // Folded further, what is together stays together.
    std::vector<Vec3> folded = mesh.vertices;
    folded[3] = Vec3(0, 1, 0);
    EXPECT_EQ(smooth.normals(folded, mesh.triangles).size(), static_cast<std::size_t>(smooth.normal_count()));
  }
}

TEST(SmoothNormals, EdgesOfThreeTrianglesAreSharp) {
  const TriangleMesh mesh{
      {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 2, 1}, {0, 1, 3}, {0, 1, 4}}, {}};
  EXPECT_EQ(SmoothNormals(mesh).normal_count(), 9);
}

}  // namespace
}  // namespace pliant::picture
