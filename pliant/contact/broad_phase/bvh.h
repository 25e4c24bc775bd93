// A tree of boxes that finds overlaps: the broad phase of contact.
//
//   Bvh triangles;
//   triangles.build(boxes);                        // when the bodies appear, and when decay() says so
//   triangles.refit(boxes);                        // whenever the boxes moved
//   triangles.query(box, [&](int i) { ... });      // for pairs of whole sets see overlapping_pairs.h
//
// Eight boxes form a group, eight groups' bounds a block of the next level, and so on: the tree is complete, so there
// are no pointers, and refitting streams through memory once. Every level is an array of blocks of eight boxes, tested
// with one box at a time (box_block.h). build() sorts the boxes into groups by medians: the boxes below a node are cut
// in two, four, eight along the longest axis of their centres. With chunks of a Hilbert curve instead, the same arrays
// need about as many tests on a folded sheet along the axes, and a fifth (edges) to a third (vertices) more on a tilted
// one. Same boxes, same tree and same order of results, for any number of threads.
// Memory: 32 bytes per box, and 16 that only build() needs.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/contact/broad_phase/box_block.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {

class Bvh {
 public:
  // O(n log n). Empty and unbounded boxes (box.h) are allowed.
  void build(std::span<const Box> boxes);
  // The same tree around new boxes, O(n); as many as it was built of.
  void refit(std::span<const Box> boxes);
  [[nodiscard]] int size() const { return size_; }

  // How much looser the groups have become since build(): Σ surface of groups, and of groups of groups where there are many,
  // / Σ surface of boxes, relative to the same at build time. 1 after build(). Boxes that merely grow do not count as decay.
  [[nodiscard]] double decay() const;

  // Calls visit(i) for every box i that overlaps the given one.
  template <class Visit>
  void query(const Box& box, Visit&& visit) const {
    const Box one[1] = {box};
    find_partners(one, 0, [&](const Hits& hits) {
      for (int k = 0; k < hits.count; ++k) visit(hits.partner[k]);
    });
  }

  // --- For overlapping_pairs.h: the overlaps of up to eight boxes at once, handed out in batches ---
  struct Hits {
    const int* index;    // of the query
    const int* partner;  // of the tree's box; in a search for pairs of one tree, index < partner
    int count;
  };
  static constexpr int kMostHits = 2048;  // per batch
  using Sink = parallel::FunctionRef<void(const Hits&)>;

  [[nodiscard]] int group_count() const { return size_ == 0 ? 0 : block_count_[0]; }
  // Pairs of boxes of this group and of this and later groups: together, every pair of the tree once.
  void find_pairs(int group, Sink sink) const;
  // Pairs of boxes of another tree's group and boxes of this tree.
  void find_partners(const Bvh& queries, int group, Sink sink) const;
  // Pairs of up to eight boxes, numbered from first_index, and boxes of this tree. Best if the boxes are close.
  void find_partners(std::span<const Box> queries, int first_index, Sink sink) const;

 private:
  static constexpr int kMostLevels = 11;  // 8¹¹ > 2³¹

  struct Centre {
    std::array<float, 3> x;
    int index;
  };
  enum class Scope;
  struct Group;     // of queries
  class Traversal;  // bvh_query.cpp

  void lay_out(int size);
  void split(int level, int block);
  [[nodiscard]] const BoxBlock& block(int level, int index) const { return blocks_[first_block_[level] + index]; }

  int size_ = 0;
  int level_count_ = 0;                             // 0: no boxes; else at least 2: the boxes, the groups' bounds
  std::array<int, kMostLevels + 1> first_block_{};  // of each level in blocks_
  std::array<int, kMostLevels + 1> block_count_{};
  std::vector<BoxBlock>
      blocks_;              // level 0: the boxes in the tree's order; level k: bounds of the blocks of level k − 1
  std::vector<int> order_;  // given indices in the tree's order; −1 in the last group's empty lanes
  std::vector<Centre> centres_;                  // scratch of build
  std::vector<std::array<double, 2>> surfaces_;  // scratch of refit, per piece: boxes, groups
  double looseness_ = 0;                         // Σ surface of groups of any level / Σ surface of boxes
  double looseness_at_build_ = 0;
};

}  // namespace pliant::contact
