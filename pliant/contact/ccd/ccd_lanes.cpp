#include "pliant/contact/ccd/ccd_lanes.h"

#include "pliant/contact/ccd/ccd_errors.h"

namespace pliant::contact {
namespace {

using math::both;
using math::LaneMask;
using math::Lanes;
using math::lanes_of;
using math::LaneVector;
using math::select;

Lanes largest_coordinate(const LaneVector& v) {
  return math::max(math::abs(v.x), math::max(math::abs(v.y), math::abs(v.z)));
}

}  // namespace

SafeWayLanes first_safe_ways(int first_count, const LaneVector x[4], const LaneVector d[4], const ClosestLanes& closest,
                             Lanes offset, const CcdOptions& options) {
  const Lanes zero{}, one = lanes_of(1);
  // Relative to vertex 0.
  LaneVector position[4]{}, motion[4]{}, r{};
  Lanes size = lanes_of(kSmallestSize), reach = size;
  for (int i = 1; i < 4; ++i) {
    position[i] = x[i] - x[0];
    motion[i] = d[i] - d[0];
    size = math::max(size, largest_coordinate(position[i]));
    reach = math::max(reach, largest_coordinate(motion[i]));
    r = r + closest.weight[i] * position[i];
  }
  const Lanes distance = math::sqrt(dot(r, r));
  const LaneVector direction = (one / distance) * r;

  // Where the vertices are along it, at the start and at the end.
  Lanes at[4]{}, by[4]{}, sum{};
  for (int i = 1; i < 4; ++i) {
    at[i] = dot(direction, position[i]);
    by[i] = dot(direction, motion[i]);
    sum += math::abs(at[i]) + math::abs(by[i]);
  }
  Lanes low = at[0], low_end = at[0] + by[0], high = at[3], high_end = at[3] + by[3];
  for (int i = 1; i < 3; ++i) {
    if (i < first_count) {
      low = math::min(low, at[i]);
      low_end = math::min(low_end, at[i] + by[i]);
    } else {
      high = math::max(high, at[i]);
      high_end = math::max(high_end, at[i] + by[i]);
    }
  }
  // No less than the largest coordinate that will be stored. Not a number makes no proof: sum and gap keep it.
  const Lanes stored = largest_coordinate(x[0]) + largest_coordinate(d[0]) + size + reach;
  const Lanes gap = low - high - kGapError * size - offset;
  const Lanes kept = math::max(options.kept * gap, kStoringError * stored);
  const Lanes start = gap - kept, end = low_end - high_end - kGapError * (size + reach) - offset - kept;
  const LaneMask is_good = both(gap > zero, gap > kGoodDirection * (distance - offset));
  const LaneMask begins =
      both(both(is_good, start > kGapTolerance * kept), both(sum < kLargestSize, stored < kLargestSize));
  const LaneMask is_free = both(begins, end >= zero);
  const Lanes least_gap = select(is_free, kept + math::min(start, end), zero);
  if (math::all(is_free)) return {one, least_gap};

  // Until one of the lines of two vertices is zero.
  Lanes until = one;
  for (int i = 0; i < first_count; ++i) {
    for (int j = first_count; j < 4; ++j) {
      const Lanes a = at[i] - at[j] - kGapError * size - offset - kept, b = by[i] - by[j] - kGapError * reach;
      until = select(a + b < zero, math::min(until, a / -b * (1 - 4 * kCcdEpsilon)), until);
    }
  }
  return {select(is_free, one, select(begins, math::min(math::max(until, zero), one), zero)), least_gap};
}

}  // namespace pliant::contact
