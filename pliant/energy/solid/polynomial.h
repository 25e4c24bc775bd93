// Polynomial solid: a quartic well around rest, soft for small strains and stiff for large ones.
//
//   Ψ = μ Σ (s_i − 1)⁴          [Liu2018, sec. 7.1]          μ [Pa]
//
// With F = R S and E = S − 1: Ψ = μ ‖E²‖², P = 4μ R E³. Value and gradient need no SVD (math/polar.h).
// Its linearisation at rest is zero: small deformations are free.
#pragma once

#include "pliant/energy/solid/corotated.h"

namespace pliant::solid {

struct Polynomial {
  static constexpr std::string_view kName = "polynomial";
  static constexpr int kParameterCount = 1;  // μ [Pa]

  template <class T>
  static T density(const T p[1], const T f[3][3]) {
    T r[3][3], e[3][3], square[3][3];
    strain(f, r, e);
    math::multiply_symmetric(e, e, square);
    return p[0] * math::inner(square, square);
  }

  template <class T>
  static T stress(const T p[1], const T f[3][3], T piola[3][3]) {
    T r[3][3], e[3][3], square[3][3], cube[3][3];
    strain(f, r, e);
    math::multiply_symmetric(e, e, square);
    math::multiply_symmetric(e, square, cube);
    const T four_mu = 4.0 * p[0];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        piola[i][j] = four_mu * (r[i][0] * cube[0][j] + r[i][1] * cube[1][j] + r[i][2] * cube[2][j]);
      }
    }
    return p[0] * math::inner(square, square);
  }

  template <class T>
  static void principal(const T p[1], const T s[3], PrincipalDerivatives<T>& d) {
    const T e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    d.density = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const T square = e[i] * e[i];
      d.density += p[0] * square * square;
      d.first[i] = 4.0 * p[0] * square * e[i];
      d.second[i] = 12.0 * p[0] * square;
      d.second[3 + i] = math::constant<T>(0);
      d.flip[i] = 4.0 * p[0] * (e[j] * e[j] + e[j] * e[k] + e[k] * e[k]);
      d.twist[i] = twist_quotient<T>(4.0 * p[0] * (e[j] * e[j] * e[j] + e[k] * e[k] * e[k]), s[j] + s[k]);
    }
  }

 private:
  // F = R S, E = S − 1. From the stretches' trace alone Ψ would lose its digits near rest, where it is of fourth order.
  template <class T>
  static void strain(const T f[3][3], T r[3][3], T e[3][3]) {
    math::polar_rotation(f, r);
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        e[i][j] = r[0][i] * f[0][j] + (r[1][i] * f[1][j] + r[2][i] * f[2][j]);
        e[j][i] = e[i][j];
      }
      e[i][i] = e[i][i] - 1.0;
    }
  }
};

extern template class HyperelasticTets<Polynomial>;

}  // namespace pliant::solid
