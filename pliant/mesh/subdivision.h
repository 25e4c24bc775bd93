// Finer triangles on the same surface: every triangle is cut in four at the middles of its edges.
//
//        c             vertices: the old ones with their numbers, then one per edge
//      ca  bc          triangles: (a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca) for each old one, in its order
//     a  ab  b         texture, per vertex or per corner, is linear along edges
#pragma once

#include "pliant/mesh/meshes.h"

namespace pliant {

// Indices must be in range (check_triangle_mesh).
[[nodiscard]] TriangleMesh subdivided(const TriangleMesh& mesh);

}  // namespace pliant
