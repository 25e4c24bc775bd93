// Chooses who solves: Cholesky, conjugate gradients with block-Jacobi, or with multigrid.
//
//   a pattern that stays (no contact)
//     up to always_factored blocks, or cheap to factor          cholesky
//     else, at the beginning of a step                          pcg, for a while: enough where inertia rules
//     where that was not enough, for the rest of the step       multigrid
//     where that is slow or did not converge, likewise          cholesky
//   a pattern that contacts change
//     up to always_factored blocks                              cholesky
//     up to largest_direct_system                               pcg; where that was not enough cholesky, for this matrix,
//                                                               the second time for the rest of the step
//     beyond                                                    as above
//
// Cheap: few operations per stored block, as the analysis counts them; iterations read those blocks. That tells chains and
// strips from sheets, and sheets from solids. Slow: at its pace multigrid would take longer than a factorisation, by
// operations too (docs/solvers/multigrid.md has the measurements behind both).
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
  int largest_direct_system = 20000;  // blocks
  int always_factored = 1000;         // blocks
  double cheap_operations = 3000;     // of a factorisation, per stored block
  bool keeps_pattern = true;          // one analysis serves all matrices: not so with contact
};

class Automatic final : public LinearSolver {
 public:
  // As dear as a third of a multigrid hierarchy; as a factorisation (cloth of 4096 vertices: 40 ms).
  static constexpr int kProbeIterations = 40, kPatientIterations = 500;
  // Between looks at the pace of pcg and of multigrid.
  static constexpr int kLook = 10;
  // A factorisation in iterations of multigrid: so many, less the hierarchy's set-up, and one more for so many operations
  // per stored block. From 1 k to 20 k vertices of cloth and of bars within a third.
  static constexpr int kIterationsOfFactor = 25;
  static constexpr double kOperationsOfIteration = 500;
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
  // Whether another solver than cholesky may come after pcg.
  [[nodiscard]] bool takes_multigrid(int blocks) const { return is_large(blocks) || settings_.keeps_pattern; }
  [[nodiscard]] bool is_large(int blocks) const { return blocks > settings_.largest_direct_system; }
  [[nodiscard]] LinearSolver& solver(Choice choice);
  // Goes over to another solver with the same matrix.
  [[nodiscard]] LinearStatus change_to(Choice choice);

  AutomaticSettings settings_;
  SystemGeometry geometry_;
  Choice choice_ = Choice::cholesky;
  bool is_new_step_ = true;
  int failures_ = 0;                                     // of pcg and multigrid in this step
  double operations_ = 0;                                // of a factorisation per stored block, where that is asked
  std::shared_ptr<const sparse::BlockPattern> pattern_;  // shared: an equal address is the same
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  std::array<bool, 3> was_used_{};
  // Made when first needed.
  std::unique_ptr<Cholesky> cholesky_;
  std::unique_ptr<Pcg> pcg_;
  std::unique_ptr<MultigridCg> multigrid_;
};

}  // namespace pliant::linear
