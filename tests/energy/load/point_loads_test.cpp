#include "pliant/energy/load/point_loads.h"

#include <Eigen/Geometry>

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

using Kind = PointLoads::Kind;

// Uneven weights on every other vertex of a box.
PointLoads::Load every_other(const TetModel& model, Kind kind) {
  PointLoads::Load load{kind, 0, {}};
  Random random(5);
  double total = 0;
  for (int v = 0; v < model.now.size(); v += 2)
    load.blocks.push_back({v, random.between(0.5, 2)}), total += load.blocks.back().weight;
  for (WeightedBlock& b : load.blocks) b.weight /= total;
  return load;
}

Vec3 net_force(const BlockVector& gradient) {
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < gradient.size(); ++v) sum -= gradient[v];
  return sum;
}

Vec3 net_torque(const BlockVector& gradient, const BlockVector& x) {
  Vec3 sum = Vec3::Zero();
  for (int v = 0; v < gradient.size(); ++v) sum -= Vec3(x[v]).cross(Vec3(gradient[v]));
  return sum;
}

TEST(PointLoads, ForceIsSharedByWeight) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(3, -1, 2)};
  const PointLoads::Load load = every_other(model, Kind::along);
  const PointLoads loads({load});
  const BlockVector g = gradient_of(loads, model);
  EXPECT_LE((net_force(g) - Vec3(3, -1, 2)).norm(), 1e-13);
  for (const WeightedBlock& b : load.blocks) EXPECT_LE((g[b.block] + b.weight * Vec3(3, -1, 2)).norm(), 1e-14);
}

// The couple has exactly the wanted moment about any point and no net force, taken at the start of the step.
TEST(PointLoads, TorqueIsExactAndWithoutNetForce) {
  TetModel model = make_bent_box({2, 2, 1});
  model.before = model.now;
  const Vec3 torque(0.4, -1.5, 2.2);
  model.controls.load_values = {torque};
  const BlockVector g = gradient_of(PointLoads({every_other(model, Kind::around)}), model);
  EXPECT_LE(net_force(g).norm(), 1e-13);
  EXPECT_LE((net_torque(g, model.before) - torque).norm(), 1e-12);
}

// A following load has no potential: the forces depend on the start of the step only.
TEST(PointLoads, TorqueDoesNotFollowTheIterate) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(0, 0, 1)};
  const PointLoads loads({every_other(model, Kind::around)});
  const Eigen::VectorXd here = flat(gradient_of(loads, model));
  move(model, Random(2).rotation(), Vec3(1, 1, 1));
  EXPECT_EQ((flat(gradient_of(loads, model)) - here).norm(), 0);
}

TEST(PointLoads, DerivativesConvergeToFiniteDifferences) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.load_values = {Vec3(3, -1, 2), Vec3(0.3, 0.2, -1)};
  PointLoads::Load force = every_other(model, Kind::along), torque = every_other(model, Kind::around);
  torque.value_index = 1;
  const PointLoads loads({force, torque});
  expect_derivatives_converge(loads, model);
  expect_views_agree(loads, model);
  expect_adds(loads, model);
}

// Points on one line take the part of a torque that they can, and stay finite.
TEST(PointLoads, TorqueOnALine) {
  TetModel model = make_bent_box({1, 1, 1});
  for (int v = 0; v < model.now.size(); ++v) model.before[v] = Vec3(v, 0, 0);
  model.controls.load_values = {Vec3(0, 0, 2)};
  PointLoads::Load load{Kind::around, 0, {{0, 0.5}, {1, 0.25}, {2, 0.25}}};
  const BlockVector g = gradient_of(PointLoads({load}), model);
  EXPECT_TRUE(flat(g).allFinite());
  EXPECT_LE((net_torque(g, model.before) - Vec3(0, 0, 2)).norm(), 1e-12);
}

TEST(PointLoads, ZeroValuesDoNothing) {
  TetModel model = make_bent_box({1, 1, 1});
  model.controls.load_values = {Vec3::Zero()};
  const PointLoads loads({every_other(model, Kind::along)});
  EXPECT_EQ(flat(gradient_of(loads, model)).norm(), 0);
  EXPECT_EQ(value_of(loads, model), 0);
}

}  // namespace
}  // namespace pliant::checks
