// Boxes: depth of deep ones, corners of stacked ones and how long they last, degenerate contacts.
#include "pliant/contact/manifold/box_contact.h"

#include <gtest/gtest.h>

#include <set>

#include "pliant/contact/manifold/hull_contact.h"
#include "tests/contact/manifold/manifold_scenery.h"
#include "tests/support/dense_algebra.h"

namespace pliant::contact {
namespace {

Vec3 random_half_size(std::mt19937& random) {
  std::uniform_real_distribution<double> in(0.2, 0.6);
  return {in(random), in(random), in(random)};
}

std::set<std::uint32_t> features_of(const Manifold& manifold) {
  std::set<std::uint32_t> features;
  for (int k = 0; k < manifold.count; ++k) features.insert(manifold.points[k].feature);
  return features;
}

TEST(BoxContact, DepthIsTheSmallestTranslation) {
  std::mt19937 random(21);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const ConvexShape a = box_shape(random_half_size(random)), b = box_shape(random_half_size(random));
    const Pose pose_a{random_turn(random), Vec3::Zero()}, pose_b{random_turn(random), random_point(random, 0.5)};
    expect_true(a, pose_a, b, pose_b, 0.05);
    // Moved by the depth along the normal, and a little more, they are apart.
    Manifold manifold;
    collide(a, pose_a, b, pose_b, 0, manifold);
    if (manifold.count == 0) continue;
    const double way = -lowest_gap(manifold) + slack_of(a, b);
    const Pose parted{pose_a.turn, pose_a.shift + way * manifold.points[0].normal};
    collide(a, parted, b, pose_b, 0, manifold);
    EXPECT_LE(manifold.count == 0 ? 0 : -lowest_gap(manifold), 1e-12);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(BoxContact, AgreesWithHulls) {
  std::mt19937 random(22);
  for (int round = 0; round < 2000; ++round) {
    const ConvexShape a = box_shape(random_half_size(random)), b = box_shape(random_half_size(random));
    const Pose pose_a{random_turn(random), Vec3::Zero()}, pose_b{random_turn(random), random_point(random, 0.8)};
    Manifold boxes, hulls;
    collide_boxes(a, pose_a, b, pose_b, 0.05, boxes);
    collide_hulls(*a.hull, pose_a, *b.hull, pose_b, 0.05, hulls);
    ASSERT_EQ(boxes.count > 0, hulls.count > 0) << round;
    if (boxes.count == 0) continue;
    ASSERT_NEAR(lowest_gap(boxes), lowest_gap(hulls), 1e-12);
    ASSERT_LT((boxes.points[0].normal - hulls.points[0].normal).norm(), 1e-9);
  }
}

TEST(BoxContact, ASmallBoxOnALargeOneStandsOnItsCorners) {
  const ConvexShape small = box_shape({0.2, 0.3, 0.1}), large = box_shape({1, 0.5, 1});
  Manifold manifold;
  collide(small, {Mat3::Identity(), {0.3, 0.799, 0.2}}, large, {}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(manifold.points[k].gap, -0.001, 1e-15);
    EXPECT_LT((manifold.points[k].normal - Vec3::UnitY()).norm(), 1e-15);
    EXPECT_NEAR(std::abs(manifold.points[k].on_a[0] - 0.3), 0.2, 1e-15);
    sum += manifold.points[k].on_a / 4;
  }
  EXPECT_LT((sum - Vec3(0.3, 0.499, 0.2)).norm(), 1e-14);
}

TEST(BoxContact, ABridgeTouchesBothWays) {
  // Crossed planks: the overlap is a square of four crossings, whichever is a.
  const ConvexShape plank = box_shape({1, 0.1, 0.2});
  const Pose turned{Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()).toRotationMatrix(), {0, 0.2, 0}};
  Manifold manifold;
  collide(plank, {}, plank, turned, 0.01, manifold);
  ASSERT_EQ(manifold.count, 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(std::abs(manifold.points[k].on_a[0]), 0.2, 1e-14);
    EXPECT_NEAR(std::abs(manifold.points[k].on_a[2]), 0.2, 1e-14);
    EXPECT_EQ(manifold.points[k].feature >> 30, static_cast<std::uint32_t>(Touch::edges));
  }
}

// Boxes placed `offset` beside each other and turned about the vertical by `yaw`; a hundred small motions.
void expect_lasting_features(const Vec3& offset, double yaw, int expected_count) {
  const ConvexShape box = box_shape({0.5, 0.5, 0.5});
  const Pose below;
  std::mt19937 random(23);
  std::set<std::uint32_t> first;
  for (int step = 0; step <= 100; ++step) {
    Pose above{Eigen::AngleAxisd(yaw, Vec3::UnitY()).toRotationMatrix(), offset + Vec3(0, 0.999, 0)};
    Manifold manifold;
    if (step > 0) {
      above.turn = Eigen::AngleAxisd(2e-4, random_point(random, 1).normalized()).toRotationMatrix() * above.turn;
      above.shift += random_point(random, 2e-4);
    }
    collide(box, above, box, below, 0.02, manifold);
    EXPECT_EQ(manifold.count, expected_count) << step;
    if (step == 0) first = features_of(manifold);
    EXPECT_EQ(features_of(manifold), first) << step;
  }
}

TEST(BoxContact, FlushBoxesKeepTheirPoints) { expect_lasting_features(Vec3::Zero(), 0, 4); }
TEST(BoxContact, ShiftedBoxesKeepTheirPoints) { expect_lasting_features({0.5, 0, 0}, 0, 4); }
TEST(BoxContact, DiagonallyShiftedBoxesKeepTheirPoints) { expect_lasting_features({0.3, 0, -0.2}, 0, 4); }
TEST(BoxContact, TurnedBoxesKeepTheirPoints) { expect_lasting_features({0.03, 0, 0.05}, 0.7, 4); }

TEST(BoxContact, NamesDoNotDependOnTheReferenceFace) {
  const ConvexShape box = box_shape({0.5, 0.5, 0.5}), other = box_shape({0.4, 0.5, 0.7});
  std::mt19937 random(24);
  for (int round = 0; round < 100; ++round) {
    // Tilted by less than preference counts: both bodies' faces are as good.
    Pose above{Eigen::AngleAxisd(0.3, Vec3::UnitY()).toRotationMatrix(), Vec3(0.1, 0.999, 0.1)};
    above.turn = Eigen::AngleAxisd(1e-5, random_point(random, 1).normalized()).toRotationMatrix() * above.turn;
    Manifold ab, ba;
    collide(box, above, other, {}, 0.02, ab);
    collide(other, {}, box, above, 0.02, ba);
    std::set<std::uint32_t> back;
    for (int k = 0; k < ba.count; ++k) back.insert(exchanged(ba.points[k].feature));
    EXPECT_EQ(features_of(ab), back);
  }
}

TEST(BoxContact, DegeneratePositions) {
  const ConvexShape box = box_shape({0.5, 0.5, 0.5});
  const Mat3 on_edge = Eigen::AngleAxisd(std::numbers::pi / 4, Vec3::UnitZ()).toRotationMatrix();
  const double diagonal = std::sqrt(0.5);
  Manifold manifold;
  // Edge on parallel edge, just touching and overlapping.
  for (const double overlap : {0.0, 1e-12, 0.01}) {
    collide(box, {on_edge, {0, 2 * diagonal - overlap, 0}}, box, {on_edge, Vec3::Zero()}, 0.01, manifold);
    EXPECT_GE(manifold.count, 1);
    expect_sound(manifold, 0.01);
  }
  // Edge on crossing edge.
  const Mat3 crossing = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY()).toRotationMatrix() * on_edge;
  collide(box, {crossing, {0, 2 * diagonal - 0.01, 0}}, box, {on_edge, Vec3::Zero()}, 0.01, manifold);
  ASSERT_EQ(manifold.count, 1);
  EXPECT_NEAR(manifold.points[0].gap, -0.01, 1e-12);
  EXPECT_LT((manifold.points[0].normal - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT(manifold.points[0].on_a.head<1>().norm() + std::abs(manifold.points[0].on_a[2]), 1e-12);
  // Corner on corner.
  const Mat3 on_corner = test::rotation_between(Vec3(1, 1, 1), Vec3::UnitY());
  for (const double gap : {-0.02, 0.0, 0.02}) {
    collide(box, {on_corner, {0, 2 * std::sqrt(0.75) + gap, 0}}, box, {on_corner, Vec3::Zero()}, 0.1, manifold);
    EXPECT_GE(manifold.count, 1);
    expect_sound(manifold, 0.1);
    if (gap > 0) {
      EXPECT_NEAR(lowest_gap(manifold), gap, 1e-12);
      EXPECT_LT((manifold.points[0].normal - Vec3::UnitY()).norm(), 1e-9);
    }
  }
  // Corner beside corner, apart: true closest points.
  collide(box, {Mat3::Identity(), {1.03, 1.04, 0}}, box, {}, 0.1, manifold);
  ASSERT_GE(manifold.count, 1);
  EXPECT_NEAR(lowest_gap(manifold), 0.05, 1e-12);
  collide(box, {Mat3::Identity(), {1.08, 1.08, 0}}, box, {}, 0.1, manifold);
  EXPECT_EQ(manifold.count, 0);
  // Flat as paper.
  const ConvexShape card = box_shape({0.04, 5e-5, 0.06});
  collide(card, {Mat3::Identity(), {0.01, 9e-5, 0}}, card, {}, 1e-4, manifold);
  EXPECT_EQ(manifold.count, 4);
  EXPECT_NEAR(lowest_gap(manifold), -1e-5, 1e-15);
}

}  // namespace
}  // namespace pliant::contact
