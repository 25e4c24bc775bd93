// The preconditioner: exact inverses, free parts of held blocks, positive definite in every case.
#include "pliant/linear/block_jacobi.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/sparse/grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

Mat3 inverse(const BlockJacobi& jacobi, int i) { return Eigen::Map<const Mat3>(jacobi.inverses() + 9 * i); }

sparse::SymmetricBlockMatrix single_block(const Mat3& block) {
  sparse::SymmetricBlockMatrix matrix(sparse::PatternBuilder(1).build());
  matrix.block(0) = block;
  return matrix;
}

TEST(BlockJacobi, InvertsDiagonalBlocks) {
  const test::Grid grid{3};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  BlockJacobi jacobi;
  ASSERT_EQ(jacobi.factor(matrix, nullptr), BlockJacobi::Finite::yes);
  for (int i = 0; i < grid.size(); ++i) {
    EXPECT_LT((inverse(jacobi, i) * matrix.block(matrix.pattern().diagonal_slot(i)) - Mat3::Identity()).norm(), 1e-13);
  }
}

TEST(BlockJacobi, InverseOfAHeldBlockIsThatOfItsFreePart) {
  Mat3 block;
  block << 4, 1, 0.5, 1, 3, -1, 0.5, -1, 5;
  BlockFilter filter(1);
  filter.hold(0, Vec3::UnitY());
  BlockJacobi jacobi;
  ASSERT_EQ(jacobi.factor(single_block(block), &filter), BlockJacobi::Finite::yes);
  // The 2×2 inverse of the x and z rows, zeros for y.
  const double det = 4 * 5 - 0.5 * 0.5;
  Mat3 expected;
  expected << 5 / det, 0, -0.5 / det, 0, 0, 0, -0.5 / det, 0, 4 / det;
  EXPECT_LT((inverse(jacobi, 0) - expected).norm(), 1e-15);
}

TEST(BlockJacobi, StaysPositiveDefiniteWhereTheMatrixIsNot) {
  const Vec3 a = Vec3(1, 2, 2) / 3, b = Vec3(2, 1, -2) / 3, c = Vec3(2, -2, 1) / 3;
  const Mat3 indefinite = 8 * a * a.transpose() - 2 * b * b.transpose() + 1e-30 * c * c.transpose();
  for (const Mat3& block : {indefinite, Mat3(Mat3::Zero()), Mat3(a * a.transpose()), Mat3(-Mat3::Identity())}) {
    BlockJacobi jacobi;
    ASSERT_EQ(jacobi.factor(single_block(block), nullptr), BlockJacobi::Finite::yes);
    const Eigen::VectorXd values = test::eigenvalues(inverse(jacobi, 0));
    EXPECT_GT(values.minCoeff(), 0);
    EXPECT_LE(values.maxCoeff() / values.minCoeff(), 1.001 / BlockJacobi::kSmallestEigenvalue);
  }
  BlockJacobi jacobi;
  ASSERT_EQ(jacobi.factor(single_block(indefinite), nullptr), BlockJacobi::Finite::yes);
  EXPECT_NEAR(a.dot(inverse(jacobi, 0) * a), 1 / 8.0, 1e-9);
  EXPECT_NEAR(b.dot(inverse(jacobi, 0) * b), 1 / 2.0, 1e-9);
}

TEST(BlockJacobi, ReportsNumbersThatAreNotFinite) {
  Mat3 block = Mat3::Identity();
  block(2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(BlockJacobi().factor(single_block(block), nullptr), BlockJacobi::Finite::no);
}

}  // namespace
}  // namespace pliant::linear
