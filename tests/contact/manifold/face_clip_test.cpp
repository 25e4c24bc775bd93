// Clipped faces: areas of overlaps, names of corners and crossings, the four points that stay.
#include "pliant/contact/manifold/face_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace pliant::contact {
namespace {

// A regular polygon, counter-clockwise.
FacePolygon regular_polygon(int corners, double radius, double u, double v, double angle) {
  FacePolygon polygon;
  polygon.count = corners;
  for (int k = 0; k < corners; ++k) {
    const double a = angle + 2 * std::numbers::pi * k / corners;
    polygon.points[k] = {u + radius * std::cos(a), v + radius * std::sin(a), 0.1 * k,
                         feature_id(Touch::vertex_of_b, 7, k), k};
  }
  return polygon;
}

// Of the square [−1, 1]².
std::vector<FaceSide> square() { return {{1, 0, 1, 0, 0}, {0, 1, 1, 1, 1}, {-1, 0, 1, 2, 2}, {0, -1, 1, 3, 3}}; }

double area_of(const FacePolygon& p) {
  double twice = 0;
  for (int k = 0; k < p.count; ++k) {
    const FacePoint &a = p.points[k], &b = p.points[(k + 1) % p.count];
    twice += a.u * b.v - a.v * b.u;
  }
  return twice / 2;
}

TEST(FaceClip, OverlapOfSquares) {
  FacePolygon polygon = regular_polygon(4, std::sqrt(2.0), 0.5, 0.25, std::numbers::pi / 4);
  clip_to_face(polygon, square(), 1e-9, {7, 8});
  EXPECT_EQ(polygon.count, 4);
  EXPECT_NEAR(area_of(polygon), 1.5 * 1.75, 1e-12);
  // One corner of either square and two crossings.
  int count[4] = {};
  for (int k = 0; k < polygon.count; ++k) ++count[polygon.points[k].feature >> 30];
  EXPECT_EQ(count[0], 1);
  EXPECT_EQ(count[1], 1);
  EXPECT_EQ(count[2], 2);
  for (int k = 0; k < polygon.count; ++k) {
    // The corner at (1, 1) is the one between sides 0 and 1.
    if (polygon.points[k].feature >> 30 == 0) {
      EXPECT_EQ(polygon.points[k].feature, feature_id(Touch::vertex_of_a, 0, 8));
    }
  }
}

TEST(FaceClip, OctagonOfTwoSquares) {
  FacePolygon polygon = regular_polygon(4, std::sqrt(2.0), 0, 0, 0);
  clip_to_face(polygon, square(), 1e-9, {7, 8});
  EXPECT_EQ(polygon.count, 8);
  EXPECT_NEAR(area_of(polygon), 8 * (std::sqrt(2.0) - 1), 1e-12);
  std::set<std::uint32_t> names;
  for (int k = 0; k < 8; ++k) names.insert(polygon.points[k].feature);
  EXPECT_EQ(names.size(), 8u);
}

TEST(FaceClip, InsideOutsideAndAround) {
  FacePolygon inside = regular_polygon(5, 0.5, 0.1, 0, 0.3);
  const double area = area_of(inside);
  clip_to_face(inside, square(), 1e-9, {7, 8});
  EXPECT_EQ(inside.count, 5);
  EXPECT_EQ(area_of(inside), area);
  FacePolygon outside = regular_polygon(5, 0.5, 3, 0, 0.3);
  clip_to_face(outside, square(), 1e-9, {7, 8});
  EXPECT_EQ(outside.count, 0);
  FacePolygon around = regular_polygon(6, 10, 0.2, 0.1, 0.3);
  clip_to_face(around, square(), 1e-9, {7, 8});
  EXPECT_EQ(around.count, 4);
  EXPECT_NEAR(area_of(around), 4, 1e-12);
  std::set<std::uint32_t> corners;
  for (int k = 0; k < 4; ++k) corners.insert(around.points[k].feature);
  EXPECT_EQ(corners,
            (std::set<std::uint32_t>{feature_id(Touch::vertex_of_a, 0, 8), feature_id(Touch::vertex_of_a, 1, 8),
                                     feature_id(Touch::vertex_of_a, 2, 8), feature_id(Touch::vertex_of_a, 3, 8)}));
}

TEST(FaceClip, CornersAboutOnTheSidesStay) {
  // A square that differs from the face by less than the snap distance keeps its own corners.
  for (const double shift : {-5e-4, 0.0, 5e-4}) {
    FacePolygon polygon = regular_polygon(4, std::sqrt(2.0), shift, -shift, std::numbers::pi / 4 + shift / 3);
    clip_to_face(polygon, square(), 1e-3, {7, 8});
    ASSERT_EQ(polygon.count, 4);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(polygon.points[k].feature >> 30, 1u);
  }
}

TEST(FaceClip, FourOfManyHoldMostOfTheArea) {
  for (int corners = 5; corners <= 40; ++corners) {
    for (double angle = 0; angle < 1; angle += 0.13) {
      FacePolygon polygon = regular_polygon(corners, 1, 0.3, 0.2, angle);
      for (int k = 0; k < corners; ++k) polygon.points[k].height = 0;
      const double area = area_of(polygon);
      reduce_to_four(polygon, 1e-3);
      EXPECT_EQ(polygon.count, 4);
      // A square in a circle has 2/π of it; a triangle and a corner of a pentagon more than half.
      EXPECT_GT(area_of(polygon), 0.54 * area) << corners;
    }
  }
}

TEST(FaceClip, TheDeepestStays) {
  for (int deepest = 0; deepest < 12; ++deepest) {
    FacePolygon polygon = regular_polygon(12, 1, 0, 0, 0.1);
    for (int k = 0; k < 12; ++k) polygon.points[k].height = k == deepest ? -0.5 : 0;
    const std::uint32_t name = polygon.points[deepest].feature;
    reduce_to_four(polygon, 1e-3);
    EXPECT_EQ(polygon.count, 4);
    bool found = false;
    for (int k = 0; k < 4; ++k) found |= polygon.points[k].feature == name;
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace pliant::contact
