// What every method that solves a step offers, and what it says about its work. The mathematics never throws: what did
// not converge is a status, with the place where the residual is worst.
#pragma once

#include <string>
#include <vector>

#include "pliant/contact/contact_response.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::solver {

struct StepProblem;

enum class SolveStatus {
  converged,
  converged_to_rounding,  // what is left of the forces is rounding of the coordinates
  budgeted,               // a fixed number of iterations was asked for and done
  stalled,                // no step lowers g by more than its rounding, yet forces above theirs are left: a kink
  iteration_limit,
  line_search_failed,
  linear_solve_failed,
  not_finite,
  blocked,  // obstacles could not go all their way without a touch
};

[[nodiscard]] std::string to_string(SolveStatus status);
// Whether a run may go on from the result: converged, to rounding, or as much as the budget allowed.
[[nodiscard]] bool is_success(SolveStatus status);

struct StageSeconds {
  double assemble = 0, linear = 0, line_search = 0, contact = 0, projection = 0;
  double linear_processor = 0;  // of all threads in `linear`; newton

  StageSeconds& operator+=(const StageSeconds& other) {
    assemble += other.assemble;
    linear += other.linear;
    line_search += other.line_search;
    contact += other.contact;
    projection += other.projection;
    linear_processor += other.linear_processor;
    return *this;
  }
};

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;
  int linear_iterations = 0;         // products of iterative linear solvers
  int line_search_trials = 0;        // evaluations of g by line searches
  double residual = 0;               // relative: 1 = the tolerance's reference (architecture.md, stopping rule)
  int worst_block = -1;              // where the residual is largest, or a number is not finite
  std::string not_finite_in;         // the energy that produced it
  contact::ContactSummary contacts;  // where the solve ended
  std::vector<double> joint_forces;  // N at the anchors, of solvers that know them; empty = energies do
  // kg m²/s, what each rigid body gained in angular momentum, of solvers that know it; empty = its axes say it.
  std::vector<Vec3> turning_impulses;
  // What joints did in the step, as a force per block [N] with the weight of the rest, of solvers that hold them by forces.
  BlockVector joint_pulls;
  // Where they act apart (StepProblem::apart_weight), the force or torque of each of their rows, constraint::kMostJointRows per joint.
  std::vector<double> joint_multipliers;
  StageSeconds seconds;
};

class StepSolver {
 public:
  virtual ~StepSolver() = default;
  // Minimises the step's g, starting from and overwriting q (m).
  [[nodiscard]] virtual SolveReport solve(const StepProblem& problem, BlockVector& q) = 0;
  // "newton", and the linear solver it settled on: for summaries.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string linear_name() const = 0;
};

}  // namespace pliant::solver
