// PanelLayout: every column in one panel, children before parents, tasks that share nothing but the top's rows.
#include "pliant/linear/panel_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sparse/scalar_grid_matrix.h"

namespace pliant::linear {
namespace {

TEST(PanelLayout, CoversEveryColumnOnce) {
  for (const test::Grid& grid : {test::Grid{1}, test::Grid{40, 1, 1}, test::Grid{30, 25, 1}, test::Grid{9}}) {
    const sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.2);
    const SupernodalCholesky cholesky(matrix.pattern());
    const SupernodalStructure& s = cholesky.structure();
    for (const int simd : {4, 8}) {
      const PanelLayout layout = lay_out_panels(s, simd);
      std::vector<int> rows = layout.order, columns(static_cast<std::size_t>(grid.size()), 0);
      std::sort(rows.begin(), rows.end());
      for (int i = 0; i < grid.size(); ++i) ASSERT_EQ(rows[static_cast<std::size_t>(i)], i);
      for (const Panel& panel : layout.panels) {
        EXPECT_LE(panel.width, kPanelWidth);
        EXPECT_GE(panel.vector_count * simd, panel.row_count);
        for (int c = 0; c < panel.width; ++c)
          ++columns[static_cast<std::size_t>(s.column_start[panel.supernode] + panel.first_column + c)];
      }
      EXPECT_EQ(std::count(columns.begin(), columns.end(), 1), grid.size()) << grid.size();
    }
  }
}

TEST(PanelLayout, TasksFollowEachOtherAndTheTopComesLast) {
  const test::Grid grid{40, 40, 1};
  const sparse::SymmetricScalarMatrix matrix = test::laplacian(grid, grid.pattern(), 0.2);
  const PanelLayout layout = lay_out_panels(SupernodalCholesky(matrix.pattern()).structure(), 4);
  ASSERT_GT(layout.subtree_task_count(), 1);
  ASSERT_LE(layout.subtree_task_count(), kSubtreeTasks);
  int panel = 0, own = 0;
  for (const PanelTask& task : layout.tasks) {
    EXPECT_EQ(task.panel_begin, panel);
    EXPECT_EQ(task.own_begin, own);
    panel = task.panel_end;
    own = task.own_end;
  }
  EXPECT_EQ(panel, static_cast<int>(layout.panels.size()));
  EXPECT_EQ(own, grid.size());
  EXPECT_EQ(layout.top().outer_count(), 0);
  for (const int row : layout.outer) {
    EXPECT_GE(row, 0);
    EXPECT_LT(row, layout.top().own_count());
  }
}

}  // namespace
}  // namespace pliant::linear
