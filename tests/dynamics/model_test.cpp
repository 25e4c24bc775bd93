// The model's words for its blocks, and the number of anchors its pins need.
#include "pliant/dynamics/model.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(Model, DescribesBlocksByTheUsersVertexNumbers) {
  Model model;
  model.layout.add_body("bar", 2);
  model.layout.add_body("ball", 3);
  ModelBody bar, ball;
  bar.name = "bar";
  bar.vertex_of_block = {1, 0};
  ball.name = "ball";
  ball.vertex_of_block = {2, 0, 1};
  model.bodies = {bar, ball};
  EXPECT_EQ(model.describe_block(0), "body 'bar', vertex 1");
  EXPECT_EQ(model.describe_block(2), "body 'ball', vertex 2");
  EXPECT_EQ(model.describe_block(4), "body 'ball', vertex 1");
  EXPECT_EQ(model.describe_block(-1), "an unknown place");
}

// Blocks of a rod alternate: −1 − e stands for the twist of edge e.
TEST(Model, DescribesTwistsByTheirEdge) {
  Model model;
  const BlockKind kinds[] = {BlockKind::point, BlockKind::rod_twist, BlockKind::point, BlockKind::rod_twist,
                             BlockKind::point};
  model.layout.add_body("block", 2);
  model.layout.add_body("rod", kinds, 1e-3);
  model.bodies.resize(2);
  model.bodies[0].name = "block";
  model.bodies[0].vertex_of_block = {0, 1};
  model.bodies[1].name = "rod";
  model.bodies[1].vertex_of_block = {0, -1, 1, -2, 2};
  EXPECT_EQ(model.describe_block(2), "body 'rod', vertex 0");
  EXPECT_EQ(model.describe_block(3), "body 'rod', edge 0");
  EXPECT_EQ(model.describe_block(5), "body 'rod', edge 1");
  EXPECT_EQ(model.describe_block(6), "body 'rod', vertex 2");
}

// An open rod of three edges, a solid, a ring of three edges.
TEST(Model, KnowsTheJointsOfARod) {
  Model model;
  model.rods.edges.resize(6);
  model.rods.joints = {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 3}};
  model.bodies.resize(3);
  model.bodies[0].kind = model.bodies[2].kind = BodyKind::rod;
  model.bodies[0].segments.resize(3);
  model.bodies[2].segments.resize(3);
  model.bodies[2].first_rod_edge = 3;
  EXPECT_EQ(rod_joints(model, model.bodies[0]), (std::array<int, 2>{0, 2}));
  EXPECT_EQ(rod_joints(model, model.bodies[2]), (std::array<int, 2>{2, 5}));
  EXPECT_EQ(rod_joints(model, model.bodies[1]), (std::array<int, 2>{0, 0}));
}

TEST(Model, TheOutsideIsTheBoundaryOfTetsOrTheTriangles) {
  ModelBody sheet;
  sheet.triangles = {Vec3i(0, 1, 2), Vec3i(0, 2, 3)};
  EXPECT_EQ(surface_triangles(sheet), sheet.triangles);
  ModelBody solid;
  solid.rest.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  solid.rest.tets = {Vec4i(0, 1, 2, 3)};
  EXPECT_EQ(surface_triangles(solid).size(), 4U);
  EXPECT_TRUE(surface_triangles(ModelBody{}).empty());
}

// --- Animated rest states ---

RestAnimation two_keys() {
  RestAnimation animation;
  animation.own = {1, 1, 1, 2, 2, 2};
  animation.keys = {{1, {3, 3, 3, 4, 4, 4}}, {3, {5, 5, 5, 8, 8, 8}}};
  animation.weight = {{{0, Vec3(1, 0, 0)}}, -1, 0, std::numeric_limits<double>::infinity()};
  return animation;
}

TEST(RestAnimation, IsLinearBetweenKeysAndHeldOutside) {
  const RestAnimation animation = two_keys();
  for (const auto& [time, first, second] : {std::array{0.0, 3.0, 4.0},
                                            {1.0, 3.0, 4.0},
                                            {1.5, 3.5, 5.0},
                                            {2.0, 4.0, 6.0},
                                            {3.0, 5.0, 8.0},
                                            {7.0, 5.0, 8.0}}) {
    const std::vector<double> lengths = animation.at(time);
    ASSERT_EQ(lengths.size(), 6U);
    for (int i = 0; i < 3; ++i) {
      EXPECT_DOUBLE_EQ(lengths[i], first) << time;
      EXPECT_DOUBLE_EQ(lengths[3 + i], second) << time;
    }
  }
}

TEST(RestAnimation, MixesByWeightAndFactors) {
  RestAnimation animation = two_keys();
  animation.weight.keys = {{0, Vec3(0, 0, 0)}, {2, Vec3(1, 0, 0)}};
  EXPECT_DOUBLE_EQ(animation.at(0)[0], 1);
  EXPECT_DOUBLE_EQ(animation.at(1)[0], 2);  // half of 1 and 3
  EXPECT_DOUBLE_EQ(animation.at(2)[4], 6);  // all of the animated one
  animation.factors = {0, 0.5};
  EXPECT_DOUBLE_EQ(animation.at(2)[0], 1);
  EXPECT_DOUBLE_EQ(animation.at(2)[3], 4);    // half of 2 and 6
  EXPECT_DOUBLE_EQ(animation.at(1)[3], 2.5);  // a quarter of the way from 2 to 4
}

TEST(RestAnimation, OneKeyIsConstant) {
  RestAnimation animation = two_keys();
  animation.keys.resize(1);
  for (const double time : {-1.0, 0.0, 1.0, 5.0}) EXPECT_EQ(animation.at(time), animation.keys[0].lengths);
}

TEST(Model, CountsAnchorsOfAllPins) {
  Model model;
  EXPECT_EQ(model.anchor_count(), 0);
  model.pins.resize(2);
  model.pins[0].blocks = {4, 5, 6};
  model.pins[1].blocks = {5};
  EXPECT_EQ(model.anchor_count(), 4);
  // Clamped edges keep a director each.
  model.pins[0].edges.resize(2);
  EXPECT_EQ(model.anchor_count(), 6);
}

}  // namespace
}  // namespace pliant
