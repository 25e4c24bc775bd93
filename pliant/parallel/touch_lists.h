// What each item of a colouring touches, collected item by item.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pliant/parallel/coloring.h"

namespace pliant::parallel {

class TouchLists {
 public:
  void add(int resource) { touched_.push_back(resource); }
  // Ends the list of an item; a resource that was added twice counts once.
  void end_item() {
    const auto first = touched_.begin() + start_.back();
    std::sort(first, touched_.end());
    touched_.erase(std::unique(first, touched_.end()), touched_.end());
    start_.push_back(static_cast<int>(touched_.size()));
  }
  [[nodiscard]] Coloring color(int resource_count) const { return color_items(start_, touched_, resource_count); }

 private:
  std::vector<int> start_{0}, touched_;
};

}  // namespace pliant::parallel
