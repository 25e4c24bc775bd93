// How well a step keeps the laws of contact and of friction, whichever method found it.
//
//   0 ≤ gap ⊥ f_n ≥ 0       |φ(gap/d̂, f_n/F)|                  φ(a, b) = a + b − √(a² + b²)             [Fischer1992]
//   |f_t| ≤ μ f_n           max(0, |f_t| − μ f_n)
//   f_t against the slip    angle between f_t and −s, of contacts that slide
//
//   f_n, f_t   normal force, friction [N]         F   the largest f_n of the step [N]
//   d̂          distance at which force may begin [m]          s   slip in the step [m]
// φ is zero exactly where the law holds. Gaps and forces are made relative, so that one number serves for every scene. A
// barrier pushes at a gap of its own: 0.38 stands for F at half the contact distance, 0.10 for a tenth of it. What a
// method lets through (a gap below zero) counts up to twice.
#pragma once

#include <span>

#include "pliant/contact/contact_force.h"

namespace pliant::contact {

// The worst of all contacts of a step, or of several steps; all zero without contacts.
struct ContactQuality {
  double cone_violation = 0;           // N
  double relative_cone_violation = 0;  // of the largest |f_t| or μ f_n in the step, at most 1
  double friction_angle = 0;           // degrees
  double complementarity = 0;          // |φ|

  void include(const ContactQuality& other);
};

[[nodiscard]] ContactQuality contact_quality(std::span<const ContactForce> contacts);

// φ(a, b)
[[nodiscard]] double fischer_burmeister(double a, double b);

}  // namespace pliant::contact
