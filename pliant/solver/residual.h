// How far a point is from solving the step, in units with a physical meaning (architecture.md, stopping rule).
//
//   dynamics       max over blocks of  h ‖S ∇g‖/m · length / speed_scale    a velocity change against the step's speed
//   quasi-static   max over blocks of  ‖S ∇g‖ / largest block force         a force balance
// S filters held directions. The largest block force is that of the energies with their signs not yet cancelled:
// applied loads and weights, and the reactions at held blocks.
#pragma once

#include "pliant/solver/step_problem.h"

namespace pliant::solver {

struct Residual {
  double relative = 0;  // compare with the tolerance
  int worst_block = -1;
};

// gradient: ∇g at the point, unfiltered [N].
[[nodiscard]] double relative_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale);
// The same, and where it is largest: a second pass, for reports.
[[nodiscard]] Residual measure_residual(const StepProblem& problem, const BlockVector& gradient, double force_scale);

// Quasi-static only: the largest force any single energy puts on a block at q [N].
[[nodiscard]] double largest_force(const StepProblem& problem, const BlockVector& q);
// What residuals at q are divided by: that force (1 N where there is none, to keep the quotient finite); 1 in dynamics.
[[nodiscard]] double force_scale_of(const StepProblem& problem, const BlockVector& q);

}  // namespace pliant::solver
