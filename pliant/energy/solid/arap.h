// As-rigid-as-possible solid: distance of F to the rotations.
//
//   Ψ = k/2 ‖F − R‖²,   P = k (F − R)          [Liu2018, eq. 6.1]          k stiffness [Pa]
//
// The corotated law with μ = k/2, λ = 0.
#pragma once

#include "pliant/energy/solid/corotated.h"

namespace pliant::solid {

struct Arap {
  static constexpr std::string_view kName = "arap";
  static constexpr int kParameterCount = 1;  // k [Pa]
  static constexpr SolidStrain kSoftStrain = SolidStrain::polar;

  template <class T>
  static T density(const T p[1], const T f[3][3]) {
    return 0.5 * p[0] * (math::inner(f, f) - 2.0 * math::trace_of_stretch(f) + 3.0);
  }

  template <class T>
  static T stress(const T p[1], const T f[3][3], T piola[3][3]) {
    T r[3][3];
    math::polar_rotation(f, r);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) piola[i][j] = p[0] * (f[i][j] - r[i][j]);
    }
    return 0.5 * p[0] * (math::inner(f, f) - 2.0 * math::inner(r, f) + 3.0);
  }

  template <class T>
  static void principal(const T p[1], const T s[3], PrincipalDerivatives<T>& d) {
    d.density = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d.density += 0.5 * p[0] * (s[i] - 1.0) * (s[i] - 1.0);
      d.first[i] = p[0] * (s[i] - 1.0);
      d.second[i] = p[0];
      d.second[3 + i] = math::constant<T>(0);
      d.flip[i] = p[0];
      d.twist[i] = p[0] + twist_quotient<T>(-2.0 * p[0], s[j] + s[k]);
    }
  }
};

extern template class HyperelasticTets<Arap>;

}  // namespace pliant::solid
