// The projection: no negative eigenvalue, nearest in the Frobenius norm, definite matrices untouched.
#include "pliant/math/psd.h"
#include "tests/support/dense_algebra.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant::math {
namespace {

Mat3 random_symmetric(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Mat3 m = Mat3::NullaryExpr([&] { return normal(random); });
  return m + m.transpose();
}

Mat3 projected(const Mat3& a) {
  double entries[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries[i][j] = a(i, j);
  project_psd_3x3(entries);
  Mat3 result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result(i, j) = entries[i][j];
  return result;
}

TEST(ProjectPsd, ThreeByThreeAgreesWithTheDenseProjection) {
  std::mt19937_64 random(6);
  for (int n = 0; n < 10'000; ++n) {
    const Mat3 a = random_symmetric(random);
    EXPECT_LT((projected(a) - project_psd(a)).norm(), 1e-13 * a.norm());
  }
}

// The residual P − A must be semi-definite and orthogonal to P: the optimality conditions of the nearest matrix.
TEST(ProjectPsd, DenseProjectionIsTheNearestMatrix) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int size : {1, 2, 5, 12}) {
    const Eigen::MatrixXd m = Eigen::MatrixXd::NullaryExpr(size, size, [&] { return normal(random); });
    const Eigen::MatrixXd a = m + m.transpose();
    const Eigen::MatrixXd p = project_psd(a);
    const auto smallest = [](const Eigen::MatrixXd& s) { return test::eigenvalues(s)[0]; };
    EXPECT_GT(smallest(p), -1e-13 * a.norm());
    EXPECT_GT(smallest(p - a), -1e-13 * a.norm());
    EXPECT_LT(std::fabs((p - a).cwiseProduct(p).sum()), 1e-13 * a.squaredNorm());
  }
}

TEST(ProjectPsd, DefiniteMatricesAreUntouched) {
  std::mt19937_64 random(8);
  for (int n = 0; n < 1'000; ++n) {
    const Mat3 m = random_symmetric(random);
    Mat3 a = m * m + 0.1 * Mat3::Identity();
    a = 0.5 * (a + a.transpose()).eval();
    EXPECT_EQ(projected(a), a);
  }
}

TEST(ProjectPsd, NegativeAndZeroMatrices) {
  EXPECT_LT(projected(-Mat3::Identity()).norm(), 1e-16);
  EXPECT_EQ(projected(Mat3::Zero()).norm(), 0);
  EXPECT_TRUE(projected(Vec3(1, -2, 0).asDiagonal()).isApprox(Mat3(Vec3(1, 0, 0).asDiagonal()), 1e-15));
}

// Material stiffness spans many decades.
TEST(ProjectPsd, AnyScale) {
  std::mt19937_64 random(9);
  for (double scale : {1e-30, 1e9, 1e40}) {
    const Mat3 a = scale * random_symmetric(random);
    EXPECT_LT((projected(a) - project_psd(a)).norm(), 1e-13 * a.norm());
  }
}

// A definite lane stays as it is even when its neighbour must be projected.
TEST(ProjectPsd, LanesAreProjectedOneByOne) {
  std::mt19937_64 random(10);
  for (int n = 0; n < 1'000; ++n) {
    Mat3 a[kLaneCount];
    Lanes entries[3][3];
    for (int k = 0; k < kLaneCount; ++k) {
      a[k] = random_symmetric(random);
      if (k % 2 == 0) a[k] += 20 * Mat3::Identity();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) entries[i][j][k] = a[k](i, j);
    }
    project_psd_3x3(entries);
    for (int k = 0; k < kLaneCount; ++k) {
      const Mat3 expected = projected(a[k]);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(entries[i][j][k], expected(i, j), 1e-13 * a[k].norm());
      if (k % 2 == 0) {
        EXPECT_EQ(entries[0][1][k], a[k](0, 1));
      }
    }
  }
}

}  // namespace
}  // namespace pliant::math
