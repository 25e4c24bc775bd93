// Stiffness-proportional damping of a solid, as a potential on strain rates.
//
//   D = θ V/h (μ_v ‖ΔE‖² + λ_v/2 tr(ΔE)²),   ΔE = E(end) − E(before),   E = ½ (FᵀF − I)   [architecture.md, interfaces]
//   μ_v = β μ, λ_v = β λ [Pa·s] with β the scene's `stiffness_proportional` [s]; h the time step
//   F(end) = F(before) + (F − F(before))/θ, where F is taken at θ between before and the end (1 but for the midpoint)
//
// Near rest it is Rayleigh's β K; the Green strain does not see rotations, so a spinning body is not slowed. At the
// middle of a step a turned body would look compressed, because points move on chords: the strain rate of a rotation is
// zero only over a whole step. Hence the strain at its end, also for integrators that take forces in the middle.
// Deviation from the midpoint rule: the viscous force is F(end) S instead of F(middle) S, because only the former has a
// potential; while a body deforms, its angular momentum is kept to first order in the step, not exactly.
//   P = F S,  S = (2 μ_v ΔE + λ_v tr(ΔE) I)/h,  F = F(end)
//   K_ij = V/θh (μ_v ((b_i·b_j) F Fᵀ + g_j g_iᵀ) + λ_v g_i g_jᵀ) + V/θ (b_i·S b_j) I,   g_i = F b_i
// The first part is positive semi-definite; the second (geometric) follows the sign of S: `projected` clamps S.
// Quasi-static problems have no rates: the energy is zero there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/energy.h"
#include "pliant/energy/solid/tet_elements.h"

namespace pliant::solid {

class StrainRateDamping final : public Energy {
 public:
  // μ_v and λ_v of every tet [Pa·s], in the order given to TetElements.
  StrainRateDamping(std::shared_ptr<const TetElements> elements, std::span<const double> mu_viscous,
                    std::span<const double> lambda_viscous);

  void evaluate(const Configuration& q, Accumulator& out) const override;
  [[nodiscard]] std::string name() const override { return "strain_rate_damping"; }

 private:
  [[nodiscard]] double evaluate_groups(int first, int last, const Configuration& q, const Accumulator& out) const;

  std::shared_ptr<const TetElements> elements_;  // shared with the body's other energies
  std::vector<double> mu_, lambda_;              // per lane, Pa·s
};

}  // namespace pliant::solid
