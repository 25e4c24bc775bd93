// Colourings are valid, small where they should be, and not limited by the width of a word.
#include "pliant/parallel/coloring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <vector>

namespace pliant::parallel {
namespace {

struct Touches {
  std::vector<int> start{0}, touched;
  void add(std::initializer_list<int> resources) {
    touched.insert(touched.end(), resources);
    start.push_back(static_cast<int>(touched.size()));
  }
  [[nodiscard]] int items() const { return static_cast<int>(start.size()) - 1; }
};

// Every item has one colour, and no resource is touched twice within a colour.
void expect_valid(const Coloring& coloring, const Touches& touches) {
  std::vector<int> items = coloring.items;
  std::sort(items.begin(), items.end());
  ASSERT_EQ(static_cast<int>(items.size()), touches.items());
  for (int i = 0; i < touches.items(); ++i) ASSERT_EQ(items[i], i);
  ASSERT_EQ(coloring.color_start.back(), touches.items());
  for (int c = 0; c < coloring.color_count(); ++c) {
    std::set<int> seen;
    for (int k = coloring.color_start[c]; k < coloring.color_start[c + 1]; ++k) {
      const int item = coloring.items[k];
      for (int t = touches.start[item]; t < touches.start[item + 1]; ++t) {
        EXPECT_TRUE(seen.insert(touches.touched[t]).second) << "colour " << c << ", resource " << touches.touched[t];
      }
    }
  }
}

TEST(Coloring, ChainNeedsTwoColors) {
  Touches chain;
  for (int i = 0; i < 100; ++i) chain.add({i, i + 1});
  const Coloring coloring = color_items(chain.start, chain.touched, 101);
  EXPECT_EQ(coloring.color_count(), 2);
  expect_valid(coloring, chain);
}

TEST(Coloring, RandomTetrahedra) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> pick(0, 199);
  Touches tets;
  for (int i = 0; i < 2000; ++i) {
    std::set<int> corners;
    while (corners.size() < 4) corners.insert(pick(generator));
    tets.touched.insert(tets.touched.end(), corners.begin(), corners.end());
    tets.start.push_back(static_cast<int>(tets.touched.size()));
  }
  expect_valid(color_items(tets.start, tets.touched, 200), tets);
}

TEST(Coloring, MoreColorsThanBitsInAWord) {
  // All items meet in resource 0: each needs a colour of its own, in item order.
  Touches star;
  for (int i = 1; i <= 200; ++i) star.add({0, i});
  const Coloring coloring = color_items(star.start, star.touched, 201);
  EXPECT_EQ(coloring.color_count(), 200);
  expect_valid(coloring, star);
  EXPECT_TRUE(std::is_sorted(coloring.items.begin(), coloring.items.end()));
}

TEST(Coloring, NothingToColor) {
  const Coloring coloring = color_items(std::vector<int>{0}, {}, 5);
  EXPECT_EQ(coloring.color_count(), 0);
  for_each_item(coloring, [](int) { FAIL(); });
}

TEST(Coloring, ForEachItemVisitsAllAndNeverTwoOnOneResource) {
  Touches chain;
  for (int i = 0; i < 3000; ++i) chain.add({i, i + 1});
  const Coloring coloring = color_items(chain.start, chain.touched, 3001);
  set_thread_count(8);
  std::vector<std::atomic<int>> users(3001);
  std::atomic<int> visits = 0, clashes = 0;
  for_each_item(coloring, [&](int item) {
    if (users[item]++ != 0) ++clashes;
    if (users[item + 1]++ != 0) ++clashes;
    ++visits;
    --users[item];
    --users[item + 1];
  });
  set_thread_count(0);
  EXPECT_EQ(visits, 3000);
  EXPECT_EQ(clashes, 0);
}

}  // namespace
}  // namespace pliant::parallel
