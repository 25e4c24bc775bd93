// Eight doubles as two Lanes that are worked on side by side.
//
// Roots, quotients and logarithms in a chain keep a processor waiting: each needs the one before. Two chains in turn
// fill the gaps. Kernels written for T = double or Lanes run on T = LanePair unchanged; those that iterate stop when both
// halves are done, so a half may differ by rounding from what Lanes alone would give.
#pragma once

#include "pliant/math/elementary.h"
#include "pliant/math/lanes.h"

namespace pliant::math {

struct LaneMaskPair {
  LaneMask low, high;
};

struct LanePair {
  Lanes low, high;

  friend LanePair operator-(LanePair x) { return {-x.low, -x.high}; }
  friend LanePair operator+(LanePair x, LanePair y) { return {x.low + y.low, x.high + y.high}; }
  friend LanePair operator-(LanePair x, LanePair y) { return {x.low - y.low, x.high - y.high}; }
  friend LanePair operator*(LanePair x, LanePair y) { return {x.low * y.low, x.high * y.high}; }
  friend LanePair operator/(LanePair x, LanePair y) { return {x.low / y.low, x.high / y.high}; }
  friend LanePair operator+(LanePair x, double y) { return {x.low + y, x.high + y}; }
  friend LanePair operator-(LanePair x, double y) { return {x.low - y, x.high - y}; }
  friend LanePair operator*(LanePair x, double y) { return {x.low * y, x.high * y}; }
  friend LanePair operator/(LanePair x, double y) { return {x.low / y, x.high / y}; }
  friend LanePair operator+(double x, LanePair y) { return {x + y.low, x + y.high}; }
  friend LanePair operator-(double x, LanePair y) { return {x - y.low, x - y.high}; }
  friend LanePair operator*(double x, LanePair y) { return {x * y.low, x * y.high}; }
  friend LanePair operator/(double x, LanePair y) { return {x / y.low, x / y.high}; }
  LanePair& operator+=(LanePair y) { return *this = *this + y; }
  LanePair& operator-=(LanePair y) { return *this = *this - y; }
  LanePair& operator*=(LanePair y) { return *this = *this * y; }
  LanePair& operator-=(double y) { return *this = *this - y; }
  LanePair& operator*=(double y) { return *this = *this * y; }

  friend LaneMaskPair operator<(LanePair x, LanePair y) { return {x.low < y.low, x.high < y.high}; }
  friend LaneMaskPair operator>(LanePair x, LanePair y) { return {x.low > y.low, x.high > y.high}; }
  friend LaneMaskPair operator<=(LanePair x, LanePair y) { return {x.low <= y.low, x.high <= y.high}; }
  friend LaneMaskPair operator>=(LanePair x, LanePair y) { return {x.low >= y.low, x.high >= y.high}; }
  friend LaneMaskPair operator>(LanePair x, double y) { return {x.low > y, x.high > y}; }
};

template <>
inline LanePair constant<LanePair>(double x) {
  return {lanes_of(x), lanes_of(x)};
}

inline LanePair select(LaneMaskPair mask, LanePair a, LanePair b) {
  return {select(mask.low, a.low, b.low), select(mask.high, a.high, b.high)};
}
inline LaneMaskPair both(LaneMaskPair a, LaneMaskPair b) { return {a.low & b.low, a.high & b.high}; }
inline bool any(LaneMaskPair mask) { return any(mask.low | mask.high); }
inline bool all(LaneMaskPair mask) { return all(mask.low & mask.high); }

inline LanePair min(LanePair a, LanePair b) { return {min(a.low, b.low), min(a.high, b.high)}; }
inline LanePair max(LanePair a, LanePair b) { return {max(a.low, b.low), max(a.high, b.high)}; }
inline LanePair abs(LanePair x) { return {abs(x.low), abs(x.high)}; }
inline LanePair sqrt(LanePair x) { return {sqrt(x.low), sqrt(x.high)}; }
inline LanePair copy_sign(LanePair magnitude, LanePair sign) {
  return {copy_sign(magnitude.low, sign.low), copy_sign(magnitude.high, sign.high)};
}
inline LanePair log(LanePair x) { return {log(x.low), log(x.high)}; }
inline LanePair inverse_power_of_two(LanePair x) { return {inverse_power_of_two(x.low), inverse_power_of_two(x.high)}; }

}  // namespace pliant::math
