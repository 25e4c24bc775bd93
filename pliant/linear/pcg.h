// Conjugate gradients with the block-Jacobi preconditioner, for symmetric positive definite A in 3×3 blocks.
//
//   stop when  √(rᵀ M r) ≤ tolerance · √(bᵀ M b)          r = S (b − A x), M from block_jacobi.h, x starts at zero
//
// Held directions (block_filter.h) are filtered out of b, of the preconditioner and of every product, so that x has no
// part along them and A itself stays untouched [Ascher2003; Tamstorf2015].
// A direction with pᵀAp ≤ 0 ends the iteration with the iterate reached so far, or with the preconditioned right-hand
// side if it is the first: both are descent directions for a Newton step whose −gradient is b [Gast2015].
#pragma once

#include <vector>

#include "pliant/linear/block_jacobi.h"
#include "pliant/linear/linear_solver.h"
#include "pliant/linear/scaled_cg.h"

namespace pliant::linear {

// Whether systems that need few digits, and of which nothing is held inside, are solved in single precision
// (scaled_cg.h): for matrices that stay in the cache.
enum class PcgPrecision { always_double, single_where_enough };

struct PcgSettings {
  double tolerance = 1e-6;    // relative, see above
  int max_iterations = 1000;  // products with A
  PcgPrecision precision = PcgPrecision::always_double;
  Outlook outlook = {};  // of solves in double
};

class Pcg final : public LinearSolver {
 public:
  explicit Pcg(const PcgSettings& settings = {}) : settings_(settings) {}

  // For all later factor and solve calls; null: nothing is held. The filter must outlive them, unchanged from factor to
  // solve.
  void set_filter(const BlockFilter* filter) { filter_ = filter; }
  void set_tolerance(double tolerance) override { settings_.tolerance = tolerance; }

  [[nodiscard]] std::string name() const override { return "pcg"; }
  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override;
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  // The sweeps of one iteration. Each returns or uses rᵀz with z = M r.
  double start(const BlockVector& b, BlockVector& x);
  double step_residual(double alpha);
  void step_solution_and_direction(double alpha, double beta, BlockVector& x);
  LinearStatus iterate(double r_dot_z, BlockVector& x, int& iterations);
  LinearReport solve_in_double(const BlockVector& b, BlockVector& x);
  [[nodiscard]] LinearStatus precondition(const sparse::SymmetricBlockMatrix& matrix);
  [[nodiscard]] bool is_single_enough() const {
    return settings_.precision == PcgPrecision::single_where_enough && filter_ == nullptr &&
           settings_.tolerance >= ScaledCg::kLeastTolerance;
  }

  PcgSettings settings_;
  const BlockFilter* filter_ = nullptr;
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  bool is_scaled_ = false;          // the matrix is in scaled_
  bool is_preconditioned_ = false;  // and in preconditioner_
  ScaledCg scaled_;
  BlockJacobi preconditioner_;
  BlockVector residual_, preconditioned_, direction_, product_;  // r, z, p, A p
};

}  // namespace pliant::linear
