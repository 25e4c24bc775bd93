// Hinges of a sheet: pairs of triangles that share an edge, which is where a triangle mesh bends.
//
//          x2                T  = (x0, x1, x2)      edge of T opposite x0, traversed x1 → x2 in T
//        / | \               T~ = (x3, x2, x1)      the same edge, traversed the other way
//      x0  |  x3             Edge i of a triangle is the one opposite its corner i.
//        \ | /
//          x1                [Tamstorf2016, fig. 5.1 and section 5.4]
//
// An edge with one triangle is a border and no hinge. An edge with three or more triangles, with two that traverse it
// in the same direction, or with two that have all corners in common, has no angle: it yields no hinge and is listed.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

struct Hinge {
  std::array<int, 4> vertex;      // x0 x1 x2 x3 as drawn
  std::array<int, 2> triangle;    // T, T~; T is the one that comes first in the list
  std::array<int, 2> local_edge;  // number of the shared edge in T and in T~
};

enum class EdgeFault {
  non_manifold,  // three triangles or more
  misoriented,   // two triangles whose normals point to opposite sides
  doubled,       // two triangles with the same three corners
};

struct FaultyEdge {
  std::array<int, 2> vertex;  // smaller index first
  EdgeFault fault;
  std::vector<int> triangles;  // all that share it, ascending
};

struct SheetHinges {
  std::vector<Hinge> hinges;                    // by triangle T, then its edge
  std::vector<std::array<int, 3>> of_triangle;  // hinge across edge i of each triangle; −1 where there is none
  std::vector<std::array<int, 3>>
      side_of_triangle;                  // 0: the triangle is T of that hinge, 1: T~; −1 where there is none
  std::vector<FaultyEdge> faulty_edges;  // by vertices
};

// triangles: three different vertex indices each.
[[nodiscard]] SheetHinges find_hinges(std::span<const std::array<int, 3>> triangles);
[[nodiscard]] SheetHinges find_hinges(std::span<const Vec3i> triangles);

}  // namespace pliant
