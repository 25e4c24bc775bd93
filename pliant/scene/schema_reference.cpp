// The visitor that documents settings: it walks a default scene with one item in every list and each alternative in
// turn.
#include "pliant/scene/schema_reference.h"

#include <map>

#include "pliant/scene/presets.h"
#include "pliant/scene/schema.h"
#include "pliant/scene/schema_names.h"

namespace pliant::scene {
namespace {

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string row_text(const std::vector<double>& row) {
  std::string text;
  for (const double value : row) text += (text.empty() ? "" : ", ") + number_text(value);
  return "[" + text + "]";
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

// One row of a table.
struct Row {
  std::string key;
  std::string kind;
  std::string standard;  // the default
  Meaning meaning;
};

std::string row_markdown(const Row& row) {
  std::string allowed = range_text(row.meaning);
  if (row.meaning.not_all_zero) allowed += allowed.empty() ? "not zero" : ", not zero";
  std::string text = row.meaning.text;
  if (*row.meaning.applies_when != '\0') text += " (for " + std::string(row.meaning.applies_when) + ")";
  const std::string standard = row.meaning.required ? "*required*" : row.standard;
  return "| " + code(row.key) + " | " + row.kind + " | " + row.meaning.unit + " | " + standard + " | " + allowed +
         " | " + text + " |\n";
}

// Writes the table of one map, and hands the tables of maps inside it to `later`.
class ReferenceVisitor final : public SettingVisitor {
 public:
  // shown: the tables written so far, and the path of the map each stands for.
  using Shown = std::map<std::string, std::string>;
  ReferenceVisitor(std::string path, std::string& out, Shown& shown)
      : path_(std::move(path)), out_(out), shown_(shown) {}

  void value(const Setting& setting) override {
    if (std::holds_alternative<Source*>(setting.value)) return;
    struct Naming {
      Row row;
      void operator()(const Numbers& numbers) {
        const char* noun = numbers.integral ? "whole number" : "number";
        row.kind = numbers.length == Numbers::kScalar      ? noun
                   : numbers.length == Numbers::kAnyLength ? std::string("list of ") + noun + "s"
                                                           : std::to_string(numbers.length) + " " + noun + "s";
        if (numbers.nullable) row.kind += " or null";
        const auto values = numbers.get();
        row.standard = !values                              ? "null"
                       : numbers.length == Numbers::kScalar ? number_text(values->at(0))
                                                            : row_text(*values);
      }
      void operator()(bool* flag) { row.kind = "true or false", row.standard = *flag ? "true" : "false"; }
      void operator()(const Text& text) {
        row.kind = text.field != nullptr ? "text" : "text or null";
        row.standard = text.field != nullptr ? code(*text.field) : "null";
      }
      void operator()(const Choice& choice) {
        row.kind = words_text(choice.built_words());
        row.standard = code(choice.words[static_cast<std::size_t>(choice.get())]);
        // Words of the format beyond those that are built, each once.
        std::string rest;
        for (const char* word : choice.not_built) rest += (rest.empty() ? "" : ", ") + code(word);
        if (!rest.empty()) row.kind += "; not built yet: " + rest;
      }
      void operator()(const ChoiceList& list) {
        row.kind = "list of " + words_text({list.words.begin(), list.words.end()});
        for (const int i : list.get())
          row.standard += (row.standard.empty() ? "" : ", ") + code(list.words[static_cast<std::size_t>(i)]);
      }
      void operator()(const NameList&) { row.kind = "list of names"; }
      void operator()(const PointList&) { row.kind = "list of [x, value]"; }
      void operator()(const PlaceList&) { row.kind = "list of [x, y, z]"; }
      void operator()(FilePath*) { row.kind = "file"; }
      void operator()(const OnlyTrue&) { row.kind = "`true`"; }
      void operator()(const NotBuilt&) { row.kind = "not built yet"; }
    };
    Naming naming{{setting.key, "", "", setting.meaning}};
    std::visit(
        [&](const auto& field) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, Source*>) naming(field);
        },
        setting.value);
    add(naming.row);
  }

  void group(const Group& group) override {
    const bool nullable = static_cast<bool>(group.is_present);
    add({group.key, nullable ? "map or null" : "map", nullable ? "null" : "", group.meaning});
    const bool was_present = !nullable || group.is_present();
    if (!was_present) group.set_present(true);
    table(path_to(group.key), group.describe);
    if (!was_present) group.set_present(false);
  }

  void list(const List& list) override {
    add({list.key, list.name_of ? "map of maps by name" : "list of maps", list.name_of ? "{}" : "[]", list.meaning});
    const int size = list.size();
    list.resize(1);
    const std::string path = path_to(list.key) + (list.name_of ? ".*name*" : "[]");
    table(path, [&](SettingVisitor& v) { list.describe_item(v, 0); });
    list.resize(size);
  }

  void one_of(const OneOf& one_of) override {
    const Alternative* standard = nullptr;
    for (const Alternative& alternative : one_of.alternatives) {
      if (alternative.is_active()) standard = &alternative;
    }
    std::string keys;
    for (const Alternative& alternative : one_of.alternatives)
      keys += (keys.empty() ? "" : ", ") + code(alternative.keys[0]);
    notes_ += std::string(one_of.meaning.required ? "Exactly one of " : "At most one of ") + keys + ".\n";
    for (const Alternative& alternative : one_of.alternatives) {
      alternative.activate();
      alternative.describe(*this);
    }
    if (standard != nullptr) standard->activate();
  }

  void forms(const Forms& forms) override {
    std::string kinds, standard;
    for (const Form& form : forms.forms) {
      const std::string name = form.shape == FormShape::word ? code(form.text) : form.text;
      kinds += (kinds.empty() ? "" : "; ") + name;
      if (form.shape == FormShape::word && form.is_active() && standard.empty()) standard = name;
    }
    add({forms.key, kinds, standard, forms.meaning});
    // Maps and lists of maps among the forms have keys of their own.
    const Form* active = nullptr;
    for (const Form& form : forms.forms) {
      if (form.is_active()) active = &form;
    }
    silent_ = true;
    for (const Form& form : forms.forms) {
      const bool has_keys = form.shape == FormShape::map || form.shape == FormShape::maps;
      if (!has_keys || !form.describe) continue;
      form.activate();
      form.describe(*this);
    }
    silent_ = false;
    if (active != nullptr) active->activate();
  }

  // The finished section: heading, table, then the sections of the maps inside.
  void finish() {
    const std::string heading = path_.empty()                          ? "The scene"
                                : path_.find('*') == std::string::npos ? code(path_)
                                                                       : path_;
    // The same map stands in several places (where in pins and loads, a material in place): one table serves all.
    const auto [same, is_first] = shown_.emplace(notes_ + rows_, path_);
    if (!is_first && !rows_.empty()) {
      out_ += "\n### " + heading + "\n\nThe keys of `" + same->second + "`.\n";
      return;
    }
    out_ += "\n### " + heading + "\n\n" + notes_ + (notes_.empty() ? "" : "\n");
    if (!rows_.empty()) {
      out_ += "| key | value | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n" + rows_;
    } else {
      out_ += "No keys.\n";
    }
    out_ += inner_;
  }

 private:
  void add(const Row& row) {
    // Inside `forms` the key is already listed.
    if (!silent_) rows_ += row_markdown(row);
  }

  [[nodiscard]] std::string path_to(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  void table(const std::string& path, const std::function<void(SettingVisitor&)>& describe) {
    ReferenceVisitor visitor(path, inner_, shown_);
    describe(visitor);
    visitor.finish();
  }

  std::string path_;
  std::string& out_;
  Shown& shown_;
  std::string notes_, rows_, inner_;
  bool silent_ = false;
};

std::string presets_markdown() {
  std::string text =
      "\n### Material presets\n\n| name | model | density (kg/m³) | young (Pa) | poisson | source of the values "
      "|\n|---|---|---|---|---|---|\n";
  for (const MaterialPreset& preset : material_presets()) {
    const Material& m = preset.material;
    text += "| " + code(m.name) + " | " + code(word_for(m.model)) + " | " + number_text(m.density) + " | " +
            number_text(m.young) + " | " + number_text(m.poisson) + " | " + preset.reference + " |\n";
  }
  return text;
}

}  // namespace

std::string reference_markdown() {
  Scene scene;
  std::string text;
  ReferenceVisitor::Shown shown;
  ReferenceVisitor visitor("", text, shown);
  describe(visitor, scene);
  visitor.finish();
  return text + presets_markdown();
}

}  // namespace pliant::scene
