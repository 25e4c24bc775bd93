// The checks of mesh_check.h.
#include "pliant/mesh/mesh_check.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "pliant/input_error.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/readable_number.h"

namespace pliant {
namespace {

// Elements flatter than this, relative to a cube or square on their longest edge, have no usable shape: forming their
// inverse would lose twelve of sixteen digits.
constexpr double kFlat = 1e-12;

// What the checks say about one kind of element.
template <class Element>
struct ElementKind {
  const std::string& place;
  const char* name;  // "tet"
  static constexpr int corners = Element::RowsAtCompileTime;

  // "tet 17 (vertices 3, 8, 9, 12)"
  [[nodiscard]] std::string naming(std::size_t index, const Element& element) const {
    std::string text = std::string(name) + " " + std::to_string(index) + " (vertices ";
    for (int c = 0; c < corners; ++c) text += (c > 0 ? ", " : "") + std::to_string(element[c]);
    return text + ")";
  }
};

void check_coordinates(const std::vector<Vec3>& vertices, const std::string& place) {
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (!vertices[v].allFinite())
      throw InputError(place, "vertex " + std::to_string(v) + " is at (" + mesh::readable(vertices[v].x()) + ", " +
                                  mesh::readable(vertices[v].y()) + ", " + mesh::readable(vertices[v].z()) +
                                  "); correct the file so that all coordinates are finite numbers.");
}

template <class Element>
void check_indices(const ElementKind<Element>& kind, const std::vector<Element>& elements, std::size_t vertex_count) {
  const int count = static_cast<int>(vertex_count);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    if (element.minCoeff() < 0 || element.maxCoeff() >= count) {
      const int wrong = element.minCoeff() < 0 ? element.minCoeff() : element.maxCoeff();
      throw InputError(kind.place, kind.naming(e, element) + " uses vertex " + std::to_string(wrong) +
                                       ", but the mesh has vertices 0 to " + std::to_string(count - 1) +
                                       "; correct the index (is the file counted from 1?).");
    }
    for (int a = 0; a < kind.corners; ++a)
      for (int b = a + 1; b < kind.corners; ++b)
        if (element[a] == element[b])
          throw InputError(kind.place, kind.naming(e, element) + " has vertex " + std::to_string(element[a]) +
                                           " twice; remove the " + kind.name + " or correct its vertices.");
  }
}

template <class Element>
void check_all_used(const ElementKind<Element>& kind, const std::vector<Element>& elements, std::size_t vertex_count) {
  std::vector<bool> used(vertex_count, false);
  for (const Element& element : elements)
    for (int c = 0; c < kind.corners; ++c) used[element[c]] = true;
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return;
  throw InputError(kind.place, "vertex " + std::to_string(unused - used.begin()) + " belongs to no " + kind.name +
                                   " and would have no mass (" + std::to_string(std::count(unused, used.end(), false)) +
                                   " such in all); remove unused vertices from the mesh.");
}

template <class Element>
double longest_edge(const std::vector<Vec3>& vertices, const Element& element) {
  double longest_squared = 0;
  for (int a = 0; a < Element::RowsAtCompileTime; ++a)
    for (int b = a + 1; b < Element::RowsAtCompileTime; ++b)
      longest_squared = std::max(longest_squared, (vertices[element[a]] - vertices[element[b]]).squaredNorm());
  return std::sqrt(longest_squared);
}

// A face of a tet: its vertices in ascending order, and on which side of them the tet lies.
struct TetFace {
  std::array<int, 3> vertices;
  bool is_above = false;  // the fourth vertex lies to where the ascending order turns counter-clockwise
  int tet = 0;
};

// All faces, equal ones beside each other. Of a tet with positive volume each face, seen from its opposite vertex, is
// one of (1 2 3), (0 3 2), (0 1 3), (0 2 1), clockwise.
std::vector<TetFace> sorted_faces(const TetMesh& mesh) {
  static constexpr int kCorners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  std::vector<TetFace> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (const auto& corners : kCorners) {
      TetFace face{
          {mesh.tets[t][corners[0]], mesh.tets[t][corners[1]], mesh.tets[t][corners[2]]}, false, static_cast<int>(t)};
      // Each exchange on the way to ascending order changes the side.
      auto& [a, b, c] = face.vertices;
      for (int k = 0; k < 2; ++k) {
        if (a > b) std::swap(a, b), face.is_above = !face.is_above;
        if (b > c) std::swap(b, c), face.is_above = !face.is_above;
      }
      faces.push_back(face);
    }
  }
  std::sort(faces.begin(), faces.end(), [](const TetFace& f, const TetFace& g) {
    return std::tie(f.vertices, f.tet) < std::tie(g.vertices, g.tet);
  });
  return faces;
}

void check_empty(bool empty, const char* elements, const std::string& place) {
  if (empty) throw InputError(place, std::string("the mesh has no ") + elements + "; give a mesh with at least one.");
}

}  // namespace

void check_tet_mesh(const TetMesh& mesh, const std::string& place) {
  const ElementKind<Vec4i> kind{place, "tet"};
  check_empty(mesh.tets.empty(), "tets", place);
  check_coordinates(mesh.vertices, place);
  check_indices(kind, mesh.tets, mesh.vertices.size());
  const std::vector<double> volumes = tet_volumes(mesh);
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    const double edge = longest_edge(mesh.vertices, mesh.tets[t]);
    if (!(std::abs(volumes[t]) > kFlat * edge * edge * edge))
      throw InputError(place, kind.naming(t, mesh.tets[t]) + " is flat: volume " + mesh::readable(volumes[t]) +
                                  " m³ with a longest edge of " + mesh::readable(edge) +
                                  " m; remove it or mesh the shape again.");
  }
  const bool all_inverted = std::all_of(volumes.begin(), volumes.end(), [](double v) { return v < 0; });
  for (std::size_t t = 0; t < volumes.size(); ++t)
    if (volumes[t] < 0)
      throw InputError(place, kind.naming(t, mesh.tets[t]) + " is inverted: volume " + mesh::readable(volumes[t]) +
                                  " m³; " +
                                  (all_inverted ? "so are all others: swap two vertices of every tet."
                                                : "swap two of its vertices, or mesh the shape again if it overlaps "
                                                  "its neighbours."));
  check_all_used(kind, mesh.tets, mesh.vertices.size());
}

void check_no_overlap(const TetMesh& mesh, const std::string& place) {
  const std::vector<TetFace> faces = sorted_faces(mesh);
  for (std::size_t f = 1; f < faces.size(); ++f) {
    const TetFace &one = faces[f - 1], &other = faces[f];
    if (one.vertices != other.vertices || one.is_above != other.is_above) continue;
    throw InputError(place, "tets " + std::to_string(one.tet) + " and " + std::to_string(other.tet) +
                                " lie on the same side of the face they share (vertices " +
                                std::to_string(one.vertices[0]) + ", " + std::to_string(one.vertices[1]) + ", " +
                                std::to_string(one.vertices[2]) +
                                ") and overlap: one of them is inverted; mesh the shape again.");
  }
}

void check_triangle_mesh(const TriangleMesh& mesh, const std::string& place) {
  const ElementKind<Vec3i> kind{place, "triangle"};
  check_empty(mesh.triangles.empty(), "triangles", place);
  check_coordinates(mesh.vertices, place);
  check_indices(kind, mesh.triangles, mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3i& v = mesh.triangles[t];
    const double edge = longest_edge(mesh.vertices, v);
    const double area =
        0.5 * (mesh.vertices[v[1]] - mesh.vertices[v[0]]).cross(mesh.vertices[v[2]] - mesh.vertices[v[0]]).norm();
    if (!(area > kFlat * edge * edge))
      throw InputError(place, kind.naming(t, v) + " is degenerate: area " + mesh::readable(area) +
                                  " m² with a longest edge of " + mesh::readable(edge) +
                                  " m; remove it or merge its vertices.");
  }
  check_all_used(kind, mesh.triangles, mesh.vertices.size());
  if (!mesh.texture.empty() && mesh.texture.size() != mesh.vertices.size())
    throw InputError(place, "the mesh has " + std::to_string(mesh.texture.size()) + " texture coordinates for " +
                                std::to_string(mesh.vertices.size()) + " vertices; give one per vertex, or none.");
  for (std::size_t v = 0; v < mesh.texture.size(); ++v)
    if (!mesh.texture[v].allFinite())
      throw InputError(place, "the texture coordinates of vertex " + std::to_string(v) +
                                  " are not finite; correct them or remove all texture coordinates.");
}

OrientRepair orient_tets(TetMesh& mesh) {
  const int vertex_count = static_cast<int>(mesh.vertices.size());
  for (const Vec4i& tet : mesh.tets)
    if (tet.minCoeff() < 0 || tet.maxCoeff() >= vertex_count) return OrientRepair::nothing_to_do;
  const std::vector<double> volumes = tet_volumes(mesh);
  const bool all_negative = std::all_of(volumes.begin(), volumes.end(), [](double v) { return v < 0; });
  if (mesh.tets.empty() || !all_negative) return OrientRepair::nothing_to_do;
  for (Vec4i& tet : mesh.tets) std::swap(tet[2], tet[3]);
  return OrientRepair::flipped_all;
}

}  // namespace pliant
