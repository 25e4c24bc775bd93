#include "pliant/dynamics/sleeping.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>

#include "pliant/mesh/disjoint_sets.h"

namespace pliant {
namespace {

bool is_still(const ScriptedPin& pin) {
  return pin.from <= 0 && pin.until == std::numeric_limits<double>::infinity() && pin.motion.is_still();
}

// −1: the world, or an obstacle.
int body_of(const Model& model, const constraint::JointSide& side) {
  return side.point.count == 0 ? -1 : model.layout.locate(side.point.block[0]).body;
}

double speed_of(const Model& model, const State& state, int body) {
  double speed = 0;
  const int first = model.layout.first_block(body);
  for (int b = first; b < first + model.layout.body_block_count(body); ++b)
    speed = std::max(speed, state.velocities[b].norm() * model.layout.length(b));
  return speed;
}

// Where bodies are, by the points of their surfaces.
std::vector<Eigen::AlignedBox3d> boxes_of(const contact::ContactSurface& surface, const BlockVector& positions,
                                          std::size_t bodies) {
  std::vector<Eigen::AlignedBox3d> boxes(bodies);
  for (int i = 0; i < surface.first_obstacle_point; ++i)
    boxes[static_cast<std::size_t>(surface.body_of_point[i])].extend(surface.points[i].evaluate(positions));
  return boxes;
}

}  // namespace

Sleeping::Sleeping(const Model& model, const SleepOptions& options)
    : options_(options), is_restless_(model.bodies.size(), 0) {
  const auto disturb = [&](int body) {
    if (body >= 0) is_restless_[static_cast<std::size_t>(body)] = 1;
  };
  for (const ScriptedPin& pin : model.pins) {
    if (is_still(pin)) continue;
    for (const int block : pin.blocks) disturb(model.layout.locate(block).body);
  }
  for (const constraint::Joint& joint : model.joints) {
    const int a = body_of(model, joint.side[0]), b = body_of(model, joint.side[1]);
    if (a >= 0 && b >= 0) joined_.emplace_back(a, b);
    const bool is_driven =
        joint.motor.kind != constraint::MotorKind::none || joint.side[0].obstacle >= 0 || joint.side[1].obstacle >= 0;
    if (is_driven) disturb(a), disturb(b);
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (model.bodies[b].is_poured || !model.rest_animations.empty()) disturb(static_cast<int>(b));
  }
}

void Sleeping::resize_memory(const Model& model, SleepMemory& memory) const {
  const std::size_t bodies = model.bodies.size(), forces = memory.forces.keys.size();
  const bool fits = memory.island.size() == bodies && memory.calm.size() == bodies &&
                    memory.forces.forces.size() == forces && memory.island_of_force.size() == forces;
  if (is_on() && fits) return;
  memory = {};
  if (!is_on()) return;
  memory.calm.assign(model.bodies.size(), 0);
  memory.island.assign(model.bodies.size(), -1);
}

void Sleeping::wake(int island, State& state) {
  SleepMemory& memory = state.sleep;
  for (std::size_t b = 0; b < memory.island.size(); ++b) {
    if (memory.island[b] != island) continue;
    memory.island[b] = -1;
    memory.calm[b] = 0;
  }
  // Its contacts go on with the forces that they had; accelerations start anew.
  state.accelerations = {};
  std::map<std::uint64_t, Vec3> forces;
  for (std::size_t i = 0; i < state.forces.keys.size(); ++i) forces[state.forces.keys[i]] = state.forces.forces[i];
  SleepMemory kept;
  for (std::size_t i = 0; i < memory.forces.keys.size(); ++i) {
    const std::uint64_t key = memory.forces.keys[i];
    if (memory.island_of_force[i] == island) {
      forces[key] = memory.forces.forces[i];
      continue;
    }
    kept.forces.keys.push_back(key);
    kept.forces.forces.push_back(memory.forces.forces[i]);
    kept.island_of_force.push_back(memory.island_of_force[i]);
  }
  memory.forces = std::move(kept.forces);
  memory.island_of_force = std::move(kept.island_of_force);
  state.forces = {};
  for (const auto& [key, force] : forces) {
    state.forces.keys.push_back(key);
    state.forces.forces.push_back(force);
  }
}

void Sleeping::wake_near_obstacles(const Model& model, const Controls& controls, State& state) const {
  const contact::ContactSurface& surface = *model.contact;
  const std::size_t bodies = state.sleep.island.size();
  std::vector<Eigen::AlignedBox3d> boxes;  // found when something moves
  std::size_t first = 0;
  for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
    const std::size_t last = first + model.obstacles[o].contact_points().size();
    Eigen::AlignedBox3d way;
    bool moves = false;
    for (std::size_t i = first; i < last; ++i) {
      way.extend(controls.obstacle_before[i]).extend(controls.obstacle_points[i]);
      moves = moves || controls.obstacle_before[i] != controls.obstacle_points[i];
    }
    first = last;
    if (!moves) continue;
    if (boxes.empty()) boxes = boxes_of(surface, state.positions, bodies);
    for (std::size_t b = 0; b < bodies; ++b) {
      const int island = state.sleep.island[b];
      if (island < 0) continue;
      const double reach = options_.margin + surface.thickness[b] + surface.thickness[bodies + o];
      const Vec3 wider = Vec3::Constant(reach);
      const Eigen::AlignedBox3d near(way.min() - wider, way.max() + wider);
      if (model.obstacles[o].half_space || near.intersects(boxes[b])) wake(island, state);
    }
  }
}

void Sleeping::begin_step(const Model& model, double begin, double end, State& state, Controls& controls) const {
  if (!is_on()) return;
  const auto wake_body = [&](std::size_t body) {
    if (state.sleep.island[body] >= 0) wake(state.sleep.island[body], state);
  };
  for (const GrippedBlock& grip : controls.grips)
    wake_body(static_cast<std::size_t>(model.layout.locate(grip.block).body));
  const bool loads_change = std::any_of(model.loads.begin(), model.loads.end(),
                                        [&](const LoadCurve& load) { return load.at(begin) != load.at(end); });
  if (loads_change) {
    for (std::size_t b = 0; b < state.sleep.island.size(); ++b) wake_body(b);
  }
  if (model.contact) wake_near_obstacles(model, controls, state);
  for (std::size_t b = 0; b < state.sleep.island.size(); ++b) {
    if (state.sleep.island[b] < 0) continue;
    const int first = model.layout.first_block(static_cast<int>(b));
    for (int block = first; block < first + model.layout.body_block_count(static_cast<int>(b)); ++block) {
      // Pins of those who may sleep stand still: what they hold is held.
      if (controls.filter.held_directions(block) < 3) hold_still(block, state.positions[block], controls);
    }
  }
}

bool Sleeping::wake_touched(std::span<const contact::ContactForce> forces, State& state) const {
  if (!is_on()) return false;
  bool is_touched = false;
  const int bodies = static_cast<int>(state.sleep.island.size());
  for (const contact::ContactForce& force : forces) {
    for (const auto& [body, other] :
         {std::pair(force.first_body, force.second_body), std::pair(force.second_body, force.first_body)}) {
      if (!is_asleep(state.sleep, body) || other >= bodies || is_asleep(state.sleep, other)) continue;
      wake(state.sleep.island[static_cast<std::size_t>(body)], state);
      is_touched = true;
    }
  }
  return is_touched;
}

void Sleeping::finish_step(const Model& model, const contact::ProjectedPairs& pairs,
                           std::span<const contact::ContactForce> forces, double step, State& state) const {
  if (!is_on()) return;
  SleepMemory& memory = state.sleep;
  const int bodies = static_cast<int>(memory.island.size());
  DisjointSets sets(memory.island.size());
  for (const contact::ContactForce& force : forces) {
    if (force.first_body < bodies && force.second_body < bodies) sets.join(force.first_body, force.second_body);
  }
  for (const auto& [a, b] : joined_) sets.join(a, b);
  std::vector<unsigned char> may_sleep(memory.island.size(), 1);  // by the root of an island
  for (int b = 0; b < bodies; ++b) {
    const auto k = static_cast<std::size_t>(b);
    memory.calm[k] = speed_of(model, state, b) < options_.speed ? memory.calm[k] + step : 0;
    const bool is_calm = is_restless_[k] == 0 && memory.calm[k] >= options_.after;
    if (!is_calm) may_sleep[static_cast<std::size_t>(sets.root(b))] = 0;
  }
  std::vector<unsigned char> is_new(memory.island.size(), 0);
  for (int b = 0; b < bodies; ++b) {
    const auto k = static_cast<std::size_t>(b);
    if (memory.island[k] >= 0 || may_sleep[static_cast<std::size_t>(sets.root(b))] == 0) continue;
    is_new[k] = 1;
    memory.island[k] = sets.root(b);
    const int first = model.layout.first_block(b);
    for (int block = first; block < first + model.layout.body_block_count(b); ++block)
      state.velocities[block].setZero();
  }
  // What their contacts bear, for when they wake.
  for (const contact::ProjectedPair& pair : pairs.pairs) {
    const int body = pair.first_body < bodies && is_new[static_cast<std::size_t>(pair.first_body)] != 0
                         ? pair.first_body
                         : pair.second_body;
    if (body >= bodies || is_new[static_cast<std::size_t>(body)] == 0) continue;
    const auto found = std::lower_bound(state.forces.keys.begin(), state.forces.keys.end(), pair.key);
    if (found == state.forces.keys.end() || *found != pair.key) continue;
    memory.forces.keys.push_back(pair.key);
    memory.forces.forces.push_back(state.forces.forces[static_cast<std::size_t>(found - state.forces.keys.begin())]);
    memory.island_of_force.push_back(memory.island[static_cast<std::size_t>(body)]);
  }
}

}  // namespace pliant
