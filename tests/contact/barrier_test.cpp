// The barrier's derivatives, its order of contact at x = 1, and its growth at 0.
#include "pliant/contact/barrier.h"

#include <gtest/gtest.h>

namespace pliant::contact {
namespace {

TEST(Barrier, DerivativesMatchDifferences) {
  for (const double x : {1e-3, 0.05, 0.3, 0.7, 0.99}) {
    const double h = 1e-5 * x;
    const BarrierValue b = barrier(x), right = barrier(x + h), left = barrier(x - h);
    EXPECT_NEAR((right.value - left.value) / (2 * h), b.slope, 1e-8 * std::abs(b.slope) + 1e-10);
    EXPECT_NEAR((right.slope - left.slope) / (2 * h), b.curvature, 1e-8 * b.curvature + 1e-8);
    EXPECT_EQ(barrier_value(x), b.value);
  }
}

TEST(Barrier, BeginsWithoutAJump) {
  const BarrierValue b = barrier(1 - 1e-6);
  EXPECT_LT(std::abs(b.value), 1e-17);
  EXPECT_LT(std::abs(b.slope), 1e-11);
  EXPECT_LT(b.curvature, 1e-5);
  EXPECT_EQ(barrier(1).value, 0);
  EXPECT_EQ(barrier(2).slope, 0);
}

TEST(Barrier, PushesAndIsConvexEverywhere) {
  for (double x = 1e-9; x < 1; x *= 1.3) {
    EXPECT_LT(barrier(x).slope, 0) << x;
    EXPECT_GT(barrier(x).curvature, 0) << x;
  }
  EXPECT_GT(-barrier(1e-9).slope, 1e8);
}

}  // namespace
}  // namespace pliant::contact
