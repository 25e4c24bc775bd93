// The nearest rotation against U Vᵀ of Eigen's JacobiSVD, made a rotation, and λ against the sum of its signed stretches:
// a million matrices in all, to 1e-12 and what rounding of the matrix does to its rotation.
#include "pliant/math/polar.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <array>
#include <random>

#include "pliant/math/rotation.h"

namespace pliant::math {
namespace {

using Batch = std::array<Mat3, kLaneCount>;

void to_lanes(const Batch& f, Lanes entries[3][3]) {
  for (int k = 0; k < kLaneCount; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) entries[i][j][k] = f[k](i, j);
}

Batch wide_polar(const Batch& f) {
  Lanes entries[3][3], r[3][3];
  to_lanes(f, entries);
  polar_rotation(entries, r);
  Batch rotations;
  for (int k = 0; k < kLaneCount; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) rotations[k](i, j) = r[i][j][k];
  return rotations;
}

// The nearest rotation, and the stretches, the last with the sign of det F.
struct Reference {
  Mat3 rotation;
  Vec3 stretches;
};
Reference by_eigen(const Mat3& f) {
  const Eigen::JacobiSVD<Mat3> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant() > 0 ? 1 : -1;
  const Vec3 turned(1, 1, sign);
  return {svd.matrixU() * turned.asDiagonal() * svd.matrixV().transpose(), turned.cwiseProduct(svd.singularValues())};
}

class PolarTest : public ::testing::Test {
 protected:
  double normal() { return normal_(random_); }
  Mat3 gaussian() {
    return Mat3::NullaryExpr([this] { return normal(); });
  }
  Mat3 rotation() { return rotation_from_vector(3 * Vec3(normal(), normal(), normal())); }

  // Checks rotations and traces of four matrices; the rotation itself where s1 + s2 > 1e-3 s0.
  void check(const Batch& f) {
    Lanes entries[3][3];
    to_lanes(f, entries);
    const Lanes trace = trace_of_stretch(entries);
    const Batch r = wide_polar(f);
    for (int k = 0; k < kLaneCount; ++k) {
      const Reference eigen = by_eigen(f[k]);
      const Vec3& s = eigen.stretches;
      const double largest = s[0];
      ASSERT_LT((r[k].transpose() * r[k] - Mat3::Identity()).norm(), 1e-12);
      ASSERT_GT(r[k].determinant(), 0);
      ASSERT_NEAR(trace[k], s.sum(), 1e-12 * largest);
      ASSERT_NEAR((r[k].transpose() * f[k]).trace(), s.sum(), 1e-12 * largest) << "the largest trace there is";
      if (s[1] + s[2] > 1e-3 * largest) {
        // Rounding of F turns the rotation by up to ε s₀ / (s₁ + s₂): as two stretches cancel, neither code knows it better.
        const double bound = 2e-14 + 2e-15 * largest / (s[1] + s[2]);
        ASSERT_LT((r[k] - eigen.rotation).norm(), bound);
        ASSERT_LT((polar_rotation(f[k]) - eigen.rotation).norm(), bound);
      }
      ASSERT_NEAR(trace_of_stretch(f[k]), s.sum(), 1e-12 * largest);
    }
  }

  std::mt19937_64 random_{5};
  std::normal_distribution<double> normal_;
};

TEST_F(PolarTest, RandomMatrices) {
  for (int n = 0; n < 150'000; ++n) check({gaussian(), gaussian(), gaussian(), gaussian()});
}

TEST_F(PolarTest, NearRest) {
  for (int n = 0; n < 50'000; ++n) {
    Batch f;
    for (Mat3& matrix : f) matrix = rotation() * (Mat3::Identity() + std::pow(10.0, -(n % 17)) * gaussian());
    check(f);
  }
}

TEST_F(PolarTest, FlatAndInvertedElements) {
  for (int n = 0; n < 50'000; ++n) {
    const double small = std::pow(10.0, -0.2 * (n % 40));
    const Vec3 stretches[] = {Vec3(1, small, small), Vec3(1, small, 0.1 * small), Vec3(1, 0.5, -0.5 + small),
                              Vec3(1, 1, -0.9)};
    Batch f;
    for (int k = 0; k < kLaneCount; ++k) f[k] = rotation() * stretches[k].asDiagonal() * rotation().transpose();
    check(f);
  }
}

TEST_F(PolarTest, DegenerateMatricesStillGiveRotations) {
  check({Mat3::Zero(), Mat3::Identity(), -Mat3::Identity(), Mat3::Ones()});
  check({Vec3(1, 0, 0).asDiagonal(), Vec3(1, 1, 0).asDiagonal(), Vec3(1, 1, -1).asDiagonal(),
         Vec3(0, 0, -2).asDiagonal()});
  EXPECT_TRUE(polar_rotation(Mat3(Mat3::Zero())).isIdentity(1e-15));
}

TEST_F(PolarTest, AnyScale) {
  for (double scale : {1e-150, 1e-40, 1e-20, 1e20, 1e40, 1e150})
    for (int n = 0; n < 200; ++n) check({scale * gaussian(), gaussian(), scale * rotation(), rotation()});
}

TEST_F(PolarTest, LanesDoNotInfluenceEachOther) {
  for (int n = 0; n < 500; ++n) {
    const Mat3 f = rotation() * (Mat3::Identity() + 0.2 * gaussian());
    const Mat3 among_equals = wide_polar({f, f, f, f})[1];
    EXPECT_TRUE(
        wide_polar({Mat3::Zero(), f, Mat3::Ones(), Mat3::Constant(std::nan(""))})[1].isApprox(among_equals, 1e-14));
  }
}

}  // namespace
}  // namespace pliant::math
