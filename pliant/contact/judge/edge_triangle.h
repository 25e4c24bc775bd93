// Does an edge touch a triangle? Exact, for any positions: triangles may have no area, edges no length.
//
//        q                 Both are closed: an end on the triangle, a corner on the edge and overlap within one plane
//        |    c            count. Only signs of exact_predicates.h and comparisons of coordinates decide, so the order
//   a ---+---/             of ends and corners does not matter.
//     \  |  /
//       \p b
//
// Coordinates in the range given there.
#pragma once

#include "pliant/math/types.h"

namespace pliant::contact {

// The edge p–q and the triangle a, b, c, which have no vertex in common, share a point.
[[nodiscard]] bool edge_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

// An edge from a corner of the triangle: `shared`, where they always meet. True if the rest of the edge, `other` and
// all points between, touches the triangle: the edge runs inside the triangle or along its side, or has no length.
[[nodiscard]] bool edge_reenters_triangle(const Vec3& shared, const Vec3& other, const Vec3& b, const Vec3& c);

}  // namespace pliant::contact
