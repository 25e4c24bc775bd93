// Elastic rods: stretching, bending and twisting of curves with a cross-section (discrete elastic rods).
//
//          θ_e       θ_f        e, f  edges, t_e, t_f unit tangents, l = |e|          [m], bars: at rest
//      x0 ----- x1 ----- x2     m₁, m₂  material directors of an edge (configuration/rod_frames.h)
//           e        f          L = (l̄_e + l̄_f)/2 of the joint at x1                  [m]
//
//   W = Σ_edges ½ EA (l/l̄ − 1)² l̄ + Σ_joints 1/(2L) [B₁ (κ₁ − κ̄₁)² + B₂ (κ₂ − κ̄₂)² + GJ (m − m̄)²]
//   κb = 2 t_e × t_f/χ,  χ = 1 + t_e·t_f;   |κb| = 2 tan(φ/2), φ the angle between the edges
//   κ₁ =  ½ (m₂e + m₂f)·κb   turn about m₂: the rod curves towards m₁. Stiffness B₁ = E ∫ y₁² dA
//   κ₂ = −½ (m₁e + m₁f)·κb   turn about −m₁: the rod curves towards m₂. Stiffness B₂ = E ∫ y₂² dA     (section.h)
//   m = θ_f − θ_e + m_ref    twist                                                                     [rad]
// [Bergou2008; Bergou2010]. The derivatives D along parallel transport are classic; what follows is ours.
//
// **Frames.** Directors are carried from `before` to `now` in one go, d(now) = P(t₀ → t) d(before), so W is a function
// of the unknowns alone. The usual derivatives D of κ and m hold for directors that follow each small change dt without
// turning about t. Those of P(t₀ → t) do turn: from the quaternion (1 + t₀·t, t₀ × t) of P, about t by
//   ds = a·dt,   a = t × t₀/(1 + t₀·t)                       zero only at t = t₀
// which acts like a change of the edge's θ. With b = a/l the exact derivatives of a strain ε are, for each edge,
//   ∂ε/∂e    = Dε + b ε_θ
//   ∂²ε/∂e²  = sym(DDε) + sym(∂b/∂e) ε_θ + b (Dε_θ)ᵀ + (Dε_θ) bᵀ + b bᵀ ε_θθ
//   sym(∂b/∂e) = −sym(a (t + (t + t₀)/(1 + t₀·t))ᵀ)/l²
// D does not commute with itself on the sphere of tangents (its holonomy), but the whole is symmetric, so the symmetric
// parts are enough; on different edges D commutes.
//
// **Viscosity.** The same sums with rest values replaced by those at `before`, and moduli by viscous ones / step.
// **Padding.** Slots 1 and 2 of a twist block mean nothing. W has ½ s (y² + z²) for them, s about GJ/l̄, so that the
// matrix is regular also without inertia; they start at zero and stay there.
// **Hessian.** exact: as above. projected: Gauss–Newton, Σ B/L ∇ε ∇εᵀ, and stretching with its transversal stiffness
// EA (1/l̄ − 1/l) clamped at zero: semi-definite by construction.
// **Constant stand-in** (pliant/energy/weighted.h), a straight rod's: edges EA/l̄ as springs; joints ½ (B₁ + B₂)/L c cᵀ
// with the second difference c = (1/l̄_e, −1/l̄_e − 1/l̄_f, 1/l̄_f) on x0 x1 x2, and GJ/L between θ_e and θ_f; viscous
// moduli / step likewise. For B₁ = B₂ it is the exact Hessian at rest across the rod. Padding gets what θ gets.
// **Limits.** A rod folded flat (χ → 0) has infinite κ: below χ = 1e-6 (φ within 0.08° of 180°) |κb| stays at its value
// there. An edge shorter than 1e-6 of its rest length counts with that length in divisions. Both give finite, very
// large numbers, but not exact derivatives. m_ref is the angle nearest to that at `before`: the energy jumps where one
// step changes it by π or turns an edge by 180°, far beyond what a step should do.
#pragma once

#include <vector>

#include "pliant/configuration/rod_frames.h"
#include "pliant/energy/element_batch.h"
#include "pliant/energy/energy.h"
#include "pliant/energy/weighted.h"
#include "pliant/math/lanes.h"

namespace pliant::rod {
struct EdgeLanes;
struct BendLanes;

struct RodEdgeRest {
  double length = 0;             // m
  double stretch_stiffness = 0;  // N: E A
  double viscous_stretch = 0;    // N s
};

struct RodJointRest {
  double length = 0;                   // m: half the sum of both edges
  Vec2 curvature = Vec2::Zero();       // rad: κ̄₁, κ̄₂, integrated over the joint's length
  double twist = 0;                    // rad: m̄
  double seam = 0;                     // rad, added to θ_f: by how much ends were turned before they were joined here
  Vec2 bend_stiffness = Vec2::Zero();  // N m²: B₁, B₂
  double twist_stiffness = 0;          // N m²: G J
  Vec2 viscous_bend = Vec2::Zero();    // N m² s
  double viscous_twist = 0;            // N m² s
};

struct JointStrain {
  Vec2 curvature = Vec2::Zero();  // rad: κ₁, κ₂
  double twist = 0;               // rad: m
};

// The strains of all joints; `frames` are those at `positions`. With them as rest values a rod is at rest as it is.
[[nodiscard]] std::vector<JointStrain> measure(const RodTopology& topology, const BlockVector& positions,
                                               const RodFrames& frames);

// All rods of a model.
class ElasticRods final : public Energy, public Weighted {
 public:
  // `edges` and `joints` as in the topology. Loops are fastest when edges and joints follow each other along the rods.
  ElasticRods(RodTopology topology, std::vector<RodEdgeRest> edges, std::vector<RodJointRest> joints, int block_count);

  void couple(sparse::PatternBuilder& builder) const;
  void find_slots(const sparse::BlockPattern& pattern);

  // Needs q.frames.
  void evaluate(const Configuration& q, Accumulator& out) const override;
  void add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const override;
  [[nodiscard]] std::string name() const override { return "elastic_rods"; }
  [[nodiscard]] const RodTopology& topology() const { return topology_; }

 private:
  struct JointIndices;
  struct JointPull;
  struct EdgePull;

  [[nodiscard]] double evaluate_lone_edge(int edge, const Configuration& q, const Accumulator& out) const;
  [[nodiscard]] double evaluate_joints(int first, int last, const Configuration& q, const Accumulator& out) const;
  // Four joints at a time (pliant/energy/rod/joint_lanes.h).
  [[nodiscard]] JointIndices joint_indices(int first, int last) const;
  void measure_edges(const int edges[4], math::Lanes seam, const Configuration& q, EdgeLanes& state) const;
  [[nodiscard]] JointPull joint_pull(const JointIndices& at, const EdgeLanes& e, const EdgeLanes& f,
                                     const BendLanes& bend, const Configuration& q) const;
  [[nodiscard]] EdgePull edge_pull(const int edges[4], math::Lanes share, const EdgeLanes& edge, double step,
                                   HessianKind kind) const;
  // The padding of the edges that a joint stretches.
  [[nodiscard]] double evaluate_padding(int joint, const Configuration& q, const Accumulator& out) const;
  [[nodiscard]] double evaluate_padding_of(int edge, const Configuration& q, const Accumulator& out) const;

  RodTopology topology_;
  std::vector<RodEdgeRest> edge_rest_;
  std::vector<RodJointRest> joint_rest_;
  std::vector<double> padding_stiffness_;  // N m per edge
  bool viscous_joints_ = false;            // some joint has a viscous coefficient
  // An edge is stretched in the loop over joints, by one of its joints, while its blocks are at hand.
  std::vector<unsigned char> stretches_;  // per joint: which of its edges
  std::vector<int> lone_edges_;           // edges without a joint: rods of one edge
  ElementBatch<3> edges_;                 // blocks (x, θ, x)
  ElementBatch<5> joints_;                // blocks (x, θ, x, θ, x)
};

}  // namespace pliant::rod
