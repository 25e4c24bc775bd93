// Numbering vertices along a Hilbert curve, so that neighbours in space are neighbours in memory.
//
//   std::vector<int> order = hilbert_order(mesh.vertices);
//   TetMesh compact = renumber(mesh, order);
//
// A numbering is given as order[new] = old; inverse_order turns it round. Same positions, same order, on every machine.
// Curve: the entry corner and direction of each level's cell follow from the level above, [Hamilton2006, sections 2.1
// to 2.3]; 21 levels on the bounding cube. Points in one smallest cell keep their given order.
#pragma once

#include <span>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant {

[[nodiscard]] std::vector<int> hilbert_order(std::span<const Vec3> points);

// new numbers of the old ones: inverse[order[i]] = i. order must be a permutation.
[[nodiscard]] std::vector<int> inverse_order(std::span<const int> order);

// The same mesh with its vertices in the new order. Elements keep the order of their own vertices (so their
// orientation) and are sorted by their smallest vertex, then the next ones; texture follows the vertices.
[[nodiscard]] TetMesh renumber(const TetMesh& mesh, std::span<const int> order);
[[nodiscard]] TriangleMesh renumber(const TriangleMesh& mesh, std::span<const int> order);

}  // namespace pliant
