// Signed distances of shapes: their slope by differences, their value against dense samples of the surface, and shapes
// that are carried along.
#include "pliant/contact/shapes/shape.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace pliant::contact {
namespace {

using std::numbers::pi;

std::vector<Shape> all_shapes() {
  Shape ball, box, capsule, torus;
  ball.radius = 0.7;
  box = {.kind = ShapeKind::box, .half_size = Vec3(0.5, 0.3, 0.8)};
  capsule = {.kind = ShapeKind::capsule, .radius = 0.4, .half_height = 0.6};
  torus = {.kind = ShapeKind::torus, .radius = 0.8, .tube = 0.3};
  return {ball, box, capsule, torus};
}

// Points of the surface, at most about 0.03 m apart; made from the definition of the shape, not from its distance.
std::vector<Vec3> sample(const Shape& shape) {
  std::vector<Vec3> points;
  const int n = 200;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
      const double around = 2 * pi * u;
      if (shape.kind == ShapeKind::box) {
        for (int axis = 0; axis < 3; ++axis) {
          for (const double side : {-1.0, 1.0}) {
            Vec3 p;
            p[axis] = side * shape.half_size[axis];
            p[(axis + 1) % 3] = (2 * u - 1) * shape.half_size[(axis + 1) % 3];
            p[(axis + 2) % 3] = (2 * v - 1) * shape.half_size[(axis + 2) % 3];
            points.push_back(p);
          }
        }
      } else if (shape.kind == ShapeKind::torus) {
        const double tube = 2 * pi * v, radius = shape.radius + shape.tube * std::cos(tube);
        points.emplace_back(radius * std::cos(around), shape.tube * std::sin(tube), radius * std::sin(around));
      } else {
        const double polar = pi * v, r = shape.radius * std::sin(polar), y = shape.radius * std::cos(polar);
        points.emplace_back(r * std::cos(around), y + (y > 0 ? 1 : -1) * shape.half_height, r * std::sin(around));
        points.emplace_back(shape.radius * std::cos(around), (2 * v - 1) * shape.half_height,
                            shape.radius * std::sin(around));
      }
    }
  }
  return points;
}

bool is_inside(const Shape& shape, const Vec3& p) {
  switch (shape.kind) {
    case ShapeKind::box:
      return std::abs(p.x()) < shape.half_size.x() && std::abs(p.y()) < shape.half_size.y() &&
             std::abs(p.z()) < shape.half_size.z();
    case ShapeKind::torus: {
      const double from_axis = std::sqrt(p.x() * p.x() + p.z() * p.z()) - shape.radius;
      return from_axis * from_axis + p.y() * p.y() < shape.tube * shape.tube;
    }
    default: {
      const double beyond = std::max(0.0, std::abs(p.y()) - shape.half_height);
      return p.x() * p.x() + p.z() * p.z() + beyond * beyond < shape.radius * shape.radius;
    }
  }
}

class EveryShape : public ::testing::TestWithParam<int> {
 protected:
  Shape shape_ = all_shapes()[static_cast<std::size_t>(GetParam())];
  std::mt19937 random_{7};
  Vec3 random_point() {
    std::uniform_real_distribution<double> between(-1.3, 1.3);
    const double x = between(random_), y = between(random_), z = between(random_);
    return {x, y, z};
  }
};

TEST_P(EveryShape, DistanceIsThatToTheNearestPointOfTheSurface) {
  const std::vector<Vec3> surface = sample(shape_);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p = random_point();
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& x : surface) nearest = std::min(nearest, (x - p).norm());
    const SignedHeight height = height_above(shape_, p);
    EXPECT_EQ(height.distance < 0, is_inside(shape_, p));
    // A sample is at most 0.016 m beside the nearest point.
    EXPECT_LE(std::abs(height.distance), nearest + 1e-12);
    EXPECT_GE(std::abs(height.distance), nearest - 0.016 * 0.016 / nearest - 1e-3);
    // Going back along the normal leads to the surface.
    EXPECT_NEAR(height_above(shape_, p - height.distance * height.normal).distance, 0, 1e-12);
  }
}

TEST_P(EveryShape, NormalIsTheSlope) {
  for (int k = 0; k < 200; ++k) {
    const Vec3 p = random_point();
    const SignedHeight height = height_above(shape_, p);
    EXPECT_NEAR(height.normal.norm(), 1, 1e-14);
    const double step = 1e-6;
    Vec3 slope;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 d = step * Vec3::Unit(axis);
      slope[axis] = (height_above(shape_, p + d).distance - height_above(shape_, p - d).distance) / (2 * step);
    }
    EXPECT_LT((slope - height.normal).norm(), 1e-7) << p.transpose();
  }
}

TEST_P(EveryShape, LiesWithinItsExtent) {
  for (const Vec3& x : sample(shape_)) EXPECT_LE(x.norm(), shape_.extent() + 1e-12);
}

TEST_P(EveryShape, FollowsThePointsThatCarryIt) {
  Pose start{Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()).toRotationMatrix(), Vec3(0.1, -0.2, 0.3)};
  const std::array<Vec3, 3> rest{Vec3(1, 0, 0), Vec3(0, 1, 0.2), Vec3(0.3, 0.1, 1)};
  const CarriedShape carried(shape_, start, {4, 5, 6}, rest);
  const Mat3 turn = Eigen::AngleAxisd(-1.1, Vec3(2, -1, 1).normalized()).toRotationMatrix();
  const Vec3 shift(-0.5, 2, 1);
  std::array<Vec3, 3> moved;
  for (std::size_t k = 0; k < 3; ++k) moved[k] = turn * rest[k] + shift;
  const Pose pose = carried.pose_at(moved);
  EXPECT_LT((pose.turn - turn * start.turn).norm(), 1e-14);
  EXPECT_LT((pose.shift - (turn * start.shift + shift)).norm(), 1e-14);
  EXPECT_LT((pose.to_own(pose.to_world(Vec3(1, 2, 3))) - Vec3(1, 2, 3)).norm(), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Shape, EveryShape, ::testing::Values(0, 1, 2, 3));

// Points whose nearest point is not the only one still get a finite, unit normal.
TEST(Shape, HasANormalEverywhere) {
  for (const Shape& shape : all_shapes()) {
    for (const Vec3& p : {Vec3(0, 0, 0), Vec3(0, 0.1, 0), Vec3(shape.radius, 0, 0)}) {
      const SignedHeight height = height_above(shape, p);
      EXPECT_TRUE(std::isfinite(height.distance));
      EXPECT_NEAR(height.normal.norm(), 1, 1e-14);
    }
  }
}

}  // namespace
}  // namespace pliant::contact
