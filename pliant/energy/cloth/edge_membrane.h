// Membranes whose energy is a function of edge lengths: any orthotropic law of the Green strain.
//
//   s_i = ½ (|e_i|² − l_i²),   W(s0, s1, s2) [J] per triangle             edges and rest lengths as in triangle_rest.h
//   r_i = ∂W/∂s_i,   K_ij = ∂²W/∂s_i∂s_j                                  what a law gives
//   gradient  Σ r_i ∇s_i,    Hessian  Σ K_ij ∇s_i ∇s_jᵀ + Σ r_i L_i ⊗ I   L_i the graph Laplacian of edge i, 3×3
//
// s_i = e_i·E e_i at rest, so three lengths are the whole strain of a triangle [Tamstorf2016, sec. 4.5]. The assembly
// is the same for all laws:
//   StVenantKirchhoff   W = sᵀ T s with a constant T, 6 numbers per triangle; orthotropic or isotropic (orthotropic.h)
//   InvariantLaw        W = A ψ(J1, J2, J3), every other orthotropic law: the caller writes ψ and its derivatives and
//                       includes edge_membrane_kernels.h to instantiate EdgeMembrane<InvariantLaw<…>>
//
// `projected`: K is projected onto the semi-definite 3×3 matrices (the T of sensible moduli is definite already). The
// geometric part M = Σ r_i L_i maps constants to zero, so it has two other eigenvalues, m ± ρ with m = Σ r_i and
// ρ² = Σ r_i² − Σ_{i<j} r_i r_j. Where m − ρ < 0 < m + ρ the projection keeps one of them, and the result is again a
// sum of edge Laplacians, with the weights
//   r_i' = (m + ρ)/2 (1/3 + (r_i − m/3)/ρ)
// Both parts are semi-definite then, and so is their sum.
//
// Moduli are those of the sheet, stress times thickness [N/m]. Large compression: St. Venant-Kirchhoff's law softens
// and lets triangles collapse without resistance (stretch_membrane.h has laws that do not).
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/energy/cloth/membrane_elements.h"
#include "pliant/energy/cloth/orthotropic.h"
#include "pliant/energy/compliant.h"
#include "pliant/energy/energy.h"
#include "pliant/math/symmetric_eigen.h"

namespace pliant::cloth {

using Symmetric3 = math::Symmetric3<double>;

// W and its derivatives in s.
struct EdgeDerivatives {
  double energy;      // W, J
  double first[3];    // r_i, J/m²
  Symmetric3 second;  // K_ij, J/m⁴
};

template <class Law>
concept EdgeLaw = requires(const Law& law, const TriangleRest& rest, const typename Law::Parameters& parameters,
                           const typename Law::Element& element, const double s[3]) {
  { Law::kName } -> std::convertible_to<std::string_view>;
  { law.prepare(rest, parameters) } -> std::same_as<typename Law::Element>;
  { law.energy(element, s) } -> std::same_as<double>;
  { law.derivatives(element, s) } -> std::same_as<EdgeDerivatives>;
};

template <EdgeLaw Law>
class EdgeMembrane final : public Energy, public Weighted, public Compliant {
 public:
  // parameters: per triangle of the sheet.
  EdgeMembrane(const MembraneSheet& sheet, std::span<const typename Law::Parameters> parameters, Law law = {});

  void couple(sparse::PatternBuilder& builder) const { elements_.batch().couple(builder); }
  void find_slots(const sparse::BlockPattern& pattern) { elements_.batch().find_slots(pattern); }
  void evaluate(const Configuration& q, Accumulator& out) const override;
  // k of every triangle: the mean of the fits along the warp and along the weft, the other stretch being 1.
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  // Of constant rest states and W = sᵀTs.
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override { return std::string(Law::kName); }

 private:
  struct Prepared {
    std::array<double, 3> squared_length;
    typename Law::Element element;
  };
  [[nodiscard]] Prepared prepare(const TriangleRest& rest, int e) const;
  [[nodiscard]] double fitted_stiffness(const TriangleRest& rest, const typename Law::Element& element) const;
  [[nodiscard]] double evaluate_chunk(int first, int last, const Configuration& q, const Accumulator& out) const;

  MembraneElements elements_;
  Law law_;
  std::vector<typename Law::Parameters> parameters_;  // per element; kept for animated rest states only
  std::vector<Prepared> prepared_;                    // per element; empty for animated rest states
};

// --- Laws ---

// T [J/m⁴] with W = sᵀ T s, from the coefficients of the sheet [N/m] [Tamstorf2016, eq. 4.7, 4.8].
[[nodiscard]] Symmetric3 membrane_matrix(const TriangleRest& rest, const OrthotropicCoefficients& sheet);

// W = sᵀ T s as a constraint with the stiffness 2T.
template <class Blocks>
[[nodiscard]] SoftTriangle soft_triangle(const Blocks& block, const std::array<double, 3>& squared_length,
                                         const Symmetric3& t) {
  SoftTriangle soft;
  soft.block = {block[0], block[1], block[2]};
  soft.squared_length = squared_length;
  soft.stiffness << t.xx, t.xy, t.xz, t.xy, t.yy, t.yz, t.xz, t.yz, t.zz;
  soft.stiffness *= 2;
  return soft;
}

struct StVenantKirchhoff {
  static constexpr std::string_view kName = "orthotropic_membrane";
  using Parameters = OrthotropicCoefficients;  // N/m
  using Element = Symmetric3;                  // T

  [[nodiscard]] static Element prepare(const TriangleRest& rest, const Parameters& sheet) {
    return membrane_matrix(rest, sheet);
  }
  [[nodiscard]] static double energy(const Element& t, const double s[3]) {
    double ts[3];
    math::multiply(t, s, ts);
    return math::dot(s, ts);
  }
  [[nodiscard]] static EdgeDerivatives derivatives(const Element& t, const double s[3]) {
    double ts[3];
    math::multiply(t, s, ts);
    return {math::dot(s, ts),
            {2 * ts[0], 2 * ts[1], 2 * ts[2]},
            {2 * t.xx, 2 * t.yy, 2 * t.zz, 2 * t.xy, 2 * t.xz, 2 * t.yz}};
  }
};

// How the invariants of a triangle depend on s: J1 = trace·s, J2 = sᵀ square s, J3 = warp·s.
struct StrainInvariants {
  double area;
  double trace[3], warp[3];  // 1/m²
  Symmetric3 square;         // 1/m⁴

  explicit StrainInvariants(const TriangleRest& rest);
  void evaluate(const double s[3], double j[3]) const;
};

struct InvariantDerivatives {
  double energy;    // ψ, J/m²
  double first[3];  // in J1, J2, J3
  Symmetric3 second;
};

// ψ(J1, J2, J3) [J/m²] of an orthotropic sheet; j holds the three invariants (orthotropic.h).
template <class Density>
concept InvariantDensity = requires(const Density& density, const typename Density::Parameters& parameters,
                                    const double j[3]) {
  { Density::kName } -> std::convertible_to<std::string_view>;
  { density.energy(parameters, j) } -> std::same_as<double>;
  { density.derivatives(parameters, j) } -> std::same_as<InvariantDerivatives>;
};

// Derivatives of W = A ψ(J(s)) in s.
[[nodiscard]] EdgeDerivatives chain_rule(const StrainInvariants& invariants, const double s[3],
                                         const InvariantDerivatives& psi);

template <InvariantDensity Density>
struct InvariantLaw {
  static constexpr std::string_view kName = Density::kName;
  using Parameters = typename Density::Parameters;
  struct Element {
    StrainInvariants invariants;
    Parameters parameters;
  };
  Density density{};

  [[nodiscard]] Element prepare(const TriangleRest& rest, const Parameters& parameters) const {
    return {StrainInvariants(rest), parameters};
  }
  [[nodiscard]] double energy(const Element& element, const double s[3]) const {
    double j[3];
    element.invariants.evaluate(s, j);
    return element.invariants.area * density.energy(element.parameters, j);
  }
  [[nodiscard]] EdgeDerivatives derivatives(const Element& element, const double s[3]) const {
    double j[3];
    element.invariants.evaluate(s, j);
    return chain_rule(element.invariants, s, density.derivatives(element.parameters, j));
  }
};

extern template class EdgeMembrane<StVenantKirchhoff>;

}  // namespace pliant::cloth
