// Meshes of bodies around the origin, by kind: what place_bodies scales, turns and moves.
#pragma once

#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// Fills the mesh, its elements and the notes; the rest of PlacedBody is left alone. Throws InputError.
[[nodiscard]] PlacedBody make_solid(const MeshSource& source);
[[nodiscard]] PlacedBody make_cloth(const Body& body);
[[nodiscard]] PlacedBody make_rod(const MeshSource& source);
[[nodiscard]] PlacedBody make_springs(const MeshSource& source);
[[nodiscard]] PlacedBody make_rigid(const MeshSource& source);
[[nodiscard]] PlacedBody make_obstacle(const MeshSource& source);
// The mesh itself, checked, of any shape with a surface. Throws InputError.
[[nodiscard]] TriangleMesh make_surface(const MeshSource& source);

// Whether springs on this mesh have links across cells.
[[nodiscard]] bool has_cells(const MeshSource& source);

// Strands on the surface of a placed obstacle, in the world. Their places come from the scene's seed.
[[nodiscard]] PlacedBody make_strands(const StrandsMesh& strands, const PlacedBody& ground, int seed,
                                      const std::string& place);

}  // namespace pliant::scene
