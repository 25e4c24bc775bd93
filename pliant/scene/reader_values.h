// Reads single values of a YAML document: numbers, words, lists, file names. Used by the reading visitor.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/scene/settings.h"
#include "pliant/scene/yaml_document.h"

namespace pliant::scene {

// key: the full name for messages, "time.step". Throws InputError when the node does not fit the setting.
void read_value(const YamlNode& node, const std::string& key, const Setting& setting,
                const std::filesystem::path& folder);

// Whether the node is written in this shape, and what it looks like for messages: "the number 3", "text 'abc'".
[[nodiscard]] bool has_shape(const YamlNode& node, const Form& form);
[[nodiscard]] std::string describe_node(const YamlNode& node);

}  // namespace pliant::scene
