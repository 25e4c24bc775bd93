// Level matrices: the split keeps every block, products agree with the symmetric matrix, the order is a valid one.
#include "pliant/linear/multigrid/level_matrix.h"

#include <gtest/gtest.h>

#include "tests/linear/multigrid/model_problems.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

TEST(LevelMatrix, HoldsTheWholeMatrix) {
  const test::Grid grid{3, 4, 5};
  sparse::SymmetricBlockMatrix matrix(grid.pattern());
  test::fill_randomly(matrix, 1);
  LevelMatrix<3> level;
  level.reset(LevelPattern(neighbours_of(matrix.pattern())));
  FinestCopy(matrix.pattern(), level.pattern).copy(matrix, 2, level);
  EXPECT_LT((test::dense(level) - 2 * test::dense(matrix)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(LevelMatrix, KnowsWhatItIsACopyOf) {
  const test::Grid grid{30, 20, 10};  // several pieces: blocks inside, between, and transposed
  sparse::SymmetricBlockMatrix matrix(grid.pattern());
  test::fill_randomly(matrix, 1);
  LevelMatrix<3> level;
  level.reset(LevelPattern(neighbours_of(matrix.pattern())));
  const FinestCopy copy(matrix.pattern(), level.pattern);
  copy.copy(matrix, 2, level);
  EXPECT_TRUE(copy.is_copy(matrix, 2, level));
  EXPECT_FALSE(copy.is_copy(matrix, 2.1, level));
  for (int slot = 0; slot < matrix.pattern().slot_count(); slot += 997) {
    matrix.block(slot)(2, 1) += 1e-3;
    EXPECT_FALSE(copy.is_copy(matrix, 2, level)) << slot;
    matrix.block(slot)(2, 1) -= 1e-3;
  }
}

TEST(LevelMatrix, EveryRowComesAfterThoseInItsLowerPart) {
  const test::Grid grid{30, 20, 10};  // 6000 rows: several pieces
  const LevelPattern pattern(neighbours_of(*grid.pattern()));
  EXPECT_GT(pattern.pieces.color_count(), 1);
  std::vector<int> turn(grid.size(), -1);  // when a row is visited; rows of one colour may be visited at the same time
  std::vector<int> color(grid.size());
  int now = 0;
  for (int c = 0; c < pattern.pieces.color_count(); ++c) {
    for (int k = pattern.pieces.color_start[c]; k < pattern.pieces.color_start[c + 1]; ++k) {
      const int piece = pattern.pieces.items[k];
      for (int i = pattern.piece_start[piece]; i < pattern.piece_start[piece + 1]; ++i) {
        turn[i] = now++;
        color[i] = 10000 * c + piece;
      }
    }
  }
  EXPECT_EQ(now, grid.size());
  for (int i = 0; i < grid.size(); ++i) {
    for (int e = pattern.inside.start[i]; e < pattern.inside.start[i + 1]; ++e) {
      EXPECT_GT(turn[pattern.inside.column[e]], turn[i]);
      EXPECT_EQ(color[pattern.inside.column[e]], color[i]);
    }
    for (int e = pattern.before.start[i]; e < pattern.before.start[i + 1]; ++e)
      EXPECT_LT(turn[pattern.before.column[e]], turn[i]);
    for (int e = pattern.after.start[i]; e < pattern.after.start[i + 1]; ++e) {
      const int j = pattern.after.column[e];
      EXPECT_GT(turn[j], turn[i]);
      EXPECT_NE(color[i] / 10000, color[j] / 10000);  // pieces of one colour do not touch
      EXPECT_EQ(pattern.before.column[pattern.mirror[e]], i);
    }
  }
}

TEST(LevelMatrix, MultipliesAsTheSymmetricMatrixDoes) {
  const test::Grid grid{12};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.5);
  const LevelMatrix<3> level = test::level_of(matrix);
  const BlockVector x = test::random_vector(grid.size(), 2);
  BlockVector expected(grid.size());
  matrix.multiply(x, expected);
  std::vector<float> from(4 * grid.size()), to(4 * grid.size(), 9.0F);
  std::copy_n(x.data(), 4 * grid.size(), from.begin());
  level.multiply(from.data(), to.data());
  for (int i = 0; i < grid.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(to[4 * i + k], expected[i][k], 1e-5);
    EXPECT_EQ(to[4 * i + 3], 0);
  }
}

TEST(LevelMatrix, InversesOfTheDiagonalAreExactWherePositiveAndPositiveEverywhere) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.5);
  matrix.block(matrix.pattern().diagonal_slot(7)).diagonal() << 1, -2, 0;
  LevelMatrix<3> level = test::level_of(matrix);
  EXPECT_FALSE(level.has_exact_inverses);
  EXPECT_TRUE(test::level_of(test::spring_matrix(grid, grid.pattern(), 0.5)).has_exact_inverses);
  for (int i = 0; i < grid.size(); ++i) {
    const Mat3 d = matrix.block(matrix.pattern().diagonal_slot(i));
    const Mat3 inverse = Eigen::Map<const Eigen::Matrix3f>(level.inverse.data() + at_block<3>(i)).cast<double>();
    EXPECT_GT(test::eigenvalues(inverse).minCoeff(), 0);
    if (i == 7) continue;
    EXPECT_LT((inverse * d - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-5);
  }
  level.diagonal[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(level.invert_diagonal());
}

}  // namespace
}  // namespace pliant::linear
