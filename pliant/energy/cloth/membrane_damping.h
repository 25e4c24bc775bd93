// Loss inside cloth that is strained, as a potential on the change of edge lengths.
//
//   D = 1/(θh) Δsᵀ T Δs,    Δs_i = ½ (|e_i|² − |e_i,before|²) + ½ θ(1−θ) |δe_i|²
//   T  of the rest state with viscous coefficients: those of the sheet times a time [N·s/m] (edge_membrane.h)
//   θh the time from before to now;  δe_i = h ė_i, the change of the edge over the whole step, from the velocities at
//   its start
//
// Near rest it is Rayleigh's stiffness-proportional damping. Lengths do not see rotations, so turning cloth is not
// slowed. The last term is there for θ < 1: with e_θ = θ e_end + (1−θ) e_before, a point on a chord,
//   |e_θ|² = θ |e_end|² + (1−θ) |e_before|² − θ(1−θ) |e_end − e_before|²
// so that with the true change of the edge Δs = θ (s_end − s_before), which is zero for a rotation. A change that is a
// constant of the step keeps D invariant under rotations of `now` (docs/decisions, strain rates of turning bodies).
// Animated rest states: T stays that of the true rest state. Quasi-static problems have no rates: D = 0.
#pragma once

#include <span>
#include <vector>

#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/compliant.h"

namespace pliant::cloth {

class MembraneDamping final : public Energy, public Weighted, public Compliant {
 public:
  // Viscous coefficients per triangle of the sheet [N·s/m].
  MembraneDamping(const MembraneSheet& sheet, std::span<const OrthotropicCoefficients> viscous);

  void couple(sparse::PatternBuilder& builder) const { elements_.batch().couple(builder); }
  void find_slots(const sparse::BlockPattern& pattern) { elements_.batch().find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k = (λ + 2μ + α + β)/step with the viscous coefficients: the mean for small stretches along warp and weft.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override { return "membrane_damping"; }

 private:
  [[nodiscard]] double evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const;

  MembraneElements elements_;
  std::vector<Symmetric3> matrix_;  // T per element, J·s/m⁴
  std::vector<double> weight_;      // per element, N·s/m: k times the step
};

}  // namespace pliant::cloth
