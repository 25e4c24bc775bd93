// What joints leave of the velocities at the end of a step in which they acted apart (time_integrator.h, newmark).
//
//   v ← v + W Jᵀ μ,   J v = target      of rigid rows; J at the end of the step, target 0 or the speed of a motor
//   limits   those that pushed:  p = h f + μ ≥ 0 ⊥ J v ≥ 0          motors   |p| ≤ h bound          f the row's force in the step
//
// As the velocity stage of RATTLE [Andersen1983]. After steps that began with velocities that joints allow J v is of the third order in the step and
// this changes next to nothing. After an impact (a limit, the start of a motor, a velocity that a joint forbids) x⁺ − x = h (v + v⁺)/2 would have
// it come back with the other sign for ever: limits would be elastic. Every μ is the projection of v in the metric of the masses, so
// kinetic energy does not grow, but for the work of motors and scripts.
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
// returned: the impulse of both over the step.
std::vector<double> settle_joint_velocities(const SettledStep& at, std::span<const double> multipliers,
                                            BlockVector& velocities);

}  // namespace pliant
