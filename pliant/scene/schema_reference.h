// The reference of all keys as Markdown, made from the schema: the second half of docs/scene-format.md.
#pragma once

#include <string>

namespace pliant::scene {

// One table per map of the format, then the material presets.
[[nodiscard]] std::string reference_markdown();

}  // namespace pliant::scene
