#include "pliant/linear/merged_supernodes.h"

#include <algorithm>
#include <utility>

namespace pliant::linear {
namespace {

double sweep_time(const SweepCosts& costs, int width, int below) {
  const int rows = (width + below + costs.simd_size - 1) / costs.simd_size * costs.simd_size;
  return (costs.entry * width + costs.row) * (2 * rows - width) + costs.block;
}

// Per supernode the one it joins, or itself. Children are decided before parents.
std::vector<int> choose_merges(const SupernodalStructure& original, const SweepCosts& costs) {
  const int count = original.supernode_count();
  std::vector<int> supernode_of(original.order.size()), width(count), below(count), joins(count);
  std::vector<std::vector<int>> children(count);
  for (int s = 0; s < count; ++s) {
    std::fill(supernode_of.begin() + original.column_start[s], supernode_of.begin() + original.column_start[s + 1], s);
  }
  for (int s = 0; s < count; ++s) {
    joins[s] = s;
    width[s] = original.column_count(s);
    below[s] = original.row_count(s) - width[s];
    if (below[s] > 0) children[supernode_of[original.rows_below(s).front()]].push_back(s);
  }
  for (int p = 0; p < count; ++p) {
    const auto gain = [&](int child) {
      return sweep_time(costs, width[p], below[p]) + sweep_time(costs, width[child], below[child]) -
             sweep_time(costs, width[p] + width[child], below[p]);
    };
    // The best first; every join makes the next one dearer.
    std::vector<std::pair<double, int>> candidates;
    for (const int child : children[p]) candidates.emplace_back(-gain(child), child);
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [loss, child] : candidates) {
      if (gain(child) <= 0) continue;
      width[p] += width[child];
      joins[child] = p;
    }
  }
  for (int s = count - 1; s >= 0; --s) joins[s] = joins[joins[s]];
  return joins;
}

}  // namespace

MergedSupernodes merge_supernodes(const SupernodalStructure& original, const SweepCosts& costs) {
  const std::vector<int> joins = choose_merges(original, costs);
  const int count = original.supernode_count();
  std::vector<std::vector<int>> groups(count);
  for (int s = 0; s < count; ++s) groups[joins[s]].push_back(s);

  // Columns: group after group, where its last member stood; so children still come before parents.
  MergedSupernodes merged;
  merged.place.resize(original.order.size());
  for (int last = 0; last < count; ++last) {
    for (const int s : groups[last]) {
      for (int c = original.column_start[s]; c < original.column_start[s + 1]; ++c) {
        merged.place[c] = static_cast<int>(merged.structure.order.size());
        merged.structure.order.push_back(original.order[c]);
      }
    }
    if (groups[last].empty()) continue;
    merged.member.insert(merged.member.end(), groups[last].begin(), groups[last].end());
    merged.member_start.push_back(static_cast<int>(merged.member.size()));
    merged.structure.column_start.push_back(static_cast<int>(merged.structure.order.size()));
  }

  // Rows: the own columns, then those below the last member.
  std::vector<int> below;
  for (int s = 0; s < merged.structure.supernode_count(); ++s) {
    below.clear();
    for (const int r : original.rows_below(merged.members(s).back())) below.push_back(merged.place[r]);
    std::sort(below.begin(), below.end());
    std::vector<int>& row = merged.structure.row;
    for (int c = merged.structure.column_start[s]; c < merged.structure.column_start[s + 1]; ++c) row.push_back(c);
    row.insert(row.end(), below.begin(), below.end());
    merged.structure.row_start.push_back(static_cast<std::int64_t>(row.size()));
  }
  return merged;
}

}  // namespace pliant::linear
