// What tests of rods measure: twist.
#pragma once

#include "pliant/dynamics/simulation.h"

namespace pliant::validation {

// Twist of a joint [rad]: of the reference frames, and what the angles of its edges add.
inline double joint_twist(const Simulation& simulation, std::size_t joint) {
  const RodTopology& rods = simulation.model().rods;
  const auto theta = [&](int edge) { return simulation.state().positions[rods.edges[edge].twist][0]; };
  return theta(rods.joints[joint].after) - theta(rods.joints[joint].before) +
         simulation.state().rod_frames.reference_twist[joint];
}

// Of all joints: for one open rod, the turn of the section from the first edge to the last beyond that of the curve.
inline double total_twist(const Simulation& simulation) {
  double sum = 0;
  for (std::size_t j = 0; j < simulation.model().rods.joints.size(); ++j) sum += joint_twist(simulation, j);
  return sum;
}

}  // namespace pliant::validation
