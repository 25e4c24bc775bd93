// Edges by listing those of all elements and dropping repeats.
#include "pliant/mesh/edges.h"

#include <algorithm>

namespace pliant {
namespace {

template <class Element>
std::vector<Edge> unique_edges(const std::vector<Element>& elements) {
  constexpr int corners = Element::RowsAtCompileTime;
  std::vector<Edge> edges;
  edges.reserve(elements.size() * corners * (corners - 1) / 2);
  for (const Element& element : elements)
    for (int a = 0; a < corners; ++a)
      for (int b = a + 1; b < corners; ++b)
        edges.push_back({std::min(element[a], element[b]), std::max(element[a], element[b])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

template <class Mesh>
double mean_length(const Mesh& mesh) {
  const std::vector<Edge> edges = mesh_edges(mesh);
  double sum = 0;
  for (const auto& [a, b] : edges) sum += (mesh.vertices[b] - mesh.vertices[a]).norm();
  return edges.empty() ? 0.0 : sum / static_cast<double>(edges.size());
}

}  // namespace

std::vector<Edge> mesh_edges(const TriangleMesh& mesh) { return unique_edges(mesh.triangles); }
std::vector<Edge> mesh_edges(const TetMesh& mesh) { return unique_edges(mesh.tets); }
double mean_edge_length(const TriangleMesh& mesh) { return mean_length(mesh); }
double mean_edge_length(const TetMesh& mesh) { return mean_length(mesh); }

}  // namespace pliant
