#include "pliant/parallel/touch_lists.h"

#include <gtest/gtest.h>

#include <set>

namespace pliant::parallel {
namespace {

TEST(TouchLists, NoTwoItemsOfAColourTouchTheSame) {
  // A ring of 101 items, item i touching i and i + 1, and names given twice.
  TouchLists lists;
  for (int i = 0; i < 101; ++i) {
    for (const int resource : {(i + 1) % 101, i, i}) lists.add(resource);
    lists.end_item();
  }
  const Coloring coloring = lists.color(101);
  EXPECT_EQ(coloring.items.size(), 101U);
  EXPECT_EQ(coloring.color_count(), 3);  // an odd ring needs three
  for (int c = 0; c < coloring.color_count(); ++c) {
    std::set<int> touched;
    for (int k = coloring.color_start[c]; k < coloring.color_start[c + 1]; ++k) {
      EXPECT_TRUE(touched.insert(coloring.items[k]).second);
      EXPECT_TRUE(touched.insert((coloring.items[k] + 1) % 101).second);
    }
  }
}

TEST(TouchLists, ItemsThatTouchNothingShareOneColour) {
  TouchLists lists;
  lists.end_item();
  lists.end_item();
  EXPECT_EQ(lists.color(0).color_count(), 1);
}

}  // namespace
}  // namespace pliant::parallel
