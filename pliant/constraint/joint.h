// A joint: what keeps two bodies together and lets them move only as it says.
//
//   kind        takes   what must hold, with x the anchors, u and v the joint's axes as bodies a and b carry them
//   ball          3     x_a = x_b
//   hinge         5     x_a = x_b, u₀ = v₀                          turns about the axis v₀
//   slider        5     u = v, (x_a − x_b) ∥ v₀                     slides along the axis v₀
//   universal     4     x_a = x_b, u₀ ⊥ v₁                          turns about a's axis u₀ and b's second axis v₁
//   fixed         6     x_a = x_b, u = v
//   distance      1     |x_a − x_b| = length; with limits: between them (a rope has an upper one only)
//
// The coordinate of a joint says how body a stands to body b: the angle about v₀ [rad] of a hinge, the travel along v₀ [m]
// of a slider, the angle between u₀ and v₀ [rad] of a ball, the distance [m]. Limits and motors act on it.
//
// A side of a joint is a rigid body, a point of a deformable body (which has no axes: ball, fixed and distance only, and
// fixed is then a ball), or the world, which scripts may move.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "pliant/configuration/mapped_point.h"
#include "pliant/math/types.h"

namespace pliant::constraint {

enum class JointKind { ball, hinge, slider, universal, fixed, distance };
enum class SideKind { world, rigid, point };

struct JointSide {
  SideKind kind = SideKind::world;
  int rigid = -1;                // rigid: into Model::rigids
  int obstacle = -1;             // world: into Model::obstacles, whose script carries it; −1 = never moves
  Vec3 anchor = Vec3::Zero();    // m: rigid, in principal coordinates ξ; world, where it is at t = 0; point: zero
  Mat3 axes = Mat3::Identity();  // columns: the joint's axes, orthonormal, in the same coordinates
  MappedPoint point = {};        // what the anchor is made of: four blocks of a rigid body, none of the world
};

enum class MotorKind { none, speed, position };

struct JointMotor {
  MotorKind kind = MotorKind::none;
  double target = 0;                                       // rad/s or m/s; position: rad or m
  double bound = std::numeric_limits<double>::infinity();  // N·m or N, the most it gives
  double stiffness = 0;                                    // position: N·m/rad or N/m
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  std::array<JointSide, 2> side;                            // a, b
  double length = 0;                                        // m, of a distance without limits
  double lower = -std::numeric_limits<double>::infinity();  // of the coordinate; a ball has an upper one only
  double upper = std::numeric_limits<double>::infinity();
  JointMotor motor;                                                 // hinge, slider
  double breaking_force = std::numeric_limits<double>::infinity();  // N at the anchors; more, and the joint is gone
  double compliance = 0;                                            // m/N, of what holds the anchors; 0 = rigid
  double angular_compliance = 0;                                    // rad/(N·m), of what holds the axes
  double damping = 0;                                               // s, ρ of energy/compliant.h
  // What newton and quasi_newton take for the inverse of a compliance of 0.
  double rigid_stiffness = 0;          // N/m
  double rigid_angular_stiffness = 0;  // N·m/rad

  // A ball has no lower limit.
  [[nodiscard]] bool has_lower() const {
    return lower > -std::numeric_limits<double>::infinity() && kind != JointKind::ball;
  }
  [[nodiscard]] bool has_upper() const { return upper < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool has_limits() const { return has_lower() || has_upper(); }
  [[nodiscard]] double stiffness() const { return compliance > 0 ? 1 / compliance : rigid_stiffness; }
  [[nodiscard]] double angular_stiffness() const {
    return angular_compliance > 0 ? 1 / angular_compliance : rigid_angular_stiffness;
  }
  // Whether a side has axes to be held.
  [[nodiscard]] bool has_axes() const { return side[0].kind != SideKind::point && side[1].kind != SideKind::point; }
};

}  // namespace pliant::constraint
