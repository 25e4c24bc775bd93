// The constant stand-in of the Hessian of four tets (pliant/energy/weighted.h):  L_ij = k V b_i·b_j,  b = ∇N at rest.
// Rows sum to zero. In the reference's terms b_i·b_j is the matrix D = D_m⁻¹ D_m⁻ᵀ with its sums [Liu2018, eq. 8.4].
#pragma once

#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant::solid {

// k: Pa, of the tets of group g. Filling lanes have no volume and add zeros.
inline void add_tet_weights(const TetElements& elements, int g, Lanes k, sparse::SymmetricScalarMatrix& out) {
  const TetElements::Group& group = elements.groups()[g];
  Lanes b[3][3];
  load_rest_gradients(group, b);
  const Lanes weight = k * math::load(group.volume);
  const auto product = [&](int i, int j) {
    return weight * (b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2]);
  };
  const Lanes d11 = product(0, 0), d22 = product(1, 1), d33 = product(2, 2);
  const Lanes d12 = product(0, 1), d13 = product(0, 2), d23 = product(1, 2);
  const Lanes d01 = -(d11 + d12 + d13), d02 = -(d12 + d22 + d23), d03 = -(d13 + d23 + d33);
  const Lanes entries[10] = {-(d01 + d02 + d03), d11, d22, d33, d01, d02, d03, d12, d13, d23};  // as TetElements::Slots
  const TetElements::Slots& slots = elements.slots()[g];
  for (int pair = 0; pair < 10; ++pair) {
    for (int lane = 0; lane < kLaneCount; ++lane) out.add_at(slots.slot[pair][lane], entries[pair][lane]);
  }
}

}  // namespace pliant::solid
