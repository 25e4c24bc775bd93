// Four doubles behave like four doubles, including signed zeros and NaN.
#include "pliant/math/lanes.h"

#include <gtest/gtest.h>

namespace pliant::math {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Lanes, SelectTakesTheFirstWhereTheMaskIsSet) {
  const Lanes a{1, 2, 3, 4}, b{5, 6, 7, 8};
  const Lanes chosen = select(Lanes{1, -1, 0, kNan} > lanes_of(0), a, b);
  EXPECT_EQ(chosen[0], 1);
  EXPECT_EQ(chosen[1], 6);
  EXPECT_EQ(chosen[2], 7);
  EXPECT_EQ(chosen[3], 8) << "a comparison with NaN is false";
}

TEST(Lanes, AnyAllAndBoth) {
  const Lanes x{-1, 2, 3, 4};
  EXPECT_TRUE(any(x > lanes_of(3)));
  EXPECT_FALSE(any(x > lanes_of(4)));
  EXPECT_TRUE(all(x > lanes_of(-2)));
  EXPECT_FALSE(all(x > lanes_of(0)));
  EXPECT_TRUE(any(both(x > lanes_of(0), x < lanes_of(3))));
  EXPECT_FALSE(any(both(x > lanes_of(3), x < lanes_of(3))));
  EXPECT_TRUE(both(true, true) && !both(true, false));
}

TEST(Lanes, ArithmeticAgreesWithThePlainVersion) {
  const Lanes x{-0.0, 2.25, -9, 1e300}, y{3, -0.0, -16, 1e-300};
  for (int k = 0; k < kLaneCount; ++k) {
    EXPECT_EQ(min(x, y)[k], min(x[k], y[k]));
    EXPECT_EQ(max(x, y)[k], max(x[k], y[k]));
    EXPECT_EQ(sqrt(abs(x))[k], sqrt(abs(x[k])));
    EXPECT_EQ(copy_sign(x, y)[k], copy_sign(x[k], y[k]));
    EXPECT_EQ(std::signbit(abs(x)[k]), false);
  }
  EXPECT_EQ(sum(Lanes{1, 2, 4, 8}), 15);
}

TEST(Lanes, LoadStoreAndTranspose) {
  double numbers[16];
  for (int k = 0; k < 16; ++k) numbers[k] = k;
  Lanes row[4];
  for (int r = 0; r < 4; ++r) row[r] = load(numbers + 4 * r);
  transpose(row[0], row[1], row[2], row[3]);
  for (int r = 0; r < 4; ++r) store(numbers + 4 * r, row[r]);
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) EXPECT_EQ(numbers[4 * r + c], 4 * c + r);
}

}  // namespace
}  // namespace pliant::math
