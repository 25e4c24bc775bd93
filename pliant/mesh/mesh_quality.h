// Figures for how well shaped a mesh is. (mean_edge_length is in edges.h.)
#pragma once

#include "pliant/mesh/meshes.h"

namespace pliant {

// Smallest and largest of some angle, rad.
struct AngleRange {
  double smallest = 0;
  double largest = 0;
};

// Angles between faces over all tets and their six edges. A regular tet has arccos(1/3) = 70.5° everywhere; below about
// 5° and above about 175° stiffness matrices suffer. Both are 0 for an empty mesh.
[[nodiscard]] AngleRange dihedral_angles(const TetMesh& mesh);

// Angles in the corners of all triangles; both are 0 for an empty mesh.
[[nodiscard]] AngleRange corner_angles(const TriangleMesh& mesh);

}  // namespace pliant
