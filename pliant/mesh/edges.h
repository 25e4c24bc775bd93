// The edges of a mesh, each once: smaller vertex first, sorted.
#pragma once

#include <array>
#include <vector>

#include "pliant/mesh/meshes.h"

namespace pliant {

using Edge = std::array<int, 2>;

[[nodiscard]] std::vector<Edge> mesh_edges(const TriangleMesh& mesh);
[[nodiscard]] std::vector<Edge> mesh_edges(const TetMesh& mesh);

// Mean length of the edges, each counted once, m. Zero for a mesh without edges.
[[nodiscard]] double mean_edge_length(const TriangleMesh& mesh);
[[nodiscard]] double mean_edge_length(const TetMesh& mesh);

}  // namespace pliant
