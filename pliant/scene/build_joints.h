// Joints of the scene as joints of the model: where each body is held, in coordinates of its own.
//
// A deformable body is held at the vertex that the scene names, or at its material point nearest to `at`: inside a tet, on
// a triangle or on an edge. The other side then takes the place of that point, so nothing is pulled at the start.
#pragma once

#include "pliant/dynamics/model.h"
#include "pliant/scene/model_parts.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// Into the model, and as an energy. Once bodies, masses and frames of rigid bodies are there.
void add_joints(const Scene& scene, ModelParts& parts);

// A body's material point nearest to x [m], by the mesh at rest, and how far away it is [m].
struct MaterialPoint {
  MappedPoint point;
  Vec3 place = Vec3::Zero();  // m
  double distance = 0;        // m
};
[[nodiscard]] MaterialPoint nearest_material_point(const ModelBody& body, const Vec3& x);

}  // namespace pliant::scene
