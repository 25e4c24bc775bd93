// Energies of rods and springs.
#pragma once

#include "pliant/scene/build_bodies.h"
#include "pliant/scene/model_parts.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// One energy for all rods of the model; `moving` are the placed bodies in the order of Model::bodies.
void add_rod_energies(const Scene& scene, const std::vector<const PlacedBody*>& moving, const BlockData& data,
                      ModelParts& parts);

// One energy for all springs of the model.
void add_spring_energies(const Scene& scene, const std::vector<const PlacedBody*>& moving, ModelParts& parts);

}  // namespace pliant::scene
