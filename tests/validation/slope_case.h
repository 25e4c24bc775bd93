// A block on a slope (scenes/block_on_slope.yaml, 4 kg) against Coulomb's law: it holds below its friction angle atan μ and
// slides above it. For every response to contact.
#pragma once

#include <cmath>
#include <string>

#include "tests/validation/scene_case.h"

namespace pliant::validation {

inline constexpr double kSlopeWeight = 4 * kGravity;  // N

// Gravity turned by an angle about z, as a floor tilted by it sees it.
inline std::string tilted(double angle) {
  return fmt::format("gravity=[{:.17g}, {:.17g}, 0]", kGravity * std::sin(angle), -kGravity * std::cos(angle));
}

// After one second it has settled; from then on it moves by less than `most` [m].
inline void expect_holds(SceneCase& block, double angle, double most) {
  double settled = 0, drift = 0;
  block.run([&] {
    if (block.simulation().state().time < 1) settled = block.value("at.x");
    drift = std::max(drift, std::abs(block.value("at.x") - settled));
  });
  record("drift after one second", drift);
  EXPECT_LT(drift, most);
  EXPECT_NEAR(block.value("push.y"), kSlopeWeight * std::cos(angle), 1e-4 * kSlopeWeight);
  EXPECT_NEAR(block.value("push.x"), -kSlopeWeight * std::sin(angle), 1e-4 * kSlopeWeight);
}

// One second: the acceleration is that of its second half.
inline void expect_slides(SceneCase& block, double angle, double friction) {
  double half = 0;
  block.run([&] {
    if (std::abs(block.simulation().state().time - 0.5) < 1e-9) half = block.value("speed.x");
  });
  const double acceleration = (block.value("speed.x") - half) / 0.5;
  const double theory = kGravity * (std::sin(angle) - friction * std::cos(angle));
  record("acceleration / theory", acceleration / theory);
  EXPECT_NEAR(acceleration, theory, 0.01 * kGravity * std::sin(angle));
}

}  // namespace pliant::validation
