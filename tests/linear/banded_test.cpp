// Banded factorisation: dense solutions, several chains, padding, other bandwidths, failures as statuses, same bits.
#include "pliant/linear/banded.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/assert.h"
#include "pliant/linear/cholesky.h"
#include "pliant/parallel/parallel.h"
#include "tests/linear/measured_solve.h"
#include "tests/sparse/grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

// Rods with blocks x0 θ0 x1 θ1 …; entry k is the number of vertices of rod k.
struct Chains {
  DofLayout layout;
  std::shared_ptr<const sparse::BlockPattern> pattern;

  explicit Chains(const std::vector<int>& vertex_counts) {
    for (const int count : vertex_counts) {
      std::vector<BlockKind> kinds;
      for (int i = 0; i < 2 * count - 1; ++i) kinds.push_back(i % 2 == 0 ? BlockKind::point : BlockKind::rod_twist);
      layout.add_body("rod", kinds, 0.01);
    }
    sparse::PatternBuilder builder(layout.block_count());
    for (int body = 0; body < layout.body_count(); ++body) {
      const int first = layout.first_block(body), count = layout.body_block_count(body);
      for (int i = 0; i + 2 < count; i += 2) {
        const std::array blocks{first + i, first + i + 1, first + i + 2, first + i + 3, first + i + 4};
        builder.couple(std::span(blocks).first(std::min(5, count - i)));
      }
    }
    pattern = builder.build();
  }

  // Random, with coupled padding removed; positive definite for shift well above the largest row sum.
  [[nodiscard]] sparse::SymmetricBlockMatrix matrix(double shift, unsigned seed) const {
    sparse::SymmetricBlockMatrix result(pattern);
    test::fill_randomly(result, seed);
    for (int i = 0; i < result.row_count(); ++i) {
      for (int slot = pattern->row_start()[i]; slot < pattern->row_start()[i + 1]; ++slot) {
        const int j = pattern->column()[slot];
        for (int c = 0; c < 9; ++c) {
          const int row = c % 3, column = c / 3;
          const bool padding = (is_twist(i) && row > 0) || (is_twist(j) && column > 0);
          if (padding) result.block(slot)(row, column) = i == j && row == column ? 0.5 + row : 0;
        }
        if (i == j) result.block(slot) += shift * Mat3::Identity();
      }
    }
    return result;
  }
  [[nodiscard]] bool is_twist(int block) const { return layout.kind(block) == BlockKind::rod_twist; }
};

TEST(BandedCholesky, AgreesWithADenseFactorisation) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Chains chains({2, 3, 9, 1, 5});
    ASSERT_TRUE(BandedCholesky::suits(*chains.pattern));
    const auto matrix = chains.matrix(20, seed);
    const BlockVector b = test::random_vector(matrix.row_count(), seed + 10);
    BlockVector x(matrix.row_count());
    BandedCholesky solver(chains.layout);
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-15);
    const Eigen::VectorXd expected = test::solve(test::dense(matrix), test::dense(b));
    EXPECT_LT((test::dense(x) - expected).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_TRUE(test::padding_is_zero(x));
    EXPECT_GT(solver.memory_bytes(), sizeof(double) * 11 * 3 * matrix.row_count() / 2);
  }
}

TEST(BandedCholesky, KeepsItsAccuracyWhereTheMatrixIsIllConditioned) {
  // A bending chain, eigenvalues from 2e-6 to 1e3: the sum of squared second differences, clamped at one end.
  const Chains chains({40});
  sparse::SymmetricBlockMatrix matrix(chains.pattern);
  const auto add = [&](int i, int j, double factor) {
    matrix.block(matrix.pattern().slot(std::min(i, j), std::max(i, j))) += factor * Mat3::Identity();
  };
  const double stencil[3] = {1, -2, 1};
  for (int i = 0; i + 2 < 40; ++i) {
    for (int a = 0; a < 3; ++a) {
      for (int c = a; c < 3; ++c) add(2 * (i + a), 2 * (i + c), stencil[a] * stencil[c]);
    }
  }
  add(0, 0, 1e3), add(2, 2, 1e3);
  for (int i = 1; i < matrix.row_count(); i += 2) add(i, i, 1);
  const BlockVector known = test::random_vector(matrix.row_count(), 4);
  BlockVector b(matrix.row_count()), x(matrix.row_count()), y(matrix.row_count());
  matrix.multiply(known, b);
  BandedCholesky solver(chains.layout);
  Cholesky reference;
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  ASSERT_EQ(reference.factor(matrix), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-12);
  (void)reference.solve(b, y);
  EXPECT_LT(test::largest_difference(x, known), 1e-8);
  EXPECT_LT(test::largest_difference(x, known), 10 * test::largest_difference(y, known) + 1e-12);
}

TEST(BandedCholesky, ChainsOfPointsHaveAWiderBand) {
  DofLayout layout;
  layout.add_body("points", 12);
  sparse::PatternBuilder builder(12);
  for (int i = 0; i + 4 < 12; ++i) builder.couple(std::array{i, i + 1, i + 2, i + 3, i + 4});
  sparse::SymmetricBlockMatrix matrix(builder.build());
  ASSERT_TRUE(BandedCholesky::suits(matrix.pattern()));
  test::fill_randomly(matrix, 5);
  for (int i = 0; i < 12; ++i) matrix.block(matrix.pattern().diagonal_slot(i)) += 20 * Mat3::Identity();
  const BlockVector b = test::random_vector(12, 6);
  BlockVector x(12);
  BandedCholesky solver(layout);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-15);
}

TEST(BandedCholesky, SuitsOnlyNarrowBands) {
  for (const int reach : {4, 5}) {
    sparse::PatternBuilder builder(8);
    builder.couple(std::array{1, 1 + reach});
    EXPECT_EQ(BandedCholesky::suits(*builder.build()), reach == 4);
  }
  DofLayout layout;
  layout.add_body("points", 8);
  sparse::PatternBuilder builder(8);
  builder.couple(std::array{1, 6});
  BandedCholesky solver(layout);
  EXPECT_THROW(solver.analyze(builder.build()), InternalError);
}

TEST(BandedCholesky, RefactorsAndFollowsANewPattern) {
  const Chains chains({4, 6});
  BandedCholesky solver(chains.layout);
  const int size = chains.layout.block_count();
  const BlockVector b = test::random_vector(size, 9);
  BlockVector x(size);
  std::size_t memory = 0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    const auto matrix = chains.matrix(20, seed);
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-15);
    if (memory == 0) memory = solver.memory_bytes();
    EXPECT_EQ(solver.memory_bytes(), memory);
  }
  sparse::SymmetricBlockMatrix diagonal(sparse::PatternBuilder(size).build());
  for (int i = 0; i < size; ++i) diagonal.block(i) = (i + 1.0) * Mat3::Identity();
  ASSERT_EQ(solver.factor(diagonal), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, diagonal, b, x), 1e-15);
  const auto matrix = chains.matrix(20, 4);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-15);
}

TEST(BandedCholesky, ReportsAMatrixThatIsNotPositiveDefiniteAndRecovers) {
  const Chains chains({5, 7, 4});
  const auto good = chains.matrix(20, 1);
  BandedCholesky solver(chains.layout);
  BlockVector x(good.row_count()), b = test::random_vector(good.row_count(), 2);
  // A negative pivot, a zero one, one that turns up in the elimination only, and one in the padding.
  const double large = 1e3;
  for (const int which : {0, 1, 2, 3}) {
    auto bad = good;
    const int point = 12, twist = 13;
    if (which == 0) bad.block(bad.pattern().diagonal_slot(point))(1, 1) = -1;
    if (which == 1) bad.block(bad.pattern().diagonal_slot(0)).setZero();
    if (which == 2) bad.block(bad.pattern().slot(point, twist))(0, 0) = large;
    if (which == 3) bad.block(bad.pattern().diagonal_slot(twist))(2, 2) = -1;
    EXPECT_EQ(solver.factor(bad), LinearStatus::not_positive_definite) << which;
    EXPECT_THROW((void)solver.solve(b, x), InternalError);
  }
  ASSERT_EQ(solver.factor(good), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, good, b, x), 1e-15);
}

TEST(BandedCholesky, ReportsNumbersThatAreNotFinite) {
  const Chains chains({5, 7, 4});
  const auto good = chains.matrix(20, 1);
  BandedCholesky solver(chains.layout);
  for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const int slot : {good.pattern().diagonal_slot(10), good.pattern().slot(10, 12)}) {
      auto bad = good;
      bad.block(bad.pattern().diagonal_slot(3))(0, 0) = -1;  // both troubles: the worse one counts
      bad.block(slot)(0, 0) = poison;
      EXPECT_EQ(solver.factor(bad), LinearStatus::not_finite);
    }
    ASSERT_EQ(solver.factor(good), LinearStatus::solved);
    BlockVector b = test::random_vector(good.row_count(), 2), x(good.row_count());
    b[7][0] = poison;
    EXPECT_EQ(solver.solve(b, x).status, LinearStatus::not_finite);
  }
}

TEST(BandedCholesky, HeldBlocksStayAtZero) {
  const Chains chains({6, 6});
  auto matrix = chains.matrix(20, 3);
  BlockFilter filter(matrix.row_count());
  for (const int block : {0, 1, 2}) filter.hold(block);
  filter.hold(13, Vec3(1, 2, -2) / 3);  // a vertex of the second rod
  BlockVector b = test::random_vector(matrix.row_count(), 6), x(matrix.row_count());
  filter.apply(matrix);
  filter.apply(b);
  BandedCholesky solver(chains.layout);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  EXPECT_LT(test::solve_and_measure(solver, matrix, b, x), 1e-15);
  for (const int block : {0, 1, 2}) EXPECT_EQ(Vec3(x[block]), Vec3(Vec3::Zero()));
  EXPECT_LT(std::abs(Vec3(1, 2, -2).dot(x[13])), 1e-15);
}

// Four chains share a group: what one of them holds must not reach another.
TEST(BandedCholesky, AChainInAGroupIsSolvedAsIfItWereAlone) {
  const std::vector<int> counts{7, 1, 30, 2, 12, 12, 4};
  const Chains chains(counts);
  const auto matrix = chains.matrix(20, 3);
  const BlockVector b = test::random_vector(matrix.row_count(), 8);
  BlockVector together(matrix.row_count());
  BandedCholesky solver(chains.layout);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  ASSERT_EQ(solver.solve(b, together).status, LinearStatus::solved);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const Chains lone({counts[k]});
    const int first = chains.layout.first_block(static_cast<int>(k)), size = lone.layout.block_count();
    sparse::SymmetricBlockMatrix part(lone.pattern);
    const int first_slot = chains.pattern->row_start()[first];
    for (int slot = 0; slot < lone.pattern->row_start()[size]; ++slot)
      part.block(slot) = matrix.block(first_slot + slot);
    BlockVector right(size), alone(size);
    for (int i = 0; i < size; ++i) right[i] = b[first + i];
    BandedCholesky lone_solver(lone.layout);
    ASSERT_EQ(lone_solver.factor(part), LinearStatus::solved);
    ASSERT_EQ(lone_solver.solve(right, alone).status, LinearStatus::solved);
    for (int i = 0; i < size; ++i) EXPECT_EQ(Vec3(alone[i]), Vec3(together[first + i])) << "chain " << k;
  }
}

TEST(BandedCholesky, AFailedSolveLeavesNothingBehind) {
  const Chains chains({9, 4, 6});
  const auto matrix = chains.matrix(20, 2);
  const BlockVector b = test::random_vector(matrix.row_count(), 5);
  BlockVector expected(matrix.row_count()), x(matrix.row_count());
  BandedCholesky solver(chains.layout);
  ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
  ASSERT_EQ(solver.solve(b, expected).status, LinearStatus::solved);
  for (int block = 0; block < matrix.row_count(); ++block) {
    BlockVector bad = b;
    bad[block][0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(solver.solve(bad, x).status, LinearStatus::not_finite);
    ASSERT_EQ(solver.solve(b, x).status, LinearStatus::solved);
    EXPECT_EQ(x, expected);
  }
}

TEST(BandedCholesky, ANumberThatIsNotFiniteOutweighsABadPivotInEveryLane) {
  const Chains chains({5, 5, 5, 5, 5});
  for (int bad = 0; bad < 5; ++bad) {
    for (int worse = 0; worse < 5; ++worse) {
      auto matrix = chains.matrix(20, 2);
      const auto diagonal = [&](int chain, int block) {
        return matrix.block(chains.pattern->diagonal_slot(chains.layout.first_block(chain) + block));
      };
      diagonal(bad, 2)(1, 1) = -1;
      BandedCholesky solver(chains.layout);
      EXPECT_EQ(solver.factor(matrix), LinearStatus::not_positive_definite);
      diagonal(worse, 4)(0, 0) = std::numeric_limits<double>::infinity();
      EXPECT_EQ(solver.factor(matrix), LinearStatus::not_finite) << bad << " " << worse;
    }
  }
}

TEST(BandedCholesky, SolutionHasTheSameBitsForAnyThreadCount) {
  const Chains chains(std::vector<int>(300, 12));
  const auto matrix = chains.matrix(20, 1);
  const BlockVector b = test::random_vector(matrix.row_count(), 7);
  BlockVector expected(matrix.row_count()), x(matrix.row_count());
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    BandedCholesky solver(chains.layout);
    ASSERT_EQ(solver.factor(matrix), LinearStatus::solved);
    EXPECT_EQ(solver.solve(b, threads == 1 ? expected : x).status, LinearStatus::solved);
    if (threads > 1) {
      EXPECT_EQ(x, expected) << threads << " threads";
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
