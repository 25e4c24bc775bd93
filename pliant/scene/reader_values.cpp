// Single values: what a scalar means, and the sentence when it is not what the setting needs.
#include "pliant/scene/reader_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "pliant/input_error.h"

namespace pliant::scene {
namespace {

// The whole text as a number; nullopt when it is none. ".inf", ".nan" and overflow come back as not finite.
std::optional<double> number_of(const std::string& text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  if (text == ".inf" || text == "+.inf" || text == "-.inf" || text == ".Inf" || text == ".INF") return kUnbounded;
  const char* first = text.data();
  const char* const last = first + text.size();
  if (first != last && *first == '+') ++first;
  if (first != last && *first == '+') return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || first == last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small to hold is 0 for every physical purpose; too large is an error.
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    return tiny ? 0.0 : kUnbounded;
  }
  return value;
}

// Length of the number at the start of a text such as "1 cm"; 0 when it does not begin with one.
std::size_t number_prefix(const std::string& text) {
  double ignored = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  if (error == std::errc::invalid_argument) return 0;
  const bool has_digit = std::any_of(text.data(), end, [](char c) { return c >= '0' && c <= '9'; });
  return has_digit ? static_cast<std::size_t>(end - text.data()) : 0;
}

std::optional<bool> flag_of(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar || node.quoted) return std::nullopt;
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return true;
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return false;
  return std::nullopt;
}

bool is_number(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar && !node.quoted && number_of(node.text).has_value();
}

[[noreturn]] void refuse(const YamlNode& node, const std::string& key, const std::string& sentence) {
  throw InputError(node.place(), key + " " + sentence);
}

[[noreturn]] void refuse_kind(const YamlNode& node, const std::string& key, const std::string& expected) {
  throw InputError(node.place(), key + ": expected " + expected + ", got " + describe_node(node));
}

std::string in_unit(const Meaning& meaning) { return *meaning.unit == '\0' ? "" : std::string(" in ") + meaning.unit; }

double read_number(const YamlNode& node, const std::string& key, const Meaning& meaning) {
  if (is_number(node)) return *number_of(node.text);
  const std::string expected = "a number" + in_unit(meaning);
  if (node.kind == YamlNode::Kind::scalar) {
    if (node.quoted && number_of(node.text)) {
      throw InputError(node.place(), key + ": expected " + expected + ", got " + describe_node(node) +
                                         "; remove the quotes, which make a text of it");
    }
    const std::size_t prefix = number_prefix(node.text);
    if (prefix > 0 && prefix < node.text.size()) {
      throw InputError(node.place(), key + ": expected " + expected + ", got " + describe_node(node) +
                                         "; write a plain number in SI units" +
                                         (*meaning.unit == '\0' ? "" : " (" + std::string(meaning.unit) + ")") +
                                         ", without a unit or other signs after it");
    }
  }
  refuse_kind(node, key, expected);
}

void read_numbers(const YamlNode& node, const std::string& key, const Numbers& numbers, const Meaning& meaning) {
  if (node.kind == YamlNode::Kind::null && numbers.nullable) return numbers.set(std::nullopt);
  std::vector<double> row;
  if (numbers.length == Numbers::kScalar) {
    row.push_back(read_number(node, key, meaning));
  } else {
    const bool any_length = numbers.length == Numbers::kAnyLength;
    const std::string expected = any_length
                                     ? "a list of numbers" + in_unit(meaning)
                                     : "a list of " + std::to_string(numbers.length) + " numbers" + in_unit(meaning);
    if (node.kind != YamlNode::Kind::sequence) refuse_kind(node, key, expected);
    if (!any_length && node.items.size() != static_cast<std::size_t>(numbers.length)) {
      throw InputError(node.place(),
                       key + ": expected " + expected + ", got " + std::to_string(node.items.size()) + " entries");
    }
    for (const YamlNode& item : node.items) row.push_back(read_number(item, key, meaning));
  }
  const std::string error = range_error(meaning, numbers, row);
  if (!error.empty()) refuse(node, key, error);
  numbers.set(row);
}

std::string read_text(const YamlNode& node, const std::string& key) {
  if (node.kind != YamlNode::Kind::scalar) refuse_kind(node, key, "a text");
  return node.text;
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " | ") + word;
  return text;
}

int read_word(const YamlNode& node, const std::string& key, const Choice& choice) {
  if (node.kind != YamlNode::Kind::scalar) refuse_kind(node, key, "one of " + words_text(choice.built_words()));
  const auto is_it = [&](const char* word) { return node.text == word; };
  if (std::any_of(choice.not_built.begin(), choice.not_built.end(), is_it)) {
    throw InputError(node.place(), key + ": " + node.text + " is not built yet in this version");
  }
  const auto found = std::find_if(choice.words.begin(), choice.words.end(), is_it);
  if (found != choice.words.end()) return static_cast<int>(found - choice.words.begin());
  const std::vector<std::string> known = choice.built_words();
  const std::string guess = nearest(node.text, known);
  refuse(node, key,
         "must be one of " + words_text(known) + ", got " + describe_node(node) +
             (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

void read_choice_list(const YamlNode& node, const std::string& key, const ChoiceList& list) {
  if (node.kind != YamlNode::Kind::sequence)
    refuse_kind(node, key, "a list of " + words_text({list.words.begin(), list.words.end()}));
  std::vector<int> chosen;
  for (const YamlNode& item : node.items) {
    const int index = read_word(item, key, {list.words, {}, {}, {}});
    if (std::find(chosen.begin(), chosen.end(), index) != chosen.end())
      refuse(item, key, "lists '" + item.text + "' twice");
    chosen.push_back(index);
  }
  list.set(chosen);
}

template <class Point>
void read_points(const YamlNode& node, const std::string& key, const Meaning& meaning, std::vector<Point>& points) {
  if (node.kind != YamlNode::Kind::sequence) {
    refuse_kind(node, key,
                Point::SizeAtCompileTime == 2 ? "a list of [x, value] points" : "a list of [x, y, z] points");
  }
  points.clear();
  for (const YamlNode& item : node.items) {
    Point point;
    read_numbers(item, key, Numbers(point), meaning);
    points.push_back(point);
  }
}

void read_file(const YamlNode& node, const std::string& key, const std::filesystem::path& folder, FilePath& file) {
  file.written = read_text(node, key);
  if (file.written.empty()) refuse(node, key, "must name a file, got an empty text");
  file.resolved = (folder / file.written).lexically_normal();
  std::error_code ignored;
  const bool is_file =
      file.written.find('\0') == std::string::npos && std::filesystem::is_regular_file(file.resolved, ignored);
  if (!is_file) {
    throw InputError(node.place(), key + ": the file '" + file.written + "' does not exist (looked for " +
                                       file.resolved.string() + "); file names are relative to the scene file");
  }
}

}  // namespace

std::string describe_node(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return node.summary();
  if (is_number(node)) return "the number " + node.text;
  return flag_of(node) ? node.text : node.summary();
}

bool has_shape(const YamlNode& node, const Form& form) {
  using Kind = YamlNode::Kind;
  const bool scalar = node.kind == Kind::scalar;
  const bool sequence = node.kind == Kind::sequence;
  const auto all_items = [&](Kind kind) {
    return std::all_of(node.items.begin(), node.items.end(),
                       [kind](const YamlNode& item) { return item.kind == kind; });
  };
  switch (form.shape) {
    case FormShape::word:
      return scalar && node.text == form.text;
    case FormShape::any_text:
      return scalar && !flag_of(node);
    case FormShape::flag:
      return flag_of(node).has_value();
    // A text that begins with a digit is taken for a number with a unit, so that the message is about that.
    case FormShape::number:
      return is_number(node) || (scalar && number_prefix(node.text) > 0);
    case FormShape::numbers:
      return sequence && !node.items.empty() && all_items(Kind::scalar);
    case FormShape::maps:
      return sequence && all_items(Kind::map);
    case FormShape::points:
      return sequence && all_items(Kind::sequence);
    case FormShape::map:
      return node.kind == Kind::map;
  }
  return false;
}

void read_value(const YamlNode& node, const std::string& key, const Setting& setting,
                const std::filesystem::path& folder) {
  struct Reading {
    const YamlNode& node;
    const std::string& key;
    const Meaning& meaning;
    const std::filesystem::path& folder;

    void operator()(const Numbers& numbers) const { read_numbers(node, key, numbers, meaning); }
    void operator()(bool* field) const {
      const std::optional<bool> flag = flag_of(node);
      if (!flag) refuse_kind(node, key, "true or false");
      *field = *flag;
    }
    void operator()(const Text& text) const {
      if (text.field != nullptr) {
        *text.field = read_text(node, key);
      } else {
        text.optional_field->reset();
        if (node.kind != YamlNode::Kind::null) *text.optional_field = read_text(node, key);
      }
    }
    void operator()(const Choice& choice) const { choice.set(read_word(node, key, choice)); }
    void operator()(const ChoiceList& list) const { read_choice_list(node, key, list); }
    void operator()(const NameList& list) const {
      if (node.kind != YamlNode::Kind::sequence) refuse_kind(node, key, "a list of names");
      list.names->clear();
      for (const YamlNode& item : node.items) list.names->push_back(read_text(item, key));
    }
    void operator()(const PointList& list) const { read_points(node, key, meaning, *list.points); }
    void operator()(const PlaceList& list) const { read_points(node, key, meaning, *list.places); }
    void operator()(FilePath* file) const { read_file(node, key, folder, *file); }
    void operator()(const OnlyTrue&) const {
      if (flag_of(node) != true) refuse_kind(node, key, "true (leave the key out for the opposite)");
    }
    void operator()(const NotBuilt& what) const {
      // A null, an empty list and an empty map ask for nothing.
      if (node.kind != YamlNode::Kind::scalar && node.items.empty()) return;
      throw InputError(node.place(), key + ": " + what.feature + " is not built yet in this version");
    }
    void operator()(Source*) const {}
  };
  std::visit(Reading{node, key, setting.meaning, folder}, setting.value);
}

}  // namespace pliant::scene
