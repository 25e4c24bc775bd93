#include "pliant/contact/shapes/shape.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "pliant/assert.h"

namespace pliant::contact {
namespace {

// |v| and its direction; `otherwise` where v has none.
SignedHeight along(const Vec3& v, const Vec3& otherwise) {
  const double length = v.norm();
  return {length, length > 0 ? Vec3(v / length) : otherwise};
}

SignedHeight above_torus(const Shape& shape, const Vec3& p) {
  const double from_axis = std::hypot(p.x(), p.z());
  const Vec3 outward = from_axis > 0 ? Vec3(p.x() / from_axis, 0, p.z() / from_axis) : Vec3(1, 0, 0);
  SignedHeight height = along((from_axis - shape.radius) * outward + p.y() * Vec3::UnitY(), Vec3::UnitY());
  height.distance -= shape.tube;
  return height;
}

SignedHeight above_box(const Shape& shape, const Vec3& p) {
  const Vec3 beyond = p.cwiseAbs() - shape.half_size;
  const auto sign = [](double value) { return value < 0 ? -1.0 : 1.0; };
  int axis = 0;
  const double nearest = beyond.maxCoeff(&axis);
  if (nearest <= 0) return {nearest, sign(p[axis]) * Vec3::Unit(axis)};
  const Vec3 outside = beyond.cwiseMax(0);
  const double distance = outside.norm();
  return {distance, Vec3(sign(p.x()) * outside.x(), sign(p.y()) * outside.y(), sign(p.z()) * outside.z()) / distance};
}

// The orthonormal frame that three points span: its origin is the first one.
Pose frame_of(const std::array<Vec3, 3>& x) {
  const Vec3 first = (x[1] - x[0]).normalized(), third = first.cross(x[2] - x[0]).normalized();
  Pose frame;
  frame.turn << first, third.cross(first), third;
  frame.shift = x[0];
  return frame;
}

}  // namespace

double Shape::extent() const {
  switch (kind) {
    case ShapeKind::box:
      return half_size.norm();
    case ShapeKind::capsule:
      return half_height + radius;
    case ShapeKind::torus:
      return radius + tube;
    default:
      return radius;
  }
}

SignedHeight height_above(const Shape& shape, const Vec3& p) {
  switch (shape.kind) {
    case ShapeKind::box:
      return above_box(shape, p);
    case ShapeKind::torus:
      return above_torus(shape, p);
    default: {
      // A ball is a capsule without a straight part.
      const double y = std::clamp(p.y(), -shape.half_height, shape.half_height);
      SignedHeight height = along(p - y * Vec3::UnitY(), Vec3::UnitX());
      height.distance -= shape.radius;
      return height;
    }
  }
}

CarriedShape::CarriedShape(const Shape& shape, const Pose& pose, const std::array<int, 3>& points,
                           const std::array<Vec3, 3>& rest)
    : shape_(shape), points_(points) {
  PLIANT_ASSERT((rest[1] - rest[0]).cross(rest[2] - rest[0]).norm() > 0, "three points that carry are not in one line");
  const Pose frame = frame_of(rest);
  in_frame_.turn = frame.turn.transpose() * pose.turn;
  in_frame_.shift = frame.to_own(pose.shift);
}

Pose CarriedShape::pose_at(const std::array<Vec3, 3>& x) const {
  const Pose frame = frame_of(x);
  return {frame.turn * in_frame_.turn, frame.to_world(in_frame_.shift)};
}

}  // namespace pliant::contact
