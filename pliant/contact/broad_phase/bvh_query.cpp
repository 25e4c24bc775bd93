// Finding the overlaps of a group of up to eight boxes.
//
// A group of neighbours descends the tree as one box, their hull. Three loops follow, each over a list that the one
// before has written without branches (compress), because branches on overlaps cannot be predicted:
//
//   groups of the tree that overlap the hull      →   which of the eight boxes overlap the bounds of each
//   tasks (box of ours, group of theirs)          →   which boxes of that group overlap it
//   hits  (index of ours, index of theirs)        →   the caller's filter
#include <bit>
#include <utility>

#include "pliant/assert.h"
#include "pliant/contact/broad_phase/bvh.h"

namespace pliant::contact {
namespace {

constexpr int kBatch = 32;  // groups of the tree per batch: lists of 17 KB, within the first cache

// Lanes `first` and later.
unsigned lanes_from(int first) { return first <= 0 ? 255u : (first >= 8 ? 0u : (255u << first) & 255u); }

double hull_half_surface(const BoxBlock& hull) { return static_cast<double>(half_surfaces(hull)[0]); }

}  // namespace

enum class Bvh::Scope { two_sets, pairs_of_one_tree };

struct Bvh::Group {
  BoxBlock boxes;
  BoxBlock hull;     // in all lanes
  const int* index;  // of the eight boxes
  int earliest = 0;  // group of the tree that is searched first; earlier ones have found us
  Scope scope = Scope::two_sets;
};

class Bvh::Traversal {
 public:
  Traversal(const Bvh& tree, const Group& group, Sink sink) : tree_(tree), group_(group), sink_(sink) {}

  // Depth first. An entry of the stack is a block and its level.
  void run() {
    constexpr int kStackSize = kBlockSize * kMostLevels + kBlockSize;
    int stack_block[kStackSize];
    int stack_level[kStackSize];
    int height = 0, found = 0;
    stack_block[height] = 0;
    stack_level[height++] = tree_.level_count_ - 1;
    while (height > 0) {
      const int level = stack_level[--height], index = stack_block[height];
      unsigned bits = overlap_bits(tree_.block(level, index), group_.hull);
      // Subtrees that end before the earliest group.
      const int first_child = index * kBlockSize;
      bits &= lanes_from((group_.earliest >> (3 * (level - 1))) - first_child);
      const Ints8 children = compress(ints_of(first_child) + Ints8{0, 1, 2, 3, 4, 5, 6, 7}, bits);
      const int count = std::popcount(bits);
      if (level == 1) {
        store_ints(groups_ + found, children);
        found += count;
        if (found > kBatch - kBlockSize) flush(std::exchange(found, 0));
      } else {
        store_ints(stack_block + height, children);
        store_ints(stack_level + height, ints_of(level - 1));
        height += count;
      }
    }
    if (found > 0) flush(found);
  }

 private:
  void flush(int found) {
    group_count_ = found;
    list_tasks();
    group_.scope == Scope::pairs_of_one_tree ? list_hits<Scope::pairs_of_one_tree>() : list_hits<Scope::two_sets>();
    if (hit_count_ > 0) sink_(Hits{index_, partner_, hit_count_});
  }

  // (group of the tree, lane of ours) wherever our box overlaps the group's bounds. Here and below counts are local:
  // the compiler cannot know that the lists do not overlap members of this object.
  void list_tasks() {
    const BoxBlock* bounds_of_groups = &tree_.block(1, 0);
    int count = 0;
    for (int k = 0; k < group_count_; ++k) {
      const auto group = static_cast<unsigned>(groups_[k]);
      const BoxBlock bounds = broadcast(bounds_of_groups[group / kBlockSize], group % kBlockSize);
      const unsigned bits = overlap_bits(group_.boxes, bounds);
      const Ints8 tasks = ints_of(static_cast<int>(group * kBlockSize)) + Ints8{0, 1, 2, 3, 4, 5, 6, 7};
      store_ints(tasks_ + count, compress(tasks, bits));
      count += std::popcount(bits);
    }
    task_count_ = count;
  }

  template <Scope scope>
  void list_hits() {
    const BoxBlock* blocks = &tree_.block(0, 0);
    const int* order = tree_.order_.data();
    const int* our_index = group_.index;
    const auto earliest = static_cast<unsigned>(group_.earliest);
    int count = 0;
    for (int k = 0; k < task_count_; ++k) {
      const auto task = static_cast<unsigned>(tasks_[k]);
      const unsigned group = task / kBlockSize, lane = task % kBlockSize;
      unsigned bits = overlap_bits(blocks[group], broadcast(group_.boxes, lane));
      Ints8 index = ints_of(our_index[lane]);
      Ints8 partner = load_ints(order + static_cast<std::size_t>(group) * kBlockSize);
      if constexpr (scope == Scope::pairs_of_one_tree) {
        bits &= group == earliest ? 254u << lane : 255u;  // within our group, later lanes only
        const Ints8 lower = index < partner ? index : partner;
        partner = index < partner ? partner : index;
        index = lower;
      }
      // One index in all lanes needs no sorting.
      store_ints(index_ + count, scope == Scope::two_sets ? index : compress(index, bits));
      store_ints(partner_ + count, compress(partner, bits));
      count += std::popcount(bits);
    }
    hit_count_ = count;
  }

  const Bvh& tree_;
  const Group& group_;
  Sink sink_;
  int group_count_ = 0, task_count_ = 0, hit_count_ = 0;
  // Each list has room for one full vector beyond its last entry.
  int groups_[kBatch + kBlockSize];
  int tasks_[kBatch * kBlockSize + kBlockSize];
  int index_[kMostHits + kBlockSize];
  int partner_[kMostHits + kBlockSize];
  static_assert(kMostHits == kBatch * kBlockSize * kBlockSize);
};

void Bvh::find_pairs(int group, Sink sink) const {
  Group queries;
  queries.boxes = block(0, group);
  queries.hull = broadcast(block(1, group / kBlockSize), group % kBlockSize);
  queries.index = &order_[static_cast<std::size_t>(group) * kBlockSize];
  queries.earliest = group;
  queries.scope = Scope::pairs_of_one_tree;
  Traversal(*this, queries, sink).run();
}

void Bvh::find_partners(const Bvh& other, int group, Sink sink) const {
  if (size_ == 0) return;
  Group queries;
  queries.boxes = other.block(0, group);
  queries.hull = broadcast(other.block(1, group / kBlockSize), group % kBlockSize);
  queries.index = &other.order_[static_cast<std::size_t>(group) * kBlockSize];
  Traversal(*this, queries, sink).run();
}

void Bvh::find_partners(std::span<const Box> boxes, int first_index, Sink sink) const {
  PLIANT_ASSERT(boxes.size() <= kBlockSize, "a group of queries has at most eight boxes");
  if (size_ == 0 || boxes.empty()) return;
  constexpr int kLanes[kBlockSize] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int count = static_cast<int>(boxes.size());
  int index[kBlockSize];
  for (int lane = 0; lane < kBlockSize; ++lane) index[lane] = first_index + lane;
  Group queries;
  queries.boxes = load_boxes(boxes, kLanes, count);
  queries.hull = broadcast(bounds_of(&queries.boxes, 1), 0);
  queries.index = index;
  // Together if the boxes are close: a hull much larger than they are would meet many groups that none of them meets.
  // The factor is not critical; a compact patch of eight boxes that just touch has 1 to 3. Unbounded boxes go alone.
  constexpr double kLooseHull = 8;
  const double together = hull_half_surface(queries.hull), apart = sum_lanes(half_surfaces(queries.boxes));
  if (count == 1 || (together > 0 && together <= kLooseHull * apart)) {
    Traversal(*this, queries, sink).run();
    return;
  }
  const BoxBlock all = queries.boxes;
  for (int lane = 0; lane < count; ++lane) {
    queries.boxes = load_boxes(boxes.subspan(lane, 1), kLanes, 1);
    queries.hull = broadcast(all, lane);
    queries.index = index + lane;
    Traversal(*this, queries, sink).run();
  }
}

}  // namespace pliant::contact
