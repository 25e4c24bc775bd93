// Isotropic membranes: laws of the two principal stretches s1 ≥ s2 ≥ 0 of the 3×2 deformation gradient.
//
//   E = Σ A ψ(s1, s2),   F = Σ x_i b_iᵀ = s1 u1 v1ᵀ + s2 u2 v2ᵀ      b_i gradients of the shape functions at rest [1/m]
//   P = ∂ψ/∂F = ψ1 u1 v1ᵀ + ψ2 u2 v2ᵀ                               v from the 2×2 eigenproblem of FᵀF, n = u1 × u2
//
// In the frame (u1, u2, n) × (v1, v2) the second derivative of ψ falls apart, after [Teran2005] in the plane:
//   change of F                                  eigenvalue
//   u1 v1ᵀ, u2 v2ᵀ                               the 2×2 matrix ψ_ij
//   (u1 v2ᵀ + u2 v1ᵀ)/√2     flip, symmetric     (ψ1 − ψ2)/(s1 − s2)
//   (u1 v2ᵀ − u2 v1ᵀ)/√2     twist, a rotation   (ψ1 + ψ2)/(s1 + s2)
//   n v1ᵀ, n v2ᵀ             out of the plane    ψ1/s1, ψ2/s2           tension stiffens, compression buckles
// `projected` clamps negative ones to zero: the nearest semi-definite matrix in the space of F.
//
// Collapsed triangles: where s2 = 0 the direction u2 is free and any is taken; divisors are at least kSmallestStretch,
// so everything is finite. (A sheet has no inside: a triangle pushed through zero area comes out the other side.)
//
// Laws, with moduli of the sheet, stress times thickness [N/m]; plane stress: λ = Yν/(1−ν²), μ = Y/(2(1+ν)).
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/energy/cloth/membrane_elements.h"
#include "pliant/energy/cloth/orthotropic.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/solid/log_volume.h"
#include "pliant/math/lanes.h"

namespace pliant::cloth {

inline constexpr double kSmallestStretch = 1e-6;

struct StretchDerivatives {
  double energy;     // ψ, J/m²
  double first[2];   // ψ1, ψ2, N/m
  double second[3];  // ψ11, ψ22, ψ12
  double flip;       // (ψ1 − ψ2)/(s1 − s2), also where s1 = s2
};

// T = double, or Lanes for four triangles at a time.
template <class T>
struct StretchStress {
  T energy;    // ψ, J/m²
  T first[2];  // ψ1, ψ2, N/m
};

// ParametersOf<T> has fields of type T alone.
template <class Law>
concept StretchLaw = requires(const Law& law, const typename Law::Parameters& p, double s,
                              const typename Law::template ParametersOf<math::Lanes>& p_lanes, math::Lanes s_lanes) {
  { Law::kName } -> std::convertible_to<std::string_view>;
  { law.stress(p, s, s) } -> std::same_as<StretchStress<double>>;
  { law.stress(p_lanes, s_lanes, s_lanes) } -> std::same_as<StretchStress<math::Lanes>>;
  { law.derivatives(p, s, s) } -> std::same_as<StretchDerivatives>;
};

template <StretchLaw Law>
class StretchMembrane final : public Energy, public Weighted {
 public:
  // parameters: per triangle of the sheet. Warp directions do not matter.
  StretchMembrane(const MembraneSheet& sheet, std::span<const typename Law::Parameters> parameters, Law law = {});

  void couple(sparse::PatternBuilder& builder) const { elements_.batch().couple(builder); }
  void find_slots(const sparse::BlockPattern& pattern) { elements_.batch().find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k of every triangle: the law's `weight` if it has one, else the fit to ψ1(s, 1).
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] std::string name() const override { return std::string(Law::kName); }

 private:
  // The rest triangle laid into a plane, corner 0 at the origin, corner 1 on the first axis:
  // b1 = (p, q), b2 = (0, t), b0 = −b1 − b2 [1/m].
  struct RestGradients {
    double area, p, q, t;
    explicit RestGradients(const TriangleRest& rest);
  };
  [[nodiscard]] static double fitted_stiffness(const Law& law, const typename Law::Parameters& parameters);
  [[nodiscard]] RestGradients rest_of(int e, const Configuration& q) const;
  // Values and gradients four triangles at a time, with Hessians one by one.
  [[nodiscard]] double evaluate_lanes(int first, int last, const Configuration& q, BlockVector* gradient) const;
  [[nodiscard]] double evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const;

  MembraneElements elements_;
  Law law_;
  std::vector<typename Law::Parameters> parameters_;  // per element
  std::vector<RestGradients> rest_;                   // per element; empty for animated rest states
};

// --- Laws ---

// λ and μ of the sheet [N/m].
template <class T>
struct LameParametersOf {
  T lambda{}, mu{};
};
using LameParameters = LameParametersOf<double>;
inline LameParameters lame_parameters(const IsotropicModuli& sheet) {
  const OrthotropicCoefficients c = coefficients(sheet);
  return {c.lambda, c.mu};
}

// ψ = μ/2 (s1² + s2² − 2) − μ ln J + λ/2 ln² J,  J = s1 s2; below J = 0.1 ln J is continued (solid/log_volume.h).
// Grows stiff under compression; its linearisation at rest is Hooke's law.
struct NeoHookean {
  static constexpr std::string_view kName = "neo_hookean_membrane";
  template <class T>
  using ParametersOf = LameParametersOf<T>;
  using Parameters = LameParameters;

  template <class T>
  [[nodiscard]] static StretchStress<T> stress(const LameParametersOf<T>& p, T s1, T s2) {
    // ψ = μ/2 (s1² + s2² − 2) + g(J)
    const solid::LogVolume<T> l = solid::log_volume(s1 * s2);
    const T g1 = (p.lambda * l.value - p.mu) * l.first;
    return {0.5 * p.mu * (s1 * s1 + s2 * s2 - 2.0) + l.value * (0.5 * p.lambda * l.value - p.mu),
            {p.mu * s1 + g1 * s2, p.mu * s2 + g1 * s1}};
  }
  [[nodiscard]] static StretchDerivatives derivatives(const Parameters& p, double s1, double s2) {
    const StretchStress<double> stretched = stress(p, s1, s2);
    const double j = s1 * s2;
    const solid::LogVolume<double> l = solid::log_volume(j);
    const double slope = p.lambda * l.value - p.mu;
    const double g1 = slope * l.first, g2 = slope * l.second + p.lambda * l.first * l.first;
    return {stretched.energy,
            {stretched.first[0], stretched.first[1]},
            {p.mu + g2 * s2 * s2, p.mu + g2 * s1 * s1, g1 + g2 * j},
            p.mu - g1};
  }
};

// ψ = μ Σ (s_i − 1)² + λ/2 (s1 + s2 − 2)². Forces linear in the stretches: for stiff cloth that strains little.
struct Corotated {
  static constexpr std::string_view kName = "corotated_membrane";
  template <class T>
  using ParametersOf = LameParametersOf<T>;
  using Parameters = LameParameters;

  template <class T>
  [[nodiscard]] static StretchStress<T> stress(const LameParametersOf<T>& p, T s1, T s2) {
    const T a = s1 - 1.0, b = s2 - 1.0, spread = p.lambda * (a + b);
    return {p.mu * (a * a + b * b) + 0.5 * spread * (a + b), {2.0 * p.mu * a + spread, 2.0 * p.mu * b + spread}};
  }
  [[nodiscard]] static StretchDerivatives derivatives(const Parameters& p, double s1, double s2) {
    const StretchStress<double> stretched = stress(p, s1, s2);
    const double diagonal = 2 * p.mu + p.lambda;
    return {stretched.energy, {stretched.first[0], stretched.first[1]}, {diagonal, diagonal, p.lambda}, 2 * p.mu};
  }
};

// ψ = k/2 Σ dist(s_i, [min, max])² = k/2 min_G ‖F − G‖² over all G with stretches within the limits
// [Liu2018, sec. 6.1]: free within the limits, stiff beyond. Added to another law.
struct StrainLimit {
  static constexpr std::string_view kName = "strain_limit";
  template <class T>
  struct ParametersOf {
    T min{}, max{};  // stretches, 0 ≤ min ≤ max
    T stiffness{};   // k, N/m
  };
  using Parameters = ParametersOf<double>;

  // The stand-in of the Hessian holds G: k also within the limits, where a fit would see next to nothing.
  [[nodiscard]] static double weight(const Parameters& p) { return p.stiffness; }

  template <class T>
  [[nodiscard]] static StretchStress<T> stress(const ParametersOf<T>& p, T s1, T s2) {
    const T a = s1 - math::min(math::max(s1, p.min), p.max), b = s2 - math::min(math::max(s2, p.min), p.max);
    return {0.5 * p.stiffness * (a * a + b * b), {p.stiffness * a, p.stiffness * b}};
  }
  [[nodiscard]] static StretchDerivatives derivatives(const Parameters& p, double s1, double s2) {
    const StretchStress<double> stretched = stress(p, s1, s2);
    const double c1 = std::clamp(s1, p.min, p.max), c2 = std::clamp(s2, p.min, p.max), k = p.stiffness;
    // On the limits themselves the stiff side counts: min = max is as-rigid-as-possible also at rest.
    const bool free1 = s1 > p.min && s1<p.max, free2 = s2> p.min && s2 < p.max;
    const double ka = free1 ? 0 : k, kb = free2 ? 0 : k;
    // (a − b)/(s1 − s2) = 1 − (c1 − c2)/(s1 − s2): no difference of nearly equal forces.
    const double flip = c1 == c2 ? (free1 && free2 ? 0 : k) : k * (1 - (c1 - c2) / (s1 - s2));
    return {stretched.energy, {stretched.first[0], stretched.first[1]}, {ka, kb, 0}, flip};
  }
};

// The nearest deformation gradient whose stretches lie within [min, max]: U clamp(S) Vᵀ.
[[nodiscard]] Mat32 clamp_stretches(const Mat32& f, double min, double max);

extern template class StretchMembrane<NeoHookean>;
extern template class StretchMembrane<Corotated>;
extern template class StretchMembrane<StrainLimit>;

}  // namespace pliant::cloth
