// Checks a scene, wherever it comes from: every number in its range, every name resolved, every combination possible.
// The reader calls it last; scenes made in C++ or Python pass through it before a model is built.
#pragma once

#include <vector>

#include "pliant/scene/scene.h"

namespace pliant::scene {

// Throws InputError at the first mistake. Materials must already hold the presets that bodies name.
void check_scene(const Scene& scene);

// Ranges and required choices only, by the schema.
void check_ranges(const Scene& scene);

// bodies: those that the joint names, one or two.
void check_joint(const Joint& joint, const std::vector<const Body*>& bodies);

}  // namespace pliant::scene
