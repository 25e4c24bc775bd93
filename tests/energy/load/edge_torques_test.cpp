// Torques on edges of rods: the part along the tangent acts on the twist, the rest is a couple of forces, and together
// they are exactly the torque that was asked for.
#include "pliant/energy/load/edge_torques.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace pliant {
namespace {

// Three edges x0 θ0 x1 θ1 x2 θ2 x3, none along an axis.
struct CrookedRod {
  std::vector<RodEdge> edges = {{0, 2, 1}, {2, 4, 3}, {4, 6, 5}};
  BlockVector before{7}, now{7};
  Controls controls;

  CrookedRod() {
    before[0] = Vec3(0.1, 0, 0.2);
    before[2] = Vec3(0.4, 0.1, 0.3);
    before[4] = Vec3(0.5, 0.5, 0.1);
    before[6] = Vec3(0.9, 0.3, -0.4);
    for (int i = 0; i < 7; ++i) now[i] = before[i] + 0.1 * Vec3(std::sin(i), std::cos(2 * i), std::sin(3 * i + 1));
    for (int i = 1; i < 7; i += 2) now[i] = Vec3(0.3 * i, 0, 0);
  }
  [[nodiscard]] double value(const EdgeTorques& energy) const {
    double value = 0;
    Accumulator out;
    out.value = &value;
    energy.evaluate({now, before, 0.01, controls}, out);
    return value;
  }
  [[nodiscard]] BlockVector gradient(const EdgeTorques& energy) const {
    BlockVector gradient(7);
    Accumulator out;
    out.gradient = &gradient;
    energy.evaluate({now, before, 0.01, controls}, out);
    return gradient;
  }
  [[nodiscard]] Vec3 moment_on_points(const BlockVector& gradient) const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < 7; i += 2) sum -= Vec3(before[i]).cross(Vec3(gradient[i]));
    return sum;
  }
};

TEST(EdgeTorques, AlongTheTangentIsAllTwist) {
  CrookedRod rod;
  const Vec3 along = tangent(rod.edges[1], rod.before);
  rod.controls.load_values = {3 * along};
  const BlockVector g = rod.gradient(EdgeTorques({{0, {rod.edges[1]}}}));
  EXPECT_NEAR(g[3][0], -3, 1e-15);
  EXPECT_EQ(g[3][1], 0);
  for (const int i : {0, 1, 2, 4, 5, 6}) EXPECT_LT(g[i].norm(), 1e-14) << i;
}

TEST(EdgeTorques, AcrossTheTangentIsACouple) {
  CrookedRod rod;
  const Vec3 torque = 2 * tangent(rod.edges[1], rod.before).unitOrthogonal();
  rod.controls.load_values = {torque};
  const BlockVector g = rod.gradient(EdgeTorques({{0, {rod.edges[1]}}}));
  EXPECT_NEAR(g[3][0], 0, 1e-15);
  EXPECT_LT((g[2] + g[4]).norm(), 1e-15);
  const double length = (rod.before[4] - rod.before[2]).norm();
  EXPECT_NEAR(g[4].norm(), 2 / length, 1e-14);
  EXPECT_LT((rod.moment_on_points(g) - torque).norm(), 1e-14);
}

// Moments of the forces and twists along their tangents add up to the load; there is no net force.
TEST(EdgeTorques, TheWholeIsTheTorqueAskedFor) {
  CrookedRod rod;
  const Vec3 torque(0.7, -2, 1.1);
  rod.controls.load_values = {Vec3(9, 9, 9), torque};
  const BlockVector g = rod.gradient(EdgeTorques({{1, rod.edges}}));
  Vec3 moment = rod.moment_on_points(g), force = Vec3::Zero();
  for (const RodEdge& edge : rod.edges) {
    // Each edge has a third.
    EXPECT_NEAR(-g[edge.twist][0], torque.dot(tangent(edge, rod.before)) / 3, 1e-15);
    moment -= g[edge.twist][0] * tangent(edge, rod.before);
  }
  for (int i = 0; i < 7; i += 2) force += Vec3(g[i]);
  EXPECT_LT((moment - torque).norm(), 1e-14);
  EXPECT_LT(force.norm(), 1e-14);
}

// The load is linear in the unknowns: differences of any size give the gradient, and it does not depend on `now`.
TEST(EdgeTorques, TheGradientIsTheDerivativeOfTheValue) {
  CrookedRod rod;
  rod.controls.load_values = {Vec3(0.7, -2, 1.1), Vec3(-0.1, 0.2, 0.5)};
  const EdgeTorques energy({{0, rod.edges}, {1, {rod.edges[2]}}});
  const BlockVector g = rod.gradient(energy);
  for (int i = 0; i < 7; ++i) {
    for (int axis = 0; axis < (i % 2 == 1 ? 1 : 3); ++axis) {
      CrookedRod up = rod, down = rod;
      up.now[i][axis] += 0.5;
      down.now[i][axis] -= 0.5;
      EXPECT_NEAR(up.value(energy) - down.value(energy), g[i][axis], 1e-13);
      EXPECT_EQ(up.gradient(energy)[i], g[i]);
    }
  }
}

// It follows the rod from step to step: directions are those of the start of the step.
TEST(EdgeTorques, DirectionsAreThoseOfTheStart) {
  CrookedRod rod;
  rod.controls.load_values = {Vec3(0.7, -2, 1.1)};
  const EdgeTorques energy({{0, {rod.edges[0]}}});
  rod.before = rod.now;
  EXPECT_NEAR(-rod.gradient(energy)[1][0], Vec3(0.7, -2, 1.1).dot(tangent(rod.edges[0], rod.now)), 1e-15);
}

TEST(EdgeTorques, AnEdgeWithoutLengthStaysFinite) {
  CrookedRod rod;
  rod.before[2] = rod.before[0];
  rod.controls.load_values = {Vec3(0.7, -2, 1.1)};
  const BlockVector g = rod.gradient(EdgeTorques({{0, {rod.edges[0]}}}));
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(g[i].allFinite());
  EXPECT_EQ(g[0].norm(), 0);
}

}  // namespace
}  // namespace pliant
