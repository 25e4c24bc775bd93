// The grid patterns drawn in grid_sheet.h. Triangles are wound so that (b − a) × (c − a) points to +y.
#include "pliant/mesh/grid_sheet.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "pliant/input_error.h"
#include "pliant/mesh/generator_arguments.h"
#include "pliant/mesh/readable_number.h"

namespace pliant {
namespace {

// Coordinate of lattice line i of n on a length centred at zero. Exactly antisymmetric in i ↔ n − i, so that mirrored
// vertices have mirrored bits; i may be a half.
double lattice_coordinate(double i, int n, double length) { return length * (2 * i - n) / (2.0 * n); }

void check(const GridOptions& options, const std::string& place) {
  const mesh::GeneratorPlace where{place, "grid"};
  mesh::require_positive(where, "size along x", options.size.x());
  mesh::require_positive(where, "size along z", options.size.y());
  mesh::require_count(where, "cells along x", options.cells[0], 1, 50'000'000);
  mesh::require_count(where, "cells along z", options.cells[1], 1, 50'000'000);
  mesh::require_total(where, "cells", static_cast<double>(options.cells[0]) * options.cells[1], "cells");
  if (!(options.jitter >= 0 && options.jitter < 0.25))
    throw InputError(place, "grid: jitter is " + mesh::readable(options.jitter) +
                                "; give a number from 0 to below 0.25, so that no triangle turns over.");
}

Vec3 sheet_point(const GridOptions& options, double i, double j) {
  return {lattice_coordinate(i, options.cells[0], options.size.x()), 0.0,
          lattice_coordinate(j, options.cells[1], options.size.y())};
}

// The (nx+1)(nz+1) corners of the cells, row by row.
void add_corners(const GridOptions& options, TriangleMesh& sheet) {
  for (int j = 0; j <= options.cells[1]; ++j)
    for (int i = 0; i <= options.cells[0]; ++i) sheet.vertices.push_back(sheet_point(options, i, j));
}

// Two triangles per cell; the diagonal joins (i, j) and (i+1, j+1), or the other two corners in every second cell.
void add_halved_cells(const GridOptions& options, TriangleMesh& sheet) {
  const int nx = options.cells[0];
  for (int j = 0; j < options.cells[1]; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;  // a b above c d, z downwards
      const bool falling = options.pattern == GridPattern::diagonal || (i + j) % 2 == 0;
      sheet.triangles.push_back(falling ? Vec3i(a, d, b) : Vec3i(a, c, b));
      sheet.triangles.push_back(falling ? Vec3i(a, c, d) : Vec3i(b, c, d));
    }
  }
}

// Four triangles per cell around a vertex in its middle.
void add_quartered_cells(const GridOptions& options, TriangleMesh& sheet) {
  const int nx = options.cells[0];
  for (int j = 0; j < options.cells[1]; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      const int middle = static_cast<int>(sheet.vertices.size());
      sheet.vertices.push_back(sheet_point(options, i + 0.5, j + 0.5));
      for (const auto& [from, to] : {std::pair{a, c}, {c, d}, {d, b}, {b, a}})
        sheet.triangles.emplace_back(from, to, middle);
    }
  }
}

// Rows of vertices, every second one shifted by half a cell, with half triangles along the two borders.
void add_shifted_rows(const GridOptions& options, TriangleMesh& sheet) {
  const int nx = options.cells[0], nz = options.cells[1];
  for (int j = 0; j <= nz; ++j) {
    const int count = nx + 1 + j % 2;
    for (int i = 0; i < count; ++i)
      sheet.vertices.push_back(sheet_point(options, j % 2 == 0 ? i : std::clamp(i - 0.5, 0.0, double(nx)), j));
  }
  const auto row_start = [&](int j) { return j * (nx + 1) + j / 2; };
  for (int j = 0; j < nz; ++j) {
    const bool even_first = j % 2 == 0;
    const int even = row_start(even_first ? j : j + 1), odd = row_start(even_first ? j + 1 : j);
    // A strip reads the same upwards and downwards, but for the winding.
    const auto add = [&](int a, int b, int c) {
      sheet.triangles.push_back(even_first ? Vec3i(a, b, c) : Vec3i(a, c, b));
    };
    for (int i = 0; i <= nx; ++i) {
      add(even + i, odd + i, odd + i + 1);
      if (i < nx) add(even + i, odd + i + 1, even + i + 1);
    }
  }
}

// Moves the vertices off the border. With |shift| ≤ f cells along each axis the doubled area of a triangle stays above
// (1 − 2f)² − 4f² = 1 − 4f cells, positive below f = 1/4.
void jitter_inner_vertices(const GridOptions& options, TriangleMesh& sheet) {
  std::mt19937_64 random(options.seed);
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  const auto signed_unit = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0; };
  const int nx = options.cells[0], nz = options.cells[1];
  const Vec2 reach = options.jitter * Vec2(options.size.x() / nx, options.size.y() / nz);
  for (int j = 1; j < nz; ++j) {
    for (int i = 1; i < nx; ++i) {
      Vec3& x = sheet.vertices[static_cast<std::size_t>(j) * (nx + 1) + i];
      x.x() += reach.x() * signed_unit();
      x.z() += reach.y() * signed_unit();
    }
  }
}

}  // namespace

TriangleMesh make_grid(const GridOptions& options, const std::string& place) {
  check(options, place);
  TriangleMesh sheet;
  switch (options.pattern) {
    case GridPattern::diagonal:
    case GridPattern::alternating:
      add_corners(options, sheet);
      add_halved_cells(options, sheet);
      break;
    case GridPattern::cross:
      add_corners(options, sheet);
      add_quartered_cells(options, sheet);
      break;
    case GridPattern::equilateral:
      add_shifted_rows(options, sheet);
      break;
    case GridPattern::irregular:
      add_corners(options, sheet);
      add_halved_cells(options, sheet);
      jitter_inner_vertices(options, sheet);
      break;
  }
  // The texture is the flat rest state itself.
  sheet.texture.reserve(sheet.vertices.size());
  for (const Vec3& x : sheet.vertices)
    sheet.texture.emplace_back(x.x() + options.size.x() / 2, options.size.y() / 2 - x.z());
  return sheet;
}

int equilateral_rows(const Vec2& size, int columns) {
  return std::max(1, static_cast<int>(std::lround(size.y() * columns / (size.x() * std::sqrt(0.75)))));
}

}  // namespace pliant
