// Medit .mesh files (ASCII; INRIA's libMeshb, also written by Gmsh, Mmg, TetGen and FreeFem).
//
// Read: Vertices, Tetrahedra, or Triangles and Quadrilaterals when there are no tets; the reference number of each
// entity and all other sections are skipped. Vertices must stand before the cells. Cells that Pliant cannot simulate
// (hexahedra, prisms, pyramids, curved tets) are errors. The binary form .meshb is not read.
#pragma once

#include <istream>
#include <string>

#include "pliant/io/mesh_file_cells.h"

namespace pliant::io {

// A TetMesh when the file has tetrahedra, else a TriangleMesh. name: for messages. Throws InputError.
AnyMesh read_medit(std::istream& in, const std::string& name);

}  // namespace pliant::io
