// The judge over a model's state: what counts, and what does not.
#include "pliant/scene/verification.h"

#include <gtest/gtest.h>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

TEST(Verification, FindsCrossingBodiesAndWhatIsBelowAPlane) {
  testing::SceneText text;
  text.touches = true;
  text.more =
      "  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1]}}, material: soft, position: [0.5, 0, 0]}\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -1, 0], motion: {move: {velocity: [0, 1, "
      "0]}}}\n";
  const BuiltScene built = build(text.parse());
  BlockVector positions = built.state.positions;
  EXPECT_TRUE(scene::judge_state(built.model, positions, 0).is_clean());
  // The floor rises to y = 0: the lower half of both is below it.
  const contact::Judgement below = scene::judge_state(built.model, positions, 1);
  EXPECT_GT(below.count, 4);
  EXPECT_NE(scene::describe(built.model, below.first[0]).find("'block' and body 'floor'"), std::string::npos);
  // The second body is pushed into the first.
  for (const int block : built.model.bodies[1].block_of_vertex) positions[block] -= Vec3(0.35, 0.01, 0.013);
  const contact::Judgement crossed = scene::judge_state(built.model, positions, 0);
  EXPECT_GT(crossed.count, 0);
  EXPECT_NE(scene::describe(built.model, crossed.first[0]).find("'other'"), std::string::npos);
}

// What nobody looked at is said.
TEST(Verification, NamesPairsWhoseContactIsOff) {
  testing::SceneText text;
  text.touches = true;
  text.more =
      "  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1]}}, material: soft, position: [0.02, 0.01, 0.013]}\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -1, 0]}\n";
  Scene scene = text.parse();
  EXPECT_INPUT_ERROR(build(scene), "separate to have that done, or ignore");
  scene.contact.initial_intersections = scene::InitialIntersections::ignore;
  EXPECT_EQ(scene::unjudged_bodies(build(scene).model), "'block' with 'other'");
  scene.bodies[0].contact.self = false;
  scene.bodies[1].contact.self = false;
  EXPECT_EQ(scene::unjudged_bodies(build(scene).model), "'block' with itself, 'block' with 'other' and 1 other pairs");
}

// Grains overlap as spheres: each other, faces and half-spaces; those that are not born yet do not.
TEST(Verification, GrainsAreSpheres) {
  const Scene scene = parse_scene(
      "pliant: 1\ntime: {end: 1}\nmaterials: {sand: {radius: 0.1}}\nbodies:\n"
      "  - {name: sand, kind: particles, material: sand, mesh: {box: {size: [0.45, 0.22, 0.22]}}}\n"
      "  - {name: later, kind: particles, material: sand, emitter: {rate: 1, from: {center: [0, 9, 0], radius: 0.1}, "
      "velocity: [0, -1, 0], count: 1}}\n"
      "  - {name: wall, kind: obstacle, mesh: {box: {size: [0.2, 1, 1], cells: [1, 1, 1]}}, position: [0.5, 0, 0]}\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -0.5, 0]}\n",
      "scene.yaml");
  BuiltScene built = build(scene);
  ASSERT_EQ(built.model.layout.block_count(), 3);
  const auto judged = [&](int block, const Vec3& place) {
    BlockVector positions = built.state.positions;
    positions[block] = place;
    return scene::judge_state(built.model, positions, 0);
  };
  const std::vector<int>& block = built.model.bodies[0].block_of_vertex;
  const Vec3 other = built.state.positions[block[1]];
  EXPECT_TRUE(judged(block[0], other - Vec3(0.2001, 0, 0)).is_clean());
  EXPECT_EQ(judged(block[0], other - Vec3(0.1999, 0, 0)).count, 1);
  EXPECT_TRUE(judged(block[0], Vec3(0.29, 0.4, 0)).is_clean());
  EXPECT_EQ(judged(block[0], Vec3(0.31, 0.4, 0.01)).count, 1);
  EXPECT_TRUE(judged(block[0], Vec3(-0.3, -0.39, 0)).is_clean());
  const contact::Judgement below = judged(block[0], Vec3(-0.3, -0.41, 0));
  ASSERT_EQ(below.count, 1);
  EXPECT_NE(scene::describe(built.model, below.first[0]).find("'sand' and body 'floor'"), std::string::npos);
  // A birth that is still to come.
  const int unborn = built.model.bodies[1].block_of_vertex[0];
  EXPECT_EQ(judged(unborn, other).count, 1);
  built.model.births.front().time = 0.5;
  EXPECT_TRUE(judged(unborn, other).is_clean());
}

}  // namespace
}  // namespace pliant
