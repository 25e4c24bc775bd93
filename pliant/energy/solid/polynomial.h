// Polynomial solid: a quartic well around rest, soft for small strains and stiff for large ones.
//
//   Ψ = μ Σ (s_i − 1)⁴          [Liu2018, sec. 7.1]          μ [Pa]
//
// Its linearisation at rest is zero: small deformations are free.
#pragma once

#include "pliant/energy/solid/corotated.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::solid {

struct Polynomial {
  static constexpr std::string_view kName = "polynomial";
  static constexpr int kParameterCount = 1;  // μ [Pa]

  template <class T>
  static T density(const T p[1], const T f[3][3]) {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    T psi = math::constant<T>(0);
    for (const T& s : svd.s) {
      const T d = (s - 1.0) * (s - 1.0);
      psi += p[0] * d * d;
    }
    return psi;
  }

  template <class T>
  static T stress(const T p[1], const T f[3][3], T piola[3][3]) {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    T psi = math::constant<T>(0), scaled[3][3];
    for (int i = 0; i < 3; ++i) {
      const T d = svd.s[i] - 1.0;
      psi += p[0] * d * d * d * d;
      const T first = 4.0 * p[0] * d * d * d;
      for (int r = 0; r < 3; ++r) scaled[r][i] = svd.u[r][i] * first;
    }
    math::multiply_transposed(scaled, svd.v, piola);
    return psi;
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
};

extern template class HyperelasticTets<Polynomial>;

}  // namespace pliant::solid
