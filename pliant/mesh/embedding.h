// A detailed surface carried by a coarser tet mesh.
//
//   EmbeddedSurface skin = embed(surface, tets);                     // once, in the rest pose
//   std::vector<Vec3> points = evaluate(skin, tets.tets, positions);  // after every step
//
// Each surface vertex x belongs to one tet with barycentric weights β: x = Σ βᵢ xᵢ, Σ βᵢ = 1. The tet is the one that
// contains x, or the nearest one when x is outside the mesh; weights are then slightly negative (extrapolation), so
// that the rest pose and every affine map of the tets are reproduced exactly.
#pragma once

#include <span>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant {

// `tets` needs at least one tet.
[[nodiscard]] EmbeddedSurface embed(TriangleMesh surface, const TetMesh& tets);

// Positions of the surface vertices [m]. tets: those of the mesh the surface was embedded in; tet_positions: one per
// vertex of that mesh, in any pose.
[[nodiscard]] std::vector<Vec3> evaluate(const EmbeddedSurface& embedded, std::span<const Vec4i> tets,
                                         std::span<const Vec3> tet_positions);

namespace mesh {

// Barycentric weights of p in the tet abcd, exact also outside it.
[[nodiscard]] Vec4 barycentric_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// Distance from p to the tet abcd [m]; 0 inside.
[[nodiscard]] double distance_to_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace mesh
}  // namespace pliant
