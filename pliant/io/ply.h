// PLY surfaces (Stanford polygon format 1.0): ascii, binary_little_endian and binary_big_endian.
//
// Read: element `vertex` with x, y, z of any type, and texture coordinates named s t, u v, texture_u texture_v or
// texcoord_u texcoord_v; element `face` with vertex_indices or vertex_index. Polygons become fans of triangles. Other
// properties and elements are skipped, among them texture coordinates given per corner of a face. Triangle strips are
// not read.
#pragma once

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant::io {

// name: the file as the user knows it, for messages. Throws InputError.
TriangleMesh read_ply(std::istream& in, const std::string& name);

enum class PlyPrecision { float32, float64 };

// Binary little endian: positions, texture coordinates (s, t) if any, triangles. Throws WriteError.
void write_ply(std::ostream& out, const TriangleMesh& mesh, const std::string& name,
               PlyPrecision precision = PlyPrecision::float64);
void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh,
               PlyPrecision precision = PlyPrecision::float64);

}  // namespace pliant::io
