// Pairs of one set and of two against brute force, with and without a filter, for any number of threads.
#include "pliant/contact/broad_phase/overlapping_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pliant/parallel/parallel.h"
#include "tests/contact/broad_phase/box_sets.h"

namespace pliant::contact {
namespace {

const auto keep_all = [](int, int) { return true; };
const auto keep_some = [](int i, int j) { return (i + j) % 3 != 0; };

std::vector<Pair> sorted(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

template <class Keep>
std::vector<Pair> pairs_one_by_one(const std::vector<Box>& a, const std::vector<Box>& b, const Keep& keep) {
  std::vector<Pair> pairs;
  for (int i = 0; i < static_cast<int>(a.size()); ++i) {
    for (int j = 0; j < static_cast<int>(b.size()); ++j) {
      if (a[i].overlaps(b[j]) && keep(i, j)) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

TEST(OverlappingPairs, OfOneSet) {
  for (const auto& [name, boxes] : all_box_sets()) {
    Bvh tree;
    tree.build(boxes);
    std::vector<Pair> pairs;
    overlapping_pairs(tree, keep_all, pairs);
    EXPECT_EQ(sorted(pairs), pairs_one_by_one(boxes, boxes, [](int i, int j) { return i < j; })) << name;
    overlapping_pairs(tree, keep_some, pairs);
    EXPECT_EQ(sorted(pairs), pairs_one_by_one(boxes, boxes, [](int i, int j) { return i < j && keep_some(i, j); }))
        << name;
  }
}

TEST(OverlappingPairs, OfTwoSets) {
  const auto sets = all_box_sets();
  for (const auto& [name_a, a] : sets) {
    for (const auto& [name_b, b] : sets) {
      Bvh tree_a, tree_b;
      tree_a.build(a);
      tree_b.build(b);
      const std::vector<Pair> expected = pairs_one_by_one(a, b, keep_some);
      std::vector<Pair> pairs;
      overlapping_pairs(tree_a, tree_b, keep_some, pairs);
      EXPECT_EQ(sorted(pairs), expected) << name_a << " against " << name_b;
      overlapping_pairs(a, tree_b, keep_some, pairs);
      EXPECT_EQ(sorted(pairs), expected) << name_a << " without a tree against " << name_b;
    }
  }
}

TEST(OverlappingPairs, SameOrderForAnyThreadCount) {
  const std::vector<Box> boxes = folded_sheet(100, 10);
  std::vector<Box> moved = boxes;
  for (Box& box : moved) box.inflate(0.001);
  std::vector<Pair> first_pairs, first_cross;
  double first_decay = 0;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Bvh tree, other;
    tree.build(boxes);
    tree.refit(moved);
    other.build(boxes);
    std::vector<Pair> pairs, cross;
    overlapping_pairs(tree, keep_some, pairs);
    overlapping_pairs(other, tree, keep_some, cross);
    if (threads == 1) {
      first_pairs = pairs;
      first_cross = cross;
      first_decay = tree.decay();
    }
    EXPECT_FALSE(pairs.empty());
    EXPECT_TRUE(pairs == first_pairs);
    EXPECT_TRUE(cross == first_cross);
    EXPECT_EQ(tree.decay(), first_decay);
  }
  set_thread_count(0);
}

TEST(OverlappingPairs, ListsKeepTheirMemory) {
  const std::vector<Box> boxes = folded_sheet(100, 10);
  Bvh tree;
  tree.build(boxes);
  PairLists lists;
  overlapping_pairs(tree, keep_all, lists);
  std::vector<const Pair*> memory;
  for (int k = 0; k < lists.list_count(); ++k) memory.push_back(lists.list(k).data());
  EXPECT_GT(lists.pair_count(), boxes.size());
  const std::size_t count = lists.pair_count();
  overlapping_pairs(tree, keep_all, lists);
  EXPECT_EQ(lists.pair_count(), count);
  for (int k = 0; k < lists.list_count(); ++k) EXPECT_EQ(lists.list(k).data(), memory[k]);
}

}  // namespace
}  // namespace pliant::contact
