// All pairs of overlapping boxes, of two sets or of one, that a filter keeps.
//
//   PairLists near;                                                               // keeps its memory between calls
//   overlapping_pairs(edges, [&](int i, int j) { return !share_vertex(i, j); }, near);           // i < j
//   overlapping_pairs(vertices, triangles, [&](int v, int t) { ... }, near);                     // two trees
//   for (const auto& [i, j] : near.list(k)) ...                                   // k < near.list_count(), in parallel
//
// keep(i, j) is called once per overlapping pair, from several threads at a time. Pairs come in the order of the trees,
// not of their indices; the order is the same for any number of threads, and so are the lists. The same functions with
// a std::vector<Pair> give one array, which costs another copy of all pairs.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "pliant/contact/broad_phase/bvh.h"

namespace pliant::contact {

using Pair = std::pair<int, int>;

// Pairs in consecutive lists, each written by one thread.
class PairLists {
 public:
  [[nodiscard]] int list_count() const { return list_count_; }
  [[nodiscard]] std::span<const Pair> list(int k) const {
    return {lists_[k].room.data(), static_cast<std::size_t>(lists_[k].count)};
  }
  [[nodiscard]] std::size_t pair_count() const;
  // All lists, one after the other.
  void gather(std::vector<Pair>& pairs) const;

  // Fills one list per piece of [0, group_count): search(group, sink) hands out the hits of a group.
  template <class Search, class Keep>
  void fill(int group_count, const Search& search, const Keep& keep);

 private:
  static constexpr int kGroupsPerList =
      64;  // 512 boxes: 50 µs of work, so that threads share few thousand boxes evenly

  struct List {
    std::vector<Pair> room;  // longer than count, and never shortened
    int count = 0;
  };
  void resize(int count);

  std::vector<List> lists_;  // as many as ever needed
  int list_count_ = 0;
};

template <class Search, class Keep>
void PairLists::fill(int group_count, const Search& search, const Keep& keep) {
  resize(group_count == 0 ? 0 : (group_count - 1) / kGroupsPerList + 1);
  parallel_for(group_count, kGroupsPerList, [&](int begin, int end) {
    List& list = lists_[begin / kGroupsPerList];
    list.count = 0;
    const auto append = [&](const Bvh::Hits& hits) {
      const std::size_t needed = static_cast<std::size_t>(list.count) + hits.count;
      if (list.room.size() < needed) list.room.resize(std::max(needed, 2 * list.room.size()));
      // Every pair is written, and stays if it is kept: no branch to mispredict.
      Pair* end_of_list = list.room.data() + list.count;
      for (int k = 0; k < hits.count; ++k) {
        const int i = hits.index[k], j = hits.partner[k];
        *end_of_list = {i, j};
        end_of_list += static_cast<bool>(keep(i, j)) ? 1 : 0;
      }
      list.count = static_cast<int>(end_of_list - list.room.data());
    };
    for (int group = begin; group < end; ++group) search(group, append);
  });
}

// Pairs (i of the queries, j of the tree). Fastest with a tree of queries: neighbours search together.
template <class Keep>
void overlapping_pairs(const Bvh& queries, const Bvh& tree, const Keep& keep, PairLists& pairs) {
  pairs.fill(
      queries.group_count(), [&](int group, const auto& sink) { tree.find_partners(queries, group, sink); }, keep);
}
// Consecutive queries search together where they are close in space.
template <class Keep>
void overlapping_pairs(std::span<const Box> queries, const Bvh& tree, const Keep& keep, PairLists& pairs) {
  const int count = static_cast<int>(queries.size());
  pairs.fill((count + kBlockSize - 1) / kBlockSize,
             [&](int group, const auto& sink) {
               const int first = group * kBlockSize;
               tree.find_partners(queries.subspan(first, std::min(kBlockSize, count - first)), first, sink);
             },
             keep);
}
// Pairs i < j of one tree.
template <class Keep>
void overlapping_pairs(const Bvh& tree, const Keep& keep, PairLists& pairs) {
  pairs.fill(
      tree.group_count(), [&](int group, const auto& sink) { tree.find_pairs(group, sink); }, keep);
}

// The same in one array, for a single use.
template <class Queries, class Keep>
void overlapping_pairs(const Queries& queries, const Bvh& tree, const Keep& keep, std::vector<Pair>& pairs) {
  PairLists lists;
  overlapping_pairs(queries, tree, keep, lists);
  lists.gather(pairs);
}
template <class Keep>
void overlapping_pairs(const Bvh& tree, const Keep& keep, std::vector<Pair>& pairs) {
  PairLists lists;
  overlapping_pairs(tree, keep, lists);
  lists.gather(pairs);
}

}  // namespace pliant::contact
