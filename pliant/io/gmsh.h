// Gmsh .msh files, formats 2.2 and 4.1, ASCII and binary (either byte order).
//
// Read: linear tetrahedra; or triangles and quadrangles when there are no volume elements. Nodes that no such cell uses
// (centres of arcs, other dimensions) are dropped and the rest keep the order of the file, because Gmsh numbers nodes
// by tags that need not be consecutive. Other volume elements and curved triangles are errors. Format 2.2 repeats an
// element for each physical group it belongs to; repetitions are dropped. Formats 1 and 4.0 are not read.
#pragma once

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

#include "pliant/io/mesh_file_cells.h"

namespace pliant::io {

// A TetMesh when the file has tetrahedra, else a TriangleMesh. name: for messages. Throws InputError.
AnyMesh read_gmsh(std::istream& in, const std::string& name);

// Format 4.1, ASCII, one volume; reads back to the same doubles. Throws WriteError.
void write_gmsh(std::ostream& out, const TetMesh& mesh, const std::string& name);
void write_gmsh(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace pliant::io
