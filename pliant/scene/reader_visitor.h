// The visitor that fills settings from one map of a YAML document. Used by reader.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/scene/settings.h"
#include "pliant/scene/yaml_document.h"

namespace pliant::scene {

class ReaderVisitor final : public SettingVisitor {
 public:
  // map: a map or null (as if empty). path: the keys that lead here, "solver.newton", empty at the top.
  ReaderVisitor(const YamlNode& map, std::string path, const std::filesystem::path& folder);

  void value(const Setting& setting) override;
  void group(const Group& group) override;
  void list(const List& list) override;
  void one_of(const OneOf& one_of) override;
  void forms(const Forms& forms) override;

  // After the visit: a key of the map that no declaration claimed is an error.
  void refuse_unknown_keys() const;

 private:
  // Notes a declared key and returns its node; nullptr when absent. Throws when it is required or does not apply.
  const YamlNode* claim(const char* key, const Meaning& meaning);
  // Before complaining that a key is missing: is there one that looks like it?
  void refuse_misspelt(const std::string& key) const;
  void read_map(const YamlNode& node, const std::string& path, const std::function<void(SettingVisitor&)>& describe);
  void read_named_items(const List& list, const YamlNode& node);
  [[nodiscard]] std::string path_to(const std::string& key) const;

  const YamlNode& map_;
  std::string path_;
  const std::filesystem::path& folder_;
  std::vector<std::string> claimed_;
};

}  // namespace pliant::scene
