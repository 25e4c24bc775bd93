// Which pairs push, and from which side: gaps are true distances where terms are found, what has crossed is sent back to
// where it came from, and what is inside comes out through the nearest face.
#include "pliant/contact/penalty_terms.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tests/contact/penalty_scenery.h"

namespace pliant::contact {
namespace {

// All terms among all pairs, after points have gone from where they are at rest to x.
std::vector<PenaltyTerm> terms_at(const PenaltyScenery& s, const std::vector<Vec3>& x, double distance) {
  std::vector<unsigned char> is_fixed(s.surface->points.size(), 1);
  for (int i = 0; i < s.surface->first_obstacle_point; ++i) is_fixed[static_cast<std::size_t>(i)] = 0;
  std::vector<Pose> poses;
  for (const ObstacleShape& shape : s.surface->shapes) {
    std::array<Vec3, 3> at;
    for (std::size_t k = 0; k < 3; ++k) at[k] = x[static_cast<std::size_t>(shape.carried.points()[k])];
    poses.push_back(shape.carried.pose_at(at));
  }
  Detection detection(*s.surface);
  detection.find(s.surface->rest_points, x, 3 * distance, is_fixed, true);
  PenaltyTerms finder(*s.surface);
  const TermSetting setting{s.surface->rest_points, is_fixed, poses, poses, distance};
  std::vector<Candidate> kept;
  std::vector<PenaltyTerm> terms, all;
  finder.sort_out(setting, detection.pairs(), x, 0.5 * distance, kept);
  finder.find(setting, kept, x, {}, terms);
  // What is sorted out would not have been a term.
  finder.find(setting, detection.pairs(), x, {}, all);
  EXPECT_EQ(terms.size(), all.size());
  return terms;
}

// A small triangle `above` a large one; the small one's first point is its lowest.
PenaltyScenery point_over_triangle(double height) {
  PenaltyScenery s;
  s.add("large", {Vec3(-1, 0, -1), Vec3(0, 0, 2), Vec3(2, 0, -1)}, {Vec3i(0, 1, 2)});
  s.add("small", {Vec3(0, height, 0), Vec3(0.1, height + 1, 0), Vec3(0, height + 1, 0.1)}, {Vec3i(0, 1, 2)});
  s.finish();
  return s;
}

TEST(PenaltyTerms, AreTheDistanceWhereTheyAreFound) {
  PenaltyScenery s;
  std::vector<Vec3> x;
  std::vector<Vec3i> triangles;
  waved_sheet(4, 0, 0, x, triangles);
  s.add("lower", x, triangles);
  x.clear();
  triangles.clear();
  waved_sheet(4, 0.015, 1, x, triangles);
  s.add("upper", x, triangles);
  s.finish();
  const std::vector<Vec3>& places = s.surface->rest_points;
  const std::vector<PenaltyTerm> terms = terms_at(s, places, 0.02);
  int edges = 0;
  for (const PenaltyTerm& t : terms) {
    edges += t.pair.kind == PairKind::edges ? 1 : 0;
    EXPECT_NEAR(t.gap, closest_of(t.pair.kind, gather(t.point, places)).distance(), 1e-15);
    EXPECT_NEAR(t.gap_at(places), t.gap, 1e-15);
    EXPECT_NEAR(t.normal.norm(), 1, 1e-14);
    EXPECT_LT(t.gap, 2 * t.distance);
    EXPECT_GT(t.area, 0);
  }
  EXPECT_GT(edges, 10);
  EXPECT_GT(static_cast<int>(terms.size()), edges + 10);
  // Ordered by key, each once.
  for (std::size_t i = 1; i < terms.size(); ++i) EXPECT_LT(terms[i - 1].pair.key(), terms[i].pair.key());
  // The slope of a gap is that of the distance.
  const double step = 1e-6;
  for (const PenaltyTerm& t : terms) {
    // The closest points of nearly parallel edges run along them: differences do not see the slope at a point.
    const FourPoints at = gather(t.point, places);
    const Vec3 one = (at[1] - at[0]).normalized(), other = (at[3] - at[2]).normalized();
    if (t.pair.kind == PairKind::edges && one.cross(other).norm() < 0.2) continue;
    for (std::size_t j = 0; j < 4; ++j) {
      for (int axis = 0; axis < 3; ++axis) {
        FourPoints right = at, left = at;
        right[j][axis] += step;
        left[j][axis] -= step;
        const double slope =
            (closest_of(t.pair.kind, right).distance() - closest_of(t.pair.kind, left).distance()) / (2 * step);
        EXPECT_NEAR(slope, t.weight[j] * t.normal[axis], 1e-3);
      }
    }
  }
}

TEST(PenaltyTerms, SendBackWhatHasCrossed) {
  const PenaltyScenery s = point_over_triangle(0.02);
  std::vector<Vec3> x = s.surface->rest_points;
  for (int i = 3; i < 6; ++i) x[static_cast<std::size_t>(i)].y() -= 0.05;
  const std::vector<PenaltyTerm> terms = terms_at(s, x, 0.01);
  const auto crossed = std::find_if(terms.begin(), terms.end(), [](const PenaltyTerm& t) {
    return t.pair.kind == PairKind::point_triangle && t.pair.first == 3;
  });
  ASSERT_NE(crossed, terms.end());
  EXPECT_NEAR(crossed->gap, -0.03, 1e-14);
  EXPECT_LT((crossed->normal - Vec3::UnitY()).norm(), 1e-12);
}

TEST(PenaltyTerms, LeaveAloneWhatWentAround) {
  // Above the plane of the triangle at the start, below it now; but it passed that plane 0.017 m beside the triangle.
  PenaltyScenery s;
  s.add("large", {Vec3(-1, 0, -1), Vec3(0, 0, 2), Vec3(2, 0, -1)}, {Vec3i(0, 1, 2)});
  s.add("small", {Vec3(0, 0.02, -1.2), Vec3(0.1, -1, -1.2), Vec3(0, -1, -1.3)}, {Vec3i(0, 1, 2)});
  s.finish();
  std::vector<Vec3> x = s.surface->rest_points;
  x[3] = Vec3(0, -0.004, -0.98);
  const std::vector<PenaltyTerm> terms = terms_at(s, x, 0.01);
  const auto below = std::find_if(terms.begin(), terms.end(), [](const PenaltyTerm& t) {
    return t.pair.kind == PairKind::point_triangle && t.pair.first == 3;
  });
  ASSERT_NE(below, terms.end());
  EXPECT_NEAR(below->gap, 0.004, 1e-14);
  EXPECT_LT((below->normal + Vec3::UnitY()).norm(), 1e-12);
}

PenaltyScenery point_and_cube(const Vec3& place) {
  PenaltyScenery s;
  s.add("dart", {place, place + Vec3(0.3, 5, 0), place + Vec3(0, 5, 0.3)}, {Vec3i(0, 1, 2)});
  std::vector<Vec3> x;
  std::vector<Vec3i> triangles;
  unit_cube(x, triangles);
  s.add_obstacle("cube", x, triangles);
  s.finish();
  s.surface->is_solid = {0, 1};
  return s;
}

TEST(PenaltyTerms, PushOutThroughTheNearestFaceAlone) {
  // Inside since the beginning, 0.01 below the top and 0.02 from a side.
  const PenaltyScenery s = point_and_cube(Vec3(0.48, 0.49, 0.1));
  const std::vector<PenaltyTerm> terms = terms_at(s, s.surface->rest_points, 0.03);
  int of_point = 0;
  for (const PenaltyTerm& t : terms) {
    EXPECT_NE(t.pair.kind, PairKind::edges);  // the dart's edges end in the point that is inside, or are far
    if (t.pair.kind != PairKind::point_triangle || t.pair.first != 0) continue;
    ++of_point;
    EXPECT_NEAR(t.gap, -0.01, 1e-14);
    EXPECT_LT((t.normal - Vec3::UnitY()).norm(), 1e-12);
  }
  EXPECT_EQ(of_point, 1);
}

TEST(PenaltyTerms, OutsideNothingPullsIn) {
  // Above the top by 0.005: faces that it is "behind" (none is nearer) do not act.
  const PenaltyScenery s = point_and_cube(Vec3(0.49, 0.505, 0.1));
  const std::vector<PenaltyTerm> terms = terms_at(s, s.surface->rest_points, 0.03);
  EXPECT_FALSE(terms.empty());
  for (const PenaltyTerm& t : terms) EXPECT_GT(t.gap, 0);
}

TEST(PenaltyTerms, MeetShapesByTheirSignedDistance) {
  PenaltyScenery s;
  s.add("dart", {Vec3(0, 0.95, 0), Vec3(0.3, 5, 0), Vec3(0, 5, 0.3)}, {Vec3i(0, 1, 2)});
  s.add_obstacle("ball", {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(-1, 0, 0)},
                 {Vec3i(0, 1, 2), Vec3i(0, 3, 1), Vec3i(1, 3, 2), Vec3i(0, 2, 3)});
  s.finish();
  Shape ball;
  ball.radius = 1;
  const int first = s.surface->first_obstacle_point;
  const std::vector<Vec3>& x = s.surface->rest_points;
  s.surface->shapes.push_back({1, CarriedShape(ball, Pose{}, {first, first + 1, first + 2}, {x[3], x[4], x[5]})});
  const std::vector<PenaltyTerm> terms = terms_at(s, x, 0.01);
  // The mesh of the ball takes no part.
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(terms[0].pair.kind, PairKind::point_shape);
  EXPECT_NEAR(terms[0].gap, -0.05, 1e-14);
  EXPECT_LT((terms[0].normal - Vec3::UnitY()).norm(), 1e-14);
  EXPECT_EQ(terms[0].second_body, 1);
}

}  // namespace
}  // namespace pliant::contact
