// The scaled matrix against its definition, the diagonal's part in it, and the same bits on any number of threads.
#include "pliant/linear/scaled_rows.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

std::vector<float> floats_of(const BlockVector& x) { return {x.data(), x.data() + 4 * x.size()}; }

Mat3 scale_of(const ScaledRows& rows, int i) {
  return Eigen::Map<const Mat3>(rows.scales() + 9 * static_cast<std::size_t>(i));
}

TEST(ScaledRows, ProductIsThatOfTheScaledMatrix) {
  const test::Grid grid{5, 4, 3};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.3);
  const BlockVector x = test::random_vector(grid.size(), 1);
  ScaledRows rows;
  ASSERT_TRUE(rows.take(matrix));
  std::vector<float> y(4 * grid.size());
  const double x_dot_y = rows.multiply(floats_of(x).data(), y.data());

  // W A Wᵀ x in double.
  BlockVector unscaled(grid.size()), product(grid.size());
  for (int i = 0; i < grid.size(); ++i) unscaled[i] = scale_of(rows, i).transpose() * x[i];
  matrix.multiply(unscaled, product);
  double dot = 0;
  for (int i = 0; i < grid.size(); ++i) {
    const Vec3 expected = scale_of(rows, i) * product[i];
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(y[4 * i + k], expected[k], 2e-6) << i;
    EXPECT_EQ(y[4 * i + 3], 0);
    dot += expected.dot(x[i]);
  }
  EXPECT_NEAR(x_dot_y, dot, 1e-5 * std::abs(dot));
}

TEST(ScaledRows, TakesTheDiagonalToTheIdentity) {
  const test::Grid grid{4};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-3);
  ScaledRows rows;
  ASSERT_TRUE(rows.take(matrix));
  for (int i = 0; i < grid.size(); ++i) {
    const Mat3 w = scale_of(rows, i), a = matrix.block(matrix.pattern().diagonal_slot(i));
    EXPECT_LT((w * a * w.transpose() - Mat3::Identity()).norm(), 1e-13);
    EXPECT_EQ(w(0, 1) + w(0, 2) + w(1, 2), 0);
  }
}

// A stiffness of 10¹⁰ along one direction: in single precision it would have no digit left for the others.
TEST(ScaledRows, KeepsSoftDirectionsBesideStiffOnes) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  const Vec3 normal = Vec3(1, 2, 2) / 3;
  matrix.block(matrix.pattern().diagonal_slot(13)) += 1e7 * normal * normal.transpose();
  ScaledRows rows;
  ASSERT_TRUE(rows.take(matrix));
  BlockVector x(grid.size());
  const Vec3 along = Vec3(2, -2, 1) / 3;
  x[13] = scale_of(rows, 13).transpose().inverse() * along;
  std::vector<float> y(4 * grid.size());
  const double curvature = rows.multiply(floats_of(x).data(), y.data());
  const double expected = along.dot(matrix.block(matrix.pattern().diagonal_slot(13)) * along);
  EXPECT_NEAR(curvature, expected, 1e-5 * expected);
}

TEST(ScaledRows, RefusesDiagonalBlocksThatAreNotPositive) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  ScaledRows rows;
  EXPECT_TRUE(rows.take(matrix));
  const int slot = matrix.pattern().diagonal_slot(7);
  const Mat3 good = matrix.block(slot);
  matrix.block(slot)(1, 1) = -1;
  EXPECT_FALSE(rows.take(matrix));
  matrix.block(slot) = Vec3(1, 1, 1) * Vec3(1, 1, 1).transpose();
  EXPECT_FALSE(rows.take(matrix));
  matrix.block(slot) = good;
  matrix.block(slot)(2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(rows.take(matrix));
}

// Two patterns one after the other: what belongs to the first is forgotten.
TEST(ScaledRows, FollowsAChangeOfThePattern) {
  const test::Grid grid{3};
  const sparse::SymmetricBlockMatrix full = test::spring_matrix(grid, grid.pattern(), 1);
  sparse::PatternBuilder builder(grid.size());
  sparse::SymmetricBlockMatrix diagonal(builder.build());
  for (int i = 0; i < grid.size(); ++i) diagonal.block(i) = 4 * Mat3::Identity();
  ScaledRows rows;
  ASSERT_TRUE(rows.take(full));
  ASSERT_TRUE(rows.take(diagonal));
  const std::vector<float> x = floats_of(test::random_vector(grid.size(), 2));
  std::vector<float> y(x.size());
  (void)rows.multiply(x.data(), y.data());
  EXPECT_EQ(x, y);
}

TEST(ScaledRows, ProductHasTheSameBitsForAnyThreadCount) {
  const test::Grid grid{14};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  const std::vector<float> x = floats_of(test::random_vector(grid.size(), 3));
  std::vector<float> expected(x.size()), y(x.size());
  double sum = 0;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    ScaledRows rows;
    ASSERT_TRUE(rows.take(matrix));
    const double dot = rows.multiply(x.data(), y.data());
    if (threads == 1) sum = dot, expected = y;
    EXPECT_EQ(dot, sum) << threads << " threads";
    EXPECT_EQ(y, expected) << threads << " threads";
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
