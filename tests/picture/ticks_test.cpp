#include "pliant/picture/ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::picture {
namespace {

TEST(Ticks, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
  for (double span = 1e-7; span < 1e8; span *= 1.37) {
    const Ticks ticks = nice_ticks(-0.3 * span, 0.7 * span, 5);
    const double mantissa = ticks.step / std::pow(10.0, std::floor(std::log10(ticks.step) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 || std::abs(mantissa - 5) < 1e-9);
    EXPECT_GE(ticks.values.size(), 4U);
    EXPECT_LE(ticks.values.size(), 13U);
    for (const double value : ticks.values) {
      EXPECT_GE(value, -0.3 * span * (1 + 1e-6));
      EXPECT_LE(value, 0.7 * span * (1 + 1e-6));
      EXPECT_NEAR(value / ticks.step, std::round(value / ticks.step), 1e-6);
    }
  }
}

TEST(Ticks, EndsCountInSpiteOfRounding) {
  const Ticks ticks = nice_ticks(0, 0.3, 3);
  ASSERT_EQ(ticks.values.size(), 4U);
  EXPECT_NEAR(ticks.values.back(), 0.3, 1e-12);
}

TEST(Ticks, TextsTellNeighboursApart) {
  EXPECT_EQ(tick_text(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_text(-2, 1), "-2");
  EXPECT_EQ(tick_text(0, 0.5), "0.0");
  EXPECT_EQ(tick_text(1500, 500), "1500");
  EXPECT_EQ(tick_text(2.5e6, 5e5), "2.5e6");
  EXPECT_EQ(tick_text(-3e-7, 1e-7), "-3e-7");
  EXPECT_EQ(tick_text(0, 1e-7), "0");
}

TEST(Ticks, DecadesAreThinnedToWhatFits) {
  EXPECT_EQ(decade_ticks(0.01, 100, 10), (std::vector<double>{0.01, 0.1, 1, 10, 100}));
  const std::vector<double> few = decade_ticks(1e-12, 1e12, 6);
  EXPECT_LE(few.size(), 6U);
  EXPECT_GE(few.size(), 4U);
}

}  // namespace
}  // namespace pliant::picture
