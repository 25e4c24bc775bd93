// Energies of one hinge as functions of its angle θ: the only thing in which the bending models differ.
//
//   law        ψ(θ)/K                                        ψ'(θ)/K                      ψ''(θ)/K
//   tan        (φ − φ̄)²,  φ = 2 tan(θ/2) = 2t                2 (φ − φ̄) r, r = 1 + t²      2 r (r + (φ − φ̄) t)
//   angle      (θ − θ̄)²                                      2 (θ − θ̄)                    2
//   willmore   4 sin²((θ − θ̄)/2)                             2 sin(θ − θ̄)                 2 cos(θ − θ̄)
//   bridson    8 (cos(θ̄/2) − cos(θ/2)) − 4 (θ − θ̄) sin(θ̄/2)  4 (sin(θ/2) − sin(θ̄/2))      2 cos(θ/2)
//
//   K [J] stiffness of the hinge; θ̄ rest angle. All have ψ'' = 2K at θ = θ̄ = 0. Sources: tan [Tamstorf2016, eq. 5.8],
//   angle [Grinspun2003], willmore [Wardetzky2007], bridson [Bridson2003]: there the force is given, and the rest angle
//   is a constant taken from sin(θ/2); integrated over θ that is the row above, with zero at θ̄.
//
// A law sees the angle as s = sin(θ/2) and c = cos(θ/2) ≥ 0, so tan and willmore need no trigonometric function. Of the
// rest state it keeps two numbers. T is double or Lanes.
#pragma once

#include "pliant/math/lanes.h"

namespace pliant::cloth {

// ψ and its derivatives by θ.
template <class T>
struct HingeResponse {
  T value, first, second;
};

// What a law keeps of an angle: at rest, or at the start of the step.
template <class T>
struct HingeReference {
  T a, b;
};

// θ from s, c ≥ 0 (of any common length): −π ≤ θ ≤ π, within a few units in the last place.
// Halving the angle three times leaves u = tan(θ/16), |u| ≤ tan(π/16), where twelve terms of the series are exact to
// rounding: u²⁴/25 < 1e-18.
template <class T>
T angle_from_halves(T s, T c) {
  const T one = math::constant<T>(1);
  T u = s / (math::sqrt(s * s + c * c) + c + math::constant<T>(1e-150));  // tan(θ/4); the 1e-150 for s = c = 0
  u = u / (one + math::sqrt(one + u * u));
  u = u / (one + math::sqrt(one + u * u));
  const T w = u * u;
  T series = math::constant<T>(-1.0 / 23);
  for (int n = 21; n >= 1; n -= 2) series = math::constant<T>(n % 4 == 1 ? 1.0 / n : -1.0 / n) + w * series;
  return 16.0 * u * series;
}

struct HingeTan {
  static constexpr const char* kName = "hinge_tan";
  // |θ| is taken as at most π − 2e-6 here: beyond, forces stay as they are instead of becoming infinite.
  static constexpr double kSmallestCosine = 1e-6;

  template <class T>
  static T tangent(T s, T c) {
    return s / math::max(c, math::constant<T>(kSmallestCosine));
  }
  template <class T>
  static HingeReference<T> reference(T s, T c) {
    return {2.0 * tangent(s, c), math::constant<T>(0)};
  }
  template <class T>
  static HingeResponse<T> respond(T s, T c, const HingeReference<T>& rest) {
    const T t = tangent(s, c), slope = 1.0 + t * t, difference = 2.0 * t - rest.a;
    return {difference * difference, 2.0 * difference * slope, 2.0 * slope * (slope + difference * t)};
  }
};

struct HingeAngle {
  static constexpr const char* kName = "hinge_angle";

  template <class T>
  static HingeReference<T> reference(T s, T c) {
    return {angle_from_halves(s, c), math::constant<T>(0)};
  }
  template <class T>
  static HingeResponse<T> respond(T s, T c, const HingeReference<T>& rest) {
    const T difference = angle_from_halves(s, c) - rest.a;
    return {difference * difference, 2.0 * difference, math::constant<T>(2)};
  }
};

struct HingeWillmore {
  static constexpr const char* kName = "hinge_willmore";

  template <class T>
  static HingeReference<T> reference(T s, T c) {
    return {s, c};
  }
  template <class T>
  static HingeResponse<T> respond(T s, T c, const HingeReference<T>& rest) {
    // sine and cosine of (θ − θ̄)/2
    const T sine = s * rest.b - c * rest.a, cosine = c * rest.b + s * rest.a;
    return {4.0 * sine * sine, 4.0 * sine * cosine, 2.0 * (cosine * cosine - sine * sine)};
  }
};

struct HingeBridson {
  static constexpr const char* kName = "hinge_bridson";

  template <class T>
  static HingeReference<T> reference(T s, T c) {
    return {s, angle_from_halves(s, c)};
  }
  // cos(θ̄/2) − cos(θ/2) is written as (s − s̄)(s + s̄)/(c + c̄), which keeps its digits near θ̄.
  template <class T>
  static HingeResponse<T> respond(T s, T c, const HingeReference<T>& rest) {
    const T rest_cosine = math::sqrt(math::max(1.0 - rest.a * rest.a, math::constant<T>(0)));
    const T fall = (s - rest.a) * (s + rest.a) / math::max(c + rest_cosine, math::constant<T>(1e-12));
    const T turn = angle_from_halves(s, c) - rest.b;
    return {8.0 * fall - 4.0 * turn * rest.a, 4.0 * (s - rest.a), 2.0 * c};
  }
};

}  // namespace pliant::cloth
