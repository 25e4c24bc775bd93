// Diagonals part what is apart along them, and never what meets.
#include "pliant/contact/broad_phase/diagonals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "pliant/contact/distance/closest_points.h"

namespace pliant::contact {
namespace {

Diagonals around(const Vec3& a, const Vec3& b, double reach) {
  const auto of = [&](const Vec3& x) {
    Box box = Box::of(x, x);
    box.inflate(reach);
    return Diagonals::of(box);
  };
  Diagonals both = of(a);
  both.include(of(b));
  return both;
}

TEST(Diagonals, PartWhatIsApartAlongThem) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ(), origin = Vec3::Zero();
  // The diagonal of a square and a point near its corner: the boxes overlap.
  for (const auto& [a, b] : {std::pair(x, y), std::pair(y, z), std::pair(z, x)}) {
    for (const double sign : {-1.0, 1.0}) {
      const Diagonals edge = around(origin, a + sign * b, 0.01);
      const Vec3 beside = 0.95 * a + sign * 0.05 * b, on = 0.5 * a + sign * 0.5 * b;
      EXPECT_FALSE(edge.overlap(around(beside, beside, 0.01)));
      EXPECT_FALSE(around(beside, beside, 0.01).overlap(edge));
      EXPECT_TRUE(edge.overlap(around(on, on, 0.01)));
      EXPECT_TRUE(edge.overlap(edge));
    }
  }
}

// Edges whose distance is just within their reaches, of all sizes and places.
TEST(Diagonals, NeverPartWhatComesNear) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&] { return Vec3(number(random), number(random), number(random)); };
  for (const double size : {1e-6, 1e-2, 1.0, 1e6}) {
    for (const double place : {0.0, 1.0, 1e5}) {
      const Vec3 origin = place * vector();
      int apart = 0;
      for (int k = 0; k < 4000; ++k) {
        const Vec3 a = origin + size * vector(), b = a + size * vector();
        const Vec3 c = origin + size * vector(), d = c + size * vector();
        const double distance = closest_edges(a, b, c, d).distance();
        EXPECT_TRUE(around(a, b, 0.5 * distance).overlap(around(c, d, 0.5 * distance))) << size << " " << place;
        apart += around(a, b, 0.1 * distance).overlap(around(c, d, 0.1 * distance)) ? 0 : 1;
      }
      EXPECT_TRUE(apart > 1000 || place > 1e5 * size) << apart << " " << size << " " << place;
    }
  }
}

// Boxes with a common point, of all sizes: rounding of sums parts none of them.
TEST(Diagonals, RoundingPartsNothingThatTouches) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(0, 1), centred(-1, 1);
  const auto vector = [&] { return Vec3(number(random), number(random), number(random)); };
  for (int k = 0; k < 100000; ++k) {
    const double size = std::pow(10.0, 8 * centred(random));
    const Vec3 common(centred(random), centred(random), centred(random));
    // A corner of the one and a corner of the other, opposite to each other.
    const Vec3 sign(centred(random) > 0 ? 1 : -1, centred(random) > 0 ? 1 : -1, centred(random) > 0 ? 1 : -1);
    const Vec3 there = common + size * sign.cwiseProduct(vector()), back = common - size * sign.cwiseProduct(vector());
    const auto box = [&](const Vec3& x) { return Diagonals::of(Box::of(x.cwiseMin(common), x.cwiseMax(common))); };
    EXPECT_TRUE(box(there).overlap(box(back)));
    EXPECT_TRUE(box(back).overlap(box(there)));
  }
}

TEST(Diagonals, WhatIsNotFiniteReachesEverywhere) {
  const Diagonals far = around(Vec3(9, 9, -9), Vec3(9, 9, -9), 0.1);
  EXPECT_FALSE(far.overlap(around(Vec3::Zero(), Vec3::Zero(), 0.1)));
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, infinity, -infinity, 1e40, -1e300}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 x = Vec3::Zero();
      x[axis] = wrong;
      EXPECT_TRUE(far.overlap(around(x, Vec3::Zero(), 0.1))) << wrong;
      EXPECT_TRUE(around(Vec3::Zero(), x, 0.1).overlap(far)) << wrong;
    }
  }
  EXPECT_FALSE(far.overlap(Diagonals::of(Box{})));
}

}  // namespace
}  // namespace pliant::contact
