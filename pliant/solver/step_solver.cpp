#include "pliant/solver/step_solver.h"

namespace pliant::solver {

std::string to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::converged_to_rounding:
      return "converged_to_rounding";
    case SolveStatus::budgeted:
      return "budgeted";
    case SolveStatus::stalled:
      return "stalled";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::line_search_failed:
      return "line_search_failed";
    case SolveStatus::linear_solve_failed:
      return "linear_solve_failed";
    case SolveStatus::blocked:
      return "obstacles are blocked: their script squeezes something without leaving it room, or steps end at their "
             "budget of iterations before it has made way";
    case SolveStatus::not_finite:
      return "not_finite";
  }
  return "unknown";
}

bool is_success(SolveStatus status) {
  return status == SolveStatus::converged || status == SolveStatus::converged_to_rounding ||
         status == SolveStatus::budgeted;
}

}  // namespace pliant::solver
