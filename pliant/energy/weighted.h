// What an energy offers to solvers with a constant matrix (quasi-Newton): a stand-in for its Hessian that never changes.
//
//   L = Σ_elements k V G Gᵀ,   G gradients of the shape functions at rest, V rest measure               [Liu2018, eq. 7.11]
//   k [Pa]  the slope that fits f(s) = ∂Ψ/∂s₁(s, 1, 1) best by k (s − 1) over 0.5 ≤ s ≤ 1.5:
//           k = ∫ (s−1) f ds / ∫ (s−1)² ds                                                              [eq. 7.14]
// One number per pair of blocks: it acts on x, y and z alike, so L does not know how an element is turned, and a rotated
// body converges like one at rest. An energy that offers nothing takes part in the objective and the gradient only.
#pragma once

#include "pliant/configuration/controls.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant {

class Weighted {
 public:
  virtual ~Weighted() = default;
  // Adds L [N/m]. step: s, from before to now; 0 when there are no rates. The pattern is that of find_slots.
  virtual void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const = 0;
};

// Adds k [[1, −1], [−1, 1]], the stand-in of a spring between blocks i and j [N/m].
inline void add_spring_weight(sparse::SymmetricScalarMatrix& out, int i, int j, double k) {
  out.add(i, i, k);
  out.add(i, j, -k);
  out.add(j, j, k);
}

}  // namespace pliant
