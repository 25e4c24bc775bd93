// Random numbers of scenes: fixed by the seed, independent between streams, evenly spread.
#include "pliant/scene/random.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <set>

namespace pliant::scene {
namespace {

TEST(Random, IsFixedBySeedAndStream) {
  Random a(7, 2), b(7, 2), other_seed(8, 2), other_stream(7, 3);
  for (int i = 0; i < 10; ++i) {
    const double x = a.next();
    EXPECT_EQ(b.next(), x);
    EXPECT_NE(other_seed.next(), x);
    EXPECT_NE(other_stream.next(), x);
  }
}

TEST(Random, NeighbouringSeedsAndStreamsShareNoNumber) {
  std::set<double> seen;
  for (int seed = 0; seed < 20; ++seed) {
    for (int stream = 0; stream < 20; ++stream) {
      Random random(seed, stream);
      for (int i = 0; i < 5; ++i) seen.insert(random.next());
    }
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(Random, IsUniform) {
  // Mean 1/2 and variance 1/12 within five standard errors, and every tenth of the range is hit fairly.
  Random random(1, 0);
  const int n = 100000;
  double sum = 0, squares = 0;
  int tenths[10] = {};
  for (int i = 0; i < n; ++i) {
    const double x = random.between(0, 1);
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
    ++tenths[static_cast<int>(10 * x)];
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * 0.2887 / std::sqrt(n));
  EXPECT_NEAR(squares / n - sum * sum / n / n, 1.0 / 12, 0.002);
  for (const int count : tenths) EXPECT_NEAR(count, n / 10, 5 * std::sqrt(n * 0.09));
}

TEST(Random, BetweenKeepsItsBounds) {
  Random random(3, 1);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.between(-2, 5);
    EXPECT_GE(x, -2);
    EXPECT_LT(x, 5);
  }
}

TEST(Random, RotationsAreProperAndEvenlySpread) {
  Random random(5, 0);
  const int n = 20000;
  Mat3 mean = Mat3::Zero();
  double mean_trace_squared = 0;
  for (int i = 0; i < n; ++i) {
    const Mat3 r = random.rotation();
    ASSERT_LT((r * r.transpose() - Mat3::Identity()).norm(), 1e-14);
    ASSERT_NEAR(r.determinant(), 1, 1e-14);
    mean += r / n;
    mean_trace_squared += r.trace() * r.trace() / n;
  }
  // Over all rotations the mean matrix is zero and the mean of tr² is one.
  EXPECT_LT(mean.norm(), 0.05);
  EXPECT_NEAR(mean_trace_squared, 1, 0.05);
}

}  // namespace
}  // namespace pliant::scene
