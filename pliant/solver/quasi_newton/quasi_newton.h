// Quasi-Newton with a constant matrix: real time for every material [Liu2018, ch. 7].
//
//   A = w M + θ² L          n×n, one number per pair of blocks, the same for x, y and z (energy/weighted.h)
//   d = −H ∇g               H: L-BFGS from the last `history` steps, with A⁻¹ as its first guess    [alg. 4]
//   q ← q + α d             α = 1, ½, ¼, … until g falls by 0.03 α |∇g·d|                           [alg. 3]
//
// A is factored once and stays: it does not depend on where things are. An iteration then costs a value, a gradient and a
// solve with that factor. With history 0 on projective energies (ARAP, springs, strain limits) an iteration is exactly
// one local/global iteration of Projective Dynamics.
//
// Moving pins are no concern of the matrix (constant_matrix.h says what is): their blocks start at their targets, and it
// holds them still. Blocks that are held along some directions only stay in the matrix; their directions are filtered on
// both sides of the solve, which keeps H positive.
// Energies without weights (fibres, pressure, wind) take part in g and ∇g only and cost iterations, not correctness. So do
// contacts (contact/penalty_contact.h): they are found anew after every iteration, never enter A, and new ones shorten the
// history. Where steps are limited, iterates start from `before`, every α is bounded by the first touch along d, and pins
// and obstacles go on before each iteration as far as nothing is met.
#pragma once

#include <optional>
#include <vector>

#include "pliant/solver/quasi_newton/constant_matrix.h"
#include "pliant/solver/step_problem.h"
#include "pliant/solver/step_solver.h"

namespace pliant::solver {

struct QuasiNewtonOptions {
  int history = 5;                     // pairs of steps and gradient changes; 0 = A alone
  std::optional<int> iterations = 10;  // a fixed budget; none = until the tolerance
  double tolerance = 1e-6;             // of the relative residual
  int max_iterations = 1000;           // without a budget
  // A budget that ends above g of the last configuration is spent once more from there: steps do not gain energy.
  bool bounded = true;
  // How the factor is stored. Directions need few digits: float reads half the bytes and converges as well.
  linear::FactorStorage storage = linear::FactorStorage::float32;
};

class QuasiNewton final : public StepSolver {
 public:
  explicit QuasiNewton(const QuasiNewtonOptions& options) : options_(options), matrix_(options.storage) {}

  [[nodiscard]] SolveReport solve(const StepProblem& problem, BlockVector& q) override;
  [[nodiscard]] std::string name() const override { return "quasi_newton"; }
  [[nodiscard]] std::string linear_name() const override { return "constant_factor"; }
  // How often the matrix has been factored so far.
  [[nodiscard]] int factor_count() const { return matrix_.factor_count(); }
  // How many of these factors were made in the background.
  [[nodiscard]] int background_count() const { return matrix_.background_count(); }

 private:
  class Iteration;  // one solve's working set

  QuasiNewtonOptions options_;
  ConstantMatrix matrix_;
  // Scratch, sized on the first step.
  struct Pair {
    BlockVector step, change;      // s, t
    double product = 0;            // t·s
    double along = 0;              // s·∇g where the iteration is now
    std::vector<double> overlaps;  // t·sⱼ with the older pairs, by their place in pairs_
  };
  std::vector<Pair> pairs_;
  BlockVector gradient_, direction_, trial_, trial_gradient_, work_;  // gradients without their held part
  std::vector<double> shares_;                                        // per age of a pair
  std::vector<double> sums_;                                          // of scalar products, piece by piece
};

}  // namespace pliant::solver
