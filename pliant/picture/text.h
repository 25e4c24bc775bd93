// Writing in pictures: a font of strokes of our own, smooth at any size.
//
// A letter is a few strokes on a grid whose baseline is 0, whose capitals are 9 high and small letters 6. A pixel is
// covered by max(0, min(1, w/2 + 1/2 − d)), d its distance to the nearest stroke of width w, both in pixels.
// Known: ASCII letters, digits, . , - + = / : [ ] ( ) _ % ^ < >, and ² ³ ° · × µ − of UTF-8; others show as a box.
#pragma once

#include <string_view>
#include <vector>

#include "pliant/picture/image.h"

namespace pliant::picture {

// Pixels; cap_height: of capitals and digits.
[[nodiscard]] double text_width(std::string_view text, double cap_height);

// x, y: left end of the baseline, pixels.
void draw_text(Image& image, Vec2 baseline, std::string_view text, double cap_height, Rgb8 colour);

// The strokes of one line of text in pixels, relative to the baseline's left end, y downwards: polylines.
[[nodiscard]] std::vector<std::vector<Vec2>> text_strokes(std::string_view text, double cap_height);

}  // namespace pliant::picture
