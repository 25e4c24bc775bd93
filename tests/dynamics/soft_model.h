// A model of one soft block and its start state, put together by hand: for tests of the dynamics.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "pliant/dynamics/simulation.h"
#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/energy/load/point_loads.h"
#include "tests/solver/soft_block.h"

namespace pliant::testing {

struct SoftModel {
  Model model;
  State state;
  std::vector<int> lower_end, upper_end;  // vertices (= blocks) at either end along x
  double mass = 0;                        // kg

  explicit SoftModel(const BlockOptions& options = {}, const Vec3& gravity = Vec3(0, -9.81, 0))
      : SoftModel(gravity, SoftBlock(options)) {
    model.diagonal = options.size.norm();
  }
  SoftModel(const Vec3& gravity, SoftBlock block) {
    lower_end = block.end_at(-1);
    upper_end = block.end_at(1);
    mass = block.mass();
    ModelBody body;
    body.name = "block";
    body.rest = block.mesh;
    for (int i = 0; i < block.count(); ++i) {
      body.block_of_vertex.push_back(i);
      body.vertex_of_block.push_back(i);
    }
    model.bodies.push_back(std::move(body));
    model.layout.add_body("block", block.count());
    model.inertia = block.inertia;
    model.pattern = block.pattern;
    model.energies.push_back(std::move(block.elastic));
    model.roles.push_back(EnergyRole::elastic);
    if (!gravity.isZero(0)) {
      model.energies.push_back(std::make_unique<Gravity>(block.masses, gravity));
      model.roles.push_back(EnergyRole::gravity);
    }
    model.gravity = gravity;
    state.positions = block.rest;
    state.velocities.resize(block.count());
  }

  // A pin on these vertices; more of it may be set through the returned reference.
  ScriptedPin& pin(const std::vector<int>& blocks) {
    ScriptedPin pin;
    pin.blocks = blocks;
    pin.first_anchor = model.anchor_count();
    model.pins.push_back(std::move(pin));
    return model.pins.back();
  }
  // A spring of `stiffness` N/m in total, shared by mass.
  void soft_pin(const std::vector<int>& blocks, double stiffness) {
    ScriptedPin& added = pin(blocks);
    added.soft_pin = model.soft_pin_count++;
    std::vector<SoftPin::Spring> springs;
    double total = 0;
    for (const int b : blocks) total += model.inertia.masses()[b];
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      springs.push_back({blocks[k], added.first_anchor + static_cast<int>(k), added.soft_pin,
                         stiffness * model.inertia.masses()[blocks[k]] / total, Mat3::Identity()});
    }
    model.energies.push_back(std::make_unique<SoftPin>(std::move(springs)));
    model.roles.push_back(EnergyRole::elastic);
  }
  // A constant force [N], shared equally.
  void push(const std::vector<int>& blocks, const Vec3& force) {
    PointLoads::Load load{PointLoads::Kind::along, static_cast<int>(model.loads.size()), {}};
    for (const int b : blocks) load.blocks.push_back({b, 1.0 / static_cast<double>(blocks.size())});
    model.loads.push_back({{{0, force}}, 0, 0, std::numeric_limits<double>::infinity()});
    model.energies.push_back(std::make_unique<PointLoads>(std::vector{load}));
    model.roles.push_back(EnergyRole::load);
  }
  void throw_with(const Vec3& velocity, const Vec3& spin = Vec3::Zero()) {
    for (int i = 0; i < state.positions.size(); ++i) {
      const Vec3 x = state.positions[i];
      state.velocities[i] = velocity + Vec3(spin[1] * x[2] - spin[2] * x[1], spin[2] * x[0] - spin[0] * x[2],
                                            spin[0] * x[1] - spin[1] * x[0]);
    }
  }
  // A smooth bend, in place.
  void bend(double size) {
    for (int i = 0; i < state.positions.size(); ++i) {
      const Vec3 X = state.positions[i];
      state.positions[i] +=
          size * Vec3(0.3 * std::sin(9 * X[0]), std::cos(7 * X[0]) + X[2], std::sin(8 * X[0] + 2 * X[1]));
    }
  }
  [[nodiscard]] Simulation start(IntegratorKind kind, double tolerance = 1e-10) && {
    SimulationOptions options;
    options.integrator.kind = kind;
    options.newton.tolerance = tolerance;
    return Simulation(std::move(model), std::move(state), options);
  }
};

inline Vec3 momentum(const Simulation& simulation) {
  BlockVector product(simulation.state().velocities.size());
  simulation.model().inertia.multiply(simulation.state().velocities, product);
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < product.size(); ++i) sum += product[i];
  return sum;
}

}  // namespace pliant::testing
