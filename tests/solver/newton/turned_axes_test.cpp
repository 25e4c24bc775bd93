// Ways of axes: no strain at their end, the straight way to second order, what does not turn is left alone.
#include "pliant/solver/newton/turned_axes.h"

#include <gtest/gtest.h>

#include "pliant/math/rotation.h"

namespace pliant::solver {
namespace {

struct Axes {
  DofLayout layout;
  BlockVector q{7};
  std::vector<int> first;

  Axes() {
    layout.add_body("point", 2);
    const double extents[3] = {0.7, 0.6, 0.4};
    layout.add_rigid_body("box", extents);
    layout.add_body("other", 1);
    first = first_axes(layout);
    const Mat3 r = math::rotation_from_vector(Vec3(0.4, -0.2, 1.1));
    for (int i = 0; i < 3; ++i) q[3 + i] = 0.05 * r.col(i);
  }
  // ω × a, for all blocks.
  [[nodiscard]] BlockVector turn(const Vec3& omega) const {
    BlockVector way(7);
    for (int i = 0; i < 7; ++i) way[i] = omega.cross(Vec3(q[i])) + (i < 3 ? Vec3(1, 2, 3) : Vec3(0, 0, 0));
    return way;
  }
};

TEST(TurnedAxes, FindsAxes) { EXPECT_EQ(Axes().first, std::vector<int>{3}); }

TEST(TurnedAxes, TurnEndsWithoutStrain) {
  const Axes axes;
  BlockVector way = axes.turn(Vec3(0.5, 0.2, -0.3));
  const BlockVector straight = way;
  turn_axes(axes.first, axes.q, way);
  const Mat3 turn = math::rotation_from_vector(Vec3(0.5, 0.2, -0.3));
  for (int i = 3; i < 6; ++i) EXPECT_LE((axes.q[i] + way[i] - turn * axes.q[i]).norm(), 1e-16);
  for (const int i : {0, 1, 2, 6}) EXPECT_EQ(way[i], straight[i]);
}

TEST(TurnedAxes, AgreesWithTheStraightWayToSecondOrder) {
  const Axes axes;
  double last = 0;
  for (const double size : {0.1, 0.05, 0.025}) {
    BlockVector way(7);
    for (int i = 3; i < 6; ++i) way[i] = size * Vec3(0.03, -0.01 * i, 0.02 * (5 - i));
    BlockVector bent = way;
    turn_axes(axes.first, axes.q, bent);
    double difference = 0;
    for (int i = 3; i < 6; ++i) difference += (way[i] - bent[i]).norm();
    if (last > 0) {
      EXPECT_NEAR(last / difference, 4, 0.4);
    }
    last = difference;
  }
}

TEST(TurnedAxes, SmallTurnsAreLeftAlone) {
  const Axes axes;
  BlockVector way = axes.turn(Vec3(5e-5, 0, 0));
  const BlockVector straight = way;
  turn_axes(axes.first, axes.q, way);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(way[i], straight[i]);
}

}  // namespace
}  // namespace pliant::solver
