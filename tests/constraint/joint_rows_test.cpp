// Rows of joints: derivatives against finite differences, how many degrees of freedom each kind takes, turns that are
// counted, limits and motors.
#include "pliant/constraint/joint_rows.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>

#include "pliant/math/rotation.h"
#include "tests/support/dense_algebra.h"

namespace pliant::constraint {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr JointKind kKinds[] = {JointKind::ball,      JointKind::hinge, JointKind::slider,
                                JointKind::universal, JointKind::fixed, JointKind::distance};

class RowsTest : public testing::Test {
 protected:
  std::mt19937 random{7};
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  Vec3 vector() { return {number(), number(), number()}; }
  Mat3 turn(double largest) { return math::rotation_from_vector(largest * vector()); }

  // A joint between two rigid bodies that holds exactly in the pose it returns.
  Joint make_joint(JointKind kind, std::array<SidePose, 2>& pose) {
    Joint joint;
    joint.kind = kind;
    const Vec3 at = vector();
    const Mat3 axes = turn(3);
    for (int s = 0; s < 2; ++s) {
      pose[s] = {vector(), turn(3)};
      joint.side[s].kind = SideKind::rigid;
      joint.side[s].anchor = pose[s].rotation.transpose() * (at - pose[s].centre);
      joint.side[s].axes = pose[s].rotation.transpose() * axes;
    }
    if (kind == JointKind::distance) {
      joint.side[0].anchor += Vec3(0.3, -0.4, 1.2);
      joint.length = 1.3;
    }
    return joint;
  }
  void disturb(std::array<SidePose, 2>& pose, double size) {
    for (SidePose& p : pose) p = {p.centre + size * vector(), turn(size) * p.rotation};
  }
};

JointRows rows_of(const Joint& joint, const std::array<SidePose, 2>& pose, const JointStart& start = {}) {
  JointRows rows;
  evaluate(joint, pose, start, rows);
  return rows;
}

SidePose moved(SidePose pose, int direction, double by) {
  if (direction < 3) pose.centre[direction] += by;
  if (direction >= 3) pose.rotation = math::rotation_from_vector(by * Vec3::Unit(direction - 3)) * pose.rotation;
  return pose;
}

double derivative(const JointRow& row, int side, int direction) {
  return direction < 3 ? row.force[side][direction] : row.torque[side][direction - 3];
}

// Central differences with two steps, of which Richardson's rule makes one of fourth order.
void expect_exact_derivatives(const Joint& joint, const std::array<SidePose, 2>& pose, const JointStart& start) {
  const JointRows rows = rows_of(joint, pose, start);
  for (int i = 0; i < 12; ++i) {
    const int side = i / 6, way = i % 6;
    const auto values = [&](double by) {
      std::array<SidePose, 2> other = pose;
      other[side] = moved(pose[side], way, by);
      return rows_of(joint, other, start);
    };
    constexpr double kStep = 1e-4;
    const JointRows far[] = {values(kStep), values(-kStep)}, near[] = {values(kStep / 2), values(-kStep / 2)};
    for (int r = 0; r < rows.count; ++r) {
      const double coarse = (far[0].row[r].value - far[1].row[r].value) / (2 * kStep);
      const double fine = (near[0].row[r].value - near[1].row[r].value) / kStep;
      EXPECT_NEAR(derivative(rows.row[r], side, way), (4 * fine - coarse) / 3, 1e-10)
          << "row " << r << " side " << side << " way " << way;
    }
  }
}

TEST_F(RowsTest, DerivativesAreThoseOfTheValues) {
  for (const JointKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    for (int trial = 0; trial < 5; ++trial) {
      std::array<SidePose, 2> pose;
      Joint joint = make_joint(kind, pose);
      disturb(pose, 0.3);
      expect_exact_derivatives(joint, pose, {});
      joint.lower = -0.2;
      joint.upper = 0.7;
      if (kind == JointKind::hinge || kind == JointKind::slider) joint.motor = {MotorKind::speed, 2.0, 5.0, 0};
      expect_exact_derivatives(joint, pose, {0.1, 0.01});
    }
  }
}

TEST_F(RowsTest, EachKindTakesItsDegreesOfFreedom) {
  const int taken[] = {3, 5, 5, 4, 6, 1};
  for (int k = 0; k < 6; ++k) {
    std::array<SidePose, 2> pose;
    const Joint joint = make_joint(kKinds[k], pose);
    const JointRows rows = rows_of(joint, pose);
    ASSERT_EQ(rows.count, taken[k]);
    Eigen::MatrixXd jacobian(rows.count, 12);
    for (int r = 0; r < rows.count; ++r) {
      EXPECT_NEAR(rows.row[r].value, 0, 1e-14);
      EXPECT_EQ(rows.row[r].kind, RowKind::bilateral);
      for (int i = 0; i < 12; ++i) jacobian(r, i) = derivative(rows.row[r], i / 6, i % 6);
    }
    EXPECT_EQ(test::rank(jacobian, 1e-10), taken[k]) << "kind " << k;
  }
}

// Moving both bodies together as one rigid body changes nothing that a joint feels; forces are pairs.
TEST_F(RowsTest, MovingBothBodiesChangesNothing) {
  const auto squared = [](const JointRows& rows) {
    double sum = 0;
    for (int r = 0; r < rows.count; ++r) sum += rows.row[r].value * rows.row[r].value;
    return sum;
  };
  for (const JointKind kind : kKinds) {
    std::array<SidePose, 2> pose;
    const Joint joint = make_joint(kind, pose);
    disturb(pose, 0.2);
    const JointRows before = rows_of(joint, pose);
    for (int r = 0; r < before.count; ++r) EXPECT_EQ((before.row[r].force[0] + before.row[r].force[1]).norm(), 0);
    const Mat3 turned = turn(1);
    const Vec3 shift = vector();
    for (SidePose& p : pose) p = {turned * p.centre + shift, turned * p.rotation};
    EXPECT_NEAR(squared(rows_of(joint, pose)), squared(before), 1e-13);
  }
}

// The length of the rows that hold axes is 2 sin(α/2), up to a half turn.
TEST_F(RowsTest, AxesArePulledBackFromAnyAngle) {
  for (const JointKind kind : {JointKind::hinge, JointKind::slider, JointKind::fixed}) {
    for (const double angle : {0.1, 1.0, 2.0, 3.1}) {
      std::array<SidePose, 2> pose;
      const Joint joint = make_joint(kind, pose);
      const Vec3 axis = pose[1].rotation * joint.side[1].axes * Vec3(0, 0.6, 0.8);  // across the joint's own
      pose[0].rotation = math::rotation_from_axis_angle(axis, angle) * pose[0].rotation;
      const JointRows rows = rows_of(joint, pose);
      double squared = 0;
      for (int r = 0; r < rows.count; ++r) {
        if (rows.row[r].force[0].isZero(0)) squared += rows.row[r].value * rows.row[r].value;
      }
      EXPECT_NEAR(std::sqrt(squared), 2 * std::sin(angle / 2), 1e-9) << angle;
    }
  }
}

TEST_F(RowsTest, HingeCountsTurns) {
  std::array<SidePose, 2> pose;
  Joint joint = make_joint(JointKind::hinge, pose);
  const Vec3 axis = pose[1].rotation * joint.side[1].axes.col(0);
  const Mat3 start = pose[0].rotation;
  const Vec3 anchor = pose[1].centre + pose[1].rotation * joint.side[1].anchor;
  joint.lower = -2 * kPi;
  joint.upper = 2 * kPi;
  double last = 0;
  for (int i = 0; i <= 100; ++i) {
    const double angle = 0.12 * i;  // almost two turns
    pose[0].rotation = math::rotation_from_axis_angle(axis, angle) * start;
    pose[0].centre = anchor - pose[0].rotation * joint.side[0].anchor;
    const JointRows rows = rows_of(joint, pose, {last, 0.01});
    last = rows.coordinate;
    EXPECT_NEAR(last, angle, 1e-12);
    ASSERT_EQ(rows.count, 7);
    EXPECT_NEAR(rows.row[5].value, angle + 2 * kPi, 1e-12);
    EXPECT_NEAR(rows.row[6].value, 2 * kPi - angle, 1e-12);
    EXPECT_EQ(rows.row[5].kind, RowKind::lower_limit);
    EXPECT_NEAR(joint_coordinate(joint, pose, last), angle, 1e-12);
  }
}

TEST_F(RowsTest, CoordinatesSayHowTheFirstBodyStandsToTheSecond) {
  std::array<SidePose, 2> pose;
  Joint slider = make_joint(JointKind::slider, pose);
  const Vec3 axis = pose[1].rotation * slider.side[1].axes.col(0);
  pose[0].centre += 0.25 * axis;
  JointRows rows = rows_of(slider, pose);
  EXPECT_NEAR(rows.coordinate, 0.25, 1e-14);
  for (int r = 0; r < rows.count; ++r) EXPECT_NEAR(rows.row[r].value, 0, 1e-14);

  Joint ball = make_joint(JointKind::ball, pose);
  ball.upper = 0.5;
  const Vec3 across = pose[1].rotation * ball.side[1].axes.col(2);
  pose[0].rotation = math::rotation_from_axis_angle(across, 0.8) * pose[0].rotation;
  rows = rows_of(ball, pose);
  EXPECT_NEAR(rows.coordinate, 0.8, 1e-12);
  ASSERT_EQ(rows.count, 4);
  EXPECT_NEAR(rows.row[3].value, -0.3, 1e-12);

  Joint rope = make_joint(JointKind::distance, pose);
  rope.upper = 2;
  rows = rows_of(rope, pose);
  ASSERT_EQ(rows.count, 1);
  EXPECT_EQ(rows.row[0].kind, RowKind::lower_limit);
  EXPECT_NEAR(rows.row[0].value, 0.7, 1e-12);
}

TEST_F(RowsTest, MotorsAskForSpeedOrPlace) {
  std::array<SidePose, 2> pose;
  Joint joint = make_joint(JointKind::hinge, pose);
  const Vec3 axis = pose[1].rotation * joint.side[1].axes.col(0);
  pose[0].rotation = math::rotation_from_axis_angle(axis, 0.3) * pose[0].rotation;
  joint.motor = {MotorKind::speed, 4.0, 2.5, 0};
  JointRows rows = rows_of(joint, pose, {0.28, 0.01});
  ASSERT_EQ(rows.count, 6);
  EXPECT_EQ(rows.row[5].kind, RowKind::motor);
  EXPECT_EQ(rows.row[5].bound, 2.5);
  EXPECT_EQ(rows.row[5].compliance, 0);
  EXPECT_NEAR(rows.row[5].value, 0.3 - 0.28 - 0.04, 1e-12);
  joint.motor = {MotorKind::position, 1.0, 2.5, 50};
  rows = rows_of(joint, pose, {0.28, 0.01});
  EXPECT_NEAR(rows.row[5].value, -0.7, 1e-12);
  EXPECT_EQ(rows.row[5].compliance, 1.0 / 50);
}

// A point of a deformable body has no axes: fixed is a ball, and no row turns it.
TEST_F(RowsTest, PointsDoNotTurn) {
  std::array<SidePose, 2> pose;
  Joint joint = make_joint(JointKind::fixed, pose);
  joint.side[0].kind = SideKind::point;
  joint.side[0].anchor.setZero();
  pose[0] = {pose[1].centre + pose[1].rotation * joint.side[1].anchor, Mat3::Identity()};
  const JointRows rows = rows_of(joint, pose);
  ASSERT_EQ(rows.count, 3);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(rows.row[r].torque[0].norm(), 0);
    EXPECT_NEAR(rows.row[r].value, 0, 1e-14);
  }
  const double multipliers[] = {3, 0, -4};
  EXPECT_NEAR(anchor_force(rows, multipliers), 5, 1e-14);
}

// Over a step: what values changed by is what the directions say, exactly for anchors and distances, else to the third order; values
// are those of the end.
TEST_F(RowsTest, DirectionsOverAStepAreThoseOfWhatChanged) {
  for (const JointKind kind : kKinds) {
    SCOPED_TRACE(static_cast<int>(kind));
    std::array<SidePose, 2> before;
    const Joint joint = make_joint(kind, before);
    disturb(before, 0.05);
    std::array<Vec3, 2> way{vector(), vector()}, turn{vector(), vector()};
    std::vector<double> errors;
    for (const double size : {0.4, 0.2}) {
      std::array<SidePose, 2> now = before;
      for (std::size_t s = 0; s < 2; ++s)
        now[s] = {before[s].centre + size * way[s], math::rotation_from_vector(size * turn[s]) * before[s].rotation};
      JointRows over;
      evaluate_over(joint, before, now, {}, over);
      const JointRows start = rows_of(joint, before), end = rows_of(joint, now);
      ASSERT_EQ(over.count, end.count);
      double error = 0;
      for (int r = 0; r < over.count; ++r) {
        EXPECT_EQ(over.row[r].value, end.row[r].value);
        double change = 0;
        for (std::size_t s = 0; s < 2; ++s)
          change += size * (over.row[r].force[s].dot(way[s]) + over.row[r].torque[s].dot(turn[s]));
        const double off = std::abs(end.row[r].value - start.row[r].value - change);
        const bool is_exact = kind == JointKind::ball || kind == JointKind::distance;
        EXPECT_LT(off, is_exact ? 1e-14 : 1.0);
        error = std::max(error, off);
      }
      errors.push_back(error);
    }
    EXPECT_TRUE(errors[0] < 1e-13 || errors[0] > 6 * errors[1]) << errors[0] << ' ' << errors[1];
  }
}

}  // namespace
}  // namespace pliant::constraint
