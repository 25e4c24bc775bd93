// Everything that moves, as plain values: copy it, hash it, save it, compare it. A run resumed from a saved State goes
// on with the same bits, because nothing that a step depends on lives elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/configuration/dof_layout.h"
#include "pliant/configuration/joint_memory.h"
#include "pliant/configuration/rod_frames.h"
#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

// Friction's memory: how far the springs of sticking contacts are stretched.
struct StickMemory {
  std::vector<std::uint64_t> keys;  // of pairs of primitives, ascending
  std::vector<Vec3> slips;          // m, along the surface
  [[nodiscard]] bool operator==(const StickMemory& other) const = default;
};

// Forces of contacts in the last step, with which the next one starts (projection).
struct ForceMemory {
  std::vector<std::uint64_t> keys;  // of contacts, ascending
  std::vector<Vec3> forces;         // N, in the world
  [[nodiscard]] bool operator==(const ForceMemory& other) const = default;
};

// Who sleeps (dynamics/sleeping.h); empty where nobody may.
struct SleepMemory {
  std::vector<double> calm;          // s, per body: how long it has been slow
  std::vector<int> island;           // per body: the lowest number of those that sleep with it; −1: awake
  ForceMemory forces;                // of contacts of those who sleep, as they fell asleep
  std::vector<int> island_of_force;  // of each
  [[nodiscard]] bool operator==(const SleepMemory& other) const = default;
};

struct State {
  double time = 0;              // s
  std::int64_t step_count = 0;  // accepted steps, retries' parts included

  BlockVector positions;   // per block: m, or rad for twists
  BlockVector velocities;  // per block: m/s, or rad/s

  RodFrames rod_frames;  // reference frames of rods at `positions`

  // Integrator history; empty unless the integrator keeps it.
  BlockVector accelerations;        // newmark: m/s²
  BlockVector previous_positions;   // bdf2: one step back
  BlockVector previous_velocities;  // bdf2
  double previous_step = 0;         // s, length of the last step; 0 at the start

  // Scripts: a pin that sets in later holds what it finds, so its anchors belong to the state.
  std::vector<double> pin_since;  // s, per pin: when it set in; −∞ while it is off
  std::vector<Vec3> pin_anchors;  // m, per pinned vertex: its place at that moment

  // Contact.
  StickMemory stick;
  double contact_pressure = 0;  // Pa, of the barrier; 0 = not chosen yet
  ForceMemory forces;

  JointMemory joints;
  SleepMemory sleep;

  [[nodiscard]] bool operator==(const State& other) const = default;
};

// A hash of every bit of the state (FNV-1a over the bytes), for tests of determinism.
[[nodiscard]] std::uint64_t hash(const State& state);

}  // namespace pliant
