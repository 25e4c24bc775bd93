// Meshes from files, by the suffix of the name (capital letters too):
//
//   .obj .ply     surfaces
//   .msh .mesh    Gmsh and Medit: tets, or a surface when the file has no tets
//   .node .ele    TetGen: tets; either name finds the other file beside it
//
// Positions are taken as metres; vertices keep the order of the file (Gmsh: without unused ones, see gmsh.h).
// Whatever the bytes of the file are, a reader returns a mesh that keeps the promises of mesh_file_cells.h, or throws
// an InputError that names file and line. Memory is at most a small multiple of the file's size.
#pragma once

#include <filesystem>

#include "pliant/io/mesh_file_cells.h"
#include "pliant/mesh/meshes.h"

namespace pliant::io {

AnyMesh read_mesh(const std::filesystem::path& path);

// The same, where only one kind will do; the other kind is an InputError.
TriangleMesh read_triangle_mesh(const std::filesystem::path& path);
TetMesh read_tet_mesh(const std::filesystem::path& path);

}  // namespace pliant::io
