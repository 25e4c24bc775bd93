// Second derivatives of the energies of four contacts at a time, one in each SIMD lane. contact_geometry.h has the distance's
// derivatives and symbols; summed over its tangents, the 3×3 block of points i and j is
//
//   H_ij = (E'' γ_i γ_j + b_i·b_j) n nᵀ + γ_j n a_iᵀ + γ_i a_j nᵀ + γ_i γ_j T           push = −E' ≥ 0,  V = |γ|
//
//   exact        b_i = √(push d) c_i,      a_i = push c_i,      T = −push/d Σ_m e_m e_mᵀ
//   projected    b_i = Σ_k A_k (c_i·e_k) e_k,   a_i = Σ_k A_k S_k (c_i·e_k) e_k,   T = Σ_k S_k² e_k e_kᵀ
//
// where A_k and S_k are what the positive eigenvalue of [d U², U V; U V, 0] leaves, U = |row a_k|: with
// g = d U/2 + √(d² U²/4 + V²) it is U g, and A² = push g³/(U (g² + V²)), A S = push g²/(g² + V²), S² = push U g/(g² + V²).
// Exact ones need no tangents: no angle, no eigenvalue.
#pragma once

#include "pliant/contact/contact_geometry.h"
#include "pliant/contact/pair_lanes.h"
#include "pliant/math/lane_vector.h"

namespace pliant::contact {

struct FourContacts {
  PairKind kind = PairKind::point_triangle;  // of all four
  PairLanes x;                               // m; not of planes
  math::LaneVector normal;                   // n
  math::Lanes weight[4];                     // γ
  math::LaneMask feature;                    // the numbers of Feature; of planes any
  math::Lanes distance;                      // m, d
  math::Lanes slope, curvature;              // E' ≤ 0 ≤ E''
};

class ContactHessians {
 public:
  ContactHessians(const FourContacts& contacts, bool is_exact);
  // Rows and columns of H_ij.
  void block(int i, int j, math::Lanes entries[3][3]) const;

 private:
  void find_tilts(const FourContacts& contacts);
  void set_exact(const FourContacts& contacts);
  void set_projected(const FourContacts& contacts);

  math::LaneVector normal_;
  math::Lanes weight_[4];
  math::Lanes stiffness_;                // E''
  math::LaneVector tilt_[4];             // c
  math::LaneVector edge_;                // unit, along the edge of a point-edge contact
  math::LaneMask is_on_edge_, is_tip_;   // point-edge, point-point
  math::LaneVector turn_[4], mixed_[4];  // b, a
  math::Lanes across_[6];                // T: 00 01 02 11 12 22
};

}  // namespace pliant::contact
