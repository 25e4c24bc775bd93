// A solid ball of tets, centred at the origin: a lattice octahedron inflated to a sphere.
//
//   |i| + |j| + |k| ≤ m = cells/2     lattice points; of the five tets per cell (lattice_tets.h) those inside remain.
//                                     With the middle tets on vertices of the parity of m, the octahedron's faces are
//                                     faces of the lattice.
//   x = R · (|p|₁/m) · d/|d|,  d_a = sin(½π p_a/|p|₁)
//
// Why not inflate a cube: tets at its edges and corners have all four vertices on the surface, and become flat as the
// mesh is refined. In the octahedron no tet has. The sine spaces vertices on the octahedron's edges evenly along great
// circles. Measured up to 100 cells: angles between faces from 19° to 119°, the largest tet at most 4.3 times the
// smallest. The mesh is its own mirror image in x, y and z.
// Vertices are ordered by k, then j, then i; `cells` counts lattice steps along each diameter on the axes.
#pragma once

#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant {

struct BallOptions {
  double radius = 0.5;  // m; boundary vertices lie on it
  int cells = 8;        // across the diameter, 2 to 368; odd counts are rounded up to the next even one
};

[[nodiscard]] TetMesh make_ball(const BallOptions& options, const std::string& place = "");

}  // namespace pliant
