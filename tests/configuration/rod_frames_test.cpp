// Frames of rods: transport without spin, holonomy, reference twist through several turns, rigid motion.
#include "pliant/configuration/rod_frames.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

using std::numbers::pi;

class UnitVectors {
 public:
  Vec3 next() {
    Vec3 v;
    do {
      for (int i = 0; i < 3; ++i) v[i] = std::uniform_real_distribution<double>(-1, 1)(engine_);
    } while (v.norm() > 1 || v.norm() < 0.1);
    return v.normalized();
  }

 private:
  std::mt19937 engine_{7};
};

double turn_about(const Vec3& t, const Vec3& u, const Vec3& v) { return std::atan2(t.dot(u.cross(v)), u.dot(v)); }

// A chain of vertices, blocks x0 θ0 x1 θ1 …
struct Chain {
  RodTopology rods;
  BlockVector positions;

  explicit Chain(const std::vector<Vec3>& points, bool closed = false) {
    const int count = static_cast<int>(points.size()), edge_count = closed ? count : count - 1;
    positions.resize(count + edge_count);
    for (int i = 0; i < count; ++i) positions[2 * i] = points[i];
    for (int i = 0; i < edge_count; ++i) rods.edges.push_back({2 * i, 2 * ((i + 1) % count), 2 * i + 1});
    for (int i = 0; i + (closed ? 0 : 1) < edge_count; ++i) rods.joints.push_back({i, (i + 1) % edge_count});
  }
  [[nodiscard]] BlockVector moved(const Mat3& turn, const Vec3& shift) const {
    BlockVector result = positions;
    for (int i = 0; i < result.size(); i += 2) result[i] = turn * positions[i] + shift;
    return result;
  }
};

TEST(RodFrames, TransportIsARotationAboutTheCommonPerpendicular) {
  UnitVectors random;
  for (int k = 0; k < 200; ++k) {
    const Vec3 from = random.next(), to = random.next(), v = 2.5 * random.next(), w = random.next();
    const auto carried = [&](const Vec3& u) { return parallel_transport(u, from, to); };
    EXPECT_LT((carried(from) - to).norm(), 1e-13);
    const Vec3 axis = from.cross(to);  // no part about the tangents: what is perpendicular to both stays
    EXPECT_LT((carried(axis) - axis).norm(), 1e-13);
    EXPECT_NEAR(carried(v).dot(carried(w)), v.dot(w), 1e-12);
    EXPECT_LT((carried(v).cross(carried(w)) - carried(v.cross(w))).norm(), 1e-12);
    EXPECT_LT((parallel_transport(carried(v), to, from) - v).norm(), 1e-12);
  }
  EXPECT_EQ(parallel_transport(Vec3(1, 2, 3), Vec3::UnitX(), Vec3::UnitX()), Vec3(1, 2, 3));
}

TEST(RodFrames, TransportBetweenOppositeTangentsStaysPerpendicular) {
  const Vec3 d = parallel_transport(Vec3::UnitY(), Vec3::UnitX(), -Vec3::UnitX());
  EXPECT_NEAR(d.norm(), 1, 1e-15);
  EXPECT_EQ(d.x(), 0);
}

TEST(RodFrames, AroundAClosedCurveADirectorTurnsByTheSolidAngle) {
  // An octant of the sphere: π/2, without discretisation error, since its sides are great circles.
  Vec3 d = Vec3::UnitY();
  d = parallel_transport(d, Vec3::UnitX(), Vec3::UnitY());
  d = parallel_transport(d, Vec3::UnitY(), Vec3::UnitZ());
  d = parallel_transport(d, Vec3::UnitZ(), Vec3::UnitX());
  EXPECT_NEAR(turn_about(Vec3::UnitX(), Vec3::UnitY(), d), pi / 2, 1e-15);

  // A circle of latitude, counter-clockwise: 2π (1 − cos α), approached with the square of the step.
  const double alpha = 0.7;
  double error[2];
  for (const int refinement : {0, 1}) {
    const int count = 100 << refinement;
    const auto t = [&](int i) {
      const double phi = 2 * pi * i / count;
      return Vec3(std::sin(alpha) * std::cos(phi), std::sin(alpha) * std::sin(phi), std::cos(alpha));
    };
    const Vec3 start = t(0).cross(Vec3::UnitZ()).normalized();
    Vec3 carried = start;
    for (int i = 0; i < count; ++i) carried = parallel_transport(carried, t(i), t(i + 1));
    error[refinement] = turn_about(t(0), start, carried) - 2 * pi * (1 - std::cos(alpha));
    EXPECT_LT(std::abs(error[refinement]), 1e-2);
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
}

TEST(RodFrames, ReferenceTwistCountsThroughSeveralTurns) {
  // The second edge goes round a cone of half angle 60 degrees about the first: solid angle π each time.
  const auto at = [](double turns) {
    const double phi = 2 * pi * turns, alpha = pi / 3;
    return std::vector<Vec3>{
        Vec3(0, 0, 0), Vec3(0, 0, 1),
        Vec3(std::sin(alpha) * std::cos(phi), std::sin(alpha) * std::sin(phi), 1 + std::cos(alpha))};
  };
  Chain chain(at(0));
  RodFrames frames = frames_along(chain.rods, chain.positions, Vec3::UnitX());
  EXPECT_NEAR(frames.reference_twist[0], 0, 1e-15);
  constexpr int kSteps = 400;
  for (int turn = 1; turn <= 5; ++turn) {
    for (int i = 1; i <= kSteps; ++i) {
      const Chain next(at(turn - 1 + static_cast<double>(i) / kSteps));
      transport(chain.rods, chain.positions, next.positions, frames);
      chain.positions = next.positions;
    }
    EXPECT_NEAR(frames.reference_twist[0], turn * pi, turn * 1e-3);
  }
  // And back.
  for (int i = 1; i <= 5 * kSteps; ++i) {
    const Chain next(at(5 - static_cast<double>(i) / kSteps));
    transport(chain.rods, chain.positions, next.positions, frames);
    chain.positions = next.positions;
  }
  EXPECT_NEAR(frames.reference_twist[0], 0, 1e-10);
}

TEST(RodFrames, ReferenceTwistIsNearWhatIsAskedFor) {
  const Vec3 t = Vec3::UnitZ(), d = Vec3::UnitX(), turned(std::cos(0.5), std::sin(0.5), 0);
  EXPECT_NEAR(reference_twist(t, d, t, turned, 0), 0.5, 1e-15);
  EXPECT_NEAR(reference_twist(t, d, t, turned, 2 * pi), 0.5 + 2 * pi, 1e-14);
  EXPECT_NEAR(reference_twist(t, d, t, turned, -9), 0.5 - 4 * pi, 1e-14);
}

TEST(RodFrames, TransportKeepsDirectorsOrthonormal) {
  UnitVectors random;
  std::vector<Vec3> points{Vec3::Zero()};
  for (int i = 0; i < 20; ++i) points.push_back(points.back() + random.next());
  Chain chain(points);
  RodFrames frames = frames_along(chain.rods, chain.positions, Vec3::UnitZ());
  for (int step = 0; step < 200; ++step) {
    BlockVector next = chain.positions;
    for (int i = 0; i < next.size(); i += 2) next[i] += 0.1 * random.next();
    transport(chain.rods, chain.positions, next, frames);
    chain.positions = next;
  }
  for (std::size_t e = 0; e < chain.rods.edges.size(); ++e) {
    EXPECT_NEAR(frames.directors[e].norm(), 1, 1e-15);
    EXPECT_LT(std::abs(frames.directors[e].dot(tangent(chain.rods.edges[e], chain.positions))), 1e-15);
  }
}

TEST(RodFrames, APlaneRodTurnedInItsPlaneKeepsItsFrames) {
  const Chain chain({Vec3(0, 0, 0), Vec3(1, 0.3, 0), Vec3(1.5, 1.2, 0), Vec3(2.5, 1, 0)});
  const RodFrames start = frames_along(chain.rods, chain.positions, Vec3(0.3, 0.4, 0.8));
  const Mat3 turn = math::rotation_from_axis_angle(Vec3::UnitZ(), 2.2);
  RodFrames frames = start;
  transport(chain.rods, chain.positions, chain.moved(turn, Vec3(4, 5, 6)), frames);
  for (std::size_t e = 0; e < frames.directors.size(); ++e) {
    EXPECT_LT((frames.directors[e] - turn * start.directors[e]).norm(), 1e-14);
  }
  for (const double twist : frames.reference_twist) EXPECT_NEAR(twist, 0, 1e-14);
}

TEST(RodFrames, ARigidTurnChangesReferenceTwistByTheSpinOfTheDirectors) {
  const Chain chain({Vec3(0, 0, 0), Vec3(1, 0.3, 0.2), Vec3(1.5, 1.2, -0.4), Vec3(2.5, 1, 0.5)});
  const RodFrames start = frames_along(chain.rods, chain.positions, Vec3::UnitZ());
  const Mat3 turn = math::rotation_from_vector(Vec3(0.8, -0.5, 1.1));
  const BlockVector moved = chain.moved(turn, Vec3::Zero());
  RodFrames frames = start;
  transport(chain.rods, chain.positions, moved, frames);
  std::vector<double> spin;  // of the carried director against the body
  for (std::size_t e = 0; e < frames.directors.size(); ++e) {
    spin.push_back(turn_about(tangent(chain.rods.edges[e], moved), turn * start.directors[e], frames.directors[e]));
  }
  EXPECT_GT(std::abs(spin[1] - spin[0]), 0.01);
  for (std::size_t j = 0; j < chain.rods.joints.size(); ++j) {
    EXPECT_NEAR(frames.reference_twist[j] - start.reference_twist[j], spin[j + 1] - spin[j], 1e-13);
  }
}

TEST(RodFrames, FramesAlongARodAreUntwistedExceptAroundAClosedOne) {
  const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(1, 0, 0.3), Vec3(1, 1, -0.3), Vec3(0, 1, 0.4)};
  const Chain open(points), closed(points, true);
  for (const double twist : frames_along(open.rods, open.positions, Vec3::UnitZ()).reference_twist) {
    EXPECT_NEAR(twist, 0, 1e-15);
  }
  const RodFrames frames = frames_along(closed.rods, closed.positions, Vec3::UnitZ());
  for (int j = 0; j < 3; ++j) EXPECT_NEAR(frames.reference_twist[j], 0, 1e-15);
  EXPECT_GT(std::abs(frames.reference_twist[3]), 0.01);
  EXPECT_NEAR(frames.directors[0].dot(Vec3::UnitZ().cross(tangent(closed.rods.edges[0], closed.positions))), 0, 1e-15);
}

TEST(RodFrames, AnyUpWillDoAndShortEdgesHaveATangent) {
  const Chain chain({Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(0, 0, 1)});
  const RodFrames frames = frames_along(chain.rods, chain.positions, Vec3::UnitZ());
  EXPECT_NEAR(frames.directors[0].norm(), 1, 1e-15);
  EXPECT_EQ(frames.directors[0].z(), 0);
  EXPECT_EQ(tangent(chain.rods.edges[1], chain.positions), Vec3(Vec3::UnitX()));
}

}  // namespace
}  // namespace pliant
