// Bending of cloth: each pair of triangles that share an edge is a hinge with an energy of its angle.
//
//          x2               E = Σ_hinges ψ(θ) + Δ/h,        e = x2 − x1
//        / | \              θ   angle between the normals n of T = (x0, x1, x2) and ñ of T~ = (x3, x2, x1),
//      x0  |  x3                sign of (n × ñ)·e: positive when the hinge is a ridge seen from where the normals point
//        \ | /              K = k a [J],  k = D/6,  a = 3 |ē|²/Ā,  Ā the sum of the two rest areas [m²]
//          x1               D   flexural rigidity [N·m]: Y t³/(12 (1 − ν²)) for a plate of thickness t
//
// ψ by HingeLaw (hinge_laws.h has the table); all laws agree for small angles. D/6 and not the D/2 of [Tamstorf2016,
// eq. 5.11]: a cylinder whose rulings run along edges has 3 k κ² per area, which is to be ½ D κ².
//
// Viscosity, in the same pass [Tamstorf2016, section 5.6]: Δ is the law with the angle at the start of the step in the
// place of the rest angle and D_v [N·m·s] in the place of D; h the time from `before` to `now`. Near a flat rest state
// a turning hinge feels the moment 2 k_v a θ̇. Nothing is added when h = 0.
//
// Derivatives by half-hinges [Tamstorf2016, eq. 5.7]: every triangle adds what its three hinges do to its own corners,
// so the geometry of a triangle is worked out once and a block of the matrix is written once per triangle instead of
// once per hinge. With edges e_i (opposite corner i), 2A the doubled area, n the normal, and for hinge h
//   G_hh = −|e_h|²/2A,  G_ha = −(e_h·e_a)/2A for a ≠ h     ∇_a θ_h = G_ha n/|e_h|  (plus ñ's share on the edge)
//   D_a  = Σ_h ψ'_h G_ha/|e_h|                             gradient at corner a:  D_a n
//   μ_a  = e_a × n/2A
//   H_ab = D_a μ_b nᵀ + D_b n μ_aᵀ  ± ψ'_h/|e_h|³ n (e_h × n)ᵀ + Σ_h ψ''_h ∇_aθ_h ∇_bθ_hᵀ
// every block is n uᵀ + v nᵀ with two vectors u, v. One pass over the triangles does it all and stores nothing in
// between: a triangle works out its neighbours' normals and its three angles itself (4 normals, 3 angles), which is
// less than a pass over the hinges and one over the triangles together (7 normals, 1½ angles, and their traffic). The
// block (x0, x3) is written by the triangle with the smaller of the two corners, so a triangle writes to its own rows
// only.
//
// HessianKind::exact is the second derivative, indefinite in general. `projected` (and `warped`) is Gauss-Newton:
// max(ψ'', 0) ∇θ ∇θᵀ, which is positive semi-definite; the Newton solver goes over to the exact matrix by itself where
// that one proves positive definite.
//
// The constant stand-in of the Hessian is that of a hinge bent out of its rest shape without strain, where θ − θ̄ is
// linear in the normal displacements: L = ψ''(θ̄) c cᵀ, with ∇θ at rest as if both triangles lay in one plane,
//   c = (−1/h, (1 − f)/h + (1 − f~)/h~, f/h + f~/h~, −1/h~)
// h, h~ heights of x0, x3 above the edge, f, f~ where they stand on it from x1 (0) to x2 (1). For a flat rest state it
// is the isometric bending of [Wardetzky2007], and the exact Hessian in the normal direction.
//
// Degenerate triangles: 2A counts as at least 1e-10 (|e_0|² + |e_1|² + |e_2|²), below which the normal fades to zero
// and with it the triangle's half of the forces. At θ = ±π: `tan` grows without bound and stops growing 2e-6 before it;
// `angle` and `bridson` are restricted to −π < θ < π and jump between the ends, as nobody counts turns; `willmore` is
// periodic.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/energy/element_batch.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"
#include "pliant/mesh/hinges.h"

namespace pliant::cloth {

enum class HingeLaw { tan, angle, willmore, bridson };

struct HingeParameters {
  double stiffness = 0;         // D [N·m]
  double viscosity = 0;         // D_v [N·m·s]
  double rest_edge_length = 0;  // m
  double rest_area = 0;         // m², of both triangles
  double rest_angle = 0;        // rad, between −π and π
  // The rest shape of T and T~, used by add_weights only; as they are here: two equal isosceles triangles.
  double rest_share = 0.5;                    // T's part of rest_area
  std::array<double, 2> rest_foot{0.5, 0.5};  // f and f~
};

// Signed angle of a hinge, drawn above [rad].
[[nodiscard]] double hinge_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3);
// Lengths, areas and angle of a hinge in a rest state; stiffness and viscosity zero.
[[nodiscard]] HingeParameters hinge_at_rest(const Hinge& hinge, std::span<const Vec3> rest);

class HingeBending final : public Energy, public Weighted, public Compliant {
 public:
  // triangles: block indices. hinges: find_hinges of the same list (their `vertex` is not used and may be another
  // numbering). parameters: one per hinge.
  HingeBending(HingeLaw law, std::span<const std::array<int, 3>> triangles, std::span<const Hinge> hinges,
               std::span<const HingeParameters> parameters);

  void couple(sparse::PatternBuilder& builder) const;
  void find_slots(const sparse::BlockPattern& pattern);

  void evaluate(const Configuration& q, Accumulator& out) const override;
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  // Of all laws but bridson's, whose energy is no square.
  [[nodiscard]] bool add_soft_elements(SoftElements& out) const override;
  [[nodiscard]] std::string name() const override;

 private:
  template <class Law>
  struct Kernel;

  // Four triangles side by side; corners ascend, so that no block is ever transposed. Edges without a hinge have no
  // stiffness and the opposite corner itself as `beyond`.
  struct alignas(32) Group {
    double stiffness[3][math::kLaneCount];     // [edge][lane], K [J]
    double reference[3][2][math::kLaneCount];  // [edge][number][lane], the law's view of the rest angle
    double orientation[math::kLaneCount];      // 1, or −1 where sorting the corners turned the triangle over
    int corner[3][math::kLaneCount];
    int beyond[3][math::kLaneCount];  // corner of the neighbour across edge i
  };
  struct alignas(32) Viscosity {
    double stiffness[3][math::kLaneCount];  // K of D_v [J·s]
  };
  // Slots of the blocks (0,0) (0,1) (0,2) (1,1) (1,2) (2,2), then (i, beyond i): −1 where the neighbour writes it.
  struct Slots {
    int slot[9][math::kLaneCount];
  };

  // For add_weights and add_soft_elements.
  struct Stencil {
    std::array<double, 4> slope;  // c, 1/m
    double stiffness, viscosity;  // ψ''(θ̄), J and J·s
    double energy, loss;          // K, J and J·s
    double rest_angle;            // rad
  };

  [[nodiscard]] Stencil stencil_of(const HingeParameters& parameters) const;
  void fill_groups(std::span<const std::array<int, 3>> triangles, std::span<const int> order,
                   std::span<const Hinge> hinges, std::span<const HingeParameters> parameters);

  HingeLaw law_;
  ElementBatch<3> batch_;                      // triangles with ascending corners
  std::vector<std::array<int, 4>> couplings_;  // the four blocks of every hinge
  std::vector<Stencil> stencils_;              // likewise
  std::vector<Group> groups_;
  std::vector<Viscosity> viscosity_;  // empty when nothing is viscous
  std::vector<Slots> slots_;
};

}  // namespace pliant::cloth
