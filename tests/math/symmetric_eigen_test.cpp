// A W = W Λ, W a rotation, descending order: for random, clustered, degenerate and extreme matrices.
#include "pliant/math/symmetric_eigen.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "pliant/math/rotation.h"
#include "tests/support/dense_algebra.h"

namespace pliant::math {
namespace {

Symmetric3<double> entries(const Mat3& a) { return {a(0, 0), a(1, 1), a(2, 2), a(0, 1), a(0, 2), a(1, 2)}; }

// Largest violation of the definition, relative to ‖A‖.
double error_of(const Mat3& a) {
  const SymmetricEigen3<double> eigen = symmetric_eigen(entries(a));
  Mat3 w;
  Vec3 values;
  for (int j = 0; j < 3; ++j) {
    values[j] = eigen.values[j];
    for (int i = 0; i < 3; ++i) w(i, j) = eigen.vectors[i][j];
  }
  EXPECT_GE(values[0], values[1]);
  EXPECT_GE(values[1], values[2]);
  EXPECT_NEAR(w.determinant(), 1, 1e-13);
  const double size = std::max(a.norm(), 1e-300);
  const double residual = (a - w * values.asDiagonal() * w.transpose()).norm() / size;
  const Vec3 reference = test::eigenvalues(a).reverse();
  const double error = residual + (w.transpose() * w - Mat3::Identity()).norm() + (values - reference).norm() / size;
  return std::isfinite(error) ? error : 1;
}

class SymmetricEigenTest : public ::testing::Test {
 protected:
  Mat3 random_rotation() {
    return rotation_from_vector(3 * Vec3(normal_(random_), normal_(random_), normal_(random_)));
  }
  Mat3 with_values(const Vec3& values) {
    const Mat3 r = random_rotation();
    const Mat3 a = r * values.asDiagonal() * r.transpose();
    return 0.5 * (a + a.transpose());
  }
  std::mt19937_64 random_{3};
  std::normal_distribution<double> normal_;
};

TEST_F(SymmetricEigenTest, RandomMatrices) {
  double worst = 0;
  for (int n = 0; n < 20'000; ++n)
    worst = std::max(worst, error_of(with_values(Vec3(normal_(random_), normal_(random_), normal_(random_)))));
  EXPECT_LT(worst, 1e-14);
}

TEST_F(SymmetricEigenTest, ClusteredAndDegenerateMatrices) {
  double worst = 0;
  for (int n = 0; n < 5'000; ++n) {
    const double gap = std::pow(10.0, -(n % 18));
    worst = std::max(worst, error_of(with_values(Vec3(1 + gap, 1, 1 - 0.3 * gap))));
    worst = std::max(worst, error_of(with_values(Vec3(1, gap, -gap))));
    worst = std::max(worst, error_of(with_values(Vec3(gap, gap, -1))));
  }
  EXPECT_LT(worst, 1e-14);
  for (const Vec3& diagonal : {Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(-2, -2, -2), Vec3(1, 2, 3), Vec3(3, 2, 1),
                               Vec3(0, 0, 5), Vec3(-5, 0, 0), Vec3(2, 1, 2)})
    EXPECT_LT(error_of(diagonal.asDiagonal()), 4e-15);
}

// Multiples of the identity up to the last bits: the deviator is nothing but rounding.
TEST_F(SymmetricEigenTest, MultiplesOfTheIdentityUpToRounding) {
  const double bit = std::numeric_limits<double>::epsilon();
  for (int n = 0; n < 729; ++n) {
    const Vec3 bits(n % 9 - 4, n / 9 % 9 - 4, n / 81 - 4);
    EXPECT_LT(error_of((Vec3::Ones() + bit * bits).asDiagonal()), 1e-14) << bits.transpose();
    EXPECT_LT(error_of((bit * bits).asDiagonal()), 1e-14) << bits.transpose();
  }
}

TEST_F(SymmetricEigenTest, ScaleDoesNotMatter) {
  double worst = 0;
  for (double scale : {1e-140, 1e-60, 1e60, 1e140})
    for (int n = 0; n < 200; ++n) worst = std::max(worst, error_of(scale * with_values(Vec3(2, normal_(random_), -1))));
  EXPECT_LT(worst, 1e-14);
}

TEST_F(SymmetricEigenTest, LanesAgreeWithThePlainVersion) {
  for (int n = 0; n < 1'000; ++n) {
    Mat3 a[kLaneCount];
    Symmetric3<Lanes> wide;
    for (int k = 0; k < kLaneCount; ++k) {
      a[k] = with_values(Vec3(normal_(random_), normal_(random_), normal_(random_)));
      const Symmetric3<double> one = entries(a[k]);
      wide.xx[k] = one.xx, wide.yy[k] = one.yy, wide.zz[k] = one.zz;
      wide.xy[k] = one.xy, wide.xz[k] = one.xz, wide.yz[k] = one.yz;
    }
    const SymmetricEigen3<Lanes> eigen = symmetric_eigen(wide);
    for (int k = 0; k < kLaneCount; ++k) {
      const SymmetricEigen3<double> one = symmetric_eigen(entries(a[k]));
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(eigen.values[j][k], one.values[j], 1e-14 * a[k].norm());
    }
  }
}

TEST(IsolatedRoot, SolvesTheCubic) {
  for (int n = 0; n <= 1000; ++n) {
    const double d = n / 1000.0;
    const double root = isolated_root(d);
    EXPECT_NEAR(root, 2 * std::cos(std::acos(d) / 3), 1e-15 * 2);
  }
}

}  // namespace
}  // namespace pliant::math
