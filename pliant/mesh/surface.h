// Surfaces: the boundary of a solid, what kind of surface a triangle mesh is, and its areas and volume.
//
//   SurfaceTopology topology = inspect_surface(mesh);
//   if (!topology.closed() || !topology.oriented()) ...                  // not the boundary of anything
//
// Triangles are counter-clockwise seen from outside. Lengths in m, areas in m², volumes in m³.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pliant/mesh/edges.h"
#include "pliant/mesh/meshes.h"

namespace pliant {

// Faces that belong to one tet only, facing outwards, indices into the tet mesh's vertices; in the order of their tets,
// and within a tet by the vertex they do not have. Each starts with its smallest vertex.
[[nodiscard]] std::vector<Vec3i> boundary_triangles(const TetMesh& mesh);

// The boundary as a mesh of its own.
struct BoundarySurface {
  TriangleMesh surface;         // vertices in the order of the tet mesh's; triangles as boundary_triangles
  std::vector<int> tet_vertex;  // per surface vertex: its index in the tet mesh, increasing
};
[[nodiscard]] BoundarySurface boundary_surface(const TetMesh& mesh);

// Edges have their smaller vertex first; all lists are sorted.
struct SurfaceTopology {
  int vertex_count = 0;  // used by a triangle
  int edge_count = 0;
  int triangle_count = 0;   // without the degenerate and duplicate ones, which no other entry counts
  int component_count = 0;  // pieces that share no vertex

  std::vector<Edge> boundary_edges;        // of one triangle
  std::vector<Edge> non_manifold_edges;    // of three or more
  std::vector<Edge> misoriented_edges;     // of two that run along it in the same direction
  std::vector<int> non_manifold_vertices;  // where fans of triangles touch without sharing an edge
  std::vector<int> degenerate_triangles;   // a vertex twice, or area below 1e-12 × longest edge squared
  std::vector<int> duplicate_triangles;    // the vertices of an earlier triangle, in any order
  std::vector<int> unreferenced_vertices;  // in no triangle at all

  // Every edge has two triangles. An empty mesh is not closed.
  [[nodiscard]] bool closed() const {
    return triangle_count > 0 && boundary_edges.empty() && non_manifold_edges.empty();
  }
  // Around every point it is a disc or, at the border, a half disc.
  [[nodiscard]] bool manifold() const { return non_manifold_edges.empty() && non_manifold_vertices.empty(); }
  // Neighbours agree which side is outside.
  [[nodiscard]] bool oriented() const { return non_manifold_edges.empty() && misoriented_edges.empty(); }
  // Vertices − edges + triangles: 2 for a sphere, 0 for a torus, 1 for a disc; adds up over components.
  [[nodiscard]] int euler_characteristic() const { return vertex_count - edge_count + triangle_count; }
};
[[nodiscard]] SurfaceTopology inspect_surface(const TriangleMesh& mesh);

// Half the cross product of two sides of each triangle: its area times its normal.
[[nodiscard]] std::vector<Vec3> area_vectors(std::span<const Vec3> vertices, std::span<const Vec3i> triangles);
// A third of the area of each triangle around a vertex.
[[nodiscard]] std::vector<double> vertex_areas(std::span<const Vec3> vertices, std::span<const Vec3i> triangles);
[[nodiscard]] double surface_area(std::span<const Vec3> vertices, std::span<const Vec3i> triangles);
// Volume inside a closed surface, Σ x0·(x1 × x2)/6; negative when it faces inwards. Meaningless for an open surface.
[[nodiscard]] double signed_volume(std::span<const Vec3> vertices, std::span<const Vec3i> triangles);

}  // namespace pliant
