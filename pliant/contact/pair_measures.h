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

// How far they go when q goes along d and progress by progress_step [m]. The mapping is affine: the way of a mapped point
// is the mapped way.
void find_ways(const ContactSurface& surface, const Controls& controls, const BlockVector& d, double progress_step,
               std::vector<Vec3>& way);
// Per point, whether nothing but scripts moves it; or kNotThere.
void find_fixed_points(const ContactSurface& surface, const Controls& controls, std::vector<unsigned char>& is_fixed);

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
// m: the primitives of a pair are surely so far apart, or farther, when their points are at x, at y, and on the straight
// ways between: along the line between their middles, halfway. Often less than they are, also negative, but costs little.
// Not of planes.
[[nodiscard]] double distance_along_middles(PairKind kind, const FourPoints& x, const FourPoints& y);

// What its bodies reach.
[[nodiscard]] inline PairReach reach_of_bodies(const ContactSurface& surface, PairKind kind,
                                               const std::array<int, 4>& point, double distance) {
  return surface.reach(surface.body_of_point[point[0]], second_body_of(surface, kind, point), distance);
}
// How far a pair reaches, from what its bodies do. Parts of one body that are near each other at
// rest (a rod's neighbouring segments, a fine mesh) reach only half of that way, so that nothing pushes at rest.
[[nodiscard]] PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                                 const PairReach& of_bodies);
// The smaller of the two primitives' areas [m²].
[[nodiscard]] double area_of(const ContactSurface& surface, const Candidate& pair);
// |e₁ × e₂|² of a pair of edges below which it counts as nearly parallel [m⁴]: closest points then jump from end to end
// (contact_geometry.h, edge_mollifier). 0 for other pairs.
[[nodiscard]] double parallel_threshold(const ContactSurface& surface, PairKind kind, const std::array<int, 4>& point);

// A step goes at most so far that this part of every gap is left: it keeps barriers finite.
inline constexpr double kKeptOfGap = 0.2;

}  // namespace pliant::contact
