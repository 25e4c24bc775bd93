// Measures of four candidate pairs at a time, one in each SIMD lane; pair_measures.h has the same of one. Not of planes.
#pragma once

#include <array>
#include <span>

#include "pliant/contact/contact_geometry.h"
#include "pliant/contact/distance/closest_lanes.h"
#include "pliant/math/lane_vector.h"

namespace pliant::contact {

// Four points, or ways, of each of four pairs [m].
struct PairLanes {
  math::LaneVector vertex[4];
};

// point: of the four pairs; all of them are points of x.
inline void gather(const std::array<const std::array<int, 4>*, 4>& point, std::span<const Vec3> x, PairLanes& lanes) {
  for (std::size_t j = 0; j < 4; ++j)
    lanes.vertex[j] = math::gather(x.data()->data(), (*point[0])[j], (*point[1])[j], (*point[2])[j], (*point[3])[j]);
}

inline void find_closest(PairKind kind, const PairLanes& x, ClosestLanes& closest) {
  if (kind == PairKind::edges) {
    closest_edge_pairs(x.vertex, closest);
  } else {
    closest_point_triangles(x.vertex, closest);
  }
}

// m, no less than the distance between any two of a pair's points
[[nodiscard]] math::Lanes sizes_of(const PairLanes& x);
// m⁴, |e₁ × e₂|² of two edges, which the mollifier of nearly parallel ones is of
[[nodiscard]] math::Lanes edge_products(const PairLanes& x);
// m, by how much primitives may come nearer at most
[[nodiscard]] math::Lanes motions_between(PairKind kind, const PairLanes& way);
// m, distance_along_middles of points at x, at x + way and between.
[[nodiscard]] math::Lanes distances_along_middles(PairKind kind, const PairLanes& x, const PairLanes& way);

// Calls four(pairs, count) with up to four of the numbers that follow each other and are of one kind, the last repeated to
// fill up, and one(pair) with those that are with planes. kind_of(number): PairKind.
template <class KindOf, class Four, class One>
void for_groups_of_four(std::span<const int> numbers, KindOf&& kind_of, Four&& four, One&& one) {
  for (std::size_t i = 0; i < numbers.size();) {
    const PairKind kind = kind_of(numbers[i]);
    if (kind == PairKind::point_plane) {
      one(numbers[i++]);
      continue;
    }
    std::array<int, 4> group;
    int count = 0;
    for (; count < 4 && i < numbers.size() && kind_of(numbers[i]) == kind; ++i)
      group[static_cast<std::size_t>(count++)] = numbers[i];
    for (int k = count; k < 4; ++k) group[static_cast<std::size_t>(k)] = group[static_cast<std::size_t>(count - 1)];
    four(kind, group, count);
  }
}

}  // namespace pliant::contact
