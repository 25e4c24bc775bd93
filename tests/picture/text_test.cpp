#include "pliant/picture/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace pliant::picture {
namespace {

int dark_pixels(const Image& image) {
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) count += image.at(x, y)[0] < 128 ? 1 : 0;
  return count;
}

TEST(Text, EveryGlyphIsInItsBoxAndNoTwoAreEqual) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,-+=/:[]()_%^<>";
  std::vector<std::vector<std::uint8_t>> pictures;
  for (const char letter : letters) {
    for (const auto& stroke : text_strokes(std::string(1, letter), 9)) {
      ASSERT_FALSE(stroke.empty()) << letter;
      for (const Vec2& point : stroke) {
        EXPECT_TRUE(point.allFinite()) << letter;
        EXPECT_GE(point[0], 0) << letter;
        EXPECT_LE(point[0], text_width(std::string(1, letter), 9)) << letter;
        EXPECT_GE(point[1], -10) << letter;  // capitals are 9 high
        EXPECT_LE(point[1], 3) << letter;
      }
    }
    Image image(40, 60);
    draw_text(image, Vec2(8, 40), std::string(1, letter), 24, {0, 0, 0});
    EXPECT_GT(dark_pixels(image), 4) << letter;
    EXPECT_EQ(std::count(pictures.begin(), pictures.end(), image.rgb), 0) << letter;
    pictures.push_back(image.rgb);
  }
}

TEST(Text, CapitalsAreAsHighAsAskedAndStandOnTheBaseline) {
  Image image(60, 60);
  draw_text(image, Vec2(10, 50), "H", 36, {0, 0, 0});
  int top = 60, bottom = -1;
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 60; ++x)
      if (image.at(x, y)[0] < 128) top = std::min(top, y), bottom = std::max(bottom, y);
  const double stroke = 0.125 * 36;
  EXPECT_NEAR(bottom + 1 - top, 36 + stroke, 1.01);
  EXPECT_NEAR(bottom + 1, 50 + stroke / 2, 1.01);
}

TEST(Text, WidthGrowsWithSizeAndLetters) {
  EXPECT_NEAR(text_width("speed [m/s]", 20), 2 * text_width("speed [m/s]", 10), 1e-9);
  EXPECT_GT(text_width("ab", 10), text_width("a", 10) + text_width("b", 10));
  // UTF-8: one letter, not two.
  EXPECT_LT(text_width("m\u00b3", 10), text_width("mm", 10));
  EXPECT_EQ(text_width("", 10), 0);
}

TEST(Text, OutsideTheImageIsHarmless) {
  Image image(5, 5);
  draw_text(image, Vec2(-100, 300), "Pliant", 12, {0, 0, 0});
  EXPECT_EQ(image.rgb, Image(5, 5).rgb);
}

}  // namespace
}  // namespace pliant::picture
