// Which pairs stay apart while their points go straight ways: eight pairs at a time, in single precision. What it says is
// sure, rounding included; of what it does not say, the lanes of doubles (pair_lanes.h) know more.
//
//   u          from the closest point of the second primitive to that of the first, halfway
//   apart(∓)   = (min_i u·(c_i ∓ h_i) − max_j u·(c_j ∓ h_j)) / |u|       i of the first primitive, j of the second
//
// c_i is the middle of a point's way, h_i half of it: apart(−) is how long u separates the pair at the start, apart(+) at the end.
// In between the gap along u is never less than at one of them, as it is a minimum of linear functions of time. Any u would
// do: how well the closest points are found does not matter for safety.
#pragma once

#include <array>
#include <span>

#include "pliant/contact/contact_geometry.h"
#include "pliant/math/lanes.h"

namespace pliant::contact {

// Of one point: eight floats, which one load takes.
struct alignas(32) PointWay {
  std::array<float, 3> middle;  // m, c
  std::array<float, 3> half;    // m, h
  float error;                  // m, by which rounding may have moved either end
  float reach;                  // m, no less than what the point's body adds to a pair's thickness and distance
};
[[nodiscard]] PointWay way_between(const Vec3& from, const Vec3& to, double reach);

// point[j][k]: vertex j of pair k; for fewer than eight pairs the last is to be repeated.
using EightPairs = std::array<std::array<int, 8>, 4>;
// m: how much farther apart than the reaches of its points together each pair surely stays; else anything, also NaN.
[[nodiscard]] math::FloatLanes room_on_ways(PairKind kind, const EightPairs& point, std::span<const PointWay> ways);

}  // namespace pliant::contact
