// Products against dense matrices, and the same bits for any thread count.
#include "pliant/sparse/symmetric_block_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::sparse {
namespace {

void expect_product_like_dense(std::shared_ptr<const BlockPattern> pattern, unsigned seed) {
  SymmetricBlockMatrix matrix(std::move(pattern));
  test::fill_randomly(matrix, seed);
  const BlockVector x = test::random_vector(matrix.row_count(), seed + 1);
  // The result must not depend on what stood there before.
  BlockVector y = test::random_vector(matrix.row_count(), seed + 2);
  matrix.multiply(x, y);
  const Eigen::VectorXd expected = test::dense(matrix) * test::dense(x);
  EXPECT_LT((test::dense(y) - expected).cwiseAbs().maxCoeff(), 1e-14 * matrix.pattern().slot_count());
  EXPECT_TRUE(test::padding_is_zero(y));
}

TEST(SymmetricBlockMatrix, ProductOfOneRow) { expect_product_like_dense(PatternBuilder(1).build(), 1); }

TEST(SymmetricBlockMatrix, ProductOfRowsWithoutNeighbours) {
  PatternBuilder builder(9);
  builder.couple(std::array{2, 7});
  expect_product_like_dense(builder.build(), 2);
}

TEST(SymmetricBlockMatrix, ProductOfRandomPatterns) {
  std::mt19937 generator(3);
  for (const int rows : {2, 5, 33, 120}) {
    PatternBuilder builder(rows);
    std::uniform_int_distribution<int> row(0, rows - 1);
    for (int k = 0; k < 4 * rows; ++k) builder.couple(std::array{row(generator), row(generator), row(generator)});
    expect_product_like_dense(builder.build(), 10 + rows);
  }
}

TEST(SymmetricBlockMatrix, ProductOverSeveralPieces) {
  // Dense is too large here: (e_i, A e_j) must be the stored block, seen from both sides.
  const test::Grid grid{14};
  SymmetricBlockMatrix matrix(grid.pattern());
  ASSERT_GT(matrix.pattern().row_pieces().piece_start.size(), 3u);
  test::fill_randomly(matrix, 4);
  BlockVector unit(grid.size()), y(grid.size());
  for (const int j : {0, 700, 1371, grid.size() - 1}) {
    unit[j] = Vec3(1, 2, 3);
    matrix.multiply(unit, y);
    unit[j].setZero();
    for (int i = 0; i < grid.size(); ++i) {
      const int low = std::min(i, j), high = std::max(i, j);
      const auto first = matrix.pattern().column().begin() + matrix.pattern().row_start()[low];
      const auto last = matrix.pattern().column().begin() + matrix.pattern().row_start()[low + 1];
      Vec3 expected = Vec3::Zero();
      if (std::binary_search(first, last, high)) {
        const Mat3 block = matrix.block(matrix.pattern().slot(low, high));
        expected = (i <= j ? block : Mat3(block.transpose())) * Vec3(1, 2, 3);
      }
      ASSERT_LT((y[i] - expected).norm(), 1e-14);
    }
  }
}

TEST(SymmetricBlockMatrix, ProductHasTheSameBitsForAnyThreadCount) {
  SymmetricBlockMatrix matrix(test::Grid{20}.pattern());
  test::fill_randomly(matrix, 5);
  const BlockVector x = test::random_vector(matrix.row_count(), 6);
  BlockVector expected(matrix.row_count()), y(matrix.row_count());
  set_thread_count(1);
  matrix.multiply(x, expected);
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    for (int repeat = 0; repeat < 5; ++repeat) {
      matrix.multiply(x, y);
      EXPECT_EQ(y, expected) << threads << " threads";
    }
  }
  set_thread_count(0);
}

TEST(SymmetricBlockMatrix, ScalesAndClears) {
  SymmetricBlockMatrix matrix(test::Grid{4}.pattern());
  test::fill_randomly(matrix, 7);
  const Eigen::MatrixXd before = test::dense(matrix);
  matrix.scale(-2);
  EXPECT_EQ(test::dense(matrix), Eigen::MatrixXd(-2 * before));
  matrix.set_zero();
  EXPECT_EQ(test::dense(matrix).cwiseAbs().maxCoeff(), 0);
}

TEST(SymmetricBlockMatrix, RefusesVectorsOfAnotherSize) {
  const SymmetricBlockMatrix matrix(test::Grid{2}.pattern());
  const BlockVector x(8);
  BlockVector y(7);
  EXPECT_THROW(matrix.multiply(x, y), InternalError);
}

}  // namespace
}  // namespace pliant::sparse
