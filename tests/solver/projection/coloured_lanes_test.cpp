// The order of Gauss-Seidel: every element once, colours that share nothing, groups that are full.
#include "pliant/solver/projection/coloured_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pliant::solver {
namespace {

// Edges of a grid, both ways.
std::vector<std::array<int, 2>> grid_links(int side) {
  std::vector<std::array<int, 2>> links;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (i + 1 < side) links.push_back({i * side + j, (i + 1) * side + j});
      if (j + 1 < side) links.push_back({i * side + j, i * side + j + 1});
    }
  }
  return links;
}

TEST(ColouredLanes, HaveEveryElementOnceAndShareNothing) {
  const auto links = grid_links(9);
  const ColouredLanes order = lanes_by_colour<2>(links, 81);
  std::vector<int> seen(links.size(), 0);
  for (std::size_t c = 0; c + 1 < order.colour_start.size(); ++c) {
    const int first = order.colour_start[c], last = order.colour_start[c + 1];
    EXPECT_LT(first, last);
    EXPECT_EQ(first % math::kLaneCount, 0);
    std::set<int> touched;
    bool has_ended = false;
    for (int i = first; i < last; ++i) {
      const int item = order.items[static_cast<std::size_t>(i)];
      has_ended = has_ended || item < 0;
      if (item < 0) continue;
      EXPECT_FALSE(has_ended) << "filling comes last";
      ++seen[static_cast<std::size_t>(item)];
      for (const int block : links[static_cast<std::size_t>(item)]) EXPECT_TRUE(touched.insert(block).second);
    }
    // No group is filling alone.
    EXPECT_GE(order.items[static_cast<std::size_t>(last - math::kLaneCount)], 0);
  }
  EXPECT_EQ(order.colour_start.back(), static_cast<int>(order.items.size()));
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  EXPECT_LE(order.colour_start.size(), 8U);  // four colours would do
}

TEST(ColouredLanes, OfNothing) {
  const ColouredLanes order = lanes_by_colour<2>({}, 5);
  EXPECT_TRUE(order.items.empty());
  EXPECT_EQ(order.colour_start.size(), 1U);
}

template <class Real>
void expect_lanes_come_back() {
  std::vector<Mover<Real>> points(6);
  for (int i = 0; i < 6; ++i) {
    for (int a = 0; a < 3; ++a) points[static_cast<std::size_t>(i)].x[a] = static_cast<Real>(10 * i + a);
    points[static_cast<std::size_t>(i)].w = static_cast<Real>(0.25 * i);
  }
  const std::vector<Mover<Real>> kept = points;
  const int block[4] = {5, 0, 3, 3};
  math::Lanes x[3], w;
  load_movers(points.data(), block, x, w);
  for (int lane = 0; lane < 4; ++lane) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(x[a][lane], 10 * block[lane] + a);
    EXPECT_EQ(w[lane], 0.25 * block[lane]);
  }
  for (int a = 0; a < 3; ++a) x[a] += math::lanes_of(1);
  store_movers(points.data(), block, 2, x, w);
  for (std::size_t i = 0; i < 6; ++i) {
    const double shift = i == 5 || i == 0 ? 1 : 0;
    EXPECT_EQ(points[i].position(), kept[i].position() + Vec3::Constant(shift)) << i;
    EXPECT_EQ(points[i].w, kept[i].w);
  }
}

TEST(ColouredLanes, LoadAndStore) {
  expect_lanes_come_back<double>();
  expect_lanes_come_back<float>();
}

}  // namespace
}  // namespace pliant::solver
