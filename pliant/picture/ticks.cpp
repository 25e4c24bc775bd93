#include "pliant/picture/ticks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "pliant/assert.h"

namespace pliant::picture {

Ticks nice_ticks(double low, double high, int wanted) {
  PLIANT_ASSERT(std::isfinite(low) && std::isfinite(high) && low < high && wanted > 0, "an axis has an extent");
  Ticks ticks;
  const double rough = high / wanted - low / wanted;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  // The largest of 1, 2, 5, 10 that is not above the rough step (with room for rounding).
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * decade <= rough * (1 + 1e-9) || factor == 1.0) ticks.step = factor * decade;
  // Room for rounding at both ends, so that an axis from 0 to 0.3 has a tick at 0.3.
  const double first = std::ceil(low / ticks.step - 1e-9), last = std::floor(high / ticks.step + 1e-9);
  const int count = static_cast<int>(last - first) + 1;
  for (int i = 0; i < count; ++i) ticks.values.push_back(first + i == 0 ? 0.0 : (first + i) * ticks.step);
  return ticks;
}

std::vector<double> decade_ticks(double low, double high, int most) {
  PLIANT_ASSERT(low > 0 && low < high && most > 0, "a logarithmic axis is positive and has an extent");
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int stride = std::max(1, (last - first + most) / most);
  std::vector<double> values;
  for (int exponent = first; exponent <= last; ++exponent)
    if (exponent % stride == 0) values.push_back(std::pow(10.0, exponent));
  return values;
}

std::string tick_text(double value, double step) {
  char text[32];
  const double magnitude = std::max(std::abs(value), step);
  const int step_exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (magnitude < 1e5 && step_exponent >= -4) {
    std::snprintf(text, sizeof text, "%.*f", std::max(0, -step_exponent), value);
    return text;
  }
  if (value == 0) return "0";
  // Digits from the value's first down to the step's, then the exponent without padding.
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  std::snprintf(text, sizeof text, "%.*fe%d", std::max(0, exponent - step_exponent), value / std::pow(10.0, exponent),
                exponent);
  return text;
}

}  // namespace pliant::picture
