// Conjugate gradients in single precision on a matrix scaled to unit diagonal blocks (scaled_rows.h), for directions that
// need few digits: a Newton step to 0.1 or 0.001. With x̂ = 0 and r = W b / √(bᵀ M b), M = WᵀW, at the start:
//
//   w = Â r,  γ = rᵀr,  δ = rᵀw,   β = γ/γ₋₁,   pᵀÂp = δ − β γ/α₋₁,   α = γ / pᵀÂp
//   p ← r + β p,   s ← w + β s,   x̂ ← x̂ + α p,   r ← r − α s                         [Chronopoulos1989, s = 1]
//
// until √γ ≤ tolerance, the same norm as pcg's. Two sweeps per iteration, the product and the vectors, instead of four:
// on two threads each sweep of a few thousand blocks costs a wait.
//
// What single precision leaves open is looked at in double: a curvature that is not positive, and the residual at the end.
// Where they disagree the matrix has more digits in it than this: `is_trusted` is false, and pcg does it in double.
#pragma once

#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/linear/scaled_rows.h"

namespace pliant::linear {

class ScaledCg {
 public:
  // Smaller ones are left to double precision: κ ε of what takes a few hundred iterations is 10⁻³ to 10⁻⁴.
  static constexpr double kLeastTolerance = 5e-4;

  struct Result {
    LinearReport report;
    bool is_trusted = true;
  };

  // False: the matrix is not for this solver (scaled_rows.h). It must stay as it is until the last solve.
  [[nodiscard]] bool factor(const sparse::SymmetricBlockMatrix& matrix);
  // What x holds when the result is not trusted does not matter.
  [[nodiscard]] Result solve(const BlockVector& b, double tolerance, int max_iterations, BlockVector& x);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // r = W b scaled, x̂ = p = s = 0; false when b is zero or not finite, or its scale leaves the range of floats.
  [[nodiscard]] bool start(const BlockVector& b);
  // All four vectors; returns γ.
  double step(double alpha, double beta);
  LinearStatus iterate(double tolerance, int max_iterations, int& iterations);
  // Of the next direction p ← r + β p, in double.
  [[nodiscard]] double true_curvature(double beta);
  // x = √(bᵀMb) Wᵀ v
  void unscale(const std::vector<float>& v, BlockVector& x) const;
  // √(rᵀMr / bᵀMb) and ‖r‖/‖b‖ of r = b − A x
  struct Residuals {
    double scaled, plain;
  };
  [[nodiscard]] Residuals true_residual(const BlockVector& b, const BlockVector& x);

  ScaledRows rows_;
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;
  double size_ = 0;                                                       // √(bᵀ M b)
  std::vector<float> residual_, product_, direction_, along_, solution_;  // r, w, p, s = Â p, x̂; four floats per row
  std::vector<double> partial_;                                           // sums of pieces
  BlockVector wide_, wide_product_;                                       // in double, for what is looked at again
};

}  // namespace pliant::linear
