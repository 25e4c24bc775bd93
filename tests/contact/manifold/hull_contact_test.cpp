// Hulls: depth, closest points of hulls apart, faces on faces, large hulls.
#include "pliant/contact/manifold/hull_contact.h"

#include <gtest/gtest.h>

#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

TEST(HullContact, DepthIsTheSmallestTranslation) {
  std::mt19937 random(31);
  for (int round = 0; round < 80; ++round) {
    SCOPED_TRACE(round);
    const ConvexShape a = rock(random, 6 + round % 20, 0.5), b = rock(random, 5 + round % 13, 0.4);
    const Pose pose_a{random_turn(random), Vec3::Zero()}, pose_b{random_turn(random), random_point(random, 0.6)};
    expect_true(a, pose_a, b, pose_b, 0.05);
    if (testing::Test::HasFailure()) return;
  }
}

// Also where the opposed face lies beside the one that is entered: rocks of small faces, pushed together.
TEST(HullContact, OverlapsAreNeverMissed) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const ConvexShape a = rock(random, 14, 0.5), b = rock(random, 12, 0.3);
    const Pose pose_a{random_turn(random), Vec3::Zero()};
    Pose pose_b{random_turn(random), Vec3::Zero()};
    pose_b.shift = random_point(random, 1);
    Manifold manifold;
    // Towards each other until they are 3 cm in each other.
    double gap = 1;
    for (double apart = 1; apart > 0.3 && gap > -0.03; apart -= 4e-3) {
      pose_b.shift = apart * pose_b.shift.normalized();
      collide_hulls(*a.hull, pose_a, *b.hull, pose_b, 5e-3, manifold = {});
      // Who was deeper than the way just gone is not outside now.
      ASSERT_TRUE(manifold.count > 0 || gap > -4e-3) << round << " at " << apart;
      gap = manifold.count > 0 ? lowest_gap(manifold) : 1;
    }
    // In these two the deepest vertex is beside the face.
    if (manifold.count == 0 || (round % 10 != 0 && round != 833 && round != 950)) continue;
    EXPECT_NEAR(gap, sampled_separation(a, pose_a, b, pose_b), 3e-3) << round;
  }
}

TEST(HullContact, HundredsOfFaces) {
  std::mt19937 random(32);
  const ConvexShape a = rock(random, 300, 0.5), b = rock(random, 200, 0.4);
  EXPECT_GT(a.hull->face_count(), 400);
  for (int round = 0; round < 10; ++round) {
    const Pose pose_a{random_turn(random), Vec3::Zero()}, pose_b{random_turn(random), random_point(random, 0.6)};
    expect_true(a, pose_a, b, pose_b, 0.05);
  }
}

TEST(HullContact, ClosestPointsOfHullsApart) {
  std::mt19937 random(33);
  int seen = 0;
  for (int round = 0; round < 100; ++round) {
    const ConvexShape a = rock(random, 9, 0.5), b = rock(random, 7, 0.4);
    const Pose pose_a{random_turn(random), Vec3::Zero()}, pose_b{random_turn(random), random_point(random, 1.2)};
    const double truth = sampled_separation(a, pose_a, b, pose_b);
    if (truth < 1e-3) continue;
    ++seen;
    Manifold manifold;
    add_closest_points(*a.hull, pose_a, *b.hull, pose_b, 10, manifold);
    ASSERT_EQ(manifold.count, 1);
    expect_sound(manifold, 10);
    EXPECT_GE(manifold.points[0].gap, truth - 1e-12);
    // The normal separates by the whole distance, which proves that no other points are closer.
    EXPECT_NEAR(separation_along(a, pose_a, b, pose_b, -manifold.points[0].normal), manifold.points[0].gap, 1e-12);
    add_closest_points(*a.hull, pose_a, *b.hull, pose_b, 0.99 * truth, manifold);
    EXPECT_EQ(manifold.count, 1);
  }
  EXPECT_GT(seen, 30);
}

TEST(HullContact, HexagonsStackWithFourPoints) {
  std::vector<Vec3> points;
  for (int i = 0; i < 6; ++i) {
    const double angle = std::numbers::pi / 3 * i;
    for (const double y : {-0.25, 0.25}) points.emplace_back(std::cos(angle), y, std::sin(angle));
  }
  const ConvexHull hexagon = convex_hull(points);
  ASSERT_EQ(hexagon.face_count(), 8);
  ASSERT_EQ(hexagon.edges.size(), 18u);
  Manifold manifold;
  collide_hulls(hexagon, {Mat3::Identity(), {0, 0.499, 0}}, hexagon, {}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(manifold.points[k].gap, -0.001, 1e-12);
    EXPECT_NEAR(manifold.points[k].on_a.head<1>().squaredNorm() + std::pow(manifold.points[k].on_a[2], 2), 1, 1e-12);
    sum += manifold.points[k].on_a / 4;
  }
  // The centre is inside the four points: the hexagon stands.
  EXPECT_LT(Vec2(sum[0], sum[2]).norm(), 0.3);
}

TEST(HullContact, TouchingFaceToFaceIsSymmetric) {
  const ConvexHull cube = box_hull({0.5, 0.5, 0.5});
  Manifold manifold;
  collide_hulls(cube, {Mat3::Identity(), {0.25, 1, 0.25}}, cube, {}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(manifold.points[k].gap, 0, 1e-15);
}

}  // namespace
}  // namespace pliant::contact
