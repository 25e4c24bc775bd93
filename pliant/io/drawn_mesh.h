// What is drawn and exported of a body in one revision: its embedded surface when it has one, the boundary of its tets,
// its triangles; of rods and particles the segments and points themselves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pliant/io/result_file_types.h"

namespace pliant::io {

class DrawnMesh {
 public:
  explicit DrawnMesh(const BodyMesh& mesh);

  // Drawn vertices and triangles at rest; segments and points have no triangles.
  [[nodiscard]] const TriangleMesh& mesh() const { return drawn_; }
  [[nodiscard]] int vertex_count() const { return static_cast<int>(drawn_.vertices.size()); }
  // triangle, segment or point.
  [[nodiscard]] CellShape shape() const { return shape_; }
  // Corners of what is drawn, cell after cell, whatever its shape.
  [[nodiscard]] const std::vector<int>& cells() const { return cells_; }

  // Where the drawn vertices are when the body's vertices are at `positions` [m].
  [[nodiscard]] std::vector<Vec3> vertices(std::span<const Vec3> positions) const;
  // One number per drawn vertex from one per vertex of the body.
  [[nodiscard]] std::vector<double> vertex_values(std::span<const double> values) const;
  // The body's vertex behind each drawn one, −1 where a drawn vertex lies inside a tet.
  [[nodiscard]] int source_vertex(int drawn) const;
  // The same, or the tet's corner that counts most: what to take hold of.
  [[nodiscard]] int nearest_source_vertex(int drawn) const;

 private:
  TriangleMesh drawn_;
  std::vector<int> cells_;
  CellShape shape_ = CellShape::triangle;
  std::vector<int> source_vertex_;  // tet boundaries only
  std::optional<EmbeddedSurface> embedded_;
  std::vector<Vec4i> tets_;  // of embedded surfaces
};

}  // namespace pliant::io
