// A tree of boxes over items in space: the search structure of signed distance and embedding.
//
//   BoxTree tree(boxes);                                      // one box per item
//   auto hit = tree.nearest(p, kFar, [&](int item) { return squared distance of item; });
//   tree.for_each_overlapping(box, [&](int item) { ... });
//
// Nodes are stored in depth-first order: the left child follows its parent. Each inner node splits its items at the
// median of the box centres along the longest axis, so the depth is log₂(n) whatever the input.
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::mesh {

struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());    // m
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());  // m

  void include(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  void include(const Box& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  [[nodiscard]] bool overlaps(const Box& other) const {
    return (low.array() <= other.high.array()).all() && (other.low.array() <= high.array()).all();
  }
  // Squared distance from a point, 0 inside.
  [[nodiscard]] double distance_squared(const Vec3& point) const {
    return (low - point).cwiseMax(point - high).cwiseMax(0.0).squaredNorm();
  }
};

class BoxTree {
 public:
  static constexpr int kLeafSize = 4;  // items per leaf at most

  struct Node {
    Box box;
    int begin = 0, end = 0;  // range of items() below this node
    int right = -1;          // right child; the left one is the next node; −1 for a leaf
    [[nodiscard]] bool leaf() const { return right < 0; }
  };
  struct Nearest {
    int item = -1;  // −1: nothing within reach
    double distance_squared = 0;
  };

  explicit BoxTree(std::span<const Box> boxes);

  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const int> items() const { return items_; }

  // The item with the least distance_squared_of(item) below reach_squared; among equals the first visited.
  template <class DistanceSquaredOf>
  [[nodiscard]] Nearest nearest(const Vec3& point, double reach_squared, DistanceSquaredOf distance_squared_of) const;

  // Calls visit(item) for every item whose leaf box overlaps `box`: a superset of the items that do.
  template <class Visit>
  void for_each_overlapping(const Box& box, Visit visit) const;

 private:
  static constexpr int kStackSize = 64;  // the depth is at most 31 for int indices
  int build(std::span<const Box> boxes, int begin, int end);

  std::vector<Node> nodes_;
  std::vector<int> items_;
};

template <class DistanceSquaredOf>
BoxTree::Nearest BoxTree::nearest(const Vec3& point, double reach_squared,
                                  DistanceSquaredOf distance_squared_of) const {
  Nearest best{-1, reach_squared};
  if (nodes_.empty()) return best;
  struct Waiting {
    int node;
    double distance_squared;
  };
  Waiting stack[kStackSize];
  int height = 0;
  stack[height++] = {0, nodes_[0].box.distance_squared(point)};
  while (height > 0) {
    const Waiting top = stack[--height];
    if (top.distance_squared >= best.distance_squared) continue;
    const Node& node = nodes_[top.node];
    if (node.leaf()) {
      for (int k = node.begin; k < node.end; ++k) {
        const double d = distance_squared_of(items_[k]);
        if (d < best.distance_squared) best = {items_[k], d};
      }
      continue;
    }
    // The nearer child goes on top, so that it shrinks the reach first.
    Waiting left{top.node + 1, nodes_[top.node + 1].box.distance_squared(point)};
    Waiting right{node.right, nodes_[node.right].box.distance_squared(point)};
    if (left.distance_squared < right.distance_squared) std::swap(left, right);
    stack[height++] = left;
    stack[height++] = right;
  }
  return best;
}

template <class Visit>
void BoxTree::for_each_overlapping(const Box& box, Visit visit) const {
  if (nodes_.empty()) return;
  int stack[kStackSize];
  int height = 0;
  stack[height++] = 0;
  while (height > 0) {
    const int index = stack[--height];
    const Node& node = nodes_[index];
    if (!node.box.overlaps(box)) continue;
    if (node.leaf()) {
      for (int k = node.begin; k < node.end; ++k) visit(items_[k]);
    } else {
      stack[height++] = node.right;
      stack[height++] = index + 1;
    }
  }
}

}  // namespace pliant::mesh
