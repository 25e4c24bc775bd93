// The elastic energies of all solid bodies of a scene: bodies with the same law share one batch of elements.
#pragma once

#include <memory>
#include <vector>

#include "pliant/energy/solid/tet_elements.h"
#include "pliant/scene/model_parts.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// A body's material and its tets in block indices.
struct SolidPart {
  const Material* material = nullptr;
  std::vector<Vec4i> tets;
  Mat3 turn = Mat3::Identity();  // of the body: fibres turn with it
};

// Adds energies and consistent masses. rest: position of every block [m].
// The inertia of the model must already hold the lumped masses.
void add_solid_energies(const std::vector<SolidPart>& parts, const std::vector<Vec3>& rest, ModelParts& model);

// Lamé parameters of a material's linearisation at rest [Pa]; polynomial counts its μ.
struct Lame {
  double mu = 0, lambda = 0;
};
[[nodiscard]] Lame lame_at_rest(const Material& material);

}  // namespace pliant::scene
