// The contact of two convex shapes: at most four points that carry it (manifold.h).
//
//   Manifold manifold;
//   collide(ball, pose_a, box, pose_b, 0.01, manifold);
//   for (int k = 0; k < manifold.count; ++k) ... manifold.points[k].gap
//
// Points are made for gaps up to `reach`, so that a solver can stop bodies before they meet. Where the shapes overlap,
// the normal is the direction of the shortest way out (hull_contact.h says how exactly), so a pair that overlaps
// always has a point. No memory is allocated; the result depends on nothing but the arguments.
// Exchanging a and b exchanges the points' sides; which of two equally good faces clips the other may differ.
#pragma once

#include "pliant/contact/manifold/convex_shape.h"
#include "pliant/contact/manifold/manifold.h"

namespace pliant::contact {

// reach: m, at least 0. What `out` held before is forgotten.
void collide(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
             Manifold& out);

}  // namespace pliant::contact
