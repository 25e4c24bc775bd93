// Makes the boundary of a tet mesh a closed manifold by taking a few tets away.
//
// Where the solid is thinner than a cell, lattice meshes may touch themselves in a single edge or vertex, inside or
// outside. Such a mesh has no well-defined surface there: contact and normals fail. A boundary is a manifold when every
// edge has two boundary triangles and the boundary triangles around every vertex form one ring. Each offending place
// loses the tets that stand in the way:
//   edge      tets around it fall into several fans: the largest fan stays
//   vertex    tets around it fall into several groups joined by faces: the largest group stays;
//             or one group with several rings (a tunnel that ends in a point): a path of tets between two rings goes
// Repeated until nothing offends; every round removes tets, so it ends. Vertices without tets are dropped.
// Splitting the vertices instead would keep all tets but leave surfaces in contact at distance zero.
#pragma once

#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant::mesh {

// Returns the number of tets taken away.
int make_boundary_manifold(TetMesh& mesh);

// Triangles with a tet on one side only, counter-clockwise seen from outside, in the order of their tets.
struct BoundaryTriangle {
  Vec3i vertices;
  int tet = 0;
};
[[nodiscard]] std::vector<BoundaryTriangle> find_boundary(const TetMesh& mesh);

// Tets joined through faces: a part number for each tet, parts numbered by their first tet.
struct Parts {
  int count = 0;
  std::vector<int> part_of_tet;
};
[[nodiscard]] Parts find_parts(const TetMesh& mesh);

}  // namespace pliant::mesh
