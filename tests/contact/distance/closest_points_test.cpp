// Closest points: the weights are of points of the primitives, r = Σ γ x has the length reported, no sampled pair of
// points is closer, and r separates the primitives (which proves that it is the shortest).
#include "pliant/contact/distance/closest_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace pliant::contact {
namespace {

enum class PairKind { point_triangle, edges, point_edge };

using PairVertices = std::array<Vec3, 4>;

constexpr std::array<PairKind, 3> kPairKinds = {PairKind::point_triangle, PairKind::edges, PairKind::point_edge};

ClosestPoints closest_of(PairKind kind, const PairVertices& x) {
  if (kind == PairKind::point_triangle) return closest_point_triangle(x[0], x[1], x[2], x[3]);
  if (kind == PairKind::edges) return closest_edges(x[0], x[1], x[2], x[3]);
  return closest_point_edge(x[0], x[1], x[2]);
}

int first_count(PairKind kind) { return kind == PairKind::edges ? 2 : 1; }
int vertex_count(PairKind kind) { return kind == PairKind::point_edge ? 3 : 4; }

double size_of(PairKind kind, const PairVertices& x) {
  double size = 0;
  for (int i = 1; i < vertex_count(kind); ++i) size = std::max(size, (x[i] - x[0]).norm());
  return size;
}

Vec3 weighted_sum(const std::array<double, 4>& weight, const PairVertices& x) {
  // From differences: the weights sum to zero.
  Vec3 r = Vec3::Zero();
  for (int i = 1; i < 4; ++i) {
    if (weight[i] != 0) r += weight[i] * (x[i] - x[0]);
  }
  return r;
}

// Smallest distance of sampled pairs of points, in steps of 1/`steps` of either parameter.
double sampled_distance(PairKind kind, const PairVertices& x, int steps) {
  double smallest = (x[0] - x[1 + (kind == PairKind::edges)]).norm();
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      const double s = double(i) / steps;
      const double t = double(j) / steps;
      std::array<double, 4> weight = {1 - s, s, t - 1, -t};
      if (kind == PairKind::point_triangle) weight = {1, -(1 - s) * (1 - t), -s * (1 - t), -t};
      if (kind == PairKind::point_edge) weight = {1, t - 1, -t, 0};
      smallest = std::min(smallest, weighted_sum(weight, x).norm());
    }
  }
  return smallest;
}

void expect_weights_of_points(PairKind kind, const ClosestPoints& found) {
  double first = 0;
  double second = 0;
  int taking_part = 0;
  for (int i = 0; i < 4; ++i) {
    const bool is_first = i < first_count(kind);
    (is_first ? first : second) += found.weight[i];
    EXPECT_GE(is_first ? found.weight[i] : -found.weight[i], 0);
    taking_part += found.weight[i] != 0;
  }
  EXPECT_NEAR(first, 1, 1e-15);
  EXPECT_NEAR(second, -1, 1e-15);
  const int expected = found.feature == Feature::point_point ? 2 : (found.feature == Feature::point_edge ? 3 : 4);
  EXPECT_EQ(taking_part, expected);
}

// `tolerance` × size is what the distance may be too long.
void expect_shortest(PairKind kind, const PairVertices& x, double tolerance) {
  const ClosestPoints found = closest_of(kind, x);
  const double size = size_of(kind, x);
  expect_weights_of_points(kind, found);
  const Vec3 r = weighted_sum(found.weight, x);
  EXPECT_NEAR(found.distance(), r.norm(), 1e-15 * size);
  EXPECT_LE(found.distance(), sampled_distance(kind, x, 12) + tolerance * size);
  if (found.distance() < tolerance * size) return;  // touching: nothing is shorter
  // r · (x_i − x_j) ≥ |r|² for all vertices of the first and second primitive.
  double gap = 1e300;
  for (int i = 0; i < first_count(kind); ++i) {
    for (int j = first_count(kind); j < vertex_count(kind); ++j) gap = std::min(gap, r.dot(x[i] - x[j]));
  }
  const double rounding = 1e-15 * size;  // of r, which is a difference
  EXPECT_GE(gap, found.squared_distance - (tolerance * found.distance() + rounding) * size);
}

struct RandomPairs {
  std::mt19937 generator{7};
  std::uniform_real_distribution<double> uniform{-1, 1};

  Vec3 point() { return {uniform(generator), uniform(generator), uniform(generator)}; }
  PairVertices pair() { return {point(), point(), point(), point()}; }
  PairVertices lattice_pair(int width) {
    PairVertices x;
    for (Vec3& p : x) p = (point() * (width + 0.499)).array().round();
    return x;
  }
};

TEST(ClosestPoints, OfRandomPairs) {
  RandomPairs random;
  for (const PairKind kind : kPairKinds) {
    for (int i = 0; i < 4000; ++i) expect_shortest(kind, random.pair(), 1e-12);
  }
}

TEST(ClosestPoints, OfTinyPairsFarFromTheOrigin) {
  RandomPairs random;
  for (const PairKind kind : kPairKinds) {
    for (const double size : {1e-6, 1.0}) {
      for (int i = 0; i < 2000; ++i) {
        PairVertices x = random.pair();
        for (Vec3& p : x) p = p * size + Vec3(1e3, -1e3, 0.5e3);
        // What rounding left of the vertices is the input: nothing more may be lost.
        expect_shortest(kind, x, 1e-10);
      }
    }
  }
}

// Points of a lattice of three: most triangles have no area, edges no length, or all is parallel or touches.
TEST(ClosestPoints, OfDegenerateLatticePairs) {
  RandomPairs random;
  for (const PairKind kind : kPairKinds) {
    for (int i = 0; i < 8000; ++i) expect_shortest(kind, random.lattice_pair(1), 1e-12);
  }
}

TEST(ClosestPoints, OfNearlyParallelEdges) {
  RandomPairs random;
  for (const double angle : {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13, 0.0}) {
    for (int i = 0; i < 1000; ++i) {
      PairVertices x = random.pair();
      const Vec3 offset = random.point() * (i % 2 ? 1 : 1e-3);
      x[2] = x[0] + offset + (x[1] - x[0]) * random.uniform(random.generator);
      x[3] = x[2] + (x[1] - x[0]) * random.uniform(random.generator) + random.point() * angle;
      expect_shortest(PairKind::edges, x, 1e-10);
    }
  }
}

TEST(ClosestPoints, OfSlivers) {
  RandomPairs random;
  for (const double height : {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-13, 0.0}) {
    for (int i = 0; i < 1000; ++i) {
      PairVertices x = random.pair();
      x[3] = x[1] + (x[2] - x[1]) * random.uniform(random.generator) + random.point() * height;
      // Half of the points start above the sliver.
      if (i % 2) x[0] = 0.3 * x[1] + 0.3 * x[2] + 0.4 * x[3] + random.point() * 1e-3;
      expect_shortest(PairKind::point_triangle, x, 1e-7);
    }
  }
}

TEST(ClosestPoints, NamesFeatures) {
  const Vec3 a(0, 0, 0);
  const Vec3 b(1, 0, 0);
  const Vec3 c(0, 1, 0);
  EXPECT_EQ(closest_point_triangle({0.2, 0.2, 1}, a, b, c).feature, Feature::point_face);
  EXPECT_EQ(closest_point_triangle({0.5, -1, 1}, a, b, c).feature, Feature::point_edge);
  EXPECT_EQ(closest_point_triangle({-1, -1, 1}, a, b, c).feature, Feature::point_point);
  EXPECT_EQ(closest_edges({0.5, -1, 1}, {0.5, 1, 1}, a, b).feature, Feature::edge_edge);
  EXPECT_EQ(closest_edges({0.5, 1, 1}, {0.5, 2, 1}, a, b).feature, Feature::point_edge);
  EXPECT_EQ(closest_edges({2, 1, 1}, {3, 2, 1}, a, b).feature, Feature::point_point);
  EXPECT_EQ(closest_point_edge({0.5, 1, 0}, a, b).feature, Feature::point_edge);
  EXPECT_EQ(closest_point_edge({1.5, 1, 0}, a, b).feature, Feature::point_point);

  const ClosestPoints over_face = closest_point_triangle({0.25, 0.5, 2}, a, b, c);
  EXPECT_DOUBLE_EQ(over_face.distance(), 2);
  EXPECT_EQ(over_face.weight, (std::array<double, 4>{1, -0.25, -0.25, -0.5}));
  const ClosestPoints crossing = closest_edges({0.25, -1, 3}, {0.25, 3, 3}, a, b);
  EXPECT_DOUBLE_EQ(crossing.distance(), 3);
  EXPECT_EQ(crossing.weight, (std::array<double, 4>{0.75, 0.25, -0.75, -0.25}));
}

}  // namespace
}  // namespace pliant::contact
