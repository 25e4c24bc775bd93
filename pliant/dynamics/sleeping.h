// Bodies that have come to rest fall asleep: they are held where they are, and cost nothing until something happens to them.
//
// What touches, or is joined, forms an island. When all bodies of an island have been slower than a speed for a while they
// fall asleep together; the forces of their contacts are kept. An island wakes, with those forces,
//   - when something that is awake presses on it: the step is then solved again with it awake, as if it had been all along;
//   - when an obstacle moves near it, a hand pulls at it, or loads change.
// Bodies that a script, a motor or an emitter may move never sleep. Who is awake is not changed by those who sleep: a run in
// which nobody falls asleep has the same bits as one without sleeping.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/contact_force.h"
#include "pliant/contact/projected_pairs.h"
#include "pliant/dynamics/model.h"

namespace pliant {

struct SleepOptions {
  double after = 0;   // s; 0: nobody sleeps
  double speed = 0;   // m/s, below which a body counts as calm
  double margin = 0;  // m: an obstacle that moves wakes what is nearer
};

class Sleeping {
 public:
  Sleeping() = default;
  Sleeping(const Model& model, const SleepOptions& options);

  [[nodiscard]] bool is_on() const { return options_.after > 0; }
  // A place for each body; all are awake if the memory is that of another model.
  void resize_memory(const Model& model, SleepMemory& memory) const;

  // Before a step: who has to wake for what scripts and hands do in it; the others are held.
  void begin_step(const Model& model, double begin, double end, State& state, Controls& controls) const;
  // After a solve: wakes who was pressed by someone awake. True: there is such a one, and the step is to be solved again.
  [[nodiscard]] bool wake_touched(std::span<const contact::ContactForce> forces, State& state) const;
  // After an accepted step: who falls asleep.
  void finish_step(const Model& model, const contact::ProjectedPairs& pairs,
                   std::span<const contact::ContactForce> forces, double step, State& state) const;

 private:
  [[nodiscard]] static bool is_asleep(const SleepMemory& memory, int body) {
    return body < static_cast<int>(memory.island.size()) && memory.island[static_cast<std::size_t>(body)] >= 0;
  }
  static void wake(int island, State& state);
  void wake_near_obstacles(const Model& model, const Controls& controls, State& state) const;

  SleepOptions options_;
  std::vector<unsigned char> is_restless_;   // per body: never sleeps
  std::vector<std::pair<int, int>> joined_;  // bodies, by joints
};

}  // namespace pliant
