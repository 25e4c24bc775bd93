// Conjugate gradients: known solutions, bounds on iterations, agreement with Cholesky, held directions, same bits.
#include "pliant/linear/pcg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pliant/assert.h"
#include "pliant/linear/cholesky.h"
#include "pliant/parallel/parallel.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

TEST(Pcg, ReachesTheKnownSolutionWithinTheNumberOfUnknowns) {
  for (const int n : {1, 2, 3, 6}) {
    const test::Grid grid{n};
    const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.05);
    const BlockVector known = test::random_vector(grid.size(), 1);
    BlockVector b(grid.size()), x = known;  // what x held must not matter
    matrix.multiply(known, b);
    Pcg solver({.tolerance = 1e-13, .max_iterations = 3 * grid.size()});
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    const LinearReport report = solver.solve(b, x);
    EXPECT_EQ(report.status, LinearStatus::solved);
    // One block is inverted exactly by the preconditioner.
    EXPECT_LE(report.iterations, n == 1 ? 1 : 3 * grid.size());
    EXPECT_LT(test::largest_difference(x, known), 1e-10) << n;
    EXPECT_TRUE(test::padding_is_zero(x));
  }
}

// Classic bound: ‖e_k‖_A ≤ 2 ((√κ − 1)/(√κ + 1))^k ‖e_0‖_A, κ the condition number of the preconditioned matrix.
// Largest eigenvalue ≤ 2, because k(u − v)² ≤ 2ku² + 2kv² on every spring. Smallest ≥ mass over the largest eigenvalue
// of a diagonal block, which is 10.4 along (1,1,1): mass 1, 14 edges · 0.1, and Σ(d·e)² = 2 + 4 + 2. So κ ≤ 20.8.
TEST(Pcg, IterationsStayBelowTheBoundFromTheConditionNumber) {
  const test::Grid grid{10};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  const BlockVector b = test::random_vector(grid.size(), 2);
  BlockVector x(grid.size());
  Pcg solver({.tolerance = 1e-8, .max_iterations = 1000});
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport report = solver.solve(b, x);
  const double root = std::sqrt(20.8), rate = (root - 1) / (root + 1);
  // One factor √κ more, from the energy norm to the norm of the stopping rule.
  EXPECT_LE(report.iterations, std::ceil(std::log(2 * root / 1e-8) / -std::log(rate)));
  EXPECT_LT(report.residual, 1e-7);
}

TEST(Pcg, AgreesWithCholeskyUnderAFilter) {
  const test::Grid grid{7};
  const Vec3 oblique = Vec3(1, 2, -2) / 3;
  BlockFilter filter(grid.size());
  for (int i = 0; i < 49; ++i) filter.hold(i);
  filter.hold(200, Vec3::UnitY());
  filter.hold(201, oblique);
  filter.hold(202, oblique);
  filter.hold(202, Vec3::UnitX());
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.01);
  const BlockVector b = test::random_vector(grid.size(), 3);
  BlockVector x(grid.size()), expected(grid.size());

  // Pcg filters inside; Cholesky gets the filtered matrix and right-hand side.
  Pcg solver({.tolerance = 1e-13, .max_iterations = 2000});
  solver.set_filter(&filter);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport report = solver.solve(b, x);
  ASSERT_EQ(report.status, LinearStatus::solved);
  EXPECT_LT(report.residual, 1e-12);
  sparse::SymmetricBlockMatrix filtered = matrix;
  BlockVector filtered_b = b;
  filter.apply(filtered);
  filter.apply(filtered_b);
  Cholesky direct;
  ASSERT_EQ(direct.factor(filtered), LinearStatus::solved);
  (void)direct.solve(filtered_b, expected);
  EXPECT_LT(test::largest_difference(x, expected), 1e-10);

  // Held directions are exact, not small.
  for (int i = 0; i < 49; ++i) EXPECT_EQ(Vec3(x[i]), Vec3(Vec3::Zero()));
  EXPECT_EQ(x[200][1], 0);
  EXPECT_LT(std::abs(oblique.dot(x[201])), 1e-15);
  EXPECT_LT(std::abs(oblique.dot(x[202])) + std::abs(x[202][0]), 1e-15);
}

TEST(Pcg, StopsAtADirectionOfNegativeCurvatureWithADescentDirection) {
  const test::Grid grid{4};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  const BlockVector b = test::random_vector(grid.size(), 4);
  BlockVector x(grid.size());
  Pcg solver({.tolerance = 1e-10, .max_iterations = 1000});

  // Found on the way, and at once.
  matrix.block(matrix.pattern().diagonal_slot(30))(2, 2) = -5;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport later = solver.solve(b, x);
  EXPECT_EQ(later.status, LinearStatus::not_positive_definite);
  EXPECT_GT(sparse::dot(b, x), 0);
  EXPECT_GT(later.iterations, 1);
  matrix.scale(-1);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport at_once = solver.solve(b, x);
  EXPECT_EQ(at_once.status, LinearStatus::not_positive_definite);
  EXPECT_EQ(at_once.iterations, 1);
  EXPECT_GT(sparse::dot(b, x), 0);
}

TEST(Pcg, ReportsTheIterationLimitAndBadNumbers) {
  const test::Grid grid{5};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-4);
  BlockVector b = test::random_vector(grid.size(), 5), x(grid.size());
  Pcg solver({.tolerance = 1e-12, .max_iterations = 3});
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, LinearStatus::not_converged);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_LT(report.residual, 1);
  EXPECT_GT(report.residual, 1e-12);

  b[2][0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solver.solve(b, x).status, LinearStatus::not_finite);
  matrix.block(1)(0, 0) = std::numeric_limits<double>::quiet_NaN();  // off the diagonal: seen by the product
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  EXPECT_EQ(solver.solve(test::random_vector(grid.size(), 6), x).status, LinearStatus::not_finite);
  matrix.block(0)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.factor(matrix), LinearStatus::not_finite);
  EXPECT_THROW((void)solver.solve(b, x), InternalError);
}

TEST(Pcg, ZeroRightHandSideGivesZero) {
  const test::Grid grid{3};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  BlockVector x = test::random_vector(grid.size(), 7);
  Pcg solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport report = solver.solve(BlockVector(grid.size()), x);
  EXPECT_EQ(report.status, LinearStatus::solved);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, BlockVector(grid.size()));
}

TEST(Pcg, LooserToleranceStopsEarlier) {
  const test::Grid grid{8};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.01);
  const BlockVector b = test::random_vector(grid.size(), 8);
  BlockVector x(grid.size());
  Pcg solver({.tolerance = 1e-10, .max_iterations = 1000});
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  const LinearReport tight = solver.solve(b, x);
  solver.set_tolerance(1e-2);
  const LinearReport loose = solver.solve(b, x);
  EXPECT_EQ(loose.status, LinearStatus::solved);
  EXPECT_LT(2 * loose.iterations, tight.iterations);
  EXPECT_GT(loose.residual, tight.residual);
}

TEST(Pcg, SolutionHasTheSameBitsForAnyThreadCount) {
  const test::Grid grid{18};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  BlockFilter filter(grid.size());
  for (int i = 0; i < 324; ++i) filter.hold(i);
  const BlockVector b = test::random_vector(grid.size(), 9);
  BlockVector expected, x(grid.size());
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Pcg solver({.tolerance = 1e-8, .max_iterations = 1000});
    solver.set_filter(&filter);
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    ASSERT_EQ(solver.solve(b, x).status, LinearStatus::solved);
    if (threads == 1) expected = x;
    EXPECT_EQ(x, expected) << threads << " threads";
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
