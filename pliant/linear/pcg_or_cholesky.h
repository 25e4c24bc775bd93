// Conjugate gradients as long as they are quick, a factorisation from then on.
//
// Inertia makes the systems of a time step well conditioned more often than not: a direction of Newton's method then takes
// some tens of products, a fraction of a factorisation (a fifth for cloth of 1k and of 4k vertices), and less still where
// contacts change the pattern, and with it the ordering, in every iteration. Where bodies are stiff for their
// inertia products become many. Once a system takes more than kPatientProducts of them it is factored, and so are those after it
// until forget(). No clock decides, so the choice is the same in every run.
#pragma once

#include "pliant/linear/cholesky.h"
#include "pliant/linear/pcg.h"

namespace pliant::linear {

// About what a factorisation costs (docs/contact.md).
inline constexpr int kPatientProducts = 250;

class PcgOrCholesky final : public LinearSolver {
 public:
  explicit PcgOrCholesky(BlasThreads threads) : pcg_({.max_iterations = kPatientProducts}), direct_(threads) {}

  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override { pcg_.analyze(pattern); }
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override { return pcg_.memory_bytes() + direct_.memory_bytes(); }
  void set_tolerance(double tolerance) override { pcg_.set_tolerance(tolerance); }
  void forget() override { is_direct_ = false; }

 private:
  Pcg pcg_;
  Cholesky direct_;
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  bool is_direct_ = false;
};

}  // namespace pliant::linear
