// Directions in single precision: as many iterations as in double, what it says of indefinite matrices, when it is not
// to be trusted.
#include "pliant/linear/scaled_cg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

TEST(ScaledCg, IsPcgWithFewerDigits) {
  const test::Grid grid{10};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-3);
  const BlockVector b = test::random_vector(grid.size(), 1);
  BlockVector x(grid.size()), expected(grid.size());
  ScaledCg solver;
  ASSERT_TRUE(solver.factor(matrix));
  for (const double tolerance : {0.1, 1e-2, 1e-3}) {
    Pcg pcg({.tolerance = tolerance, .max_iterations = 1000});
    ASSERT_EQ(pcg.factor(matrix), LinearStatus::solved);
    const LinearReport in_double = pcg.solve(b, expected);
    const ScaledCg::Result result = solver.solve(b, tolerance, 1000, x);
    ASSERT_TRUE(result.is_trusted);
    EXPECT_EQ(result.report.status, LinearStatus::solved);
    EXPECT_NEAR(result.report.iterations, in_double.iterations, 1);
    EXPECT_NEAR(result.report.residual, in_double.residual, 0.2 * in_double.residual);
    EXPECT_TRUE(test::padding_is_zero(x));
    if (result.report.iterations == in_double.iterations) {
      EXPECT_LT(test::largest_difference(x, expected), 1e-3);
    }
  }
}

// Neither very small nor very large systems leave the range of single precision.
TEST(ScaledCg, DoesNotDependOnUnits) {
  const test::Grid grid{5};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  BlockVector b = test::random_vector(grid.size(), 2), x(grid.size()), expected(grid.size());
  ScaledCg solver;
  ASSERT_TRUE(solver.factor(matrix));
  ASSERT_TRUE(solver.solve(b, 1e-3, 100, expected).is_trusted);
  matrix.scale(1e60);
  sparse::scale(b, 1e-50);
  ASSERT_TRUE(solver.factor(matrix));
  ASSERT_TRUE(solver.solve(b, 1e-3, 100, x).is_trusted);
  sparse::scale(x, 1e110);
  EXPECT_LT(test::largest_difference(x, expected), 1e-4);
}

TEST(ScaledCg, StopsAtNegativeCurvatureWithADescentDirection) {
  const test::Grid grid{4};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  const BlockVector b = test::random_vector(grid.size(), 3);
  BlockVector x(grid.size());
  ScaledCg solver;
  // Diagonal blocks stay positive: two rows that pull at each other more than they are held.
  const int slot = matrix.pattern().slot(grid.index(1, 1, 1), grid.index(2, 1, 1));
  matrix.block(slot) = -40 * Mat3::Identity();
  ASSERT_TRUE(solver.factor(matrix));
  const ScaledCg::Result later = solver.solve(b, 1e-3, 100, x);
  EXPECT_TRUE(later.is_trusted);
  EXPECT_EQ(later.report.status, LinearStatus::not_positive_definite);
  EXPECT_GT(sparse::dot(b, x), 0);

  // At once: the right-hand side is the direction of negative curvature; the answer is the preconditioned one.
  BlockVector pull(grid.size());
  pull[grid.index(1, 1, 1)] = pull[grid.index(2, 1, 1)] = Vec3(1, 0, 0);
  const ScaledCg::Result at_once = solver.solve(pull, 1e-3, 100, x);
  EXPECT_EQ(at_once.report.status, LinearStatus::not_positive_definite);
  EXPECT_EQ(at_once.report.iterations, 1);
  const Mat3 diagonal = matrix.block(matrix.pattern().diagonal_slot(grid.index(1, 1, 1)));
  EXPECT_LT((diagonal * x[grid.index(1, 1, 1)] - Vec3(1, 0, 0)).norm(), 1e-6);
}

// Two points tied by 10⁹ times what holds them: in single precision nothing holds them both. It says so, and pcg goes on
// in double.
TEST(ScaledCg, KnowsWhatItDoesNotKnow) {
  const test::Grid grid{4};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-3);
  const Mat3 tie = 1e9 * Mat3::Identity();
  matrix.block(matrix.pattern().diagonal_slot(20)) += tie;
  matrix.block(matrix.pattern().diagonal_slot(21)) += tie;
  matrix.block(matrix.pattern().slot(20, 21)) -= tie;
  BlockVector b(grid.size()), x(grid.size());
  b[20] = b[21] = Vec3(1, -2, 0.5);
  ScaledCg solver;
  ASSERT_TRUE(solver.factor(matrix));
  EXPECT_FALSE(solver.solve(b, 1e-3, 1000, x).is_trusted);

  const auto solve = [&](PcgPrecision precision) {
    Pcg pcg({.tolerance = 1e-3, .max_iterations = 1000, .precision = precision});
    EXPECT_EQ(pcg.factor(matrix), LinearStatus::solved);
    EXPECT_EQ(pcg.solve(b, x).status, LinearStatus::solved);
    return x;
  };
  const BlockVector in_double = solve(PcgPrecision::always_double);
  EXPECT_EQ(solve(PcgPrecision::single_where_enough), in_double);
}

TEST(ScaledCg, ReportsTheIterationLimitAndLeavesZeroToDouble) {
  const test::Grid grid{6};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-4);
  BlockVector x(grid.size());
  ScaledCg solver;
  ASSERT_TRUE(solver.factor(matrix));
  const ScaledCg::Result result = solver.solve(test::random_vector(grid.size(), 5), 1e-3, 3, x);
  EXPECT_EQ(result.report.status, LinearStatus::not_converged);
  EXPECT_EQ(result.report.iterations, 3);
  EXPECT_FALSE(solver.solve(BlockVector(grid.size()), 1e-3, 3, x).is_trusted);
}

TEST(ScaledCg, SolutionHasTheSameBitsForAnyThreadCount) {
  const test::Grid grid{14};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.01);
  const BlockVector b = test::random_vector(grid.size(), 6);
  BlockVector expected, x(grid.size());
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    ScaledCg solver;
    ASSERT_TRUE(solver.factor(matrix));
    ASSERT_TRUE(solver.solve(b, 1e-3, 1000, x).is_trusted);
    if (threads == 1) expected = x;
    EXPECT_EQ(x, expected) << threads << " threads";
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
