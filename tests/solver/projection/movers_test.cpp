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
TEST(Movers, RotationsStayRotations) {
  std::vector<Turner> turners(1);
  for (int i = 0; i < 10000; ++i) {
    turners[0].turned = Vec3(1, 0.01 * i, -2);
    refresh_rotations(turners);
  }
  EXPECT_LT((turners[0].rotation.transpose() * turners[0].rotation - Mat3::Identity()).norm(), 1e-14);
  EXPECT_NEAR(turners[0].rotation.determinant(), 1, 1e-14);
}

}  // namespace
}  // namespace pliant::solver
