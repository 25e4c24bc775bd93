// What the tests of manifolds share: random poses, and the truth about two convex shapes from their support functions.
#pragma once

#include <gtest/gtest.h>
#include <array>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "pliant/contact/manifold/collide.h"
#include "pliant/contact/manifold/face_clip.h"

namespace pliant::contact {

inline Vec3 random_point(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> in(-size, size);
  return {in(random), in(random), in(random)};
}
inline Mat3 random_turn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  // In braces, whose order is the same for every compiler.
  const std::array<double, 4> drawn = {normal(random), normal(random), normal(random), normal(random)};
  const Eigen::Quaterniond q(drawn[0], drawn[1], drawn[2], drawn[3]);
  return q.normalized().toRotationMatrix();
}
inline Pose moved(const Pose& motion, const Pose& pose) {
  return {motion.turn * pose.turn, motion.to_world(pose.shift)};
}

// A round rock: the hull of points on an ellipsoid.
inline ConvexShape rock(std::mt19937& random, int points, double size) {
  std::normal_distribution<double> normal;
  std::vector<Vec3> cloud;
  for (int i = 0; i < points; ++i) {
    const Vec3 p = Vec3{normal(random), normal(random), normal(random)}.normalized();
    cloud.push_back(size * p.cwiseProduct(Vec3(1, 0.8, 0.6)));
  }
  return hull_shape(convex_hull(cloud));
}

// How far b is in front of a along a unit direction, m.
inline double separation_along(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                               const Vec3& direction) {
  const Vec3 top = pose_a.to_world(support(a, pose_a.turn.transpose() * direction));
  const Vec3 bottom = pose_b.to_world(support(b, pose_b.turn.transpose() * -direction));
  return direction.dot(bottom - top);
}

// The largest separation along any direction: distance if positive, depth of penetration if negative. From directions
// all over the sphere, the best of which are improved. A lower bound of the truth, and close to it.
inline double sampled_separation(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b) {
  constexpr int kSamples = 600;
  std::vector<std::pair<double, Vec3>> found;
  for (int i = 0; i < kSamples; ++i) {
    const double z = 1 - (2 * i + 1.0) / kSamples, angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    const Vec3 n(r * std::cos(angle), r * std::sin(angle), z);
    found.emplace_back(separation_along(a, pose_a, b, pose_b, n), n);
  }
  std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  double best = found[0].first;
  for (int start = 0; start < 6; ++start) {
    auto [value, n] = found[start];
    for (double step = 0.1; step > 1e-7; step *= 0.8) {
      for (int k = 0; k < 8; ++k) {
        const Vec3 m = (n + step * Vec3(normal(random), normal(random), normal(random))).normalized();
        const double there = separation_along(a, pose_a, b, pose_b, m);
        if (there > value) value = there, n = m;
      }
    }
    best = std::max(best, value);
  }
  return best;
}

inline double width_of(const ConvexShape& shape) { return shape.hull ? shape.hull->width : 1e300; }
// What preference for faces may cost, m.
inline double slack_of(const ConvexShape& a, const ConvexShape& b) {
  const double width = std::min(width_of(a), width_of(b));
  return 1e-6 + (width < 1e300 ? 2 * kPreference * width : 0);
}

inline double lowest_gap(const Manifold& manifold) {
  double lowest = 1e300;
  for (int k = 0; k < manifold.count; ++k) lowest = std::min(lowest, manifold.points[k].gap);
  return lowest;
}

// What must hold of any manifold.
inline void expect_sound(const Manifold& manifold, double reach) {
  for (int k = 0; k < manifold.count; ++k) {
    const ContactPoint& p = manifold.points[k];
    EXPECT_NEAR(p.normal.norm(), 1, 1e-12);
    EXPECT_TRUE(p.on_a.allFinite() && p.on_b.allFinite() && std::isfinite(p.gap));
    EXPECT_LE(p.gap, reach);
    EXPECT_LE((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-12 * (1 + p.on_a.norm()));
    for (int j = 0; j < k; ++j) EXPECT_NE(p.feature, manifold.points[j].feature);
  }
}

// The manifold's normal parts the shapes as well as any direction, and its lowest point is as low as the shapes are
// along it: together they say that gap and normal are right.
inline void expect_true(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                        double reach) {
  Manifold manifold;
  collide(a, pose_a, b, pose_b, reach, manifold);
  expect_sound(manifold, reach);
  const double slack = slack_of(a, b);
  const double truth = sampled_separation(a, pose_a, b, pose_b);
  if (manifold.count == 0) {
    EXPECT_GT(truth, reach - slack);
    return;
  }
  const double along = separation_along(a, pose_a, b, pose_b, -manifold.points[0].normal);
  EXPECT_GE(along, truth - slack);
  EXPECT_NEAR(lowest_gap(manifold), along, slack);
  // The points belong to the bodies, but for the snap distance beside faces.
  const double beside = 1e-9 + (slack > 1e-5 ? 1.5 * kSnap * std::min(width_of(a), width_of(b)) : 0);
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    const Vec3 n = random_point(random, 1).normalized();
    for (int k = 0; k < manifold.count; ++k) {
      const Vec3 top_a = pose_a.to_world(support(a, pose_a.turn.transpose() * n));
      const Vec3 top_b = pose_b.to_world(support(b, pose_b.turn.transpose() * n));
      EXPECT_LE(n.dot(manifold.points[k].on_a - top_a), beside);
      EXPECT_LE(n.dot(manifold.points[k].on_b - top_b), beside);
    }
  }
}

}  // namespace pliant::contact
