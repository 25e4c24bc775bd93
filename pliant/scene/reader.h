// Reads a scene file (YAML, or JSON with the same keys) into a checked Scene.
//
// Every mistake is an InputError that names file and line, the key, what was given, what is allowed, and the nearest
// valid key or name. The first one found is thrown; nothing of a wrong file is used.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "pliant/scene/scene.h"

namespace pliant {

// overrides: "time.step=0.005", "bodies.sheet.position=[0, 2, 0]", applied in order before anything is checked.
[[nodiscard]] Scene read_scene(const std::filesystem::path& file, std::span<const std::string> overrides = {});

struct ParseOptions {
  std::filesystem::path folder;            // what file names in the scene are relative to
  std::span<const std::string> overrides;  // as for read_scene
};

// The same for text in memory. `name` is what places in messages begin with.
[[nodiscard]] Scene parse_scene(std::string_view text, const std::string& name, const ParseOptions& options = {});

}  // namespace pliant
