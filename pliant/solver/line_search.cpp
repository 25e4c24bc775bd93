#include "pliant/solver/line_search.h"

#include <cmath>

namespace pliant::solver {

LineSearchResult backtrack(parallel::FunctionRef<double(double)> merit, double merit_at_zero, double slope,
                           double noise, const LineSearchOptions& options) {
  LineSearchResult result;
  double alpha = options.first;
  for (; result.trials < options.max_trials; alpha *= options.shrink) {
    ++result.trials;
    const double value = merit(alpha);
    if (std::isfinite(value) && value <= merit_at_zero + options.sufficient_decrease * alpha * slope + noise) {
      result.step = alpha;
      return result;
    }
  }
  return result;
}

}  // namespace pliant::solver
