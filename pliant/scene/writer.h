// Writes a scene as YAML with every key, defaults included, in full precision: the resolved scene of a result folder.
#pragma once

#include <string>

#include "pliant/scene/scene.h"

namespace pliant {

// as_written keeps file names relative, so the text reads back from the same folder as an equal Scene;
// absolute makes it readable from anywhere.
enum class PathForm { as_written, absolute };

[[nodiscard]] std::string write_scene(const Scene& scene, PathForm paths = PathForm::as_written);

}  // namespace pliant
