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

TEST(Model, CountsAnchorsOfAllPins) {
  Model model;
  EXPECT_EQ(model.anchor_count(), 0);
  model.pins.resize(2);
  model.pins[0].blocks = {4, 5, 6};
  model.pins[1].blocks = {5};
  EXPECT_EQ(model.anchor_count(), 4);
}

}  // namespace
}  // namespace pliant
