#include "pliant/scene/build_loads.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "pliant/energy/load/edge_torques.h"
#include "pliant/energy/load/point_loads.h"
#include "pliant/energy/load/pressure.h"
#include "pliant/input_error.h"
#include "pliant/mesh/surface.h"
#include "pliant/scene/selection.h"

namespace pliant::scene {
namespace {

// Area share of every corner of the triangles [m²].
std::vector<WeightedBlock> areas_of(const std::vector<Vec3i>& triangles, const State& start) {
  std::map<int, double> area;
  for (const Vec3i& t : triangles) {
    const Vec3 a = start.positions[t[1]] - start.positions[t[0]], b = start.positions[t[2]] - start.positions[t[0]];
    for (const int block : t) area[block] += a.cross(b).norm() / 6;
  }
  std::vector<WeightedBlock> weights;
  for (const auto& [block, share] : area) weights.push_back({block, share});
  return weights;
}

// Points of the selection by mass; a surface vertex inside a tet passes its share on to the corners.
std::vector<WeightedBlock> masses_of(const std::vector<SelectedPoint>& points, const Model& model) {
  std::map<int, double> mass;
  for (const SelectedPoint& p : points) {
    double own = 0;
    for (int i = 0; i < p.point.count; ++i) own += p.point.weight[i] * model.inertia.masses()[p.point.block[i]];
    for (int i = 0; i < p.point.count; ++i) mass[p.point.block[i]] += p.point.weight[i] * own;
  }
  std::vector<WeightedBlock> weights;
  for (const auto& [block, share] : mass) weights.push_back({block, share});
  return weights;
}

void normalize(std::vector<WeightedBlock>& weights) {
  double total = 0;
  for (const WeightedBlock& w : weights) total += w.weight;
  for (WeightedBlock& w : weights) w.weight /= total;
}

// Blocks of a rigid body on which a force at the selected points acts as on the points: w = 1 at the centre, Σ s_p ξ_p/ℓ at
// the axes, with shares s_p by area where the selection is a piece of surface, else alike. All of the body: at the centre.
// traction: s_p are areas.
std::vector<WeightedBlock> shares_on_rigid(const Load& load, const ModelBody& body, const RigidBody& rigid,
                                           const std::vector<SelectedPoint>& selected) {
  std::map<int, double> share;
  for (const SelectedPoint& p : selected) share[p.vertex] = 0;
  double area = 0;
  for (const Vec3i& t : body.triangles) {
    if (!share.contains(t[0]) || !share.contains(t[1]) || !share.contains(t[2])) continue;
    const std::vector<Vec3>& x = body.rest.vertices;
    const double own = 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
    for (const int v : t) share[v] += own / 3;
    area += own;
  }
  if (load.traction && area == 0) {
    throw InputError(load.source,
                     fmt::format("the selection covers no surface triangle of body '{}'; traction needs an "
                                 "area",
                                 body.name));
  }
  const bool by_area = area > 0 && std::all_of(share.begin(), share.end(), [](const auto& s) { return s.second > 0; });
  const bool is_all = std::holds_alternative<AllSelection>(load.where) && !load.traction;
  std::map<int, double> weights;
  for (const auto& [vertex, own] : share) {
    const double part = load.traction ? own : by_area ? own / area : 1.0 / static_cast<double>(share.size());
    const MappedPoint point = is_all ? rigid.frame.point(Vec3::Zero()) : body.point(vertex);
    for (int i = 0; i < point.count; ++i) weights[point.block[i]] += part * point.weight[i];
  }
  std::vector<WeightedBlock> blocks;
  for (const auto& [block, weight] : weights) blocks.push_back({block, weight});
  return blocks;
}

// What a load on a rigid body is: a force at points, or a torque about the centre: f_i = τ-couple on the axes by their masses.
PointLoads::Load load_on_rigid(const Load& load, const ModelBody& body, const RigidBody& rigid,
                               const std::vector<SelectedPoint>& selected, int value) {
  if (load.pressure) {
    throw InputError(load.source, fmt::format("pressure on body '{}': it is rigid, and pressure is for surfaces that "
                                              "deform; use traction or force",
                                              body.name));
  }
  if (!load.torque) return {PointLoads::Kind::along, value, shares_on_rigid(load, body, rigid, selected)};
  PointLoads::Load couple{PointLoads::Kind::around_axes, value, {}};
  for (int i = 0; i < 3; ++i) couple.blocks.push_back({rigid.frame.axis(i), rigid.frame.axis_mass[i]});
  return couple;
}

// Edges of a rod with both ends in `blocks` (ascending).
std::vector<RodEdge> edges_between(const Model& model, int body, const std::vector<int>& blocks) {
  std::vector<RodEdge> edges;
  const auto has = [&](int block) { return std::binary_search(blocks.begin(), blocks.end(), block); };
  const ModelBody& rod = model.bodies[body];
  for (std::size_t s = 0; s < rod.segments.size(); ++s) {
    const RodEdge& edge = model.rods.edges[rod.first_rod_edge + s];
    if (has(edge.from) && has(edge.to)) edges.push_back(edge);
  }
  return edges;
}

LoadCurve curve_of(const Load& load) {
  LoadCurve curve;
  curve.from = load.from;
  curve.ramp = load.ramp;
  curve.until = load.until.value_or(std::numeric_limits<double>::infinity());
  if (load.pressure) {
    for (const ScalarKeyframe& key : load.pressure->keyframes) curve.keys.push_back({key.t, Vec3(key.value, 0, 0)});
  } else {
    const VectorCurve& values = load.force ? *load.force : load.torque ? *load.torque : *load.traction;
    for (const VectorKeyframe& key : values.keyframes) curve.keys.push_back({key.t, key.value});
  }
  return curve;
}

}  // namespace

void add_loads(const Scene& scene, const State& start, Model& model) {
  std::vector<PointLoads::Load> points;
  std::vector<Pressure::Load> pressures;
  std::vector<EdgeTorques::Load> torques;
  for (const Load& load : scene.loads) {
    for (const int body : bodies_named(model, load.body)) {
      const std::vector<SelectedPoint> selected = select(model, start, body, load.where, load.source);
      if (const ModelBody& own = model.bodies[body]; own.rigid >= 0) {
        points.push_back(
            load_on_rigid(load, own, model.rigids[own.rigid], selected, static_cast<int>(model.loads.size())));
        model.loads.push_back(curve_of(load));
        continue;
      }
      const std::vector<int> blocks = blocks_of(selected);
      const std::vector<Vec3i> triangles = boundary_triangles_of(model, body, blocks);
      const int value = static_cast<int>(model.loads.size());
      model.loads.push_back(curve_of(load));
      if ((load.traction || load.pressure) && triangles.empty()) {
        throw InputError(
            load.source,
            fmt::format("the selection covers no surface triangle of body '{}'; traction and pressure need an area",
                        model.bodies[body].name));
      }
      if (load.pressure) {
        const ModelBody& pressed = model.bodies[body];
        const bool whole = triangles.size() == surface_triangles(pressed).size();
        const bool closed = whole && (!pressed.rest.tets.empty() ||
                                      inspect_surface({pressed.rest.vertices, pressed.triangles, {}, {}}).closed());
        pressures.push_back({value, closed ? Pressure::Surface::closed : Pressure::Surface::patch, triangles});
        continue;
      }
      if (load.torque && model.bodies[body].kind == BodyKind::rod) {
        torques.push_back({value, edges_between(model, body, blocks)});
        if (torques.back().edges.empty()) {
          throw InputError(load.source,
                           fmt::format("a torque on a rod acts on its edges, and the selection holds no edge "
                                       "of '{}' with both ends; select two neighbouring vertices",
                                       model.bodies[body].name));
        }
        continue;
      }
      PointLoads::Load point{load.torque ? PointLoads::Kind::around : PointLoads::Kind::along, value, {}};
      // By area where the selection is a piece of surface; otherwise every selected vertex must get its share, so by
      // mass.
      std::vector<WeightedBlock> areas = areas_of(triangles, start);
      const bool is_surface = areas.size() == blocks.size();
      point.blocks = is_surface || load.traction ? std::move(areas) : masses_of(selected, model);
      if (!load.traction) normalize(point.blocks);
      points.push_back(std::move(point));
    }
  }
  const auto add = [&](std::unique_ptr<Energy> energy) {
    model.energies.push_back(std::move(energy));
    model.roles.push_back(EnergyRole::load);
  };
  if (!points.empty()) add(std::make_unique<PointLoads>(std::move(points)));
  if (!torques.empty()) add(std::make_unique<EdgeTorques>(std::move(torques)));
  if (!pressures.empty()) add(std::make_unique<Pressure>(std::move(pressures)));
}

}  // namespace pliant::scene
