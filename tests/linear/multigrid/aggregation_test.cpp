// Aggregates: a disjoint cover of the nodes that are not special, connected, the same for any number of threads.
#include "pliant/linear/multigrid/aggregation.h"

#include <gtest/gtest.h>

#include <set>

#include "pliant/parallel/parallel.h"
#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

void expect_cover(const Aggregates& aggregates) {
  std::set<int> seen;
  for (int a = 0; a < aggregates.count; ++a) {
    EXPECT_LT(aggregates.members.start[a], aggregates.members.start[a + 1]);
    for (int k = aggregates.members.start[a]; k < aggregates.members.start[a + 1]; ++k) {
      EXPECT_EQ(aggregates.of_node[aggregates.members.column[k]], a);
      EXPECT_TRUE(seen.insert(aggregates.members.column[k]).second);
    }
  }
  for (int i = 0; i < static_cast<int>(aggregates.of_node.size()); ++i)
    EXPECT_EQ(aggregates.of_node[i] >= 0, seen.count(i) == 1);
}

TEST(Aggregation, CoversAllNodesThatAreNotSpecial) {
  for (const int radius : {1, 2}) {
    const Strength strength = find_strength(test::level_of(test::truss(test::Grid{9}, 0).matrix), 0.05F);
    std::vector<std::uint8_t> excluded(729, 0);
    excluded[100] = excluded[364] = 1;
    const Aggregates aggregates = aggregate(strength, excluded, radius);
    expect_cover(aggregates);
    for (int i = 0; i < 729; ++i) EXPECT_EQ(aggregates.of_node[i] == -1, excluded[i] == 1);
    // 15 nodes are a neighbourhood inside the grid, 65 one of radius two.
    EXPECT_LT(aggregates.count, radius == 1 ? 100 : 30);
    EXPECT_GT(aggregates.count, radius == 1 ? 27 : 4);
  }
}

TEST(Aggregation, AggregatesAreLinesWhereOneAxisIsStrong) {
  const Strength strength = find_strength(test::level_of(test::poisson(30, 7, 100).matrix), 0.05F);
  const Aggregates aggregates = aggregate(strength, {}, 1);
  expect_cover(aggregates);
  for (int a = 0; a < aggregates.count; ++a) {
    const int first = aggregates.members.start[a], last = aggregates.members.start[a + 1];
    for (int k = first; k < last; ++k)
      EXPECT_EQ(aggregates.members.column[k] / 30, aggregates.members.column[first] / 30);
    EXPECT_GE(last - first, 2);  // the ball about the end of a line has two nodes, all others three
  }
}

TEST(Aggregation, ManageWithoutNodesWithoutConnectionsAndWithSeparateParts) {
  EXPECT_EQ(aggregate(Strength{}, {}, 2).count, 0);
  // Two parts, and a node alone.
  sparse::PatternBuilder builder(7);
  builder.couple(std::array{0, 1, 2});
  builder.couple(std::array{4, 5, 6});
  sparse::SymmetricBlockMatrix matrix(builder.build());
  for (int slot = 0; slot < matrix.pattern().slot_count(); ++slot) matrix.block(slot) = -Mat3::Identity();
  for (int i = 0; i < 7; ++i) matrix.block(matrix.pattern().diagonal_slot(i)) = 3 * Mat3::Identity();
  const Aggregates aggregates = aggregate(find_strength(test::level_of(matrix), 0.05F), {}, 2);
  EXPECT_EQ(aggregates.of_node, (std::vector<int>{0, 0, 0, -1, 1, 1, 1}));
}

TEST(Aggregation, IsTheSameForAnyNumberOfThreads) {
  const Strength strength = find_strength(test::level_of(test::truss(test::Grid{40, 30, 20}, 0).matrix), 0.05F);
  std::vector<int> expected;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    const Aggregates aggregates = aggregate(strength, {}, 2);
    if (threads == 1) expected = aggregates.of_node;
    EXPECT_EQ(aggregates.of_node, expected) << threads;
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
