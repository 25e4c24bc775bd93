// Colouring: items that touch a common resource get different colours, so that all items of one colour can run at the
// same time without locks, and every resource sees its items in a fixed order (colour by colour) for any thread count.
#pragma once

#include <span>
#include <vector>

#include "pliant/parallel/parallel.h"

namespace pliant::parallel {

// Items of colour c are items[color_start[c] .. color_start[c + 1]).
struct Coloring {
  std::vector<int> color_start{0};
  std::vector<int> items;

  [[nodiscard]] int color_count() const { return static_cast<int>(color_start.size()) - 1; }
};

// Greedy, in item order. Item i touches touched[touch_start[i] .. touch_start[i + 1]), each in [0, resource_count).
[[nodiscard]] Coloring color_items(std::span<const int> touch_start, std::span<const int> touched, int resource_count);

// Calls body(item) for every item: colours one after another, the items of one colour side by side.
void for_each_item(const Coloring& coloring, FunctionRef<void(int)> body);

}  // namespace pliant::parallel
