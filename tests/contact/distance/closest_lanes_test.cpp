// Four pairs at a time against one at a time, over all features, slivers and parallel edges.
#include "pliant/contact/distance/closest_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace pliant::contact {
namespace {

using FourVertices = std::array<Vec3, 4>;

// Vertices on a coarse grid now and then: flat, parallel, degenerate and touching pairs.
FourVertices random_pair(std::mt19937& random) {
  std::uniform_real_distribution<double> place(-1, 1);
  const bool is_gridded = random() % 3 == 0;
  FourVertices x;
  for (Vec3& p : x) {
    for (int k = 0; k < 3; ++k) {
      const double at = place(random);
      p[k] = is_gridded ? std::round(2 * at) / 2 : at;
    }
  }
  return x;
}

math::LaneVector lanes_of_vertex(const std::array<FourVertices, 4>& pairs, std::size_t vertex) {
  math::LaneVector v;
  for (std::size_t l = 0; l < 4; ++l) {
    v.x[l] = pairs[l][vertex][0];
    v.y[l] = pairs[l][vertex][1];
    v.z[l] = pairs[l][vertex][2];
  }
  return v;
}

ClosestPoints lane_of(const ClosestLanes& closest, int lane) {
  ClosestPoints one;
  one.squared_distance = closest.squared_distance[lane];
  for (int j = 0; j < 4; ++j) one.weight[static_cast<std::size_t>(j)] = closest.weight[j][lane];
  one.feature = static_cast<Feature>(closest.feature[lane]);
  return one;
}

int zero_count(const ClosestPoints& closest) {
  return static_cast<int>(std::count(closest.weight.begin(), closest.weight.end(), 0.0));
}

class ClosestLanesOf : public ::testing::TestWithParam<bool> {};

TEST_P(ClosestLanesOf, EqualsOneAtATime) {
  const bool are_edges = GetParam();
  std::mt19937 random(5);
  std::array<int, 4> seen{};
  for (int round = 0; round < 20000; ++round) {
    std::array<FourVertices, 4> pairs;
    for (FourVertices& pair : pairs) pair = random_pair(random);
    math::LaneVector x[4];
    for (std::size_t j = 0; j < 4; ++j) x[j] = lanes_of_vertex(pairs, j);
    ClosestLanes closest;
    if (are_edges) {
      closest_edge_pairs(x, closest);
    } else {
      closest_point_triangles(x, closest);
    }
    for (int l = 0; l < 4; ++l) {
      const FourVertices& v = pairs[static_cast<std::size_t>(l)];
      const ClosestPoints one =
          are_edges ? closest_edges(v[0], v[1], v[2], v[3]) : closest_point_triangle(v[0], v[1], v[2], v[3]);
      const ClosestPoints lane = lane_of(closest, l);
      ASSERT_NEAR(lane.distance(), one.distance(), 1e-7);  // square root of the rounding of touching pairs
      ASSERT_NEAR(lane.squared_distance, one.squared_distance, 1e-13);
      // r = Σ γ x has that length, whichever of several closest pairs of points was taken.
      Vec3 r = Vec3::Zero();
      for (std::size_t j = 0; j < 4; ++j) r += lane.weight[j] * v[j];
      ASSERT_NEAR(r.squaredNorm(), lane.squared_distance, 1e-13);
      // Vertices that take no part have exactly no weight, as many as the feature says.
      const int zeros = lane.feature == Feature::point_point ? 2 : lane.feature == Feature::point_edge ? 1 : 0;
      ASSERT_EQ(zero_count(lane), zeros) << round;
      ++seen[static_cast<std::size_t>(lane.feature)];
    }
  }
  EXPECT_GT(seen[static_cast<std::size_t>(Feature::point_point)], 1000);
  EXPECT_GT(seen[static_cast<std::size_t>(Feature::point_edge)], 1000);
  EXPECT_GT(seen[static_cast<std::size_t>(are_edges ? Feature::edge_edge : Feature::point_face)], 1000);
}

INSTANTIATE_TEST_SUITE_P(ClosestLanes, ClosestLanesOf, ::testing::Values(false, true),
                         [](const auto& tested) { return tested.param ? "edges" : "point_triangle"; });

}  // namespace
}  // namespace pliant::contact
