// How rigid bodies turn from step to step (docs/decisions/2026-11-16-rigid-bodies-as-frames.md).
//
//   before the solve   ãᵢ = ℓ R̃ eᵢ, where R̃ is what the body turns to without torque, from R with L       (turned_freely)
//   after it           L⁺ = L + Σ aᵢ × μᵢ (aᵢ − ãᵢ)/h,  ω = I⁻¹ L⁺,  ȧᵢ = ω × aᵢ
//
// A solver that turns bodies by impulses says what they came to; then L⁺ = L + that, and what two bodies do to each other sums
// to nothing to rounding.
//
// With w = 1/h² the equations of the step are μᵢ (aᵢ − ãᵢ)/h² = fᵢ, so the sum is h Σ aᵢ × fᵢ: the impulse of all torques. The
// rigidity energy has none. L is what the velocities of the axes say. Under newmark, projection says what bodies came to, and
// turns them by half of it before the free turning (solver/projection/movers.h).
#pragma once

#include <span>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/dynamics/rigid_body.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

// Puts the axes in `target`, where inertia alone leads, to where free turning does.
void predict_turning(const std::vector<RigidBody>& bodies, const BlockVector& positions, const BlockVector& velocities,
                     double step, BlockVector& target);

// What finish_turning looks at, of the step that was solved.
struct SolvedStep {
  const BlockVector &before, &velocities_before;
  const BlockVector &target, &now;
  const BlockFilter& filter;
  double step = 0;                              // s
  double drag = 0;                              // 1/s
  std::span<const Vec3> turning_impulses = {};  // kg m²/s, per body; empty = what the axes say
};

// Sets the velocities of the axes after a step. Bodies that are held turn as they have been turned.
void finish_turning(const std::vector<RigidBody>& bodies, const SolvedStep& solved, BlockVector& velocities);

}  // namespace pliant
