// Conjugate gradients preconditioned by a multigrid cycle (hierarchy.h), for symmetric positive definite A in 3×3
// blocks.
//
//   stop when  √(rᵀ B r) ≤ tolerance · √(bᵀ B b)          r = b − A x, B the cycle, x starts at zero
//   β = −α zᵀ A p / (rᵀ z)_old      equal to Fletcher and Reeves' for a constant symmetric B, and forgiving where B is
//                                   so only to single precision
//
// Products with A are the third of the bytes that are not needed: the cycle's last sweep knows r − A z, so A z comes
// with z, and A p = A z + β (A p)_before. In single precision that is off by 6·10⁻⁸ √κ of A z in the energy norm, which
// does not pile up: whenever √(rᵀz) has fallen by a hundred, and at the end, r = b − A x is taken in double ("reliable
// updates" [Clark2010]). Should that show that r had gone astray, products are in double from there on.
//
// Set-up is most of the cost of a solve, so as little of it is done as convergence allows:
//   build     aggregates, patterns, values: for a new pattern, a new step, and when a refresh did not help
//   refresh   values only: when a diagonal block changed by more than a tenth since the last one, or the last solve
//             needed a fifth more iterations than the first one with these values, or that needed more than thirty; also
//             in the middle of a solve that takes twice as many (its total then counts as too many, and the next matrix is built anew)
//   keep      otherwise: only the finest level is that of this matrix, P and the coarse levels are of an earlier one
// All of it depends on numbers of iterations, never on a clock.
//
// A direction with pᵀAp ≤ 0, or rᵀBr ≤ 0, ends the iteration with `not_positive_definite` and the iterate reached so
// far, or if it is the first with the block-Jacobi step D⁻¹b: descent directions, as pcg.h returns them. An iteration that
// grows without bounds, because single precision made the cycle indefinite, is begun anew with block-Jacobi.
#pragma once

#include "pliant/linear/block_jacobi.h"
#include "pliant/linear/linear_solver.h"
#include "pliant/linear/multigrid/hierarchy.h"

namespace pliant::linear {

struct MultigridSettings {
  double tolerance = 1e-6;    // relative, see above
  int max_iterations = 1000;  // products with A
  Outlook outlook = {};
  HierarchySettings hierarchy = {};
};

class MultigridCg final : public LinearSolver {
 public:
  explicit MultigridCg(const MultigridSettings& settings = {}) : settings_(settings), hierarchy_(settings.hierarchy) {}

  [[nodiscard]] std::string name() const override { return "multigrid"; }
  // The next factor call builds the hierarchy.
  void begin_step(const SystemGeometry& geometry) override {
    geometry_ = geometry;
    is_outdated_ = true;
  }
  void set_tolerance(double tolerance) override { settings_.tolerance = tolerance; }
  void set_outlook(const Outlook& outlook) { settings_.outlook = outlook; }
  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override;
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  // The same, but always a refresh where the pattern allows it.
  [[nodiscard]] LinearStatus factor_values(const sparse::SymmetricBlockMatrix& matrix);
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override;

  [[nodiscard]] const Hierarchy& hierarchy() const { return hierarchy_; }
  [[nodiscard]] int build_count() const { return build_count_; }
  [[nodiscard]] int refresh_count() const { return refresh_count_; }

 private:
  [[nodiscard]] LinearStatus take(const sparse::SymmetricBlockMatrix& matrix, bool must_refresh);
  [[nodiscard]] LinearStatus build();
  [[nodiscard]] LinearStatus refresh();
  [[nodiscard]] LinearStatus renew_finest();
  enum class Guess { zero, given };
  enum class Products { from_cycle, in_double };
  // r = b − A x, z = B r, p = z, A p; returns rᵀz.
  double start(const BlockVector& b, const BlockVector& x, Guess guess);
  void take_true_residual(const BlockVector& b, const BlockVector& x);
  // The cycle's copy of r.
  void hand_to_cycle();
  void step_solution_and_residual(double alpha, BlockVector& x);
  // vᵀ z
  [[nodiscard]] double times_preconditioned(const BlockVector& v) const;
  // p = z + β p and, where the cycle gives it, A p = A z + β A p
  void turn_direction(double beta);
  LinearStatus iterate(const BlockVector& b, BlockVector& x, int& iterations);
  // pᵀ A p and A p. The first one is taken in double: it tells whether those of the cycle are good enough.
  double find_curvature(bool is_first);
  // Whether √(rᵀBr) ≤ √target for r = b − A x, where the recursion says so; r is the true one then.
  bool confirm(const BlockVector& b, const BlockVector& x, double target, double& r_z);
  // By block-Jacobi alone, where the cycle led nowhere.
  [[nodiscard]] LinearReport solve_without_hierarchy(const BlockVector& b, BlockVector& x, int wasted) const;
  LinearStatus give_up(const BlockVector& b, int iterations, BlockVector& x);
  void note_iterations(int iterations);

  MultigridSettings settings_;
  SystemGeometry geometry_;
  Hierarchy hierarchy_;
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  bool is_outdated_ = true;
  bool is_lost_ = false;        // the last iteration grew without bounds
  bool is_stale_ = false;       // P and coarse levels are of an earlier matrix
  bool was_refreshed_ = false;  // since the last build
  double drift_ = 1;            // at least the factor by which a diagonal block changed since coarse levels have theirs
  int after_build_ = 0;         // iterations of the first solve after a build
  int after_values_ = 0;        // and after new values; 0 = no solve yet
  int last_iterations_ = 0;
  int build_count_ = 0, refresh_count_ = 0;
  BlockVector residual_, direction_, product_;  // r, p, A p
  double shrink_ = 1;                           // of r as the cycle sees it; z stays in the cycle's own vector
  double grow_ = 1;                             // of the cycle's result
  Products products_ = Products::in_double;
};

}  // namespace pliant::linear
