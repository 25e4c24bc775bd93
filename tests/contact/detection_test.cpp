// The pairs found: all that come near on the way, none that share a point, that rules forbid or that nothing can move.
#include "pliant/contact/detection.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace pliant::contact {
namespace {

ContactSurface two_soups(int triangles) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(0, 1), small(-0.1, 0.1);
  std::vector<SurfacePart> parts(2);
  for (int b = 0; b < 2; ++b) {
    parts[b].name = b == 0 ? "a" : "b";
    for (int t = 0; t < triangles; ++t) {
      const Vec3 centre(place(random), place(random), place(random));
      for (int c = 0; c < 3; ++c)
        parts[b].rest.emplace_back(centre + Vec3(small(random), small(random), small(random)));
      parts[b].triangles.emplace_back(3 * t, 3 * t + 1, 3 * t + 2);
    }
    for (std::size_t i = 0; i < parts[b].rest.size(); ++i)
      parts[b].points.push_back(MappedPoint::vertex(static_cast<int>(i)));
  }
  return join(parts, {});
}

double closest_on_the_way(const ContactSurface& s, const Candidate& pair, const std::vector<Vec3>& from,
                          const std::vector<Vec3>& to) {
  const std::array<int, 4> p = points_of(s, pair);
  double smallest = 1e9;
  for (int k = 0; k <= 20; ++k) {
    FourPoints x;
    for (std::size_t j = 0; j < 4; ++j) x[j] = from[p[j]] + k / 20.0 * (to[p[j]] - from[p[j]]);
    const ClosestPoints c = pair.kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                                         : closest_point_triangle(x[0], x[1], x[2], x[3]);
    smallest = std::min(smallest, c.distance());
  }
  return smallest;
}

TEST(Detection, FindsAllThatComeNear) {
  const ContactSurface s = two_soups(40);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> small(-0.2, 0.2);
  std::vector<Vec3> to = s.rest_points;
  for (Vec3& x : to) x += Vec3(small(random), small(random), small(random));
  Detection detection(s);
  const std::vector<unsigned char> free(s.points.size(), 0);
  constexpr double kDistance = 0.05;
  detection.find(s.rest_points, to, kDistance, free, true);
  std::set<std::uint64_t> found;
  for (const Candidate& pair : detection.pairs()) EXPECT_TRUE(found.insert(pair.key()).second) << "found twice";
  int near = 0;
  for (int i = 0; i < static_cast<int>(s.points.size()); ++i) {
    for (int t = 0; t < static_cast<int>(s.triangles.size()); ++t) {
      if ((s.triangles[t].array() == i).any()) continue;
      const Candidate pair{PairKind::point_triangle, i, t};
      if (closest_on_the_way(s, pair, s.rest_points, to) > kDistance) continue;
      ++near;
      EXPECT_TRUE(found.contains(pair.key()));
    }
  }
  for (int a = 0; a < static_cast<int>(s.edges.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(s.edges.size()); ++b) {
      const auto &e = s.edges[a], &f = s.edges[b];
      if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) continue;
      const Candidate pair{PairKind::edges, a, b};
      if (closest_on_the_way(s, pair, s.rest_points, to) > kDistance) continue;
      ++near;
      EXPECT_TRUE(found.contains(pair.key()));
    }
  }
  EXPECT_GT(near, 100);
}

TEST(Detection, RespectsRulesAndWhatIsFixed) {
  ContactSurface s = two_soups(40);
  Detection detection(s);
  std::vector<unsigned char> fixed(s.points.size(), 1);
  detection.find(s.rest_points, s.rest_points, 0.1, fixed, true);
  EXPECT_TRUE(detection.pairs().empty());
  fixed.assign(s.points.size(), 0);
  s.rules.change_all([](PairRule& rule) { rule.is_enabled = false; });
  s.rules.change(0, 0, [](PairRule& rule) { rule.is_enabled = true; });  // the first body with itself
  detection.find(s.rest_points, s.rest_points, 0.1, fixed, true);
  EXPECT_FALSE(detection.pairs().empty());
  for (const Candidate& pair : detection.pairs()) {
    for (const int point : points_of(s, pair)) EXPECT_EQ(s.body_of_point[point], 0);
  }
}

// Bodies that may touch neither themselves nor each other are not searched among themselves, and still meet what is fixed.
TEST(Detection, WhatMayOnlyTouchFixedThingsMeetsThem) {
  ContactSurface s = two_soups(60);
  std::vector<unsigned char> fixed(s.points.size(), 0);
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = s.body_of_point[i] == 1 ? 1 : 0;
  const auto find_pairs = [&] {
    Detection detection(s);
    detection.find(s.rest_points, s.rest_points, 0.05, fixed, true);
    std::set<std::uint64_t> mixed;
    std::size_t own = 0;
    for (const Candidate& pair : detection.pairs()) {
      const std::array<int, 4> points = points_of(s, pair);
      if (s.body_of_point[points[0]] != s.body_of_point[points[3]]) {
        mixed.insert(pair.key());
      } else {
        ++own;
      }
    }
    return std::pair(mixed, own);
  };
  const auto [mixed, own] = find_pairs();
  EXPECT_GT(own, 50U);
  EXPECT_GT(mixed.size(), 100U);
  s.rules.change(0, 0, [](PairRule& rule) { rule.is_enabled = false; });  // the first body with itself
  EXPECT_EQ(find_pairs(), std::pair(mixed, std::size_t{0}));
}

TEST(Detection, GivesTheSamePairsInTheSameOrderAfterABreak) {
  const ContactSurface s = two_soups(60);
  const std::vector<unsigned char> free(s.points.size(), 0);
  Detection one(s), other(s);
  std::vector<Vec3> moved = s.rest_points;
  for (Vec3& x : moved) x += Vec3(0.3 * x.y(), 0, 0);
  one.find(s.rest_points, moved, 0.05, free, true);
  one.find(moved, moved, 0.05, free, true);
  other.find(moved, moved, 0.05, free, true);
  ASSERT_EQ(one.pairs().size(), other.pairs().size());
  for (std::size_t i = 0; i < one.pairs().size(); ++i) EXPECT_EQ(one.pairs()[i].key(), other.pairs()[i].key());
}

// Triangles that have left their places at rest in all directions: the tree of rest is of no use, and none of their pairs is
// lost. The next step begins with it again, and finds the same, in the same order, as if there had been no other.
TEST(Detection, FindsWhatHasLeftItsPlaceAtRest) {
  const ContactSurface s = two_soups(400);
  const std::vector<unsigned char> free(s.points.size(), 0);
  std::vector<Vec3> mixed(s.points.size());
  const std::size_t triangles = s.points.size() / 3;
  for (std::size_t t = 0; t < triangles; ++t) {
    const std::size_t other = t * 397 % triangles;
    const Vec3 way = s.rest_points[3 * other] - s.rest_points[3 * t];
    for (std::size_t c = 0; c < 3; ++c) mixed[3 * t + c] = s.rest_points[3 * t + c] + way;
  }
  constexpr double kDistance = 0.02;
  std::vector<Vec3> sheared = s.rest_points;
  for (Vec3& x : sheared) x += Vec3(0.6 * x.y(), 0, 0.3 * x.x());
  Detection detection(s), only_sheared(s), only_mixed(s);
  const auto keys = [&](Detection& by, const std::vector<Vec3>& x) {
    by.find(x, x, kDistance, free, true);
    std::vector<std::uint64_t> found;
    for (const Candidate& pair : by.pairs()) found.push_back(pair.key());
    return found;
  };
  const std::vector<std::uint64_t> first = keys(detection, sheared), after = keys(detection, mixed),
                                   again = keys(detection, sheared);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first, keys(only_sheared, sheared));
  EXPECT_EQ(after, keys(only_mixed, mixed));
  const std::set<std::uint64_t> found(after.begin(), after.end());
  int near = 0;
  for (int i = 0; i < static_cast<int>(s.points.size()); ++i) {
    for (int t = 0; t < static_cast<int>(s.triangles.size()); ++t) {
      if ((s.triangles[t].array() == i).any()) continue;
      const Candidate pair{PairKind::point_triangle, i, t};
      const std::array<int, 4> p = points_of(s, pair);
      if (closest_point_triangle(mixed[p[0]], mixed[p[1]], mixed[p[2]], mixed[p[3]]).distance() > kDistance) continue;
      ++near;
      EXPECT_TRUE(found.contains(pair.key()));
    }
  }
  EXPECT_GT(near, 500);
}

// A point within the box of a triangle that lies across the axes, far from its edge.
TEST(Detection, LeavesOutWhatOnlyBoxesBringTogether) {
  SurfacePart part, grain;
  part.rest = {Vec3(0, 0, 0), Vec3(1, 0, 1), Vec3(0.5, 0.01, 0.5)};
  part.triangles = {Vec3i(0, 1, 2)};
  grain.rest = {Vec3(0.9, 0, 0.1), Vec3(0.5, 0.02, 0.5)};
  grain.segments = {{0, 0}, {1, 1}};
  for (int i = 0; i < 3; ++i) part.points.push_back(MappedPoint::vertex(i));
  for (int i = 3; i < 5; ++i) grain.points.push_back(MappedPoint::vertex(i));
  const ContactSurface s = join({part, grain}, {});
  Detection detection(s);
  detection.find(s.rest_points, s.rest_points, 0.05, std::vector<unsigned char>(5, 0), true);
  const auto count_with = [&](int point) {
    return std::count_if(detection.pairs().begin(), detection.pairs().end(),
                         [&](const Candidate& pair) { return points_of(s, pair)[0] == point; });
  };
  EXPECT_EQ(count_with(3), 0);
  EXPECT_EQ(count_with(4), 1);
}

// Ways within the boxes of the last search need no other: what comes near on them is among its pairs.
TEST(Detection, SearchesOnlyWhenSomethingLeavesItsBox) {
  const ContactSurface s = two_soups(40);
  const std::vector<unsigned char> free(s.points.size(), 0);
  constexpr double kSlack = 0.04, kDistance = 0.05;
  Detection kept(s, kSlack);
  EXPECT_TRUE(kept.find(s.rest_points, s.rest_points, kDistance, free, true));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> small(-0.49 * kSlack, 0.49 * kSlack);
  std::vector<Vec3> from = s.rest_points, to = from;
  for (Vec3& x : from) x += Vec3(small(random), small(random), small(random));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += Vec3(small(random), small(random), small(random));
  EXPECT_FALSE(kept.find(from, to, kDistance, free, false));
  std::set<std::uint64_t> found;
  for (const Candidate& pair : kept.pairs()) found.insert(pair.key());
  Detection fresh(s);
  fresh.find(from, to, kDistance, free, true);
  EXPECT_GT(fresh.pairs().size(), 100U);
  for (const Candidate& pair : fresh.pairs()) EXPECT_TRUE(found.contains(pair.key()));

  to[3].y() += 2 * kSlack;
  EXPECT_TRUE(kept.find(from, to, kDistance, free, false));
  EXPECT_FALSE(kept.find(to, to, kDistance, free, false));
  EXPECT_TRUE(kept.find(to, to, kDistance, free, true)) << "a step begins with a search";
  EXPECT_TRUE(kept.find(to, to, 2 * kDistance, free, false));
  to[5].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(kept.find(from, to, 2 * kDistance, free, false));
}

// Obstacles that move within their boxes and rest again are found where they are.
// Other ways from the same places: those that stay within the first ones, or leave them by less than they reach, cannot touch
// anything else; others are searched.
TEST(Detection, FindsWhatOtherWaysTouch) {
  const ContactSurface s = two_soups(40);
  const std::vector<unsigned char> free(s.points.size(), 0);
  constexpr double kDistance = 0.05;
  std::vector<Vec3> to = s.rest_points, shorter = to, other = to;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += Vec3(0.1, 0, 0);
    shorter[i] += Vec3(0.04, 0.02, 0);
    other[i] += Vec3(0, i < to.size() / 2 ? 0.3 : 0, 0);
  }
  Detection detection(s), afresh(s);
  detection.find(s.rest_points, to, kDistance, free, true);
  const std::size_t count = detection.pairs().size();
  EXPECT_FALSE(detection.find_touching(s.rest_points, shorter));
  EXPECT_EQ(detection.pairs().size(), count);
  EXPECT_TRUE(detection.find_touching(s.rest_points, other));
  afresh.find(s.rest_points, other, kDistance, free, true);
  std::set<std::uint64_t> found, wanted;
  for (const Candidate& pair : detection.pairs()) found.insert(pair.key());
  for (const Candidate& pair : afresh.pairs()) wanted.insert(pair.key());
  EXPECT_EQ(found, wanted);
  EXPECT_NE(wanted.size(), count);
}

TEST(Detection, FollowsWhatIsFixedOutOfItsBox) {
  const ContactSurface s = two_soups(40);
  std::vector<unsigned char> fixed(s.points.size(), 0);
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = s.body_of_point[i] == 1 ? 1 : 0;
  constexpr double kSlack = 0.1, kDistance = 0.02;
  Detection kept(s, kSlack);
  std::vector<Vec3> x = s.rest_points;
  kept.find(x, x, kDistance, fixed, true);
  for (int step = 1; step <= 30; ++step) {
    std::vector<Vec3> next = x;
    for (std::size_t i = 0; i < x.size(); ++i) next[i].x() += fixed[i] != 0 && step % 3 != 0 ? 0.02 : 0;
    kept.find(x, next, kDistance, fixed, false);
    std::set<std::uint64_t> found;
    for (const Candidate& pair : kept.pairs()) found.insert(pair.key());
    Detection fresh(s);
    fresh.find(x, next, kDistance, fixed, true);
    for (const Candidate& pair : fresh.pairs()) EXPECT_TRUE(found.contains(pair.key())) << step;
    x = next;
  }
}

// A pair that reaches further than the scene's contact distance is found from there.
TEST(Detection, FollowsTheReachOfAPair) {
  ContactSurface s = two_soups(40);
  std::vector<Vec3> x = s.rest_points;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i].y() += s.body_of_point[i] == 0 ? 0 : 3;  // bodies are two metres apart
  const std::vector<unsigned char> free(s.points.size(), 0);
  const auto count_between = [&] {
    Detection detection(s);
    detection.find(x, x, 0.01, free, true);
    return std::count_if(detection.pairs().begin(), detection.pairs().end(), [&](const Candidate& pair) {
      const std::array<int, 4> points = points_of(s, pair);
      return s.body_of_point[points[0]] != s.body_of_point[points[3]];
    });
  };
  EXPECT_EQ(count_between(), 0);
  s.rules.change(0, 1, [](PairRule& rule) { rule.distance = 4; });
  EXPECT_GT(count_between(), 100);
  s.rules.change(0, 1, [](PairRule& rule) {
    rule.distance = std::nullopt;
    rule.thickness = 4;
  });
  EXPECT_GT(count_between(), 100);
}

// Faces meet the point of a sphere, lines the edge without length at the same place.
TEST(Detection, ASphereIsAPointForFacesAndAnEdgeForLines) {
  SurfacePart sheet, rod, ball;
  sheet.rest = {Vec3(0, 1.05, 0), Vec3(1, 1.05, 0), Vec3(0, 1.05, 1)};
  sheet.triangles = {Vec3i(0, 1, 2)};
  rod.rest = {Vec3(1.05, 0, -1), Vec3(1.05, 0, 1)};
  rod.segments = {{0, 1}};
  rod.segment_width = 0.01;
  for (int i = 0; i < 3; ++i) sheet.points.push_back(MappedPoint::vertex(i));
  for (int i = 3; i < 5; ++i) rod.points.push_back(MappedPoint::vertex(i));
  ball.rest = {Vec3(0, 0, 0)};
  ball.segments = {{0, 0}};
  ball.thickness = 1;
  ball.is_round = true;
  const ContactSurface s = join({sheet, rod}, {ball});
  Detection detection(s);
  const std::vector<unsigned char> fixed = {0, 0, 0, 0, 0, 1};
  detection.find(s.rest_points, s.rest_points, 0.1, fixed, true);
  int faces = 0, lines = 0;
  for (const Candidate& pair : detection.pairs()) {
    const std::array<int, 4> points = points_of(s, pair);
    if (pair.kind == PairKind::point_triangle && points[0] == 5) ++faces;
    if (pair.kind == PairKind::edges && points[2] == 5) {
      ++lines;
      EXPECT_EQ(s.body_of_point[points[0]], 1);
    }
  }
  EXPECT_EQ(faces, 1);
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace pliant::contact
