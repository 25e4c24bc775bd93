// A rectangular sheet of triangles in the xz-plane, normal +y, centred at the origin: cloth, or a floor.
//
//      diagonal      alternating       cross        equilateral
//     o--o--o--o     o--o--o--o     o---o---o     o-----o-----o
//     |\ |\ |\ |     |\ | /|\ |     |\ /|\ /|     | \  / \  / |     → x, u
//     | \| \| \|     | \|/ | \|     | o | o |     o--o-----o--o     ↓ z, −v
//     o--o--o--o     o--o--o--o     |/ \|/ \|     | /  \ /  \ |
//     |\ |\ |\ |     | /|\ | /|     o---o---o     o-----o-----o
//
// Vertex (i, j), i along x and j along z, has index j·(nx+1) + i for diagonal, alternating and irregular.
//   cross:        these come first, then the middles of the cells: (nx+1)(nz+1) + j·nx + i.
//   equilateral:  rows of vertices along x follow each other in z. Even rows have nx+1 vertices at the cell corners;
//                 odd rows are shifted by half a cell and have one more: nx+2, of which the first and last lie on the
//                 border. Row j starts at j·(nx+1) + ⌊j/2⌋. The triangles have equal sides when
//                 size_z/nz = (√3/2) size_x/nx; equilateral_rows() gives the nearest nz.
//   irregular:    alternating, with every vertex off the border moved at random, in place and in texture alike.
// alternating and cross are their own mirror images in x and z when the counts are even (cross: always).
// Texture coordinates are metres on the flat sheet: u = x + size_x/2, v = size_z/2 − z.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant {

enum class GridPattern { diagonal, alternating, cross, equilateral, irregular };

struct GridOptions {
  Vec2 size{1.0, 1.0};               // m, along x and z
  std::array<int, 2> cells{10, 10};  // along x and z, at least 1 each, product at most 50 million
  GridPattern pattern = GridPattern::diagonal;
  std::uint64_t seed = 1;  // irregular: the same seed gives the same mesh on every machine
  double jitter = 0.2;  // irregular: largest shift along each axis, in cells; 0 ≤ jitter < 0.25 keeps every triangle
};

[[nodiscard]] TriangleMesh make_grid(const GridOptions& options, const std::string& place = "");

// Number of cells along z that makes the triangles of an equilateral grid with `columns` cells along x most nearly
// equilateral: size_z columns / (size_x √3/2), rounded, at least 1.
[[nodiscard]] int equilateral_rows(const Vec2& size, int columns);

}  // namespace pliant
