// Boxes of floats: rounding is outwards by less than two spacings, and the three kinds of box overlap as documented.
#include "pliant/contact/broad_phase/box.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace pliant::contact {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Box, RoundingIsOutwardsAndTight) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1), exponent(-50, 37);
  for (int k = 0; k < 100000; ++k) {
    const double x = mantissa(random) * std::pow(10.0, exponent(random));
    const float down = round_down(x), up = round_up(x);
    EXPECT_LE(static_cast<double>(down), x);
    EXPECT_GE(static_cast<double>(up), x);
    EXPECT_TRUE(up == down || std::nextafter(down, up) == up) << x;
  }
  EXPECT_EQ(round_down(0.0), 0.0f);
  EXPECT_EQ(round_down(0.25), 0.25f);
  EXPECT_LT(round_down(-1e-60), 0.0f);
  EXPECT_GT(round_up(1e-60), 0.0f);
  EXPECT_EQ(round_up(1e300), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(round_down(kNan)));
}

TEST(Box, ContainsItsPointsFarFromTheOrigin) {
  // A millimetre at 10 km, where floats are a millimetre apart.
  const Vec3 a(1e4 + 1e-3 / 3, -1e4 + 2e-3 / 3, 1e4), b = a + Vec3(1e-3, 1e-3, 1e-3);
  Box box;
  box.include(a);
  box.include(b);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(static_cast<double>(box.low[k]), a[k]);
    EXPECT_GE(static_cast<double>(box.high[k]), b[k]);
  }
  Box inflated = box;
  inflated.inflate(1e-5);  // far below the spacing
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(static_cast<double>(inflated.low[k]), a[k] - 1e-5);
    EXPECT_GE(static_cast<double>(inflated.high[k]), b[k] + 1e-5);
  }
}

TEST(Box, TouchingCountsAsOverlapping) {
  const Box a = Box::of(Vec3(0, 0, 0), Vec3(1, 1, 1)), b = Box::of(Vec3(1, 0.5, 0.5), Vec3(2, 1, 1));
  EXPECT_TRUE(a.overlaps(b));
  EXPECT_TRUE(b.overlaps(a));
  EXPECT_FALSE(a.overlaps(Box::of(Vec3(0, 0, 1.001), Vec3(1, 1, 2))));
  const Box point = Box::of(Vec3(1, 1, 1), Vec3(1, 1, 1));
  EXPECT_TRUE(point.overlaps(a));
  EXPECT_TRUE(point.overlaps(point));
}

TEST(Box, AnEmptyBoxOverlapsNothing) {
  Box nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_FALSE(nothing.overlaps(nothing));
  nothing.inflate(0.003);
  EXPECT_TRUE(nothing.empty());
  Box everything;
  everything.include(Vec3(0, kNan, 0));
  EXPECT_FALSE(nothing.overlaps(everything));
  EXPECT_FALSE(everything.overlaps(nothing));
}

TEST(Box, ANonFinitePointMakesItUnboundedForGood) {
  const Box far_away = Box::of(Vec3(1e6, 1e6, 1e6), Vec3(2e6, 2e6, 2e6));
  for (const double bad : {kNan, kInf, -kInf, 1e300, -1e300}) {
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 point(1, 2, 3);
      point[axis] = bad;
      Box box;
      box.include(Vec3(0, 0, 0));
      box.include(point);
      box.include(Vec3(1, 1, 1));
      box.inflate(0.1);
      EXPECT_FALSE(box.bounded());
      EXPECT_FALSE(box.empty());
      EXPECT_TRUE(box.overlaps(far_away));
      EXPECT_TRUE(far_away.overlaps(box));
    }
  }
}

}  // namespace
}  // namespace pliant::contact
