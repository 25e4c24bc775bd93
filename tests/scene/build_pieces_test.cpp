// What rigid bodies and obstacles are to contact: the generator's formula, a hull, or a mesh; where the body has them.
#include "pliant/scene/build_pieces.h"

#include <gtest/gtest.h>

#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"

namespace pliant {
namespace {

using contact::ConvexKind;

std::vector<contact::ContactPiece> pieces_of(const std::string& bodies) {
  return build(parse_scene("pliant: 1\ntime: {end: 1}\nsolver: {method: projection}\nbodies:\n" + bodies, "scene.yaml"))
      .model.pieces;
}

TEST(BuildPieces, TakesTheGeneratorsFormula) {
  const auto pieces = pieces_of(R"(
  - {name: ball, kind: rigid, mesh: {sphere: {radius: 0.5}}, material: {density: 1}, scale: 2}
  - {name: box, kind: rigid, mesh: {box: {size: [1, 2, 4], cells: [1, 1, 1]}}, material: {density: 1}, position: [5, 0, 0]}
  - {name: pill, kind: rigid, mesh: {capsule: {radius: 0.2, height: 1}}, material: {density: 1}, position: [9, 0, 0]}
  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -3, 0]}
)");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].shape->kind, ConvexKind::ball);
  EXPECT_DOUBLE_EQ(pieces[0].shape->radius, 1);
  EXPECT_EQ(pieces[1].shape->kind, ConvexKind::box);
  EXPECT_EQ(pieces[1].shape->half_size, Vec3(0.5, 1, 2));
  EXPECT_DOUBLE_EQ(pieces[1].thickness, 0.5);
  EXPECT_NEAR(pieces[1].size, Vec3(0.5, 1, 2).norm(), 1e-12);
  EXPECT_EQ(pieces[2].shape->kind, ConvexKind::capsule);
  EXPECT_DOUBLE_EQ(pieces[2].shape->half_height, 0.5);
  EXPECT_EQ(pieces[3].shape->kind, ConvexKind::half_space);
  EXPECT_EQ(pieces[3].own.shift, Vec3(0, -3, 0));
  EXPECT_EQ(pieces[3].rigid, -1);
  EXPECT_EQ(pieces[3].obstacle, 0);
  EXPECT_EQ(pieces[3].body, 3);
}

TEST(BuildPieces, OtherMeshesAreHullsOrThemselves) {
  const auto pieces = pieces_of(R"(
  - {name: drum, kind: rigid, mesh: {cylinder: {radius: 0.5, height: 1}}, material: {density: 1}}
  - {name: ring, kind: rigid, mesh: {torus: {radius: 1, tube: 0.2}}, material: {density: 1}, position: [5, 0, 0]}
  - {name: cut, kind: rigid, mesh: {box: {cells: [1, 1, 1]}}, shape: mesh, material: {density: 1}, position: [9, 0, 0]}
)");
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].shape->kind, ConvexKind::hull);
  EXPECT_FALSE(pieces[1].shape);
  EXPECT_NE(pieces[1].mesh, nullptr);
  EXPECT_NE(pieces[2].mesh, nullptr);
}

TEST(BuildPieces, NoneWithoutRigidBodies) {
  EXPECT_TRUE(pieces_of("  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n").empty());
}

}  // namespace
}  // namespace pliant
