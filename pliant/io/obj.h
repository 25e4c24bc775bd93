// Wavefront OBJ surfaces.
//
// Read: v (x y z; a weight or colour behind it is ignored), vt (u v), f with the forms 3, 3/1, 3//2 and 3/1/2 and with
// negative indices that count backwards. Polygons become fans of triangles. Normals, groups, materials, lines, points
// and free-form statements are skipped; a word that is no OBJ statement is an error. Faces may use only what stands
// above them.
// Texture coordinates become per-vertex when every corner has one and all corners of a vertex agree; a mesh with a
// texture seam would need split vertices, which would tear a simulated sheet apart, so its `texture` stays empty.
//
// Our own parser rather than tinyobjloader: version 2.0 of it reads malformed numbers and nan as zero, and returns
// indices out of range as a success, where we owe the user an error with a line number.
#pragma once

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant::io {

// name: the file as the user knows it, for messages. Throws InputError.
TriangleMesh read_obj(std::istream& in, const std::string& name);

// Positions, texture coordinates if any, triangles; reads back to the same doubles. Throws WriteError.
void write_obj(std::ostream& out, const TriangleMesh& mesh, const std::string& name);
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace pliant::io
