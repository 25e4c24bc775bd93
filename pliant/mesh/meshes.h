// The kinds of mesh Pliant works on: plain arrays, positions in metres.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// A surface, or a sheet of cloth. Triangles are counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices;    // m
  std::vector<Vec3i> triangles;  // indices into vertices
  std::vector<Vec2> texture;     // per vertex, or empty: u, v (cloth: the rest state and the warp direction)
  // Per corner of each triangle, when vertices on a seam have several coordinates; else empty, as `texture` may be.
  std::vector<std::array<Vec2, 3>> corner_texture{};
};

// A solid. Every tet has positive volume: det(x1−x0, x2−x0, x3−x0) > 0.
struct TetMesh {
  std::vector<Vec3> vertices;  // m
  std::vector<Vec4i> tets;     // indices into vertices
};

// A surface carried by a tet mesh: each surface vertex is a fixed mix of one tet's corners.
struct EmbeddedSurface {
  TriangleMesh surface;       // as given, in the rest pose
  std::vector<int> tet;       // per surface vertex
  std::vector<Vec4> weights;  // per surface vertex, barycentric: sums to 1, slightly negative when just outside its tet
};

}  // namespace pliant
