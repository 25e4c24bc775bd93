// Contact of balls and capsules with each other and with hulls: a point or a segment, and a radius around it.
//
// Outside, the closest points of point or segment and the other body say where and along which normal. A segment inside
// a hull is parted along the best axis among faces and edges, as two hulls are (hull_contact.h). A capsule that lies
// along a capsule or on a face has two points, one for each end of the part that lies there.
// Where no direction is better than another (concentric balls, crossing axes) one is chosen: always finite, always unit.
#pragma once

#include "pliant/contact/manifold/convex_shape.h"
#include "pliant/contact/manifold/manifold.h"

namespace pliant::contact {

// Each adds the points of the pair with gaps up to reach [m]; kinds as named.
void collide_balls(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                   Manifold& out);
void collide_ball_capsule(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                          double reach, Manifold& out);
void collide_ball_box(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                      Manifold& out);
void collide_ball_hull(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                       Manifold& out);
void collide_capsules(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b, double reach,
                      Manifold& out);
void collide_capsule_hull(const ConvexShape& a, const Pose& pose_a, const ConvexShape& b, const Pose& pose_b,
                          double reach, Manifold& out);

}  // namespace pliant::contact
