#include "pliant/picture/sampling.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace pliant::picture {
namespace {

// Of the first 4^k points one lies in each cell of the 2^k × 2^k grid, whatever the pixel.
TEST(Sampling, PointsFillEveryCellOnce) {
  for (const int side : {2, 4, 8}) {
    for (int pixel = 0; pixel < 50; ++pixel) {
      const PixelPoints points(pixel, 7 * pixel, static_cast<std::uint32_t>(pixel % 3));
      std::set<int> cells;
      for (int i = 0; i < side * side; ++i) {
        const Eigen::Vector2f p = points.at(static_cast<std::uint32_t>(i));
        ASSERT_TRUE(p[0] >= 0 && p[0] < 1 && p[1] >= 0 && p[1] < 1);
        cells.insert(static_cast<int>(p[0] * static_cast<float>(side)) * side +
                     static_cast<int>(p[1] * static_cast<float>(side)));
      }
      EXPECT_EQ(cells.size(), static_cast<std::size_t>(side * side));
    }
  }
}

TEST(Sampling, MeanOverPixelsIsTheMiddle) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  const int side = 200;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) sum += PixelPoints(x, y, 1).at(0).cast<double>();
  // Standard deviation of the mean: √(1/12) / 200 = 0.0014.
  EXPECT_NEAR(sum[0] / (side * side), 0.5, 0.006);
  EXPECT_NEAR(sum[1] / (side * side), 0.5, 0.006);
}

TEST(Sampling, MixingKeepsNumbersApart) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < 100000; ++i) seen.insert(mixed(i));
  EXPECT_EQ(seen.size(), 100000U);
}

}  // namespace
}  // namespace pliant::picture
