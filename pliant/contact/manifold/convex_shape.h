// Convex solids for contact between rigid bodies: balls, capsules, boxes, half-spaces, hulls. Plain data.
//
//   const ConvexShape brick = box_shape({0.1, 0.05, 0.05});
//
// Around the origin of their own frame, y as their axis, like contact/shapes/shape.h. A shape is a core (point, segment,
// polyhedron) and everything within `radius` of it; only balls and capsules have a radius.
#pragma once

#include <memory>

#include "pliant/contact/broad_phase/box.h"
#include "pliant/contact/manifold/convex_hull.h"
#include "pliant/contact/shapes/shape.h"

namespace pliant::contact {

enum class ConvexKind : unsigned char { ball, capsule, box, hull, half_space };

struct ConvexShape {
  ConvexKind kind = ConvexKind::ball;
  double radius = 0;                       // m, of balls and capsules
  double half_height = 0;                  // m, of the straight part of capsules
  Vec3 half_size = Vec3::Zero();           // m, of boxes
  std::shared_ptr<const ConvexHull> hull;  // of boxes and hulls; shared because many bodies have one shape
};

[[nodiscard]] ConvexShape ball_shape(double radius);
[[nodiscard]] ConvexShape capsule_shape(double half_height, double radius);
[[nodiscard]] ConvexShape box_shape(const Vec3& half_size);
[[nodiscard]] ConvexShape hull_shape(ConvexHull hull);
// Everything with y ≤ 0.
[[nodiscard]] ConvexShape half_space_shape();

// The point of the shape farthest along a direction of its own frame, m. Not for half-spaces, which have none.
[[nodiscard]] Vec3 support(const ConvexShape& shape, const Vec3& direction);
// Around the shape where the pose puts it; unbounded for half-spaces.
[[nodiscard]] Box bounds(const ConvexShape& shape, const Pose& pose);

}  // namespace pliant::contact
