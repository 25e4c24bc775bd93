// Rotations: every conversion is undone by its inverse, from zero to half a turn, and the derivative of the exponential
// map agrees with its definition.
#include "pliant/math/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>
#include <random>

#include "pliant/assert.h"

namespace pliant::math {
namespace {

constexpr double kPi = std::numbers::pi;

class RotationTest : public ::testing::Test {
 protected:
  Vec3 direction() { return Vec3(normal_(random_), normal_(random_), normal_(random_)).normalized(); }
  std::mt19937_64 random_{11};
  std::normal_distribution<double> normal_;
};

// 0, 1e-18 … 1, and both sides of π.
std::vector<double> telling_angles() {
  std::vector<double> angles = {0, 0.09, 0.11, 0.49, 0.51, 2, 3, kPi};
  for (int k = 1; k < 18; ++k) angles.insert(angles.end(), {std::pow(10.0, -k), kPi - std::pow(10.0, -k)});
  return angles;
}

TEST_F(RotationTest, SkewIsTheCrossProduct) {
  const Vec3 a = direction(), b = direction();
  EXPECT_LT((skew(a) * b - a.cross(b)).norm(), 1e-15);
  EXPECT_EQ(vector_of_skew(skew(a)), a);
}

TEST_F(RotationTest, ExponentialIsARotationByItsLength) {
  for (double angle : telling_angles()) {
    const Vec3 axis = direction();
    const Mat3 r = rotation_from_vector(angle * axis);
    EXPECT_LT((r.transpose() * r - Mat3::Identity()).norm(), 4e-15);
    EXPECT_NEAR(r.determinant(), 1, 4e-15);
    EXPECT_LT((r * axis - axis).norm(), 2e-15);
    EXPECT_NEAR(r.trace(), 1 + 2 * std::cos(angle), 2e-15);
    // Rodrigues' formula, which needs no quaternion.
    const Mat3 k = skew(axis);
    EXPECT_LT((r - (Mat3::Identity() + std::sin(angle) * k + (1 - std::cos(angle)) * k * k)).norm(), 4e-15) << angle;
  }
}

TEST_F(RotationTest, LogarithmUndoesTheExponential) {
  for (double angle : telling_angles())
    for (int n = 0; n < 50; ++n) {
      const Vec3 omega = angle * direction();
      const Vec3 from_quaternion = vector_from_quaternion(quaternion_from_vector(omega));
      const Vec3 from_matrix = vector_from_rotation(rotation_from_vector(omega));
      // At half a turn the two signs are the same rotation.
      const auto distance = [&](const Vec3& w) {
        const double direct = (w - omega).norm();
        return angle > kPi - 1e-14 ? std::min(direct, (w + omega).norm()) : direct;
      };
      EXPECT_LT(distance(from_quaternion), 2e-15 * std::max(angle, 1e-300) + 1e-15 * (angle > 1)) << angle;
      EXPECT_LT(distance(from_matrix), 3e-15) << angle;
      EXPECT_LE(from_matrix.norm(), kPi * (1 + 1e-15));
    }
}

TEST_F(RotationTest, LogarithmOfHalfTurnsAboutTheAxes) {
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 omega = vector_from_rotation(rotation_from_axis_degrees(Vec3::Unit(axis), 180));
    EXPECT_LT((omega.cwiseAbs() - kPi * Vec3::Unit(axis)).norm(), 1e-15);
  }
}

TEST_F(RotationTest, QuaternionAndMatrixAgree) {
  for (int n = 0; n < 1'000; ++n) {
    const Quaternion q = quaternion_from_vector(3 * normal_(random_) * direction());
    const Mat3 r = rotation_from_quaternion(q);
    const Quaternion back = quaternion_from_rotation(r);
    EXPECT_NEAR(back.norm(), 1, 1e-15);
    EXPECT_GE(back.w(), 0);
    EXPECT_LT((rotation_from_quaternion(back) - r).norm(), 3e-15);
    EXPECT_NEAR(std::fabs(back.coeffs().dot(q.coeffs())), 1, 1e-15);
  }
}

TEST_F(RotationTest, QuarterTurnsAreExact) {
  Mat3 about_y;
  about_y << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  EXPECT_EQ(rotation_from_axis_degrees(Vec3(0, 2, 0), 90), about_y);
  EXPECT_EQ(rotation_from_axis_degrees(Vec3(0, 2, 0), -270), about_y);
  EXPECT_EQ(rotation_from_axis_degrees(Vec3(0, 0, 1e-200), 180), Mat3(Vec3(-1, -1, 1).asDiagonal()));
  EXPECT_TRUE(rotation_from_axis_degrees(Vec3(1, 2, 3), 3600).isIdentity(0));
  for (double degrees : {-723.0, -45.0, 1e-7, 30.0, 89.0, 91.0, 200.0})
    EXPECT_LT((rotation_from_axis_degrees(Vec3(1, 2, 3), degrees) -
               rotation_from_axis_angle(Vec3(1, 2, 3), degrees * kPi / 180))
                  .norm(),
              1e-14);
  EXPECT_THROW((void)rotation_from_axis_degrees(Vec3::Zero(), 10), InternalError);
}

// exp(ω + δ) = exp(ω) exp(Jr δ) up to |δ|²: the error falls by four when δ halves.
TEST_F(RotationTest, RightJacobianIsTheDerivative) {
  for (double angle : {0.0, 1e-9, 1e-3, 0.099, 0.101, 0.499, 0.501, 1.0, 2.5, kPi, 4.0}) {
    const Vec3 omega = angle * direction(), delta = direction();
    const auto error = [&](double step) {
      const Mat3 stepped = rotation_from_vector(omega).transpose() * rotation_from_vector(omega + step * delta);
      return (vector_from_rotation(stepped) - right_jacobian(omega) * (step * delta)).norm();
    };
    EXPECT_LT(error(1e-4), 1e-8) << angle;
    EXPECT_LT(error(5e-5), 0.26 * error(1e-4) + 1e-14) << angle;
  }
}

TEST_F(RotationTest, InverseRightJacobian) {
  for (double angle : telling_angles()) {
    const Vec3 omega = angle * direction();
    EXPECT_TRUE((right_jacobian(omega) * inverse_right_jacobian(omega)).isIdentity(3e-15)) << angle;
  }
  const Vec3 nearly_full_turn = 6 * direction();
  EXPECT_TRUE((right_jacobian(nearly_full_turn) * inverse_right_jacobian(nearly_full_turn)).isIdentity(1e-12));
}

// Jr leaves the axis alone and, across it, has determinant 2 (1 − cos t)/t².
TEST_F(RotationTest, RightJacobianHasItsKnownDeterminant) {
  for (double angle : {1e-8, 0.05, 0.3, 0.6, 2.0, 5.0}) {
    const Vec3 omega = angle * direction();
    const double half = 0.5 * angle;
    EXPECT_LT((right_jacobian(omega) * omega - omega).norm(), 1e-15 * angle + 1e-15);
    EXPECT_NEAR(right_jacobian(omega).determinant(), std::pow(std::sin(half) / half, 2), 1e-14);
  }
}

TEST_F(RotationTest, SlerpTurnsAtConstantSpeedTheShortWay) {
  for (double angle : telling_angles()) {
    if (angle > kPi - 1e-3) continue;
    const Quaternion a = quaternion_from_vector(2 * direction());
    const Vec3 turn = angle * direction();
    Quaternion b = a * quaternion_from_vector(turn);
    for (int sign = 0; sign < 2; ++sign) {
      for (double s : {0.0, 0.25, 0.5, 1.0}) {
        const Quaternion expected = a * quaternion_from_vector(s * turn);
        EXPECT_NEAR(std::fabs(slerp(a, b, s).coeffs().dot(expected.coeffs())), 1, 2e-15);
        EXPECT_LT((rotation_from_quaternion(slerp(a, b, s)) - rotation_from_quaternion(expected)).norm(), 1e-14)
            << angle;
      }
      b.coeffs() = -b.coeffs();
    }
  }
}

TEST_F(RotationTest, HalfWayIsHalfOfTheTurn) {
  const Mat3 a = rotation_from_vector(Vec3(0.4, -1, 0.3)), half = rotation_from_vector(Vec3(0.2, 0.5, -0.7));
  EXPECT_LT((half_way(a, half * half * a) - half * a).norm(), 1e-14);
}

}  // namespace
}  // namespace pliant::math
