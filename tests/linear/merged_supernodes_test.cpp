// MergedSupernodes: what is joined still holds every entry of L in an order that eliminates children first, and the
// sweeps over it solve the same matrix, whatever the costs made of it.
#include "pliant/linear/merged_supernodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "pliant/linear/panel_layout.h"
#include "pliant/linear/panel_values.h"
#include "tests/sparse/scalar_grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

// Rows and blocks that cost nothing: no join pays. Numbers that cost nothing: every join does.
constexpr SweepCosts kNoJoin{.entry = 1, .row = 0, .block = 0, .simd_size = 1};
constexpr SweepCosts kJoinAll{.entry = 0, .row = 1, .block = 1e6, .simd_size = 4};
constexpr SweepCosts kUsual{.entry = 1.1, .simd_size = 4};

std::vector<SupernodalStructure> structures() {
  std::vector<SupernodalStructure> all;
  for (const test::Grid& grid :
       {test::Grid{1}, test::Grid{2, 1, 1}, test::Grid{40, 1, 1}, test::Grid{31, 26, 1}, test::Grid{9}}) {
    all.push_back(SupernodalCholesky(*grid.pattern()).structure());
  }
  // Two parts and rows on their own: several roots.
  sparse::PatternBuilder builder(60);
  for (int i = 0; i + 1 < 20; ++i) builder.couple(std::array{i, i + 1});
  for (int i = 25; i + 3 < 50; ++i) builder.couple(std::array{i, i + 2, i + 3});
  all.push_back(SupernodalCholesky(*builder.build()).structure());
  return all;
}

// Per column of the structure the rows of its block from the diagonal on.
std::vector<std::set<int>> columns_of(const SupernodalStructure& s) {
  std::vector<std::set<int>> columns(s.order.size());
  for (int k = 0; k < s.supernode_count(); ++k) {
    const auto rows =
        std::span(s.row).subspan(static_cast<std::size_t>(s.row_start[k]), static_cast<std::size_t>(s.row_count(k)));
    for (int c = 0; c < s.column_count(k); ++c) {
      columns[static_cast<std::size_t>(s.column_start[k] + c)].insert(rows.begin() + c, rows.end());
    }
  }
  return columns;
}

std::int64_t entry_count(const SupernodalStructure& s) {
  std::int64_t count = 0;
  for (const auto& column : columns_of(s)) count += static_cast<std::int64_t>(column.size());
  return count;
}

int supernode_of(const SupernodalStructure& s, int column) {
  return static_cast<int>(std::upper_bound(s.column_start.begin(), s.column_start.end(), column) -
                          s.column_start.begin()) -
         1;
}

TEST(MergedSupernodes, HoldsEveryEntryOfTheOriginal) {
  for (const SupernodalStructure& original : structures()) {
    const auto before = columns_of(original);
    for (const SweepCosts& costs : {kNoJoin, kUsual, kJoinAll}) {
      const MergedSupernodes merged = merge_supernodes(original, costs);
      const auto after = columns_of(merged.structure);
      ASSERT_EQ(after.size(), before.size());
      for (std::size_t c = 0; c < before.size(); ++c) {
        for (const int r : before[c]) {
          // An entry may change sides of the diagonal only inside one block; there the lower one is stored.
          const auto [column, row] = std::minmax(merged.place[c], merged.place[static_cast<std::size_t>(r)]);
          EXPECT_TRUE(after[static_cast<std::size_t>(column)].contains(row)) << "entry " << r << ", " << c;
          EXPECT_EQ(column, merged.place[c]) << "columns of a member keep their order";
        }
      }
    }
  }
}

TEST(MergedSupernodes, IsAValidStructure) {
  for (const SupernodalStructure& original : structures()) {
    for (const SweepCosts& costs : {kNoJoin, kUsual, kJoinAll}) {
      const MergedSupernodes merged = merge_supernodes(original, costs);
      const SupernodalStructure& s = merged.structure;
      const int n = static_cast<int>(s.order.size());
      // The order is a permutation, and place is the way from the old one to it.
      for (int c = 0; c < n; ++c) EXPECT_EQ(s.order[static_cast<std::size_t>(merged.place[c])], original.order[c]);
      std::vector<int> sorted = s.order;
      std::sort(sorted.begin(), sorted.end());
      for (int i = 0; i < n; ++i) ASSERT_EQ(sorted[static_cast<std::size_t>(i)], i);
      // Every original is a member of one, and columns are those of the members.
      std::vector<int> members = merged.member;
      std::sort(members.begin(), members.end());
      ASSERT_EQ(static_cast<int>(members.size()), original.supernode_count());
      for (int m = 0; m < original.supernode_count(); ++m) EXPECT_EQ(members[static_cast<std::size_t>(m)], m);
      ASSERT_EQ(static_cast<int>(merged.member_start.size()), s.supernode_count() + 1);
      for (int k = 0; k < s.supernode_count(); ++k) {
        int width = 0;
        for (const int m : merged.members(k)) width += original.column_count(m);
        EXPECT_EQ(s.column_count(k), width);
        // Rows: the own columns, then ascending, behind them; so the parent comes later.
        const auto below = s.rows_below(k);
        for (int c = 0; c < width; ++c) {
          EXPECT_EQ(s.row[static_cast<std::size_t>(s.row_start[k] + c)], s.column_start[k] + c);
        }
        EXPECT_TRUE(std::adjacent_find(below.begin(), below.end(), std::greater_equal<>()) == below.end());
        if (below.empty()) continue;
        EXPECT_GE(below.front(), s.column_start[k + 1]);
        EXPECT_LT(below.back(), n);
        // Elimination passes rows on: those below a child are among the parent's.
        const int parent = supernode_of(s, below.front());
        const auto of_parent = std::span(s.row).subspan(static_cast<std::size_t>(s.row_start[parent]),
                                                        static_cast<std::size_t>(s.row_count(parent)));
        EXPECT_TRUE(std::includes(of_parent.begin(), of_parent.end(), below.begin(), below.end()));
      }
    }
  }
}

TEST(MergedSupernodes, JoinsNothingThatDoesNotPay) {
  for (const SupernodalStructure& original : structures()) {
    const MergedSupernodes merged = merge_supernodes(original, kNoJoin);
    // Equal patterns cost nothing to join; where zeros would come in, nothing is.
    EXPECT_EQ(entry_count(merged.structure), entry_count(original));
    EXPECT_EQ(merged.structure.order, original.order);
  }
}

TEST(MergedSupernodes, JoinsEverythingThatPays) {
  for (const SupernodalStructure& original : structures()) {
    int roots = 0;
    for (int s = 0; s < original.supernode_count(); ++s) roots += original.rows_below(s).empty();
    const MergedSupernodes merged = merge_supernodes(original, kJoinAll);
    EXPECT_EQ(merged.structure.supernode_count(), roots);  // a dense block per part
    EXPECT_GE(entry_count(merged.structure), entry_count(original));
  }
}

TEST(MergedSupernodes, UsualCostsLowerTheTimeTheyEstimate) {
  const auto time_of = [](const SupernodalStructure& s) {
    double time = 0;
    for (int k = 0; k < s.supernode_count(); ++k) {
      const int width = s.column_count(k);
      const int rows = (s.row_count(k) + kUsual.simd_size - 1) / kUsual.simd_size * kUsual.simd_size;
      time += kUsual.entry * (2 * rows - width) * width + kUsual.row * (2 * rows - width) + kUsual.block;
    }
    return time;
  };
  for (const test::Grid& grid : {test::Grid{40, 40, 1}, test::Grid{10}}) {
    const SupernodalStructure original = SupernodalCholesky(*grid.pattern()).structure();
    const MergedSupernodes merged = merge_supernodes(original, kUsual);
    EXPECT_LT(merged.structure.supernode_count(), original.supernode_count());
    EXPECT_LT(time_of(merged.structure), time_of(original));
    EXPECT_GT(merged.memory_bytes(), sizeof(int) * original.order.size());
  }
}

TEST(MergedSupernodes, SweepsOverThemSolveTheMatrix) {
  const test::Grid grid{21, 16, 1};
  const sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.4);
  const BlockVector b = test::random_vector(grid.size(), 5);
  const Eigen::MatrixX3d expected = test::solve(test::dense(matrix), test::three_columns(b));
  SupernodalCholesky cholesky(matrix.pattern());
  ASSERT_EQ(cholesky.factor(matrix.values()), LinearStatus::solved);
  for (const SweepCosts& costs : {kNoJoin, kUsual, kJoinAll}) {
    const MergedSupernodes merged = merge_supernodes(cholesky.structure(), costs);
    PanelValues values(FactorStorage::float64);
    const PanelLayout layout = lay_out_panels(merged.structure, values.costs().simd_size);
    ASSERT_EQ(values.fill(cholesky, merged, layout), PanelValues::Finite::yes);
    BlockVector x(grid.size());
    values.solve(layout, b, x);
    EXPECT_LT((test::three_columns(x) - expected).norm(), 1e-14 * expected.norm());
  }
}

}  // namespace
}  // namespace pliant::linear
