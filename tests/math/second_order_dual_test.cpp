#include "pliant/math/second_order_dual.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::math {
namespace {

using Dual = SecondOrderDual;

// f(x, y, z) = x y / (1 + z) + log(x y + z), by hand.
TEST(SecondOrderDual, DerivativesOfAFormula) {
  const double x = 1.3, y = 0.7, z = 0.4;
  const Dual dx = Dual::variable(x, 0), dy = Dual::variable(y, 1), dz = Dual::variable(z, 2);
  const Dual f = dx * dy / (1.0 + dz) + log(dx * dy + dz);
  const double w = 1 + z, u = x * y + z;
  EXPECT_NEAR(f.value, x * y / w + std::log(u), 1e-15);
  EXPECT_NEAR(f.gradient[0], y / w + y / u, 1e-15);
  EXPECT_NEAR(f.gradient[1], x / w + x / u, 1e-15);
  EXPECT_NEAR(f.gradient[2], -x * y / (w * w) + 1 / u, 1e-15);
  EXPECT_NEAR(f.hessian[0][0], -y * y / (u * u), 1e-15);
  EXPECT_NEAR(f.hessian[1][1], -x * x / (u * u), 1e-15);
  EXPECT_NEAR(f.hessian[2][2], 2 * x * y / (w * w * w) - 1 / (u * u), 1e-15);
  EXPECT_NEAR(f.hessian[0][1], 1 / w + 1 / u - x * y / (u * u), 1e-15);
  EXPECT_NEAR(f.hessian[0][2], -y / (w * w) - y / (u * u), 1e-15);
  EXPECT_NEAR(f.hessian[1][2], -x / (w * w) - x / (u * u), 1e-15);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(f.hessian[i][j], f.hessian[j][i]);
  }
}

// (a/b) b = a with all derivatives; log of a product is the sum of the logs.
TEST(SecondOrderDual, AlgebraHolds) {
  const Dual a = Dual::variable(1.7, 0) * Dual::variable(0.6, 2) + 0.5,
             b = Dual::variable(0.9, 1) * Dual::variable(1.7, 0);
  const Dual quotient = a / b * b - a, logs = log(a * b) - log(a) - log(b);
  for (const Dual& zero : {quotient, logs}) {
    EXPECT_NEAR(zero.value, 0, 1e-15);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(zero.gradient[i], 0, 1e-14);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(zero.hessian[i][j], 0, 1e-13);
    }
  }
}

TEST(SecondOrderDual, ConstantsHaveNoDerivatives) {
  const Dual c = constant<Dual>(2.5);
  EXPECT_EQ(c.value, 2.5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.gradient[i], 0);
    for (int j = 0; j < 3; ++j) EXPECT_EQ(c.hessian[i][j], 0);
  }
}

TEST(SecondOrderDual, ChoiceAndOrderFollowTheValue) {
  const Dual a = Dual::variable(-2, 0), b = Dual::variable(1, 1);
  EXPECT_TRUE(a < b);
  EXPECT_TRUE(b > a);
  EXPECT_TRUE(b >= b);
  EXPECT_EQ(max(a, b).gradient[1], 1);
  EXPECT_EQ(abs(a).value, 2);
  EXPECT_EQ(abs(a).gradient[0], -1);
  EXPECT_EQ(select(true, a, b).value, -2);
  EXPECT_EQ(select(false, a, b).value, 1);
}

TEST(SecondOrderDual, ChainRule) {
  // sin of x² at 0.8
  const Dual x = Dual::variable(0.8, 0), q = x * x;
  const Dual y = q.chain(std::sin(q.value), std::cos(q.value), -std::sin(q.value));
  EXPECT_NEAR(y.gradient[0], 1.6 * std::cos(0.64), 1e-15);
  EXPECT_NEAR(y.hessian[0][0], 2 * std::cos(0.64) - 1.6 * 1.6 * std::sin(0.64), 1e-15);
}

}  // namespace
}  // namespace pliant::math
