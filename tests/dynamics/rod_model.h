// A model of one straight rod and its start state, put together by hand: for tests of the dynamics.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "pliant/dynamics/simulation.h"
#include "tests/solver/rod_step.h"

namespace pliant::testing {

struct RodModel {
  Model model;
  State state;

  explicit RodModel(const RodOptions& options = {}, const Vec3& gravity = Vec3::Zero()) {
    StraightRod rod(options, gravity);
    ModelBody body;
    body.name = "rod";
    body.kind = BodyKind::rod;
    body.radius = options.radius;
    for (int i = 0; i < rod.rest.size(); ++i) {
      body.vertex_of_block.push_back(i % 2 == 0 ? i / 2 : -1 - i / 2);
      if (i % 2 == 1) {
        body.segments.push_back({i / 2, i / 2 + 1});
        continue;
      }
      body.rest.vertices.emplace_back(rod.rest[i]);
      body.block_of_vertex.push_back(i);
    }
    model.bodies.push_back(std::move(body));
    model.layout = rod.layout;
    model.rods = rod.topology;
    model.inertia = rod.inertia;
    model.pattern = rod.pattern;
    model.energies = std::move(rod.energies);
    model.roles = {EnergyRole::elastic};
    if (model.energies.size() > 1) model.roles.push_back(EnergyRole::gravity);
    model.gravity = gravity;
    model.diagonal = options.length;
    state.positions = rod.rest;
    state.velocities.resize(rod.rest.size());
    state.rod_frames = rod.frames;
  }
  // Holds both vertices of an edge; with `clamps_twist` also its material frame.
  ScriptedPin& pin_edge(int edge, bool clamps_twist) {
    ScriptedPin pin;
    pin.blocks = {2 * edge, 2 * edge + 2};
    pin.first_anchor = model.anchor_count();
    if (clamps_twist) pin.edges = {{edge, 0, 1}};
    model.pins.push_back(std::move(pin));
    return model.pins.back();
  }
  [[nodiscard]] Simulation start(IntegratorKind kind = IntegratorKind::backward_euler) && {
    SimulationOptions options;
    options.integrator.kind = kind;
    options.newton.tolerance = 1e-9;
    return Simulation(std::move(model), std::move(state), options);
  }
};

// The first material director of an edge.
inline Vec3 material_director(const Simulation& simulation, int edge) {
  const State& state = simulation.state();
  const RodEdge& e = simulation.model().rods.edges[edge];
  const Vec3 d = state.rod_frames.directors[edge], t = tangent(e, state.positions);
  const double theta = state.positions[e.twist][0];
  return std::cos(theta) * d + std::sin(theta) * t.cross(d);
}

}  // namespace pliant::testing
