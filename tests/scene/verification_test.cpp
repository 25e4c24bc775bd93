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

}  // namespace
}  // namespace pliant
