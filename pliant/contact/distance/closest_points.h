// Closest points of two primitives of a surface: point and triangle, two edges, point and edge.
//
//        p                          r = Σ γ_j x_j      from the closest point of the second primitive to the first's [m]
//        |  r                       γ                  sums to zero; 1 over the first primitive, −1 over the second
//   a ---+--- b   d = |r|           feature            which parts hold the closest points
//
// The weights always describe points of the primitives, so that |r| is never below the true distance but for rounding
// (a few eps × size of the pair: all is computed from differences of vertices, so the distance from the origin does not
// matter). Slivers and nearly parallel edges lose at most sqrt(eps) × their length. Regions after [Ericson2005, §5.1],
// with this deviation: what is not inside a face, or a crossing of two edges, takes the best of all pairs of lower
// dimension instead of a decision tree; a wrong decision by rounding then costs nothing.
#pragma once

#include <array>
#include <cmath>

#include "pliant/math/types.h"

namespace pliant::contact {

// Which parts of two primitives are closest: it decides how the distance depends on the vertices.
enum class Feature : unsigned char { point_point, point_edge, point_face, edge_edge };

// r = Σ γ_j x_j over the four vertices of a pair leads from the second primitive's closest point to the first's; |r| is
// the distance.
struct ClosestPoints {
  double squared_distance = 0;     // m²
  std::array<double, 4> weight{};  // γ; those of vertices that take no part are exactly zero
  Feature feature = Feature::point_point;

  [[nodiscard]] double distance() const { return std::sqrt(squared_distance); }
};

// Vertices: point, then the triangle's three: γ = (1, −β0, −β1, −β2). A triangle without area is its edges.
[[nodiscard]] ClosestPoints closest_point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

// Vertices: first edge's two, then the second's two: γ = (1−s, s, −(1−t), −t). Where many pairs of points are closest
// (parallel edges), one that has a vertex in it.
[[nodiscard]] ClosestPoints closest_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1);

// γ = (1, −(1−t), −t, 0). An edge without length is its first vertex.
[[nodiscard]] ClosestPoints closest_point_edge(const Vec3& p, const Vec3& a, const Vec3& b);

}  // namespace pliant::contact
