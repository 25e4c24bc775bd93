// Surfaces for the tests of the tetrahedraliser, and what they check of a tet mesh.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pliant/mesh/isosurface_stuffing_cleanup.h"
#include "pliant/mesh/meshes.h"
#include "tests/support/places.h"

namespace pliant::shapes {

// Just enough of OBJ for data/bunny.obj.
inline TriangleMesh read_bunny() {
  std::ifstream file(test::source_folder().string() + "/data/bunny.obj");
  if (!file) throw std::runtime_error("data/bunny.obj is missing");
  TriangleMesh mesh;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      Vec3 x;
      words >> x[0] >> x[1] >> x[2];
      mesh.vertices.push_back(x);
    } else if (kind == "f") {
      Vec3i t;
      for (int k = 0; k < 3; ++k) {
        std::string word;
        words >> word;
        t[k] = std::stoi(word) - 1;
      }
      mesh.triangles.push_back(t);
    }
  }
  return mesh;
}

// Just enough of PLY for data/dragon_res4.ply.
inline TriangleMesh read_dragon() {
  std::ifstream file(test::source_folder().string() + "/data/dragon_res4.ply");
  if (!file) throw std::runtime_error("data/dragon_res4.ply is missing");
  int vertex_count = 0, face_count = 0;
  for (std::string line; std::getline(file, line) && line != "end_header";) {
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "element") words >> (second == "vertex" ? vertex_count : face_count);
  }
  TriangleMesh mesh;
  mesh.vertices.resize(vertex_count);
  mesh.triangles.resize(face_count);
  for (Vec3& x : mesh.vertices) file >> x[0] >> x[1] >> x[2];
  int corners = 0;
  for (Vec3i& t : mesh.triangles) file >> corners >> t[0] >> t[1] >> t[2];
  return mesh;
}

inline TriangleMesh make_cube(double edge) {
  TriangleMesh mesh;
  for (int c = 0; c < 8; ++c)
    mesh.vertices.push_back(edge * Vec3((c & 1) - 0.5, (c >> 1 & 1) - 0.5, (c >> 2 & 1) - 0.5));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// An octahedron, refined and blown up: symmetric in all axes, vertices on the sphere.
inline TriangleMesh make_sphere(double radius, int refinements) {
  TriangleMesh mesh;
  mesh.vertices = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitX(), -Vec3::UnitY(), -Vec3::UnitZ()};
  mesh.triangles = {{0, 1, 2}, {1, 3, 2}, {3, 4, 2}, {4, 0, 2}, {1, 0, 5}, {3, 1, 5}, {4, 3, 5}, {0, 4, 5}};
  for (int r = 0; r < refinements; ++r) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [place, fresh] = middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (fresh) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return place->second;
    };
    std::vector<Vec3i> finer;
    for (const Vec3i& t : mesh.triangles) {
      const int a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      finer.insert(finer.end(), {Vec3i(t[0], a, c), Vec3i(a, t[1], b), Vec3i(c, b, t[2]), Vec3i(a, b, c)});
    }
    mesh.triangles = std::move(finer);
  }
  for (Vec3& x : mesh.vertices) x *= radius;
  return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const int offset = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Vec3i& t : other.triangles) mesh.triangles.emplace_back(t.array() + offset);
}

inline void turn(TriangleMesh& mesh) {
  for (Vec3i& t : mesh.triangles) std::swap(t[1], t[2]);
}

inline double tet_volume(const TetMesh& mesh, const Vec4i& t) {
  const Vec3& o = mesh.vertices[t[0]];
  return (mesh.vertices[t[1]] - o).dot((mesh.vertices[t[2]] - o).cross(mesh.vertices[t[3]] - o)) / 6;
}

inline double volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Vec4i& t : mesh.tets) sum += tet_volume(mesh, t);
  return sum;
}

inline double smallest_volume(const TetMesh& mesh) {
  double smallest = 1e300;
  for (const Vec4i& t : mesh.tets) smallest = std::min(smallest, tet_volume(mesh, t));
  return smallest;
}

// What the boundary of a tet mesh is like, by definition rather than by the code under test.
struct BoundaryReport {
  int bad_edges = 0;      // not with two triangles running in opposite directions
  int bad_vertices = 0;   // triangles around it are not one ring
  int crowded_faces = 0;  // faces of more than two tets, or of two on the same side
  int euler_number = 0;   // vertices − edges + triangles
};
inline BoundaryReport check_boundary(const TetMesh& mesh) {
  BoundaryReport report;
  // Faces: each must be seen once from each side, or once.
  std::map<std::array<int, 3>, std::vector<Vec3i>> faces;
  for (const Vec4i& t : mesh.tets) {
    for (const Vec3i& f :
         {Vec3i(t[1], t[2], t[3]), Vec3i(t[0], t[3], t[2]), Vec3i(t[0], t[1], t[3]), Vec3i(t[0], t[2], t[1])}) {
      std::array<int, 3> key{f[0], f[1], f[2]};
      std::sort(key.begin(), key.end());
      faces[key].push_back(f);
    }
  }
  const auto parity = [](const Vec3i& f) { return (f[0] < f[1]) ^ (f[1] < f[2]) ^ (f[0] < f[2]); };
  std::map<std::pair<int, int>, int> directed;    // edge a→b : uses
  std::map<int, std::map<int, int>> next_around;  // vertex: from → to of the opposite edges
  std::map<int, int> triangles_at;
  int triangle_count = 0;
  for (const auto& [key, uses] : faces) {
    if (uses.size() > 2 || (uses.size() == 2 && parity(uses[0]) == parity(uses[1]))) ++report.crowded_faces;
    if (uses.size() != 1) continue;
    ++triangle_count;
    for (int k = 0; k < 3; ++k) {
      const int a = uses[0][k], b = uses[0][(k + 1) % 3], c = uses[0][(k + 2) % 3];
      ++directed[{a, b}];
      next_around[a][b] = c;
      ++triangles_at[a];
    }
  }
  for (const auto& [edge, count] : directed) {
    const auto opposite = directed.find({edge.second, edge.first});
    if (count != 1 || opposite == directed.end() || opposite->second != 1) ++report.bad_edges;
  }
  for (const auto& [vertex, next] : next_around) {
    int steps = 0, at = next.begin()->first;
    do {
      const auto step = next.find(at);
      if (step == next.end()) break;
      at = step->second;
      ++steps;
    } while (at != next.begin()->first && steps <= triangles_at[vertex]);
    if (steps != triangles_at[vertex]) ++report.bad_vertices;
  }
  report.euler_number = static_cast<int>(triangles_at.size()) - static_cast<int>(directed.size() / 2) + triangle_count;
  return report;
}

}  // namespace pliant::shapes
