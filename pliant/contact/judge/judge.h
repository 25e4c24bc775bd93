// Is a surface free of intersections? Decided without rounding error, and by code of its own: nothing here is shared
// with the contact search, distances or continuous detection of the solvers, whose results it judges.
//
//   const std::vector<std::array<int, 2>> edges = edges_of(triangles);
//   const Judgement judgement = judge({.positions = x, .triangles = triangles, .edges = edges});
//   if (!judgement.is_clean()) …
//
// Every edge is tested with every triangle. They intersect when they share a point; touching counts, also within one
// plane and of different vertices at the same position, since a barrier keeps surfaces apart. Exceptions:
//   one vertex in common       the rest of the edge, without that vertex, must touch the triangle
//   both ends in common        not tested: the edge is a side of the triangle
// Two surfaces that cross, cross along an edge of one and a triangle of the other, so none is missed. Segments that
// belong to no triangle (rods) are judged against triangles, not against each other: lines cross with probability 0.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant::contact {

struct JudgedSurface {
  std::span<const Vec3> positions;            // m
  std::span<const Vec3i> triangles;           // indices into positions
  std::span<const std::array<int, 2>> edges;  // sides of triangles, each once, and lone segments
  std::span<const int> body_of_vertex = {};   // empty: no bodies, ignores_bodies is not asked
  // Pairs of bodies that may intersect (contact is off between them): body of the edge, body of the triangle. Asked
  // only about pairs that do intersect, from several threads at once.
  std::function<bool(int, int)> ignores_bodies = {};
  int most_listed = 10;  // in Judgement::first
};

struct Intersection {
  std::array<int, 2> edge{-1, -1};
  Vec3i triangle{-1, -1, -1};
  std::array<int, 2> body{-1, -1};  // of the edge and of the triangle; −1 without bodies
  Vec3 place = Vec3::Zero();        // m, about where (rounded)
};

struct Judgement {
  std::int64_t count = 0;           // pairs of an edge and a triangle that intersect
  std::vector<Intersection> first;  // at most most_listed, in the order of edges, then of triangles
  // Edges and triangles left out because a coordinate is not finite or larger than kLargestExact.
  std::int64_t not_judged = 0;

  [[nodiscard]] bool is_clean() const { return count == 0 && not_judged == 0; }
};

// Coordinates smaller than kSmallestExact (5e-91 m) count as 0; see exact_predicates.h. The same result for any number
// of threads.
[[nodiscard]] Judgement judge(const JudgedSurface& surface);

// All sides of the triangles, each once, smaller index first, sorted.
[[nodiscard]] std::vector<std::array<int, 2>> edges_of(std::span<const Vec3i> triangles);

}  // namespace pliant::contact
