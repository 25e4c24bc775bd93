// The tree against brute force, for boxes as they come and as they should never come.
#include "pliant/contact/broad_phase/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/contact/broad_phase/box_sets.h"

namespace pliant::contact {
namespace {

std::vector<int> found_by_tree(const Bvh& tree, const Box& box) {
  std::vector<int> found;
  tree.query(box, [&](int i) { found.push_back(i); });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> found_one_by_one(const std::vector<Box>& boxes, const Box& box) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    if (boxes[i].overlaps(box)) found.push_back(i);
  }
  return found;
}

TEST(Bvh, AQueryFindsWhatOverlaps) {
  for (const auto& [name, boxes] : all_box_sets()) {
    Bvh tree;
    tree.build(boxes);
    EXPECT_EQ(tree.size(), static_cast<int>(boxes.size()));
    std::vector<Box> queries = random_boxes(50, 99, 0.3);
    queries.insert(queries.end(), boxes.begin(), boxes.begin() + std::min<std::size_t>(boxes.size(), 50));
    queries.push_back(Box{});
    queries.push_back(Box::of(Vec3::Constant(std::nan("")), Vec3(1, 1, 1)));
    for (const Box& query : queries) EXPECT_EQ(found_by_tree(tree, query), found_one_by_one(boxes, query)) << name;
  }
}

TEST(Bvh, EverySizeUpToThreeLevels) {
  const std::vector<Box> boxes = random_boxes(600, 3, 0.2);
  Bvh tree;
  for (int count = 0; count <= 600; count += count < 80 ? 1 : 13) {
    const std::vector<Box> some(boxes.begin(), boxes.begin() + count);
    tree.build(some);
    for (int q = 0; q < 5; ++q) EXPECT_EQ(found_by_tree(tree, boxes[q]), found_one_by_one(some, boxes[q])) << count;
  }
}

TEST(Bvh, RefittingFindsTheSameAsBuilding) {
  std::vector<Box> boxes = folded_sheet(40, 8);
  Bvh refitted;
  refitted.build(boxes);
  EXPECT_EQ(refitted.decay(), 1.0);
  // Everything moves, and one box after the other goes bad and recovers.
  const std::vector<Box> noise = random_boxes(static_cast<int>(boxes.size()), 17, 0.02);
  for (int step = 0; step < 4; ++step) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (int a = 0; a < 3; ++a) {
        boxes[i].low[a] += 0.01f * noise[i].low[a];
        boxes[i].high[a] += 0.01f * noise[i].low[a];
      }
    }
    std::vector<Box> now = boxes;
    now[17 * step].high[step % 3] = std::numeric_limits<float>::quiet_NaN();
    now[31 * step + 5] = Box{};
    refitted.refit(now);
    Bvh rebuilt;
    rebuilt.build(now);
    for (int i = 0; i < static_cast<int>(now.size()); i += 7) {
      EXPECT_EQ(found_by_tree(refitted, now[i]), found_by_tree(rebuilt, now[i]));
    }
  }
}

TEST(Bvh, DecayTellsMixingFromGrowing) {
  std::vector<Box> boxes = folded_sheet(60, 6);
  Bvh tree;
  tree.build(boxes);
  std::vector<Box> grown = boxes;
  for (Box& box : grown) box.inflate(0.01);
  tree.refit(grown);
  EXPECT_LT(tree.decay(), 1.05);
  std::vector<Box> shuffled = boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) shuffled[i] = boxes[(i * 7919) % boxes.size()];
  tree.refit(shuffled);
  EXPECT_GT(tree.decay(), 3.0);
  tree.refit(boxes);
  EXPECT_EQ(tree.decay(), 1.0);
  // One bad point does not make it worthless.
  boxes[5].low[1] = std::numeric_limits<float>::quiet_NaN();
  tree.refit(boxes);
  EXPECT_NEAR(tree.decay(), 1.0, 0.01);
}

TEST(Bvh, AnEmptyTreeFindsNothing) {
  Bvh tree;
  EXPECT_TRUE(found_by_tree(tree, Box::of(Vec3::Zero(), Vec3::Zero())).empty());
  tree.build({});
  tree.refit({});
  EXPECT_EQ(tree.size(), 0);
  EXPECT_EQ(tree.decay(), 1.0);
  EXPECT_TRUE(found_by_tree(tree, Box::of(Vec3::Zero(), Vec3::Zero())).empty());
}

TEST(Bvh, NothingIsLostFarFromTheOrigin) {
  // Boxes of 0.1 mm whose corners differ in double precision only; floats are 8 mm apart at 100 km.
  const Vec3 origin(1e5, -1e5, 1e5);
  std::vector<Vec3> low;
  std::vector<Box> boxes;
  for (int i = 0; i < 300; ++i) {
    low.emplace_back(origin + 0.05 * Vec3(std::sin(i), std::sin(2.0 * i), std::cos(3.0 * i)));
    boxes.push_back(Box::of(low.back(), low.back() + Vec3::Constant(1e-4)));
  }
  Bvh tree;
  tree.build(boxes);
  for (int i = 0; i < 300; ++i) {
    const std::vector<int> found = found_by_tree(tree, boxes[i]);
    for (int j = 0; j < 300; ++j) {
      const bool overlap = ((low[i] - low[j]).array().abs() <= 1e-4).all();
      if (overlap) {
        EXPECT_TRUE(std::binary_search(found.begin(), found.end(), j));
      }
    }
  }
}

}  // namespace
}  // namespace pliant::contact
