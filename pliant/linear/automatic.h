// Chooses who solves: Cholesky, conjugate gradients with block-Jacobi, or with multigrid.
//
//   up to largest_factored_first blocks                   cholesky
//   beyond, at the beginning of a step                    pcg, for a while: enough where inertia rules
//   where that was not enough                             cholesky up to largest_direct_system blocks, for this matrix,
//                                                         the second time for the rest of the step; else multigrid for
//                                                         the rest of the step
//   once that did not converge, for the rest of the step  cholesky
//
// Where contacts change the pattern all the time, pcg first pays early: for cloth of 1k and of 4k vertices it takes a
// fifth of the time of factorisations (docs/contact.md).
// The choice follows from sizes and numbers of iterations of the same step, never from a clock or from earlier steps:
// the same bits on every machine, and after a resume.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "pliant/linear/cholesky.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/linear/pcg.h"

namespace pliant::linear {

struct AutomaticSettings {
  double tolerance = 1e-8;    // of the iterative solvers
  int max_iterations = 2000;  // of multigrid
  BlasThreads blas_threads = BlasThreads::one;
  int largest_direct_system = 20000;   // blocks
  int largest_factored_first = 20000;  // blocks
};

class Automatic final : public LinearSolver {
 public:
  // As dear as a third of a multigrid hierarchy; as a factorisation (cloth of 4096 vertices: 40 ms).
  static constexpr int kProbeIterations = 40, kPatientIterations = 500;
  // One matrix that is all but singular says nothing about the next. Of 1650 systems of that cloth seven took more than
  // 250 products, and 133 were factored when the first of a step decided for the rest of it: an eighth of the run.
  static constexpr int kMostFailures = 2;

  explicit Automatic(const AutomaticSettings& settings = {});

  // In the order of the list above: "cholesky, pcg"; "auto" before the first solve.
  [[nodiscard]] std::string name() const override;
  void begin_step(const SystemGeometry& geometry) override;
  void set_tolerance(double tolerance) override;
  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override;
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  enum class Choice { cholesky, pcg, multigrid };
  [[nodiscard]] Choice first_choice(int blocks) const;
  [[nodiscard]] bool is_large(int blocks) const { return blocks > settings_.largest_direct_system; }
  [[nodiscard]] LinearSolver& solver(Choice choice);
  // Goes over to another solver with the same matrix.
  [[nodiscard]] LinearStatus change_to(Choice choice);

  AutomaticSettings settings_;
  SystemGeometry geometry_;
  Choice choice_ = Choice::cholesky;
  bool is_new_step_ = true;
  int failures_ = 0;  // of pcg in this step
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  std::array<bool, 3> was_used_{};
  // Made when first needed.
  std::unique_ptr<Cholesky> cholesky_;
  std::unique_ptr<Pcg> pcg_;
  std::unique_ptr<MultigridCg> multigrid_;
};

}  // namespace pliant::linear
