#include "pliant/scene/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/input_error.h"

namespace pliant::scene {
namespace {

// How far a value is outside what is allowed; negative inside, infinite for NaN.
double violation_of(const Expectation& wanted, double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  if (wanted.above) return *wanted.above - value;
  if (wanted.below) return value - *wanted.below;
  return std::max((*wanted.between)[0] - value, value - (*wanted.between)[1]);
}

bool is_inside(const Expectation& wanted, double violation) {
  return wanted.between ? violation <= 0 : violation < 0;  // above and below exclude their bound
}

std::string condition_of(const Expectation& wanted) {
  if (wanted.above) return fmt::format("above {:g}", *wanted.above);
  if (wanted.below) return fmt::format("below {:g}", *wanted.below);
  return fmt::format("between {:g} and {:g}", (*wanted.between)[0], (*wanted.between)[1]);
}

}  // namespace

Expectations::Expectations(const Scene& scene, const std::vector<std::string>& columns) {
  for (const Expectation& wanted : scene.expect) {
    const auto found = std::find(columns.begin(), columns.end(), wanted.probe);
    if (found == columns.end()) {
      throw InputError(wanted.source, fmt::format("no probe has a column '{}'; there are: {}", wanted.probe,
                                                  fmt::join(columns, ", ")));
    }
    entries_.push_back(
        {wanted, static_cast<int>(found - columns.begin()), 0, -std::numeric_limits<double>::infinity(), false});
  }
}

void Expectations::observe(double time, const std::vector<double>& values) {
  for (Entry& entry : entries_) {
    const double value = values[entry.column], violation = violation_of(entry.wanted, value);
    const bool due = entry.wanted.at == Moment::end ||
                     (entry.wanted.at == Moment::always && (!entry.seen || violation > entry.violation)) ||
                     (entry.wanted.at == Moment::at_time && !entry.seen && time >= entry.wanted.at_seconds - 1e-9);
    if (!due) continue;
    entry.value = value;
    entry.violation = violation;
    entry.seen = true;
  }
}

std::vector<ExpectationResult> Expectations::results() const {
  std::vector<ExpectationResult> results;
  for (const Entry& entry : entries_) {
    const std::string at = entry.wanted.at == Moment::end      ? "end"
                           : entry.wanted.at == Moment::always ? "always"
                                                               : fmt::format("{:g} s", entry.wanted.at_seconds);
    results.push_back({entry.wanted.probe, at, condition_of(entry.wanted), entry.value,
                       entry.seen && is_inside(entry.wanted, entry.violation)});
  }
  return results;
}

}  // namespace pliant::scene
