// What joints need from one step to the next: where scripts have carried obstacles that are joined, and the memory of
// coordinates, forces and breaking.
#pragma once

#include <array>

#include "pliant/configuration/configuration.h"
#include "pliant/constraint/joint_rows.h"
#include "pliant/dynamics/model.h"

namespace pliant {

// A place for each joint; those that nothing is known of start whole, at coordinate 0.
void resize_memory(const Model& model, JointMemory& memory);

// Where the two sides of a joint are at a time [s].
[[nodiscard]] std::array<constraint::SidePose, 2> joint_poses(const Model& model, const constraint::Joint& joint,
                                                              const BlockVector& positions, double time);

// Before a step from `begin` to `end` [s].
void set_joint_controls(const Model& model, const JointMemory& memory, double begin, double end, Controls& controls);

// After a step that minimised energies; q is its end.
void remember_joints(const Model& model, const Configuration& q, std::span<const double> forces, JointMemory& memory);

}  // namespace pliant
