#include "pliant/io/mesh_file_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Geometry>

namespace pliant::io {

Vec3 scan_point(TextScanner& in) {
  const double x = in.number("the x coordinate");
  const double y = in.number("the y coordinate");
  const double z = in.number("the z coordinate");
  return {x, y, z};
}

int checked_index(const TextScanner& in, std::int64_t number, std::int64_t first, std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();  // indices are int everywhere in Pliant
  const std::int64_t usable = static_cast<std::int64_t>(std::min(size, kMost));
  if (number >= first && number - first < usable) return static_cast<int>(number - first);
  if (usable == 0) {
    in.fail("vertex " + std::to_string(number) + " is used before any vertex is given; put the vertices first");
  }
  in.fail("vertex " + std::to_string(number) + " does not exist: the vertices given above are numbered " +
          std::to_string(first) + " to " + std::to_string(first + usable - 1) + "; correct the index");
}

void add_polygon(const TextScanner& in, std::span<const int> corners, std::vector<Vec3i>& triangles) {
  if (corners.size() < 3) {
    in.fail("a face has " + std::to_string(corners.size()) + " corner(s), but needs at least three; remove it");
  }
  for (std::size_t k = 2; k < corners.size(); ++k) {
    const Vec3i triangle(corners[0], corners[k - 1], corners[k]);
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
      in.fail("a face uses one vertex twice; remove degenerate faces in a mesh editor");
    }
    triangles.push_back(triangle);
  }
}

void add_tet(const TextScanner& in, const Vec4i& corners, TetMesh& mesh) {
  const Vec3& origin = mesh.vertices[corners[0]];
  const auto edge = [&](int corner) -> Vec3 { return mesh.vertices[corners[corner]] - origin; };
  const double six_volumes = edge(1).cross(edge(2)).dot(edge(3));
  // Below this fraction of a corner's three edges the sign is rounding: another formula for the volume may disagree.
  constexpr double kFlat = 1e-14;
  const double edge_product = edge(1).norm() * edge(2).norm() * edge(3).norm();
  if (!(std::abs(six_volumes) > kFlat * edge_product)) {  // also true for overflow to infinity and nan
    in.fail("tetrahedron " + std::to_string(mesh.tets.size() + 1) +
            " of the file has no volume (its corners lie in one plane, or too far apart); repair or remesh it");
  }
  mesh.tets.push_back(six_volumes > 0.0 ? corners : Vec4i(corners[0], corners[1], corners[3], corners[2]));
}

std::size_t believable_count(const TextScanner& in, std::int64_t count, std::size_t bytes_each) {
  if (count <= 0) return 0;
  return std::min(static_cast<std::size_t>(count), in.remaining() / bytes_each + 1);
}

}  // namespace pliant::io
