// What keeps the axes of a rigid body orthonormal under solvers that move its blocks freely (configuration/rigid_frames.h).
//
//   E = ¼ Σ_ij k_ij C_ij²,   C = AᵀA − 1,  A = (a₀ a₁ a₂)/ℓ                       [Lan2022, eq. 6, with k_ij all alike]
//   ∂E/∂a_i       = Σ_j k_ij C_ij a_j / ℓ²
//   ∂²E/∂a_i∂a_j  = δ_ij Σ_l k_il a_l a_lᵀ/ℓ⁴ + k_ij a_j a_iᵀ/ℓ⁴ + k_ij C_ij 1/ℓ²
//   k_ij = k √(e_i e_j) [J],  e_i = √(μ_i/m) the extent along an axis over ℓ,  k = kRigidity m ℓ²/h², h the time step [s]
//
// It depends on AᵀA alone, so it resists no rotation and exerts no torque. `projected` keeps the first two terms, which are
// semi-definite, and the positive part of the third (the 3×3 matrix k_ij C_ij).
//
// How stiff: a body that is stopped or pressed with the acceleration a is strained by about a h²/(2 kRigidity ℓ), and what
// rounding leaves of the gradient is about kRigidity ℓ ε/h in units of the stopping rule [m/s]. Thin bodies are softer
// across, in proportion to their thickness: with k alike for all axes rounding would hide their equations, with k in proportion to
// μ a plate under a heavy box would be squeezed. Measured in docs/rigid_bodies.md.
#pragma once

#include <vector>

#include "pliant/configuration/rigid_frames.h"
#include "pliant/energy/compliant.h"
#include "pliant/energy/element_batch.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"

namespace pliant::rigid {

// k in units of m ℓ²/h². Ten times as much: as many iterations, a tenth of the strain, rounding ten times as large.
// docs/rigid_bodies.md has the figures.
inline constexpr double kRigidity = 1e6;

class Rigidity final : public Energy, public Weighted, public Compliant {
 public:
  // step: s, of the scene; it only sets how stiff the bodies are. block_count: of the whole model.
  Rigidity(const std::vector<RigidFrame>& frames, double step, int block_count);

  // The centre too: what acts on a point of the body (contact) couples it with the axes, and relies on finding the blocks.
  void couple(sparse::PatternBuilder& builder) const;
  void find_slots(const sparse::BlockPattern& pattern) { batch_.find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // 2 max_j k_ij/ℓ² at each axis, a bound of the Hessian at rest: stiff against turning, too, for the matrix cannot tell.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  // Projection turns bodies as they are.
  [[nodiscard]] bool add_soft_elements(SoftElements&) const override { return true; }
  [[nodiscard]] std::string name() const override { return "rigidity"; }

 private:
  struct Body {
    double length = 1;  // m
    Mat3 stiffness;     // J, k_ij
  };
  [[nodiscard]] double evaluate_body(int b, const BlockVector& now, Accumulator& out) const;
  void add_hessian(int b, const Mat3& axes, const Mat3& strain, Accumulator& out) const;

  ElementBatch<3> batch_;  // the axes of each body
  std::vector<Body> bodies_;
};

}  // namespace pliant::rigid
