// A box of cells, centred at the origin: as a solid of tets, or as its closed surface.
//
// Solid: five tets per cell (lattice_tets.h), in forms that alternate with the parity of i + j + k, so that no
// direction is preferred; along an axis with an even count the mesh is its own mirror image, to the last bit.
// Vertex (i, j, k), counted along x, y, z, has index (k·(ny+1) + j)·(nx+1) + i.
// Surface: the same boundary triangles; its vertices are the solid's boundary vertices in the same order.
#pragma once

#include <array>
#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant {

struct BoxOptions {
  Vec3 size{1.0, 1.0, 1.0};           // m
  std::array<int, 3> cells{1, 1, 1};  // along x, y, z, at least 1 each, product at most 50 million
};

[[nodiscard]] TetMesh make_box(const BoxOptions& options, const std::string& place = "");
[[nodiscard]] TriangleMesh make_box_surface(const BoxOptions& options, const std::string& place = "");

}  // namespace pliant
