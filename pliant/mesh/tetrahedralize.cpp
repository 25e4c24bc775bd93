// The order of work of tetrahedralize: check or repair the surface, lay the lattice, make the tets, embed the surface.
#include "pliant/mesh/tetrahedralize.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <span>

#include "pliant/input_error.h"
#include "pliant/mesh/embedding.h"
#include "pliant/mesh/isosurface_stuffing.h"
#include "pliant/mesh/isosurface_stuffing_cleanup.h"
#include "pliant/mesh/mesh_quality.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/mesh/surface_repair.h"
#include "pliant/mesh/voxel_mesher.h"

namespace pliant {
namespace {

using mesh::Box;
using mesh::CellGrid;

constexpr double kOnSurface = 1e-6;  // of a cell: lattice points this near count as on the surface
constexpr double kLost = 0.5;        // of a cell: a surface vertex this far outside the mesh is reported

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

void check_numbers(const TriangleMesh& surface, const std::string& place) {
  if (surface.triangles.empty()) {
    throw InputError(place, "the surface has no triangles; a solid needs a closed surface");
  }
  const int vertex_count = static_cast<int>(surface.vertices.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const Vec3i& triangle = surface.triangles[t];
    if (triangle.minCoeff() < 0 || triangle.maxCoeff() >= vertex_count) {
      throw InputError(place, "triangle " + std::to_string(t) +
                                  " (counted from 0) names a vertex that does not exist; there are " +
                                  std::to_string(vertex_count) + " vertices");
    }
  }
  for (int v = 0; v < vertex_count; ++v) {
    if (!surface.vertices[v].allFinite()) {
      throw InputError(
          place, "vertex " + std::to_string(v) + " (counted from 0) has a coordinate that is not a finite number");
    }
  }
}

Box bounds_of(const TriangleMesh& surface) {
  Box box;
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) box.include(surface.vertices[t[k]]);
  }
  return box;
}

// Cells along each axis: enough for the box, and one cell of margin on both sides.
Vec3 cell_counts(const Box& box, double cell_size) { return ((box.high - box.low) / cell_size).array().ceil() + 3; }

CellGrid make_grid(const Box& box, double cell_size, const std::string& place) {
  if (cell_counts(box, cell_size).prod() > mesh::kMaxCells) {
    double enough = cell_size;
    while (cell_counts(box, enough).prod() > mesh::kMaxCells) enough *= 1.01;
    // Rounded up to two digits, so that the number printed is one that works.
    const double unit = std::pow(10.0, std::floor(std::log10(enough)) - 1);
    enough = std::ceil(enough / unit) * unit;
    throw InputError(place, "cell_size " + text(cell_size) + " m would make " +
                                text(cell_counts(box, cell_size).prod()) + " cells, more than " +
                                text(mesh::kMaxCells) + "; use cell_size " + text(enough) + " or larger");
  }
  CellGrid grid;
  grid.cell_size = cell_size;
  grid.cell_counts = cell_counts(box, cell_size).cast<int>();
  // Centred on the box: a symmetric surface meets a symmetric lattice.
  grid.origin = 0.5 * (box.low + box.high) - 0.5 * cell_size * grid.cell_counts.cast<double>();
  return grid;
}

TetMesh mesh_conforming(const mesh::SignedDistance& distance, const CellGrid& grid, std::vector<std::string>& notes) {
  mesh::Solid solid;
  solid.find_sides = [&](std::span<const Vec3> points, std::span<mesh::Side> sides) {
    std::vector<char> inside(points.size());
    distance.find_inside(points, inside);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool touches = distance.closest_point(points[i], kOnSurface * grid.cell_size).triangle >= 0;
      sides[i] = touches ? mesh::Side::on_surface : inside[i] ? mesh::Side::inside : mesh::Side::outside;
    }
  };
  solid.cut = [&](const Vec3& inner, const Vec3& outer) { return distance.boundary_crossing(inner, outer, true); };
  TetMesh tets = mesh::stuff_isosurface(solid, grid);
  const int removed = mesh::make_boundary_manifold(tets);
  if (removed > 0) {
    notes.push_back(std::to_string(removed) +
                    " tets taken away where the mesh would touch itself in an edge or vertex");
  }
  return tets;
}

TetMesh mesh_with_voxels(const TriangleMesh& surface, const mesh::SignedDistance& distance, const CellGrid& grid,
                         std::vector<std::string>& notes) {
  mesh::VoxelMesh voxels = mesh::mesh_voxels(surface, distance, grid);
  if (voxels.added_cell_count > 0) {
    notes.push_back(std::to_string(voxels.added_cell_count) +
                    " cells added where the mesh would touch itself in an edge or vertex");
  }
  return std::move(voxels.mesh);
}

// Says what of the surface the mesh does not represent.
void note_losses(const TriangleMesh& surface, TetrahedralizeResult& result) {
  const std::vector<Vec4i>& tets = result.mesh.tets;
  const std::vector<Vec3>& x = result.mesh.vertices;
  std::vector<char> used(surface.vertices.size(), 0);
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) used[t[k]] = 1;
  }
  int lost = 0, first = -1;
  double farthest = 0;
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    if (!used[v] || result.embedded.weights[v].minCoeff() >= 0) continue;
    const Vec4i& t = tets[result.embedded.tet[v]];
    const double distance = mesh::distance_to_tet(surface.vertices[v], x[t[0]], x[t[1]], x[t[2]], x[t[3]]);
    if (distance <= kLost * result.cell_size) continue;
    if (lost++ == 0) first = static_cast<int>(v);
    farthest = std::max(farthest, distance);
  }
  if (lost > 0) {
    const Vec3& p = surface.vertices[first];
    result.notes.push_back(std::to_string(lost) + " of " + std::to_string(surface.vertices.size()) +
                           " surface vertices lie more than half a cell outside the tets, up to " + text(farthest) +
                           " m, the first at (" + text(p[0]) + ", " + text(p[1]) + ", " + text(p[2]) +
                           "): features thinner than a cell are lost; use a smaller cell_size or voxels");
  }
  const mesh::Parts parts = mesh::find_parts(result.mesh);
  if (parts.count > 1) {
    std::vector<int> sizes(parts.count, 0);
    for (const int part : parts.part_of_tet) ++sizes[part];
    result.notes.push_back("the tets form " + std::to_string(parts.count) + " separate parts, the smallest of " +
                           std::to_string(*std::min_element(sizes.begin(), sizes.end())) + " tets");
  }
}

}  // namespace

TetrahedralizeResult tetrahedralize(const TriangleMesh& surface, const TetrahedralizeOptions& options,
                                    const std::string& place) {
  check_numbers(surface, place);
  TetrahedralizeResult result;

  // A surface that encloses something, or as near to it as repair can bring it.
  TriangleMesh mended;
  if (options.repair) {
    mesh::RepairedSurface repaired = mesh::repair_surface(surface);
    mended = std::move(repaired.surface);
    result.notes = std::move(repaired.notes);
    if (mended.triangles.empty())
      throw InputError(place, "nothing is left of the surface after repair; it encloses no volume");
  } else if (const mesh::SurfaceDefects defects = mesh::find_defects(surface); !defects.watertight()) {
    throw InputError(place, "the surface is not watertight: " + defects.describe() +
                                "; close it in a modelling program, or set repair: true in tetrahedralize");
  }
  const TriangleMesh& used = options.repair ? mended : surface;

  // The lattice.
  const Box box = bounds_of(used);
  const double diagonal = (box.high - box.low).norm();
  result.cell_size = options.cell_size > 0 ? options.cell_size : diagonal / mesh::kDefaultDivisions;
  if (!(result.cell_size > 0)) throw InputError(place, "all vertices of the surface are in one point");
  const CellGrid grid = make_grid(box, result.cell_size, place);

  // The tets.
  const mesh::SignedDistance distance(used);
  result.mesh = options.method == TetrahedralizeOptions::Method::voxels
                    ? mesh_with_voxels(used, distance, grid, result.notes)
                    : mesh_conforming(distance, grid, result.notes);
  if (result.mesh.tets.empty()) {
    throw InputError(place, "cell_size " + text(result.cell_size) +
                                " m is too large: no tet fits into the surface, whose bounding box has the diagonal " +
                                text(diagonal) + " m; use cell_size " + text(diagonal / mesh::kDefaultDivisions) +
                                " or smaller, or the method voxels");
  }
  const AngleRange angles = dihedral_angles(result.mesh);
  result.min_dihedral_degrees = angles.smallest * 180 / std::numbers::pi;
  result.max_dihedral_degrees = angles.largest * 180 / std::numbers::pi;

  // The surface, as the user numbered it, carried by the tets.
  result.embedded = embed(surface, result.mesh);
  note_losses(surface, result);
  return result;
}

}  // namespace pliant
