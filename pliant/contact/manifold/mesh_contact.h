// Contact of a surface mesh that need not be convex with a convex shape: at most eight points.
//
//   const CollisionMesh stairs(mesh);                      // once: normals, neighbours, a tree of boxes
//   collide_mesh(stairs, pose_a, box, pose_b, 0.01, manifold);
//
// Every triangle near the shape is a piece of a solid behind it. A triangle and the shape touch
//   on the triangle's face     along its normal, the shape's opposed face clipped to the triangle;
//   edge to edge               along the product of the edges, if that lies between the normals of the edge's two
//                              triangles: a flat or hollow edge carries nothing, so nothing catches on the seams of a floor;
//   on a mesh vertex           along the shape's face normal, if the mesh is behind the vertex in that direction.
// Among these the axis of largest separation counts, as between hulls. Triangles that look away from the middle of the
// shape are left out: they belong to the far side of the solid. So are those whose plane the shape crosses beside them.
// Of touches across a ridge those that lead out the shortest way stay.
// Points of triangles with normals less than 18° apart form a cluster, which keeps its deepest and its outermost.
//
// Limits: a shape whose middle is inside the solid is pushed by what triangles still look at it, maybe none.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "pliant/contact/broad_phase/bvh.h"
#include "pliant/contact/manifold/convex_shape.h"
#include "pliant/contact/manifold/manifold.h"
#include "pliant/mesh/meshes.h"
#include "pliant/mesh/signed_distance.h"

namespace pliant::contact {

class CollisionMesh {
 public:
  struct Triangle {
    std::array<int, 3> vertex;
    std::array<Vec3, 3> across;  // normal of the triangle beyond edge vertex[k] → vertex[k + 1]; zero: nothing to catch
    Vec3 normal;                 // unit
  };

  // Triangles without area are left out.
  explicit CollisionMesh(const TriangleMesh& mesh);

  [[nodiscard]] const std::vector<Vec3>& vertices() const { return vertices_; }
  [[nodiscard]] const std::vector<Triangle>& triangles() const { return triangles_; }
  [[nodiscard]] const Bvh& tree() const { return tree_; }
  [[nodiscard]] Box bounds(const Pose& pose) const;
  // Which side of it a point is on; nullptr: the mesh is not closed. p: in the mesh's own frame.
  [[nodiscard]] const mesh::SignedDistance* distance() const { return distance_ ? &*distance_ : nullptr; }
  [[nodiscard]] bool may_hold(const Vec3& p) const {
    return (p.array() >= low_.array()).all() && (p.array() <= high_.array()).all();
  }
  // Is all of the mesh around the vertex behind it, seen along the direction?
  [[nodiscard]] bool is_tip(int vertex, const Vec3& direction) const;

 private:
  std::vector<Vec3> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<int> ring_begin_, ring_;  // neighbours of each vertex
  Bvh tree_;
  std::optional<mesh::SignedDistance> distance_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();  // m
};

// a is the mesh. reach: m. What `out` held before is forgotten.
void collide_mesh(const CollisionMesh& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                  Manifold& out);

}  // namespace pliant::contact
