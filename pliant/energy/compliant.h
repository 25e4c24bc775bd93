// What an energy offers to solvers that work with constraints (projection): its elements as soft constraints.
//
//   E = ½ cᵀ K c  per element, with c(q) its strains and K its stiffness, is the constraint  c + K⁻¹ λ = 0  with the force
//   ∇cᵀ λ.                                                                                          [Francu2016, eq. 6.44]
//   Losses are potentials on what changes in a step: ½ (c − c_b)ᵀ K/h (c − c_b), c_b before the step, K [· s]: `is_rate`.
//
// An energy that offers nothing and is no load cannot be solved by projection; that is an error sentence before the
// first step.
#pragma once

#include <array>
#include <vector>

#include "pliant/configuration/controls.h"
#include "pliant/math/types.h"

namespace pliant {

// c = |x₁ − x₀| − rest
struct SoftLink {
  std::array<int, 2> block{};
  double rest = 0;       // m
  double stiffness = 0;  // N/m
  bool is_rate = false;
  double damping = 0;  // s, ρ: set by who merges a loss with its element
};

// c_i = ½ (|e_i|² − l_i²), e_i opposite corner i: Green's strain of a triangle (energy/cloth/edge_membrane.h)
struct SoftTriangle {
  std::array<int, 3> block{};
  std::array<double, 3> squared_length{};  // m²
  Mat3 stiffness = Mat3::Zero();           // N/m³
  bool is_rate = false;
  double damping = 0;  // s, ρ: set by who merges a loss with its element
};

enum class SolidStrain { green, polar, small, volume };

// c = (ε_xx, ε_yy, ε_zz, γ_yz, γ_xz, γ_xy) of F = [x₁−x₀, x₂−x₀, x₃−x₀] rest_inverse;  E = V (½ λ tr²ε + μ ε:ε)
// volume: c, how far F is from the gradients of determinant one (energy/solid/volume_preservation.h);  E = V μ c²
struct SoftTet {
  std::array<int, 4> block{};
  Mat3 rest_inverse = Mat3::Identity();  // 1/m
  double volume = 0;                     // m³
  double mu = 0, lambda = 0;             // Pa
  SolidStrain strain = SolidStrain::green;
  bool is_rate = false;
  double damping = 0;  // s, ρ: set by who merges a loss with its element
};

enum class HingeMeasure { angle, tangent, sine };

// c = φ(θ) − φ(rest), φ the angle of a hinge (energy/cloth/hinge_bending.h), twice the tangent of its half, or
// c = 2 sin((θ − rest)/2). Edge between blocks 1 and 2, wings 0 and 3.
struct SoftHinge {
  std::array<int, 4> block{};
  double rest = 0;       // rad
  double stiffness = 0;  // J
  HingeMeasure measure = HingeMeasure::angle;
  bool is_rate = false;
  double damping = 0;  // s, ρ: set by who merges a loss with its element
};

// c = directions (x − target)
struct SoftTarget {
  int block = 0;
  Vec3 target = Vec3::Zero();          // m
  double stiffness = 0;                // N/m
  Mat3 directions = Mat3::Identity();  // projector
};

// Everything of a model, in the order in which energies offered it.
struct SoftElements {
  std::vector<SoftLink> links;
  std::vector<SoftTriangle> triangles;
  std::vector<SoftTet> tets;
  std::vector<SoftHinge> hinges;
};

class Compliant {
 public:
  virtual ~Compliant() = default;
  // What stays as it is for the life of the model. False: some of its elements are no such constraints.
  [[nodiscard]] virtual bool add_soft_elements(SoftElements& out) const = 0;
  // What scripts and hands pull at in this step.
  virtual void add_targets(const Controls& /*controls*/, std::vector<SoftTarget>& /*out*/) const {}
};

}  // namespace pliant
