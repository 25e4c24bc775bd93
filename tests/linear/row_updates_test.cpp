// RowUpdates: solves with rows held, released and made stiffer, against the dense matrix with those changes. The base is
// solved densely here, so only the correction is on trial; constant_factor_test.cpp tries both together.
#include "pliant/linear/row_updates.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <optional>
#include <random>

#include "pliant/assert.h"
#include "tests/sparse/scalar_grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

void hold(Eigen::MatrixXd& matrix, int row) {
  matrix.row(row).setZero();
  matrix.col(row).setZero();
  matrix(row, row) = 1;
}

struct DenseBase {
  Eigen::MatrixXd matrix;
  std::vector<unsigned char> held;
  std::vector<HeldEntry> entries;
  std::optional<test::DenseCholesky> factor;
  int solves = 0;

  DenseBase(Eigen::MatrixXd of, const std::vector<int>& held_rows) : matrix(std::move(of)) {
    const int n = static_cast<int>(matrix.rows());
    held.assign(static_cast<std::size_t>(n), 0);
    Eigen::MatrixXd base = matrix;
    for (const int h : held_rows) {
      held[static_cast<std::size_t>(h)] = 1;
      hold(base, h);
      for (int j = 0; j < n; ++j) {
        if (matrix(h, j) != 0) entries.push_back({h, j, matrix(h, j)});
      }
    }
    factor.emplace(base);
    EXPECT_TRUE(factor->is_positive_definite());
  }

  [[nodiscard]] RowUpdates::Base base(RowUpdates::Stored stored = RowUpdates::Stored::float64) const {
    return {.held = held, .entries = entries, .row_count = static_cast<int>(held.size()), .stored = stored};
  }
  void solve(const BlockVector& b, BlockVector& x) {
    ++solves;
    const Eigen::MatrixX3d solution = factor->solve(test::three_columns(b));
    for (int i = 0; i < x.size(); ++i) x[i] = solution.row(i).transpose();
  }
  // The matrix with the changes.
  [[nodiscard]] Eigen::MatrixXd changed(std::span<const RowChange> changes) const {
    Eigen::MatrixXd result = matrix;
    std::vector<unsigned char> now = held;
    for (const RowChange& change : changes) {
      result(change.row, change.row) += change.diagonal;
      if (change.state != RowState::unchanged)
        now[static_cast<std::size_t>(change.row)] = change.state == RowState::held;
    }
    for (int i = 0; i < static_cast<int>(now.size()); ++i) {
      if (now[static_cast<std::size_t>(i)]) hold(result, i);
    }
    return result;
  }
};

LinearStatus set(RowUpdates& updates, DenseBase& base, std::span<const RowChange> changes,
                 RowUpdates::Stored stored = RowUpdates::Stored::float64) {
  return updates.set(changes, base.base(stored), [&](const BlockVector& b, BlockVector& x) { base.solve(b, x); });
}

BlockVector solve(RowUpdates& updates, DenseBase& base, const BlockVector& b) {
  BlockVector x = test::random_vector(b.size(), 77);
  updates.solve(b, x, [&](const BlockVector& from, BlockVector& to) { base.solve(from, to); });
  EXPECT_TRUE(test::padding_is_zero(x));
  return x;
}

double error_of(const BlockVector& x, const Eigen::MatrixXd& matrix, const BlockVector& b) {
  const Eigen::MatrixX3d expected = test::solve(matrix, test::three_columns(b));
  return (test::three_columns(x) - expected).norm() / expected.norm();
}

Eigen::MatrixXd grid_matrix(double mass) {
  const test::Grid grid{9, 7, 1};
  return test::dense(test::laplacian(grid, grid.pattern(), mass));
}

const std::vector<int> kHeld{3, 4, 5, 13, 40};  // neighbours among them

TEST(RowUpdates, HoldsRows) {
  DenseBase base(grid_matrix(0.3), kHeld);
  const std::vector<RowChange> changes{
      {.row = 20, .state = RowState::held}, {.row = 12, .state = RowState::held}, {.row = 21, .state = RowState::held}};
  RowUpdates updates;
  ASSERT_EQ(set(updates, base, changes), LinearStatus::solved);
  EXPECT_EQ(updates.change_count(), 3);
  BlockVector b = test::random_vector(63, 1);
  EXPECT_LT(error_of(solve(updates, base, b), base.changed(changes), b), 1e-14);
  EXPECT_EQ(Vec3(solve(updates, base, b)[12]), Vec3(b[12]));
  // What is asked of a held row does not reach its neighbours, however large.
  const BlockVector before = solve(updates, base, b);
  b[20] = Vec3(1e20, 1, -1e20);
  const BlockVector after = solve(updates, base, b);
  for (int i = 0; i < 63; ++i) {
    EXPECT_EQ(Vec3(after[i]), i == 20 ? Vec3(b[i]) : Vec3(before[i])) << i;
  }
}

TEST(RowUpdates, ReleasesRows) {
  DenseBase base(grid_matrix(0.3), kHeld);
  const BlockVector b = test::random_vector(63, 2);
  for (const std::vector<int>& rows : {std::vector{3}, std::vector{4}, std::vector{40}, std::vector{3, 5}, kHeld}) {
    std::vector<RowChange> changes;
    for (const int row : rows) changes.push_back({.row = row, .state = RowState::released});
    RowUpdates updates;
    ASSERT_EQ(set(updates, base, changes), LinearStatus::solved);
    EXPECT_LT(error_of(solve(updates, base, b), base.changed(changes), b), 1e-14) << rows.size();
  }
}

TEST(RowUpdates, ChangesTheDiagonal) {
  DenseBase base(grid_matrix(0.3), kHeld);
  const BlockVector b = test::random_vector(63, 3);
  for (const double amount : {1e-12, 0.1, 3.0, 1e6, 1e14, -0.2}) {
    const std::vector<RowChange> changes{{.row = 30, .diagonal = amount}, {.row = 31, .diagonal = 2.0}};
    RowUpdates updates;
    ASSERT_EQ(set(updates, base, changes), LinearStatus::solved) << amount;
    EXPECT_LT(error_of(solve(updates, base, b), base.changed(changes), b), 3e-14) << amount;
    // A right-hand side that grows with the amount, as that of a stiff hand does.
    BlockVector pulled = b;
    pulled[30] *= std::max(1.0, amount);
    EXPECT_LT(error_of(solve(updates, base, pulled), base.changed(changes), pulled), 3e-14) << amount;
  }
}

// An infinite pull is a pin: the correction of the one tends to that of the other.
TEST(RowUpdates, AStiffPullIsAPin) {
  DenseBase base(grid_matrix(0.3), {});
  const std::vector<RowChange> pull{{.row = 30, .diagonal = 1e12}}, pin{{.row = 30, .state = RowState::held}};
  BlockVector b = test::random_vector(63, 3);
  b[30].setZero();
  RowUpdates updates;
  ASSERT_EQ(set(updates, base, pull), LinearStatus::solved);
  const BlockVector pulled = solve(updates, base, b);
  ASSERT_EQ(set(updates, base, pin), LinearStatus::solved);
  EXPECT_LT(test::relative_difference(pulled, solve(updates, base, b)), 1e-11);
}

TEST(RowUpdates, RandomMixturesInAnyOrder) {
  std::mt19937 generator(5);
  DenseBase base(grid_matrix(0.2), kHeld);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<int> rows(63);
    for (int i = 0; i < 63; ++i) rows[static_cast<std::size_t>(i)] = i;
    std::shuffle(rows.begin(), rows.end(), generator);
    rows.resize(1 + generator() % 12);
    if (trial % 2 == 0) rows.insert(rows.end(), {4, 13});
    std::vector<RowChange> changes;
    for (const int row : rows) {
      if (std::any_of(changes.begin(), changes.end(), [&](const RowChange& c) { return c.row == row; })) continue;
      const double amount = static_cast<double>(generator() % 100) / 20;
      if (base.held[static_cast<std::size_t>(row)]) {
        changes.push_back({row, RowState::released, amount});
      } else {
        changes.push_back({row, generator() % 2 ? RowState::held : RowState::unchanged, amount});
      }
    }
    const BlockVector b = test::random_vector(63, 100u + static_cast<unsigned>(trial));
    RowUpdates updates;
    ASSERT_EQ(set(updates, base, changes), LinearStatus::solved);
    const BlockVector x = solve(updates, base, b);
    EXPECT_LT(error_of(x, base.changed(changes), b), 2e-14) << trial;
    std::shuffle(changes.begin(), changes.end(), generator);
    ASSERT_EQ(set(updates, base, changes), LinearStatus::solved);
    EXPECT_EQ(solve(updates, base, b), x);
    // In place.
    BlockVector y = b;
    updates.solve(y, y, [&](const BlockVector& from, BlockVector& to) { base.solve(from, to); });
    EXPECT_EQ(y, x);
  }
}

TEST(RowUpdates, UnitsOfTheMatrixDoNotMatter) {
  for (const double unit : {1e-18, 1e15}) {
    const Eigen::MatrixXd plain = grid_matrix(0.2);
    Eigen::MatrixXd matrix = unit * plain;
    // Rows of very different stiffness, too.
    for (int i = 0; i < 63; i += 4) {
      matrix.row(i) *= 1e4;
      matrix.col(i) *= 1e4;
    }
    DenseBase base(matrix, kHeld);
    const std::vector<RowChange> changes{
        {.row = 4, .state = RowState::released}, {.row = 5, .state = RowState::released, .diagonal = 0.3 * unit},
        {.row = 8, .state = RowState::held},     {.row = 9, .state = RowState::held},
        {.row = 16, .diagonal = 1e8 * unit},     {.row = 17, .diagonal = unit}};
    RowUpdates updates;
    const Eigen::MatrixXd changed = base.changed(changes);
    BlockVector b = test::random_vector(63, 4);
    for (int i = 0; i < 63; ++i) b[i] *= unit;  // of the size of the matrix: held rows do not drown in the others
    for (const auto& [stored, bound] :
         {std::pair(RowUpdates::Stored::float64, 1e-12), std::pair(RowUpdates::Stored::float32, 1e-6)}) {
      ASSERT_EQ(set(updates, base, changes, stored), LinearStatus::solved);
      EXPECT_LT(error_of(solve(updates, base, b), changed, b), bound);
    }
  }
}

TEST(RowUpdates, CostOneSolveForThreeChangesAndOneToTry) {
  DenseBase base(grid_matrix(0.3), {});
  std::vector<RowChange> changes;
  RowUpdates updates;
  for (int k = 0; k < 7; ++k) {
    changes.push_back({.row = 5 * k, .state = RowState::held});
    base.solves = 0;
    ASSERT_EQ(set(updates, base, changes), LinearStatus::solved);
    EXPECT_EQ(base.solves, (k + 3) / 3 + 2);
  }
  base.solves = 0;
  (void)solve(updates, base, test::random_vector(63, 6));
  EXPECT_EQ(base.solves, 1);
  EXPECT_GT(updates.memory_bytes(), 7 * 63 * sizeof(double));
}

TEST(RowUpdates, ChangesWithoutEffectAreNone) {
  DenseBase base(grid_matrix(0.3), kHeld);
  RowUpdates updates;
  const std::vector<RowChange> changes{{.row = 1}, {.row = 4, .diagonal = 7.0}};
  EXPECT_EQ(set(updates, base, changes), LinearStatus::solved);
  EXPECT_EQ(updates.change_count(), 0);
  EXPECT_EQ(base.solves, 0);
}

TEST(RowUpdates, ReportsMatricesThatAreNotPositiveDefinite) {
  // The least diagonal entry that keeps the matrix definite: one over that of the inverse.
  const Eigen::MatrixXd matrix = grid_matrix(0.3);
  DenseBase base(matrix, {});
  const double least = -1 / matrix.inverse()(30, 30);
  RowUpdates updates;
  EXPECT_EQ(set(updates, base, std::vector<RowChange>{{.row = 30, .diagonal = 1.01 * least}}),
            LinearStatus::not_positive_definite);
  EXPECT_EQ(updates.change_count(), 0);
  EXPECT_EQ(set(updates, base, std::vector<RowChange>{{.row = 30, .diagonal = 0.99 * least}}), LinearStatus::solved);
  // A pin next to it mends the first.
  EXPECT_EQ(set(updates, base,
                std::vector<RowChange>{{.row = 30, .diagonal = 1.01 * least}, {.row = 31, .state = RowState::held}}),
            LinearStatus::solved);
  // Held, a negative row did no harm; released, it does.
  Eigen::MatrixXd negative = matrix;
  negative(5, 5) = -1;
  DenseBase pinned(negative, {5});
  EXPECT_EQ(set(updates, pinned, std::vector<RowChange>{{.row = 5, .state = RowState::released}}),
            LinearStatus::not_positive_definite);
  EXPECT_EQ(set(updates, pinned, std::vector<RowChange>{{.row = 5, .state = RowState::released, .diagonal = 9}}),
            LinearStatus::solved);
}

TEST(RowUpdates, RefusesToLoseDigits) {
  // Almost free, then pinned at one vertex: B⁻¹ b is about 1/mass, the solution is not.
  for (const auto& [mass, status] :
       {std::pair(1e-3, LinearStatus::solved), std::pair(1e-10, LinearStatus::not_converged)}) {
    DenseBase base(grid_matrix(mass), {});
    const std::vector<RowChange> changes{{.row = 7, .state = RowState::held}};
    RowUpdates updates;
    EXPECT_EQ(set(updates, base, changes), status);
    if (status != LinearStatus::solved) continue;
    const BlockVector b = test::random_vector(63, 8);
    EXPECT_LT(error_of(solve(updates, base, b), base.changed(changes), b), 1e-12);
  }
}

TEST(RowUpdates, ReportsNumbersThatAreNotFinite) {
  DenseBase base(grid_matrix(0.3), kHeld);
  RowUpdates updates;
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(set(updates, base, std::vector<RowChange>{{.row = 2, .diagonal = bad}}), LinearStatus::not_finite);
    base.entries.front().value = bad;
    EXPECT_EQ(set(updates, base, std::vector<RowChange>{{.row = 3, .state = RowState::released}}),
              LinearStatus::not_finite);
  }
}

TEST(RowUpdates, MistakesAreFound) {
  DenseBase base(grid_matrix(0.3), kHeld);
  RowUpdates updates;
  const auto throws = [&](const std::vector<RowChange>& changes) {
    EXPECT_THROW((void)set(updates, base, changes), InternalError);
  };
  throws({{.row = 3, .state = RowState::held}});
  throws({{.row = 2, .state = RowState::released}});
  throws({{.row = 63, .state = RowState::held}});
  throws({{.row = 2, .state = RowState::held}, {.row = 2, .diagonal = 1}});
}

TEST(RowUpdates, AMatrixOfOneRow) {
  DenseBase free(Eigen::MatrixXd::Constant(1, 1, 4.0), {}), held(Eigen::MatrixXd::Constant(1, 1, 4.0), {0});
  BlockVector b(1);
  b[0] = Vec3(1, 2, 3);
  RowUpdates updates;
  ASSERT_EQ(set(updates, free, std::vector<RowChange>{{.row = 0, .state = RowState::held}}), LinearStatus::solved);
  EXPECT_EQ(Vec3(solve(updates, free, b)[0]), Vec3(1, 2, 3));
  ASSERT_EQ(set(updates, free, std::vector<RowChange>{{.row = 0, .diagonal = 12}}), LinearStatus::solved);
  EXPECT_LT((solve(updates, free, b)[0] - Vec3(1, 2, 3) / 16).norm(), 1e-15);
  ASSERT_EQ(set(updates, held, std::vector<RowChange>{{.row = 0, .state = RowState::released}}), LinearStatus::solved);
  EXPECT_LT((solve(updates, held, b)[0] - Vec3(1, 2, 3) / 4).norm(), 1e-15);
}

}  // namespace
}  // namespace pliant::linear
