// Contact of two convex polyhedra.
//
//   1. The axis of largest separation among the faces of both and the pairs of their edges [Gottschalk1996]. Of edges
//      only those pairs whose arcs of normals cross can carry it: the others are no edges of the Minkowski sum.
//   2. A face wins over an edge, and a over b, unless the other is better by kPreference (face_clip.h): flat contact
//      keeps its points under small motions. The depth reported exceeds the smallest translation that parts the bodies
//      by at most twice this.
//   3. A face: the other body's most opposed face, clipped to it. Two edges: their closest points.
//   4. Bodies apart whose axis touches neither (corner beside corner) take their true closest points instead.
//
// Cost: faces × vertices + edges × edges, of which only the edges near the other body count.
#pragma once

#include "pliant/contact/manifold/convex_hull.h"
#include "pliant/contact/manifold/manifold.h"
#include "pliant/contact/shapes/shape.h"

namespace pliant::contact {

// Adds up to four points with gaps up to reach [m].
void collide_hulls(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double reach,
                   Manifold& out);

// Adds one point: where two hulls that are apart are closest; nothing beyond reach. All pairs of features that are near.
void add_closest_points(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b, double reach,
                        Manifold& out);

}  // namespace pliant::contact
