// What acts between two bodies at a place, as every contact method reports it.
#pragma once

#include <array>

#include "pliant/math/types.h"

namespace pliant::contact {

struct ContactForce {
  int first_body = 0, second_body = 0;
  Vec3 point = Vec3::Zero();     // m, on the first body
  Vec3 normal = Vec3::Zero();    // unit, from the second to the first
  Vec3 force = Vec3::Zero();     // N, on the first body, friction included
  Vec3 friction = Vec3::Zero();  // N, of it what friction does
  Vec3 slip = Vec3::Zero();      // m, how far the first went along the second in the step
  double gap = 0;                // m
  double distance = 0;           // m, the gap at which force may begin
  double friction_coefficient = 0;
  double stick_displacement = 0;  // m, a shorter slip counts as sticking
  // Points of the surface that bear the force, −1: none, and their shares of it: those of the first body add up to 1, those
  // of the second to −1. A side without points is a rigid body or an obstacle that is met as a whole.
  std::array<int, 4> bearer{-1, -1, -1, -1};
  std::array<double, 4> share{};
};

}  // namespace pliant::contact
