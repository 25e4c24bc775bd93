// Backtracking line search with Armijo's condition: the step is halved until the merit falls by a fair part of what its
// slope promised.
//
//   φ(α) ≤ φ(0) + γ α φ'(0),   α = 1, ½, ¼ …      γ = 1e-4: any real decrease will do, Newton directions are good
//   [Nocedal2006, 3.1]
#pragma once

#include "pliant/parallel/parallel.h"

namespace pliant::solver {

struct LineSearchOptions {
  double sufficient_decrease = 1e-4;  // γ
  double shrink = 0.5;
  int max_trials = 30;  // α down to 1e-9
  double first = 1;     // the largest α that may be tried
};

struct LineSearchResult {
  double step = 0;  // α; 0 = no acceptable step was found
  int trials = 0;
  double merit = 0;  // φ(α), unless α is 0
};

// merit(α) may be infinite or NaN, which counts as too large. slope = φ'(0) < 0. `noise`: rounding error of φ, within
// which two merits count as equal.
[[nodiscard]] LineSearchResult backtrack(parallel::FunctionRef<double(double)> merit, double merit_at_zero,
                                         double slope, double noise, const LineSearchOptions& options = {});

// Whether φ fell by nearly as much as its slope promised: no curvature has stopped it yet, and it pays to go on.
[[nodiscard]] bool is_nearly_straight(double merit_at_zero, double slope, const LineSearchResult& accepted);
// Doubles an accepted step as long as φ falls, up to `longest`.
[[nodiscard]] LineSearchResult extend(parallel::FunctionRef<double(double)> merit, LineSearchResult accepted,
                                      double longest);

}  // namespace pliant::solver
