// Two meshes that overlap: ways out for vertices of either that are deep in the other, at most eight.
//
//   collide_overlap(bunny, pose_a, stairs, pose_b, 0.001, manifold);
//
// What is near a surface meets it triangle by triangle (contact/detection.h); nothing there sees what has come farther in,
// by a step too long or a budget too small. A vertex that is deeper than `shallow` is led to the nearest point of the other
// surface. Of many, each side gives its deepest and those that are farthest from the ones taken.
#pragma once

#include "pliant/contact/manifold/manifold.h"
#include "pliant/contact/manifold/mesh_contact.h"

namespace pliant::contact {

// Both meshes must be closed, or nothing is found. shallow: m. What `out` held before is forgotten.
void collide_overlap(const CollisionMesh& a, const Pose& pose_a, const CollisionMesh& b, const Pose& pose_b,
                     double shallow, Manifold& out);

}  // namespace pliant::contact
