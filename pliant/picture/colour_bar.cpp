#include "pliant/picture/colour_bar.h"

#include <algorithm>
#include <cmath>

#include "pliant/picture/colour_map.h"
#include "pliant/picture/text.h"
#include "pliant/picture/ticks.h"

namespace pliant::picture {
namespace {

constexpr Rgb8 kInk = {45, 48, 54};
constexpr Rgb8 kPaper = {255, 255, 255};
constexpr double kPaperShare = 0.75;  // what is behind the legend stays visible, and the text readable

}  // namespace

std::string quantity_label(const io::QuantityDescription& quantity) {
  std::string name = quantity.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return quantity.unit.empty() || quantity.unit == "1" ? name : name + " [" + quantity.unit + "]";
}

void draw_colour_bar(Image& image, const io::QuantityDescription& quantity, std::array<double, 2> range) {
  // All lengths follow the picture's height; 720 is where they were chosen.
  const double scale = image.height / 720.0;
  const double letters = std::max(7.0, 11 * scale);  // cap height
  const int bar_width = std::max(6, static_cast<int>(16 * scale));
  const int bar_height = static_cast<int>(0.5 * image.height);
  const int space = static_cast<int>(std::lround(letters));

  // How wide the legend becomes.
  const Ticks ticks = nice_ticks(range[0], range[1], 5);
  const std::string label = quantity_label(quantity);
  double text_extent = 0;
  for (const double value : ticks.values)
    text_extent = std::max(text_extent, text_width(tick_text(value, ticks.step), letters));
  const double wanted = std::max(text_width(label, letters), bar_width + 1.2 * space + text_extent);
  const int panel_width = static_cast<int>(std::ceil(wanted)) + 2 * space;
  const int panel_height = bar_height + static_cast<int>(5.2 * space);
  const int left = image.width - panel_width - space, top = (image.height - panel_height) / 2;
  image.blend_box(left, top, panel_width, panel_height, kPaper, kPaperShare);
  draw_text(image, Vec2(left + space, top + 2 * space), label, letters, kInk);

  // The bar, from its largest number down.
  const int bar_left = left + space, bar_top = top + static_cast<int>(3.8 * space);
  for (int y = 0; y < bar_height; ++y) {
    const Vec3 colour = map_colour(1 - (y + 0.5) / bar_height);
    image.blend_box(bar_left, bar_top + y, bar_width, 1, to_bytes(colour), 1);
  }

  // Ticks and their numbers.
  for (const double value : ticks.values) {
    const double y = bar_top + bar_height * (1 - (value - range[0]) / (range[1] - range[0]));
    const int row = std::clamp(static_cast<int>(std::lround(y)), bar_top, bar_top + bar_height - 1);
    image.blend_box(bar_left + bar_width, row, std::max(2, space / 2), 1, kInk, 1);
    draw_text(image, Vec2(bar_left + bar_width + 1.2 * space, y + letters / 2), tick_text(value, ticks.step), letters,
              kInk);
  }
}

}  // namespace pliant::picture
