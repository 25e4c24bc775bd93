// One number for a law of force f(s), s a stretch: the slope of the line through s = 1 that fits f best.
//
//   k = argmin ∫ (k (s − 1) − f(s))² ds = ∫ (s − 1) f ds / ∫ (s − 1)² ds     over 0.5 ≤ s ≤ 1.5     [Liu2018, eq. 7.14]
//
// An interval and not the slope at rest: laws that are flat there (μ (s − 1)⁴) still get a stiffness.
// Integrals by Gauss-Legendre with ten points a panel. Panels end at s = 1 and where f is not smooth; laws with ln s
// and 1/s, singular at s = 0, come out to 13 digits.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "pliant/math/lanes.h"

namespace pliant {

inline constexpr double kFitFrom = 0.5,
                        kFitTo = 1.5;  // of all simulations in [Liu2018]; convergence hardly depends on it

// f: from a stretch to a force, a double or Lanes. kinks: stretches where f is not smooth, in any order. Not negative:
// a law that pushes the wrong way gets zero.
template <class Force>
auto fit_stiffness(const Force& f, std::span<const double> kinks = {}) {
  constexpr double kNode[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                               0.9739065285171717};
  constexpr double kWeight[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806,
                                 0.0666713443086881};
  std::vector<double> ends{kFitFrom, 1, kFitTo};
  std::copy_if(kinks.begin(), kinks.end(), std::back_inserter(ends),
               [](double s) { return s > kFitFrom && s < kFitTo; });
  std::sort(ends.begin(), ends.end());

  using T = decltype(f(1.0));
  T moment = math::constant<T>(0);
  for (std::size_t panel = 0; panel + 1 < ends.size(); ++panel) {
    const double centre = 0.5 * (ends[panel] + ends[panel + 1]), half = 0.5 * (ends[panel + 1] - ends[panel]);
    for (int i = 0; i < 5; ++i) {
      const double below = centre - half * kNode[i], above = centre + half * kNode[i];
      moment += half * kWeight[i] * ((below - 1) * f(below) + (above - 1) * f(above));
    }
  }
  constexpr double kSquare =
      ((kFitTo - 1) * (kFitTo - 1) * (kFitTo - 1) - (kFitFrom - 1) * (kFitFrom - 1) * (kFitFrom - 1)) / 3;
  return math::max(T(moment / kSquare), math::constant<T>(0));
}

}  // namespace pliant
