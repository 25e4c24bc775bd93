// What can be said about a candidate pair of a surface: where its points are, how near they are, from which gap on they
// push and on which area, and how far they may go.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/configuration/controls.h"
#include "pliant/contact/contact_geometry.h"
#include "pliant/contact/contact_surface.h"
#include "pliant/contact/detection.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::contact {

// Where all points are at (q, progress) [m].
void place_points(const ContactSurface& surface, const Controls& controls, const BlockVector& q, double progress,
                  std::vector<Vec3>& x);

// Zero for a point that the pair does not have (−1).
[[nodiscard]] inline FourPoints gather(const std::array<int, 4>& point, std::span<const Vec3> x) {
  FourPoints four;
  for (std::size_t j = 0; j < 4; ++j)
    four[j] = point[j] < 0 ? Vec3(Vec3::Zero()) : x[static_cast<std::size_t>(point[j])];
  return four;
}
// Of point and triangle, or two edges; not of planes.
[[nodiscard]] inline ClosestPoints closest_of(PairKind kind, const FourPoints& x) {
  return kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                 : closest_point_triangle(x[0], x[1], x[2], x[3]);
}
[[nodiscard]] inline int second_body_of(const ContactSurface& surface, PairKind kind, const std::array<int, 4>& point) {
  return surface.body_of_point[point[kind == PairKind::edges ? 2 : 1]];
}
// Whether the primitives of a pair are surely farther apart than `distance` [m] when their points are at x, at y, and on
// the straight ways between: along the line between their middles, halfway. Misses many, but costs little. Not of planes.
[[nodiscard]] bool are_far_apart(PairKind kind, const FourPoints& x, const FourPoints& y, double distance);

// How far a pair reaches, from what its bodies do (ContactSurface::reach). Parts of one body that are near each other at
// rest (a rod's neighbouring segments, a fine mesh) reach only half of that way, so that nothing pushes at rest.
[[nodiscard]] PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                                 const PairReach& of_bodies);
[[nodiscard]] inline PairReach reach_of(const ContactSurface& surface, const Candidate& pair,
                                        const std::array<int, 4>& point, double distance) {
  const int first = surface.body_of_point[point[0]], second = second_body_of(surface, pair.kind, point);
  return reach_of(surface, pair, point, surface.reach(first, second, distance));
}
// The smaller of the two primitives' areas [m²].
[[nodiscard]] double area_of(const ContactSurface& surface, const Candidate& pair);
// |e₁ × e₂|² of a pair of edges below which it counts as nearly parallel [m⁴]: closest points then jump from end to end
// (contact_geometry.h, edge_mollifier). 0 for other pairs.
[[nodiscard]] double parallel_threshold(const ContactSurface& surface, PairKind kind, const std::array<int, 4>& point);

// Fraction of the way d [m] from x [m] that a pair may go and keep the part `kept` of its gap beyond `offset`.
[[nodiscard]] double safe_fraction_of(const ContactSurface& surface, const Candidate& pair, const FourPoints& x,
                                      const FourPoints& d, double offset, double kept);

}  // namespace pliant::contact
