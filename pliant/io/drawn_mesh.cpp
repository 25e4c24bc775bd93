#include "pliant/io/drawn_mesh.h"

#include <utility>

#include "pliant/mesh/embedding.h"
#include "pliant/mesh/surface.h"

namespace pliant::io {
namespace {

std::vector<Vec4i> tets_of(const BodyMesh& mesh) {
  std::vector<Vec4i> tets(mesh.cell_count());
  for (std::size_t i = 0; i < tets.size(); ++i) tets[i] = Eigen::Map<const Vec4i>(&mesh.cells[4 * i]);
  return tets;
}

std::vector<int> corners_of(const std::vector<Vec3i>& triangles) {
  std::vector<int> corners;
  corners.reserve(3 * triangles.size());
  for (const Vec3i& t : triangles) corners.insert(corners.end(), {t[0], t[1], t[2]});
  return corners;
}

}  // namespace

DrawnMesh::DrawnMesh(const BodyMesh& mesh) {
  if (mesh.surface) {
    embedded_ = mesh.surface;
    tets_ = tets_of(mesh);
    drawn_ = mesh.surface->surface;
    cells_ = corners_of(drawn_.triangles);
  } else if (mesh.shape == CellShape::tetrahedron) {
    BoundarySurface boundary = boundary_surface({mesh.rest_positions, tets_of(mesh)});
    drawn_ = std::move(boundary.surface);
    source_vertex_ = std::move(boundary.tet_vertex);
    cells_ = corners_of(drawn_.triangles);
  } else {
    drawn_.vertices = mesh.rest_positions;
    drawn_.texture = mesh.texture;
    cells_ = mesh.cells;
    shape_ = mesh.shape;
    if (shape_ == CellShape::triangle) {
      for (std::size_t i = 0; i < cells_.size(); i += 3)
        drawn_.triangles.emplace_back(cells_[i], cells_[i + 1], cells_[i + 2]);
    }
  }
}

std::vector<Vec3> DrawnMesh::vertices(std::span<const Vec3> positions) const {
  if (embedded_) return evaluate(*embedded_, tets_, positions);
  if (source_vertex_.empty()) return {positions.begin(), positions.end()};
  std::vector<Vec3> result;
  result.reserve(source_vertex_.size());
  for (const int vertex : source_vertex_) result.push_back(positions[static_cast<std::size_t>(vertex)]);
  return result;
}

std::vector<double> DrawnMesh::vertex_values(std::span<const double> values) const {
  std::vector<double> result(drawn_.vertices.size());
  for (std::size_t v = 0; v < result.size(); ++v) {
    if (embedded_) {
      // Weights outside [0, 1] extrapolate places, which is right, but not quantities: those are clamped.
      const Vec4 weights = embedded_->weights[v].cwiseMax(0) / embedded_->weights[v].cwiseMax(0).sum();
      const Vec4i& tet = tets_[static_cast<std::size_t>(embedded_->tet[v])];
      for (int c = 0; c < 4; ++c) result[v] += weights[c] * values[static_cast<std::size_t>(tet[c])];
    } else {
      result[v] = values[static_cast<std::size_t>(source_vertex(static_cast<int>(v)))];
    }
  }
  return result;
}

int DrawnMesh::source_vertex(int drawn) const {
  if (embedded_) return -1;
  return source_vertex_.empty() ? drawn : source_vertex_[static_cast<std::size_t>(drawn)];
}

int DrawnMesh::nearest_source_vertex(int drawn) const {
  if (!embedded_) return source_vertex(drawn);
  const auto v = static_cast<std::size_t>(drawn);
  int corner = 0;
  embedded_->weights[v].maxCoeff(&corner);
  return tets_[static_cast<std::size_t>(embedded_->tet[v])][corner];
}

}  // namespace pliant::io
