// Greedy colouring with one row of bits per resource.
#include "pliant/parallel/coloring.h"

#include <bit>
#include <cstdint>

#include "pliant/assert.h"

namespace pliant::parallel {
namespace {

// Which colours each resource has seen: a row of 64-bit words per resource, widened when colours run out.
class UsedColors {
 public:
  explicit UsedColors(int resource_count) : resource_count_(resource_count), bits_(resource_count) {}

  // The smallest colour that none of the resources has seen, now marked as seen by all of them.
  int take_smallest_free(std::span<const int> resources) {
    for (int word = 0;; ++word) {
      if (word == words_) widen();
      std::uint64_t seen = 0;
      for (const int r : resources) seen |= bits_[static_cast<std::size_t>(r) * words_ + word];
      if (seen == ~std::uint64_t{0}) continue;
      const int bit = std::countr_one(seen);
      for (const int r : resources) bits_[static_cast<std::size_t>(r) * words_ + word] |= std::uint64_t{1} << bit;
      return 64 * word + bit;
    }
  }

 private:
  void widen() {
    std::vector<std::uint64_t> wider(static_cast<std::size_t>(resource_count_) * (words_ + 1));
    for (int r = 0; r < resource_count_; ++r) {
      for (int w = 0; w < words_; ++w) {
        wider[static_cast<std::size_t>(r) * (words_ + 1) + w] = bits_[static_cast<std::size_t>(r) * words_ + w];
      }
    }
    bits_ = std::move(wider);
    ++words_;
  }

  int resource_count_;
  int words_ = 1;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

Coloring color_items(std::span<const int> touch_start, std::span<const int> touched, int resource_count) {
  PLIANT_ASSERT(!touch_start.empty(), "touch_start has one entry more than there are items");
  const int item_count = static_cast<int>(touch_start.size()) - 1;

  // Give each item the smallest colour its resources have not seen.
  UsedColors used(resource_count);
  std::vector<int> color(item_count);
  int color_count = 0;
  for (int i = 0; i < item_count; ++i) {
    color[i] = used.take_smallest_free(touched.subspan(touch_start[i], touch_start[i + 1] - touch_start[i]));
    color_count = std::max(color_count, color[i] + 1);
  }

  // Sort items by colour, keeping their order inside a colour.
  Coloring result;
  result.color_start.assign(color_count + 1, 0);
  for (const int c : color) ++result.color_start[c + 1];
  for (int c = 0; c < color_count; ++c) result.color_start[c + 1] += result.color_start[c];
  result.items.resize(item_count);
  std::vector<int> next(result.color_start.begin(), result.color_start.end() - 1);
  for (int i = 0; i < item_count; ++i) result.items[next[color[i]]++] = i;
  return result;
}

void for_each_item(const Coloring& coloring, FunctionRef<void(int)> body) {
  for (int c = 0; c < coloring.color_count(); ++c) {
    const int first = coloring.color_start[c];
    parallel_for(coloring.color_start[c + 1] - first, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) body(coloring.items[first + i]);
    });
  }
}

}  // namespace pliant::parallel
