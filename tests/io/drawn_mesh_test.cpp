// What is drawn of each kind of body, and that it follows the body's vertices.
#include "pliant/io/drawn_mesh.h"

#include <gtest/gtest.h>

#include "pliant/mesh/box_mesh.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

TEST(DrawnMesh, TetsAreDrawnByTheirBoundary) {
  const TetMesh box = make_box({.size = {1, 1, 1}, .cells = {3, 3, 3}});
  const DrawnMesh drawn(body_mesh(box));
  EXPECT_EQ(drawn.shape(), CellShape::triangle);
  EXPECT_EQ(drawn.vertex_count(), 64 - 8);  // all but the inner 2×2×2
  EXPECT_EQ(drawn.cells().size(), 3U * 2 * 9 * 6);
  std::vector<Vec3> moved = box.vertices;
  std::vector<double> heights;
  for (Vec3& x : moved) {
    x += Vec3(0, x[0] * x[0], 1);
    heights.push_back(x[1]);
  }
  const std::vector<Vec3> vertices = drawn.vertices(moved);
  const std::vector<double> values = drawn.vertex_values(heights);
  for (int v = 0; v < drawn.vertex_count(); ++v) {
    EXPECT_EQ(vertices[v], moved[drawn.source_vertex(v)]);
    EXPECT_EQ(values[v], vertices[v][1]);
  }
}

TEST(DrawnMesh, EmbeddedSurfacesFollowTheirTets) {
  const BodyMesh jelly = testing::small_scene()[0].mesh;
  const DrawnMesh drawn(jelly);
  ASSERT_EQ(drawn.vertex_count(), 3);
  EXPECT_EQ(drawn.source_vertex(0), -1);
  std::vector<Vec3> moved = jelly.rest_positions;
  for (Vec3& x : moved) x = Vec3(2 * x[1], -x[0], x[2] + 3);  // affine: the surface must follow exactly
  const std::vector<Vec3> vertices = drawn.vertices(moved);
  for (int v = 0; v < 3; ++v) {
    const Vec4 w = jelly.surface->weights[v];
    Vec3 rest = Vec3::Zero();
    for (int c = 0; c < 4; ++c) rest += w[c] * jelly.rest_positions[c];
    EXPECT_LT((vertices[v] - Vec3(2 * rest[1], -rest[0], rest[2] + 3)).norm(), 1e-15);
  }
  const std::vector<double> values = drawn.vertex_values(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_EQ(drawn.nearest_source_vertex(0), 0);  // weight 0.7
  EXPECT_NEAR(values[0], 0.7 * 1 + 0.1 * (2 + 3 + 4), 1e-15);
}

TEST(DrawnMesh, QuantitiesAreNotExtrapolated) {
  BodyMesh jelly = testing::small_scene()[0].mesh;
  jelly.surface->weights[0] = {2, -1, 0, 0};  // outside its tet
  EXPECT_NEAR(DrawnMesh(jelly).vertex_values(std::vector<double>{1, 9, 9, 9, 9})[0], 1, 1e-15);
}

TEST(DrawnMesh, RodsAndGrainsAreDrawnAsTheyAre) {
  const auto bodies = testing::small_scene();
  const DrawnMesh rod(bodies[2].mesh), grains(bodies[4].mesh);
  EXPECT_EQ(rod.shape(), CellShape::segment);
  EXPECT_EQ(rod.cells(), (std::vector<int>{0, 1, 1, 2}));
  EXPECT_TRUE(rod.mesh().triangles.empty());
  EXPECT_EQ(grains.shape(), CellShape::point);
  EXPECT_EQ(grains.vertex_count(), 4);
  EXPECT_EQ(grains.source_vertex(3), 3);
}

}  // namespace
}  // namespace pliant::io
