// The tree finds the triangles whose boxes overlap, no more and no fewer.
#include "pliant/contact/judge/triangle_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace pliant::contact {
namespace {

struct TreeSoup {
  std::vector<Vec3> positions;
  std::vector<Vec3i> triangles;
  std::vector<int> all;
};

TreeSoup soup_of_sizes(int count, double smallest, double largest) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  TreeSoup soup;
  for (int t = 0; t < count; ++t) {
    const Vec3 centre(unit(random), unit(random), unit(random));
    const double size = smallest * std::pow(largest / smallest, unit(random));
    for (int i = 0; i < 3; ++i) {
      soup.positions.push_back(centre + size * Vec3(unit(random), unit(random), unit(random)));
    }
    soup.triangles.emplace_back(3 * t, 3 * t + 1, 3 * t + 2);
  }
  soup.all.resize(count);
  std::iota(soup.all.begin(), soup.all.end(), 0);
  return soup;
}

JudgeBox box_of(const TreeSoup& soup, int t) {
  const Vec3i& v = soup.triangles[t];
  return JudgeBox::around(soup.positions[v[0]], soup.positions[v[1]]).with(soup.positions[v[2]]);
}

void expect_same_as_all_pairs(const TreeSoup& soup) {
  const TriangleTree tree(soup.positions, soup.triangles, soup.all);
  for (const int s : soup.all) {
    std::vector<int> found, expected;
    tree.for_each_overlap(box_of(soup, s), [&](int t) { found.push_back(t); });
    std::ranges::sort(found);
    for (const int t : soup.all) {
      if (box_of(soup, s).overlaps(box_of(soup, t))) expected.push_back(t);
    }
    ASSERT_EQ(found, expected) << s;
  }
}

TEST(TriangleTree, FindsWhatAllPairsFind) {
  expect_same_as_all_pairs(soup_of_sizes(500, 0.01, 0.1));
  expect_same_as_all_pairs(soup_of_sizes(500, 1e-6, 10));
  expect_same_as_all_pairs(soup_of_sizes(3, 0.1, 1));
}

TEST(TriangleTree, EqualTrianglesDoNotDeepenIt) {
  TreeSoup soup = soup_of_sizes(100000, 1, 1);
  for (std::size_t i = 3; i < soup.positions.size(); ++i) soup.positions[i] = soup.positions[i % 3];
  const TriangleTree tree(soup.positions, soup.triangles, soup.all);
  EXPECT_LT(tree.node_count(), 100000);
  int found = 0;
  tree.for_each_overlap(box_of(soup, 0), [&](int) { ++found; });
  EXPECT_EQ(found, 100000);
}

TEST(TriangleTree, EmptyAndChosen) {
  const TreeSoup soup = soup_of_sizes(10, 1, 1);
  const JudgeBox everything{Vec3::Constant(-10), Vec3::Constant(10)};
  TriangleTree({}, {}, {}).for_each_overlap(everything, [](int) { FAIL(); });
  std::vector<int> found;
  TriangleTree(soup.positions, soup.triangles, std::vector<int>{7, 2}).for_each_overlap(everything, [&](int t) {
    found.push_back(t);
  });
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<int>{2, 7}));
}

}  // namespace
}  // namespace pliant::contact
