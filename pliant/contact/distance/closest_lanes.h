// Closest points of four pairs at a time, one in each SIMD lane: what closest_points.h says, without its branches.
#pragma once

#include "pliant/contact/distance/closest_points.h"
#include "pliant/math/lane_vector.h"

namespace pliant::contact {

struct ClosestLanes {
  math::Lanes squared_distance;  // m²
  math::Lanes weight[4];         // γ
  math::LaneMask feature;        // the numbers of Feature

  [[nodiscard]] math::Lanes distance() const { return math::sqrt(squared_distance); }
  [[nodiscard]] math::LaneMask is(Feature wanted) const { return feature == static_cast<std::int64_t>(wanted); }
};

// Vertices: points, then the triangles' three. The same bits for a pair in any lane and any company.
void closest_point_triangles(const math::LaneVector x[4], ClosestLanes& closest);
// Vertices: the first edges' two, then the second's two.
void closest_edge_pairs(const math::LaneVector x[4], ClosestLanes& closest);

}  // namespace pliant::contact
