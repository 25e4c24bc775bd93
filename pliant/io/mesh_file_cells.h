// What every mesh reader does with one vertex, polygon or tetrahedron of its file: check it, and add it to the mesh.
// A mesh that a reader returns has finite coordinates, indices in range, no triangle with a repeated corner, and only
// tets of positive volume.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "pliant/io/text_scanner.h"
#include "pliant/mesh/meshes.h"

namespace pliant::io {

// A file whose suffix does not tell which of the two it holds.
using AnyMesh = std::variant<TriangleMesh, TetMesh>;

// The next three numbers of the scanner, as metres.
Vec3 scan_point(TextScanner& in);

// The position of `number` among `size` things that the file numbers first, first + 1, …
int checked_index(const TextScanner& in, std::int64_t number, std::int64_t first, std::size_t size);

// Adds the polygon as a fan of triangles around its first corner: exact for convex polygons; others may fold over.
void add_polygon(const TextScanner& in, std::span<const int> corners, std::vector<Vec3i>& triangles);

// Adds a tet. Formats disagree on the order of the corners, so a negative volume is made positive by exchanging two.
void add_tet(const TextScanner& in, const Vec4i& corners, TetMesh& mesh);

// The memory to reserve for `count` items, as the file announces them, of which each takes at least `bytes_each` of it.
std::size_t believable_count(const TextScanner& in, std::int64_t count, std::size_t bytes_each);

}  // namespace pliant::io
