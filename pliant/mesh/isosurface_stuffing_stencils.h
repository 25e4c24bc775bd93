// How the surface cuts one tet of the body-centred cubic (BCC) lattice, and the tets that fill the inner part.
//
// Every corner of the lattice tet is inside (+), on the surface (0) or outside (−); every edge from + to − carries one
// cut point. The inner part is, by the number of + corners:
//
//   no −          the tet itself                              + − − −   1 tet: the − corners replaced by cut points
//   + + 0 −       pyramid over a quadrilateral, 2 tets         + + − −   prism, 3 tets
//   + + + −       prism, 3 tets                                no +      nothing
//
// Each quadrilateral a, b, cut(b,m), cut(a,m) lies in a face (a, b, m) of the lattice tet and is split by a diagonal
// that the tet across that face must choose too. The choice therefore depends only on the face:
//
//        m          A lattice edge is long (along an axis, length s) or short (half a cube diagonal, √3/2 s); a face
//       / \         has one long edge.
//     ca---cb       am, bm of different length: the diagonal ends at the cut point of the long one.
//     /     \       both short: it starts at the one of a, b of which an even number of coordinates exceed those of m.
//    a-------b      a and b then differ along one axis only, so exactly one of them qualifies.
//
// Neither rule ever makes the three diagonals of a prism chase each other in a circle (which would have no tets): the
// test runs through all sign patterns. The shapes are those of [Labelle2007], their table derived anew: the worst
// dihedral angle is 9.3°; ending the mixed diagonal at the short edge's cut point instead would give 6.2°.
#pragma once

#include <array>
#include <cstdint>

#include "pliant/math/types.h"

namespace pliant::mesh {

enum class Side : std::int8_t { outside = -1, on_surface = 0, inside = 1 };

// Nearer than this fraction of an edge to its end, a cut point takes the lattice point along. Larger values make the
// moved tets worse, smaller ones the cut tets; these balance the two.
inline constexpr double kLongReach = 0.24999;
inline constexpr double kShortReach = 0.41189;

// A corner of an output tet: corner `from` of the lattice tet when from == to, else the cut point of its edge.
struct StencilVertex {
  int from = 0;  // index 0..3; + corner of a cut edge
  int to = 0;    // index 0..3; − corner of a cut edge
};

struct Stencil {
  int tet_count = 0;
  std::array<std::array<StencilVertex, 4>, 3> tets;  // positively oriented if the lattice tet is
};

// sides and places of the four corners; places in half cells, so all coordinates of a point are even or all odd.
[[nodiscard]] Stencil split_lattice_tet(const std::array<Side, 4>& sides, const std::array<Vec3i, 4>& places);

}  // namespace pliant::mesh
