// The wide logarithm against extended precision, in units in the last place; and exact powers of two.
#include "pliant/math/elementary.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant::math {
namespace {

// |computed − exact| in units in the last place of the exact value.
double error_in_ulp(double computed, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double ulp = std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(computed) - exact)) / ulp;
}

double worst_of_log(Lanes x) {
  const Lanes y = log(x);
  double worst = 0;
  for (int k = 0; k < kLaneCount; ++k)
    worst = std::max(worst, error_in_ulp(y[k], std::log(static_cast<long double>(x[k]))));
  return worst;
}

TEST(Log, WithinTwoUnitsOverTheWholeRange) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-1022, 1024), mantissa(1, 2);
  double worst = 0;
  for (int n = 0; n < 100'000; ++n) {
    Lanes x;
    for (int k = 0; k < kLaneCount; ++k)
      x[k] = std::ldexp(mantissa(random), static_cast<int>(std::floor(exponent(random))));
    worst = std::max(worst, worst_of_log(x));
  }
  EXPECT_LT(worst, 2);
}

// Volume ratios of elements are near one: f is exact there and the result must be as well.
TEST(Log, WithinTwoUnitsNearOne) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> part(-1, 1);
  double worst = 0;
  for (int n = 0; n < 100'000; ++n) {
    Lanes x;
    for (int k = 0; k < kLaneCount; ++k) x[k] = 1 + part(random) * std::pow(10.0, -(n % 16));
    worst = std::max(worst, worst_of_log(x));
  }
  EXPECT_LT(worst, 2);
  EXPECT_EQ(log(lanes_of(1))[2], 0);
}

TEST(Log, EndsOfTheRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Lanes y = log(Lanes{0.0, -0.0, infinity, -1.0});
  EXPECT_EQ(y[0], -infinity);
  EXPECT_EQ(y[1], -infinity);
  EXPECT_EQ(y[2], infinity);
  EXPECT_TRUE(std::isnan(y[3]));
  const Lanes z =
      log(Lanes{-infinity, std::nan(""), std::numeric_limits<double>::max(), std::numeric_limits<double>::min()});
  EXPECT_TRUE(std::isnan(z[0]) && std::isnan(z[1]));
  EXPECT_LT(error_in_ulp(z[2], std::log(static_cast<long double>(std::numeric_limits<double>::max()))), 2);
  EXPECT_LT(worst_of_log(Lanes{5e-324, 1e-310, 2.2e-308, 0.70710678}), 2) << "subnormal numbers";
}

TEST(InversePowerOfTwo, BringsNumbersToUnitSize) {
  for (double x : {1.0, 1.999, -3.0, 1e-307, 1e300, 0.1, -2e-150}) {
    const double scale = inverse_power_of_two(x);
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << "a power of two";
    EXPECT_GE(std::fabs(x) * scale, 1);
    EXPECT_LT(std::fabs(x) * scale, 2);
    EXPECT_EQ(inverse_power_of_two(lanes_of(x))[3], scale);
  }
  EXPECT_EQ(inverse_power_of_two(0.0), 0x1p1023);
  EXPECT_EQ(inverse_power_of_two(std::numeric_limits<double>::max()), 0x1p-1022 * 1.0) << "stays a normal number";
}

}  // namespace
}  // namespace pliant::math
