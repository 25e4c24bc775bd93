// Fills a solid with tets of good shape whose boundary lies on its surface: isosurface stuffing [Labelle2007].
//
//   auto mesh = mesh::stuff_isosurface(solid, grid);
//
// 1. A body-centred cubic lattice (cube corners and cube centres; tets around every face shared by two cubes) covers
//    the solid. Every lattice point is inside, on the surface, or outside.
// 2. Every lattice edge between inside and outside has a cut point where it meets the surface.
// 3. A lattice point with a cut point nearer than α · edge length moves onto the nearest such cut point and is on the
//    surface from then on; the other cut points of its edges are forgotten.
// 4. Every lattice tet with a corner inside emits the tets of its stencil (isosurface_stuffing_stencils.h).
//
// Dihedral angles: between 9.31° and 161.65° for α = 0.24999 on long edges (length s, the cell size) and 0.41189 on
// short ones (√3/2 s) [Labelle2007]; isosurface_stuffing_stencils_test.cpp finds the same figures by trying all extreme
// positions. They hold for any solid, however rough, because steps 3 and 4 see nothing but sides and cut points.
//
// Deviation: uniform cells, no octree: tets of the size of s everywhere, where a graded lattice would make the interior
// coarser. Sharp edges and corners of the surface are rounded over one cell.
#pragma once

#include <functional>
#include <span>

#include "pliant/mesh/isosurface_stuffing_stencils.h"
#include "pliant/mesh/meshes.h"

namespace pliant::mesh {

// A block of cubes: cell (i, j, k) spans origin + cell_size · [i, i+1] × [j, j+1] × [k, k+1].
struct CellGrid {
  Vec3 origin = Vec3::Zero();         // m
  double cell_size = 1;               // m
  Vec3i cell_counts = Vec3i::Zero();  // per axis

  [[nodiscard]] long long cell_count() const {
    return static_cast<long long>(cell_counts[0]) * cell_counts[1] * cell_counts[2];
  }
};

// The two questions stuffing asks about a solid. Both are called from several threads at once.
struct Solid {
  std::function<void(std::span<const Vec3>, std::span<Side>)> find_sides;  // of a row of neighbouring points [m]
  std::function<double(const Vec3& inner, const Vec3& outer)> cut;  // parameter in [0, 1] where the segment leaves
};

// All cells at the border of the grid must be outside: leave one cell of margin around the solid.
[[nodiscard]] TetMesh stuff_isosurface(const Solid& solid, const CellGrid& grid);

}  // namespace pliant::mesh
