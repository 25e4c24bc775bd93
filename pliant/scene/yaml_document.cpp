// YAML text to tree, over the event interface of yaml-cpp, so that lines, duplicates, aliases and limits are ours.
#include "pliant/scene/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "pliant/input_error.h"

namespace pliant::scene {
namespace {

// A hand-written scene needs a depth of about 8 and a few thousand nodes; long vertex lists set the number of nodes.
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostNodes = 1000000;
constexpr std::size_t kMostKeys = 10000;  // per map: finding a key walks through all of them
constexpr std::size_t kLongestText = std::size_t{64} << 20;

std::string place_text(const std::shared_ptr<const std::string>& origin, int line) {
  if (!origin) return "";
  return line > 0 ? *origin + ":" + std::to_string(line) : *origin;
}

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

std::size_t depth_of(const YamlNode& node) {
  std::size_t deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth_of(item));
  return deepest + 1;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> origin, bool has_lines)
      : origin_(std::move(origin)), has_lines_(has_lines) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    leaf(make(YamlNode::Kind::null, mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.text = value;
    // The library reports "!" for scalars in quotes and "?" or nothing for plain ones.
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!node.quoted) refuse_tag(tag, node);
    leaf(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      throw InputError(place_text(origin_, line_of(mark)),
                       "an alias stands inside the very part it repeats; remove it");
    }
    YamlNode copy = found->second;
    if (open_.size() + depth_of(copy) > kDeepest) refuse_depth(copy);
    spend(count_nodes(copy), copy);
    close(std::move(copy));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::sequence, mark), tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::map, mark), tag, anchor);
  }
  void OnSequenceEnd() override { finish_container(); }
  void OnMapEnd() override { finish_container(); }

  [[nodiscard]] YamlNode take() { return std::move(root_); }

 private:
  struct OpenContainer {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool awaits_value = false;  // a map whose last key has no value yet
  };

  int line_of(const YAML::Mark& mark) const { return has_lines_ ? mark.line + 1 : 0; }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode node;
    node.kind = kind;
    node.line = line_of(mark);
    node.origin = origin_;
    spend(1, node);
    return node;
  }

  void spend(std::size_t nodes, const YamlNode& at) {
    node_count_ += nodes;
    if (node_count_ > kMostNodes) {
      throw InputError(at.place(), "the document holds more than " + std::to_string(kMostNodes) +
                                       " values, counting aliases as what they repeat; put large data into files");
    }
  }

  static void refuse_tag(const std::string& tag, const YamlNode& node) {
    if (tag.empty() || tag == "?") return;
    throw InputError(node.place(), "the YAML tag '" + tag + "' is not supported; write the value without a tag");
  }

  [[noreturn]] static void refuse_depth(const YamlNode& node) {
    throw InputError(node.place(), "lists and maps are nested more than " + std::to_string(kDeepest) + " deep");
  }

  void open(YamlNode node, const std::string& tag, YAML::anchor_t anchor) {
    if (tag != "!") refuse_tag(tag, node);
    if (open_.size() >= kDeepest) refuse_depth(node);
    OpenContainer container;
    container.node = std::move(node);
    container.anchor = anchor;
    open_.push_back(std::move(container));
  }

  void finish_container() {
    OpenContainer done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) remember(done.anchor, done.node);
    close(std::move(done.node));
  }

  void leaf(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) remember(anchor, node);
    close(std::move(node));
  }

  void remember(YAML::anchor_t anchor, const YamlNode& node) {
    spend(count_nodes(node), node);
    anchored_[anchor] = node;
  }

  // Whether the next node is a key of the innermost map.
  bool is_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().awaits_value;
  }

  // Puts a finished node where it belongs.
  void close(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (is_key()) {
      add_key(node);
    } else {
      open_.back().node.items.push_back(std::move(node));
      open_.back().awaits_value = false;
    }
  }

  void add_key(const YamlNode& key) {
    YamlNode& map = open_.back().node;
    if (key.kind != YamlNode::Kind::scalar) throw InputError(key.place(), "a key must be a word, got " + key.summary());
    if (map.index_of(key.text)) {
      throw InputError(key.place(), "the key '" + key.text + "' is given twice in the same map; keep one of them");
    }
    if (map.keys.size() >= kMostKeys) {
      throw InputError(key.place(), "a map holds more than " + std::to_string(kMostKeys) + " keys");
    }
    map.keys.push_back({key.text, key.line});
    open_.back().awaits_value = true;
  }

  std::shared_ptr<const std::string> origin_;
  bool has_lines_;
  YamlNode root_;
  std::vector<OpenContainer> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t node_count_ = 0;
};

YamlNode parse(std::string_view text, const std::string& origin, bool has_lines) {
  if (text.size() > kLongestText) throw InputError(origin, "is larger than 64 MiB; put large data into files");
  const auto shared_origin = std::make_shared<const std::string>(origin);
  TreeBuilder builder(shared_origin, has_lines);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      throw InputError(origin, "is empty; a scene needs at least pliant and time");
    YamlNode document = builder.take();
    TreeBuilder rest(shared_origin, has_lines);
    if (parser.HandleNextDocument(rest)) throw InputError(origin, "holds more than one YAML document; keep one");
    return document;
  } catch (const YAML::Exception& error) {
    const int line = has_lines && error.mark.line >= 0 ? error.mark.line + 1 : 0;
    throw InputError(place_text(shared_origin, line), "is not valid YAML: " + error.msg);
  }
}

}  // namespace

std::string YamlNode::place() const { return place_text(origin, line); }

std::string YamlNode::place_of_key(std::size_t index) const { return place_text(origin, keys.at(index).line); }

std::optional<std::size_t> YamlNode::index_of(std::string_view key) const {
  const auto found = std::find_if(keys.begin(), keys.end(), [key](const YamlKey& other) { return other.text == key; });
  if (found == keys.end()) return std::nullopt;
  return static_cast<std::size_t>(found - keys.begin());
}

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto index = index_of(key);
  return index ? &items[*index] : nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  const auto index = index_of(key);
  return index ? &items[*index] : nullptr;
}

std::string YamlNode::summary() const {
  // Long texts are cut: a message is one line.
  constexpr std::size_t kLongest = 60;
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::sequence:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  std::string shown;
  for (const char letter : text.substr(0, kLongest)) shown += static_cast<unsigned char>(letter) < 32 ? ' ' : letter;
  return "text '" + shown + (text.size() > kLongest ? "…'" : "'");
}

YamlNode yaml_scalar(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = std::move(text);
  return node;
}

YamlNode yaml_text(std::string text) {
  YamlNode node = yaml_scalar(std::move(text));
  node.quoted = true;
  return node;
}

YamlNode yaml_sequence() {
  YamlNode node;
  node.kind = YamlNode::Kind::sequence;
  return node;
}

YamlNode yaml_map() {
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  return node;
}

YamlNode parse_yaml(std::string_view text, const std::string& origin) { return parse(text, origin, true); }

YamlNode parse_yaml_option(std::string_view text, const std::string& option) { return parse(text, option, false); }

}  // namespace pliant::scene
