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

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "pliant/configuration/state.h"
#include "pliant/math/types.h"

namespace pliant::contact {

// Of a contact's slide in a step: its stick displacement, if that is longer than the one asked for.
inline constexpr double kStickOfSlide = 0.1;

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
// A quadratic model that touches f(|u|) at the slip and is nowhere below it: f is concave as a function of |u|². The second
// derivative knows nothing of the kink on the other side of zero slip; many contacts that Newton's method sends across it at
// once leave steps of a hundredth.
[[nodiscard]] inline FrictionStiffness friction_majorant(double slip, double stick) {
  const double stiffness = friction_slope(slip, stick);
  return {stiffness, stiffness};
}
// The slip that stays loaded after a step.
[[nodiscard]] inline Vec2 return_map(const Vec2& slip, double stick) {
  const double length = slip.norm();
  return length <= stick ? slip : Vec2(slip * (stick / length));
}

// --- One contact ---

// Its slip after a motion [m] of the first primitive against the second.
[[nodiscard]] inline Vec2 slip_after(const FrictionContact& contact, const Vec3& motion) {
  return contact.start + Vec2(contact.tangent[0].dot(motion), contact.tangent[1].dot(motion));
}
// D, J
[[nodiscard]] inline double friction_energy(const FrictionContact& contact, const Vec2& slip) {
  return contact.limit * friction_value(slip.norm(), contact.stick);
}
// ∂D/∂motion, N
[[nodiscard]] inline Vec3 friction_gradient(const FrictionContact& contact, const Vec2& slip) {
  const Vec2 along = contact.limit * friction_slope(slip.norm(), contact.stick) * slip;
  return along[0] * contact.tangent[0] + along[1] * contact.tangent[1];
}
// Lets it start with what is remembered of the step before, in the tangents and the stick that it has now.
inline void recall(const StickMemory& memory, FrictionContact& contact) {
  const auto place = std::lower_bound(memory.keys.begin(), memory.keys.end(), contact.key);
  if (place == memory.keys.end() || *place != contact.key) return;
  const Vec3& slip = memory.slips[static_cast<std::size_t>(place - memory.keys.begin())];
  contact.start = return_map(Vec2(contact.tangent[0].dot(slip), contact.tangent[1].dot(slip)), contact.stick);
}
// Contacts are remembered in the order of their keys.
inline void remember(const FrictionContact& contact, const Vec2& slip, StickMemory& memory) {
  const Vec2 loaded = return_map(slip, contact.stick);
  if (loaded.isZero(0)) return;
  memory.keys.push_back(contact.key);
  memory.slips.emplace_back(loaded[0] * contact.tangent[0] + loaded[1] * contact.tangent[1]);
}

}  // namespace pliant::contact
