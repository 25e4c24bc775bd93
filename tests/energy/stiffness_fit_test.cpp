#include "pliant/energy/stiffness_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

TEST(StiffnessFit, AStraightLineKeepsItsSlope) {
  EXPECT_NEAR(fit_stiffness([](double s) { return 7 * (s - 1); }), 7, 1e-14);
  EXPECT_NEAR(fit_stiffness([](double s) { return 7 * (s - 1) + 3; }), 7, 1e-14);  // the interval is symmetric
}

// 12 ∫ (s − 1)ⁿ⁺¹ ds = 24 · 0.5ⁿ⁺²/(n + 2) for odd n; ten points are exact up to degree 19.
TEST(StiffnessFit, PolynomialsAreExact) {
  for (int n = 1; n <= 18; ++n) {
    const double expected = n % 2 == 1 ? 24 * std::pow(0.5, n + 2) / (n + 2) : 0;
    EXPECT_NEAR(fit_stiffness([&](double s) { return std::pow(s - 1, n); }), expected, 1e-15) << n;
    // Not about the middle of a panel.
    const auto moment = [&](double s) { return std::pow(s, n + 2) / (n + 2) - std::pow(s, n + 1) / (n + 1); };
    EXPECT_NEAR(fit_stiffness([&](double s) { return std::pow(s, n); }), 12 * (moment(1.5) - moment(0.5)),
                1e-14 * std::pow(1.5, n))
        << n;
  }
}

TEST(StiffnessFit, LogarithmsAndPolesAreExactTo13Digits) {
  EXPECT_NEAR(fit_stiffness([](double s) { return s - 1 / s; }), 12 * (13.0 / 12 - 2 + std::log(3)), 1e-13);
  // ∫ (s − 1) ln s/s = s ln s − s − ½ ln² s
  const auto antiderivative = [](double s) { return s * std::log(s) - s - 0.5 * std::pow(std::log(s), 2); };
  EXPECT_NEAR(fit_stiffness([](double s) { return std::log(s) / s; }), 12 * (antiderivative(1.5) - antiderivative(0.5)),
              1e-13);
}

TEST(StiffnessFit, PanelsEndAtKinks) {
  const auto force = [](double s) { return s < 0.83 ? 5 * (s - 0.83) : s > 1.21 ? 2 * (s - 1.21) : 0; };
  // ∫ (s − 1)(s − c) ds
  const auto moment = [](double s, double c) { return s * s * s / 3 - (1 + c) * s * s / 2 + c * s; };
  const double expected =
      12 * (5 * (moment(0.83, 0.83) - moment(0.5, 0.83)) + 2 * (moment(1.5, 1.21) - moment(1.21, 1.21)));
  const double kinks[] = {1.21, 3, 0.83, 0.1, 0.5};
  EXPECT_NEAR(fit_stiffness(force, kinks), expected, 1e-14);  // the rounding of `expected`
  EXPECT_GT(std::abs(fit_stiffness(force) - expected), 1e-6);
}

TEST(StiffnessFit, IsTheBestLineAndTheSameInEveryLane) {
  const auto force = [](double s) { return std::exp(s) - 2.5; };
  const double k = fit_stiffness(force);
  const auto error = [&](double slope) {
    double sum = 0;
    for (int i = 0; i < 1000; ++i) {
      const double s = 0.5 + (i + 0.5) / 1000;
      sum += std::pow(slope * (s - 1) - force(s), 2);
    }
    return sum;
  };
  EXPECT_LT(error(k), error(k + 1e-3));
  EXPECT_LT(error(k), error(k - 1e-3));
  const math::Lanes factor{1, 2, -3, 0}, lanes = fit_stiffness([&](double s) { return factor * force(s); });
  EXPECT_NEAR(lanes[0], k, 1e-14);
  EXPECT_NEAR(lanes[1], 2 * k, 1e-14);
  EXPECT_EQ(lanes[2], 0);  // a force that pushes the wrong way
  EXPECT_EQ(lanes[3], 0);
}

}  // namespace
}  // namespace pliant
