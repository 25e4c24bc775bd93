// Aggregates: groups of strongly connected nodes, each of which becomes one node of the next level.
//
//   pass 1   a node whose whole ball (strong neighbours up to `radius` steps away) is free makes an aggregate of it
//   pass 2   nodes that are left join the aggregate that most of their strong neighbours are in, round by round
//   [Tamstorf2016, algorithms 8 and 9; there the radius is 1, and pass 2 goes by strength]
// Only which connections are strong counts, not how strong: so the patterns of a hierarchy outlive small changes of its
// matrix (hierarchy.h).
//
// Special nodes belong to no aggregate (−1): those without strong neighbours and those the caller excludes.
// Pass 1 goes over fixed pieces of nodes side by side, then once over all nodes for the balls that cross pieces; in
// pass 2 a round sees the aggregates of the round before. So the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/linear/multigrid/strength.h"

namespace pliant::linear {

struct Aggregates {
  int count = 0;
  std::vector<int> of_node;  // −1 = special
  SparseRows members;        // nodes of every aggregate, ascending
};

// excluded: per node, 1 = special; empty = none.
[[nodiscard]] Aggregates aggregate(const Strength& strength, std::span<const std::uint8_t> excluded, int radius);

}  // namespace pliant::linear
