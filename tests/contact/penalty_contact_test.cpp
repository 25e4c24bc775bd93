// Springs in contact: derivatives, that they only push, friction with memory, both readings of when a term ends, and
// steps that are limited.
#include "pliant/contact/penalty_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/contact/penalty_scenery.h"

namespace pliant::contact {
namespace {

constexpr double kSpringPressure = 50;  // Pa
const ContactOptions kCommon{.distance = 0.03, .stick_displacement = 1e-3};

// Two waved sheets over a table that moves, and a ball that turns.
PenaltyScenery sheets_over_table(double friction) {
  PenaltyScenery s;
  for (int layer = 0; layer < 2; ++layer) {
    std::vector<Vec3> x;
    std::vector<Vec3i> triangles;
    waved_sheet(3, 0.02 + 0.015 * layer, layer, x, triangles);
    s.add(layer == 0 ? "lower" : "upper", x, triangles);
  }
  s.add_obstacle("table", {Vec3(-1, 0, -1), Vec3(-1, 0, 2), Vec3(2, 0, -1), Vec3(2, 0.001, 2)},
                 {Vec3i(0, 1, 2), Vec3i(2, 1, 3)});
  s.add_obstacle("ball", {Vec3(0.35, 0.23, 0.15), Vec3(0.15, 0.43, 0.15), Vec3(0.15, 0.23, 0.35)}, {Vec3i(0, 1, 2)});
  s.finish(friction);
  Shape ball;
  ball.radius = 0.2;
  const int first = s.surface->first_obstacle_point + 4;
  s.surface->shapes.push_back(
      {3, CarriedShape(ball, {Mat3::Identity(), Vec3(0.15, 0.23, 0.15)}, {first, first + 1, first + 2},
                       {s.still[1].rest[0], s.still[1].rest[1], s.still[1].rest[2]})});
  for (std::size_t i = 0; i < s.controls.obstacle_points.size(); ++i)
    s.controls.obstacle_points[i] += i < 4 ? Vec3(0.002, 0.004, 0) : Vec3(0.003, -0.002, 0.001);
  return s;
}

class SpringDerivatives : public ::testing::TestWithParam<double> {};

TEST_P(SpringDerivatives, MatchDifferences) {
  PenaltyScenery s = sheets_over_table(GetParam());
  PenaltyContact contact(s.surface, kCommon, {});
  contact.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
  BlockVector q = s.q;
  for (int b = 0; b < q.size(); ++b) q[b] += 1e-3 * Vec3(std::sin(3.0 * b), 0.3 * std::cos(2.0 * b), std::cos(5.0 * b));
  const PenaltyContact::Change change = contact.find(q, 1);
  EXPECT_GT(change.count, 40);
  EXPECT_EQ(change.created, change.count);
  EXPECT_EQ(contact.find(q, 1).created, 0);
  // Elsewhere than where terms were found, too: they are frozen.
  for (const double away : {0.0, 2e-3}) {
    for (int b = 0; b < q.size(); ++b) q[b] += away * Vec3(std::cos(7.0 * b), std::sin(4.0 * b), std::sin(2.0 * b));
    contact.look(q, 1);
    EXPECT_NEAR(contact.value(), contact.value_at(q, 1), 1e-12 * contact.value());
    BlockVector gradient(q.size());
    contact.add_gradient(gradient);
    double largest = 0;
    for (int b = 0; b < q.size(); ++b) largest = std::max(largest, gradient[b].norm());
    double last_error = 0;
    for (const double step : {1e-5, 1e-6}) {
      double error = 0;
      for (int b = 0; b < q.size(); ++b) {
        for (int axis = 0; axis < 3; ++axis) {
          BlockVector right = q, left = q;
          right[b][axis] += step;
          left[b][axis] -= step;
          const double slope = (contact.value_at(right, 1) - contact.value_at(left, 1)) / (2 * step);
          error = std::max(error, std::abs(slope - gradient[b][axis]));
        }
      }
      EXPECT_LT(error, 1e-3 * largest);
      if (step == 1e-6) {
        EXPECT_LT(error, std::max(0.2 * last_error, 1e-7 * largest));
      }
      last_error = error;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(PenaltyContact, SpringDerivatives, ::testing::Values(0.0, 0.4));

// One triangle above a half-space.
PenaltyScenery triangle_over_floor(double height, double friction = 0) {
  PenaltyScenery s;
  s.add("leaf", {Vec3(0, height, 0), Vec3(0.3, height, 0), Vec3(0, height, 0.3)}, {Vec3i(0, 2, 1)});
  s.add_obstacle("floor", {Vec3(0, 0, 0)}, {});
  s.finish(friction);
  s.surface->planes.push_back({s.surface->first_obstacle_point, Vec3::UnitY()});
  return s;
}

TEST(PenaltyContact, IsASpringThatOnlyPushes) {
  PenaltyScenery s = triangle_over_floor(0.02);
  PenaltyContact contact(s.surface, kCommon, {});
  contact.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
  contact.find(s.q, 1);
  // A P d̂ ½ (1 − gap/d̂)² with A = 0.045 m² in all.
  EXPECT_NEAR(contact.stored_energy(), 0.045 * kSpringPressure * 0.03 / 18, 1e-15);
  EXPECT_EQ(contact.summary().count, 3);
  EXPECT_NEAR(contact.summary().smallest_gap, 0.02, 1e-15);
  BlockVector gradient(s.q.size());
  contact.add_gradient(gradient);
  Vec3 sum = Vec3::Zero();
  for (int b = 0; b < s.q.size(); ++b) sum += gradient[b];
  EXPECT_LT((sum - Vec3(0, -0.045 * kSpringPressure / 3, 0)).norm(), 1e-14);
  Vec3 force = Vec3::Zero();
  for (const ContactForce& f : contact.forces()) force += f.force;
  EXPECT_LT((force + sum).norm(), 1e-14);
  // The same terms further away: nothing is left, and nothing pulls back.
  BlockVector away = s.q;
  for (int b = 0; b < away.size(); ++b) away[b].y() += 0.05;
  EXPECT_EQ(contact.value_at(away, 1), 0);
  // Below the floor they push all the more.
  for (int b = 0; b < away.size(); ++b) away[b].y() = -0.06;
  contact.find(away, 1);
  EXPECT_NEAR(contact.summary().smallest_gap, -0.06, 1e-15);
  EXPECT_NEAR(contact.stored_energy(), 0.045 * kSpringPressure * 0.03 * 4.5, 1e-13);
}

// Both readings of when a term ends: while its gap is open, or already as its pair separates.
TEST(PenaltyContact, EndsTermsByEitherReading) {
  for (const Release release : {Release::when_open, Release::when_separating}) {
    PenaltyScenery s = triangle_over_floor(-0.01);
    PenaltyContact contact(s.surface, kCommon, {.release = release});
    contact.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
    EXPECT_EQ(contact.find(s.q, 1).count, 3);
    BlockVector higher = s.q, lower = s.q;
    for (int b = 0; b < s.q.size(); ++b) {
      higher[b].y() += 0.001;
      lower[b].y() -= 0.001;
    }
    EXPECT_EQ(contact.find(lower, 1).count, 3);
    EXPECT_EQ(contact.find(higher, 1).count, release == Release::when_open ? 3 : 0);
  }
}

TEST(PenaltyContact, FrictionIsMuTimesTheNormalForceAndRemembersItsSlip) {
  PenaltyScenery s = triangle_over_floor(0.015, 0.4);
  PenaltyContact contact(s.surface, kCommon, {});
  contact.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
  BlockVector q = s.q;
  for (int b = 0; b < q.size(); ++b) q[b].x() += 0.5;  // slides far
  contact.find(q, 1);
  Vec3 force = Vec3::Zero();
  for (const ContactForce& f : contact.forces()) force += f.force;
  EXPECT_NEAR(force.x(), -0.4 * force.y(), 1e-12);
  EXPECT_NEAR(force.z(), 0, 1e-12);
  // Stretched to the end of its stick displacement, it holds where it is in the next step.
  const StickMemory memory = contact.memory_at(q);
  ASSERT_EQ(memory.keys.size(), 3u);
  contact.begin_step({q, s.controls, kSpringPressure, memory});
  contact.find(q, 1);
  force.setZero();
  for (const ContactForce& f : contact.forces()) force += f.force;
  EXPECT_NEAR(force.x(), -0.4 * force.y(), 1e-12);
  // Back by less than that it lets go.
  PenaltyContact forgetful(s.surface, {.distance = 0.03, .stick_displacement = 1e-3, .has_memory = false}, {});
  forgetful.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
  forgetful.find(q, 1);
  EXPECT_TRUE(forgetful.memory_at(q).keys.empty());
}

TEST(PenaltyContact, LimitedStepsNeverTouch) {
  PenaltyScenery s = triangle_over_floor(0.02);
  PenaltyContact contact(s.surface, kCommon, {.limit = StepLimit::first_touch});
  EXPECT_TRUE(contact.is_limited());
  contact.begin_step({s.q, s.controls, kSpringPressure, StickMemory{}});
  BlockVector down(s.q.size());
  for (int b = 0; b < down.size(); ++b) down[b] = Vec3(0, -1, 0);
  EXPECT_NEAR(contact.largest_step(s.q, down, 1, 0), 0.8 * 0.02, 1e-12);
  // Its energy has no bound.
  contact.find(s.q, 1);
  BlockVector below = s.q;
  sparse::add_scaled(below, 0.019999, down);
  EXPECT_GT(contact.value_at(below, 1), 10 * contact.value());
  sparse::add_scaled(below, 0.01, down);
  EXPECT_EQ(contact.value_at(below, 1), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace pliant::contact
