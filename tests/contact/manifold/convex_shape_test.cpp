// Shapes: support points against samples of the solid, bounds around support points.
#include "pliant/contact/manifold/convex_shape.h"

#include <gtest/gtest.h>

#include "pliant/assert.h"
#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

std::vector<ConvexShape> bounded_shapes(std::mt19937& random) {
  return {ball_shape(0.7), capsule_shape(0.4, 0.2), box_shape({0.3, 0.5, 0.7}), rock(random, 20, 0.5)};
}

TEST(ConvexShape, SupportPointsByHand) {
  EXPECT_LT((support(ball_shape(2), {0, 3, 4}) - Vec3(0, 1.2, 1.6)).norm(), 1e-15);
  EXPECT_LT((support(capsule_shape(1, 0.5), {0, -1, 0}) - Vec3(0, -1.5, 0)).norm(), 1e-15);
  EXPECT_EQ(support(box_shape({1, 2, 3}), {-1, 1, -1}), Vec3(-1, 2, -3));
  EXPECT_THROW((void)support(half_space_shape(), {0, 1, 0}), InternalError);
}

TEST(ConvexShape, NoSupportPointIsFartherThanTheSupportPoint) {
  std::mt19937 random(1);
  for (const ConvexShape& shape : bounded_shapes(random)) {
    for (int round = 0; round < 200; ++round) {
      const Vec3 n = random_point(random, 1), m = random_point(random, 1);
      EXPECT_LE(n.dot(support(shape, m)), n.dot(support(shape, n)) + 1e-15);
    }
  }
}

TEST(ConvexShape, BoundsHoldTheShape) {
  std::mt19937 random(2);
  for (const ConvexShape& shape : bounded_shapes(random)) {
    for (int round = 0; round < 50; ++round) {
      const Pose pose{random_turn(random), random_point(random, 5)};
      const Box box = bounds(shape, pose);
      for (int axis = 0; axis < 3; ++axis) {
        for (const double sign : {-1.0, 1.0}) {
          const Vec3 p = pose.to_world(support(shape, pose.turn.transpose() * (sign * Vec3::Unit(axis))));
          const double side = sign > 0 ? double(box.high[axis]) : double(box.low[axis]);
          EXPECT_GE(sign * (side - p[axis]), 0);
          if (shape.kind != ConvexKind::hull) {
            EXPECT_LE(sign * (side - p[axis]), 1e-5);
          }
        }
      }
    }
  }
  EXPECT_FALSE(bounds(half_space_shape(), {}).bounded());
}

}  // namespace
}  // namespace pliant::contact
