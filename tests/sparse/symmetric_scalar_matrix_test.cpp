// SymmetricScalarMatrix: the product is that of the dense matrix, coordinate by coordinate.
#include "pliant/sparse/symmetric_scalar_matrix.h"

#include <gtest/gtest.h>

#include "tests/sparse/scalar_grid_matrix.h"

namespace pliant::sparse {
namespace {

SymmetricScalarMatrix random_scalar_matrix(const test::Grid& grid, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  SymmetricScalarMatrix matrix(grid.pattern());
  for (double& value : matrix.values()) value = number(generator);
  return matrix;
}

TEST(SymmetricScalarMatrix, MultipliesLikeTheDenseMatrix) {
  for (const test::Grid& grid : {test::Grid{1}, test::Grid{9, 4, 1}, test::Grid{5}}) {
    const SymmetricScalarMatrix matrix = random_scalar_matrix(grid, 1);
    const BlockVector x = test::random_vector(grid.size(), 2);
    BlockVector y = test::random_vector(grid.size(), 3);  // what it held must not matter
    matrix.multiply(x, y);
    const Eigen::MatrixX3d expected = test::dense(matrix) * test::three_columns(x);
    EXPECT_LT((test::three_columns(y) - expected).cwiseAbs().maxCoeff(), 1e-14) << grid.size();
    EXPECT_TRUE(test::padding_is_zero(y));
  }
}

TEST(SymmetricScalarMatrix, AddsToBothHalves) {
  const test::Grid grid{3, 1, 1};
  SymmetricScalarMatrix matrix(grid.pattern());
  matrix.add(1, 0, 2.0);
  matrix.add(0, 1, 0.5);
  matrix.add_at(matrix.pattern().diagonal_slot(2), 3.0);
  Eigen::Matrix3d expected = Eigen::Matrix3d::Zero();
  expected(0, 1) = expected(1, 0) = 2.5;
  expected(2, 2) = 3.0;
  EXPECT_EQ(test::dense(matrix), expected);
  matrix.set_zero();
  EXPECT_EQ(test::dense(matrix), Eigen::MatrixXd(Eigen::MatrixXd::Zero(3, 3)));
}

TEST(SymmetricScalarMatrix, HasTheSlotsOfABlockMatrixOfThatPattern) {
  const test::Grid grid{4, 3, 2};
  const SymmetricScalarMatrix scalar = random_scalar_matrix(grid, 4);
  SymmetricBlockMatrix block(scalar.shared_pattern());
  for (int slot = 0; slot < scalar.pattern().slot_count(); ++slot) {
    block.block(slot) = scalar.values()[static_cast<std::size_t>(slot)] * Mat3::Identity();
  }
  const BlockVector x = test::random_vector(grid.size(), 5);
  BlockVector y(grid.size()), expected(grid.size());
  scalar.multiply(x, y);
  block.multiply(x, expected);
  EXPECT_LT(test::largest_difference(y, expected), 1e-14);
}

}  // namespace
}  // namespace pliant::sparse
