#include "pliant/picture/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pliant/picture/image.h"

namespace pliant::picture {
namespace {

// Lightness L* of CIE 1976 from the luminance of sRGB: another measure than the one the map was made with.
double cie_lightness(const Vec3& srgb) {
  const double luminance =
      Vec3(0.2126, 0.7152, 0.0722).dot(srgb.unaryExpr([](double x) { return linear_from_srgb(x); }));
  return luminance > 216.0 / 24389 ? 116 * std::cbrt(luminance) - 16 : luminance * 24389 / 27;
}

TEST(ColourMap, LightnessGrowsEvenly) {
  const int steps = 200;
  const double mean = (cie_lightness(map_colour(1)) - cie_lightness(map_colour(0))) / steps;
  EXPECT_GT(mean * steps, 60);
  for (int i = 0; i < steps; ++i) {
    const double step = cie_lightness(map_colour((i + 1.0) / steps)) - cie_lightness(map_colour(i / (steps + 0.0)));
    EXPECT_GT(step, 0.4 * mean) << "at " << i;
    EXPECT_LT(step, 1.8 * mean) << "at " << i;
  }
}

TEST(ColourMap, IsDisplayableSteadyAndClamped) {
  for (int i = 0; i <= 1000; ++i) {
    const Vec3 colour = map_colour(i / 1000.0);
    EXPECT_GE(colour.minCoeff(), 0);
    EXPECT_LE(colour.maxCoeff(), 1);
    if (i > 0) {
      EXPECT_LT((colour - map_colour((i - 1) / 1000.0)).norm(), 0.03);
    }
  }
  EXPECT_EQ(map_colour(-5), map_colour(0));
  EXPECT_EQ(map_colour(7), map_colour(1));
}

TEST(ColourMap, MissingNumbersAreGrey) {
  const Vec3 grey = map_colour(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(grey[0], grey[1]);
  EXPECT_EQ(grey[1], grey[2]);
  for (int i = 0; i <= 100; ++i) EXPECT_GT((map_colour(i / 100.0) - grey).norm(), 0.1);
}

TEST(ColourMap, OklabKnowsWhiteAndGrey) {
  // White is lightness 1; greys have the cube of their lightness as light.
  EXPECT_LT((linear_from_oklab({1, 0, 0}) - Vec3(1, 1, 1)).norm(), 1e-6);
  EXPECT_LT((linear_from_oklab({0.5, 0, 0}) - Vec3::Constant(0.125)).norm(), 1e-6);
}

}  // namespace
}  // namespace pliant::picture
