// How a setting is declared, once: key, field, unit, range and sentence. Everything that deals with settings is a
// SettingVisitor over these declarations (schema.cpp): reading, checking, writing, documenting.
//
//   v.value({"step", t.step, {.unit = "s", .above = 0, .text = "time step"}});
//
// The fields are held by reference, so a declaration is only valid during the visit.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pliant/scene/scene.h"

namespace pliant::scene {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// What messages and documentation say about a key, and what its numbers must satisfy (component by component).
struct Meaning {
  const char* unit = "";
  double above = -kUnbounded;
  double at_least = -kUnbounded;
  double below = kUnbounded;
  double at_most = kUnbounded;
  bool not_all_zero = false;      // for directions
  bool required = false;          // missing in a file is an error
  bool applies = true;            // false: the key means nothing beside the values read before it
  const char* applies_when = "";  // "model arap"
  const char* text = "";          // one sentence without a full stop
};

// One number or a row of them. Integers travel as double, which holds every int exactly.
struct Numbers {
  static constexpr int kScalar = 0, kAnyLength = -1;

  int length = kScalar;  // kScalar, kAnyLength, or the number of components
  bool integral = false;
  bool nullable = false;
  std::function<std::optional<std::vector<double>>()> get;
  std::function<void(const std::optional<std::vector<double>>&)> set;

  Numbers(double& field);
  Numbers(std::optional<double>& field);
  Numbers(int& field);
  Numbers(std::optional<int>& field);
  Numbers(Vec2& field);
  Numbers(std::optional<Vec2>& field);
  Numbers(Vec3& field);
  Numbers(std::optional<Vec3>& field);
  Numbers(Vec4& field);
  Numbers(Eigen::Vector2i& field);
  Numbers(Vec3i& field);
  Numbers(std::vector<int>& field);
  Numbers(std::vector<double>& field);
};

// A text; `null` is allowed when `optional_field` is set.
struct Text {
  std::string* field = nullptr;
  std::optional<std::string>* optional_field = nullptr;

  Text(std::string& text) : field(&text) {}
  Text(std::optional<std::string>& text) : optional_field(&text) {}
};

// One word of a closed choice. `not_built` are words of the format that this version does not support.
struct Choice {
  std::span<const char* const> words;
  std::function<int()> get;
  std::function<void(int)> set;
  std::vector<const char*> not_built;

  [[nodiscard]] std::vector<std::string> built_words() const;
};

// Several words of a closed choice, each at most once.
struct ChoiceList {
  std::span<const char* const> words;
  std::function<std::vector<int>()> get;
  std::function<void(const std::vector<int>&)> set;
};

struct NameList {
  std::vector<std::string>* names;
};
struct PointList {
  std::vector<Vec2>* points;
};
struct PlaceList {
  std::vector<Vec3>* places;
};
// A key that can only say `true`: {boundary: true}.
struct OnlyTrue {};
// A key of the format whose feature is not built yet; an empty list, an empty map and null are harmless.
struct NotBuilt {
  const char* feature;
};

using SettingValue = std::variant<Numbers, bool*, Text, Choice, ChoiceList, NameList, PointList, PlaceList, FilePath*,
                                  OnlyTrue, NotBuilt, Source*>;

struct Setting {
  const char* key;
  SettingValue value;
  Meaning meaning;
};

class SettingVisitor;

// A map under a key. `describe` visits its contents.
struct Group {
  const char* key;
  Meaning meaning;
  std::function<void(SettingVisitor&)> describe;
  std::function<bool()> is_present;  // empty: always there; else the group may be null
  std::function<void(bool)> set_present;
};

// A list of maps; with `name_of`, a map of maps by name.
struct List {
  const char* key;
  Meaning meaning;
  std::function<int()> size;
  std::function<void(int)> resize;
  std::function<void(SettingVisitor&, int)> describe_item;
  std::function<std::string&(int)> name_of;
};

// Alternatives told apart by which keys are there: {box: …} or {sphere: …}. `describe` visits the chosen one's keys.
struct Alternative {
  std::vector<const char*> keys;
  std::function<bool()> is_active;
  std::function<void()> activate;
  std::function<void(SettingVisitor&)> describe;
};
struct OneOf {
  Meaning meaning;
  std::vector<Alternative> alternatives;
};

// One key whose value may be written in several shapes: stiffness: hard, or a number.
enum class FormShape { word, any_text, flag, number, numbers, maps, points, map };
struct Form {
  FormShape shape;
  const char* text;  // "the word hard": what messages and documentation call it; for `word`, the word itself
  std::function<bool()> is_active;
  std::function<void()> activate;
  std::function<void(SettingVisitor&)> describe;  // visits the same key in this form; empty for words
};
struct Forms {
  const char* key;
  Meaning meaning;
  std::vector<Form> forms;
};

class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;
  virtual void value(const Setting& setting) = 0;
  virtual void group(const Group& group) = 0;
  virtual void list(const List& list) = 0;
  virtual void one_of(const OneOf& one_of) = 0;
  virtual void forms(const Forms& forms) = 0;
};

// "above 0 and below 0.5", "at least 1", "from 0 to 1", "exactly 1"; empty when every number is allowed.
[[nodiscard]] std::string range_text(const Meaning& meaning);

// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

// What is wrong with these numbers ("must be above 0 s, got -1"), or empty.
[[nodiscard]] std::string range_error(const Meaning& meaning, const Numbers& kind, std::span<const double> values);

// The candidate with the smallest edit distance to `word`, or empty when none is near.
[[nodiscard]] std::string nearest(const std::string& word, std::span<const std::string> candidates);

// "; did you mean 'density'?", or "; known are a, b, c" when nothing is near.
[[nodiscard]] std::string suggestion(const std::string& word, std::span<const std::string> candidates);

}  // namespace pliant::scene
