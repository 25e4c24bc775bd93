// What a material law must offer so that HyperelasticTets can use it.
//
// A law is one formula Ψ(F) [J/m³] of an isotropic material, written once for T = double (the plain version) and
// T = Lanes (four elements at once):
//
//   density(p, F)                 Ψ                                  line searches; no SVD where the formula allows it
//   stress(p, F, P)               P = ∂Ψ/∂F [Pa], returns Ψ          gradients
//   principal(p, s, d)            derivatives in the signed principal stretches s, for the projected Hessian
//
// Principal derivatives [Teran2005]: with F = U diag(s) Vᵀ the second derivative of Ψ splits into a 3×3 matrix
// Ψ_ij = ∂²Ψ/∂s_i∂s_j and, for every pair (i, j), the two eigenvalues
//   twist_k = (Ψ_i + Ψ_j)/(s_i + s_j)       antisymmetric change of UᵀFV in the plane (i, j)
//   flip_k  = (Ψ_i − Ψ_j)/(s_i − s_j)       symmetric change,                              k = the third index
// Laws give them in a form without division wherever there is one, so that equal, zero and negative stretches need no
// special case.
#pragma once

#include <concepts>
#include <string_view>

#include "pliant/math/elementary.h"
#include "pliant/math/lane_pair.h"
#include "pliant/math/lanes.h"
#include "pliant/math/second_order_dual.h"

namespace pliant::solid {

template <class T>
struct PrincipalDerivatives {
  T density;    // J/m³
  T first[3];   // Ψ_i, Pa
  T second[6];  // Ψ_00 Ψ_11 Ψ_22 Ψ_12 Ψ_02 Ψ_01 (an off-diagonal entry stands at 3 + the missing index), Pa
  T twist[3];   // of the pairs (1,2) (0,2) (0,1), Pa
  T flip[3];    // likewise
};

// Lamé parameters from Young's modulus and Poisson's ratio [Pa].
inline double lame_mu(double young, double poisson) { return young / (2 * (1 + poisson)); }
inline double lame_lambda(double young, double poisson) {
  return young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

template <class Law>
concept HyperelasticLaw = requires(const Law& law, const double parameters[], const double f[3][3], double p[3][3]) {
  { Law::kName } -> std::convertible_to<std::string_view>;
  { Law::kParameterCount } -> std::convertible_to<int>;
  { law.density(parameters, f) } -> std::same_as<double>;
  { law.stress(parameters, f, p) } -> std::same_as<double>;
};

// Laws of the principal stretches: their Hessian goes through the SVD.
template <class Law>
concept IsotropicLaw = HyperelasticLaw<Law> &&
    requires(const Law& law, const double parameters[], const double s[3], PrincipalDerivatives<double>& d) {
  {law.principal(parameters, s, d)};
};

}  // namespace pliant::solid
