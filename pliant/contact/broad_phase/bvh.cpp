// Building and refitting.
#include "pliant/contact/broad_phase/bvh.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"

namespace pliant::contact {
namespace {

constexpr int kRefitPiece = 16;  // blocks of groups (1024 boxes) per piece: 10 µs of work
constexpr int kCentrePiece = 4096;

// Boxes below one lane of a level: 1, 8, 64, …
int boxes_per_lane(int level) { return 1 << (3 * level); }

}  // namespace

// The sizes of all levels, up to a single block.
void Bvh::lay_out(int size) {
  size_ = size;
  level_count_ = 0;
  int total = 0;
  for (int count = size; size > 0 && (level_count_ < 2 || count > 1);) {
    count = (count - 1) / kBlockSize + 1;
    first_block_[level_count_] = total;
    block_count_[level_count_] = count;
    total += count;
    ++level_count_;
  }
  blocks_.resize(total);
  order_.assign(size == 0 ? 0 : block_count_[0] * kBlockSize, -1);
  centres_.resize(size);
}

// Sorts the centres below a block into its lanes, by halves along the longest axis.
void Bvh::split(int level, int block) {
  const int lane_size = boxes_per_lane(level);
  const auto halve = [&](const auto& self, int begin, int end) -> void {
    const int lanes = (end - begin - 1) / lane_size + 1;
    if (lanes <= 1) return;
    std::array<float, 3> low = centres_[begin].x, high = low;
    for (int k = begin; k < end; ++k) {
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], centres_[k].x[a]);
        high[a] = std::max(high[a], centres_[k].x[a]);
      }
    }
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    }
    // The index decides among equals, so the halves do not depend on the algorithm that finds them.
    const int middle = begin + (lanes + 1) / 2 * lane_size;
    std::nth_element(centres_.begin() + begin, centres_.begin() + middle, centres_.begin() + end,
                     [axis](const Centre& a, const Centre& b) {
                       return a.x[axis] < b.x[axis] || (a.x[axis] == b.x[axis] && a.index < b.index);
                     });
    self(self, begin, middle);
    self(self, middle, end);
  };
  const std::int64_t begin = static_cast<std::int64_t>(block) * lane_size * kBlockSize;
  const std::int64_t end = std::min<std::int64_t>(size_, begin + static_cast<std::int64_t>(lane_size) * kBlockSize);
  halve(halve, static_cast<int>(begin), static_cast<int>(end));
}

void Bvh::build(std::span<const Box> boxes) {
  lay_out(static_cast<int>(boxes.size()));
  // Centres. Those of unbounded boxes do not matter but must be comparable.
  parallel_for(size_, kCentrePiece, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Box& box = boxes[i];
      centres_[i].index = i;
      for (int a = 0; a < 3; ++a) {
        const float x = 0.5f * box.low[a] + 0.5f * box.high[a];
        centres_[i].x[a] = std::isfinite(x) ? x : 0.0f;
      }
    }
  });
  // Top-down, all blocks of a level in parallel; the boxes of a group in the order of their indices.
  for (int level = level_count_ - 1; level >= 1; --level) {
    parallel_for(block_count_[level], level > 1 ? 1 : kRefitPiece, [&](int begin, int end) {
      for (int b = begin; b < end; ++b) split(level, b);
    });
  }
  parallel_for(group_count(), kCentrePiece / kBlockSize, [&](int begin, int end) {
    for (int group = begin; group < end; ++group) {
      const int first = group * kBlockSize, last = std::min(size_, first + kBlockSize);
      for (int k = first; k < last; ++k) order_[k] = centres_[k].index;
      std::sort(order_.begin() + first, order_.begin() + last);
    }
  });
  looseness_at_build_ = 0;
  refit(boxes);
  looseness_at_build_ = looseness_;
}

void Bvh::refit(std::span<const Box> boxes) {
  PLIANT_ASSERT(static_cast<int>(boxes.size()) == size_, "a tree is refitted to as many boxes as it was built of");
  if (size_ == 0) return;
  // The boxes, and while they are in the cache, their groups.
  surfaces_.assign((block_count_[1] - 1) / kRefitPiece + 1, {0, 0});
  parallel_for(block_count_[1], kRefitPiece, [&](int begin, int end) {
    Floats8 of_boxes = floats_of(0), of_groups = floats_of(0);
    for (int b = begin; b < end; ++b) {
      const int first = b * kBlockSize, last = std::min(block_count_[0], first + kBlockSize);
      for (int group = first; group < last; ++group) {
        BoxBlock& loaded = blocks_[group];
        loaded = load_boxes(boxes, &order_[group * kBlockSize], std::min(kBlockSize, size_ - group * kBlockSize));
        of_boxes += half_surfaces(loaded);
      }
      BoxBlock& bounds = blocks_[first_block_[1] + b];
      bounds = bounds_of(&blocks_[first], last - first);
      of_groups += half_surfaces(bounds);
    }
    surfaces_[begin / kRefitPiece] = {sum_lanes(of_boxes), sum_lanes(of_groups)};
  });
  // The levels above.
  for (int level = 2; level < level_count_; ++level) {
    parallel_for(block_count_[level], kRefitPiece, [&](int begin, int end) {
      for (int b = begin; b < end; ++b) {
        const int first = b * kBlockSize;
        blocks_[first_block_[level] + b] =
            bounds_of(&blocks_[first_block_[level - 1] + first], std::min(kBlockSize, block_count_[level - 1] - first));
      }
    });
  }
  // Sums of pieces in their order: the same for any number of threads.
  double boxes_surface = 0, groups_surface = 0;
  for (const auto& [of_boxes, of_groups] : surfaces_) {
    boxes_surface += of_boxes;
    groups_surface += of_groups;
  }
  looseness_ = boxes_surface > 0 ? groups_surface / boxes_surface : 0;
}

double Bvh::decay() const { return looseness_at_build_ > 0 ? looseness_ / looseness_at_build_ : 1; }

}  // namespace pliant::contact
