// Corotated linear elasticity: Hooke's law after removing the element's rotation.
//
//   F = R S,   Ψ = μ ‖S − I‖² + λ/2 tr(S − I)²,   P = 2 μ (F − R) + λ tr(S − I) R          [Liu2018, eq. 3.10]
//
//   R in SO(3) maximises tr(RᵀF), also for inverted elements, which are therefore pulled back; μ, λ Lamé [Pa].
// No SVD for value and gradient: tr S is a root of a quartic, R a polynomial in F (math/polar.h).
//
// In principal stretches, with t = λ (Σs − 3):
//   Ψ_i = 2μ (s_i − 1) + t,   flip_k = 2μ,   twist_k = 2μ + (2t − 4μ)/(s_i + s_j).
// The warped Hessian is flip = 2μ, twist = 0: the rest stiffness turned with the element [Verschoor2019, D.46].
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/math/polar.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

// (a_i + a_j)/(s_i + s_j) for laws whose twist keeps its division. Signed stretches of the SVD have s_i + s_j ≥ 0; it
// vanishes only for a reflected element, where the twist tends to −∞ and is clamped. The floor keeps it finite.
template <class T>
inline T twist_quotient(T numerator, T stretch_sum) {
  return numerator / math::max(stretch_sum, math::constant<T>(1e-9));
}

struct Corotated {
  static constexpr std::string_view kName = "corotated";
  static constexpr int kParameterCount = 2;  // μ, λ [Pa]
  static constexpr SolidStrain kSoftStrain = SolidStrain::polar;

  template <class T>
  static T density(const T p[2], const T f[3][3]) {
    return from_trace(p, math::inner(f, f), math::trace_of_stretch(f));
  }

  template <class T>
  static T stress(const T p[2], const T f[3][3], T piola[3][3]) {
    T r[3][3];
    math::polar_rotation(f, r);
    const T trace = math::inner(r, f);
    const T along_rotation = p[1] * (trace - 3.0) - 2.0 * p[0];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) piola[i][j] = 2.0 * p[0] * f[i][j] + along_rotation * r[i][j];
    }
    return from_trace(p, math::inner(f, f), trace);
  }

  template <class T>
  static void principal(const T p[2], const T s[3], PrincipalDerivatives<T>& d) {
    const T trace = s[0] + s[1] + s[2];
    const T t = p[1] * (trace - 3.0);
    d.density = from_trace(p, T(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), trace);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d.first[i] = 2.0 * p[0] * (s[i] - 1.0) + t;
      d.second[i] = 2.0 * p[0] + p[1];
      d.second[3 + i] = p[1];
      d.flip[i] = 2.0 * p[0];
      d.twist[i] = 2.0 * p[0] + twist_quotient<T>(2.0 * t - 4.0 * p[0], s[j] + s[k]);
    }
  }

 private:
  // ‖S − I‖² = I_C − 2 tr S + 3
  template <class T>
  static T from_trace(const T p[2], T i_c, T trace) {
    return p[0] * (i_c - 2.0 * trace + 3.0) + 0.5 * p[1] * (trace - 3.0) * (trace - 3.0);
  }
};

extern template class HyperelasticTets<Corotated>;

}  // namespace pliant::solid
