// Linear (small-strain) elasticity. For small displacements only: a rotation costs energy.
//
//   ε = ½ (F + Fᵀ) − I,   Ψ = μ ‖ε‖² + λ/2 tr(ε)²,   P = 2 μ ε + λ tr(ε) I          [Liu2018, eq. 3.7, 3.8]
//   K_ij = V (μ (b_i·b_j) I + μ b_j b_iᵀ + λ b_i b_jᵀ)       constant and positive semi-definite
//
//   μ, λ  Lamé parameters [Pa]. Shear in P uses 2με with the tensor strain, i.e. G = μ for the engineering shear: the
//   erratum D.11 of Verschoor2019 does not arise.
#pragma once

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/energy/solid/tet_lanes.h"
#include "pliant/math/small_matrix.h"

namespace pliant::solid {

struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr int kParameterCount = 2;  // μ, λ [Pa]
  static constexpr bool kIsShort = true;     // for two groups side by side it has no use
  static constexpr SolidStrain kSoftStrain = SolidStrain::small;

  template <class T>
  static T density(const T p[2], const T f[3][3]) {
    T unused[3][3];
    return stress(p, f, unused);
  }

  template <class T>
  static T stress(const T p[2], const T f[3][3], T piola[3][3]) {
    const T trace = f[0][0] + f[1][1] + f[2][2] - 3.0;
    T norm_squared = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const T strain = i == j ? f[i][i] - 1.0 : 0.5 * (f[i][j] + f[j][i]);
        norm_squared += strain * strain;
        piola[i][j] = 2.0 * p[0] * strain;
      }
      piola[i][i] += p[1] * trace;
    }
    return p[0] * norm_squared + 0.5 * p[1] * trace * trace;
  }

  static void closed_blocks(const Lanes p[2], Lanes volume, const Lanes f[3][3], const Lanes b[3][3], CornerBlocks& k) {
    static_cast<void>(f);  // the Hessian does not depend on the deformation
    const Lanes mu = volume * p[0], lambda = volume * p[1];
    block(mu, lambda, b[0], b[0], k.k11);
    block(mu, lambda, b[1], b[1], k.k22);
    block(mu, lambda, b[2], b[2], k.k33);
    block(mu, lambda, b[0], b[1], k.k12);
    block(mu, lambda, b[0], b[2], k.k13);
    block(mu, lambda, b[1], b[2], k.k23);
  }

 private:
  static void block(Lanes mu, Lanes lambda, const Lanes bi[3], const Lanes bj[3], Lanes k[3][3]) {
    const Lanes diagonal = mu * (bi[0] * bj[0] + bi[1] * bj[1] + bi[2] * bj[2]);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) k[r][c] = mu * bj[r] * bi[c] + lambda * bi[r] * bj[c];
      k[r][r] += diagonal;
    }
  }
};

extern template class HyperelasticTets<Linear>;

}  // namespace pliant::solid
