// The angles of mesh_quality.h, by atan2, which keeps its digits near 0° and 180° where arccos does not.
#include "pliant/mesh/mesh_quality.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

constexpr AngleRange kNothingYet{std::numbers::pi, 0.0};

void include(AngleRange& range, double angle) {
  range.smallest = std::min(range.smallest, angle);
  range.largest = std::max(range.largest, angle);
}

// Edge (first two) and the two other vertices of the faces that meet there.
constexpr std::array<std::array<int, 4>, 6> kTetEdges{
    {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}}};

}  // namespace

AngleRange dihedral_angles(const TetMesh& mesh) {
  if (mesh.tets.empty()) return {};
  AngleRange range = kNothingYet;
  for (const Vec4i& tet : mesh.tets) {
    for (const auto& [a, b, c, d] : kTetEdges) {
      const Vec3& origin = mesh.vertices[tet[a]];
      const Vec3 edge = mesh.vertices[tet[b]] - origin;
      include(range,
              angle_between(edge.cross(mesh.vertices[tet[c]] - origin), edge.cross(mesh.vertices[tet[d]] - origin)));
    }
  }
  return range;
}

AngleRange corner_angles(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {};
  AngleRange range = kNothingYet;
  for (const Vec3i& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) {
      const Vec3& corner = mesh.vertices[t[c]];
      include(range, angle_between(mesh.vertices[t[(c + 1) % 3]] - corner, mesh.vertices[t[(c + 2) % 3]] - corner));
    }
  return range;
}

}  // namespace pliant
