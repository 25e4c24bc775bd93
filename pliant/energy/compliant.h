// What an energy offers to solvers that work with constraints (projection): its elements as soft constraints.
//
//   E = ½ cᵀ K c  per element, with c(q) its strains and K its stiffness, is the constraint  c + K⁻¹ λ = 0  with the
//   force −∇cᵀ λ … λ = −K c.                                                                    [Francu2016, eq. 6.44]
//   Damping of the material is a time ρ: the rate potential ρ/(2h) (c − c_b)ᵀ K (c − c_b), c_b before the step.
//
// An energy that offers nothing, and is not a load, cannot be solved by projection; that is an error sentence before
// the first step.
#pragma once

#include <array>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// c = |x₁ − x₀| − rest
struct SoftLink {
  std::array<int, 2> block{};
  double rest = 0;       // m
  double stiffness = 0;  // N/m
  double damping = 0;    // s, ρ
};

// c = (ε_uu, ε_vv, γ_uv) of F = [x₁−x₀, x₂−x₀] rest_inverse (3×2): Green's strain ½(FᵀF − 1), or with the polar
// decomposition F = R S the strain S − 1; γ is twice the tensor's entry.
struct SoftTriangle {
  std::array<int, 3> block{};
  Eigen::Matrix2d rest_inverse = Eigen::Matrix2d::Identity();  // 1/m
  Mat3 stiffness = Mat3::Zero();                               // N m: area × stiffness per area
  double damping = 0;                                          // s
  bool is_polar = false;
};

enum class SolidStrain { green, polar, small };

// c = (ε_xx, ε_yy, ε_zz, γ_yz, γ_xz, γ_xy) of F = [x₁−x₀, x₂−x₀, x₃−x₀] rest_inverse.
// E = V (½ λ tr²ε + μ ε:ε)
struct SoftTet {
  std::array<int, 4> block{};
  Mat3 rest_inverse = Mat3::Identity();  // 1/m
  double volume = 0;                     // m³
  double mu = 0, lambda = 0;             // Pa
  double damping = 0;                    // s
  SolidStrain strain = SolidStrain::green;
};

// c = ψ(θ) − ψ(rest): dihedral angle at the edge between blocks 0 and 1, wings 2 and 3 (energy/cloth/hinge_bending.h).
struct SoftHinge {
  std::array<int, 4> block{};
  double rest = 0;       // rad
  double stiffness = 0;  // N m
  double damping = 0;    // s
};

// c = det F − 1 of a tet, E = ½ k V c²
struct SoftVolume {
  std::array<int, 4> block{};
  double rest_volume = 0;  // m³
  double stiffness = 0;    // J: bulk modulus × volume
};

// Everything of a model, in the order in which energies offered it.
struct SoftElements {
  std::vector<SoftLink> links;
  std::vector<SoftTriangle> triangles;
  std::vector<SoftTet> tets;
  std::vector<SoftHinge> hinges;
  std::vector<SoftVolume> volumes;
};

class Compliant {
 public:
  virtual ~Compliant() = default;
  virtual void add_soft_elements(SoftElements& out) const = 0;
};

}  // namespace pliant
