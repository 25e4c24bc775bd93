// Where two bodies touch, or soon may: a few points that carry the contact, each with a name that lasts.
//
//      a        on_a    point of a's surface [m]
//   ___.___             ↑ normal n, unit, from b to a
//      |  gap           gap = n · (on_a − on_b) [m], negative where the bodies overlap; on_a − on_b = gap n
//   ---'---     on_b    point of b's surface [m]
//      b        feature which parts touch: vertex and face, or two edges. The same under small motions, so that a solver
//                       finds the force of the last step again
#pragma once

#include <array>
#include <cstdint>

#include "pliant/math/types.h"

namespace pliant::contact {

// Without initial values: manifolds are filled thousands of times a step.
struct ContactPoint {
  Vec3 on_a, on_b;  // m, world
  Vec3 normal;      // unit
  double gap;       // m
  std::uint32_t feature;
};

struct Manifold {
  static constexpr int kMostPoints = 8;  // two convex bodies need four; a mesh with several walls may use all
  std::array<ContactPoint, kMostPoints> points;
  int count = 0;

  void add(const ContactPoint& point) {
    if (count < kMostPoints) points[count++] = point;
  }
};

// Two bits say what touches, fifteen name the part of each body. Larger numbers wrap: two points of a manifold might then
// share a name, which costs a worse first guess of their forces.
enum class Touch : std::uint32_t { vertex_of_a = 0, vertex_of_b = 1, edges = 2, other = 3 };
[[nodiscard]] constexpr std::uint32_t feature_id(Touch touch, int part_of_a, int part_of_b) {
  return static_cast<std::uint32_t>(touch) << 30 | (static_cast<std::uint32_t>(part_of_a) & 0x7fffu) << 15 |
         (static_cast<std::uint32_t>(part_of_b) & 0x7fffu);
}
// The name of the same contact with a and b exchanged.
[[nodiscard]] constexpr std::uint32_t exchanged(std::uint32_t feature) {
  std::uint32_t touch = feature >> 30;
  if (touch < 2) touch ^= 1u;
  return touch << 30 | (feature & 0x7fffu) << 15 | (feature >> 15 & 0x7fffu);
}
[[nodiscard]] inline ContactPoint exchanged(const ContactPoint& p) {
  return {p.on_b, p.on_a, -p.normal, p.gap, exchanged(p.feature)};
}

}  // namespace pliant::contact
