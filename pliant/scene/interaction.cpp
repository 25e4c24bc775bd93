#include "pliant/scene/interaction.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "pliant/input_error.h"
#include "pliant/io/plain_text.h"

namespace pliant {
namespace {

constexpr const char* kHeader = "step,body,vertex,x,y,z";

// The last five cells are numbers or empty; a body's name may hold commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string rest = line;
  for (int i = 0; i < 4; ++i) {
    const std::size_t comma = rest.rfind(',');
    if (comma == std::string::npos) return {};
    cells.insert(cells.begin(), rest.substr(comma + 1));
    rest.resize(comma);
  }
  const std::size_t comma = rest.find(',');
  if (comma == std::string::npos) return {};
  cells.insert(cells.begin(), {rest.substr(0, comma), rest.substr(comma + 1)});
  return cells;
}

std::optional<Interaction::Change> change_of(const std::string& line) {
  const std::vector<std::string> cells = cells_of(line);
  Interaction::Change change;
  if (cells.size() != 6 || !io::parse_number(cells[0], change.step) || change.step < 0) return std::nullopt;
  if (cells[1].empty()) return cells[2].empty() ? std::optional(change) : std::nullopt;
  Hand hand{cells[1], 0, Vec3::Zero()};
  if (!io::parse_number(cells[2], hand.vertex) || hand.vertex < 0) return std::nullopt;
  for (int c = 0; c < 3; ++c) {
    if (!io::parse_number(cells[3 + static_cast<std::size_t>(c)], hand.target[c])) return std::nullopt;
  }
  if (!hand.target.allFinite()) return std::nullopt;
  change.hand = hand;
  return change;
}

}  // namespace

std::optional<Hand> Interaction::at(std::int64_t step) const {
  const auto after = std::upper_bound(changes_.begin(), changes_.end(), step,
                                      [](std::int64_t s, const Change& change) { return s < change.step; });
  return after == changes_.begin() ? std::nullopt : std::prev(after)->hand;
}

bool Interaction::note(std::int64_t step, const std::optional<Hand>& hand) {
  const std::optional<Hand> before = changes_.empty() ? std::nullopt : changes_.back().hand;
  if (hand == before) return false;
  changes_.push_back({step, hand});
  return true;
}

void Interaction::forget_from(std::int64_t step) {
  std::erase_if(changes_, [&](const Change& change) { return change.step >= step; });
}

std::string Interaction::row_of(const Change& change) {
  if (!change.hand) return fmt::format("{},,,,,\n", change.step);
  const Hand& hand = *change.hand;
  return fmt::format("{},{},{},{},{},{}\n", change.step, hand.body, hand.vertex, hand.target[0], hand.target[1],
                     hand.target[2]);
}

std::string Interaction::to_csv() const {
  std::string text = fmt::format("{}\n", kHeader);
  for (const Change& change : changes_) text += row_of(change);
  return text;
}

Interaction Interaction::read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file.string(), "there is no such file; `pliant run --view` writes one when you pull");
  std::string line;
  if (!std::getline(stream, line) || line != kHeader)
    throw InputError(file.string() + ":1", std::string("expected the header '") + kHeader + "'");
  Interaction interaction;
  for (int number = 2; std::getline(stream, line); ++number) {
    const std::optional<Change> change = change_of(line);
    const bool is_in_order =
        change && (interaction.changes_.empty() || change->step >= interaction.changes_.back().step);
    if (!is_in_order) {
      throw InputError(fmt::format("{}:{}", file.string(), number),
                       "expected step,body,vertex,x,y,z with steps that do not decrease, or step,,,,,");
    }
    interaction.changes_.push_back(*change);
  }
  return interaction;
}

}  // namespace pliant
