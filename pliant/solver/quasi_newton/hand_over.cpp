#include "pliant/solver/quasi_newton/hand_over.h"

namespace pliant::solver {
namespace {

NewtonOptions starting_at_given(NewtonOptions options) {
  options.starts_at_given = true;
  return options;
}

}  // namespace

HandOver::HandOver(const QuasiNewtonOptions& first, NewtonOptions second)
    : first_(first), second_(starting_at_given(second)) {}

SolveReport HandOver::solve(const StepProblem& problem, BlockVector& q) {
  SolveReport start = first_.solve(problem, q);
  if (start.status == SolveStatus::converged) return start;
  if (start.status == SolveStatus::not_finite || start.status == SolveStatus::linear_solve_failed) q = problem.before;
  SolveReport report = second_.solve(problem, q);
  report.iterations += start.iterations;
  report.linear_iterations += start.linear_iterations;
  report.line_search_trials += start.line_search_trials;
  report.seconds.assemble += start.seconds.assemble;
  report.seconds.linear += start.seconds.linear;
  report.seconds.line_search += start.seconds.line_search;
  return report;
}

}  // namespace pliant::solver
