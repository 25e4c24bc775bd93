// The visitor that turns settings into a YAML tree. What does not apply, and what is not built yet, is left out.
#include "pliant/scene/writer.h"

#include "pliant/scene/schema.h"
#include "pliant/scene/yaml_document.h"

namespace pliant {
namespace scene {
namespace {

YamlNode number_node(double value) { return yaml_scalar(number_text(value)); }

YamlNode row_node(const std::vector<double>& row) {
  YamlNode node = yaml_sequence();
  for (const double value : row) node.items.push_back(number_node(value));
  return node;
}

class WriterVisitor final : public SettingVisitor {
 public:
  WriterVisitor(YamlNode& map, PathForm paths) : map_(map), paths_(paths) {}

  void value(const Setting& setting) override {
    if (!setting.meaning.applies) return;
    const auto node = std::visit([this](const auto& value) { return to_node(value); }, setting.value);
    if (node) add(setting.key, *node);
  }

  void group(const Group& group) override {
    if (!group.meaning.applies) return;
    const bool is_null = group.is_present && !group.is_present();
    add(group.key, is_null ? YamlNode() : map_of(group.describe));
  }

  void list(const List& list) override {
    YamlNode node = list.name_of ? yaml_map() : yaml_sequence();
    for (int i = 0; i < list.size(); ++i) {
      if (list.name_of) node.keys.push_back({list.name_of(i), 0});
      node.items.push_back(map_of([&](SettingVisitor& v) { list.describe_item(v, i); }));
    }
    add(list.key, std::move(node));
  }

  void one_of(const OneOf& one_of) override {
    for (const Alternative& alternative : one_of.alternatives) {
      if (alternative.is_active()) alternative.describe(*this);
    }
  }

  void forms(const Forms& forms) override {
    if (!forms.meaning.applies) return;
    for (const Form& form : forms.forms) {
      if (!form.is_active()) continue;
      if (form.describe) {
        form.describe(*this);
      } else {
        add(forms.key, yaml_text(form.text));
      }
      return;
    }
  }

 private:
  using Node = std::optional<YamlNode>;

  void add(const char* key, YamlNode node) {
    map_.keys.push_back({key, 0});
    map_.items.push_back(std::move(node));
  }

  YamlNode map_of(const std::function<void(SettingVisitor&)>& describe) const {
    YamlNode node = yaml_map();
    WriterVisitor inner(node, paths_);
    describe(inner);
    return node;
  }

  Node to_node(const Numbers& numbers) const {
    const auto row = numbers.get();
    if (!row) return YamlNode();
    return numbers.length == Numbers::kScalar ? number_node(row->at(0)) : row_node(*row);
  }
  Node to_node(bool* flag) const { return yaml_scalar(*flag ? "true" : "false"); }
  Node to_node(const Text& text) const {
    if (text.field != nullptr) return yaml_text(*text.field);
    return *text.optional_field ? yaml_text(**text.optional_field) : YamlNode();
  }
  Node to_node(const Choice& choice) const { return yaml_text(choice.words[static_cast<std::size_t>(choice.get())]); }
  Node to_node(const ChoiceList& list) const {
    YamlNode node = yaml_sequence();
    for (const int index : list.get()) node.items.push_back(yaml_text(list.words[static_cast<std::size_t>(index)]));
    return node;
  }
  Node to_node(const NameList& list) const {
    YamlNode node = yaml_sequence();
    for (const std::string& name : *list.names) node.items.push_back(yaml_text(name));
    return node;
  }
  Node to_node(const PointList& list) const {
    YamlNode node = yaml_sequence();
    for (const Vec2& point : *list.points) node.items.push_back(row_node({point[0], point[1]}));
    return node;
  }
  Node to_node(const PlaceList& list) const {
    YamlNode node = yaml_sequence();
    for (const Vec3& place : *list.places) node.items.push_back(row_node({place[0], place[1], place[2]}));
    return node;
  }
  Node to_node(FilePath* file) const {
    const bool absolute = paths_ == PathForm::absolute;
    return yaml_text(absolute ? std::filesystem::absolute(file->resolved).lexically_normal().string() : file->written);
  }
  Node to_node(const OnlyTrue&) const { return yaml_scalar("true"); }
  Node to_node(const NotBuilt&) const { return std::nullopt; }
  Node to_node(Source*) const { return std::nullopt; }

  YamlNode& map_;
  PathForm paths_;
};

}  // namespace
}  // namespace scene

std::string write_scene(const Scene& scene, PathForm paths) {
  Scene copy = scene;  // declarations hold references to fields that a reader may write
  scene::YamlNode document = scene::yaml_map();
  scene::WriterVisitor writer(document, paths);
  scene::describe(writer, copy);
  return scene::write_yaml(document);
}

}  // namespace pliant
