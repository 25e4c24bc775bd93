// Stable neo-Hookean solid: finite for every F, also flat and inverted.
//
//   Ψ = m/2 (I_C − 3) − m/2 ln((I_C + 1)/4) + l/2 (J − α)² − l/2 (1 − α)²       α = 1 + 3m/(4l) [SmithGoesKim2018, eq.
//   14] P = m (1 − 1/(I_C + 1)) F + l (J − α) cof F
//
// Reparametrised so that the linearisation at rest is Hooke's law with μ, λ [Pa] [SmithGoesKim2018, eq. 16]:
//   m = 4/3 μ,  l = λ + 5/6 μ.
// Deviation: constants are added so that Ψ = 0 at rest.
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/math/elementary.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

struct StableNeoHookean {
  static constexpr std::string_view kName = "stable_neo_hookean";
  static constexpr int kParameterCount = 2;  // μ, λ [Pa]

  template <class T>
  struct Moduli {
    T m, l, alpha;
    explicit Moduli(const T p[2]) : m((4.0 / 3.0) * p[0]), l(p[1] + (5.0 / 6.0) * p[0]), alpha(1.0 + 0.75 * m / l) {}
  };

  template <class T>
  static T density(const T p[2], const T f[3][3]) {
    return from_invariants(Moduli<T>(p), math::inner(f, f), math::determinant(f));
  }

  template <class T>
  static T stress(const T p[2], const T f[3][3], T piola[3][3]) {
    const Moduli<T> q(p);
    T c[3][3];
    math::cofactor(f, c);
    const T i_c = math::inner(f, f), j = math::determinant(f, c);
    const T shear = q.m - q.m / (i_c + 1.0), pressure = q.l * (j - q.alpha);
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) piola[r][k] = shear * f[r][k] + pressure * c[r][k];
    }
    return from_invariants(q, i_c, j);
  }

  template <class T>
  static void principal(const T p[2], const T s[3], PrincipalDerivatives<T>& d) {
    const Moduli<T> q(p);
    const T i_c = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], j = s[0] * s[1] * s[2];
    const T inverse = 1.0 / (i_c + 1.0);
    const T shear = q.m * (1.0 - inverse), shear_slope = 2.0 * q.m * inverse * inverse;  // d shear / d s_i = slope s_i
    const T pressure = q.l * (j - q.alpha);
    const T area[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    d.density = from_invariants(q, i_c, j);
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      d.first[i] = shear * s[i] + pressure * area[i];
      d.second[i] = shear + shear_slope * s[i] * s[i] + q.l * area[i] * area[i];
      d.second[3 + i] = shear_slope * s[a] * s[b] + q.l * area[a] * area[b] + pressure * s[i];
      d.twist[i] = shear + pressure * s[i];
      d.flip[i] = shear - pressure * s[i];
    }
  }

 private:
  template <class T>
  static T from_invariants(const Moduli<T>& q, T i_c, T j) {
    const T volume = j - q.alpha, rest_volume = 1.0 - q.alpha;
    return 0.5 * q.m * ((i_c - 3.0) - math::log(T(0.25 * (i_c + 1.0)))) +
           0.5 * q.l * (volume * volume - rest_volume * rest_volume);
  }
};

extern template class HyperelasticTets<StableNeoHookean>;

}  // namespace pliant::solid
