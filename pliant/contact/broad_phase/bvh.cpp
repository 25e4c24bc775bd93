// Building and refitting.
#include "pliant/contact/broad_phase/bvh.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pliant/assert.h"

namespace pliant::contact {
namespace {

constexpr int kRefitPiece = 16;  // blocks of groups (1024 boxes) per piece: 10 µs of work
constexpr int kCentrePiece = 4096;
// Groups of groups, from level to level, count for looseness where there are so many: fewer cost a query little, however
// loose they are.
constexpr int kFewGroups = 64;

// Boxes below one lane of a level: 1, 8, 64, …
int boxes_per_lane(int level) { return 1 << (3 * level); }

// A number that orders centres by a coordinate, and by their index where it is equal.
std::uint64_t rank_of(float x, int index) {
  const auto bits = std::bit_cast<std::int32_t>(x + 0.0f);  // −0 becomes 0
  const auto ordered = static_cast<std::uint32_t>(bits ^ (bits >> 31 | std::numeric_limits<std::int32_t>::min()));
  return std::uint64_t{ordered} << 32 | static_cast<std::uint32_t>(index);
}

// As std::nth_element by rank, for long ranges: no branch depends on a comparison, which would be mispredicted every other
// time.
template <class Item, class Rank>
void select_middle(Item* first, Item* middle, Item* last, const Rank& rank) {
  constexpr std::ptrdiff_t kShort = 12, kSample = 7;
  while (last - first > kShort) {
    // Of a sample the one that stands where the middle does.
    std::array<std::uint64_t, kSample> sample;
    const std::ptrdiff_t count = last - first;
    for (std::ptrdiff_t k = 0; k < kSample; ++k) sample[k] = rank(first[(2 * k + 1) * count / (2 * kSample)]);
    std::sort(sample.begin(), sample.end());
    const std::uint64_t pivot = sample[(middle - first) * kSample / count];
    Item* end_of_less = first;
    for (Item* item = first; item != last; ++item) {
      const Item moved = *item;
      *item = *end_of_less;
      *end_of_less = moved;
      end_of_less += rank(moved) < pivot ? 1 : 0;
    }
    if (end_of_less > middle) {
      last = end_of_less;
    } else if (end_of_less > first) {
      first = end_of_less;
    } else {
      break;  // the pivot is the least
    }
  }
  if (middle < last)
    std::nth_element(first, middle, last, [&](const Item& a, const Item& b) { return rank(a) < rank(b); });
}

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
    select_middle(centres_.data() + begin, centres_.data() + middle, centres_.data() + end,
                  [axis](const Centre& c) { return rank_of(c.x[axis], c.index); });
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
    const auto first_piece = surfaces_.size();
    surfaces_.resize(first_piece + static_cast<std::size_t>((block_count_[level] - 1) / kRefitPiece) + 1, {0, 0});
    parallel_for(block_count_[level], kRefitPiece, [&](int begin, int end) {
      Floats8 of_groups = floats_of(0);
      for (int b = begin; b < end; ++b) {
        const int first = b * kBlockSize;
        BoxBlock& bounds = blocks_[first_block_[level] + b];
        bounds =
            bounds_of(&blocks_[first_block_[level - 1] + first], std::min(kBlockSize, block_count_[level - 1] - first));
        of_groups += half_surfaces(bounds);
      }
      if (block_count_[level - 1] >= kFewGroups)
        surfaces_[first_piece + static_cast<std::size_t>(begin / kRefitPiece)][1] = sum_lanes(of_groups);
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
