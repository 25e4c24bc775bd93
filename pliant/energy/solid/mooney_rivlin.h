// Mooney-Rivlin solid, compressible, in Valanis-Landel form.
//
//   Ψ = c₁ (I₁ − 3) + c₂ (I₂ − 3) − 2 (c₁ + 2c₂) ln J + Λ/2 (ln J)²       I₁ = ‖F‖², I₂ = ‖cof F‖²      [Bonet2008, ch.
//   6]
//
//   c₁, c₂ [Pa] and the bulk modulus κ [Pa]. At rest it is Hooke's law with μ = 2 (c₁ + c₂), λ = κ − 2μ/3; Λ = λ − 4c₂.
// Deviation: I₁ and I₂ are not made isochoric, so that Ψ is a sum over single stretches, their products and J
// (Liu2018, eq. 7.12); ln J is continued below J = 0.1 (log_volume.h).
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/energy/solid/log_volume.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

struct MooneyRivlin {
  static constexpr std::string_view kName = "mooney_rivlin";
  static constexpr int kParameterCount = 3;  // c₁, c₂, κ [Pa]

  template <class T>
  static T density(const T p[3], const T f[3][3]) {
    T c[3][3];
    math::cofactor(f, c);
    return from_invariants(p, math::inner(f, f), math::inner(c, c), log_volume(math::determinant(f, c)));
  }

  template <class T>
  static T stress(const T p[3], const T f[3][3], T piola[3][3]) {
    T c[3][3], green[3][3], fc[3][3];
    math::cofactor(f, c);
    const LogVolume<T> l = log_volume(math::determinant(f, c));
    const T i_1 = math::inner(f, f);
    const T psi_j = volume_slope(p, l);
    // ∂I₂/∂F = 2 (I₁ F − F FᵀF)
    math::gram(f, green);
    math::multiply(f, green, fc);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        piola[i][j] = 2.0 * (p[0] + p[1] * i_1) * f[i][j] - 2.0 * p[1] * fc[i][j] + psi_j * c[i][j];
      }
    }
    return from_invariants(p, i_1, math::inner(c, c), l);
  }

  template <class T>
  static void principal(const T p[3], const T s[3], PrincipalDerivatives<T>& d) {
    const T q[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    const T area[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    const LogVolume<T> l = log_volume(T(s[0] * s[1] * s[2]));
    const T psi_j = volume_slope(p, l);
    const T psi_jj =
        log_square_modulus(p) * (l.first * l.first + l.value * l.second) - 2.0 * (p[0] + 2.0 * p[1]) * l.second;
    d.density =
        from_invariants(p, T(q[0] + q[1] + q[2]), T(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]), l);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const T others = q[j] + q[k];
      d.first[i] = 2.0 * s[i] * (p[0] + p[1] * others) + psi_j * area[i];
      d.second[i] = 2.0 * (p[0] + p[1] * others) + psi_jj * area[i] * area[i];
      d.second[3 + i] = 4.0 * p[1] * area[i] + psi_jj * area[j] * area[k] + psi_j * s[i];
      d.twist[i] = 2.0 * (p[0] + p[1] * (q[i] + area[i])) + psi_j * s[i];
      d.flip[i] = 2.0 * (p[0] + p[1] * (q[i] - area[i])) - psi_j * s[i];
    }
  }

 private:
  // Λ = κ − 2μ/3 − 4c₂ with μ = 2 (c₁ + c₂)
  template <class T>
  static T log_square_modulus(const T p[3]) {
    return p[2] - (4.0 / 3.0) * (p[0] + p[1]) - 4.0 * p[1];
  }
  template <class T>
  static T volume_slope(const T p[3], const LogVolume<T>& l) {
    return (log_square_modulus(p) * l.value - 2.0 * (p[0] + 2.0 * p[1])) * l.first;
  }
  template <class T>
  static T from_invariants(const T p[3], T i_1, T i_2, const LogVolume<T>& l) {
    return p[0] * (i_1 - 3.0) + p[1] * (i_2 - 3.0) +
           (0.5 * log_square_modulus(p) * l.value - 2.0 * (p[0] + 2.0 * p[1])) * l.value;
  }
};

extern template class HyperelasticTets<MooneyRivlin>;

}  // namespace pliant::solid
