#include "pliant/linear/panel_layout.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace pliant::linear {
namespace {

// Below this work (numbers of L, about 30 µs of solving) threads cost more than they bring.
constexpr double kLeastSharedWork = 5e4;
// A subtree is cut while it has more than this share of the work of one task.
constexpr double kSubtreeShare = 0.7;
// Cuts are judged by the time this many threads would take; the cuts themselves must not depend on how many there are.
constexpr double kJudgedThreads = 4;

struct SupernodeTree {
  std::vector<int> parent;  // −1 at roots
  std::vector<std::vector<int>> children;
  std::vector<double> work, subtree_work;
  double total = 0;

  explicit SupernodeTree(const SupernodalStructure& structure) {
    const int count = structure.supernode_count();
    std::vector<int> supernode_of(structure.order.size());
    for (int s = 0; s < count; ++s) {
      for (int c = structure.column_start[s]; c < structure.column_start[s + 1]; ++c) supernode_of[c] = s;
    }
    parent.assign(count, -1);
    children.resize(count);
    work.resize(count);
    for (int s = 0; s < count; ++s) {
      const auto below = structure.rows_below(s);
      if (!below.empty()) parent[s] = supernode_of[below.front()];
      if (parent[s] >= 0) children[parent[s]].push_back(s);
      // Numbers read, and the rows gathered and scattered, which cost as much as some eight columns.
      const double width = structure.column_count(s), rows = structure.row_count(s);
      work[s] = rows * (width + 8);
      total += work[s];
    }
    subtree_work = work;
    for (int s = 0; s < count; ++s) {
      if (parent[s] >= 0) subtree_work[parent[s]] += subtree_work[s];
    }
  }
};

// Per supernode its task; kSubtreeTasks is the top.
std::vector<int> share_out(const SupernodeTree& tree) {
  const int count = static_cast<int>(tree.parent.size());
  std::vector<int> task(count, kSubtreeTasks);
  if (tree.total < kLeastSharedWork) return task;

  using Subtree = std::pair<double, int>;  // work, root
  std::priority_queue<Subtree> subtrees;
  for (int s = 0; s < count; ++s) {
    if (tree.parent[s] < 0) subtrees.emplace(tree.subtree_work[s], s);
  }
  // Cut the heaviest subtree again and again: its root goes to the top, which one thread does alone. The state of least
  // time = top + max(heaviest subtree, the rest in equal parts) is kept.
  double top = 0, least_time = std::numeric_limits<double>::infinity();
  std::priority_queue<Subtree> best = subtrees;
  while (!subtrees.empty()) {
    const auto [work, root] = subtrees.top();
    const double time = top + std::max(work, (tree.total - top) / kJudgedThreads);
    if (time < least_time) {
      least_time = time;
      best = subtrees;
    }
    if (work <= kSubtreeShare / kSubtreeTasks * tree.total) break;
    subtrees.pop();
    top += tree.work[root];
    for (const int child : tree.children[root]) subtrees.emplace(tree.subtree_work[child], child);
  }
  subtrees = std::move(best);

  // The heaviest first, to the task that has least.
  std::vector<double> load(kSubtreeTasks, 0.0);
  for (; !subtrees.empty(); subtrees.pop()) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += subtrees.top().first;
    task[subtrees.top().second] = static_cast<int>(least - load.begin());
  }
  // Descendants follow the roots of their subtrees; parents have higher numbers.
  for (int s = count - 1; s >= 0; --s) {
    if (tree.parent[s] >= 0 && task[tree.parent[s]] != kSubtreeTasks) task[s] = task[tree.parent[s]];
  }
  return task;
}

class LayoutBuilder {
 public:
  LayoutBuilder(const SupernodalStructure& structure, int simd_size)
      : structure_(structure),
        simd_size_(simd_size),
        task_of_(share_out(SupernodeTree(structure))),
        place_(structure.order.size()),
        local_(structure.order.size(), -1) {}

  PanelLayout build() {
    std::vector<std::vector<int>> supernodes(kSubtreeTasks + 1);
    for (int s = 0; s < structure_.supernode_count(); ++s) supernodes[task_of_[s]].push_back(s);
    place_rows(supernodes);
    for (int t = 0; t <= kSubtreeTasks; ++t) {
      if (t == kSubtreeTasks || !supernodes[t].empty()) add_task(supernodes[t]);
    }
    return std::move(layout_);
  }

 private:
  // The order: task by task, inside as in the structure.
  void place_rows(const std::vector<std::vector<int>>& supernodes) {
    for (const auto& of_task : supernodes) {
      if (&of_task == &supernodes.back()) top_begin_ = static_cast<int>(layout_.order.size());
      for (const int s : of_task) {
        for (int c = structure_.column_start[s]; c < structure_.column_start[s + 1]; ++c) {
          place_[c] = static_cast<int>(layout_.order.size());
          layout_.order.push_back(structure_.order[c]);
        }
      }
    }
  }

  void add_task(const std::vector<int>& supernodes) {
    PanelTask task{};
    task.panel_begin = static_cast<int>(layout_.panels.size());
    task.own_begin = task.own_end = layout_.tasks.empty() ? 0 : layout_.tasks.back().own_end;
    task.workspace = layout_.workspace_rows;
    for (const int s : supernodes) task.own_end += structure_.column_count(s);

    // Outer rows: all that stand below and are not the task's own.
    std::vector<int> outer;
    for (const int s : supernodes) {
      for (const int r : structure_.rows_below(s)) {
        if (place_[r] < task.own_end || local_[r] >= 0) continue;
        local_[r] = 0;
        outer.push_back(r);
      }
    }
    std::sort(outer.begin(), outer.end());
    task.outer_begin = static_cast<int>(layout_.outer.size());
    for (std::size_t k = 0; k < outer.size(); ++k) {
      local_[outer[k]] = task.own_count() + static_cast<int>(k);
      layout_.outer.push_back(place_[outer[k]] - top_begin_);
    }
    task.outer_end = static_cast<int>(layout_.outer.size());

    for (const int s : supernodes) {
      for (int first = 0; first < structure_.column_count(s); first += kPanelWidth) add_panel(task, s, first);
    }
    for (const int r : outer) local_[r] = -1;
    task.panel_end = static_cast<int>(layout_.panels.size());
    layout_.workspace_rows += task.dummy_row() + 1;
    layout_.tasks.push_back(task);
  }

  void add_panel(const PanelTask& task, int supernode, int first) {
    Panel panel{};
    panel.supernode = supernode;
    panel.first_column = first;
    panel.width = std::min(kPanelWidth, structure_.column_count(supernode) - first);
    panel.row_count = structure_.row_count(supernode) - first;
    panel.vector_count = (panel.row_count + simd_size_ - 1) / simd_size_;
    panel.own_row = place_[structure_.column_start[supernode] + first] - task.own_begin;
    panel.index_start = static_cast<std::int64_t>(layout_.row.size());
    panel.value_start = layout_.value_count;
    const int* row = structure_.row.data() + structure_.row_start[supernode] + first;
    for (int k = 0; k < panel.row_count; ++k) {
      const int r = row[k];
      layout_.row.push_back(local_[r] >= 0 ? local_[r] : place_[r] - task.own_begin);
      layout_.scale_row.push_back(place_[r]);
    }
    const auto padded =
        static_cast<std::size_t>(panel.index_start) + static_cast<std::size_t>(panel.vector_count * simd_size_);
    layout_.row.resize(padded, task.dummy_row());
    layout_.scale_row.resize(padded, -1);
    layout_.value_count += static_cast<std::int64_t>(panel.vector_count) * simd_size_ * panel.width;
    layout_.panels.push_back(panel);
  }

  const SupernodalStructure& structure_;
  int simd_size_;
  std::vector<int> task_of_;
  std::vector<int> place_;  // of a column of L in the order
  std::vector<int> local_;  // of an outer row in the workspace of the current task, else −1
  int top_begin_ = 0;
  PanelLayout layout_;
};

}  // namespace

std::size_t PanelLayout::memory_bytes() const {
  return sizeof(Panel) * panels.capacity() + sizeof(PanelTask) * tasks.capacity() +
         sizeof(int) * (order.capacity() + outer.capacity() + row.capacity() + scale_row.capacity());
}

PanelLayout lay_out_panels(const SupernodalStructure& structure, int simd_size) {
  return LayoutBuilder(structure, simd_size).build();
}

}  // namespace pliant::linear
