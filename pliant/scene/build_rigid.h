// Rigid bodies of the model: mass and inertia from the mesh or the material, the frame, and the shape for contact.
#pragma once

#include "pliant/dynamics/model.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// Of a placed body, in the world. From density and the closed surface; mass in kg replaces density, and inertia in the material
// that of the mesh, and its centre of mass that of the mesh. A surface that is not closed needs mass and inertia, and has its centre of
// area for centre unless the material gives one. Throws InputError.
[[nodiscard]] MassProperties rigid_mass(const PlacedBody& placed, const Material& material);

// Adds the frame to the layout and to Model::rigids, and fills the points of the body; its name, kind, rest vertices and
// triangles are there already. Principal axes are in ascending order of their moments, right-handed, and those of bodies with equal
// moments follow the mesh's axes.
void add_rigid_body(const PlacedBody& placed, const Material& material, ModelBody& body, Model& model);

// Whether every vertex lies behind the plane of every triangle, up to rounding.
[[nodiscard]] bool is_convex(const std::vector<Vec3>& vertices, const std::vector<Vec3i>& triangles);

}  // namespace pliant::scene
