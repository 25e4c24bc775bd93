// The visitor that checks the ranges of a scene's values, by the same declarations the reader uses.
#include <algorithm>

#include "pliant/input_error.h"
#include "pliant/scene/schema.h"
#include "pliant/scene/settings_check.h"

namespace pliant::scene {
namespace {

class CheckVisitor final : public SettingVisitor {
 public:
  void value(const Setting& setting) override {
    if (Source* const* source = std::get_if<Source*>(&setting.value)) place_ = (*source)->place;
    if (!setting.meaning.applies) return;
    const std::string key = path_ + setting.key;
    if (const auto* numbers = std::get_if<Numbers>(&setting.value)) {
      const auto row = numbers->get();
      if (!row) return;
      const std::string error = range_error(setting.meaning, *numbers, *row);
      if (!error.empty()) throw InputError(place_, key + " " + error);
    }
    if (const auto* choice = std::get_if<Choice>(&setting.value)) check_word(*choice, key);
  }

  void group(const Group& group) override {
    if (!group.meaning.applies || (group.is_present && !group.is_present())) return;
    within(std::string(group.key) + ".", group.describe);
  }

  void list(const List& list) override {
    for (int i = 0; i < list.size(); ++i) {
      within(std::string(list.key) + "[" + std::to_string(i) + "].",
             [&](SettingVisitor& v) { list.describe_item(v, i); });
    }
  }

  void one_of(const OneOf& one_of) override {
    int active_count = 0;
    for (const Alternative& alternative : one_of.alternatives) {
      if (!alternative.is_active()) continue;
      ++active_count;
      alternative.describe(*this);
    }
    if (active_count > 1 || (active_count == 0 && one_of.meaning.required)) {
      throw InputError(place_, path_ + " needs exactly one of: " + one_of.meaning.text);
    }
  }

  void forms(const Forms& forms) override {
    if (!forms.meaning.applies) return;
    for (const Form& form : forms.forms) {
      if (form.is_active() && form.describe) form.describe(*this);
    }
  }

 private:
  void within(const std::string& part, const std::function<void(SettingVisitor&)>& describe) {
    const std::string outer_path = path_;
    const std::string outer_place = place_;
    path_ += part;
    describe(*this);
    path_ = outer_path;
    place_ = outer_place;
  }

  void check_word(const Choice& choice, const std::string& key) const {
    const std::string word = choice.words[static_cast<std::size_t>(choice.get())];
    const auto is_it = [&word](const char* other) { return word == other; };
    if (std::any_of(choice.not_built.begin(), choice.not_built.end(), is_it)) {
      throw InputError(place_, key + ": " + word + " is not built yet in this version");
    }
  }

  std::string path_;
  std::string place_;
};

}  // namespace

void check_ranges(const Scene& scene) {
  Scene copy = scene;  // declarations hold references to fields that a reader may write
  CheckVisitor visitor;
  describe(visitor, copy);
}

}  // namespace pliant::scene
