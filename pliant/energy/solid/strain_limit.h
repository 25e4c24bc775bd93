// Stretches are free within limits and meet a spring beyond them; added to any material.
//
//   Ψ = k/2 Σ dist(s_i, [min, max])² = k/2 min_G ‖F − G‖²   over all G with stretches within the limits
//   t_i = clamp(s_i, min, max)                                                            [Liu2018, sec. 6.2]
//
//   0 ≤ min ≤ max;  k stiffness [Pa].  min = max = 1 is the as-rigid-as-possible law.
// Stretches are signed: inverted elements are pulled back out.
//
// In principal stretches:  Ψ_ii = k outside the limits, 0 within,   flip_k = k (1 − (t_i − t_j)/(s_i − s_j)).
// The second derivative jumps at the limits; there the stiff side counts, so that min = max is stiff also at rest.
#pragma once

#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/distance_law.h"
#include "pliant/energy/solid/hyperelastic_tets.h"

namespace pliant::solid {

struct StrainLimit : DistanceLaw<StrainLimit> {
  static constexpr std::string_view kName = "strain_limit";
  static constexpr int kParameterCount = 3;  // k [Pa], min, max

  template <class T>
  static void nearest(const T p[3], const T s[3], T t[3]) {
    for (int i = 0; i < 3; ++i) t[i] = math::min(math::max(s[i], p[1]), p[2]);
  }

  template <class T>
  static void principal(const T p[3], const T s[3], PrincipalDerivatives<T>& d) {
    const T zero = math::constant<T>(0), one = math::constant<T>(1);
    T t[3];
    nearest(p, s, t);
    d.density = half_square(p[0], s, t);
    for (int i = 0; i < 3; ++i) {
      d.first[i] = p[0] * (s[i] - t[i]);
      d.second[i] = math::select(math::both(s[i] > p[1], s[i] < p[2]), zero, p[0]);
      d.second[3 + i] = zero;
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      // Equal t: both beyond the same limit, or equal stretches within.
      const auto apart = t[j] != t[k];
      const T gap = math::select(apart, T(s[j] - s[k]), one);
      d.flip[i] = math::select(apart, T(p[0] * (1.0 - (t[j] - t[k]) / gap)), math::max(d.second[j], d.second[k]));
      d.twist[i] = twist_quotient<T>(d.first[j] + d.first[k], s[j] + s[k]);
    }
  }
};

extern template class HyperelasticTets<StrainLimit>;

}  // namespace pliant::solid
