#include "pliant/scene/rod_energies.h"

#include <cmath>
#include <utility>

#include "pliant/energy/rod/elastic_rods.h"
#include "pliant/energy/spring/springs.h"

namespace pliant::scene {
namespace {

rod::RodEdgeRest edge_rest(double length, const Material& m, const rod::Section& section) {
  const double stiffness = m.young * section.area;
  return {length, stiffness, 3 * m.viscosity * section.area + m.damping.stiffness_proportional * stiffness};
}

// Stiffness of a joint; Trouton's ratio 3 makes the viscosity of stretching and bending from that of shear.
rod::RodJointRest joint_stiffness(double length, const Material& m, const rod::Section& section) {
  rod::RodJointRest rest;
  const double time = m.damping.stiffness_proportional;
  rest.length = length;
  rest.bend_stiffness = m.young * section.second_moment;
  rest.twist_stiffness = m.shear * section.torsion_constant;
  rest.viscous_bend = 3 * m.viscosity * section.second_moment + time * rest.bend_stiffness;
  rest.viscous_twist = m.viscosity * section.torsion_constant + time * rest.twist_stiffness;
  return rest;
}

// Curvature and twist of a joint at rest. A joint that turns by the angle φ has κ = 2 tan(φ/2).
void set_rest_shape(const RodRest& wanted, const rod::JointStrain& given, rod::RodJointRest& rest) {
  if (std::holds_alternative<GivenRest>(wanted)) {
    rest.curvature = given.curvature;
    rest.twist = given.twist;
  } else if (const auto* curved = std::get_if<CurvedRest>(&wanted)) {
    const double curvature = curved->curvature.norm();
    if (curvature > 0) rest.curvature = 2 * std::tan(0.5 * curvature * rest.length) / curvature * curved->curvature;
    rest.twist = curved->twist * rest.length;
  }
}

}  // namespace

void add_rod_energies(const Scene& scene, const std::vector<const PlacedBody*>& moving, const BlockData& data,
                      ModelParts& parts) {
  const Model& model = parts.model();
  const RodTopology& rods = model.rods;
  if (rods.edges.empty()) return;
  BlockVector positions(static_cast<int>(data.rest.size()));
  for (int b = 0; b < positions.size(); ++b) positions[b] = data.rest[b];
  const std::vector<rod::JointStrain> given = rod::measure(rods, positions, data.frames);

  std::vector<rod::RodEdgeRest> edges;
  std::vector<rod::RodJointRest> joints;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    if (moving[b]->body->kind != BodyKind::rod) continue;
    const Material& material = scene.material(moving[b]->body->material);
    const rod::Section section = section_of(material);
    const std::vector<double>& length = model.bodies[b].segment_length;
    for (const double l : length) edges.push_back(edge_rest(l, material, section));
    std::size_t first = 0;
    for (const Chain& chain : moving[b]->chains) {
      const std::size_t count = chain.vertices.size(), edge_count = chain.closed ? count : count - 1;
      const std::size_t joint_count = chain.closed ? count : count - 2;
      for (std::size_t j = 0; j < joint_count; ++j) {
        const double mean = 0.5 * (length[first + j] + length[first + (j + 1) % edge_count]);
        joints.push_back(joint_stiffness(mean, material, section));
        set_rest_shape(moving[b]->body->rest, given[joints.size() - 1], joints.back());
      }
      // A closed rod was twisted before its ends were joined: there its angle has grown by that turn.
      if (chain.closed) joints.back().seam = chain.initial_twist;
      first += edge_count;
    }
  }
  parts.add(std::make_unique<rod::ElasticRods>(rods, std::move(edges), std::move(joints), model.layout.block_count()),
            EnergyRole::elastic);
}

void add_spring_energies(const Scene& scene, const std::vector<const PlacedBody*>& moving, ModelParts& parts) {
  const Model& model = parts.model();
  std::vector<spring::Spring> springs;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Material& m = scene.material(moving[b]->body->material);
    const ModelBody& body = model.bodies[b];
    for (const Link& link : moving[b]->links) {
      const double stiffness = link.kind == Link::Kind::stretch ? m.stretch_stiffness
                               : link.kind == Link::Kind::shear ? m.shear_stiffness
                                                                : m.bend_stiffness;
      if (stiffness == 0) continue;
      const double length = (body.rest.vertices[link.to] - body.rest.vertices[link.from]).norm();
      springs.push_back({body.block_of_vertex[link.from], body.block_of_vertex[link.to], length, stiffness,
                         m.damping.stiffness_proportional * stiffness});
    }
  }
  if (springs.empty()) return;
  parts.add(std::make_unique<spring::Springs>(springs, model.layout.block_count()), EnergyRole::elastic);
}

}  // namespace pliant::scene
