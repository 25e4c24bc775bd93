// Which triangles of a set may touch a box? A tree of bounding boxes, halved at the median: depth ⌈log₂ n⌉ and at most
// one node per triangle whatever the sizes, so that one huge triangle among many small ones costs nothing.
//
// For the judge only. It shares no code with the contact search of the solvers, which it is to check.
#pragma once

#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::contact {

// Closed: boxes that touch overlap. Coordinates are taken as they are, without rounding.
struct JudgeBox {
  Vec3 low;
  Vec3 high;

  static JudgeBox around(const Vec3& a, const Vec3& b) { return {a.cwiseMin(b), a.cwiseMax(b)}; }
  [[nodiscard]] JudgeBox with(const Vec3& x) const { return {low.cwiseMin(x), high.cwiseMax(x)}; }
  [[nodiscard]] bool overlaps(const JudgeBox& o) const {
    return low.x() <= o.high.x() && o.low.x() <= high.x() && low.y() <= o.high.y() && o.low.y() <= high.y() &&
           low.z() <= o.high.z() && o.low.z() <= high.z();
  }
};

class TriangleTree {
 public:
  // `chosen`: indices of the triangles to put into the tree. Vertices of these must be finite.
  TriangleTree(std::span<const Vec3> positions, std::span<const Vec3i> triangles, std::span<const int> chosen);

  // visit(triangle index) for each triangle whose box overlaps, in no particular (but always the same) order.
  template <class Visit>
  void for_each_overlap(const JudgeBox& box, const Visit& visit) const {
    for (int n = 0; n < static_cast<int>(nodes_.size());) {
      const Node& node = nodes_[n];
      if (!node.box.overlaps(box)) {
        n = node.next;
        continue;
      }
      for (int i = node.begin; i < node.end; ++i) {
        if (leaves_[i].box.overlaps(box)) visit(leaves_[i].triangle);
      }
      ++n;
    }
  }
  [[nodiscard]] int node_count() const { return static_cast<int>(nodes_.size()); }

 private:
  struct Leaf {
    JudgeBox box;
    int triangle;
  };
  struct Node {
    JudgeBox box;
    int next;   // first node that is not below this one; children follow their parent
    int begin;  // leaves, empty for inner nodes
    int end;
  };
  void build(int begin, int end);

  std::vector<Leaf> leaves_;
  std::vector<Node> nodes_;
};

}  // namespace pliant::contact
