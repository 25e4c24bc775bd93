// Any isotropic material that is a sum over stretches, their products, and the volume: one generic path.
//
//   Ψ = Σ a(s_i) + Σ b(s_i s_j) + c(s₀s₁s₂)                                              [Liu2018, eq. 7.12]
//   Ψ_i = a'(s_i) + s_j b'(s_i s_j) + s_k b'(s_i s_k) + s_j s_k c'(J)
//
// Curves offers a, b and c, each returning value, first and second derivative at x [J/m³]. The eigenvalue of a flip
// needs the divided difference (a'(s_i) − a'(s_j))/(s_i − s_j), which tends to a'' where two stretches meet.
#pragma once

#include "pliant/energy/solid/corotated.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::solid {

template <class T>
struct CurveValue {
  T value, first, second;
};

template <class Curves>
struct ValanisLandel {
  static constexpr std::string_view kName = Curves::kName;
  static constexpr int kParameterCount = 0;

  Curves curves;

  template <class T>
  T density(const T*, const T f[3][3]) const {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    const T* s = svd.s;
    return curves.a(s[0]).value + curves.a(s[1]).value + curves.a(s[2]).value + curves.b(T(s[1] * s[2])).value +
           curves.b(T(s[0] * s[2])).value + curves.b(T(s[0] * s[1])).value + curves.c(T(s[0] * s[1] * s[2])).value;
  }

  template <class T>
  T stress(const T* p, const T f[3][3], T piola[3][3]) const {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    PrincipalDerivatives<T> d;
    principal(p, svd.s, d);
    T scaled[3][3];
    for (int r = 0; r < 3; ++r) {
      for (int i = 0; i < 3; ++i) scaled[r][i] = svd.u[r][i] * d.first[i];
    }
    math::multiply_transposed(scaled, svd.v, piola);
    return d.density;
  }

  // Stretches s at which a piece of a(s), b(s·1) or c(s·1·1) begins, for curves made of pieces.
  [[nodiscard]] std::vector<double> kinks() const requires requires(const Curves& c) { c.kinks(); }
  { return curves.kinks(); }

  template <class T>
  void principal(const T*, const T s[3], PrincipalDerivatives<T>& d) const {
    const T area[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};  // also the argument of b, by missing index
    CurveValue<T> a[3], b[3];
    for (int i = 0; i < 3; ++i) {
      a[i] = curves.a(s[i]);
      b[i] = curves.b(area[i]);
    }
    const CurveValue<T> c = curves.c(T(s[0] * area[0]));
    d.density = c.value;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d.density += a[i].value + b[i].value;
      d.first[i] = a[i].first + s[j] * b[k].first + s[k] * b[j].first + area[i] * c.first;
      d.second[i] = a[i].second + s[j] * s[j] * b[k].second + s[k] * s[k] * b[j].second + area[i] * area[i] * c.second;
      d.second[3 + i] = b[i].first + area[i] * b[i].second + s[i] * c.first + area[j] * area[k] * c.second;
      d.flip[i] = divided_difference<T>(a[j], a[k], s[j] - s[k]) - b[i].first +
                  s[i] * s[i] * divided_difference<T>(b[k], b[j], area[k] - area[j]) - s[i] * c.first;
      d.twist[i] = twist_quotient<T>(a[j].first + a[k].first + s[i] * (b[j].first + b[k].first), s[j] + s[k]) +
                   b[i].first + s[i] * c.first;
    }
  }

 private:
  // (x' − y')/difference. Closer than 1e-5 the mean second derivative is more exact: it errs by O(difference²).
  template <class T>
  static T divided_difference(const CurveValue<T>& x, const CurveValue<T>& y, T difference) {
    const auto apart = math::abs(difference) > 1e-5;
    const T safe = math::select(apart, difference, math::constant<T>(1));
    return math::select(apart, T((x.first - y.first) / safe), T(0.5 * (x.second + y.second)));
  }
};

}  // namespace pliant::solid
