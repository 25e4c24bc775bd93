#include "pliant/solver/line_search.h"

#include <algorithm>
#include <cmath>

namespace pliant::solver {
namespace {

// Of what the slope promises. A parabola that has fallen by this much has its lowest point at twice the step.
constexpr double kNearlyStraight = 0.75;

}  // namespace

LineSearchResult backtrack(parallel::FunctionRef<double(double)> merit, double merit_at_zero, double slope,
                           double noise, const LineSearchOptions& options) {
  LineSearchResult result;
  double alpha = options.first;
  for (; result.trials < options.max_trials; alpha *= options.shrink) {
    ++result.trials;
    const double value = merit(alpha);
    if (std::isfinite(value) && value <= merit_at_zero + options.sufficient_decrease * alpha * slope + noise) {
      result.step = alpha;
      result.merit = value;
      return result;
    }
  }
  return result;
}

bool is_nearly_straight(double merit_at_zero, double slope, const LineSearchResult& accepted) {
  return merit_at_zero - accepted.merit >= kNearlyStraight * accepted.step * -slope;
}

LineSearchResult extend(parallel::FunctionRef<double(double)> merit, LineSearchResult accepted, double longest) {
  while (accepted.step < longest) {
    const double step = std::min(2 * accepted.step, longest), value = merit(step);
    ++accepted.trials;
    if (!std::isfinite(value) || value >= accepted.merit) break;
    accepted.step = step;
    accepted.merit = value;
  }
  return accepted;
}

}  // namespace pliant::solver
