#include "pliant/picture/colour_bar.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/picture/colour_map.h"

namespace pliant::picture {
namespace {

TEST(ColourBar, LabelHasWordsAndUnit) {
  EXPECT_EQ(quantity_label({"contact_force", "N"}), "contact force [N]");
  EXPECT_EQ(quantity_label({"stretch", "1"}), "stretch");
}

TEST(ColourBar, RunsThroughTheWholeMapFromBottomToTop) {
  Image image(400, 300);
  draw_colour_bar(image, {"speed", "m/s"}, {0, 3});
  // The column of the bar: the one with most pixels that are not grey.
  int best_column = 0, most = 0;
  const auto is_coloured = [](const Rgb8& c) {
    return std::max({c[0], c[1], c[2]}) - std::min({c[0], c[1], c[2]}) > 20;
  };
  for (int x = 0; x < image.width; ++x) {
    int count = 0;
    for (int y = 0; y < image.height; ++y) count += is_coloured(image.at(x, y)) ? 1 : 0;
    if (count > most) most = count, best_column = x;
  }
  EXPECT_EQ(most, 150);  // half of the picture's height
  std::vector<Rgb8> colours;
  for (int y = 0; y < image.height; ++y)
    if (is_coloured(image.at(best_column, y))) colours.push_back(image.at(best_column, y));
  for (int i = 0; i < 150; ++i)
    EXPECT_EQ(colours[static_cast<std::size_t>(i)], to_bytes(map_colour(1 - (i + 0.5) / 150))) << i;
}

TEST(ColourBar, FitsSmallPictures) {
  Image image(20, 12);
  draw_colour_bar(image, {"a_long_name_of_a_quantity", "Pa"}, {-1e9, 1e9});
  EXPECT_EQ(image.rgb.size(), 720U);
}

}  // namespace
}  // namespace pliant::picture
