// Building of the box tree: top down, by medians, the same tree on every machine.
#include "pliant/mesh/signed_distance_tree.h"

#include <algorithm>
#include <numeric>

namespace pliant::mesh {

BoxTree::BoxTree(std::span<const Box> boxes) : items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  nodes_.reserve(boxes.size());
  if (!boxes.empty()) build(boxes, 0, static_cast<int>(boxes.size()));
}

int BoxTree::build(std::span<const Box> boxes, int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Node node;
  node.begin = begin;
  node.end = end;
  Box centres;
  for (int k = begin; k < end; ++k) {
    const Box& box = boxes[items_[k]];
    node.box.include(box);
    centres.include(Vec3(0.5 * (box.low + box.high)));
  }

  if (end - begin > kLeafSize) {
    int axis = 0;
    (centres.high - centres.low).maxCoeff(&axis);
    const int middle = begin + (end - begin) / 2;
    // Ties go by index, so that the tree does not depend on the library's nth_element.
    std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end, [&](int a, int b) {
      const double ca = boxes[a].low[axis] + boxes[a].high[axis], cb = boxes[b].low[axis] + boxes[b].high[axis];
      return ca != cb ? ca < cb : a < b;
    });
    build(boxes, begin, middle);
    node.right = build(boxes, middle, end);
  }
  nodes_[index] = node;
  return index;
}

}  // namespace pliant::mesh
