// Bodies of the model: blocks, rest shapes, masses, surfaces, and the frames of rods. Energies come after.
#pragma once

#include <vector>

#include "pliant/dynamics/model.h"
#include "pliant/energy/rod/section.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

struct BlockData {
  std::vector<Vec3> rest;       // m per block: its place at rest; 0 for twists
  std::vector<double> masses;   // kg per block; kg·m² for twists
  std::vector<double> weights;  // kg per block: what gravity pulls at; 0 for twists and axes of rigid bodies
  RodFrames frames;             // of rods at the start, in the order of Model::rods
  std::vector<double> twists;   // rad per rod edge at the start
};

// Adds the bodies, in the order of `placed`; obstacles go to Model::obstacles.
[[nodiscard]] BlockData add_bodies(const Scene& scene, const std::vector<PlacedBody>& placed, Model& model);

// Frames of one rod at `positions`, in the order of its edges and joints. The second axis of the section points along
// `up` at the root of each chain; there is no twist along it.
[[nodiscard]] RodFrames rod_frames_at(const PlacedBody& placed, const ModelBody& body, const RodTopology& rods,
                                      const BlockVector& positions);

[[nodiscard]] rod::Section section_of(const Material& material);
// kg/m² of cloth and of sheets of springs. Throws InputError when the material does not say.
// kg, per triangle of a cloth or tet of a solid, at rest.
[[nodiscard]] std::vector<double> element_masses(const ModelBody& body, const Material& material, const Body& wanted);
[[nodiscard]] double surface_density_of(const Material& material, const Body& body);

}  // namespace pliant::scene
