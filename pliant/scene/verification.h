// The independent judge over a state of a model: does anything that contact keeps apart intersect?
#pragma once

#include <string>

#include "pliant/contact/judge/judge.h"
#include "pliant/dynamics/model.h"

namespace pliant::scene {

// Positions [m] of all points of model.contact at a time [s]; the model must have contact.
[[nodiscard]] std::vector<Vec3> surface_points(const Model& model, const BlockVector& positions, double time);

// Obstacles among each other, pairs whose contact is off, and segments of rods that are held at both ends (roots stand in
// what they grow on) are not judged; points below a half-space count as intersections, and round obstacles are their
// meshes. Grains are spheres: those that overlap each other, a triangle or a half-space count, each pair once.
[[nodiscard]] contact::Judgement judge_state(const Model& model, const BlockVector& positions, double time,
                                             int most_listed = 10);

// Who is not judged because contact is off: "'a' with 'b', 'sheet' with itself and 3 other pairs"; empty: nobody.
[[nodiscard]] std::string unjudged_bodies(const Model& model);

// "body 'sheet' and body 'ball' near (0.1, 0.2, 0.3)"
[[nodiscard]] std::string describe(const Model& model, const contact::Intersection& intersection);

}  // namespace pliant::scene
