// The barrier: a smooth repulsion that begins at a given gap and grows without bound as the gap closes.
//
//   b(x) = −(1 − x)² ln x      for 0 < x < 1, else 0        x = gap / contact distance             [Li2020, eq. 6]
//
// b and its first two derivatives vanish at x = 1, so contacts come and go without a jump in force or stiffness.
// It falls everywhere (b' < 0) and is convex (b'' > 0).
#pragma once

#include "pliant/math/elementary.h"

namespace pliant::contact {

template <class T = double>
struct BarrierValue {
  T value{}, slope{}, curvature{};  // b, b', b''
};

// T: double or Lanes.
template <class T>
[[nodiscard]] inline BarrierValue<T> barrier_of(T x) {
  const T y = math::max(math::constant<T>(1) - x, T{}), log_x = math::min(math::log(x), T{}), steep = y / x;
  return {-y * y * log_x, 2.0 * y * log_x - y * steep, -2.0 * log_x + 4.0 * steep + steep * steep};
}

[[nodiscard]] inline BarrierValue<> barrier(double x) { return barrier_of(x); }
[[nodiscard]] inline BarrierValue<math::Lanes> barrier(math::Lanes x) { return barrier_of(x); }
// The compiler leaves out the rest.
[[nodiscard]] inline double barrier_value(double x) { return barrier_of(x).value; }
[[nodiscard]] inline math::Lanes barrier_value(math::Lanes x) { return barrier_of(x).value; }

}  // namespace pliant::contact
