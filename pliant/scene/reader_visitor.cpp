// Walks the declarations of a map's settings and takes what the document says about each.
#include "pliant/scene/reader_visitor.h"

#include <algorithm>

#include "pliant/input_error.h"
#include "pliant/scene/reader_values.h"

namespace pliant::scene {
namespace {

// "a, b or c".
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  }
  return text;
}

std::string expected_forms(const Forms& forms) {
  std::vector<std::string> parts;
  for (const Form& form : forms.forms) {
    parts.push_back(form.shape == FormShape::word ? "'" + std::string(form.text) + "'" : form.text);
  }
  return joined(parts);
}

// How messages call an item of a list: by its name when it has one, else by its index.
std::string item_path(const std::string& list_path, const YamlNode& item, int index) {
  const YamlNode* name = item.kind == YamlNode::Kind::map ? item.find("name") : nullptr;
  const bool named = name != nullptr && name->kind == YamlNode::Kind::scalar && name->text.size() < 60;
  return named ? list_path + "." + name->text : list_path + "[" + std::to_string(index) + "]";
}

}  // namespace

ReaderVisitor::ReaderVisitor(const YamlNode& map, std::string path, const std::filesystem::path& folder)
    : map_(map), path_(std::move(path)), folder_(folder) {}

std::string ReaderVisitor::path_to(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

const YamlNode* ReaderVisitor::claim(const char* key, const Meaning& meaning) {
  claimed_.emplace_back(key);
  const YamlNode* node = map_.find(key);
  if (node != nullptr && !meaning.applies) {
    throw InputError(node->place(), path_to(key) + " is not used here: it belongs to " + meaning.applies_when);
  }
  if (node == nullptr && meaning.required && meaning.applies) {
    refuse_misspelt(key);
    throw InputError(map_.place(), "the key '" + path_to(key) + "' is missing: " + meaning.text +
                                       (*meaning.unit == '\0' ? "" : " (" + std::string(meaning.unit) + ")"));
  }
  return node;
}

void ReaderVisitor::value(const Setting& setting) {
  if (Source* const* source = std::get_if<Source*>(&setting.value)) {
    (*source)->place = map_.place();
    return;
  }
  const YamlNode* node = claim(setting.key, setting.meaning);
  if (node != nullptr) read_value(*node, path_to(setting.key), setting, folder_);
}

void ReaderVisitor::read_map(const YamlNode& node, const std::string& path,
                             const std::function<void(SettingVisitor&)>& describe) {
  if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null) {
    throw InputError(node.place(), path + ": expected a map, got " + describe_node(node));
  }
  ReaderVisitor inner(node, path, folder_);
  describe(inner);
  inner.refuse_unknown_keys();
}

void ReaderVisitor::group(const Group& group) {
  // A missing group is visited as an empty one when required, so that the message names the key inside it.
  Meaning meaning = group.meaning;
  meaning.required = false;
  const YamlNode* node = claim(group.key, meaning);
  YamlNode empty;
  empty.line = map_.line;
  empty.origin = map_.origin;
  if (node == nullptr && !group.meaning.required) return;
  if (node == nullptr) {
    refuse_misspelt(group.key);
    node = &empty;
  }
  if (group.set_present) {
    group.set_present(node->kind != YamlNode::Kind::null);
    if (node->kind == YamlNode::Kind::null) return;
  }
  read_map(*node, path_to(group.key), group.describe);
}

void ReaderVisitor::list(const List& list) {
  const YamlNode* node = claim(list.key, list.meaning);
  if (node == nullptr) return;
  if (list.name_of) return read_named_items(list, *node);
  if (node->kind != YamlNode::Kind::sequence && node->kind != YamlNode::Kind::null) {
    throw InputError(node->place(), path_to(list.key) + ": expected a list, got " + describe_node(*node));
  }
  const int count = static_cast<int>(node->items.size());
  list.resize(0);
  list.resize(count);
  for (int i = 0; i < count; ++i) {
    const YamlNode& item = node->items[static_cast<std::size_t>(i)];
    read_map(item, item_path(path_to(list.key), item, i), [&](SettingVisitor& v) { list.describe_item(v, i); });
  }
}

void ReaderVisitor::read_named_items(const List& list, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::map && node.kind != YamlNode::Kind::null) {
    throw InputError(node.place(),
                     path_to(list.key) + ": expected a map from names to maps, got " + describe_node(node));
  }
  const int count = static_cast<int>(node.items.size());
  list.resize(0);
  list.resize(count);
  for (int i = 0; i < count; ++i) {
    const std::string& name = node.keys[static_cast<std::size_t>(i)].text;
    if (name.empty()) throw InputError(node.place(), path_to(list.key) + ": a name must not be empty");
    list.name_of(i) = name;
    read_map(node.items[static_cast<std::size_t>(i)], path_to(list.key) + "." + name,
             [&](SettingVisitor& v) { list.describe_item(v, i); });
  }
}

void ReaderVisitor::one_of(const OneOf& one_of) {
  const Alternative* chosen = nullptr;
  std::string chosen_key;
  std::vector<std::string> all_keys;
  for (const Alternative& alternative : one_of.alternatives) {
    for (const char* key : alternative.keys) {
      all_keys.emplace_back(key);
      claimed_.emplace_back(key);
      const YamlNode* node = map_.find(key);
      if (node == nullptr || chosen == &alternative) continue;
      if (chosen != nullptr) {
        throw InputError(node->place(), path_to(key) + " and " + path_to(chosen_key) + " exclude each other; keep one");
      }
      chosen = &alternative;
      chosen_key = key;
    }
  }
  if (chosen == nullptr) {
    if (!one_of.meaning.required) return;
    refuse_unknown_keys();
    throw InputError(map_.place(), path_ + " needs one of the keys " + joined(all_keys));
  }
  chosen->activate();
  chosen->describe(*this);
}

void ReaderVisitor::forms(const Forms& forms) {
  const YamlNode* node = claim(forms.key, forms.meaning);
  if (node == nullptr) return;
  for (const Form& form : forms.forms) {
    if (!has_shape(*node, form)) continue;
    form.activate();
    if (form.describe) form.describe(*this);
    return;
  }
  throw InputError(node->place(),
                   path_to(forms.key) + ": expected " + expected_forms(forms) + ", got " + describe_node(*node));
}

void ReaderVisitor::refuse_misspelt(const std::string& key) const {
  const std::vector<std::string> wanted = {key};
  for (std::size_t i = 0; i < map_.keys.size(); ++i) {
    const std::string& given = map_.keys[i].text;
    if (std::find(claimed_.begin(), claimed_.end(), given) == claimed_.end() && !nearest(given, wanted).empty()) {
      throw InputError(map_.place_of_key(i), "unknown key '" + given + "'" + (path_.empty() ? "" : " in " + path_) +
                                                 suggestion(given, wanted));
    }
  }
}

void ReaderVisitor::refuse_unknown_keys() const {
  for (std::size_t i = 0; i < map_.keys.size(); ++i) {
    const std::string& key = map_.keys[i].text;
    if (std::find(claimed_.begin(), claimed_.end(), key) != claimed_.end()) continue;
    std::vector<std::string> candidates = claimed_;
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    // The item's place is the option's when an override brought the key in.
    const YamlNode& item = map_.items[i];
    const std::string place = item.origin == map_.origin ? map_.place_of_key(i) : item.place();
    throw InputError(place, "unknown key '" + (key.size() < 100 ? key : key.substr(0, 100) + "…") + "'" +
                                (path_.empty() ? "" : " in " + path_) + suggestion(key, candidates));
  }
}

}  // namespace pliant::scene
