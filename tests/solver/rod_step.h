// A straight rod along x and one time step of it, put together by hand: for tests of the solver and of the dynamics.
#pragma once

#include <memory>
#include <numbers>
#include <vector>

#include "pliant/energy/load/gravity.h"
#include "pliant/energy/rod/elastic_rods.h"
#include "pliant/energy/rod/section.h"
#include "pliant/solver/step_problem.h"

namespace pliant::testing {

struct RodOptions {
  int edges = 8;
  double length = 0.4;              // m
  double radius = 5e-3;             // m
  double young = 1e6, shear = 4e5;  // Pa
  double density = 1000;            // kg/m³
};

// Blocks x0 θ0 x1 θ1 …; directors along y.
struct StraightRod {
  RodTopology topology;
  DofLayout layout;
  std::vector<double> masses, weights;
  Inertia inertia;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  std::vector<std::unique_ptr<Energy>> energies;
  BlockVector rest;
  RodFrames frames;

  explicit StraightRod(const RodOptions& o = {}, const Vec3& gravity = Vec3(0, -9.81, 0)) {
    const rod::Section section = rod::circle(o.radius);
    const int blocks = 2 * o.edges + 1;
    const double edge_length = o.length / o.edges;
    std::vector<BlockKind> kinds;
    masses.assign(blocks, 0);
    rest.resize(blocks);
    std::vector<rod::RodEdgeRest> edges;
    std::vector<rod::RodJointRest> joints;
    for (int i = 0; i < blocks; ++i) {
      const bool is_point = i % 2 == 0;
      kinds.push_back(is_point ? BlockKind::point : BlockKind::rod_twist);
      if (is_point) rest[i] = Vec3(edge_length * (i / 2), 0, 0);
    }
    for (int e = 0; e < o.edges; ++e) {
      topology.edges.push_back({2 * e, 2 * e + 2, 2 * e + 1});
      edges.push_back({edge_length, o.young * section.area, 0});
      const double share = 0.5 * o.density * section.area * edge_length;
      masses[2 * e] += share;
      masses[2 * e + 2] += share;
      masses[2 * e + 1] = o.density * section.polar_moment * edge_length;
      if (e == 0) continue;
      topology.joints.push_back({e - 1, e});
      rod::RodJointRest& joint = joints.emplace_back();
      joint.length = edge_length;
      joint.bend_stiffness = o.young * section.second_moment;
      joint.twist_stiffness = o.shear * section.torsion_constant;
    }
    layout.add_body("rod", kinds, o.radius);
    inertia = Inertia(masses);
    weights = masses;
    for (const RodEdge& edge : topology.edges) weights[edge.twist] = 0;
    auto elastic = std::make_unique<rod::ElasticRods>(topology, edges, joints, blocks);
    sparse::PatternBuilder builder(blocks);
    elastic->couple(builder);
    pattern = builder.build();
    elastic->find_slots(*pattern);
    energies.push_back(std::move(elastic));
    if (!gravity.isZero(0)) energies.push_back(std::make_unique<Gravity>(weights, gravity));
    frames = frames_along(topology, rest, Vec3::UnitY());
  }
};

}  // namespace pliant::testing
