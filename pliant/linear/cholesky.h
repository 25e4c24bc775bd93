// Sparse Cholesky: P A Pᵀ = L Lᵀ, then two triangular solves per right-hand side.
//
// CHOLMOD's supernodal method [Chen2008] on dense kernels of OpenBLAS; built without it (PLIANT_WITH_CHOLMOD=OFF),
// Eigen's simplicial L D Lᵀ. The order of elimination is chosen on the graph of blocks, a ninth of the scalar graph:
// minimum degree (AMD) and nested dissection (METIS) are both tried once per pattern and the one with less fill is
// kept.
#pragma once

#include <memory>
#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/linear/permuted_lower.h"

namespace pliant::linear {

// OpenBLAS splits its sums by threads: only one thread gives the same bits for every set_thread_count.
enum class BlasThreads { one, as_many_as_loops };

class Cholesky final : public LinearSolver {
 public:
  explicit Cholesky(BlasThreads blas_threads = BlasThreads::one);
  ~Cholesky() override;
  Cholesky(const Cholesky&) = delete;
  Cholesky& operator=(const Cholesky&) = delete;

  [[nodiscard]] std::string name() const override { return "cholesky"; }
  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override;
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override;
  // Additions and multiplications of a factorisation of the pattern that was analysed last: Σ (entries of a column of L)².
  [[nodiscard]] double factor_operations() const;

 private:
  class Factorization;  // CHOLMOD or Eigen, in the source file

  BlasThreads blas_threads_;
  std::shared_ptr<const sparse::BlockPattern>
      pattern_;  // shared: kept alive, so that an equal address is the same pattern
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;  // the factored one; null before a factor that succeeded
  PermutedLower lower_;
  std::unique_ptr<Factorization> factorization_;
  std::vector<double> permuted_b_;
  int row_count_ = 0;
};

}  // namespace pliant::linear
