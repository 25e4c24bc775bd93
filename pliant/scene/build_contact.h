// What can touch, from the bodies of a model and the scene's settings.
#pragma once

#include "pliant/contact/contact_potential.h"
#include "pliant/dynamics/model.h"
#include "pliant/scene/placed_body.h"
#include "pliant/scene/scene.h"

namespace pliant::scene {

// The response that this scene gets, with `auto` resolved: none also under a solver or an integrator that cannot do it.
// Throws InputError where `penalty` is asked for and cannot be had.
[[nodiscard]] ContactMethod contact_response(const Scene& scene);

// Fills model.contact for a response other than none; bodies are all there, in the order of `placed`. Throws InputError
// where bodies intersect at the start, unless the scene says to ignore it (pairs of bodies that do then pass through each
// other) or to separate them: `positions` are changed. is_first: `positions` are the start of the run; a torn model's
// start is not looked at.
[[nodiscard]] contact::ContactOptions add_contact(const Scene& scene, const std::vector<PlacedBody>& placed,
                                                  BlockVector& positions, bool is_first, Model& model,
                                                  std::vector<std::string>& notes);

}  // namespace pliant::scene
