// Element matrices from the analytic eigensystem: dP/dF in the frame of the signed SVD, projected, contracted with the
// rest gradients and turned back. Four tets at a time.
//
// With F̂ = UᵀFV and b̂_i = Vᵀ b_i, the block of corners i, j is K_ij = V₀ U K̂_ij Uᵀ,
//   K̂_ij[a][a] = A_aa b̂_i[a] b̂_j[a] + Σ_{b≠a} p_ab b̂_i[b] b̂_j[b]
//   K̂_ij[a][c] = A_ac b̂_i[a] b̂_j[c] + m_ac b̂_i[c] b̂_j[a]            A = Ψ_ij,  p = (flip + twist)/2,  m = (flip −
//   twist)/2
#pragma once

#include "pliant/energy/energy.h"
#include "pliant/energy/solid/hyperelastic_law.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/math/psd.h"

namespace pliant::solid {

// A symmetric 3×3 matrix stored as 00 11 22 12 02 01.
inline void project_psd(Lanes a[6]) {
  math::Symmetric3<Lanes> m{a[0], a[1], a[2], a[5], a[4], a[3]};
  math::project_psd_3x3(m);
  a[0] = m.xx, a[1] = m.yy, a[2] = m.zz, a[3] = m.yz, a[4] = m.xz, a[5] = m.xy;
}

struct RotatedHessian {
  Lanes stretch[6];               // A_00 A_11 A_22 A_12 A_02 A_01
  Lanes parallel[3], crossed[3];  // p and m of the pairs (1,2) (0,2) (0,1)
};

// Clamps or replaces eigenvalues as `kind` asks, and multiplies by the volume.
inline RotatedHessian rotated_hessian(const PrincipalDerivatives<Lanes>& d, Lanes volume, HessianKind kind) {
  RotatedHessian h;
  const Lanes zero{};
  for (int i = 0; i < 6; ++i) h.stretch[i] = d.second[i];
  if (kind == HessianKind::projected) project_psd(h.stretch);
  for (int i = 0; i < 6; ++i) h.stretch[i] *= volume;
  for (int k = 0; k < 3; ++k) {
    Lanes twist = d.twist[k], flip = d.flip[k];
    if (kind == HessianKind::projected) {
      twist = math::max(twist, zero);
      flip = math::max(flip, zero);
    } else if (kind == HessianKind::warped) {
      twist = zero;
    }
    h.parallel[k] = 0.5 * volume * (flip + twist);
    h.crossed[k] = 0.5 * volume * (flip - twist);
  }
  return h;
}

// K = U K̂_ij Uᵀ
inline void principal_block(const RotatedHessian& h, const Lanes u[3][3], const Lanes bi[3], const Lanes bj[3],
                            Lanes k[3][3]) {
  const Lanes q0 = bi[0] * bj[0], q1 = bi[1] * bj[1], q2 = bi[2] * bj[2];
  const Lanes q01 = bi[0] * bj[1], q10 = bi[1] * bj[0], q02 = bi[0] * bj[2], q20 = bi[2] * bj[0], q12 = bi[1] * bj[2],
              q21 = bi[2] * bj[1];
  Lanes m[3][3];
  m[0][0] = h.stretch[0] * q0 + h.parallel[2] * q1 + h.parallel[1] * q2;
  m[1][1] = h.parallel[2] * q0 + h.stretch[1] * q1 + h.parallel[0] * q2;
  m[2][2] = h.parallel[1] * q0 + h.parallel[0] * q1 + h.stretch[2] * q2;
  m[0][1] = h.stretch[5] * q01 + h.crossed[2] * q10;
  m[1][0] = h.stretch[5] * q10 + h.crossed[2] * q01;
  m[0][2] = h.stretch[4] * q02 + h.crossed[1] * q20;
  m[2][0] = h.stretch[4] * q20 + h.crossed[1] * q02;
  m[1][2] = h.stretch[3] * q12 + h.crossed[0] * q21;
  m[2][1] = h.stretch[3] * q21 + h.crossed[0] * q12;
  Lanes um[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) um[r][c] = u[r][0] * m[0][c] + u[r][1] * m[1][c] + u[r][2] * m[2][c];
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) k[r][c] = um[r][0] * u[c][0] + um[r][1] * u[c][1] + um[r][2] * u[c][2];
  }
}

// The same for i = j: symmetric, a third less work.
inline void principal_diagonal_block(const RotatedHessian& h, const Lanes u[3][3], const Lanes b[3], Lanes k[3][3]) {
  const Lanes q0 = b[0] * b[0], q1 = b[1] * b[1], q2 = b[2] * b[2];
  const Lanes m00 = h.stretch[0] * q0 + h.parallel[2] * q1 + h.parallel[1] * q2;
  const Lanes m11 = h.parallel[2] * q0 + h.stretch[1] * q1 + h.parallel[0] * q2;
  const Lanes m22 = h.parallel[1] * q0 + h.parallel[0] * q1 + h.stretch[2] * q2;
  const Lanes m01 = (h.stretch[5] + h.crossed[2]) * (b[0] * b[1]);
  const Lanes m02 = (h.stretch[4] + h.crossed[1]) * (b[0] * b[2]);
  const Lanes m12 = (h.stretch[3] + h.crossed[0]) * (b[1] * b[2]);
  for (int r = 0; r < 3; ++r) {
    const Lanes um0 = u[r][0] * m00 + u[r][1] * m01 + u[r][2] * m02;
    const Lanes um1 = u[r][0] * m01 + u[r][1] * m11 + u[r][2] * m12;
    const Lanes um2 = u[r][0] * m02 + u[r][1] * m12 + u[r][2] * m22;
    for (int c = r; c < 3; ++c) k[r][c] = k[c][r] = um0 * u[c][0] + um1 * u[c][1] + um2 * u[c][2];
  }
}

inline void principal_blocks(const RotatedHessian& h, const Lanes u[3][3], const Lanes v[3][3], const Lanes b[3][3],
                             CornerBlocks& k) {
  Lanes turned[3][3];  // b̂_i = Vᵀ b_i
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) turned[i][a] = v[0][a] * b[i][0] + v[1][a] * b[i][1] + v[2][a] * b[i][2];
  }
  principal_diagonal_block(h, u, turned[0], k.k11);
  principal_diagonal_block(h, u, turned[1], k.k22);
  principal_diagonal_block(h, u, turned[2], k.k33);
  principal_block(h, u, turned[0], turned[1], k.k12);
  principal_block(h, u, turned[0], turned[2], k.k13);
  principal_block(h, u, turned[1], turned[2], k.k23);
}

}  // namespace pliant::solid
