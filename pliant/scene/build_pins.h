// Pins of the scene as scripted pins (hard) and springs (soft) of the model.
#pragma once

#include "pliant/dynamics/model.h"
#include "pliant/scene/placed_body.h"

namespace pliant::scene {

// rooted: strands, whose first edges are clamped to the obstacle they grow on.
void add_pins(const Scene& scene, const State& start, const std::vector<const PlacedBody*>& rooted, Model& model);

// The scene's motion in the form the dynamics layer uses; `centre`: what keyframed turns go about [m].
[[nodiscard]] ScriptedMotion scripted_motion(const Motion& motion, const Vec3& centre);

}  // namespace pliant::scene
