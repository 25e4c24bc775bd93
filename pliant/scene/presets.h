// Materials that scenes may name without defining them: material: rubber.
#pragma once

#include <span>
#include <string_view>

#include "pliant/scene/scene.h"

namespace pliant::scene {

struct MaterialPreset {
  Material material;      // with its name
  const char* reference;  // where the values come from
};

// All presets, for `pliant info --materials` and the documentation.
[[nodiscard]] std::span<const MaterialPreset> material_presets();

// By name, or nullptr.
[[nodiscard]] const MaterialPreset* find_preset(std::string_view name);

}  // namespace pliant::scene
