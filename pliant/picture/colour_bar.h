// The legend of a coloured quantity: a bar with ticks, numbers, name and unit, at the picture's right side.
#pragma once

#include <array>
#include <string>

#include "pliant/io/drawn_result.h"
#include "pliant/picture/image.h"

namespace pliant::picture {

// range: the numbers at the bar's lower and upper end, in the quantity's unit.
void draw_colour_bar(Image& image, const io::QuantityDescription& quantity, std::array<double, 2> range);

// "contact force [N]"; the unit "1" is not shown.
[[nodiscard]] std::string quantity_label(const io::QuantityDescription& quantity);

}  // namespace pliant::picture
