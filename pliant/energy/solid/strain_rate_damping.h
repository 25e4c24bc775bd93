// Stiffness-proportional damping of a solid, as a potential on strain rates.
//
//   D = V/θh (μ_v ‖ΔE‖² + λ_v/2 tr(ΔE)²),   ΔE = E(now) − E(before) + ½θ(1−θ) AᵀA,   E = ½ (FᵀF − I)
//   μ_v = β μ, λ_v = β λ [Pa·s] with β the scene's `stiffness_proportional` [s]; θh the time from before to now
//   A = h Ḟ, the change over the whole step that velocities at its start lead to
//
// Near rest it is Rayleigh's β K; the Green strain does not see rotations, so a spinning body is not slowed.
// The term with A is there for θ < 1, the midpoint rule: points that turn stand on chords in the middle of a step, and
// the body looks compressed although it only turns. With A the true change of F, ΔE would be θ (E(end) − E(before)),
// which is zero for a rotation. The true one would couple ΔE to F in a way that is not invariant under rotations of
// `now`, and so spoil the integrator's angular momentum; A from the velocities is a constant of the step and errs in
// third order (docs/decisions/2026-11-15-strain-rates-of-turning-bodies.md).
//   P = F S,  S = (2 μ_v ΔE + λ_v tr(ΔE) I)/θh
//   K_ij = V/θh (μ_v ((b_i·b_j) F Fᵀ + g_j g_iᵀ) + λ_v g_i g_jᵀ) + V (b_i·S b_j) I,   g_i = F b_i
// The first part is positive semi-definite; the second (geometric) follows the sign of S: `projected` clamps S.
// Quasi-static problems have no rates: the energy is zero there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/solid/tet_elements.h"
#include "pliant/energy/weighted.h"

namespace pliant::solid {

class StrainRateDamping final : public Energy, public Weighted, public Compliant {
 public:
  // μ_v and λ_v of every tet [Pa·s], in the order given to TetElements.
  StrainRateDamping(std::shared_ptr<const TetElements> elements, std::span<const double> mu_viscous,
                    std::span<const double> lambda_viscous);

  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k = (2 μ_v + λ_v)/step: the slope for small changes of one stretch.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override { return "strain_rate_damping"; }

 private:
  [[nodiscard]] double evaluate_groups(int first, int last, const Configuration& q, const Accumulator& out) const;

  std::shared_ptr<const TetElements> elements_;  // shared with the body's other energies
  std::vector<double> mu_, lambda_;              // per lane, Pa·s
};

}  // namespace pliant::solid
