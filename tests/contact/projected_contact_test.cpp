// Contact for projection: what would be crossed is found however fast, what stays away is not, and gaps say what is wanted.
#include "pliant/contact/projected_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/contact/penalty_scenery.h"

namespace pliant::contact {
namespace {

constexpr ContactOptions kProjectedCommon{.distance = 0.002};
constexpr double kProjectedStep = 0.01;

// One triangle above a half-space, or above a square of two triangles.
PenaltyScenery leaf_over(double height, bool is_plane) {
  PenaltyScenery s;
  s.add("leaf", {Vec3(0, height, 0), Vec3(0.3, height, 0), Vec3(0, height, 0.3)}, {Vec3i(0, 2, 1)});
  if (is_plane) {
    s.add_obstacle("floor", {Vec3(0, 0, 0)}, {});
  } else {
    s.add_obstacle("floor", {Vec3(-1, 0, -1), Vec3(1.1, 0, -1), Vec3(-1, 0, 1.2), Vec3(1.1, 0, 1.2)},
                   {Vec3i(0, 2, 1), Vec3i(1, 2, 3)});
  }
  s.finish(0.3);
  if (is_plane) s.surface->planes.push_back({s.surface->first_obstacle_point, Vec3::UnitY()});
  return s;
}

struct Fall {
  PenaltyScenery s;
  ProjectedContact contact;
  BlockVector velocity, target;

  Fall(PenaltyScenery scenery, const Vec3& speed, const ProjectedOptions& options = {})
      : s(std::move(scenery)), contact(s.surface, kProjectedCommon, options, {}, {}), velocity(s.q), target(s.q) {
    for (int b = 0; b < s.q.size(); ++b) {
      velocity[b] = speed;
      target[b] = s.q[b] + kProjectedStep * speed;
    }
  }
  const ProjectedPairs& find() { return contact.find({s.q, target, velocity, s.controls, kProjectedStep}); }
  // n·r − offset of a pair at blocks q.
  [[nodiscard]] static double gap(const ProjectedPairs& pairs, const ProjectedPair& pair, const BlockVector& q) {
    Vec3 r = pair.scripted;
    for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
      r += pairs.weight[static_cast<std::size_t>(t)] * q[pairs.block[static_cast<std::size_t>(t)]];
    return pair.normal.dot(r) - pair.offset;
  }
};

// 500 m/s from 1 m above lead 4 m below in a step: every vertex meets the floor from above.
TEST(ProjectedContact, NothingTunnels) {
  for (const bool is_plane : {true, false}) {
    Fall fall(leaf_over(1, is_plane), Vec3(0, -500, 0));
    const ProjectedPairs& pairs = fall.find();
    std::vector<int> met(3, 0);
    for (const ProjectedPair& pair : pairs.pairs) {
      EXPECT_NEAR(pair.normal.y(), 1, 1e-12);
      EXPECT_EQ(pair.first_body, 0);
      EXPECT_EQ(pair.second_body, 1);
      EXPECT_EQ(pair.friction, 0.3);
      EXPECT_NEAR(Fall::gap(pairs, pair, fall.s.q), 1 - 0.001, 1e-12) << is_plane;
      EXPECT_NEAR(Fall::gap(pairs, pair, fall.target), -4 - 0.001, 1e-12) << is_plane;
      EXPECT_EQ(pair.wanted, 0);
      if (pair.term_count == 1) ++met[static_cast<std::size_t>(pairs.block[static_cast<std::size_t>(pair.first_term)])];
    }
    for (const int count : met) EXPECT_GE(count, 1) << is_plane;
    EXPECT_EQ(pairs.group_start.size(), pairs.pairs.size() + 1);
  }
}

// A leaf that inertia leads past the floor's edge, and that something pulls down on the way: what it crosses there is added once.
TEST(ProjectedContact, WhatIsPulledElsewhereIsFoundAgain) {
  for (const bool is_plane : {true, false}) {
    Fall fall(leaf_over(0.1, is_plane), Vec3(90, 0, 0));
    EXPECT_TRUE(fall.find().pairs.empty());
    BlockVector pulled = fall.s.q;
    for (int b = 0; b < pulled.size(); ++b) pulled[b] += Vec3(0.05, -0.05, 0);
    const ProjectedStep step{fall.s.q, fall.target, fall.velocity, fall.s.controls, kProjectedStep};
    EXPECT_TRUE(fall.contact.find_more(step, pulled).empty());  // stays above
    for (int b = 0; b < pulled.size(); ++b) pulled[b] += Vec3(0, -0.2, 0);
    EXPECT_FALSE(fall.contact.find_more(step, pulled).empty());
    const ProjectedPairs& pairs = fall.contact.pairs();
    std::vector<int> met(3, 0);
    for (const ProjectedPair& pair : pairs.pairs) {
      EXPECT_NEAR(pair.normal.y(), 1, 1e-12);
      EXPECT_NEAR(Fall::gap(pairs, pair, fall.s.q), 0.1 - 0.001, 1e-12);
      if (pair.term_count == 1) ++met[static_cast<std::size_t>(pairs.block[static_cast<std::size_t>(pair.first_term)])];
    }
    for (const int count : met) EXPECT_GE(count, 1) << is_plane;
    // Crossed all the same: the same contacts anew, with the directions of that way; and again.
    const std::size_t count = pairs.pairs.size();
    for (std::size_t times = 1; times < 3; ++times) {
      const std::span<const MetPair> again = fall.contact.find_more(step, pulled);
      EXPECT_EQ(again.size(), count);
      EXPECT_EQ(pairs.pairs.size(), (times + 1) * count);
      EXPECT_EQ(pairs.group_start.back(), static_cast<int>(pairs.pairs.size()));
      for (const MetPair& now : again) {
        EXPECT_GE(now.pair, static_cast<int>(times * count));
        ASSERT_GE(now.replaces, static_cast<int>((times - 1) * count));
        ASSERT_LT(now.replaces, static_cast<int>(times * count));
        EXPECT_EQ(pairs.pairs[now.pair].key, pairs.pairs[now.replaces].key);
      }
    }
    // Held back above the floor there is nothing more to do.
    for (int b = 0; b < pulled.size(); ++b) pulled[b] += Vec3(0, 0.2, 0);
    EXPECT_TRUE(fall.contact.find_more(step, pulled).empty());
  }
}

// What a budget left below the floor stays above it, on its way, and holds those back whose edges would cross with it.
TEST(ProjectedContact, SoftPointsDoNotEndBeyondASurface) {
  Fall fall(leaf_over(0.1, false), Vec3(0, -20, 0));
  const ProjectedStep step{fall.s.q, fall.target, fall.velocity, fall.s.controls, kProjectedStep};
  (void)fall.find();
  BlockVector q = fall.s.q;
  q[0] += Vec3(0.1, -0.15, 0);   // through the floor
  q[1] += Vec3(0.05, -0.02, 0);  // above it
  q[2] += Vec3(0, -0.05, 0);
  const BlockVector led = q;
  EXPECT_TRUE(fall.contact.keep_apart(step, q));
  EXPECT_GT(q[0].y(), 0);
  EXPECT_LT(q[0].y(), 0.05);  // most of the way down
  const Vec3 way = q[0] - Vec3(fall.s.q[0]);
  EXPECT_LT(way.cross(Vec3(0.1, -0.15, 0)).norm(), 1e-15);
  for (int b = 1; b < 3; ++b) {
    EXPECT_GE(q[b].y(), led[b].y()) << b;
    EXPECT_LE(q[b].y(), fall.s.q[b].y()) << b;
  }
  EXPECT_FALSE(fall.contact.keep_apart(step, q));  // nothing is left to do
  // What ends above the floor goes where it is led.
  q = fall.s.q;
  for (int b = 0; b < 3; ++b) q[b] += Vec3(0.1, -0.09, 0);
  const BlockVector free = q;
  EXPECT_FALSE(fall.contact.keep_apart(step, q));
  for (int b = 0; b < 3; ++b) EXPECT_EQ(Vec3(q[b]), Vec3(free[b]));
}

TEST(ProjectedContact, WhatStaysAwayIsNotListed) {
  for (const bool is_plane : {true, false}) {
    EXPECT_TRUE(Fall(leaf_over(1, is_plane), Vec3(0, -50, 0)).find().pairs.empty());   // ends half a metre above
    EXPECT_TRUE(Fall(leaf_over(0.1, is_plane), Vec3(90, 0, 0)).find().pairs.empty());  // past it
    EXPECT_TRUE(Fall(leaf_over(0.01, is_plane), Vec3(0, 500, 0)).find().pairs.empty());
    EXPECT_FALSE(Fall(leaf_over(0.002, is_plane), Vec3(0, 0, 0)).find().pairs.empty());  // near: others may push it
  }
}

// Keys are the same in the next step and of one pair each.
TEST(ProjectedContact, KeysLast) {
  Fall fall(leaf_over(0.002, true), Vec3(0, -1, 0));
  std::vector<std::uint64_t> first, second;
  for (const ProjectedPair& pair : fall.find().pairs) first.push_back(pair.key);
  for (const ProjectedPair& pair : fall.find().pairs) second.push_back(pair.key);
  EXPECT_EQ(first.size(), 3U);
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[1]);
}

// 1 mm is kept; what starts 0.6 mm inside of that takes a fifth back in a step, of what is more than slop.
TEST(ProjectedContact, OverlapIsTakenBackByParts) {
  Fall fall(leaf_over(0.0004, true), Vec3(0, 0, 0));
  const ProjectedPairs& pairs = fall.find();
  ASSERT_EQ(pairs.pairs.size(), 3U);
  for (const ProjectedPair& pair : pairs.pairs) {
    EXPECT_LT(pair.slop, 0.0005);
    EXPECT_NEAR(pair.wanted, -0.0006 + 0.2 * (0.0006 - pair.slop), 1e-15);
  }
  // What is where it should be but for little stays there.
  Fall resting(leaf_over(0.001 - 1e-6, true), Vec3(0, 0, 0));
  for (const ProjectedPair& pair : resting.find().pairs) EXPECT_NEAR(pair.wanted, -1e-6, 1e-15);
}

// At 2 m/s and e = 0.5 a step that would end inside ends with the gap that 1 m/s upwards leads to.
TEST(ProjectedContact, Restitution) {
  const ProjectedOptions bouncy{.restitution = 0.5, .slowest = 0.2};
  Fall fall(leaf_over(0.004, true), Vec3(0, -2, 0), bouncy);
  const ProjectedPairs& pairs = fall.find();
  ASSERT_EQ(pairs.pairs.size(), 3U);
  for (const ProjectedPair& pair : pairs.pairs) EXPECT_NEAR(pair.wanted, 0.003 + 0.5 * 2 * kProjectedStep, 1e-15);
  // Too slow to rebound; and not yet there.
  Fall slow(leaf_over(0.001, true), Vec3(0, -0.1, 0), bouncy), far(leaf_over(0.0215, true), Vec3(0, -2, 0), bouncy);
  for (const ProjectedPair& pair : slow.find().pairs) EXPECT_NEAR(pair.wanted, 0, 1e-15);
  for (const ProjectedPair& pair : far.find().pairs) EXPECT_EQ(pair.wanted, 0);
  EXPECT_FALSE(far.find().pairs.empty());
}

// Loads draw the leaf down with 20 m/s²: the energy per mass at the end is e² of that at the touch, u²/2 + a (gap + h u) =
// e² (v²/2 + a gap), and not that of u = e v. A load that draws it away does not make it faster than e v.
TEST(ProjectedContact, RestitutionCountsWhatLoadsDo) {
  const double h = kProjectedStep, gap = 0.003, v = 2;
  for (const double e : {0.5, 0.9, 1.0}) {
    Fall fall(leaf_over(0.004, true), Vec3(0, -v, 0), {.restitution = e, .slowest = 0.2});
    for (const double pull : {20.0, -20.0}) {
      for (int b = 0; b < fall.s.q.size(); ++b) fall.target[b] = fall.s.q[b] - Vec3(0, h * v + h * h * pull, 0);
      const ProjectedPairs& pairs = fall.find();
      ASSERT_EQ(pairs.pairs.size(), 3U);
      for (const ProjectedPair& pair : pairs.pairs) {
        const double u = (pair.wanted - gap) / h;
        if (pull > 0) {
          EXPECT_NEAR(0.5 * u * u + pull * (gap + h * u), e * e * (0.5 * v * v + pull * gap), 1e-12) << e;
          EXPECT_LT(u, e * v - 0.01);
        } else {
          EXPECT_NEAR(u, e * v, 1e-12) << e;
        }
      }
    }
  }
  // What has too little to come back to where the step began ends at the surface.
  Fall weak(leaf_over(0.004, true), Vec3(0, -v, 0), {.restitution = 0.1, .slowest = 0.2});
  for (int b = 0; b < weak.s.q.size(); ++b) weak.target[b] = weak.s.q[b] - Vec3(0, h * v + h * h * 20, 0);
  for (const ProjectedPair& pair : weak.find().pairs) EXPECT_NEAR(pair.wanted, 0, 1e-15);
}

// A floor that rises at 3 m/s carries what lies on it: gaps count from where it will be, slips from where it was.
TEST(ProjectedContact, ScriptsCarryTheirPart) {
  Fall fall(leaf_over(0.002, true), Vec3(0, 0, 0));
  for (Vec3& x : fall.s.controls.obstacle_points) x += Vec3(0.01, 0.03, 0);
  const ProjectedPairs& pairs = fall.find();
  ASSERT_EQ(pairs.pairs.size(), 3U);
  for (const ProjectedPair& pair : pairs.pairs) {
    EXPECT_NEAR(Fall::gap(pairs, pair, fall.s.q), 0.001 - 0.03, 1e-14);
    EXPECT_NEAR(pair.before.y(), 0.002, 1e-15);
    EXPECT_NEAR(pair.scripted.x(), -0.01, 1e-15);
  }
}

// Points of a rigid body are told apart from other points that four blocks carry.
TEST(ProjectedContact, KnowsRigidBodies) {
  const RigidFrame frame = rigid_frame(0, 2, Vec3(0.02, 0.03, 0.04));
  std::vector<SurfacePart> moving(1);
  moving[0].name = "body";
  const std::vector<Vec3> corners{Vec3(0, -0.1, 0), Vec3(0.3, -0.1, 0), Vec3(0, -0.1, 0.3)};
  for (const Vec3& xi : corners) {
    moving[0].points.push_back(frame.point(xi));
    moving[0].rest.push_back(xi);
  }
  moving[0].triangles = {Vec3i(0, 2, 1)};
  SurfacePart floor;
  floor.name = "floor";
  floor.rest = {Vec3(0, 0, 0)};
  auto surface = std::make_shared<ContactSurface>(join(moving, {floor}));
  surface->planes.push_back({surface->first_obstacle_point, Vec3::UnitY()});
  Controls controls;
  controls.obstacle_before = controls.obstacle_points = floor.rest;
  controls.filter = BlockFilter(4);
  BlockVector before(4), target(4), velocity(4);
  sparse::set_zero(velocity);
  before[0] = Vec3(0, 0.15, 0);
  set_rotation(frame, Mat3::Identity(), before);
  target = before;
  target[0][1] -= 0.1;
  velocity[0] = Vec3(0, -10, 0);
  ProjectedContact contact(surface, kProjectedCommon, {}, {frame}, {});
  const ProjectedPairs& pairs = contact.find({before, target, velocity, controls, kProjectedStep});
  ASSERT_EQ(pairs.pairs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(pairs.pairs[i].rigid, (std::array{0, -1}));
    EXPECT_EQ(pairs.pairs[i].term_count, 0);
    EXPECT_LT((pairs.pairs[i].local[0] - corners[i]).norm(), 1e-15);
    EXPECT_LT((pairs.pairs[i].before - (Vec3(before[0]) + corners[i])).norm(), 1e-15);
  }
}

TEST(ProjectedContact, RemembersOutcomes) {
  Fall fall(leaf_over(0.002, true), Vec3(0, -1, 0));
  ASSERT_EQ(fall.find().pairs.size(), 3U);
  std::vector<ProjectedOutcome> outcomes(3);
  outcomes[1] = {Vec3(1, 5, 0), Vec3(1, 0, 0), Vec3(0.1, 0, 0), 0.0003};
  fall.contact.finish(outcomes, {{4}, {Vec3(1, 5, 0)}});
  ASSERT_EQ(fall.contact.forces().size(), 1U);
  EXPECT_EQ(fall.contact.forces()[0].force, Vec3(1, 5, 0));
  EXPECT_EQ(fall.contact.summary().count, 1);
  EXPECT_EQ(fall.contact.summary().smallest_gap, 0.0003);
  EXPECT_NEAR(fall.contact.summary().largest_force, std::sqrt(26.0), 1e-15);
  EXPECT_EQ(fall.contact.force_memory().keys, std::vector<std::uint64_t>{4});
}

}  // namespace
}  // namespace pliant::contact
