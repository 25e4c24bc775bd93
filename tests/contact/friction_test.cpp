// Friction's law: forces inside the cone, against the slip; the spring's memory; its stiffness.
#include "pliant/contact/friction.h"

#include <gtest/gtest.h>

namespace pliant::contact {
namespace {

constexpr double kStick = 1e-3;

TEST(Friction, ForceIsTheSlopeAndStaysInTheCone) {
  for (const double slip : {1e-5, 5e-4, 9.9e-4, 1.1e-3, 0.1}) {
    const double h = 1e-4 * slip;
    const double force = friction_slope(slip, kStick) * slip;
    EXPECT_NEAR((friction_value(slip + h, kStick) - friction_value(slip - h, kStick)) / (2 * h), force, 1e-6);
    EXPECT_LE(force, 1 + 1e-12);
  }
  EXPECT_DOUBLE_EQ(friction_slope(5, kStick) * 5, 1);
}

TEST(Friction, StiffnessIsTheSecondDerivative) {
  for (const double slip : {5e-4, 2e-3}) {
    const FrictionStiffness s = friction_stiffness(slip, kStick);
    const double h = 1e-4 * slip;
    const auto force = [](const Vec2& u) { return Vec2(friction_slope(u.norm(), kStick) * u); };
    const Vec2 u(slip, 0);
    EXPECT_NEAR((force(u + Vec2(h, 0)) - force(u - Vec2(h, 0)))[0] / (2 * h), s.along, 1e-3);
    EXPECT_NEAR((force(u + Vec2(0, h)) - force(u - Vec2(0, h)))[1] / (2 * h), s.across, 1e-3);
  }
}

TEST(Friction, TheMajorantTouchesAndIsNowhereBelow) {
  for (const double slip : {0.0, 1e-5, 5e-4, 1e-3, 2e-3, 0.1}) {
    const Vec2 u(slip, 0);
    const FrictionStiffness s = friction_majorant(slip, kStick);
    const Vec2 force = friction_slope(slip, kStick) * u;
    for (double x = -0.2; x <= 0.2; x += 1.7e-4) {
      for (const double y : {0.0, 3e-4, 5e-2}) {
        const Vec2 by = Vec2(x, y) - u;
        const double model =
            friction_value(slip, kStick) + force.dot(by) + 0.5 * (s.along * by[0] * by[0] + s.across * by[1] * by[1]);
        ASSERT_GE(model, friction_value(Vec2(x, y).norm(), kStick) - 1e-15) << slip << ' ' << x;
      }
    }
  }
}

TEST(Friction, WhatSlidesIsCutBackToTheStickDisplacement) {
  EXPECT_EQ(return_map(Vec2(2e-4, 1e-4), kStick), Vec2(2e-4, 1e-4));
  const Vec2 cut = return_map(Vec2(3, 4), kStick);
  EXPECT_NEAR(cut.norm(), kStick, 1e-15);
  EXPECT_NEAR(cut[0] / cut[1], 0.75, 1e-12);
}

}  // namespace
}  // namespace pliant::contact
