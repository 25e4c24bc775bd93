// Declarations of settings: access to their fields, and the sentences about ranges and misspelt words.
#include "pliant/scene/settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace pliant::scene {
namespace {

using Values = std::vector<double>;

// Access to a fixed-size Eigen vector as a row of numbers.
template <class Vector>
void bind_vector(Numbers& numbers, Vector& field) {
  using Scalar = typename Vector::Scalar;
  numbers.length = static_cast<int>(Vector::SizeAtCompileTime);
  numbers.integral = std::is_integral_v<Scalar>;
  numbers.get = [&field] { return Values(field.data(), field.data() + field.size()); };
  numbers.set = [&field](const std::optional<Values>& row) {
    for (int i = 0; i < field.size(); ++i) field[i] = static_cast<Scalar>(row->at(static_cast<std::size_t>(i)));
  };
}

template <class Vector>
void bind_optional_vector(Numbers& numbers, std::optional<Vector>& field) {
  numbers.length = static_cast<int>(Vector::SizeAtCompileTime);
  numbers.nullable = true;
  numbers.get = [&field]() -> std::optional<Values> {
    if (!field) return std::nullopt;
    return Values(field->data(), field->data() + field->size());
  };
  numbers.set = [&field](const std::optional<Values>& row) {
    field.reset();
    if (row) field = Eigen::Map<const Vector>(row->data());
  };
}

template <class Number>
void bind_number(Numbers& numbers, Number& field) {
  numbers.integral = std::is_integral_v<Number>;
  numbers.get = [&field] { return Values{static_cast<double>(field)}; };
  numbers.set = [&field](const std::optional<Values>& row) { field = static_cast<Number>(row->at(0)); };
}

template <class Number>
void bind_optional_number(Numbers& numbers, std::optional<Number>& field) {
  numbers.integral = std::is_integral_v<Number>;
  numbers.nullable = true;
  numbers.get = [&field]() -> std::optional<Values> {
    if (!field) return std::nullopt;
    return Values{static_cast<double>(*field)};
  };
  numbers.set = [&field](const std::optional<Values>& row) {
    field.reset();
    if (row) field = static_cast<Number>(row->at(0));
  };
}

// Edit distance that counts insertions, deletions, replacements and swaps of neighbours as one each.
int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> table((a.size() + 1) * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * columns + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({replaced, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

// Words longer than this are not compared: the table would grow with the square of what a hostile file contains.
constexpr std::size_t kLongestComparedWord = 100;

bool in_range(const Meaning& meaning, double value) {
  return value > meaning.above && value >= meaning.at_least && value < meaning.below && value <= meaning.at_most;
}

std::string with_unit(const std::string& text, const Meaning& meaning) {
  return *meaning.unit == '\0' ? text : text + " " + meaning.unit;
}

}  // namespace

Numbers::Numbers(double& field) { bind_number(*this, field); }
Numbers::Numbers(std::optional<double>& field) { bind_optional_number(*this, field); }
Numbers::Numbers(int& field) { bind_number(*this, field); }
Numbers::Numbers(std::optional<int>& field) { bind_optional_number(*this, field); }
Numbers::Numbers(Vec2& field) { bind_vector(*this, field); }
Numbers::Numbers(std::optional<Vec2>& field) { bind_optional_vector(*this, field); }
Numbers::Numbers(Vec3& field) { bind_vector(*this, field); }
Numbers::Numbers(std::optional<Vec3>& field) { bind_optional_vector(*this, field); }
Numbers::Numbers(Vec4& field) { bind_vector(*this, field); }
Numbers::Numbers(Eigen::Vector2i& field) { bind_vector(*this, field); }
Numbers::Numbers(Vec3i& field) { bind_vector(*this, field); }
Numbers::Numbers(std::vector<int>& field) {
  length = kAnyLength;
  integral = true;
  get = [&field] { return Values(field.begin(), field.end()); };
  set = [&field](const std::optional<Values>& row) {
    field.clear();
    for (const double entry : *row) field.push_back(static_cast<int>(entry));
  };
}

Numbers::Numbers(std::vector<double>& field) {
  length = kAnyLength;
  get = [&field] { return field; };
  set = [&field](const std::optional<Values>& row) { field = *row; };
}

std::vector<std::string> Choice::built_words() const {
  std::vector<std::string> built;
  for (const char* word : words) {
    const auto is_it = [word](const char* other) { return std::string_view(other) == word; };
    if (std::none_of(not_built.begin(), not_built.end(), is_it)) built.emplace_back(word);
  }
  return built;
}

std::string number_text(double value) {
  // Shortest text with exact reading is at most 24 characters for a double.
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

std::string range_text(const Meaning& meaning) {
  const bool low = meaning.above > -kUnbounded || meaning.at_least > -kUnbounded;
  const bool high = meaning.below < kUnbounded || meaning.at_most < kUnbounded;
  if (meaning.at_least == meaning.at_most) return "exactly " + number_text(meaning.at_least);
  if (meaning.at_least > -kUnbounded && meaning.at_most < kUnbounded) {
    return "from " + number_text(meaning.at_least) + " to " + number_text(meaning.at_most);
  }
  std::string text;
  if (low) {
    text = meaning.above > -kUnbounded ? "above " + number_text(meaning.above)
                                       : "at least " + number_text(meaning.at_least);
  }
  if (low && high) text += " and ";
  if (high) {
    text +=
        meaning.below < kUnbounded ? "below " + number_text(meaning.below) : "at most " + number_text(meaning.at_most);
  }
  return text;
}

std::string range_error(const Meaning& meaning, const Numbers& kind, std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return "must be finite, got " + number_text(value);
    if (kind.integral && value != std::floor(value)) return "must be a whole number, got " + number_text(value);
    // The fields behind whole numbers are int.
    if (kind.integral && std::abs(value) > std::numeric_limits<int>::max()) {
      return "is too large, got " + number_text(value);
    }
    if (in_range(meaning, value)) continue;
    const char* subject =
        values.size() > 1 || kind.length != Numbers::kScalar ? "every component must be " : "must be ";
    return subject + with_unit(range_text(meaning), meaning) + ", got " + number_text(value);
  }
  const auto is_zero = [](double value) { return value == 0.0; };
  if (meaning.not_all_zero && std::all_of(values.begin(), values.end(), is_zero)) {
    return "must not be zero, because it gives a direction";
  }
  return "";
}

std::string nearest(const std::string& word, std::span<const std::string> candidates) {
  if (word.size() > kLongestComparedWord) return "";
  std::string best;
  // A third of the letters may differ; more than that and the guess is noise.
  int best_distance = static_cast<int>(std::max<std::size_t>(word.size(), 3)) / 3 + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestComparedWord) continue;
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, std::span<const std::string> candidates) {
  const std::string guess = nearest(word, candidates);
  if (!guess.empty()) return "; did you mean '" + guess + "'?";
  if (candidates.empty()) return "; there is none";
  std::string text = "; known are ";
  // A scene may hold thousands of names; the first ones show the pattern.
  constexpr std::size_t kMostListed = 30;
  for (std::size_t i = 0; i < std::min(candidates.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + candidates[i];
  }
  return candidates.size() > kMostListed ? text + ", …" : text;
}

}  // namespace pliant::scene
