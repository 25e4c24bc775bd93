// Solids with a signed distance in closed form, for obstacles that need no mesh: balls, boxes, capsules, tori.
//
//   φ(p) = distance to the surface, negative inside [m],     n = ∇φ = outward normal at the nearest point of the surface
//
// Shapes are centred at the origin with y as their axis, as the generators of meshes make them (mesh/generators.h).
//
//   ball      φ = |p| − r
//   capsule   φ = |p − s| − r,         s the nearest point of the segment (0, ±height/2, 0)
//   torus     φ = |(ρ − R, y)| − r,    ρ = distance from the axis, R to the middle of the tube, r the tube's radius
//   box       φ = |max(q, 0)| + min(max(q), 0),    q = |p| − half size, component by component
//
// φ is exact inside and outside. Where several points of the surface are nearest (the middle of a ball, the axis of a
// torus, the diagonal planes of a box) n is one of their normals.
#pragma once

#include <array>

#include "pliant/math/types.h"

namespace pliant::contact {

enum class ShapeKind : unsigned char { ball, box, capsule, torus };

struct Shape {
  ShapeKind kind = ShapeKind::ball;
  Vec3 half_size = Vec3::Zero();  // m, of boxes
  double radius = 0;              // m, of balls and capsules; of tori, from the axis to the middle of the tube
  double half_height = 0;         // m, of the straight part of capsules
  double tube = 0;                // m, of tori

  // m, of a ball around the origin that holds all of it
  [[nodiscard]] double extent() const;
};

struct SignedHeight {
  double distance = 0;          // φ, m
  Vec3 normal = Vec3::UnitY();  // n, unit
};
[[nodiscard]] SignedHeight height_above(const Shape& shape, const Vec3& p);

// A turn and a shift: world = turn · own + shift.
struct Pose {
  Mat3 turn = Mat3::Identity();
  Vec3 shift = Vec3::Zero();  // m

  [[nodiscard]] Vec3 to_world(const Vec3& own) const { return turn * own + shift; }
  [[nodiscard]] Vec3 to_own(const Vec3& world) const { return turn.transpose() * (world - shift); }
};

// A shape that three points of a rigid mesh carry: where they go, it goes.
class CarriedShape {
 public:
  CarriedShape() = default;
  // rest: where the points are when the shape has this pose; not in one line.
  CarriedShape(const Shape& shape, const Pose& pose, const std::array<int, 3>& points, const std::array<Vec3, 3>& rest);

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const std::array<int, 3>& points() const { return points_; }
  // x: where the three points are [m].
  [[nodiscard]] Pose pose_at(const std::array<Vec3, 3>& x) const;

 private:
  Shape shape_;
  std::array<int, 3> points_{};
  Pose in_frame_;  // of the shape, in the frame that the points span
};

}  // namespace pliant::contact
