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
[[nodiscard]] FourPoints gather(const std::array<int, 4>& point, std::span<const Vec3> x);
// Of point and triangle, or two edges; not of planes.
[[nodiscard]] ClosestPoints closest_of(const Candidate& pair, const FourPoints& x);
[[nodiscard]] int second_body_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point);

struct PairReach {
  double offset = 0;    // m, of both thicknesses
  double distance = 0;  // m, gap beyond them at which force begins
};
// Parts of one body that are near each other at rest reach only half of that way, so that nothing pushes at rest.
[[nodiscard]] PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                                 double distance);
// The smaller of the two primitives' areas [m²]; of nearly parallel edges a part that falls to nothing, since their
// closest points jump from end to end (contact_geometry.h, edge_mollifier).
[[nodiscard]] double area_of(const ContactSurface& surface, const Candidate& pair, const FourPoints& x);

// Fraction of the way d [m] from x [m] that a pair may go and keep the part `kept` of its gap beyond `offset`.
[[nodiscard]] double safe_fraction_of(const ContactSurface& surface, const Candidate& pair, const FourPoints& x,
                                      const FourPoints& d, double offset, double kept);

}  // namespace pliant::contact
