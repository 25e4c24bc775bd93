// St. Venant-Kirchhoff solid: Hooke's law in the Green strain.
//
//   E = ½ (FᵀF − I),   Ψ = μ ‖E‖² + λ/2 tr(E)²,   P = F (2 μ E + λ tr(E) I)          [Liu2018, eq. 3.7, 3.9]
//
//   μ, λ  Lamé parameters [Pa].
// Softens under compression (the force of a bar turns at stretch 1/√3) and does not resist inversion: Ψ(−I) = 0.
//
// In principal stretches, with t = λ/2 (Σs² − 3) − μ:
//   Ψ_i = s_i (t + μ s_i²),   twist_k = t + μ (s_i² − s_i s_j + s_j²),   flip_k = t + μ (s_i² + s_i s_j + s_j²).
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

struct StVenantKirchhoff {
  static constexpr std::string_view kName = "st_venant_kirchhoff";
  static constexpr int kParameterCount = 2;  // μ, λ [Pa]
  static constexpr bool kIsShort = true;     // for two groups side by side it has no use
  static constexpr SolidStrain kSoftStrain = SolidStrain::green;

  template <class T>
  static T density(const T p[2], const T f[3][3]) {
    T strain[3][3];
    green_strain(f, strain);
    const T trace = strain[0][0] + strain[1][1] + strain[2][2];
    return p[0] * math::inner(strain, strain) + 0.5 * p[1] * trace * trace;
  }

  template <class T>
  static T stress(const T p[2], const T f[3][3], T piola[3][3]) {
    T strain[3][3];
    green_strain(f, strain);
    const T trace = strain[0][0] + strain[1][1] + strain[2][2];
    const T energy = p[0] * math::inner(strain, strain) + 0.5 * p[1] * trace * trace;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) strain[i][j] *= 2.0 * p[0];
      strain[i][i] += p[1] * trace;
    }
    math::multiply(f, strain, piola);
    return energy;
  }

  template <class T>
  static void principal(const T p[2], const T s[3], PrincipalDerivatives<T>& d) {
    const T q[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    const T trace = 0.5 * (q[0] + q[1] + q[2] - 3.0);
    const T t = p[1] * trace - p[0];
    T norm_squared = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      norm_squared += 0.25 * (q[i] - 1.0) * (q[i] - 1.0);
      d.first[i] = s[i] * (t + p[0] * q[i]);
      d.second[i] = t + (p[1] + 3.0 * p[0]) * q[i];
      const T product = s[j] * s[k];
      d.second[3 + i] = p[1] * product;
      d.twist[i] = t + p[0] * (q[j] - product + q[k]);
      d.flip[i] = t + p[0] * (q[j] + product + q[k]);
    }
    d.density = p[0] * norm_squared + 0.5 * p[1] * trace * trace;
  }

  // E = ½ (FᵀF − I)
  template <class T>
  static void green_strain(const T f[3][3], T strain[3][3]) {
    math::gram(f, strain);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) strain[i][j] *= 0.5;
      strain[i][i] -= 0.5;
    }
  }
};

extern template class HyperelasticTets<StVenantKirchhoff>;

}  // namespace pliant::solid
