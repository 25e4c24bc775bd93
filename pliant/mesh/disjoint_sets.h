// Sets of the numbers 0 to n − 1 that grow together: fans of triangles, pieces of a mesh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace pliant {

// The root of a set is its smallest member, whatever the order of joining.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  int root(int a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace pliant
