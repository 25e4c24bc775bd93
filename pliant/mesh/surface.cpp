// The functions of surface.h. All adjacency comes from sorting faces or edges: no hashing, so the order is the same
// everywhere.
#include "pliant/mesh/surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "pliant/assert.h"
#include "pliant/mesh/disjoint_sets.h"

namespace pliant {
namespace {

// Faces of a positive tet, each opposite to the vertex of its number and facing outwards.
constexpr std::array<std::array<int, 3>, 4> kTetFaces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

struct Face {
  std::array<int, 3> sorted;
  int id;  // 4 tet + face
};

std::array<int, 3> sorted_vertices(const Vec3i& t) {
  std::array<int, 3> v{t[0], t[1], t[2]};
  std::sort(v.begin(), v.end());
  return v;
}

Vec3i tet_face(const TetMesh& mesh, int id) {
  const Vec4i& tet = mesh.tets[id / 4];
  const auto& face = kTetFaces[id % 4];
  return {tet[face[0]], tet[face[1]], tet[face[2]]};
}

// Calls group(first, last) for each run of equal keys in a sorted vector.
template <class T, class Key, class Group>
void for_each_run(const std::vector<T>& items, const Key& key, const Group& group) {
  for (std::size_t first = 0, last = 0; first < items.size(); first = last) {
    while (last < items.size() && key(items[last]) == key(items[first])) ++last;
    group(first, last);
  }
}

bool is_degenerate(const TriangleMesh& mesh, const Vec3i& t) {
  if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return true;
  const Vec3 a = mesh.vertices[t[1]] - mesh.vertices[t[0]], b = mesh.vertices[t[2]] - mesh.vertices[t[0]];
  const double longest_squared = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
  return !(0.5 * a.cross(b).norm() > 1e-12 * longest_squared);
}

// Fills the degenerate and duplicate triangles; returns the indices of the others, in order.
std::vector<int> sound_triangles(const TriangleMesh& mesh, SurfaceTopology& topology) {
  struct Keyed {
    std::array<int, 3> vertices;
    int triangle;
    bool operator<(const Keyed& other) const {
      return std::tie(vertices, triangle) < std::tie(other.vertices, other.triangle);
    }
  };
  std::vector<Keyed> keyed;
  keyed.reserve(mesh.triangles.size());
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    if (is_degenerate(mesh, mesh.triangles[t]))
      topology.degenerate_triangles.push_back(t);
    else
      keyed.push_back({sorted_vertices(mesh.triangles[t]), t});
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<int> sound;
  for_each_run(
      keyed, [](const Keyed& k) { return k.vertices; },
      [&](std::size_t first, std::size_t last) {
        sound.push_back(keyed[first].triangle);
        for (std::size_t i = first + 1; i < last; ++i) topology.duplicate_triangles.push_back(keyed[i].triangle);
      });
  std::sort(sound.begin(), sound.end());
  std::sort(topology.duplicate_triangles.begin(), topology.duplicate_triangles.end());
  return sound;
}

// One side of one triangle: corner is 3 triangle + c for the side from corner c to corner c+1.
struct Side {
  Edge edge;
  int corner;
  bool reversed;  // runs from the larger vertex to the smaller
};

int next_corner(int corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

std::vector<Side> sorted_sides(const TriangleMesh& mesh, const std::vector<int>& triangles) {
  std::vector<Side> sides;
  sides.reserve(triangles.size() * 3);
  for (const int t : triangles) {
    for (int c = 0; c < 3; ++c) {
      const int from = mesh.triangles[t][c], to = mesh.triangles[t][(c + 1) % 3];
      sides.push_back({{std::min(from, to), std::max(from, to)}, 3 * t + c, from > to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return std::tie(a.edge, a.corner) < std::tie(b.edge, b.corner); });
  return sides;
}

// Sorts the edges into kinds, and joins the corners of triangles that meet across a manifold edge.
void classify_edges(const std::vector<Side>& sides, DisjointSets& fans, SurfaceTopology& topology) {
  for_each_run(
      sides, [](const Side& s) { return s.edge; },
      [&](std::size_t first, std::size_t last) {
        ++topology.edge_count;
        const Side& side = sides[first];
        if (last - first == 1) topology.boundary_edges.push_back(side.edge);
        if (last - first > 2) topology.non_manifold_edges.push_back(side.edge);
        for (std::size_t i = first + 1; i < last; ++i) {
          const bool opposed = side.reversed != sides[i].reversed;
          if (last - first == 2 && !opposed) topology.misoriented_edges.push_back(side.edge);
          const int other = sides[i].corner;
          fans.join(side.corner, opposed ? next_corner(other) : other);
          fans.join(next_corner(side.corner), opposed ? other : next_corner(other));
        }
      });
}

// A vertex is manifold when the triangles around it form one fan.
void classify_vertices(const TriangleMesh& mesh, const std::vector<int>& triangles, DisjointSets& fans,
                       SurfaceTopology& topology) {
  const std::size_t vertex_count = mesh.vertices.size();
  std::vector<int> fan_of_vertex(vertex_count, -1);
  std::vector<bool> split(vertex_count, false);
  DisjointSets pieces(vertex_count);
  for (const int t : triangles) {
    for (int c = 0; c < 3; ++c) {
      const int v = mesh.triangles[t][c], fan = fans.root(3 * t + c);
      if (fan_of_vertex[v] >= 0 && fan_of_vertex[v] != fan) split[v] = true;
      fan_of_vertex[v] = fan;
      pieces.join(v, mesh.triangles[t][(c + 1) % 3]);
    }
  }
  std::vector<bool> referenced(vertex_count, false);
  for (const Vec3i& t : mesh.triangles)
    for (int c = 0; c < 3; ++c) referenced[t[c]] = true;
  for (int v = 0; v < static_cast<int>(vertex_count); ++v) {
    if (split[v]) topology.non_manifold_vertices.push_back(v);
    if (!referenced[v]) topology.unreferenced_vertices.push_back(v);
    if (fan_of_vertex[v] < 0) continue;
    ++topology.vertex_count;
    if (pieces.root(v) == v) ++topology.component_count;
  }
}

}  // namespace

std::vector<Vec3i> boundary_triangles(const TetMesh& mesh) {
  // Sort all faces by their vertices; a face without an equal neighbour is on the boundary.
  std::vector<Face> faces(mesh.tets.size() * 4);
  for (int id = 0; id < static_cast<int>(faces.size()); ++id) faces[id] = {sorted_vertices(tet_face(mesh, id)), id};
  std::sort(faces.begin(), faces.end(),
            [](const Face& a, const Face& b) { return std::tie(a.sorted, a.id) < std::tie(b.sorted, b.id); });
  std::vector<int> boundary;
  for_each_run(
      faces, [](const Face& f) { return f.sorted; },
      [&](std::size_t first, std::size_t last) {
        if (last - first == 1) boundary.push_back(faces[first].id);
      });

  // Back to the order of the tets.
  std::sort(boundary.begin(), boundary.end());
  std::vector<Vec3i> triangles;
  triangles.reserve(boundary.size());
  for (const int id : boundary) {
    const Vec3i t = tet_face(mesh, id);
    int smallest = 0;
    t.minCoeff(&smallest);
    triangles.emplace_back(t[smallest], t[(smallest + 1) % 3], t[(smallest + 2) % 3]);
  }
  return triangles;
}

BoundarySurface boundary_surface(const TetMesh& mesh) {
  BoundarySurface boundary;
  boundary.surface.triangles = boundary_triangles(mesh);
  std::vector<int> surface_vertex(mesh.vertices.size(), -1);
  for (const Vec3i& t : boundary.surface.triangles)
    for (int c = 0; c < 3; ++c) surface_vertex[t[c]] = 0;
  for (int v = 0; v < static_cast<int>(mesh.vertices.size()); ++v) {
    if (surface_vertex[v] < 0) continue;
    surface_vertex[v] = static_cast<int>(boundary.tet_vertex.size());
    boundary.tet_vertex.push_back(v);
    boundary.surface.vertices.push_back(mesh.vertices[v]);
  }
  for (Vec3i& t : boundary.surface.triangles)
    for (int c = 0; c < 3; ++c) t[c] = surface_vertex[t[c]];
  return boundary;
}

SurfaceTopology inspect_surface(const TriangleMesh& mesh) {
  for (const Vec3i& t : mesh.triangles)
    PLIANT_ASSERT(t.minCoeff() >= 0 && t.maxCoeff() < static_cast<int>(mesh.vertices.size()),
                  "triangles refer to vertices of the mesh; check_triangle_mesh first");
  SurfaceTopology topology;
  const std::vector<int> triangles = sound_triangles(mesh, topology);
  topology.triangle_count = static_cast<int>(triangles.size());
  DisjointSets fans(mesh.triangles.size() * 3);
  classify_edges(sorted_sides(mesh, triangles), fans, topology);
  classify_vertices(mesh, triangles, fans, topology);
  return topology;
}

std::vector<Vec3> area_vectors(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) {
  std::vector<Vec3> areas;
  areas.reserve(triangles.size());
  for (const Vec3i& t : triangles)
    areas.push_back(0.5 * (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]));
  return areas;
}

std::vector<double> vertex_areas(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) {
  std::vector<double> areas(vertices.size(), 0.0);
  const std::vector<Vec3> vectors = area_vectors(vertices, triangles);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) areas[triangles[t][c]] += vectors[t].norm() / 3;
  return areas;
}

double surface_area(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) {
  double sum = 0;
  for (const Vec3& area : area_vectors(vertices, triangles)) sum += area.norm();
  return sum;
}

double signed_volume(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) {
  if (triangles.empty()) return 0.0;
  // Measured from a point of the surface, so that a small body far from the origin keeps its digits.
  const Vec3& origin = vertices[triangles[0][0]];
  double six_volumes = 0;
  for (const Vec3i& t : triangles)
    six_volumes += (vertices[t[0]] - origin).dot((vertices[t[1]] - origin).cross(vertices[t[2]] - origin));
  return six_volumes / 6;
}

}  // namespace pliant
