#include "pliant/picture/image.h"

#include <gtest/gtest.h>

namespace pliant::picture {
namespace {

TEST(Image, SideBySideKeepsPixelsAndCentresLowerOnes) {
  std::vector<Image> images = {Image(2, 4, {10, 20, 30}), Image(3, 2, {40, 50, 60})};
  images[1].set(0, 1, {1, 2, 3});
  const Image strip = side_by_side(images, 5);
  EXPECT_EQ(strip.width, 10);
  EXPECT_EQ(strip.height, 4);
  EXPECT_EQ(strip.at(1, 3), (Rgb8{10, 20, 30}));
  EXPECT_EQ(strip.at(2, 0), (Rgb8{255, 255, 255}));
  EXPECT_EQ(strip.at(7, 0), (Rgb8{255, 255, 255}));
  EXPECT_EQ(strip.at(7, 1), (Rgb8{40, 50, 60}));
  EXPECT_EQ(strip.at(7, 2), (Rgb8{1, 2, 3}));
}

TEST(Image, BlendMixesAndIgnoresPlacesOutside) {
  Image image(2, 1, {100, 100, 100});
  image.blend(1, 0, {200, 0, 100}, 0.25);
  EXPECT_EQ(image.at(1, 0), (Rgb8{125, 75, 100}));
  const std::vector<std::uint8_t> before = image.rgb;
  for (const int place : {-1, 2}) image.blend(place, 0, {0, 0, 0}, 1);
  image.blend(0, 1, {0, 0, 0}, 1);
  EXPECT_EQ(image.rgb, before);
}

TEST(Image, SrgbInvertsItself) {
  for (int i = 0; i <= 255; ++i) EXPECT_NEAR(255 * srgb_from_linear(linear_from_srgb(i / 255.0)), i, 1e-4);
  // Middle grey of the standard: 18 % of the light is 46 % of the range.
  EXPECT_NEAR(srgb_from_linear(0.18), 0.4614, 1e-3);
}

}  // namespace
}  // namespace pliant::picture
