// Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten, and how they are written.
#pragma once

#include <string>
#include <vector>

namespace pliant::picture {

struct Ticks {
  double step = 1;             // 1, 2 or 5 times a power of ten
  std::vector<double> values;  // multiples of step within the interval, ascending
};

// About `wanted` ticks, at most 2.5 times as many. low < high, both finite.
[[nodiscard]] Ticks nice_ticks(double low, double high, int wanted);

// Powers of ten within [low, high], 0 < low < high, with so many left out that at most `most` remain.
[[nodiscard]] std::vector<double> decade_ticks(double low, double high, int most);

// With the digits that tell neighbouring ticks apart: 0.25, 1500, 2.5e6.
[[nodiscard]] std::string tick_text(double value, double step);

}  // namespace pliant::picture
