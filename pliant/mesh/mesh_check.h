// Is this mesh fit for simulation? The first fault found is thrown as an InputError: one sentence with the place, the
// element or vertex (counted from 0) and the remedy.
//
// Checked in this order: empty mesh; coordinates that are not finite; indices out of range; a vertex twice in an
// element; degenerate elements (volume below 1e-12 × longest edge cubed, area below 1e-12 × longest edge squared);
// inverted tets; vertices in no element. Degeneracy is relative, so the unit of the file does not matter.
// What kind of surface a sound triangle mesh is (closed, manifold, oriented) is surface.h's question.
#pragma once

#include <string>

#include "pliant/mesh/meshes.h"

namespace pliant {

// place: the file ("bunny.msh"), or file and line, that gave the mesh.
void check_tet_mesh(const TetMesh& mesh, const std::string& place);
void check_triangle_mesh(const TriangleMesh& mesh, const std::string& place);

// Of tets with positive volume: two that share a face lie on its two sides. An inverted tet whose corners a reader has
// put in order shows here, by overlapping its neighbours. For meshes from files; it sorts all faces.
void check_no_overlap(const TetMesh& mesh, const std::string& place);

enum class OrientRepair { nothing_to_do, flipped_all };

// Some programs number tets the other way round. When every tet has negative volume, swaps the last two vertices of
// each. A mix of signs is no convention but a broken mesh: it is left as it is, for check_tet_mesh to name the tet.
// Call it before check_tet_mesh; a mesh with indices out of range is left alone too.
OrientRepair orient_tets(TetMesh& mesh);

}  // namespace pliant
