// On which side of a line or a plane does a point lie? Answered without rounding error.
//
//   orient2d(a, b, c)       sign of  (b − a) × (c − a)                 + when a, b, c turn counter-clockwise
//   orient3d(a, b, c, d)    sign of  ((b − a) × (c − a)) · (d − a)     + when d lies where the normal of a, b, c points
//
// First in plain doubles with a bound of the rounding error; where the bound does not decide, once more with numbers
// that are sums of doubles and lose nothing [Shewchuk1997]. Most calls end at the first stage.
//
// Exact as long as no product leaves the range of doubles: every coordinate is 0 or has kSmallestExact ≤ |x| ≤
// kLargestExact. (Coordinates then are multiples of 2⁻³⁵², their differences too, and products of three multiples of
// 2⁻¹⁰⁵⁶; the smallest double is 2⁻¹⁰⁷⁴.)
#pragma once

#include "pliant/math/types.h"

namespace pliant::contact {

inline constexpr double kSmallestExact = 0x1p-300;  // 5e-91
inline constexpr double kLargestExact = 0x1p300;    // 2e90

// −1, 0 or 1.
[[nodiscard]] int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);
[[nodiscard]] int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// The second stage alone: slower, the same answers.
[[nodiscard]] int orient2d_by_expansions(const Vec2& a, const Vec2& b, const Vec2& c);
[[nodiscard]] int orient3d_by_expansions(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace pliant::contact
