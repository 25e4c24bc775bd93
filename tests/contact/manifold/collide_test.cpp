// All pairs of kinds: the truth from support functions, exchange of the bodies, common motions, half-spaces.
#include "pliant/contact/manifold/collide.h"

#include <gtest/gtest.h>

#include "tests/contact/manifold/manifold_scenery.h"

namespace pliant::contact {
namespace {

std::vector<ConvexShape> all_bounded_kinds(std::mt19937& random) {
  return {ball_shape(0.5), capsule_shape(0.4, 0.25), box_shape({0.5, 0.3, 0.4}), rock(random, 14, 0.5)};
}

TEST(Collide, AgreesWithSupportFunctionsForAllKinds) {
  std::mt19937 random(11);
  const std::vector<ConvexShape> shapes = all_bounded_kinds(random);
  for (const ConvexShape& a : shapes) {
    for (const ConvexShape& b : shapes) {
      for (int round = 0; round < 25; ++round) {
        SCOPED_TRACE(testing::Message() << "kinds " << int(a.kind) << ", " << int(b.kind) << ", round " << round);
        const Pose pose_a{random_turn(random), random_point(random, 1)};
        const Pose pose_b{random_turn(random), pose_a.shift + random_point(random, 0.7)};
        expect_true(a, pose_a, b, pose_b, 0.1);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(Collide, ExchangingTheBodiesExchangesTheSides) {
  std::mt19937 random(12);
  const std::vector<ConvexShape> shapes = all_bounded_kinds(random);
  for (const ConvexShape& a : shapes) {
    for (const ConvexShape& b : shapes) {
      for (int round = 0; round < 40; ++round) {
        const Pose pose_a{random_turn(random), random_point(random, 1)};
        const Pose pose_b{random_turn(random), pose_a.shift + random_point(random, 0.7)};
        Manifold ab, ba;
        collide(a, pose_a, b, pose_b, 0.1, ab);
        collide(b, pose_b, a, pose_a, 0.1, ba);
        const double slack = slack_of(a, b);
        ASSERT_EQ(ab.count > 0, ba.count > 0);
        if (ab.count == 0) continue;
        ASSERT_NEAR(lowest_gap(ab), lowest_gap(ba), slack);
        // Unless two directions are equally good.
        const double along = separation_along(a, pose_a, b, pose_b, ba.points[0].normal);
        ASSERT_GE(along, separation_along(a, pose_a, b, pose_b, -ab.points[0].normal) - slack);
      }
    }
  }
}

TEST(Collide, ACommonMotionMovesTheManifold) {
  std::mt19937 random(13);
  const std::vector<ConvexShape> shapes = all_bounded_kinds(random);
  for (const ConvexShape& a : shapes) {
    for (const ConvexShape& b : shapes) {
      for (int round = 0; round < 40; ++round) {
        const Pose pose_a{random_turn(random), random_point(random, 1)};
        const Pose pose_b{random_turn(random), pose_a.shift + random_point(random, 0.7)};
        const Pose motion{random_turn(random), random_point(random, 10)};
        Manifold here, there;
        collide(a, pose_a, b, pose_b, 0.1, here);
        collide(a, moved(motion, pose_a), b, moved(motion, pose_b), 0.1, there);
        ASSERT_EQ(here.count, there.count);
        for (int k = 0; k < here.count; ++k) {
          ASSERT_EQ(here.points[k].feature, there.points[k].feature);
          ASSERT_NEAR(here.points[k].gap, there.points[k].gap, 1e-11);
          ASSERT_LT((motion.to_world(here.points[k].on_a) - there.points[k].on_a).norm(), 1e-10);
          ASSERT_LT((motion.turn * here.points[k].normal - there.points[k].normal).norm(), 1e-9);
        }
      }
    }
  }
}

TEST(Collide, HalfSpaceTouchesTheLowestPoint) {
  std::mt19937 random(14);
  const ConvexShape plane = half_space_shape();
  for (const ConvexShape& a : all_bounded_kinds(random)) {
    for (int round = 0; round < 50; ++round) {
      const Pose pose_a{random_turn(random), random_point(random, 0.6)};
      const Pose pose_b{random_turn(random), random_point(random, 0.2)};
      const Vec3 up = pose_b.turn.col(1);
      const Vec3 lowest = pose_a.to_world(support(a, pose_a.turn.transpose() * -up));
      const double truth = up.dot(lowest - pose_b.shift);
      Manifold manifold;
      collide(a, pose_a, plane, pose_b, 0.05, manifold);
      expect_sound(manifold, 0.05);
      ASSERT_EQ(manifold.count > 0, truth <= 0.05);
      ASSERT_LE(manifold.count, 4);
      if (manifold.count == 0) continue;
      ASSERT_NEAR(lowest_gap(manifold), truth, a.hull ? kPreference * a.hull->width : 1e-12);
      for (int k = 0; k < manifold.count; ++k) ASSERT_LT((manifold.points[k].normal - up).norm(), 1e-14);
      // And the other way round.
      Manifold exchanged_manifold;
      collide(plane, pose_b, a, pose_a, 0.05, exchanged_manifold);
      ASSERT_EQ(exchanged_manifold.count, manifold.count);
      ASSERT_EQ(exchanged_manifold.points[0].normal, -manifold.points[0].normal);
      ASSERT_EQ(exchanged_manifold.points[0].on_b, manifold.points[0].on_a);
    }
  }
}

TEST(Collide, ABoxOnAHalfSpaceStandsOnFourCorners) {
  Manifold manifold;
  collide(box_shape({1, 0.5, 2}), {Mat3::Identity(), {3, 0.501, 4}}, half_space_shape(), {}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(manifold.points[k].gap, 0.001, 1e-15);
    EXPECT_NEAR(manifold.points[k].on_b[1], 0, 1e-15);
    sum += manifold.points[k].on_a;
  }
  EXPECT_LT((sum / 4 - Vec3(3, 0.001, 4)).norm(), 1e-14);
}

TEST(Collide, AWheelOnItsFlatSideKeepsItsPointsWhileItCreeps) {
  std::vector<Vec3> rim;
  for (int i = 0; i < 200; ++i) {
    const double angle = 2 * std::numbers::pi * i / 200;
    for (const double y : {-0.1, 0.1}) rim.emplace_back(std::cos(angle), y, std::sin(angle));
  }
  const ConvexShape wheel = hull_shape(convex_hull(rim));
  EXPECT_EQ(wheel.hull->face_count(), 202);
  const ConvexShape plane = half_space_shape();
  const ConvexShape slab = box_shape({3, 1, 3});
  std::mt19937 random(5);
  Manifold first_plane, first_slab, now;
  for (int step = 0; step <= 100; ++step) {
    Pose pose{Mat3::Identity(), {0, 0.0999, 0}};
    if (step > 0) {
      pose.turn = Eigen::AngleAxisd(1e-6, random_point(random, 1).normalized()).toRotationMatrix();
      pose.shift += random_point(random, 1e-6);
    }
    collide(wheel, pose, plane, {}, 0.01, step == 0 ? first_plane : now);
    if (step > 0) {
      ASSERT_EQ(now.count, 4);
      for (int k = 0; k < 4; ++k) ASSERT_EQ(now.points[k].feature, first_plane.points[k].feature);
    }
    collide(wheel, pose, slab, {Mat3::Identity(), {0, -1, 0}}, 0.01, step == 0 ? first_slab : now);
    if (step > 0) {
      ASSERT_EQ(now.count, 4);
      for (int k = 0; k < 4; ++k) ASSERT_EQ(now.points[k].feature, first_slab.points[k].feature);
    }
  }
}

TEST(Collide, AlwaysHasANormal) {
  // Everything at one place: no direction is better than another.
  std::mt19937 random(15);
  const std::vector<ConvexShape> shapes = all_bounded_kinds(random);
  for (const ConvexShape& a : shapes) {
    for (const ConvexShape& b : shapes) {
      Manifold manifold;
      collide(a, {}, b, {}, 0.1, manifold);
      EXPECT_GE(manifold.count, 1) << int(a.kind) << ", " << int(b.kind);
      expect_sound(manifold, 0.1);
    }
  }
}

}  // namespace
}  // namespace pliant::contact
