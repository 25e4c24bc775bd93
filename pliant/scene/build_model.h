// From what the user asked (Scene) to what can be simulated: model, start state and options.
//
//   BuiltScene built = build(read_scene("drape.yaml"));
//   Simulation simulation(std::move(built.model), built.state, built.options);
//
// Everything that can be wrong with a scene in spite of a correct file shows here, before the first step: bad meshes,
// empty selections, combinations that do not fit. Each is an InputError with the place in the scene file.
#pragma once

#include <string>
#include <vector>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/placed_body.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct BuiltScene {
  Model model;
  State state;
  SimulationOptions options;
  std::vector<std::string> notes;  // sentences about meshes and choices, for the user
};

[[nodiscard]] BuiltScene build(const Scene& scene);
// The same from bodies that were placed before and may have been torn since (scene/tearing.h).
[[nodiscard]] BuiltScene build(const Scene& scene, const std::vector<scene::PlacedBody>& placed, int revision);

}  // namespace pliant
