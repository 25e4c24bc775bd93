// What moves: points that fill a register, rotations that stay rotations.
#include "pliant/solver/projection/movers.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "pliant/math/rotation.h"

namespace pliant::solver {
namespace {

TEST(Movers, APointFillsARegister) {
  EXPECT_EQ(sizeof(Mover<double>), 32U);
  EXPECT_EQ(sizeof(Mover<float>), 16U);
  Mover<float> point;
  point.move(Vec3(1, 2, 3));
  point.move(Vec3(0.5, 0, -1));
  EXPECT_EQ(point.position(), Vec3(1.5, 2, 2));
}

TEST(Movers, RotationsTakeUpWhatWasTurned) {
  std::vector<Turner> turners(2);
  turners[0].rotation = math::rotation_from_vector(Vec3(0.3, -0.2, 0.9));
  turners[0].inverse = Vec3(1, 2, 3).asDiagonal();
  turners[0].turn(Vec3(0.2, 0.1, -0.1));
  EXPECT_LT((turners[0].turned - Vec3(0.2, 0.2, -0.3)).norm(), 1e-16);
  const Mat3 expected = math::rotation_from_vector(Vec3(0.2, 0.2, -0.3)) * turners[0].rotation;
  refresh_rotations(turners);
  EXPECT_LT((turners[0].rotation - expected).norm(), 1e-14);
  EXPECT_TRUE(turners[0].turned.isZero(0));
  EXPECT_EQ(turners[1].rotation, Mat3(Mat3::Identity()));  // to the bit: nothing turned it
}

// What has been turned in a step is counted over all refreshes.
TEST(Movers, TurnsAddUp) {
  std::vector<Turner> turners(1);
  for (const Vec3& turn : {Vec3(0.2, 0, 0), Vec3(0, -0.1, 0.3)}) {
    turners[0].turned = turn;
    refresh_rotations(turners);
  }
  EXPECT_LT((turners[0].gained - Vec3(0.2, -0.1, 0.3)).norm(), 1e-16);
}

// Up to half a radian arms are those before the step; beyond it they are half a radian old, then those of the middle.
TEST(Movers, LeversLagByHalfARadian) {
  const Vec3 axis = Vec3(0.6, 0, 0.8);
  for (const auto& [angle, lag] : {std::pair(0.4, 0.4), {0.8, 0.5}, {2.0, 1.0}}) {
    std::vector<Turner> turners(1);
    turners[0].before = math::rotation_from_vector(Vec3(0.3, -0.2, 0.9));
    turners[0].rotation = math::rotation_from_vector(angle * axis) * turners[0].before;
    set_levers(turners);
    const Mat3 expected = math::rotation_from_vector((angle - lag) * axis) * turners[0].before;
    EXPECT_LT((turners[0].lever - expected).norm(), 1e-14) << angle;
  }
}

// A million radians in small parts, half turns among them.
// To the rounding of each product; a step begins with rotations that are exact to rounding again (rotation_of).
TEST(Movers, RotationsStayRotations) {
  std::vector<Turner> turners(1);
  for (int i = 0; i < 10000; ++i) {
    turners[0].turned = Vec3(1, 0.01 * i, -2);
    refresh_rotations(turners);
  }
  EXPECT_LT((turners[0].rotation.transpose() * turners[0].rotation - Mat3::Identity()).norm(), 1e-13);
  EXPECT_NEAR(turners[0].rotation.determinant(), 1, 1e-13);
}

// Impulses in the middle: half before the free turning of the step, half after it; so the end with all speeds turned round leads back
// by the same impulse.
TEST(Movers, ImpulsesInTheMiddleAreTheSameBackwards) {
  const RigidFrame frame = rigid_frame(0, 0.5, Vec3(3e-4, 6e-4, 4.5e-4));
  const double step = 0.002;
  const Mat3 start = math::rotation_from_vector(Vec3(0.3, -0.2, 0.9));
  const Vec3 momentum(5e-3, 0.08, -2e-2), impulse(4e-3, -2e-3, 3e-3);
  const auto turned = [&](const Mat3& before, const Vec3& l, const Vec3& j) {
    std::vector<Turner> turners(1);
    Turner& turner = turners[0];
    turner.before = before;
    turner.rotation = turned_freely(frame, before, l, step);
    turner.metric = math::half_way(before, turner.rotation);
    turner.inverse = turner.metric * frame.inertia().cwiseInverse().asDiagonal() * turner.metric.transpose();
    turner.free = {&frame, l, step};
    turner.turn(0.3 * step / 2 * j);
    refresh_rotations(turners);
    turner.turn(0.7 * step / 2 * j);
    refresh_rotations(turners);
    return turner.rotation;
  };
  const Mat3 end = turned(start, momentum, impulse);
  EXPECT_LT((end - turned_freely(frame, start, momentum + 0.5 * impulse, step)).norm(), 1e-13);
  EXPECT_GT((end - turned_freely(frame, start, momentum, step)).norm(), 1e-3);
  EXPECT_LT((turned(end, -(momentum + impulse), impulse) - start).norm(), 1e-9);
}

}  // namespace
}  // namespace pliant::solver
