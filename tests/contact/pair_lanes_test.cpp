// Measures of four pairs at a time against those of one, and how lists are cut into fours.
#include "pliant/contact/pair_lanes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <vector>

#include "pliant/contact/pair_measures.h"

namespace pliant::contact {
namespace {

class PairLanesOf : public ::testing::TestWithParam<PairKind> {};

TEST_P(PairLanesOf, MeasureAsOneAtATime) {
  const PairKind kind = GetParam();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-1, 1), step(-0.2, 0.2);
  std::vector<Vec3> x(40), way(40);
  for (Vec3& p : x) p = Vec3(place(random), place(random), place(random));
  for (Vec3& w : way) w = Vec3(step(random), step(random), step(random));
  for (int round = 0; round < 500; ++round) {
    std::array<std::array<int, 4>, 4> points;
    for (auto& four : points) {
      for (int& p : four) p = static_cast<int>(random() % x.size());
    }
    const std::array<const std::array<int, 4>*, 4> list = {&points[0], &points[1], &points[2], &points[3]};
    PairLanes at, along;
    gather(list, x, at);
    gather(list, way, along);
    const math::Lanes sizes = sizes_of(at), motions = motions_between(kind, along),
                      middles = distances_along_middles(kind, at, along);
    ClosestLanes closest;
    find_closest(kind, at, closest);
    for (int l = 0; l < 4; ++l) {
      const FourPoints from = gather(points[static_cast<std::size_t>(l)], x),
                       motion = gather(points[static_cast<std::size_t>(l)], way);
      FourPoints to;
      double first = 0, second = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_EQ(at.vertex[j].z[l], from[j][2]);
        to[j] = from[j] + motion[j];
        double& most = j < (kind == PairKind::edges ? 2U : 1U) ? first : second;
        most = std::max(most, motion[j].norm());
        for (std::size_t i = 0; i < j; ++i) EXPECT_LE((from[j] - from[i]).norm(), sizes[l] * (1 + 1e-15));
      }
      EXPECT_NEAR(motions[l], first + second, 1e-14);
      EXPECT_NEAR(edge_products(at)[l], (from[1] - from[0]).cross(from[3] - from[2]).squaredNorm(), 1e-13);
      const double expected = distance_along_middles(kind, from, to);
      EXPECT_NEAR(middles[l], expected, 1e-10 * (1 + std::abs(expected)));
      EXPECT_NEAR(closest.squared_distance[l], closest_of(kind, from).squared_distance, 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PairLanes, PairLanesOf, ::testing::Values(PairKind::point_triangle, PairKind::edges),
                         [](const auto& tested) {
                           return tested.param == PairKind::edges ? "edges" : "point_triangle";
                         });

TEST(PairLanes, FoursAreOfOneKindAndInOrder) {
  // 0 … 5 are triangles, 6 … 10 edges, 11 and 12 planes; some are left out.
  const auto kind_of = [](int n) {
    return n < 6 ? PairKind::point_triangle : n < 11 ? PairKind::edges : PairKind::point_plane;
  };
  const std::vector<int> numbers = {0, 1, 2, 3, 5, 6, 7, 11, 12};
  std::vector<int> seen, groups, single;
  for_groups_of_four(
      numbers, kind_of,
      [&](PairKind kind, const std::array<int, 4>& group, int count) {
        groups.push_back(count);
        for (int l = 0; l < 4; ++l) EXPECT_EQ(kind_of(group[static_cast<std::size_t>(l)]), kind);
        seen.insert(seen.end(), group.begin(), group.begin() + count);
      },
      [&](int n) { single.push_back(n); });
  EXPECT_EQ(groups, (std::vector<int>{4, 1, 2}));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(single, (std::vector<int>{11, 12}));
}

}  // namespace
}  // namespace pliant::contact
