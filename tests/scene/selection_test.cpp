// Selections: every form of `where`, their borders, copies by name, surface vertices inside tets, and empty selections.
#include "pliant/scene/selection.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/mesh/surface.h"
#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;

class SelectionTest : public ::testing::Test {
 protected:
  BuiltScene built_ = build(SceneText{.body = ", position: [1, 0, 0]"}.parse());
  std::vector<SelectedPoint> selected(const Selection& where) {
    return select(built_.model, built_.state, 0, where, "scene.yaml:9");
  }
};

TEST_F(SelectionTest, VerticesAreTheUsersNumbersInTheOrderGiven) {
  const std::vector<SelectedPoint> points = selected(VertexSelection{{5, 0, 5}});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].vertex, 5);
  EXPECT_EQ(points[1].vertex, 0);
  EXPECT_LT((points[1].point.evaluate(built_.state.positions) - built_.model.bodies[0].rest.vertices[0]).norm(), 1e-16);
}

TEST_F(SelectionTest, BoxAndSphereTakeTheirBordersIn) {
  // The face x = 0.85 has 3 × 2 vertices; a box that only touches it, up to rounding, takes it in.
  EXPECT_EQ(selected(BoxSelection{Vec3(-9, -9, -9), Vec3(0.85, 9, 9)}).size(), 6U);
  EXPECT_EQ(selected(BoxSelection{Vec3(0.85, -9, -9), Vec3(0.85, 9, 9)}).size(), 6U);
  // Around the corner vertex (0.85, −0.1, −0.05): its neighbours at 0.1 along each axis.
  EXPECT_EQ(selected(SphereSelection{Vec3(0.85, -0.1, -0.05), 0.1}).size(), 4U);
  EXPECT_EQ(selected(SphereSelection{Vec3(0.85, -0.1, -0.05), 0.0999}).size(), 1U);
}

TEST_F(SelectionTest, BoundaryAndAll) {
  EXPECT_EQ(selected(AllSelection{}).size(), 24U);
  EXPECT_EQ(selected(BoundarySelection{}).size(), 24U);
  const BuiltScene thick = build(SceneText{.mesh = "{box: {cells: [3, 3, 3]}}"}.parse());
  EXPECT_EQ(select(thick.model, thick.state, 0, BoundarySelection{}, "").size(), 56U);
  EXPECT_EQ(select(thick.model, thick.state, 0, AllSelection{}, "").size(), 64U);
}

TEST_F(SelectionTest, EmptySelectionsNameTheExtent) {
  EXPECT_INPUT_ERROR(
      selected(BoxSelection{Vec3(5, 5, 5), Vec3(6, 6, 6)}),
      "scene.yaml:9: no vertex of body 'block' is selected; at the start it extends from [0.85, -0.1, -0.05] to "
      "[1.15, 0.1, 0.05]");
  EXPECT_INPUT_ERROR(selected(VertexSelection{}), "the list of vertices is empty");
  EXPECT_INPUT_ERROR(selected(VertexSelection{{24}}), "vertex 24 does not exist: body 'block' has vertices 0 to 23");
  EXPECT_INPUT_ERROR(selected(VertexSelection{{-1}}), "vertex -1 does not exist");
}

TEST_F(SelectionTest, BlocksAreUniqueAndAscending) {
  const std::vector<int> blocks = blocks_of(selected(VertexSelection{{7, 3, 7, 11}}));
  EXPECT_EQ(blocks.size(), 3U);
  EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
}

TEST_F(SelectionTest, TrianglesAreThoseWithAllCornersSelected) {
  // The end face has 2 × 1 cells, so four triangles, all with the outward normal −x.
  const std::vector<int> blocks = blocks_of(selected(BoxSelection{Vec3(0.85, -9, -9), Vec3(0.85, 9, 9)}));
  const std::vector<Vec3i> triangles = boundary_triangles_of(built_.model, 0, blocks);
  ASSERT_EQ(triangles.size(), 4U);
  double area = 0;
  for (const Vec3i& t : triangles) {
    const Vec3 a = built_.state.positions[t[1]] - built_.state.positions[t[0]],
               b = built_.state.positions[t[2]] - built_.state.positions[t[0]];
    const Vec3 normal = a.cross(b);
    EXPECT_LT(normal[0], 0);
    area += 0.5 * normal.norm();
  }
  EXPECT_NEAR(area, 0.2 * 0.1, 1e-15);
  EXPECT_TRUE(boundary_triangles_of(built_.model, 0, {blocks[0]}).empty());
}

TEST(Selection, SurfaceVerticesOfATetrahedralisedBodyMoveWithTheirTets) {
  const BuiltScene built =
      build(SceneText{.mesh = "{sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: 0.5}}"}.parse());
  const ModelBody& body = built.model.bodies[0];
  const int count = static_cast<int>(body.embedded->surface.vertices.size());
  const std::vector<SelectedPoint> points =
      select(built.model, built.state, 0, VertexSelection{{0, count - 1}}, "here");
  EXPECT_EQ(points[1].point.count, 4);
  EXPECT_LT((points[1].point.evaluate(built.state.positions) - body.embedded->surface.vertices[count - 1]).norm(),
            1e-12);
  EXPECT_INPUT_ERROR(select(built.model, built.state, 0, VertexSelection{{count}}, "here"), "here: vertex");
  EXPECT_LE(blocks_of(points).size(), 8U);
}

TEST(Selection, ANameStandsForAllCopiesAndNothingElse) {
  SceneText text{.body = ", copies: {count: [3, 1, 1], spacing: [1, 0, 0]}"};
  text.more =
      "  - {name: block2, position: [0, 5, 0], mesh: {box: {cells: [1, 1, 1]}}, material: soft}\n"
      "  - {name: third, position: [0, 9, 0], mesh: {box: {cells: [1, 1, 1]}}, material: soft}\n";
  Scene scene = text.parse();
  scene.bodies[2].name = "block.x";  // files refuse dots, scenes made in code may have them
  const BuiltScene built = build(scene);
  EXPECT_EQ(bodies_named(built.model, "block"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(bodies_named(built.model, "block.1"), (std::vector<int>{1}));
  EXPECT_EQ(bodies_named(built.model, "block2"), (std::vector<int>{3}));
  EXPECT_TRUE(bodies_named(built.model, "bloc").empty());
}

}  // namespace
}  // namespace pliant::scene
