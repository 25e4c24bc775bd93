// Normals that make triangles look like the smooth surface they stand for, and keep its sharp edges sharp.
//
// Two triangles belong together at a corner when they share an edge there, no third triangle does, and their normals at
// rest differ by less than the crease angle; corners that belong together share a normal. What is together is decided
// once, at rest, so that a surface does not change its look when it folds. Each normal is the mean of its triangles'
// normals, weighted by their angle at the corner [Thurmer1998, "Computing Vertex Normals from Polygonal Facets"].
#pragma once

#include <span>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant::picture {

class SmoothNormals {
 public:
  static constexpr double kCreaseDegrees = 50;  // a ball of 8 × 8 faces stays smooth, a brick does not

  SmoothNormals() = default;
  explicit SmoothNormals(const TriangleMesh& rest, double crease_degrees = kCreaseDegrees);

  // Which normal each corner has, three per triangle.
  [[nodiscard]] const std::vector<Vec3i>& corner_normals() const { return corner_normals_; }
  [[nodiscard]] int normal_count() const { return normal_count_; }

  // Unit normals of the deformed surface; zero where all triangles around are degenerate.
  [[nodiscard]] std::vector<Vec3> normals(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) const;

 private:
  std::vector<Vec3i> corner_normals_;
  int normal_count_ = 0;
};

}  // namespace pliant::picture
