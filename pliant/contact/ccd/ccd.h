// How far two primitives may move along straight lines before they come too close (continuous collision detection).
//
//   x_i(t) = x_i + t d_i,  t in [0, 1]       vertices of a pair [m]
//   h(t) = min_i u·x_i(t) − max_j u·y_j(t)   gap along a unit direction u, x of the first primitive, y of the second
//   distance(t) ≥ h(t)                       for any u; equal at the t where u joins the closest points
//
// Conservative advancement after [Li2021, §5 additive CCD]: from the distance at t, a step that cannot use it up; again
// until the way or the distance ends. Deviation: instead of distance / (sum of the largest displacements), a step is how
// long h stays above what must be kept. h is concave in t, so both ends of a step prove all of it. As the rate of h is
// never more than the sum of displacements, no step is shorter than that of [Li2021], and sliding along a surface does
// not shorten it at all.
//
// Rounding. Everything is relative to the first vertex, so that inputs are differences, each with one rounding. h is
// lowered by 32 eps (R + t E), R and E the largest coordinates of relative position and motion; the sums above err by
// less than 24 eps (R + t E). How well u is computed does not matter for safety. The gap kept is never below what
// rounding of stored positions x + t d can take.
#pragma once

#include <array>

#include "pliant/math/types.h"

namespace pliant::contact {

struct CcdOptions {
  double kept = 0.1;  // of the distance beyond the offset, in (0, 1); smaller: longer ways, then closer pairs
  // Steps; when they are used up, the fraction reached so far is returned. Two are usual; only primitives that turn by
  // much more than their gap / size per way need many.
  int iteration_limit = 256;
};

// What is known about a way.
struct SafeWay {
  double fraction = 0;   // of it that is safe, in [0, 1]
  double least_gap = 0;  // m, beyond the offset, that the pair surely keeps on all of it; 0 = not known
};

// Fraction of the way, in [0, 1], that the vertices may go from x to x + d so that the two primitives keep at least
// `kept` of their distance beyond `offset` (m, ≥ 0, sum of their thicknesses) all the way: never past a touch, possibly
// earlier than needed. 1 when the way is free; 0 when the pair touches at the start, is closer than rounding can tell
// (about 1e-14 × size of pair and way), or anything is not finite.
[[nodiscard]] double safe_fraction_point_triangle(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d,
                                                  double offset, const CcdOptions& options = {});
// Vertices: first edge's two, then the second's.
[[nodiscard]] double safe_fraction_edges(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                                         const CcdOptions& options = {});
// Vertices: point, then the edge's two.
[[nodiscard]] double safe_fraction_point_edge(const std::array<Vec3, 3>& x, const std::array<Vec3, 3>& d, double offset,
                                              const CcdOptions& options = {});
// The same, and what gap is left: for a pair that is never near no more is to be done.
[[nodiscard]] SafeWay safe_way_point_triangle(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                                              const CcdOptions& options = {});
[[nodiscard]] SafeWay safe_way_edges(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                                     const CcdOptions& options = {});
[[nodiscard]] double safe_fraction_points(const std::array<Vec3, 2>& x, const std::array<Vec3, 2>& d, double offset,
                                          const CcdOptions& options = {});

// True when a pair surely needs none of the above: `distance` (m) is a lower bound of its distance at the start (of
// boxes, or a computed one less its error), `motion` (m) the largest |d_i| of the first primitive plus that of the
// second. For whole arrays of pairs: no vertex is read.
[[nodiscard]] inline bool is_motion_too_small(double distance, double motion, double offset,
                                              const CcdOptions& options = {}) {
  return motion < (1 - options.kept) * (distance - offset);
}

}  // namespace pliant::contact
