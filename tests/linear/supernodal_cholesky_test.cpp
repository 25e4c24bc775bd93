// SupernodalCholesky: the blocks it hands out are a factor of the permuted matrix.
#include "pliant/linear/supernodal_cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sparse/scalar_grid_matrix.h"

namespace pliant::linear {
namespace {

// L of the structure, with what lies above the diagonal inside diagonal blocks left out.
Eigen::MatrixXd lower_factor(const SupernodalStructure& s, std::span<const double> values) {
  const int n = static_cast<int>(s.order.size());
  Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(n, n);
  for (int k = 0; k < s.supernode_count(); ++k) {
    for (int c = 0; c < s.column_count(k); ++c) {
      const int column = s.column_start[k] + c;
      for (int r = 0; r < s.row_count(k); ++r) {
        const int row = s.row[static_cast<std::size_t>(s.row_start[k] + r)];
        if (row >= column) {
          lower(row, column) =
              values[static_cast<std::size_t>(s.value_start[k] + std::int64_t{c} * s.row_count(k) + r)];
        }
      }
    }
  }
  return lower;
}

TEST(SupernodalCholesky, FactorsThePermutedMatrix) {
  for (const test::Grid& grid : {test::Grid{1}, test::Grid{9, 1, 1}, test::Grid{8, 7, 1}, test::Grid{5}}) {
    const sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.2);
    SupernodalCholesky cholesky(matrix.pattern());
    ASSERT_EQ(cholesky.factor(matrix.values()), LinearStatus::solved);
    const SupernodalStructure& s = cholesky.structure();
    std::vector<int> sorted = s.order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < grid.size(); ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
    const Eigen::MatrixXd full = test::dense(matrix), lower = lower_factor(s, cholesky.values());
    Eigen::MatrixXd permuted(grid.size(), grid.size());
    for (int i = 0; i < grid.size(); ++i) {
      for (int j = 0; j < grid.size(); ++j)
        permuted(i, j) = full(s.order[static_cast<std::size_t>(i)], s.order[static_cast<std::size_t>(j)]);
    }
    EXPECT_LT((lower * lower.transpose() - permuted).norm(), 1e-13 * full.norm()) << grid.size();
  }
}

TEST(SupernodalCholesky, ReportsAMatrixThatIsNotPositiveDefinite) {
  const test::Grid grid{4, 4, 1};
  sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.2);
  SupernodalCholesky cholesky(matrix.pattern());
  matrix.add(5, 5, -100);
  EXPECT_EQ(cholesky.factor(matrix.values()), LinearStatus::not_positive_definite);
  matrix.add(5, 5, 100);
  EXPECT_EQ(cholesky.factor(matrix.values()), LinearStatus::solved);
}

}  // namespace
}  // namespace pliant::linear
