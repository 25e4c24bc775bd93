// What scripts and time dictate for one step: where pins go and how hard loads push. Filled by the dynamics layer at
// the start of a step, read by energies and solvers, never stored in the model.
#pragma once

#include <algorithm>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/configuration/joint_memory.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

// A block that is held, wholly or along some directions, and where its held part must be at the end of the step.
struct HeldBlock {
  int block = 0;
  Vec3 target = Vec3::Zero();    // m; only the held directions count
  Vec3 velocity = Vec3::Zero();  // m/s, of the script at the end of the step; known where joints need it (newmark)
};

// A block that somebody pulls by a spring while the simulation runs (energy/attachment/grip.h).
struct GrippedBlock {
  int block = 0;
  Vec3 target = Vec3::Zero();  // m
  double stiffness = 0;        // N/m
};

// Where a script has carried what moves with it since t = 0: x = rotation X + translation.
struct ScriptedPose {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();       // m
  Vec3 velocity = Vec3::Zero();          // m/s, of the translation
  Vec3 angular_velocity = Vec3::Zero();  // rad/s
};

struct Controls {
  double time = 0;                                // s, end of the step
  BlockFilter filter{0};                          // the free directions of every block
  std::vector<HeldBlock> held;                    // hard pins, each block once; and what is to come
  std::vector<int> to_come;                       // blocks of grains that are not born yet: held, and out of touch
  std::vector<Vec3> soft_pin_targets;             // m, one per softly pinned vertex (energy/attachment/soft_pin.h)
  std::vector<unsigned char> soft_pin_active;     // one per soft pin of the scene: 0 before `from` and after `until`
  std::vector<GrippedBlock> grips;                // what hands pull at
  std::vector<Vec3> load_values;                  // one per load: N, N·m or Pa; scalars (pressure) in the first entry
  std::vector<std::vector<double>> rest_lengths;  // m, per animated cloth: three per triangle, edge i opposite corner i
  std::vector<Vec3> obstacle_before, obstacle_points;  // m, of all obstacles, at the start and at the end of the step
  JointMemory joints;                                  // at the start of the step
  std::vector<ScriptedPose> obstacle_poses_before, obstacle_poses;  // the same moments; empty when there are no joints
};

// Holds a block in every direction, whatever pins do to it.
inline void hold_still(int block, const Vec3& place, Controls& controls) {
  if (controls.filter.held_directions(block) == 0) {
    controls.held.push_back({block, place});
  } else {
    std::find_if(controls.held.begin(), controls.held.end(), [&](const HeldBlock& held) {
      return held.block == block;
    })->target = place;
  }
  controls.filter.hold(block);
}

// Puts the held directions of all blocks where they must be at the end of the step.
inline void place_held(const Controls& controls, BlockVector& q) {
  for (const HeldBlock& held : controls.held) {
    const Mat3 free = controls.filter.projector(held.block);
    const Vec3 place = free * q[held.block] + (Mat3::Identity() - free) * held.target;
    q[held.block] = place;
  }
}

}  // namespace pliant
