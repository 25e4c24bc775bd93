// Overrides from the command line: --set time.step=0.005, --set bodies.sheet.position=[0,2,0].
#pragma once

#include <string>

#include "pliant/scene/yaml_document.h"

namespace pliant::scene {

// Sets one key of the document. The path's parts are separated by dots; an item of a list is meant by its `name` or its
// index from 0; missing maps on the way are made. The value is YAML. Whether the key exists is the reader's to say.
// Messages name the option: "--set bodies.shet.scale=2: …". Throws InputError.
void apply_override(YamlNode& document, const std::string& option);

}  // namespace pliant::scene
