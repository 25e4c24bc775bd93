// The box tree finds what a search through all items finds.
#include "pliant/mesh/signed_distance_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace pliant::mesh {
namespace {

std::vector<Box> random_boxes(int count, std::mt19937& random) {
  std::uniform_real_distribution<double> place(0, 10), size(0, 0.5);
  std::vector<Box> boxes(count);
  for (Box& box : boxes) {
    box.low = Vec3(place(random), place(random), place(random));
    box.high = box.low + Vec3(size(random), size(random), size(random));
  }
  return boxes;
}

TEST(BoxTree, NearestAgreesWithSearchThroughAll) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(-2, 12);
  for (const int count : {1, 4, 5, 333}) {
    const std::vector<Box> boxes = random_boxes(count, random);
    const BoxTree tree(boxes);
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 p(place(random), place(random), place(random));
      double expected = 1e300;
      for (const Box& box : boxes) expected = std::min(expected, box.distance_squared(p));
      const auto found = tree.nearest(p, 1e300, [&](int i) { return boxes[i].distance_squared(p); });
      ASSERT_GE(found.item, 0);
      EXPECT_EQ(found.distance_squared, expected);
      EXPECT_EQ(tree.nearest(p, expected, [&](int i) { return boxes[i].distance_squared(p); }).item, -1);
    }
  }
}

TEST(BoxTree, OverlapsAreAllVisitedOnce) {
  std::mt19937 random(2);
  const std::vector<Box> boxes = random_boxes(400, random);
  const BoxTree tree(boxes);
  for (const Box& query : random_boxes(50, random)) {
    std::multiset<int> visited;
    tree.for_each_overlapping(query, [&](int i) { visited.insert(i); });
    for (int i = 0; i < 400; ++i) {
      EXPECT_LE(visited.count(i), 1U);
      if (boxes[i].overlaps(query)) {
        EXPECT_EQ(visited.count(i), 1U);
      }
    }
    EXPECT_LT(visited.size(), 200U) << "the tree must leave most boxes out";
  }
}

TEST(BoxTree, ManyEqualBoxesAndNone) {
  const std::vector<Box> equal(1000, Box{Vec3::Zero(), Vec3::Ones()});
  const BoxTree tree(equal);
  int count = 0;
  tree.for_each_overlapping(equal[0], [&](int) { ++count; });
  EXPECT_EQ(count, 1000);
  const BoxTree empty{std::span<const Box>()};
  EXPECT_EQ(empty.nearest(Vec3::Zero(), 1e300, [](int) { return 0.0; }).item, -1);
}

}  // namespace
}  // namespace pliant::mesh
