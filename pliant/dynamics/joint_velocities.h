// Velocities at the end of a step in which joints acted apart (newmark; time_integrator.h): the velocity stage of RATTLE.
//
//   before   v with the momentum h f of every row, f its force in the step
//   rigid    v ← v − W J_bᵀ h f/2 + W Jᵀ p,   J v = target        J_b, J before the step and at its end; target 0, or a motor's speed
//   limits   those that pushed:  p ≥ 0 ⊥ J v ≥ 0                  motors   |p| ≤ h bound/2
//
// So a joint pushes for half a step along the directions of its start and for half a step along those of its end. That is symplectic and of second order:
// energy swings with h² and comes back [Andersen1983]. With h f along directions of the middle and no p, or with p that takes what is left
// of J v, the order is the same; then the first rings after impacts for ever and is elastic at limits, and the second takes energy (a top of
// three moments at 200 rad/s and h = 1 ms lost 6 % in 10⁴ steps, where this swings by 0.1 %).
//
// Soft rows have no part: their forces have done what they do.
#pragma once

#include <span>
#include <vector>

#include "pliant/configuration/controls.h"
#include "pliant/configuration/rigid_frames.h"
#include "pliant/constraint/joint.h"
#include "pliant/energy/inertia.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

struct SettledStep {
  std::span<const constraint::Joint> joints;
  std::span<const RigidFrame> frames;
  const Inertia& inertia;
  const Controls& controls;
  const BlockVector &before, &positions;  // m, at the start and at the end of the step
  double step = 0;                        // s
  int most_sweeps = 1;
  double tolerance = 0;  // m/s, what a sweep changes at last
};

// multipliers: N or N m per row, of the step (constraint::kMostJointRows per joint). What pulls at the anchors of each joint [N] is
// returned: both impulses over the step.
std::vector<double> settle_joint_velocities(const SettledStep& at, std::span<const double> multipliers,
                                            BlockVector& velocities);

}  // namespace pliant
