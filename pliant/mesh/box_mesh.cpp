// Boxes as described in box_mesh.h.
#include "pliant/mesh/box_mesh.h"

#include "pliant/mesh/generator_arguments.h"
#include "pliant/mesh/lattice_tets.h"

namespace pliant {
namespace {

void check(const BoxOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "box"};
  const char* axis[] = {" along x", " along y", " along z"};
  double total = 1;
  for (int a = 0; a < 3; ++a) {
    mesh::require_positive(where, std::string("size") + axis[a], options.size[a]);
    mesh::require_count(where, std::string("cells") + axis[a], options.cells[a], 1, 50'000'000);
    total *= options.cells[a];
  }
  mesh::require_total(where, "cells", total, "cells");
}

// Written so that mirrored lattice points have mirrored bits.
Vec3 lattice_point(const BoxOptions& options, const Vec3i& p) {
  Vec3 x;
  for (int a = 0; a < 3; ++a) x[a] = options.size[a] * (2 * p[a] - options.cells[a]) / (2.0 * options.cells[a]);
  return x;
}

// Index of boundary lattice points when only those are counted, in the order of the solid's vertices: the layers k = 0
// and k = nz are full, those between are rims.
class SurfaceNumbering {
 public:
  explicit SurfaceNumbering(const std::array<int, 3>& cells) : cells_(cells) {
    layer_ = (cells[0] + 1) * (cells[1] + 1);
    rim_ = 2 * (cells[0] + cells[1]);
  }

  [[nodiscard]] int index(const Vec3i& p) const {
    const int row = cells_[0] + 1;
    if (p.z() == 0) return p.y() * row + p.x();
    const int layer_start = layer_ + (p.z() - 1) * rim_;
    if (p.z() == cells_[2]) return layer_start + p.y() * row + p.x();
    if (p.y() == 0) return layer_start + p.x();
    const int sides_start = layer_start + row;
    if (p.y() == cells_[1]) return sides_start + 2 * (cells_[1] - 1) + p.x();
    return sides_start + 2 * (p.y() - 1) + (p.x() == 0 ? 0 : 1);
  }

 private:
  std::array<int, 3> cells_;
  int layer_ = 0, rim_ = 0;
};

// Two triangles of a boundary square, corners counter-clockwise from outside; the diagonal joins its even corners.
void add_square(const SurfaceNumbering& numbering, const std::array<Vec3i, 4>& corner, TriangleMesh& surface) {
  const int first = (corner[0].sum() & 1) == 0 ? 0 : 1;
  std::array<int, 4> v;
  for (int c = 0; c < 4; ++c) v[c] = numbering.index(corner[(first + c) % 4]);
  surface.triangles.emplace_back(v[0], v[1], v[2]);
  surface.triangles.emplace_back(v[0], v[2], v[3]);
}

// The two sides of the box that are normal to `axis`.
void add_sides(const std::array<int, 3>& cells, int axis, const SurfaceNumbering& numbering, TriangleMesh& surface) {
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const Vec3i step_b = Vec3i::Unit(b), step_c = Vec3i::Unit(c);
  for (int side = 0; side < 2; ++side) {
    for (int q = 0; q < cells[c]; ++q) {
      for (int p = 0; p < cells[b]; ++p) {
        const Vec3i low = side * cells[axis] * Vec3i::Unit(axis) + p * step_b + q * step_c;
        const Vec3i high = low + step_b + step_c;
        // step_b × step_c points along +axis: outwards on the far side only.
        if (side == 1)
          add_square(numbering, {low, low + step_b, high, low + step_c}, surface);
        else
          add_square(numbering, {low, low + step_c, high, low + step_b}, surface);
      }
    }
  }
}

}  // namespace

TetMesh make_box(const BoxOptions& options, const std::string& place) {
  check(options, place);
  const auto [nx, ny, nz] = options.cells;
  TetMesh box;
  box.vertices.reserve(static_cast<std::size_t>(nx + 1) * (ny + 1) * (nz + 1));
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) box.vertices.push_back(lattice_point(options, {i, j, k}));

  box.tets.reserve(5 * static_cast<std::size_t>(nx) * ny * nz);
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const auto corner = [&, nx = nx, ny = ny](int c) {
          return ((k + (c >> 2)) * (ny + 1) + j + ((c >> 1) & 1)) * (nx + 1) + i + (c & 1);
        };
        for (const auto& tet : mesh::cell_tets(i, j, k))
          box.tets.emplace_back(corner(tet[0]), corner(tet[1]), corner(tet[2]), corner(tet[3]));
      }
    }
  }
  return box;
}

TriangleMesh make_box_surface(const BoxOptions& options, const std::string& place) {
  check(options, place);
  const auto [nx, ny, nz] = options.cells;
  TriangleMesh surface;
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        const bool inside_layer = k > 0 && k < nz && j > 0 && j < ny;
        surface.vertices.push_back(lattice_point(options, {i, j, k}));
        if (inside_layer && i == 0) i = nx - 1;  // only the two ends of this row lie on the boundary
      }
  const SurfaceNumbering numbering(options.cells);
  for (int axis = 0; axis < 3; ++axis) add_sides(options.cells, axis, numbering, surface);
  return surface;
}

}  // namespace pliant
