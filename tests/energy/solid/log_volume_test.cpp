#include "pliant/energy/solid/log_volume.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::solid {
namespace {

TEST(LogVolume, IsTheLogarithmAboveTheSwitch) {
  for (const double j : {0.1, 0.11, 0.5, 1.0, 2.0, 30.0}) {
    const LogVolume<double> l = log_volume(j);
    EXPECT_NEAR(l.value, std::log(j), 1e-15 * (1 + std::abs(std::log(j))));
    EXPECT_NEAR(l.first, 1 / j, 1e-14 / j);
    EXPECT_NEAR(l.second, -1 / (j * j), 1e-14 / (j * j));
  }
}

// Value, slope and curvature do not jump at the switch.
TEST(LogVolume, IsTwiceContinuous) {
  const double h = 1e-12;
  const LogVolume<double> below = log_volume(0.1 - h), above = log_volume(0.1 + h);
  EXPECT_NEAR(below.value, above.value, 1e-10);
  EXPECT_NEAR(below.first, above.first, 1e-8);
  EXPECT_NEAR(below.second, above.second, 1e-6);
}

TEST(LogVolume, ContinuationIsTheTaylorPolynomial) {
  for (const double j : {0.09, 0.01, 0.0, -0.3, -2.0}) {
    const double x = (j - 0.1) / 0.1;
    const LogVolume<double> l = log_volume(j);
    EXPECT_NEAR(l.value, std::log(0.1) + x - x * x / 2, 1e-12 * (1 + x * x));
    EXPECT_NEAR(l.first, 10 * (1 - x), 1e-12 * (1 - x) * 10);
    EXPECT_NEAR(l.second, -100, 1e-10);
  }
}

TEST(LogVolume, AlwaysRises) {
  for (double j = -5; j < 5; j += 0.01) EXPECT_GT(log_volume(j).first, 0);
}

TEST(LogVolume, LanesEqualPlainNumbers) {
  const double j[4] = {-0.4, 0.05, 0.1, 1.7};
  const LogVolume<math::Lanes> lanes = log_volume(math::load(j));
  for (int i = 0; i < 4; ++i) {
    const LogVolume<double> plain = log_volume(j[i]);
    EXPECT_NEAR(lanes.value[i], plain.value, 1e-14 * (1 + std::abs(plain.value)));
    EXPECT_NEAR(lanes.first[i], plain.first, 1e-13 * plain.first);
    EXPECT_NEAR(lanes.second[i], plain.second, 1e-13 * -plain.second);
  }
}

TEST(LogVolume, DualNumbersGiveTheSameDerivatives) {
  for (const double j : {-0.4, 0.05, 0.3, 1.7}) {
    const LogVolume<math::SecondOrderDual> dual = log_volume(math::SecondOrderDual::variable(j, 1));
    const LogVolume<double> plain = log_volume(j);
    EXPECT_NEAR(dual.value.gradient[1], plain.first, 1e-12 * plain.first);
    EXPECT_NEAR(dual.value.hessian[1][1], plain.second, 1e-12 * -plain.second);
    EXPECT_NEAR(dual.first.gradient[1], plain.second, 1e-12 * -plain.second);
  }
}

}  // namespace
}  // namespace pliant::solid
