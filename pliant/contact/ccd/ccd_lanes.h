// How far four pairs at a time may surely move: the first step of ccd.h, which for most pairs is the whole way. No branches.
#pragma once

#include "pliant/contact/ccd/ccd.h"
#include "pliant/contact/distance/closest_lanes.h"
#include "pliant/math/lane_vector.h"

namespace pliant::contact {

struct SafeWayLanes {
  math::Lanes fraction;  // of the way that is surely safe, in [0, 1]; below 1 the rest has to be looked at (ccd.h)
  math::Lanes
      least_gap;  // m, beyond the offset, that the pair surely keeps on all of it; 0 where the fraction is below 1
};

// x [m], d [m]: vertices and their ways, those of the first primitive (one or two) first. closest: of x; how good it is does
// not matter for safety. offset: m.
[[nodiscard]] SafeWayLanes first_safe_ways(int first_count, const math::LaneVector x[4], const math::LaneVector d[4],
                                           const ClosestLanes& closest, math::Lanes offset,
                                           const CcdOptions& options = {});

}  // namespace pliant::contact
