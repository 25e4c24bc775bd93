// Cholesky: known solutions, reuse of the analysis, failures as statuses, held directions, same bits.
#include "pliant/linear/cholesky.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"
#include "tests/linear/measured_solve.h"
#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

// b = A x for a chosen x, so that the solution is known.
BlockVector right_hand_side(const sparse::SymmetricBlockMatrix& matrix, const BlockVector& x) {
  BlockVector b(matrix.row_count());
  matrix.multiply(x, b);
  return b;
}

TEST(Cholesky, FindsTheKnownSolution) {
  for (const int n : {1, 2, 5, 12}) {
    const test::Grid grid{n};
    const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.01);
    const BlockVector known = test::random_vector(grid.size(), 1);
    BlockVector x(grid.size());
    Cholesky solver;
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    EXPECT_LT(test::solve_and_measure(solver, matrix, right_hand_side(matrix, known), x), 1e-13);
    EXPECT_LT(test::largest_difference(x, known), 1e-10) << n;
    EXPECT_TRUE(test::padding_is_zero(x));
    EXPECT_GT(solver.memory_bytes(), 9u * sizeof(double) * matrix.pattern().slot_count());
  }
}

TEST(Cholesky, CountsWhatAFactorisationTakes) {
  // Nothing left out: columns of 24, 23, … 1 entries. Nothing coupled: three columns of 3, 2, 1 per block.
  Cholesky solver;
  EXPECT_EQ(solver.factor_operations(), 0);
  sparse::PatternBuilder builder(8);
  builder.couple(std::array{0, 1, 2, 3, 4, 5, 6, 7});
  solver.analyze(builder.build());
  EXPECT_EQ(solver.factor_operations(), 24 * 25 * 49 / 6);
  solver.analyze(sparse::PatternBuilder(8).build());
  EXPECT_EQ(solver.factor_operations(), 8 * (9 + 4 + 1));
}

TEST(Cholesky, RefactorsWithTheSameAnalysis) {
  const test::Grid grid{6};
  const auto pattern = grid.pattern();
  const BlockVector known = test::random_vector(grid.size(), 2);
  BlockVector x(grid.size());
  Cholesky solver;
  solver.analyze(pattern);
  const std::size_t holders = pattern.use_count();
  std::size_t memory = 0;
  for (const double mass : {1.0, 1e-3, 50.0}) {
    const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, pattern, mass);
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    (void)solver.solve(right_hand_side(matrix, known), x);
    EXPECT_LT(test::largest_difference(x, known), 1e-10);
    if (memory == 0) memory = solver.memory_bytes();
    EXPECT_EQ(solver.memory_bytes(), memory);
  }
  EXPECT_EQ(pattern.use_count(), static_cast<long>(holders));
}

TEST(Cholesky, FollowsANewPattern) {
  Cholesky solver;
  for (const int n : {4, 3, 5}) {
    const test::Grid grid{n};
    const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
    const BlockVector known = test::random_vector(grid.size(), 3);
    BlockVector x(grid.size());
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    (void)solver.solve(right_hand_side(matrix, known), x);
    EXPECT_LT(test::largest_difference(x, known), 1e-10);
  }
}

TEST(Cholesky, ReportsAMatrixThatIsNotPositiveDefiniteAndRecovers) {
  const test::Grid grid{5};
  const sparse::SymmetricBlockMatrix good = test::spring_matrix(grid, grid.pattern(), 1);
  sparse::SymmetricBlockMatrix bad = good;
  bad.block(bad.pattern().diagonal_slot(60))(1, 1) = -1;
  Cholesky solver;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(solver.factor(bad), LinearStatus::not_positive_definite);
  EXPECT_EQ(testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr(), "");
  BlockVector x(grid.size());
  EXPECT_THROW((void)solver.solve(x, x), InternalError);

  const BlockVector known = test::random_vector(grid.size(), 4);
  ASSERT_EQ(solver.factor(good), LinearStatus::solved);
  (void)solver.solve(right_hand_side(good, known), x);
  EXPECT_LT(test::largest_difference(x, known), 1e-10);
}

TEST(Cholesky, ReportsNumbersThatAreNotFinite) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  Cholesky solver;
  BlockVector b = test::random_vector(grid.size(), 5), x(grid.size());
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  b[7][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.solve(b, x).status, LinearStatus::not_finite);
  matrix.block(3)(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solver.factor(matrix), LinearStatus::not_finite);
}

TEST(Cholesky, HeldDirectionsStayAtZero) {
  const test::Grid grid{6};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  const Vec3 oblique = Vec3(1, 2, -2) / 3;
  BlockFilter filter(grid.size());
  for (int i = 0; i < 36; ++i) filter.hold(i);
  filter.hold(100, Vec3::UnitZ());
  filter.hold(101, oblique);
  BlockVector b = test::random_vector(grid.size(), 6), x(grid.size());
  filter.apply(matrix);
  filter.apply(b);
  Cholesky solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-13);
  for (int i = 0; i < 36; ++i) EXPECT_EQ(Vec3(x[i]), Vec3(Vec3::Zero()));
  EXPECT_EQ(x[100][2], 0);
  EXPECT_LT(std::abs(oblique.dot(x[101])), 1e-15);
}

TEST(Cholesky, SolutionHasTheSameBitsForAnyThreadCount) {
  const test::Grid grid{75, 75, 1};  // a sheet: more than one piece of every parallel loop, little fill
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  const BlockVector b = test::random_vector(grid.size(), 7);
  BlockVector expected(grid.size()), x(grid.size());
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Cholesky solver;
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    EXPECT_EQ(solver.solve(b, threads == 1 ? expected : x).status, LinearStatus::solved);
    if (threads > 1) {
      EXPECT_EQ(x, expected) << threads << " threads";
    }
  }
  set_thread_count(0);
}

TEST(Cholesky, ManyBlasThreadsGiveTheSameSolutionUpToRounding) {
  const test::Grid grid{10};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 0.1);
  const BlockVector known = test::random_vector(grid.size(), 8);
  BlockVector x(grid.size());
  set_thread_count(2);
  Cholesky solver(BlasThreads::as_many_as_loops);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  (void)solver.solve(right_hand_side(matrix, known), x);
  EXPECT_LT(test::largest_difference(x, known), 1e-10);
  set_thread_count(0);
}

TEST(Cholesky, WorksOnUnconnectedBlocks) {
  sparse::SymmetricBlockMatrix matrix(sparse::PatternBuilder(4).build());
  for (int i = 0; i < 4; ++i) matrix.block(i) = (i + 1.0) * Mat3::Identity();
  const BlockVector b = test::random_vector(4, 9);
  BlockVector x(4);
  Cholesky solver;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  (void)solver.solve(b, x);
  for (int i = 0; i < 4; ++i) EXPECT_LT((x[i] - b[i] / (i + 1.0)).norm(), 1e-15);
}

}  // namespace
}  // namespace pliant::linear
