#include "pliant/mesh/disjoint_sets.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(DisjointSets, RootsAreTheSmallestMembersWhateverTheOrder) {
  const std::vector<std::pair<int, int>> joins = {{5, 3}, {7, 5}, {1, 0}, {3, 9}, {8, 1}};
  for (const bool backwards : {false, true}) {
    DisjointSets sets(10);
    for (std::size_t i = 0; i < joins.size(); ++i) {
      const auto [a, b] = joins[backwards ? joins.size() - 1 - i : i];
      sets.join(a, b);
    }
    const std::vector<int> expected = {0, 0, 2, 3, 4, 3, 6, 3, 0, 3};
    for (int i = 0; i < 10; ++i) EXPECT_EQ(sets.root(i), expected[static_cast<std::size_t>(i)]) << i;
  }
}

}  // namespace
}  // namespace pliant
