// The barrier: a smooth repulsion that begins at a given gap and grows without bound as the gap closes.
//
//   b(x) = −(1 − x)² ln x      for 0 < x < 1, else 0        x = gap / contact distance             [Li2020, eq. 6]
//
// b and its first two derivatives vanish at x = 1, so contacts come and go without a jump in force or stiffness.
// It falls everywhere (b' < 0) and is convex (b'' > 0).
#pragma once

#include <cmath>

namespace pliant::contact {

struct BarrierValue {
  double value = 0, slope = 0, curvature = 0;  // b, b', b''
};

[[nodiscard]] inline double barrier_value(double x) {
  if (x >= 1) return 0;
  return -(1 - x) * (1 - x) * std::log(x);
}

[[nodiscard]] inline BarrierValue barrier(double x) {
  if (x >= 1) return {};
  const double y = 1 - x, log_x = std::log(x);
  return {-y * y * log_x, 2 * y * log_x - y * y / x, -2 * log_x + 4 * y / x + y * y / (x * x)};
}

}  // namespace pliant::contact
