// Iterations that see all constraints at once, in the multipliers Λ, with D⁻¹ (one block per constraint) as the
// preconditioner: r = c + ω C⁻¹ Λ is evaluated anew at every iterate, z = D⁻¹ r, and what is admissible is projected.
//
//   jacobi               ΔΛ = −s z                                       s = 1/ρ(D⁻¹A), by the power method
//   improved_jacobi      ΔΛ = −s z + β_k ΔΛ_prev,  β_k = (k/K)^0.6, K the budget, or 50 again and again     [Francu2016, eq. 6.39, 6.41]
//   accelerated_jacobi   ΔΛ = −s z + β_k ΔΛ_prev,  β_k = θ(1−θ)/(θ² + θ⁺), Nesterov's            [eq. 6.42, 6.43]
//   minres               ΔΛ = −α z,  α = (z, Az)/(Az, D⁻¹Az): the smallest residual along z       [alg. 2]
//   conjugate_residual   p = z + β p_prev, β = (z, Az)/(z, Az)_prev ≤ 1;  ΔΛ = −α p,  α = (r, D⁻¹Ap)/(Ap, D⁻¹Ap)   [alg. 3]
//                        Ap = Az + β Ap_prev where A does not change
//
// The printed momentum has the wrong sign (errata R3). Accelerated Jacobi starts its momentum anew when it points up the
// slope, (r, ΔΛ) > 0, conjugate residuals when (r, z) no longer falls; steps of all are shortened for good when residuals
// have grown threefold.
// After a projection the direction that was really taken counts as the previous one.
#pragma once

#include <span>
#include <vector>

#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

enum class ProjectionIteration {
  gauss_seidel,
  sor,
  jacobi,
  improved_jacobi,
  accelerated_jacobi,
  conjugate_residual,
  minres
};

template <class Real>
class DualIteration {
 public:
  // budget: iterations that will follow; 0 = not known.
  void begin(ProjectionIteration kind, int budget, std::span<Batch<Real>* const> batches, const Movers<Real>& movers);
  void iterate(std::span<Batch<Real>* const> batches, Movers<Real>& movers);
  // What all multipliers do along the directions of the present place: W Jᵀ Λ, of points and of rotations. After begin().
  const Impulses& response_to_multipliers(std::span<Batch<Real>* const> batches, const Movers<Real>& movers);
  // ρ(D⁻¹A) as found by begin(): an estimate from below with a tenth added.
  [[nodiscard]] double spectral_radius() const { return radius_; }

 private:
  void linearise(std::span<Batch<Real>* const> batches, const Movers<Real>& movers);
  void precondition(std::span<Batch<Real>* const> batches, const std::vector<double>& r, std::vector<double>& z) const;
  // y = W Jᵀ d
  void respond(std::span<Batch<Real>* const> batches, const std::vector<double>& d, const Movers<Real>& movers);
  // p = A d; (d, A d) is returned.
  double multiply(std::span<Batch<Real>* const> batches, const std::vector<double>& d, const Movers<Real>& movers,
                  std::vector<double>& p);
  double estimate_radius(std::span<Batch<Real>* const> batches, const Movers<Real>& movers);
  void choose_change(std::span<Batch<Real>* const> batches, const Movers<Real>& movers);

  ProjectionIteration kind_ = ProjectionIteration::jacobi;
  int budget_ = 0, count_ = 0;
  double radius_ = 1, shortening_ = 1;
  bool is_linear_ = false;
  double theta_ = 1;              // of Nesterov's sequence
  double last_curvature_ = 0;     // (z, Az)
  double smallest_residual_ = 0;  // (r, z) so far
  double last_progress_ = 0;      // (r, z) where it last fell
  int progress_count_ = 0;        // the iteration of that
  std::vector<int> first_row_;    // per batch, and the total
  std::vector<double> r_, z_, change_, direction_, product_, scratch_;
  Impulses response_;
};

}  // namespace pliant::solver
