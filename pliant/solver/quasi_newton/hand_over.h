// Quasi-Newton iterations for a good start, then Newton to the tolerance [Liu2018, sec. 5.3 and ch. 9]. Far from the
// solution cheap steps are as good as exact ones; near it only exact ones converge quadratically.
#pragma once

#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"

namespace pliant::solver {

class HandOver final : public StepSolver {
 public:
  HandOver(const QuasiNewtonOptions& first, NewtonOptions second);

  [[nodiscard]] SolveReport solve(const StepProblem& problem, BlockVector& q) override;
  [[nodiscard]] std::string name() const override { return "quasi_newton, newton"; }
  [[nodiscard]] std::string linear_name() const override { return first_.linear_name() + ", " + second_.linear_name(); }

 private:
  QuasiNewton first_;
  Newton second_;
};

}  // namespace pliant::solver
