// Distance to a triangle surface, and which side of it a point is on.
//
//   mesh::SignedDistance surface(triangle_mesh);
//   double d = surface.signed_distance(p);      // m, negative inside
//   bool in = surface.inside(p);
//
// The side comes from the generalised winding number [Jacobson2013]
//   w(p) = 1/(4π) Σ over triangles of the solid angle seen from p
// which is 1 inside and 0 outside a closed surface, an integer for nested or overlapping ones, and falls smoothly from
// 1 to 0 across a hole: w > ½ is inside, even for surfaces that are not closed. Far groups of triangles are replaced by
// one dipole at their centroid, w ≈ N·(c − p) / (4π|c − p|³) with N the sum of the area vectors [Barill2018, first term
// of their expansion]; a group is far when |c − p| > kFarFactor · its radius.
// Deviation: only the first term, with a larger kFarFactor. The error stays below 0.02, which the threshold ½ does not
// notice for a closed surface.
#pragma once

#include <span>
#include <vector>

#include "pliant/mesh/meshes.h"
#include "pliant/mesh/signed_distance_tree.h"

namespace pliant::mesh {

struct ClosestPoint {
  Vec3 point = Vec3::Zero();  // m, on the surface
  double distance = 0;        // m, unsigned
  int triangle = -1;          // −1: none within reach
};

// The point of triangle abc nearest to p.
[[nodiscard]] Vec3 closest_point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

class SignedDistance {
 public:
  // Larger is more exact and slower; 4 keeps the error below 0.013 for the bunny, 2.5 below 0.04.
  static constexpr double kFarFactor = 4;

  explicit SignedDistance(const TriangleMesh& surface);

  // Nearest point of the surface closer than `reach`; triangle = −1 when there is none.
  [[nodiscard]] ClosestPoint closest_point(const Vec3& p, double reach = std::numeric_limits<double>::infinity()) const;
  [[nodiscard]] Vec3 area_vector(int triangle) const;  // m², along its normal
  [[nodiscard]] double winding_number(const Vec3& p) const;
  [[nodiscard]] bool inside(const Vec3& p) const { return winding_number(p) > 0.5; }
  // The same for a row of points: where no part of a closed surface can lie between a point and the one before it, the
  // winding number is not computed again. inside: one per point, 1 or 0.
  void find_inside(std::span<const Vec3> points, std::span<char> inside) const;
  [[nodiscard]] double signed_distance(const Vec3& p) const;  // m, negative inside
  // The same for many points, in parallel.
  [[nodiscard]] std::vector<double> signed_distances(std::span<const Vec3> points) const;

  // Where the segment from a to b pierces the surface: sorted parameters in [0, 1]. A crossing through an edge shared
  // by triangles counts once.
  [[nodiscard]] std::vector<double> crossings(const Vec3& a, const Vec3& b) const;
  // One parameter t in [0, 1] at which the side changes between a and b, which are on different sides. a_inside says
  // which one.
  [[nodiscard]] double boundary_crossing(const Vec3& a, const Vec3& b, bool a_inside) const;

  // Every edge is passed as often one way as the other: the winding number is an integer away from the surface.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  struct Corners {
    Vec3 a, b, c;
  };
  struct Dipole {
    Vec3 centre, area;   // m, m²
    double far_squared;  // m²: beyond this the node acts as one dipole
  };
  void gather_dipole(int node);

  std::vector<Corners> corners_;  // per triangle
  bool closed_ = true;
  BoxTree tree_;
  std::vector<Corners> leaves_;  // corners_ in the order of tree_.items(): neighbours in space are neighbours in memory
  std::vector<Dipole> dipoles_;  // per node of tree_
};

}  // namespace pliant::mesh
