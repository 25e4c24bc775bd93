// What all fuzz targets share: whatever the bytes are, a reader returns a mesh that keeps its promises, or throws an
// InputError with a place and a sentence. Anything else stops the fuzzer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <Eigen/Geometry>

#include "pliant/input_error.h"
#include "pliant/mesh/meshes.h"

namespace pliant::fuzz {

inline void require(bool promise) {
  if (!promise) std::abort();
}

template <class Cell>
void require_indices(const std::vector<Vec3>& vertices, const std::vector<Cell>& cells) {
  require(!vertices.empty() && !cells.empty());
  for (const Vec3& x : vertices) require(std::isfinite(x[0]) && std::isfinite(x[1]) && std::isfinite(x[2]));
  for (const Cell& cell : cells) {
    for (int a = 0; a < cell.size(); ++a) {
      require(cell[a] >= 0 && cell[a] < static_cast<std::int64_t>(vertices.size()));
      for (int b = 0; b < a; ++b) require(cell[a] != cell[b]);
    }
  }
}

inline void require_promises(const TriangleMesh& mesh) {
  require_indices(mesh.vertices, mesh.triangles);
  require(mesh.texture.empty() || mesh.texture.size() == mesh.vertices.size());
}

inline void require_promises(const TetMesh& mesh) {
  require_indices(mesh.vertices, mesh.tets);
  for (const Vec4i& tet : mesh.tets) {
    const auto edge = [&](int corner) -> Vec3 { return mesh.vertices[tet[corner]] - mesh.vertices[tet[0]]; };
    require(edge(3).dot(edge(1).cross(edge(2))) > 0.0);
  }
}

inline void require_promises(const std::variant<TriangleMesh, TetMesh>& any) {
  std::visit([](const auto& mesh) { require_promises(mesh); }, any);
}

// Calls read() and checks what comes of it.
template <class Read>
void require_mesh_or_error(Read read) {
  try {
    require_promises(read());
  } catch (const InputError& error) {
    require(!error.place().empty() && error.sentence().size() > 10);
  }
}

}  // namespace pliant::fuzz
