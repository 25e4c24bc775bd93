// A YAML (or JSON) document as a plain tree with line numbers: the only place that knows the YAML library.
//
// Bounded on purpose, because a scene may come from anyone: the depth, the number of nodes (aliases count as what they
// stand for) and the size of the text have limits, and exceeding one is an InputError like any other mistake.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::scene {

struct YamlKey {
  std::string text;
  int line = 0;
};

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::string text;                           // of a scalar
  bool quoted = false;                        // a scalar in quotes is text, whatever it looks like
  int line = 0;                               // from 1; 0: the origin has no lines
  std::shared_ptr<const std::string> origin;  // file name, or the option that set it
  std::vector<YamlKey> keys;                  // of a map, one per item
  std::vector<YamlNode> items;                // of a sequence or a map

  // "scene.yaml:12", or the option's text.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string place_of_key(std::size_t index) const;

  [[nodiscard]] std::optional<std::size_t> index_of(std::string_view key) const;
  // The value under a key of a map, or nullptr.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);

  // "text 'abc'", "a list", "nothing": for messages.
  [[nodiscard]] std::string summary() const;
};

[[nodiscard]] YamlNode yaml_scalar(std::string text);
[[nodiscard]] YamlNode yaml_text(std::string text);  // in quotes where needed
[[nodiscard]] YamlNode yaml_sequence();
[[nodiscard]] YamlNode yaml_map();

// One document. `origin` is what places in messages begin with. Throws InputError.
[[nodiscard]] YamlNode parse_yaml(std::string_view text, const std::string& origin);

// The same, with `option` (such as "--set time.step=0.1") as the place of every node, without line numbers.
[[nodiscard]] YamlNode parse_yaml_option(std::string_view text, const std::string& option);

// YAML text of a tree: blocks for what is long, one line for what is short. Reads back as the same tree.
[[nodiscard]] std::string write_yaml(const YamlNode& document);

}  // namespace pliant::scene
