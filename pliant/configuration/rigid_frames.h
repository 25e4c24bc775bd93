// A rigid body among the unknowns: where its centre of mass is, and where its three principal axes point.
//
//   blocks   c              centre of mass                                      [m]
//            a₀, a₁, a₂     principal axes, each ℓ long                         [m]
//   A material point with principal coordinates ξ is at  x = c + Σ ξᵢ/ℓ aᵢ: linear in the blocks, so whatever acts on
//   points that blocks carry (contact, loads, joints) acts on rigid bodies, and straight paths of the blocks are
//   straight paths of the points.
//
//   masses   m,  μᵢ = ∫ρ ξᵢ² dV / ℓ²,  ℓ² = Σ ∫ρ ξᵢ² dV / m, so Σ μᵢ = m
//   Along principal axes the mass matrix is diagonal:  ½ m |ċ|² + ½ Σ μᵢ |ȧᵢ|² is the body's kinetic energy.
//   Moments of inertia are Iᵢ = ℓ² (μⱼ + μₖ).
//
// The axes stay orthonormal because a stiff energy says so (newton; energy/rigid/), or because the solver
// turns them (projection). docs/decisions/2026-11-16-rigid-bodies-as-frames.md says why there are no rotation vectors.
#pragma once

#include <Eigen/Geometry>

#include "pliant/configuration/mapped_point.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

// Of the mass: what an axis has at least. A plate without thickness has μ = 0 across, and an equation without mass
// has no scale; 1e-8 is a plate whose thickness is a ten-thousandth of its length.
inline constexpr double kLeastAxisMass = 1e-8;

struct RigidFrame {
  int centre = 0;                 // block; the axes are the three after it
  double length = 1;              // m, ℓ
  double mass = 0;                // kg
  Vec3 axis_mass = Vec3::Zero();  // kg, μ
  [[nodiscard]] int axis(int i) const { return centre + 1 + i; }
  // kg m², principal.
  [[nodiscard]] Vec3 inertia() const { return length * length * (Vec3::Constant(axis_mass.sum()) - axis_mass); }
  // A material point from its principal coordinates [m].
  [[nodiscard]] MappedPoint point(const Vec3& xi) const;
  // √(μᵢ/m): the body's extent along an axis (root mean square) over ℓ. When an axis moves by 1 m the body's points do by this.
  [[nodiscard]] Vec3 extent() const { return (axis_mass / mass).cwiseSqrt(); }
};

// inertia: principal moments [kg m²], above zero, none larger than the sum of the others.
[[nodiscard]] RigidFrame rigid_frame(int centre, double mass, const Vec3& inertia);

// The nearest rotation to where the axes point: principal coordinates to the world.
[[nodiscard]] Mat3 rotation_of(const RigidFrame& frame, const BlockVector& positions);
// Puts the axes there.
void set_rotation(const RigidFrame& frame, const Mat3& rotation, BlockVector& positions);
// ‖AᵀA − 1‖/2: how far the axes are from orthonormal. 0 in a rigid body.
[[nodiscard]] double strain_of(const RigidFrame& frame, const BlockVector& positions);
// About the centre of mass, kg m²/s: L = Σ aᵢ × μᵢ ȧᵢ.
[[nodiscard]] Vec3 angular_momentum(const RigidFrame& frame, const BlockVector& positions,
                                    const BlockVector& velocities);
// rad/s, in the world: I⁻¹ L with the moments of inertia of the axes as they are, strain included. So L of axes with ȧᵢ = ω × aᵢ is
// the L that was given, to rounding.
[[nodiscard]] Vec3 angular_velocity(const RigidFrame& frame, const BlockVector& positions, const Vec3& momentum);
// ȧᵢ = ω × aᵢ.
void set_angular_velocity(const RigidFrame& frame, const Vec3& omega, const BlockVector& positions,
                          BlockVector& velocities);

// Where a body with this angular momentum [kg m²/s] has turned after `time` seconds without torque: Ṙ = [I(R)⁻¹L]× R, by
// the classical Runge-Kutta scheme in parts of about a fortieth of a radian. L is constant in space, so nothing can gain
// or lose spin.
[[nodiscard]] Mat3 turned_freely(const RigidFrame& frame, const Mat3& rotation, const Vec3& momentum, double time);

}  // namespace pliant
