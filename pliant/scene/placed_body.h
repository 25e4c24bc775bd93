// From a body of the scene to a mesh in the world: generated or read, tetrahedralised if it is a surface, checked,
// copied, scaled, turned and moved.
#pragma once

#include <string>
#include <vector>

#include "pliant/mesh/meshes.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// One instance of a body (bodies with `copies` have several).
struct PlacedBody {
  const Body* body = nullptr;               // in the scene
  std::string name;                         // "sheet", or "sheet.0", "sheet.1", …
  TetMesh mesh;                             // m, in the world
  std::optional<EmbeddedSurface> embedded;  // m, in the world; when a surface was given
  Mat3 turn = Mat3::Identity();             // from the mesh's own frame to the world
  std::vector<std::string> notes;           // what the user should know about the mesh
};

[[nodiscard]] std::vector<PlacedBody> place_bodies(const Scene& scene);

}  // namespace pliant::scene
