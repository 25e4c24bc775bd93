#include "pliant/scene/interaction.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>

#include "pliant/input_error.h"

namespace pliant {
namespace {

constexpr const char* kHeader = "step,body,vertex,x,y,z";

template <typename Number>
bool parse(const std::string& cell, Number& number) {
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return result.ec == std::errc() && result.ptr == cell.data() + cell.size();
}

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
  if (cells.size() != 6 || !parse(cells[0], change.step) || change.step < 0) return std::nullopt;
  if (cells[1].empty()) return cells[2].empty() ? std::optional(change) : std::nullopt;
  Hand hand{cells[1], 0, Vec3::Zero()};
  if (!parse(cells[2], hand.vertex) || hand.vertex < 0) return std::nullopt;
  for (int c = 0; c < 3; ++c) {
    if (!parse(cells[3 + static_cast<std::size_t>(c)], hand.target[c])) return std::nullopt;
  }
  if (!hand.target.allFinite()) return std::nullopt;
  change.hand = hand;
  return change;
}

}  // namespace

std::optional<Hand> Interaction::at(std::int64_t step) const {
  std::optional<Hand> hand;
  for (const Change& change : changes_) {
    if (change.step > step) break;
    hand = change.hand;
  }
  return hand;
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

std::string Interaction::to_csv() const {
  std::string text = fmt::format("{}\n", kHeader);
  for (const Change& change : changes_) {
    text += change.hand ? fmt::format("{},{},{},{},{},{}\n", change.step, change.hand->body, change.hand->vertex,
                                      change.hand->target[0], change.hand->target[1], change.hand->target[2])
                        : fmt::format("{},,,,,\n", change.step);
  }
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
