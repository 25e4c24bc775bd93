// Newton's method on the incremental potential g of a step.
//
//   repeat   (S ∇²g S) d = −S (∇g + ∇²g d_pin),   d ← d + d_pin,   q ← q + α d,   α by Armijo's rule
//
//   S      filters held directions; d_pin carries them the rest of their way to their targets, so pins and free blocks
//   move
//          along the same path and a short step leaves both on it
//   ∇²g    projected element by element (default; once full steps are accepted the exact one is tried, for quadratic
//          convergence), exact with the projected one as a fallback, or warped
// With contact, α is also bounded by the first touch along d, so no iterate ever intersects; obstacles go their way as
// pins do, a part α of what is left with every step. When the residual is small, friction's normal forces and directions
// are taken anew and the iteration goes on, as often as asked.
// While pins are under way g alone may have to rise; the merit is then g + κ/2 · (squared distance left to the pins'
// targets), with κ just large enough for d to descend. Once α = 1 was accepted the distance is zero.
//
// With a budget of one iteration it starts at `before` and takes the full step: linearly implicit Euler.
#pragma once

#include <memory>
#include <optional>

#include "pliant/energy/energy.h"
#include "pliant/linear/linear_solver.h"
#include "pliant/solver/residual.h"
#include "pliant/solver/step_solver.h"

namespace pliant::solver {

// `automatic`: banded where nothing but open rods is simulated, otherwise see linear/automatic.h.
enum class NewtonLinear { automatic, cholesky, pcg, banded, multigrid };

struct NewtonOptions {
  NewtonLinear linear = NewtonLinear::automatic;
  HessianKind hessian = HessianKind::projected;
  double tolerance = 1e-6;  // of the relative residual
  int max_iterations = 100;
  std::optional<int> iterations = {};  // a fixed budget
  bool starts_at_given = false;      // at the q it is given, instead of the better of `before` and the inertial target
  double linear_tolerance = 1e-8;    // of pcg and multigrid
  int linear_max_iterations = 2000;  // of pcg and multigrid
  bool deterministic_blas = true;    // one BLAS thread: same bits for any thread count
};

class Newton final : public StepSolver {
 public:
  explicit Newton(const NewtonOptions& options);
  ~Newton() override;

  [[nodiscard]] SolveReport solve(const StepProblem& problem, BlockVector& q) override;
  [[nodiscard]] std::string name() const override { return "newton"; }
  [[nodiscard]] std::string linear_name() const override;

 private:
  class Iteration;  // one solve's working set

  void prepare(const StepProblem& problem);
  void choose_linear(const StepProblem& problem);
  // The matrix of the energies, in the pattern that has room for the contacts too.
  void join(contact::ContactPotential& contact);

  NewtonOptions options_;
  std::unique_ptr<linear::LinearSolver> linear_;
  bool is_inexact_ = false;  // linear systems are solved as well as the iteration needs it
  // Scratch, sized on the first step.
  sparse::SymmetricBlockMatrix hessian_;
  sparse::SymmetricBlockMatrix without_contact_;  // in the model's pattern, when there is contact
  bool is_first_join_ = true;                     // of a step: the pattern must not depend on steps before it
  std::vector<int> joint_slot_;                   // of its slots, in hessian_
  BlockVector gradient_, direction_, right_side_, trial_, pin_step_, product_;
};

}  // namespace pliant::solver
