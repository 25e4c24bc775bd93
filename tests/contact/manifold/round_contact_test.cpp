// Balls and capsules: closed forms, lying capsules, degenerate positions.
#include "pliant/contact/manifold/round_contact.h"

#include <gtest/gtest.h>

#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

Mat3 lying() { return Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()).toRotationMatrix(); }

TEST(RoundContact, Balls) {
  Manifold manifold;
  collide(ball_shape(1), {Mat3::Identity(), {0, 2.9, 0}}, ball_shape(2), {}, 0.1, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].gap, -0.1, 1e-15);
  EXPECT_LT((manifold.points[0].on_a - Vec3(0, 1.9, 0)).norm(), 1e-15);
  EXPECT_LT((manifold.points[0].on_b - Vec3(0, 2, 0)).norm(), 1e-15);
  collide(ball_shape(1), {Mat3::Identity(), {0, 3.11, 0}}, ball_shape(2), {}, 0.1, manifold);
  EXPECT_EQ(manifold.count, 0);
}

TEST(RoundContact, ConcentricBallsHaveANormal) {
  Manifold manifold;
  collide(ball_shape(1), {}, ball_shape(2), {}, 0.1, manifold);
  ASSERT_EQ(manifold.count, 1);
  expect_sound(manifold, 0.1);
  EXPECT_NEAR(manifold.points[0].gap, -3, 1e-15);
}

TEST(RoundContact, ABallOnAnEdgeOfABox) {
  Manifold manifold;
  collide(ball_shape(0.5), {Mat3::Identity(), {1.3, 1.4, 0.2}}, box_shape({1, 1, 1}), {}, 0.1, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].gap, 0, 1e-15);
  EXPECT_LT((manifold.points[0].normal - Vec3(0.6, 0.8, 0)).norm(), 1e-14);
  EXPECT_LT((manifold.points[0].on_b - Vec3(1, 1, 0.2)).norm(), 1e-14);
}

TEST(RoundContact, BoxAndItsHullAgree) {
  std::mt19937 random(41);
  const ConvexShape box = box_shape({0.5, 0.3, 0.4});
  ConvexShape hull = box;
  hull.kind = ConvexKind::hull;
  for (int round = 0; round < 500; ++round) {
    const Pose pose{random_turn(random), random_point(random, 0.8)};
    Manifold by_box, by_hull;
    collide(ball_shape(0.3), {Mat3::Identity(), random_point(random, 0.1)}, box, pose, 0.1, by_box);
    collide(ball_shape(0.3), {Mat3::Identity(), Vec3::Zero()}, box, pose, 0.1, by_box);
    collide(ball_shape(0.3), {Mat3::Identity(), Vec3::Zero()}, hull, pose, 0.1, by_hull);
    ASSERT_EQ(by_box.count, by_hull.count);
    if (by_box.count == 0) continue;
    ASSERT_NEAR(by_box.points[0].gap, by_hull.points[0].gap, 1e-13);
  }
}

TEST(RoundContact, CapsulesAlongEachOtherHaveTwoPoints) {
  const ConvexShape capsule = capsule_shape(1, 0.2);
  for (const double tilt : {0.0, 1e-9, 1e-3}) {
    const Mat3 turn = Eigen::AngleAxisd(tilt, Vec3(0.3, 0, 1).normalized()).toRotationMatrix();
    Manifold manifold;
    collide(capsule, {turn, {0.41, 0.5, 0}}, capsule, {}, 0.05, manifold);
    ASSERT_EQ(manifold.count, 2);
    expect_sound(manifold, 0.05);
    EXPECT_NEAR(std::abs(manifold.points[0].on_a[1] - manifold.points[1].on_a[1]), 1.5, 5e-3);
    EXPECT_NEAR(lowest_gap(manifold), 0.01, 2e-3);
  }
  // Turned round, the first point stays the first.
  const Mat3 around = Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitX()).toRotationMatrix();
  Manifold same, turned;
  collide(capsule, {Mat3::Identity(), {0.4, 0.5, 0}}, capsule, {}, 0.05, same);
  collide(capsule, {Mat3::Identity(), {0.4, 0.5, 0}}, capsule, {around, Vec3::Zero()}, 0.05, turned);
  ASSERT_EQ(turned.count, 2);
  EXPECT_LT((same.points[0].on_a - turned.points[0].on_a).norm(), 1e-12);
}

TEST(RoundContact, DegenerateCapsules) {
  const ConvexShape capsule = capsule_shape(1, 0.2);
  Manifold manifold;
  // Coaxial and overlapping, crossing axes, end to end, the same.
  for (const Pose& pose : {Pose{Mat3::Identity(), {0, 0.5, 0}}, Pose{lying(), Vec3::Zero()},
                           Pose{Mat3::Identity(), {0, 2.39, 0}}, Pose{Mat3::Identity(), Vec3::Zero()}}) {
    collide(capsule, pose, capsule, {}, 0.05, manifold);
    EXPECT_GE(manifold.count, 1);
    expect_sound(manifold, 0.05);
  }
  collide(capsule, {Mat3::Identity(), {0, 2.39, 0}}, capsule, {}, 0.05, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].gap, -0.01, 1e-14);
  EXPECT_LT((manifold.points[0].normal - Vec3::UnitY()).norm(), 1e-14);
  // Without length it is a ball.
  collide(capsule_shape(0, 0.2), {Mat3::Identity(), {0.4, 0, 0}}, capsule_shape(0, 0.2), {}, 0.05, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].gap, 0, 1e-15);
}

TEST(RoundContact, ACapsuleLiesOnABoxAtTwoPoints) {
  const ConvexShape capsule = capsule_shape(0.5, 0.1), box = box_shape({1, 0.5, 1});
  Manifold manifold;
  for (const double height : {0.605, 0.595, 0.45}) {  // apart, touching, its axis inside
    collide(capsule, {lying(), {0.2, height, 0}}, box, {}, 0.02, manifold);
    ASSERT_EQ(manifold.count, 2);
    expect_sound(manifold, 0.02);
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(manifold.points[k].gap, height - 0.6, 1e-14);
      EXPECT_NEAR(std::abs(manifold.points[k].on_a[0] - 0.2), 0.5, 1e-14);
      EXPECT_LT((manifold.points[k].normal - Vec3::UnitY()).norm(), 1e-14);
    }
  }
  // Half over the side: one point at the edge of the box (and the snap distance beside it).
  collide(capsule, {lying(), {1, 0.6, 0}}, box, {}, 0.02, manifold);
  ASSERT_EQ(manifold.count, 2);
  const double farthest = std::max(manifold.points[0].on_a[0], manifold.points[1].on_a[0]);
  EXPECT_NEAR(farthest, 1 + kSnap * 0.5, 1e-12);
}

}  // namespace
}  // namespace pliant::contact
