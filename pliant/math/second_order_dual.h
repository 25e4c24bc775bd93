// Numbers that carry their first and second derivatives with respect to three variables: x = value + gradient·d + ½ dᵀ
// H d. For the few formulas whose second derivative is too long to write by hand. Not for hot loops.
#pragma once

#include <array>
#include <cmath>

#include "pliant/math/lanes.h"

namespace pliant::math {

struct SecondOrderDual {
  double value = 0;
  std::array<double, 3> gradient{};
  std::array<std::array<double, 3>, 3> hessian{};

  SecondOrderDual() = default;
  SecondOrderDual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants mix freely with duals

  // The i-th variable itself.
  static SecondOrderDual variable(double v, int i) {
    SecondOrderDual x(v);
    x.gradient[i] = 1;
    return x;
  }

  // f(x) from f, f', f'' at x.
  [[nodiscard]] SecondOrderDual chain(double f, double f1, double f2) const {
    SecondOrderDual y(f);
    for (int i = 0; i < 3; ++i) {
      y.gradient[i] = f1 * gradient[i];
      for (int j = 0; j < 3; ++j) y.hessian[i][j] = f1 * hessian[i][j] + f2 * gradient[i] * gradient[j];
    }
    return y;
  }

  friend SecondOrderDual operator+(const SecondOrderDual& a, const SecondOrderDual& b) {
    SecondOrderDual y(a.value + b.value);
    for (int i = 0; i < 3; ++i) {
      y.gradient[i] = a.gradient[i] + b.gradient[i];
      for (int j = 0; j < 3; ++j) y.hessian[i][j] = a.hessian[i][j] + b.hessian[i][j];
    }
    return y;
  }
  friend SecondOrderDual operator-(const SecondOrderDual& a) { return a.chain(-a.value, -1, 0); }
  friend SecondOrderDual operator-(const SecondOrderDual& a, const SecondOrderDual& b) { return a + (-b); }
  friend SecondOrderDual operator*(const SecondOrderDual& a, const SecondOrderDual& b) {
    SecondOrderDual y(a.value * b.value);
    for (int i = 0; i < 3; ++i) {
      y.gradient[i] = a.value * b.gradient[i] + b.value * a.gradient[i];
      for (int j = 0; j < 3; ++j) {
        y.hessian[i][j] = a.value * b.hessian[i][j] + b.value * a.hessian[i][j] + a.gradient[i] * b.gradient[j] +
                          a.gradient[j] * b.gradient[i];
      }
    }
    return y;
  }
  friend SecondOrderDual operator/(const SecondOrderDual& a, const SecondOrderDual& b) {
    const double inverse = 1 / b.value;
    return a * b.chain(inverse, -inverse * inverse, 2 * inverse * inverse * inverse);
  }
  SecondOrderDual& operator+=(const SecondOrderDual& b) { return *this = *this + b; }
  SecondOrderDual& operator*=(const SecondOrderDual& b) { return *this = *this * b; }
  friend bool operator<(const SecondOrderDual& a, const SecondOrderDual& b) { return a.value < b.value; }
  friend bool operator>(const SecondOrderDual& a, const SecondOrderDual& b) { return a.value > b.value; }
  friend bool operator>=(const SecondOrderDual& a, const SecondOrderDual& b) { return a.value >= b.value; }
};

template <>
inline SecondOrderDual constant<SecondOrderDual>(double x) {
  return SecondOrderDual(x);
}
inline SecondOrderDual select(bool mask, const SecondOrderDual& a, const SecondOrderDual& b) { return mask ? a : b; }
inline SecondOrderDual max(const SecondOrderDual& a, const SecondOrderDual& b) { return a > b ? a : b; }
inline SecondOrderDual abs(const SecondOrderDual& x) { return x.value < 0 ? -x : x; }
inline SecondOrderDual log(const SecondOrderDual& x) {
  return x.chain(std::log(x.value), 1 / x.value, -1 / (x.value * x.value));
}

}  // namespace pliant::math
