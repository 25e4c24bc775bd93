#include "pliant/scene/element_stretches.h"

#include <gtest/gtest.h>

#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

// A body stretched by 1.4, 1.1 and 0.8 along three oblique axes: every element says so, whatever its shape.
Mat3 stretched(Vec3& direction) {
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  direction = turn.col(0);
  return turn * Vec3(1.4, 1.1, 0.8).asDiagonal() * turn.transpose();
}

TEST(ElementStretches, FollowAnAffineMapOfASolid) {
  BuiltScene built = build(testing::SceneText{}.parse());
  Vec3 direction;
  const Mat3 map = stretched(direction);
  for (int i = 0; i < built.state.positions.size(); ++i) {
    const Vec3 moved = map * built.state.positions[i];
    built.state.positions[i] = moved;
  }
  const std::vector<Stretch> found = element_stretches(built.model.bodies[0], built.state);
  ASSERT_EQ(found.size(), built.model.bodies[0].rest.tets.size());
  for (const Stretch& stretch : found) {
    EXPECT_NEAR(stretch.size, 1.4, 1e-12);
    EXPECT_NEAR(std::abs(stretch.direction.dot(direction)), 1, 1e-12);
    EXPECT_NEAR(stretch.smallest, 0.8, 1e-12);
  }
}

// In a sheet the stretches are those of the map restricted to its plane.
TEST(ElementStretches, FollowAnAffineMapOfASheet) {
  BuiltScene built = testing::ThinScene{}.built();
  Vec3 unused;
  const Mat3 map = stretched(unused);
  for (int i = 0; i < built.state.positions.size(); ++i) {
    const Vec3 moved = map * built.state.positions[i];
    built.state.positions[i] = moved;
  }
  double largest = 0, smallest = 2;
  Vec3 along = Vec3::Zero();
  for (double angle = 0; angle < 3.1416; angle += 1e-4) {  // the sheet lies in the xz-plane
    const Vec3 image = map * Vec3(std::cos(angle), 0, std::sin(angle));
    smallest = std::min(smallest, image.norm());
    if (image.norm() > largest) largest = image.norm(), along = image.normalized();
  }
  const std::vector<Stretch> found = element_stretches(built.model.bodies[0], built.state);
  ASSERT_EQ(found.size(), built.model.bodies[0].triangles.size());
  for (const Stretch& stretch : found) {
    EXPECT_NEAR(stretch.size, largest, 1e-7);
    EXPECT_NEAR(std::abs(stretch.direction.dot(along)), 1, 1e-6);
    EXPECT_NEAR(stretch.smallest, smallest, 1e-7);
  }
}

}  // namespace
}  // namespace pliant::scene
