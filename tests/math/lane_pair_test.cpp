// Two Lanes side by side give each half what it has alone.
#include "pliant/math/lane_pair.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/math/polar.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::math {
namespace {

void expect_same_lanes(Lanes a, Lanes b) {
  for (int k = 0; k < kLaneCount; ++k) EXPECT_EQ(a[k], b[k]) << "lane " << k;
}
void expect_halves(const LanePair& pair, Lanes low, Lanes high) {
  expect_same_lanes(pair.low, low);
  expect_same_lanes(pair.high, high);
}

const Lanes kA{1, -2, 3.5, 0.25}, kB{4, 0.5, -1, 8}, kC{-3, 7, 0.125, 2}, kD{2, 9, -6, 0.75};
const LanePair kX{kA, kB}, kY{kC, kD};

TEST(LanePair, ArithmeticIsThatOfTheHalves) {
  expect_halves(kX + kY, kA + kC, kB + kD);
  expect_halves(kX - kY, kA - kC, kB - kD);
  expect_halves(kX * kY, kA * kC, kB * kD);
  expect_halves(kX / kY, kA / kC, kB / kD);
  expect_halves(-kX, -kA, -kB);
  expect_halves(2.0 * kX - 1.0, 2.0 * kA - 1.0, 2.0 * kB - 1.0);
  expect_halves(1.0 - kX / 3.0, 1.0 - kA / 3.0, 1.0 - kB / 3.0);
  expect_halves(1.0 / kX + 0.5, 1.0 / kA + 0.5, 1.0 / kB + 0.5);
  LanePair z = kX;
  z += kY;
  z *= kX;
  z -= kY;
  z *= 2.0;
  z -= 1.0;
  expect_halves(z, ((kA + kC) * kA - kC) * 2.0 - 1.0, ((kB + kD) * kB - kD) * 2.0 - 1.0);
}

TEST(LanePair, ChoiceAndFunctionsAreThoseOfTheHalves) {
  expect_halves(select(kX < kY, kX, kY), min(kA, kC), min(kB, kD));
  expect_halves(max(kX, kY), max(kA, kC), max(kB, kD));
  expect_halves(min(kX, kY), min(kA, kC), min(kB, kD));
  expect_halves(sqrt(abs(kX)), sqrt(abs(kA)), sqrt(abs(kB)));
  expect_halves(log(abs(kX)), log(abs(kA)), log(abs(kB)));
  expect_halves(copy_sign(kX, kY), copy_sign(kA, kC), copy_sign(kB, kD));
  expect_halves(inverse_power_of_two(kX), inverse_power_of_two(kA), inverse_power_of_two(kB));
  expect_halves(constant<LanePair>(3), lanes_of(3), lanes_of(3));
}

TEST(LanePair, AnyAndAllSeeBothHalves) {
  const LanePair zero = constant<LanePair>(0);
  const LanePair high{lanes_of(-1), Lanes{-1, -1, 1, -1}}, low{Lanes{-1, 1, -1, -1}, lanes_of(-1)};
  EXPECT_TRUE(any(high > zero));
  EXPECT_TRUE(any(low > 0.0));
  EXPECT_FALSE(all(zero > high));
  EXPECT_FALSE(all(zero >= low));
  EXPECT_FALSE(any(both(high > zero, low > zero)));
  EXPECT_TRUE(all(both(zero <= zero, zero >= zero)));
}

double random_entry(int matrix, int row, int column) {
  std::mt19937 engine(static_cast<unsigned>(100 * matrix + 3 * row + column));
  return engine() / 2147483648.0 - 1;
}

// Kernels with rare branches: whether one half takes them must not change the other.
TEST(LanePair, KernelsGiveEachHalfWhatItHasAlone) {
  Lanes regular[3][3], odd[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      for (int lane = 0; lane < kLaneCount; ++lane) {
        regular[r][c][lane] = random_entry(lane, r, c) + (r == c ? 2 : 0);
        odd[r][c][lane] = lane == 1 ? 0.0 : lane == 2 ? random_entry(9, r, 0) : random_entry(4 + lane, r, c);
      }
    }
  }
  LanePair f[3][3], rotation[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) f[r][c] = {regular[r][c], odd[r][c]};
  }
  SvdLanes<LanePair> svd;
  signed_svd(f, svd);
  polar_rotation(f, rotation);
  SvdLanes<Lanes> svd_low, svd_high;
  Lanes low[3][3], high[3][3];
  signed_svd(regular, svd_low);
  signed_svd(odd, svd_high);
  polar_rotation(regular, low);
  polar_rotation(odd, high);
  for (int r = 0; r < 3; ++r) {
    for (int lane = 0; lane < kLaneCount; ++lane) {
      EXPECT_NEAR(svd.s[r].low[lane], svd_low.s[r][lane], 1e-14);
      EXPECT_NEAR(svd.s[r].high[lane], svd_high.s[r][lane], 1e-14);
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(rotation[r][c].low[lane], low[r][c][lane], 1e-13);
        // Of rank one it is not unique.
        if (lane == 2) continue;
        EXPECT_NEAR(rotation[r][c].high[lane], high[r][c][lane], 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace pliant::math
