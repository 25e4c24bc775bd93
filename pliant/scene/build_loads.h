// Loads of the scene as energies and curves of the model.
//
// A force or torque is shared by area when the selection is a piece of surface (every vertex is a corner of a boundary
// triangle all of whose corners are selected), by mass otherwise. Traction and
// pressure act on the boundary triangles all of whose corners are selected.
#pragma once

#include "pliant/dynamics/model.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

void add_loads(const Scene& scene, const State& start, Model& model);

}  // namespace pliant::scene
