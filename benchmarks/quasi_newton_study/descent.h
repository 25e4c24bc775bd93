// Descent on one step with any metric: the loop that all methods of the comparison share.
//
//   d = −B⁻¹ ∇g, bettered by L-BFGS from the last w pairs;   x ← x + α d                   [Liu2018, alg. 3 and 4]
//   armijo      α = 1, ½, ¼ … until g falls by 0.03 of what the slope promises
//   wolfe       also until the slope has risen to 0.9 of itself (bisection, doubling)
// It starts at y. A trace has g and the time at every iterate; iterations that bring nothing more end it.
#pragma once

#include <vector>

#include "benchmarks/quasi_newton_study/metric.h"

namespace pliant::study {

enum class Search { armijo, wolfe, none };

struct DescentOptions {
  int history = 5;
  int iterations = 100;
  Search search = Search::armijo;
};

struct Trace {
  std::vector<double> value;    // J, g of iterate k
  std::vector<double> seconds;  // of iteration k; [0] = 0. The first includes what a step needs once
  int trials = 0;               // evaluations of g by the line search
  int restarts = 0;             // directions that did not descend, or accelerations taken back
  BlockVector x;                // the last iterate
};

[[nodiscard]] Trace descend(const StudyStep& step, Metric& metric, const DescentOptions& options);

// The plain method (w = 0, α = 1) with a Chebyshev semi-iteration:
//   x^{k+1} = ω (x̂ − x^{k−1}) + x^{k−1},   ω₁ = 1, ω₂ = 2/(2 − ρ²), ω = 4/(4 − ρ² ω)           [Wang2015]
// after ten plain iterations. Where g rises the acceleration is taken back, a plain step with a line search follows and ω
// starts again.
[[nodiscard]] Trace descend_chebyshev(const StudyStep& step, Metric& metric, double rho, int iterations);

// The minimum of g: Newton to 1e-12 from where 300 iterations of the constant matrix end and, with `both`, also from y. The
// lower one counts; `gap` is their distance relative to g(y) − g*: above rounding there is more than one minimum.
enum class ReferenceStarts { one, both };
struct Reference {
  double start = 0, best = 0;  // J, g(y), g*
  double gap = 0;
  BlockVector x;
  [[nodiscard]] double error(double value) const { return (value - best) / (start - best); }
};
[[nodiscard]] Reference find_reference(const StudyStep& step, Metric& constant, ReferenceStarts starts);

}  // namespace pliant::study
