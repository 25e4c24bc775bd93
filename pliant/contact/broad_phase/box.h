// An axis-aligned box in single precision, rounded outwards: half the memory of doubles, and no overlap is ever lost.
//
//   Box box = Box::of(low, high);         // corners in double precision
//   box.include(point);
//   box.inflate(radius);
//
// Rounding costs at most one float spacing per side and operation: 0.12 µm at 1 m, 0.12 mm at 1 km from the origin.
// Three kinds of box:
//   ordinary     finite, low ≤ high on every axis                   overlaps by comparison, touching counts
//   empty        finite, low > high on some axis; a new Box         overlaps nothing
//   unbounded    some bound is NaN or infinite (or beyond floats)   overlaps all but empty boxes: whatever went wrong
//                                                                   with a point, nobody misses a contact silently
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "pliant/math/types.h"

namespace pliant::contact {

// The nearest floats not above and not below x. NaN stays NaN.
[[nodiscard]] inline float round_down(double x) {
  const float nearest = static_cast<float>(x);
  if (!(static_cast<double>(nearest) > x)) return nearest;
  // The bits of floats of one sign are ordered like the floats; 0 is followed by the smallest negative one.
  const auto bits = std::bit_cast<std::int32_t>(nearest);
  if (nearest == 0) return -std::numeric_limits<float>::denorm_min();
  return std::bit_cast<float>(nearest > 0 ? bits - 1 : bits + 1);
}
[[nodiscard]] inline float round_up(double x) { return -round_down(-x); }

struct Box {
  static constexpr float kFar = std::numeric_limits<float>::max();

  std::array<float, 3> low{kFar, kFar, kFar};      // m
  std::array<float, 3> high{-kFar, -kFar, -kFar};  // m

  // Smallest box of floats around the given corners.
  [[nodiscard]] static Box of(const Vec3& low, const Vec3& high) {
    return {{round_down(low[0]), round_down(low[1]), round_down(low[2])},
            {round_up(high[0]), round_up(high[1]), round_up(high[2])}};
  }

  void include(const Vec3& point) { include(of(point, point)); }
  // A NaN of either side stays.
  void include(const Box& other) {
    using Floats4 = float __attribute__((vector_size(16)));
    // Four bounds at a time: the low ones and high x, low z and the high ones.
    static_assert(sizeof(Box) == 6 * sizeof(float));
    constexpr std::size_t kSecond = 2 * sizeof(float);
    Floats4 own_low, other_low, own_high, other_high;
    __builtin_memcpy(&own_low, reinterpret_cast<const char*>(this), sizeof own_low);
    __builtin_memcpy(&other_low, reinterpret_cast<const char*>(&other), sizeof other_low);
    __builtin_memcpy(&own_high, reinterpret_cast<const char*>(this) + kSecond, sizeof own_high);
    __builtin_memcpy(&other_high, reinterpret_cast<const char*>(&other) + kSecond, sizeof other_high);
    // NOLINTBEGIN(misc-redundant-expression): what differs from itself is NaN
    const Floats4 lower = ((own_low <= other_low) | (own_low != own_low)) ? own_low : other_low;
    Floats4 higher = ((own_high >= other_high) | (own_high != own_high)) ? own_high : other_high;
    // NOLINTEND(misc-redundant-expression)
    higher[0] = lower[2];
    __builtin_memcpy(reinterpret_cast<char*>(this), &lower, sizeof lower);
    __builtin_memcpy(reinterpret_cast<char*>(this) + kSecond, &higher, sizeof higher);
  }
  // Moves every side outwards by the radius [m]; an empty box stays empty.
  void inflate(double radius) {
    for (int a = 0; a < 3; ++a) {
      low[a] = round_down(low[a] - radius);
      high[a] = round_up(high[a] + radius);
    }
  }

  [[nodiscard]] bool bounded() const {
    // x − x is 0 for finite x and NaN otherwise.
    float sum = 0;
    for (int a = 0; a < 3; ++a) sum += (low[a] - low[a]) + (high[a] - high[a]);
    return sum == 0;
  }
  [[nodiscard]] bool empty() const { return bounded() && (low[0] > high[0] || low[1] > high[1] || low[2] > high[2]); }
  // Both ordinary.
  [[nodiscard]] bool contains(const Box& other) const {
    for (int a = 0; a < 3; ++a) {
      if (!(low[a] <= other.low[a] && high[a] >= other.high[a])) return false;
    }
    return true;
  }
  [[nodiscard]] bool overlaps(const Box& other) const {
    if (empty() || other.empty()) return false;
    if (!bounded() || !other.bounded()) return true;
    for (int a = 0; a < 3; ++a) {
      if (low[a] > other.high[a] || other.low[a] > high[a]) return false;
    }
    return true;
  }
};

}  // namespace pliant::contact
