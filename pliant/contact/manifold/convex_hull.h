// A convex polyhedron: vertices, flat faces as loops of vertices, edges; and how to make one of points or of a mesh.
//
//   const ConvexHull hull = convex_hull(mesh.vertices);
//   if (is_convex(mesh, 1e-6)) ...                       // the mesh is its own hull
//
// Made by quickhull [Barber1996]: the point farthest from a face replaces all faces that it sees by a fan of triangles.
// Triangles in one plane (within 1e-5 of the size) then become one face, so that a box of 12 triangles has 6 faces and
// contact finds four corners, not a soup. Every plane is moved outwards until it holds all vertices.
#pragma once

#include <span>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/mesh/meshes.h"

namespace pliant::contact {

// Points with normal · x ≤ offset are behind it.
struct Plane {
  Vec3 normal = Vec3::UnitY();  // unit
  double offset = 0;            // m
};

struct HullEdge {
  int from = 0, to = 0;     // vertices
  int left = 0, right = 0;  // faces; `left` walks from → to, `right` walks back
};

// A face walks its corners counter-clockwise seen from outside. Corner k has a vertex, the edge to the next corner, and
// the plane through that edge at a right angle to the face: what is inside the face is behind all of them.
struct HullCorner {
  int vertex = 0;
  int edge = 0;
  Plane side;
};

// Four vertices side by side. The last block repeats the last vertex.
struct VertexBlock {
  using Doubles4 = double __attribute__((vector_size(32)));
  Doubles4 x, y, z;  // m
};

struct ConvexHull {
  std::vector<Vec3> vertices;       // m
  std::vector<Plane> planes;        // per face, outwards
  std::vector<int> face_begin;      // face f has corners face_begin[f] … face_begin[f + 1] − 1
  std::vector<HullCorner> corners;  // of all faces
  std::vector<HullEdge> edges;
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  // m, bounds
  Vec3 centre = Vec3::Zero();                    // m, a point inside
  double width = 0;                              // m, from the centre to the nearest face

  [[nodiscard]] int face_count() const { return static_cast<int>(planes.size()); }
  [[nodiscard]] std::span<const HullCorner> face(int f) const {
    return std::span(corners).subspan(face_begin[f], face_begin[f + 1] - face_begin[f]);
  }
  std::vector<VertexBlock> blocks;  // the vertices once more
  // The least direction · vertex, m.
  [[nodiscard]] double lowest_along(const Vec3& direction) const;
  // Index of the vertex farthest along the direction; of equals, the first.
  [[nodiscard]] int support(const Vec3& direction) const;
};

// Of at least four points [m] that do not lie in a plane, else InputError.
[[nodiscard]] ConvexHull convex_hull(std::span<const Vec3> points);
// Six faces around the origin.
[[nodiscard]] ConvexHull box_hull(const Vec3& half_size);

// Does every triangle of the closed surface lie on its convex hull, within the tolerance [m]?
[[nodiscard]] bool is_convex(const TriangleMesh& mesh, double tolerance);

// Where the hull is closest to a point.
struct HullPoint {
  double distance = 0;          // m, negative inside
  Vec3 point = Vec3::Zero();    // m, on the surface
  Vec3 normal = Vec3::UnitY();  // unit, from the point outwards; of a face if the query is on the surface
  int feature = 0;              // face f: f; edge e: face count + e
};
// Exact outside; inside, the nearest face. Nothing is computed beyond `reach` [m]: then the distance is a lower bound.
[[nodiscard]] HullPoint closest_point(const ConvexHull& hull, const Vec3& p, double reach);

}  // namespace pliant::contact
