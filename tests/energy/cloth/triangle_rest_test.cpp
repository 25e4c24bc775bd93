#include <Eigen/LU>

#include "pliant/energy/cloth/triangle_rest.h"

#include "tests/energy/cloth/sheet_model.h"

namespace pliant::cloth {
namespace {

using checks::Random;

std::array<Vec2, 3> random_corners(Random& random) {
  std::array<Vec2, 3> x;
  do {
    for (Vec2& p : x) p = Vec2(random.between(-1, 1), random.between(-1, 1));
  } while (std::abs((x[1] - x[0]).x() * (x[2] - x[0]).y() - (x[1] - x[0]).y() * (x[2] - x[0]).x()) < 0.1);
  return x;
}

void expect_same_rest(const TriangleRest& expected, const TriangleRest& actual, double tolerance) {
  EXPECT_NEAR(actual.area, expected.area, tolerance);
  const double sign = actual.weft(0) * expected.weft(0) + actual.weft(1) * expected.weft(1) > 0 ? 1 : -1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(actual.squared_length[i], expected.squared_length[i], tolerance);
    EXPECT_NEAR(sign * actual.weft(i), expected.weft(i), tolerance);
  }
}

TEST(TriangleRest, DotsAndWeftAreThoseOfTheEdges) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const std::array<Vec2, 3> x = random_corners(random);
    const Vec2 e[3] = {x[2] - x[1], x[0] - x[2], x[1] - x[0]};
    const Vec2 warp(random.between(-1, 1), random.between(-1, 1)), a = warp.normalized();
    const TriangleRest rest = triangle_rest(x, warp).value();
    EXPECT_NEAR(rest.area, 0.5 * std::abs(e[0].x() * e[1].y() - e[0].y() * e[1].x()), 1e-15);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(rest.weft(i), -a.y() * e[i].x() + a.x() * e[i].y(), 1e-13);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(rest.dot(i, j), e[i].dot(e[j]), 1e-14);
    }
  }
}

// A triangle anywhere in space, with a warp direction that points out of its plane.
TEST(TriangleRest, InSpaceIsThatInThePlane) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const std::array<Vec2, 3> x = random_corners(random);
    const Mat3 turn = random.rotation();
    const Vec2 warp(random.between(-1, 1), random.between(-1, 1));
    std::array<Vec3, 3> y;
    for (int v = 0; v < 3; ++v) y[v] = turn * Vec3(x[v].x(), x[v].y(), 0.7);
    const Vec3 tilted = turn * Vec3(warp.x(), warp.y(), random.between(-2, 2));
    expect_same_rest(triangle_rest(x, warp).value(), triangle_rest(y, tilted).value(), 1e-13);
  }
}

TEST(TriangleRest, NeedsAnAreaAndADirection) {
  EXPECT_FALSE(triangle_rest(std::array{Vec2(0, 0), Vec2(1, 1), Vec2(2, 2)}, Vec2(1, 0)));
  EXPECT_FALSE(triangle_rest(std::array{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}, Vec2(0, 0)));
  EXPECT_FALSE(triangle_rest(std::array{Vec3(0, 0, 1), Vec3(1, 1, 1), Vec3(2, 2, 1)}, Vec3(1, 0, 0)));
  EXPECT_FALSE(triangle_rest(std::array{Vec3(0, 0, 1), Vec3(1, 0, 1), Vec3(0, 1, 1)}, Vec3(0, 0, 3)));
}

TEST(TriangleRest, ReorderedIsTheTriangleWithItsCornersReordered) {
  Random random(3);
  const std::array<Vec2, 3> x = random_corners(random);
  const Vec2 warp(0.3, -0.8);
  std::array<int, 3> order{0, 1, 2};
  do {
    const std::array<Vec2, 3> y{x[order[0]], x[order[1]], x[order[2]]};
    expect_same_rest(triangle_rest(y, warp).value(), reordered(triangle_rest(x, warp).value(), order), 1e-13);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(TriangleRest, BlendEndsAtEitherShape) {
  Random random(4);
  const std::array<Vec2, 3> x = random_corners(random);
  const Vec2 warp(0.3, -0.8);
  const TriangleRest rest = triangle_rest(x, warp).value();

  // The kinematic surface: the same triangle under a linear map, which also carries a⊥ along.
  Mat2 map;
  map << 1.3, 0.2, -0.1, 0.8;
  std::array<double, 3> lengths;
  for (int i = 0; i < 3; ++i) lengths[i] = (map * (x[(i + 2) % 3] - x[(i + 1) % 3])).norm();
  expect_same_rest(rest, blend(rest, lengths, 0).value(), 1e-14);
  const TriangleRest full = blend(rest, lengths, 1).value();
  EXPECT_NEAR(full.area, rest.area * map.determinant(), 1e-14);
  const Vec2 across = map * Vec2(-warp.y(), warp.x()).normalized();
  const double sign = full.weft(0) * (map * (x[2] - x[1])).dot(across) > 0 ? 1 : -1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(full.squared_length[i], lengths[i] * lengths[i], 1e-14);
    EXPECT_NEAR(full.weft(i), sign * (map * (x[(i + 2) % 3] - x[(i + 1) % 3])).dot(across), 1e-13);
  }
  const TriangleRest half = blend(rest, lengths, 0.5).value();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::sqrt(half.squared_length[i]), 0.5 * (std::sqrt(rest.squared_length[i]) + lengths[i]), 1e-14);
  }
}

TEST(TriangleRest, BlendReportsLengthsThatAreNoTriangle) {
  const TriangleRest rest = triangle_rest(std::array{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}, Vec2(1, 0)).value();
  EXPECT_TRUE(blend(rest, std::array{1.9, 1.0, 1.0}, 1));
  EXPECT_FALSE(blend(rest, std::array{2.1, 1.0, 1.0}, 1));
  EXPECT_FALSE(blend(rest, std::array{2.0, 1.0, 1.0}, 1));
  EXPECT_TRUE(blend(rest, std::array{2.1, 1.0, 1.0}, 0.5));
  EXPECT_FALSE(blend(rest, std::array{1.0, -1.0, 1.0}, 1));
}

// A needle: Heron's formula as it is written in textbooks loses all digits here.
TEST(TriangleRest, AreaOfANeedleIsExact) {
  const double height = 1e-7;
  const TriangleRest flat = triangle_rest(std::array{Vec2(0, 0), Vec2(1, 0), Vec2(0.5, 0.5)}, Vec2(1, 0)).value();
  const double side = std::hypot(0.5, height);
  EXPECT_NEAR(with_lengths(flat, std::array{side, side, 1.0}).area, 0.5 * height, 1e-2 * height);
  // Sides known exactly: 1, 1, 2^-40.
  const double base = std::ldexp(1.0, -40);
  EXPECT_NEAR(with_lengths(flat, std::array{1.0, 1.0, base}).area, 0.5 * base, 1e-15 * base);
}

}  // namespace
}  // namespace pliant::cloth
