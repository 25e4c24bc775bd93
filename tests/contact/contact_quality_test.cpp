// Measures of contact on forces made by hand: zero where the laws hold, and by how much they are broken.
#include "pliant/contact/contact_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant::contact {
namespace {

// Pressed by 10 N at a gap of a tenth of its distance.
ContactForce pressed(const Vec3& friction, const Vec3& slip) {
  ContactForce f;
  f.normal = Vec3(0, 1, 0);
  f.friction = friction;
  f.force = Vec3(0, 10, 0) + friction;
  f.slip = slip;
  f.gap = 1e-4;
  f.distance = 1e-3;
  f.friction_coefficient = 0.5;
  f.stick_displacement = 1e-6;
  return f;
}

TEST(FischerBurmeister, VanishesExactlyWhereTheLawHolds) {
  EXPECT_EQ(fischer_burmeister(0, 3), 0);
  EXPECT_EQ(fischer_burmeister(2, 0), 0);
  EXPECT_EQ(fischer_burmeister(0, 0), 0);
  EXPECT_NEAR(fischer_burmeister(3, 4), 2, 1e-15);
  EXPECT_EQ(fischer_burmeister(3, 4), fischer_burmeister(4, 3));
  EXPECT_NEAR(fischer_burmeister(-1, 0), -2, 1e-15);
  EXPECT_NEAR(fischer_burmeister(-3, 4), -4, 1e-15);
  EXPECT_LT(fischer_burmeister(-1e-9, 1), 0);
  // To first order the smaller one, without cancellation.
  EXPECT_NEAR(fischer_burmeister(1e-20, 1), 1e-20, 1e-34);
}

TEST(ContactQuality, NothingTouches) {
  const ContactQuality q = contact_quality({});
  EXPECT_EQ(q.cone_violation, 0);
  EXPECT_EQ(q.relative_cone_violation, 0);
  EXPECT_EQ(q.friction_angle, 0);
  EXPECT_EQ(q.complementarity, 0);
}

TEST(ContactQuality, FrictionInsideItsConeAgainstTheSlipIsWithoutFault) {
  const std::vector<ContactForce> contacts = {pressed(Vec3(-3, 0, 4), Vec3(0.3, 0, -0.4)),
                                              pressed(Vec3(2, 0, 0), Vec3(5e-7, 0, 0))};  // the second one sticks
  const ContactQuality q = contact_quality(contacts);
  EXPECT_EQ(q.cone_violation, 0);
  EXPECT_EQ(q.relative_cone_violation, 0);
  EXPECT_NEAR(q.friction_angle, 0, 1e-12);
  EXPECT_NEAR(q.complementarity, 1.1 - std::hypot(0.1, 1), 1e-12);
}

TEST(ContactQuality, SaysHowFarFrictionLeavesItsCone) {
  const std::vector<ContactForce> contacts = {pressed(Vec3(4, 0, 0), Vec3::Zero()),
                                              pressed(Vec3(0, 0, 6), Vec3::Zero())};
  const ContactQuality q = contact_quality(contacts);
  EXPECT_NEAR(q.cone_violation, 1, 1e-14);
  EXPECT_NEAR(q.relative_cone_violation, 1.0 / 6, 1e-14);
  // Friction that nothing presses.
  ContactForce left = pressed(Vec3(2, 0, 0), Vec3(-1, 0, 0));
  left.force = left.friction;
  EXPECT_NEAR(contact_quality({&left, 1}).cone_violation, 2, 1e-14);
  EXPECT_NEAR(contact_quality({&left, 1}).relative_cone_violation, 1, 1e-14);
}

TEST(ContactQuality, SaysWhereFrictionPoints) {
  for (const double degrees : {0.01, 30.0, 90.0, 175.0}) {
    const double angle = degrees * std::acos(-1.0) / 180;
    std::vector<ContactForce> contacts = {
        pressed(Vec3(-5 * std::cos(angle), 0, 5 * std::sin(angle)), Vec3(0.01, 0, 0))};
    EXPECT_NEAR(contact_quality(contacts).friction_angle, degrees, 1e-10);
    contacts[0].slip *= 1e-5;  // sticks
    EXPECT_EQ(contact_quality(contacts).friction_angle, 0);
  }
}

TEST(ContactQuality, DoesNotDependOnUnitsOfForce) {
  std::vector<ContactForce> contacts = {pressed(Vec3(4, 0, 3), Vec3(1, 0, 1)), pressed(Vec3(0, 0, 6), Vec3(0, 0, 1))};
  contacts[1].gap = 3e-4;
  const ContactQuality once = contact_quality(contacts);
  for (ContactForce& f : contacts) {
    f.force *= 1000;
    f.friction *= 1000;
  }
  const ContactQuality more = contact_quality(contacts);
  EXPECT_NEAR(more.cone_violation, 1000 * once.cone_violation, 1e-9);
  EXPECT_NEAR(more.relative_cone_violation, once.relative_cone_violation, 1e-14);
  EXPECT_NEAR(more.friction_angle, once.friction_angle, 1e-10);
  EXPECT_NEAR(more.complementarity, once.complementarity, 1e-14);
}

TEST(ContactQuality, KeepsTheWorstOfSeveralSteps) {
  ContactQuality worst{1, 0.5, 3, 0.2};
  worst.include({2, 0.1, 4, 0.1});
  EXPECT_EQ(worst.cone_violation, 2);
  EXPECT_EQ(worst.relative_cone_violation, 0.5);
  EXPECT_EQ(worst.friction_angle, 4);
  EXPECT_EQ(worst.complementarity, 0.2);
}

}  // namespace
}  // namespace pliant::contact
