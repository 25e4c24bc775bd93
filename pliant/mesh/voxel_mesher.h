// Encloses a surface in equal tets of a regular grid; the surface itself is embedded [Verschoor2012].
//
// Cells (cubes of edge s) that touch the surface or lie inside are kept, each split into six tets around its main
// diagonal (the Kuhn split): all have volume s³/6, dihedral angles 45°, 60° and 90°, and neighbouring cells agree on
// their common face because all diagonals point the same way. Every point of the surface is inside a kept tet.
// Near-uniform vertex degree gives the stiffness matrix rows of almost constant length.
//
// So that the boundary is a closed manifold, cells are added where kept cells would meet in an edge or vertex only.
// Deviations: whole cells are kept instead of the tets around marked grid vertices, which gives the same enclosure with
// a smoother rule; inner tets are not merged into larger ones, because merging brings unequal tets and vertex degrees,
// which is what this method is there to avoid.
#pragma once

#include "pliant/mesh/isosurface_stuffing.h"
#include "pliant/mesh/meshes.h"
#include "pliant/mesh/signed_distance.h"

namespace pliant::mesh {

struct VoxelMesh {
  TetMesh mesh;
  int kept_cell_count = 0;
  int added_cell_count = 0;  // of these, only for the boundary's sake
};

// The grid needs one cell of margin around the surface.
[[nodiscard]] VoxelMesh mesh_voxels(const TriangleMesh& surface, const SignedDistance& distance, const CellGrid& grid);

}  // namespace pliant::mesh
