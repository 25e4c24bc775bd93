// Backtracking: Armijo's condition at the accepted step and at none before it, halving, infinite merits, noise.
#include "pliant/solver/line_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace pliant::solver {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(LineSearch, TakesTheFullStepOfAParabola) {
  // φ = (1 − α)², the model Newton's method believes in
  const LineSearchResult result = backtrack([](double a) { return (1 - a) * (1 - a); }, 1, -2, 0);
  EXPECT_EQ(result.step, 1);
  EXPECT_EQ(result.trials, 1);
}

TEST(LineSearch, HalvesUntilArmijoHolds) {
  // φ = (1 − kα)²: falls for α < 2/k, Armijo needs k²α² − 2kα ≤ −2γkα
  for (const double k : {3.0, 17.0, 1000.0}) {
    std::vector<double> tried;
    const auto merit = [&](double a) {
      tried.push_back(a);
      return (1 - k * a) * (1 - k * a);
    };
    const LineSearchResult result = backtrack(merit, 1, -2 * k, 0);
    const double bound = 2 * (1 - 1e-4) / k;
    EXPECT_LE(result.step, bound);
    EXPECT_GT(2 * result.step, bound);
    ASSERT_EQ(static_cast<int>(tried.size()), result.trials);
    for (std::size_t i = 0; i < tried.size(); ++i) EXPECT_EQ(tried[i], std::pow(0.5, i));
  }
}

TEST(LineSearch, ASmallDecreaseIsNotEnough) {
  // φ falls by less than γ of what the slope promised, however short the step: a wrong slope
  const LineSearchResult result = backtrack([](double a) { return -0.5e-4 * a; }, 0, -1, 0);
  EXPECT_EQ(result.step, 0);
  EXPECT_EQ(result.trials, 30);
}

TEST(LineSearch, InfiniteAndUndefinedMeritsAreTooLarge) {
  for (const double bad : {kInfinity, kNan, -kInfinity}) {
    const LineSearchResult result = backtrack([&](double a) { return a > 0.2 ? bad : -a; }, 0, -1, 0);
    EXPECT_EQ(result.step, 0.125);
    EXPECT_EQ(result.trials, 4);
  }
}

TEST(LineSearch, NoiseLetsEqualMeritsPass) {
  const auto merit = [](double) { return 1 + 1e-12; };
  EXPECT_EQ(backtrack(merit, 1, -1e-14, 0).step, 0);
  EXPECT_EQ(backtrack(merit, 1, -1e-14, 2e-12).step, 1);
}

TEST(LineSearch, OptionsAreObeyed) {
  const LineSearchOptions options{.sufficient_decrease = 0.4, .shrink = 0.1, .max_trials = 2};
  // φ = −α + α²: Armijo with γ = 0.4 needs α ≤ 0.6
  const LineSearchResult result = backtrack([](double a) { return -a + a * a; }, 0, -1, 0, options);
  EXPECT_EQ(result.step, 0.1);
  EXPECT_EQ(result.trials, 2);
  EXPECT_EQ(backtrack([](double) { return 1.0; }, 0, -1, 0, options).trials, 2);
}

TEST(LineSearch, GoesOnWhereNothingCurves) {
  // φ = −α + (α/7)⁴ falls until α = 7^(4/3)/4^(1/3) = 8.44: of 1, 2, 4, 8, 16 the fourth is the last that helps.
  const auto merit = [](double a) { return -a + std::pow(a / 7, 4); };
  const LineSearchResult full = backtrack(merit, 0, -1, 0);
  ASSERT_EQ(full.step, 1);
  EXPECT_EQ(full.merit, merit(1));
  EXPECT_TRUE(is_nearly_straight(0, -1, full));
  const LineSearchResult far = extend(merit, full, 16);
  EXPECT_EQ(far.step, 8);
  EXPECT_EQ(far.merit, merit(8));
  EXPECT_EQ(far.trials, full.trials + 4);
  EXPECT_EQ(extend(merit, full, 3).step, 3);
  EXPECT_EQ(extend(merit, full, 1).trials, full.trials);
}

TEST(LineSearch, AParabolaIsNotStraight) {
  const auto merit = [](double a) { return (1 - a) * (1 - a); };
  EXPECT_FALSE(is_nearly_straight(1, -2, backtrack(merit, 1, -2, 0)));
}

}  // namespace
}  // namespace pliant::solver
