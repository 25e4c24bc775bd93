// Walks to the key that an override names, and puts its value there.
#include "pliant/scene/override.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "pliant/input_error.h"
#include "pliant/scene/settings.h"

namespace pliant::scene {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t dot = path.find('.', begin);
    parts.push_back(path.substr(begin, dot - begin));
    if (dot == std::string::npos) return parts;
    begin = dot + 1;
  }
}

std::optional<std::size_t> index_of(const std::string& part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

// The item of a list with this name, or at this index.
YamlNode& item_of(YamlNode& list, const std::string& part, const std::string& walked, const std::string& place) {
  std::vector<std::string> names;
  for (YamlNode& item : list.items) {
    const YamlNode* name = item.kind == YamlNode::Kind::map ? item.find("name") : nullptr;
    if (name == nullptr || name->kind != YamlNode::Kind::scalar) continue;
    if (name->text == part) return item;
    names.push_back(name->text);
  }
  const std::optional<std::size_t> index = index_of(part);
  if (index && *index < list.items.size()) return list.items[*index];
  if (index) {
    throw InputError(place, "'" + walked + "' has " + std::to_string(list.items.size()) +
                                " items, so there is no item " + part + " (the first is 0)");
  }
  throw InputError(place, "'" + walked + "' has no item named '" + part + "'" + suggestion(part, names));
}

// The value under a key of a map; made when missing. A null counts as an empty map.
YamlNode& value_of(YamlNode& map, const std::string& part, const std::string& place) {
  map.kind = YamlNode::Kind::map;
  if (YamlNode* found = map.find(part)) return *found;
  YamlNode node;
  node.origin = std::make_shared<const std::string>(place);
  map.keys.push_back({part, 0});
  map.items.push_back(std::move(node));
  return map.items.back();
}

}  // namespace

void apply_override(YamlNode& document, const std::string& option) {
  const std::string place = "--set " + option;
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(place, "an override has the form key=value, such as time.step=0.005");
  }
  const std::vector<std::string> parts = split(option.substr(0, equals));
  // The library reads an empty text as no document; here it means null.
  const std::string text = option.substr(equals + 1);
  const bool is_blank = text.find_first_not_of(" \t") == std::string::npos;
  YamlNode value = parse_yaml_option(is_blank ? "null" : text, place);

  YamlNode* node = &document;
  std::string walked;
  for (const std::string& part : parts) {
    if (part.empty()) throw InputError(place, "there is an empty name between the dots of the key");
    if (node->kind == YamlNode::Kind::scalar) {
      throw InputError(place, "'" + walked + "' is a single value, so it has no '" + part + "'");
    }
    node =
        node->kind == YamlNode::Kind::sequence ? &item_of(*node, part, walked, place) : &value_of(*node, part, place);
    walked += (walked.empty() ? "" : ".") + part;
  }
  *node = std::move(value);
}

}  // namespace pliant::scene
