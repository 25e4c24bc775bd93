// Distance of F to a set of deformation gradients: the energies of Projective Dynamics, added to any material.
//
//   Ψ = k/2 min_{G ∈ M} ‖F − G‖²,    P = k (F − G)                    k stiffness [Pa]        [Liu2018, eq. 6.1, 7.8]
//
// Turning a member of M on either side gives another one, so the nearest G shares the frame of F = U diag(s) Vᵀ:
//   G = U diag(t) Vᵀ,   Ψ = k/2 Σ (s_i − t_i)²,   Ψ_i = k (s_i − t_i),   Ψ_ij = k (δ_ij − ∂t_i/∂s_j)
// The term dG/dF has no share in P: G can only slide along M, at right angles to F − G.
//
// With G held, Ψ is a parabola of curvature k in every direction that lies nowhere below Ψ. So k is its weight for
// constant matrices (energy/weighted.h), and full quasi-Newton steps without history, which are then the local/global
// iterations of Projective Dynamics, never raise the energy.
#pragma once

#include "pliant/energy/solid/hyperelastic_law.h"
#include "pliant/math/small_matrix.h"
#include "pliant/math/svd_kernel.h"

namespace pliant::solid {

// Set offers nearest(p, s, t), t the stretches of G, for s as the signed SVD gives them: s₀ ≥ s₁ ≥ |s₂|. p[0] = k.
template <class Set>
struct DistanceLaw {
  static constexpr bool kIsTerm = true;  // added to a law

  template <class T>
  static T density(const T* p, const T f[3][3]) {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    T t[3];
    Set::nearest(p, svd.s, t);
    return half_square(p[0], svd.s, t);
  }

  template <class T>
  static T stress(const T* p, const T f[3][3], T piola[3][3]) {
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    T t[3], scaled[3][3];
    Set::nearest(p, svd.s, t);
    for (int r = 0; r < 3; ++r) {
      for (int i = 0; i < 3; ++i) scaled[r][i] = svd.u[r][i] * (p[0] * (svd.s[i] - t[i]));
    }
    math::multiply_transposed(scaled, svd.v, piola);
    return half_square(p[0], svd.s, t);
  }

  template <class T>
  static T weight(const T* p) {
    return p[0];
  }

 protected:
  template <class T>
  static T half_square(T k, const T s[3], const T t[3]) {
    const T a = s[0] - t[0], b = s[1] - t[1], c = s[2] - t[2];
    return 0.5 * k * (a * a + b * b + c * c);
  }
};

}  // namespace pliant::solid
