#include "pliant/energy/rod/section.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::rod {
namespace {

using std::numbers::pi;

// Σ tanh(nπw/2h)/n⁵ over odd n, for w ≥ h. From n = 13 on tanh is 1 to the last digit, and Σ 1/n⁵ over all odd n is
// known: 31/32 ζ(5). So the rest after a few terms is exact.
double torsion_series(double w, double h) {
  constexpr double kSumOfOddFifthPowers = 1.0045237627951396;
  double sum = kSumOfOddFifthPowers;
  for (int n = 1; n < 13; n += 2) sum -= (1 - std::tanh(n * pi * w / (2 * h))) / std::pow(n, 5);
  return sum;
}

}  // namespace

Section circle(double radius) { return ellipse(radius, radius); }

Section ellipse(double a, double b) {
  Section section;
  section.area = pi * a * b;
  section.second_moment = pi / 4 * a * b * Vec2(a * a, b * b);
  section.torsion_constant = pi * (a * a * a) * (b * b * b) / (a * a + b * b);
  section.polar_moment = section.second_moment.sum();
  section.bounding_radius = std::max(a, b);
  return section;
}

Section rectangle(double a, double b) {
  const double w = std::max(a, b), h = std::min(a, b);
  Section section;
  section.area = a * b;
  section.second_moment = a * b / 12 * Vec2(a * a, b * b);
  section.torsion_constant = w * h * h * h * (1.0 / 3 - 64 / std::pow(pi, 5) * (h / w) * torsion_series(w, h));
  section.polar_moment = section.second_moment.sum();
  section.bounding_radius = 0.5 * std::hypot(a, b);
  return section;
}

}  // namespace pliant::rod
