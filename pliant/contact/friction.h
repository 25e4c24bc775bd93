// Coulomb friction with an elastic stick, for forces and directions that are held while a solver iterates.
//
//   D(u) = μ λ f(|u|),   f(y) = y²/ε − y³/(3ε²) for y < ε, else y − ε/3     u = slip, in the tangent plane of the contact
//
// λ is the normal force, ε the stick displacement [m]: below it friction is a spring that softens to a force without a
// kink (f' = 1 − (1 − y/ε)², so that Newton's method does not bounce between sticking and sliding), beyond it a constant
// force μ λ against the slip. The slip of a contact is remembered from step to step and cut back to ε where it slides (return
// mapping), so a body at rest is held by loaded springs and does not creep; without memory (slip counted from the start of
// each step) friction needs a motion in every step [Li2020, sec. 5].
//
// Where a contact slides by much more than ε in a step, the spring needs not be that stiff: ε is then a tenth of the slide,
// which is still far inside the constant force, and Newton's method has a kink less. As a motion dies ε follows it down,
// to the one asked for, or to what the solver's tolerance resolves.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "pliant/math/types.h"

namespace pliant::contact {

struct FrictionContact {
  std::uint64_t key = 0;
  std::array<int, 4> point{-1, -1, -1, -1};
  std::array<double, 4> weight{};  // γ
  std::array<Vec3, 2> tangent{};
  double limit = 0;           // N, μ λ
  double stick = 0;           // m, its own ε: larger where it slides
  Vec2 start = Vec2::Zero();  // m, slip at the start of the step
};

// f'(y)/y, 1/m
[[nodiscard]] inline double friction_slope(double slip, double stick) {
  return slip < stick ? (2 - slip / stick) / stick : 1 / slip;
}
// f(y), m
[[nodiscard]] inline double friction_value(double slip, double stick) {
  return slip < stick ? slip * slip / stick * (1 - slip / (3 * stick)) : slip - stick / 3;
}
// The second derivative of f(|u|) is along â âᵀ + across b̂ b̂ᵀ, with â along the slip and b̂ across it.
struct FrictionStiffness {
  double along = 0, across = 0;  // 1/m
};
[[nodiscard]] inline FrictionStiffness friction_stiffness(double slip, double stick) {
  if (slip >= stick) return {0, 1 / slip};
  return {2 * (1 - slip / stick) / stick, friction_slope(slip, stick)};
}
// The slip that stays loaded after a step.
[[nodiscard]] inline Vec2 return_map(const Vec2& slip, double stick) {
  const double length = slip.norm();
  return length <= stick ? slip : Vec2(slip * (stick / length));
}

}  // namespace pliant::contact
