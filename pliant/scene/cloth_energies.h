// Energies of a cloth body: membrane, strain limit, bending, damping, and its animated rest state.
#pragma once

#include "pliant/scene/model_parts.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// Flexural rigidities [N·m] of a material when bent along the warp and along the weft.
struct Rigidity {
  double warp = 0, weft = 0;
};
[[nodiscard]] Rigidity bending_rigidity(const Material& material);

void add_cloth_energies(const PlacedBody& placed, const ModelBody& body, const Material& material, ModelParts& parts);

}  // namespace pliant::scene
