// Bad starts mended: bodies part the short way, what is held stays, and what has no room is said.
#include "pliant/scene/separate_bodies.h"

#include <gtest/gtest.h>

#include "pliant/scene/build_model.h"
#include "pliant/scene/verification.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using testing::SceneText;

const std::string kSeparate = "contact: {distance: 1.0e-3, initial_intersections: separate}\n";

// The block is 0.3 × 0.2 × 0.1 m around the origin.
SceneText with(const std::string& bodies) { return testing::touching(bodies + kSeparate); }

// How far a body was moved: all its vertices alike. The start is clean.
Vec3 moved(const BuiltScene& built, int body) {
  EXPECT_TRUE(scene::judge_state(built.model, built.state.positions, 0).is_clean());
  const ModelBody& b = built.model.bodies[static_cast<std::size_t>(body)];
  const Vec3 way = Vec3(built.state.positions[b.block_of_vertex[0]]) - b.rest.vertices[0];
  for (std::size_t v = 0; v < b.rest.vertices.size(); ++v)
    EXPECT_LT((Vec3(built.state.positions[b.block_of_vertex[v]]) - b.rest.vertices[v] - way).norm(), 1e-12);
  return way;
}

std::string other_box(const std::string& position, const std::string& more = "") {
  return "  - {name: other, mesh: {box: {size: [0.31, 0.21, 0.11], cells: [3, 2, 1]}}, material: soft, position: " +
         position + more + "}\n";
}

TEST(SeparateBodies, LeavesAGoodStartAlone) {
  const BuiltScene built = build(with(other_box("[0.4, 0, 0]")).parse());
  EXPECT_EQ(moved(built, 0), Vec3(0, 0, 0));
  EXPECT_EQ(moved(built, 1), Vec3(0, 0, 0));
  for (const std::string& note : built.notes) EXPECT_EQ(note.find("moved apart"), std::string::npos);
}

TEST(SeparateBodies, TwoThatOverlapShareTheWay) {
  const BuiltScene built = build(with(other_box("[0.285, 0.01, 0.005]")).parse());  // by 2 cm along x
  const Vec3 a = moved(built, 0), b = moved(built, 1);
  EXPECT_LT((a + b).norm(), 1e-12);
  EXPECT_GT((b - a).x(), 0.02);
  EXPECT_LT((b - a).norm(), 0.04);
  ASSERT_FALSE(built.notes.empty());
  EXPECT_NE(built.notes.back().find("bodies were moved apart in"), std::string::npos);
  EXPECT_NE(built.notes.back().find("'other' by 0.0"), std::string::npos);
}

TEST(SeparateBodies, WhatCannotMoveLeavesTheWayToTheOther) {
  SceneText text = with(other_box("[0.285, 0.01, 0.005]"));
  text.more += "pins: [{body: block, where: {vertices: [0]}}]\n";
  const BuiltScene built = build(text.parse());
  EXPECT_EQ(moved(built, 0), Vec3(0, 0, 0));
  EXPECT_GT(moved(built, 1).x(), 0.02);
}

TEST(SeparateBodies, OutOfAFloorByItsDepth) {
  const BuiltScene built =
      build(with("  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -0.07, 0]}\n").parse());
  EXPECT_LT((moved(built, 0) - Vec3(0, 0.0305, 0)).norm(), 1e-9);  // 3 cm and half the contact distance
}

TEST(SeparateBodies, OutOfObstacles) {
  const std::string table = "  - {name: table, kind: obstacle, mesh: {box: {size: [2, 0.5, 2], cells: [1, 1, 1]}}, ";
  const Vec3 up = moved(build(with(table + "position: [0, -0.32, 0]}\n").parse()), 0);
  EXPECT_GT(up.y(), 0.03);
  EXPECT_LT(up.norm(), 0.06);
  for (const char* shape : {"mesh", "analytic"}) {
    const Vec3 way = moved(build(with(std::string("  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.3}}, "
                                                  "position: [0.02, -0.37, 0.01], contact: {shape: ") +
                                      shape + "}}\n")
                                     .parse()),
                           0);
    EXPECT_GT(way.y(), 0.02) << shape;
    EXPECT_LT(way.norm(), 0.09) << shape;
  }
}

TEST(SeparateBodies, OpensGapsThatThicknessNeeds) {
  SceneText text = with("  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -0.105, 0]}\n");
  text.body = ", contact: {thickness: 0.01}";  // 5 mm above the floor
  EXPECT_LT((moved(build(text.parse()), 0) - Vec3(0, 0.0055, 0)).norm(), 1e-9);
}

TEST(SeparateBodies, APileComesApart) {
  SceneText text = with("  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -0.12, 0]}\n");
  text.body = ", copies: {count: [3, 3, 3], spacing: [0.29, 0.19, 0.09], jitter: 0.01}";
  const BuiltScene built = build(text.parse());
  double farthest = 0;
  for (int b = 0; b < 27; ++b) farthest = std::max(farthest, moved(built, b).norm());
  EXPECT_GT(farthest, 0.01);
  EXPECT_LT(farthest, 0.3);
  EXPECT_NE(built.notes.back().find("others by less"), std::string::npos);
}

TEST(SeparateBodies, SaysWhenThereIsNoRoom) {
  const std::string walls =
      "  - {name: low, kind: obstacle, mesh: {box: {size: [2, 0.5, 2], cells: [1, 1, 1]}}, position: [0, -0.3, 0]}\n"
      "  - {name: high, kind: obstacle, mesh: {box: {size: [2, 0.5, 2], cells: [1, 1, 1]}}, position: [0, 0.3, 0]}\n";
  EXPECT_INPUT_ERROR(build(with(walls).parse()), "bodies could not be moved apart: bodies intersect at the start");
}

}  // namespace
}  // namespace pliant
