#include "pliant/picture/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "pliant/picture/image.h"

namespace pliant::picture {
namespace {

constexpr int kEntries = 256;
constexpr int kWindow = 26;  // entries to each side over which chroma is smoothed, a tenth of the map
constexpr double kDark = 0.34, kBright = 0.91;         // lightness at 0 and 1: apart from black lines and white paper
constexpr double kFirstHue = 305.0, kLastHue = 105.0;  // degrees: violet, yellow
constexpr double kChroma = 0.165;                      // larger: gaudy ends around a dull middle
const Vec3 kNoNumber = Vec3(0.72, 0.72, 0.72);

bool is_displayable(const Vec3& linear) { return linear.minCoeff() >= 0 && linear.maxCoeff() <= 1; }

Vec3 polar_colour(double lightness, double chroma, double hue) {
  return linear_from_oklab({lightness, chroma * std::cos(hue), chroma * std::sin(hue)});
}

double lightness_at(double t) { return kDark + (kBright - kDark) * t; }
double hue_at(double t) { return (kFirstHue + (kLastHue - kFirstHue) * t) * std::numbers::pi / 180; }

// By bisection: grey can always be shown.
double largest_chroma(double t) {
  double inside = 0, outside = kChroma;
  if (is_displayable(polar_colour(lightness_at(t), outside, hue_at(t)))) return kChroma;
  for (int i = 0; i < 40; ++i) {
    const double middle = (inside + outside) / 2;
    (is_displayable(polar_colour(lightness_at(t), middle, hue_at(t))) ? inside : outside) = middle;
  }
  return inside;
}

// The value that `reduce` makes of the entries around each one.
template <class Reduce>
std::vector<double> windowed(const std::vector<double>& values, const Reduce& reduce) {
  std::vector<double> result;
  for (int i = 0; i < kEntries; ++i) {
    const int begin = std::max(0, i - kWindow), end = std::min(kEntries, i + kWindow + 1);
    result.push_back(reduce(values.begin() + begin, values.begin() + end));
  }
  return result;
}

std::array<Vec3, kEntries> make_table() {
  std::vector<double> chroma;
  chroma.reserve(kEntries);
  for (int i = 0; i < kEntries; ++i) chroma.push_back(largest_chroma(i / (kEntries - 1.0)));
  // The means of the smallest nearby are never above what can be shown, and have no kinks where its limits meet.
  chroma = windowed(chroma, [](auto begin, auto end) { return *std::min_element(begin, end); });
  chroma = windowed(chroma, [](auto begin, auto end) { return std::accumulate(begin, end, 0.0) / (end - begin); });
  std::array<Vec3, kEntries> table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double t = static_cast<double>(i) / (kEntries - 1);
    const Vec3 linear = polar_colour(lightness_at(t), chroma[i], hue_at(t));
    table[i] = linear.unaryExpr([](double x) { return srgb_from_linear(x); });
  }
  return table;
}

}  // namespace

Vec3 linear_from_oklab(const Vec3& lab) {
  // Responses of the eye's three cones, each the cube of a mix; then a linear map to the primaries of sRGB.
  const double l = std::pow(lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2], 3);
  const double m = std::pow(lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2], 3);
  const double s = std::pow(lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2], 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

Vec3 map_colour(double t) {
  static const std::array<Vec3, kEntries> table = make_table();
  if (std::isnan(t)) return kNoNumber;
  const double place = std::clamp(t, 0.0, 1.0) * (kEntries - 1);
  const int index = std::min(static_cast<int>(place), kEntries - 2);
  const double share = place - index;
  return (1 - share) * table[static_cast<std::size_t>(index)] + share * table[static_cast<std::size_t>(index) + 1];
}

}  // namespace pliant::picture
