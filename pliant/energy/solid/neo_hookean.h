// Compressible neo-Hookean solid.
//
//   Ψ = μ/2 (I_C − 3) − μ ln J + λ/2 (ln J)²          I_C = ‖F‖², J = det F           [Liu2018, eq. 7.17,
//   Verschoor2019, D.69] P = μ F + Ψ_J cof F,       Ψ_J = (λ ln J − μ)/J
//
//   μ, λ  Lamé parameters [Pa]; the linearisation at rest is Hooke's law with them.
// Deviation: ln J is continued below J = 0.1 (log_volume.h), so that inverted elements are pushed back.
//
// In principal stretches:  Ψ_i = μ s_i + Ψ_J s_j s_k,   twist_k = μ + Ψ_J s_k,   flip_k = μ − Ψ_J s_k.
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/energy/solid/log_volume.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

struct NeoHookean {
  static constexpr std::string_view kName = "neo_hookean";
  static constexpr int kParameterCount = 2;  // μ, λ [Pa]

  template <class T>
  static T density(const T p[2], const T f[3][3]) {
    return from_invariants(p, math::inner(f, f), log_volume(math::determinant(f)));
  }

  template <class T>
  static T stress(const T p[2], const T f[3][3], T piola[3][3]) {
    T c[3][3];
    math::cofactor(f, c);
    const LogVolume<T> l = log_volume(math::determinant(f, c));
    const T psi_j = (p[1] * l.value - p[0]) * l.first;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) piola[i][j] = p[0] * f[i][j] + psi_j * c[i][j];
    }
    return from_invariants(p, math::inner(f, f), l);
  }

  template <class T>
  static void principal(const T p[2], const T s[3], PrincipalDerivatives<T>& d) {
    const LogVolume<T> l = log_volume(T(s[0] * s[1] * s[2]));
    const T excess = p[1] * l.value - p[0];  // λ ln J − μ
    const T psi_j = excess * l.first;
    const T psi_jj = p[1] * l.first * l.first + excess * l.second;
    const T area[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};  // ∂J/∂s_i
    d.density = from_invariants(p, T(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]), l);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d.first[i] = p[0] * s[i] + psi_j * area[i];
      d.second[i] = p[0] + psi_jj * area[i] * area[i];
      d.second[3 + i] = psi_jj * area[j] * area[k] + psi_j * s[i];
      d.twist[i] = p[0] + psi_j * s[i];
      d.flip[i] = p[0] - psi_j * s[i];
    }
  }

 private:
  template <class T>
  static T from_invariants(const T p[2], T i_c, const LogVolume<T>& l) {
    return 0.5 * p[0] * (i_c - 3.0) + (0.5 * p[1] * l.value - p[0]) * l.value;
  }
};

extern template class HyperelasticTets<NeoHookean>;

}  // namespace pliant::solid
