#include "pliant/contact/manifold/convex_shape.h"

#include <limits>
#include <utility>

#include "pliant/assert.h"

namespace pliant::contact {

ConvexShape ball_shape(double radius) {
  ConvexShape shape;
  shape.kind = ConvexKind::ball;
  shape.radius = radius;
  return shape;
}

ConvexShape capsule_shape(double half_height, double radius) {
  ConvexShape shape;
  shape.kind = ConvexKind::capsule;
  shape.half_height = half_height;
  shape.radius = radius;
  return shape;
}

ConvexShape box_shape(const Vec3& half_size) {
  ConvexShape shape;
  shape.kind = ConvexKind::box;
  shape.half_size = half_size;
  shape.hull = std::make_shared<const ConvexHull>(box_hull(half_size));
  return shape;
}

ConvexShape hull_shape(ConvexHull hull) {
  ConvexShape shape;
  shape.kind = ConvexKind::hull;
  shape.hull = std::make_shared<const ConvexHull>(std::move(hull));
  return shape;
}

ConvexShape half_space_shape() {
  ConvexShape shape;
  shape.kind = ConvexKind::half_space;
  return shape;
}

Vec3 support(const ConvexShape& shape, const Vec3& direction) {
  switch (shape.kind) {
    case ConvexKind::ball:
      return shape.radius * direction.stableNormalized();
    case ConvexKind::capsule:
      return Vec3(0, direction[1] < 0 ? -shape.half_height : shape.half_height, 0) +
             shape.radius * direction.stableNormalized();
    case ConvexKind::box:
      return (direction.array() < 0).select(-shape.half_size, shape.half_size);
    case ConvexKind::hull:
      return shape.hull->vertices[shape.hull->support(direction)];
    case ConvexKind::half_space:
      break;
  }
  PLIANT_ASSERT(false, "a half-space has no farthest point");
  return Vec3::Zero();
}

Box bounds(const ConvexShape& shape, const Pose& pose) {
  Vec3 half = Vec3::Zero(), centre = Vec3::Zero();
  switch (shape.kind) {
    case ConvexKind::ball:
      half.setConstant(shape.radius);
      break;
    case ConvexKind::capsule:
      half = (shape.half_height * pose.turn.col(1)).cwiseAbs().array() + shape.radius;
      break;
    case ConvexKind::box:
      half = pose.turn.cwiseAbs() * shape.half_size;
      break;
    case ConvexKind::hull: {
      // The turned box around the hull, which is at most √3 too large and costs the same for any number of vertices.
      half = pose.turn.cwiseAbs() * (shape.hull->high - shape.hull->low) / 2;
      centre = pose.turn * (shape.hull->high + shape.hull->low) / 2;
      break;
    }
    case ConvexKind::half_space: {
      constexpr double kEndless = std::numeric_limits<double>::infinity();
      return Box::of(Vec3::Constant(-kEndless), Vec3::Constant(kEndless));
    }
  }
  centre += pose.shift;
  return Box::of(centre - half, centre + half);
}

}  // namespace pliant::contact
