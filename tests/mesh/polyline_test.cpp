// Polylines: lengths, handedness, closing, and each refused argument.
#include "pliant/mesh/polyline.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/mesh/error_sentence.h"

namespace pliant {
namespace {

using std::numbers::pi;

double length(const Polyline& line) {
  double sum = 0;
  for (int e = 0; e < line.edge_count(); ++e)
    sum += (line.points[(e + 1) % line.points.size()] - line.points[e]).norm();
  return sum;
}

TEST(Polyline, StrandStartsAtTheOriginWithEqualSegments) {
  const Polyline strand = make_strand({.length = 0.6, .segments = 7, .direction = {0.0, -3.0, 4.0}});
  ASSERT_EQ(strand.points.size(), 8u);
  EXPECT_EQ(strand.edge_count(), 7);
  EXPECT_EQ(strand.points[0], Vec3(0, 0, 0));
  EXPECT_LT((strand.points[7] - Vec3(0, -0.36, 0.48)).norm(), 1e-15);
  for (int e = 0; e < 7; ++e) EXPECT_NEAR((strand.points[e + 1] - strand.points[e]).norm(), 0.6 / 7, 1e-15);
}

TEST(Polyline, HelixLengthConvergesToTheClosedForm) {
  const double exact = 3 * std::hypot(2 * pi * 0.1, 0.05);
  const auto error = [&](int segments) {
    return exact - length(make_helix({.radius = 0.1, .pitch = 0.05, .turns = 3, .segments = segments}));
  };
  EXPECT_GT(error(200), 0);
  EXPECT_NEAR(std::log2(error(200) / error(400)), 2.0, 0.01);
}

TEST(Polyline, HelixIsCentredAndItsHandFollowsThePitch) {
  for (const double pitch : {0.05, -0.05}) {
    const Polyline helix = make_helix({.radius = 0.1, .pitch = pitch, .turns = 2, .segments = 40});
    EXPECT_LT((helix.points[0] - Vec3(0.1, -pitch, 0)).norm(), 1e-15);
    EXPECT_LT((helix.points[40] - Vec3(0.1, pitch, 0)).norm(), 1e-15);
    for (const Vec3& x : helix.points) EXPECT_NEAR(std::hypot(x.x(), x.z()), 0.1, 1e-15);
    // The torsion of a curve has the sign of det(x', x'', x''').
    const Vec3 a = helix.points[11] - helix.points[10], b = helix.points[12] - helix.points[11],
               c = helix.points[13] - helix.points[12];
    EXPECT_GT(a.cross(b).dot(c) * pitch, 0);
  }
}

TEST(Polyline, RingClosesWithoutARepeatedPoint) {
  const Polyline ring = make_helix({.radius = 0.1, .pitch = 0, .turns = 1, .segments = 12, .closed = true});
  EXPECT_EQ(ring.points.size(), 12u);
  EXPECT_EQ(ring.edge_count(), 12);
  EXPECT_NEAR(length(ring), 12 * 0.2 * std::sin(pi / 12), 1e-15);
}

TEST(Polyline, GivenPointsAreKept) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}};
  EXPECT_EQ(make_polyline(points).points, points);
  EXPECT_EQ(make_polyline(points).edge_count(), 2);
  EXPECT_EQ(make_polyline(points, PolylineEnds::closed).edge_count(), 3);
}

TEST(Polyline, RefusedArgumentsAreNamed) {
  EXPECT_EQ(error_sentence([] { return make_strand({.length = 0}, "s.yaml:3"); }),
            "s.yaml:3: strand: length is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_strand({.segments = 0}); }),
            "strand: segments is 0; give a whole number from 1 to 50000000.");
  EXPECT_EQ(error_sentence([] {
              return make_strand({.direction = {0.0, 0.0, 0.0}});
            }),
            "strand: the length of direction is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_helix({.pitch = std::numeric_limits<double>::infinity()}); }),
            "helix: pitch is inf; give a finite number.");
  EXPECT_EQ(error_sentence([] { return make_helix({.turns = 0}); }),
            "helix: turns is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_helix({.segments = 2, .closed = true}); }),
            "helix: segments is 2; give a whole number from 3 to 50000000.");
  EXPECT_EQ(error_sentence([] { return make_helix({.pitch = 0.5, .turns = 2, .closed = true}); }),
            "helix: closed is true with pitch 0.5 and turns 2; a closed helix is a ring: give pitch 0 and turns 1.");
  EXPECT_EQ(error_sentence([] {
              return make_polyline({{0, 0, 0}});
            }),
            "points: 1 given; an open polyline needs at least 2.");
  EXPECT_EQ(error_sentence([] {
              return make_polyline({{0, 0, 0}, {1, 0, 0}}, PolylineEnds::closed);
            }),
            "points: 2 given; a closed polyline needs at least 3.");
  EXPECT_EQ(error_sentence([] {
              return make_polyline({{0, 0, 0}, {std::nan(""), 0, 0}});
            }),
            "points: point 1 is not finite; give three finite coordinates.");
  EXPECT_EQ(error_sentence([] {
              return make_polyline({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}});
            }),
            "points: points 1 and 2 coincide; neighbours must be apart (a closed polyline does not repeat its first "
            "point).");
  EXPECT_EQ(error_sentence([] {
              return make_polyline({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}}, PolylineEnds::closed);
            }),
            "points: points 3 and 0 coincide; neighbours must be apart (a closed polyline does not repeat its first "
            "point).");
}

}  // namespace
}  // namespace pliant
