// Where the blocks of a ConstantFactor lie, and who works on them: everything that depends on the pattern alone.
//
// The elimination tree is cut into a top and disjoint subtrees below it; subtrees are handed to kSubtreeTasks tasks of
// about equal work. A task needs nothing of the others:
//
//   workspace of a task    [ own rows | outer rows | dummy ]      own     rows its subtrees eliminate
//                                                                 outer   rows of the top that its panels reach
//   workspace of the top   [ own rows | dummy ]                   dummy   where padding rows point to; zero
//
// A forward sweep collects what goes to the top in the task's outer rows, and the top adds them task by task; so sums
// have the same order for any number of threads. The number of tasks is fixed for the same reason.
//
// A panel is at most kPanelWidth columns of a supernode. Its rows are its own columns, then the rows below (later columns
// of the same supernode included), then padding to whole SIMD vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/linear/supernodal_cholesky.h"

namespace pliant::linear {

inline constexpr int kSubtreeTasks = 8;
inline constexpr int kPanelWidth = 64;

struct Panel {
  int supernode, first_column;  // of the structure, the latter counted from the supernode's first
  int width, row_count;         // columns; rows without padding
  int vector_count;             // SIMD vectors of rows
  int own_row;                  // the first own row in the workspace of the task; the others follow
  std::int64_t index_start;     // of its rows in PanelLayout::row
  std::int64_t value_start;
};

struct PanelTask {
  int panel_begin, panel_end;
  int own_begin, own_end;      // places in PanelLayout::order
  int outer_begin, outer_end;  // in PanelLayout::outer
  std::int64_t workspace;      // its first row
  [[nodiscard]] int own_count() const { return own_end - own_begin; }
  [[nodiscard]] int outer_count() const { return outer_end - outer_begin; }
  [[nodiscard]] int dummy_row() const { return own_count() + outer_count(); }
};

struct PanelLayout {
  std::vector<Panel> panels;     // task by task, the top's last; children before parents
  std::vector<PanelTask> tasks;  // the last one is the top
  std::vector<int> order;        // order[k]: the row of the matrix that stands k-th
  std::vector<int> outer;        // per outer row of a task, its own row in the top
  std::vector<int> row;          // of panels, in the workspace of their task
  std::vector<int> scale_row;    // the same rows as places in the order, −1 for padding
  std::int64_t value_count = 0;
  std::int64_t workspace_rows = 0;

  [[nodiscard]] const PanelTask& top() const { return tasks.back(); }
  [[nodiscard]] int subtree_task_count() const { return static_cast<int>(tasks.size()) - 1; }
  [[nodiscard]] std::size_t memory_bytes() const;
};

// Rows are padded to multiples of `simd_size`.
[[nodiscard]] PanelLayout lay_out_panels(const SupernodalStructure& structure, int simd_size);

}  // namespace pliant::linear
