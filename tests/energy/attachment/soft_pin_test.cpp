#include "pliant/energy/attachment/soft_pin.h"

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

TEST(SoftPin, IsASpringOfZeroLength) {
  TetModel model = make_bent_box({1, 1, 1});
  const Vec3 target(0.3, -0.2, 0.9);
  model.controls.soft_pin_targets = {target};
  model.controls.soft_pin_active = {1};
  const SoftPin pin({{.block = 3, .target_index = 0, .control = 0, .stiffness = 5}});
  const Vec3 offset = model.now[3] - target;
  const Evaluation result = evaluate(pin, model, HessianKind::projected);
  EXPECT_NEAR(result.value, 2.5 * offset.squaredNorm(), 1e-13);
  EXPECT_LE((result.gradient[3] - 5 * offset).norm(), 1e-13);
  EXPECT_LE((result.hessian.block(model.pattern->diagonal_slot(3)) - 5 * Mat3::Identity()).norm(), 1e-13);
  EXPECT_NEAR(dense(result.hessian).norm(), 5 * std::sqrt(3.0), 1e-12);
}

TEST(SoftPin, HoldsOnlyTheGivenDirections) {
  TetModel model = make_bent_box({1, 1, 1});
  model.controls.soft_pin_targets = {Vec3(0.3, -0.2, 0.9)};
  model.controls.soft_pin_active = {1};
  Mat3 vertical = Mat3::Zero();
  vertical(2, 2) = 1;
  const SoftPin pin({{.block = 2, .target_index = 0, .control = 0, .stiffness = 5, .directions = vertical}});
  const double here = value_of(pin, model);
  model.now[2] += Vec3(0.7, -0.4, 0);
  EXPECT_EQ(value_of(pin, model), here);
  const BlockVector g = gradient_of(pin, model);
  EXPECT_EQ(g[2].x(), 0);
  EXPECT_NEAR(g[2].z(), 5 * (model.now[2].z() - 0.9), 1e-13);
}

TEST(SoftPin, DerivativesConvergeToFiniteDifferences) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.soft_pin_targets = {Vec3(0.3, -0.2, 0.9), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  model.controls.soft_pin_active = {1, 1};
  const Vec3 n = Vec3(1, 2, 2) / 3;
  const SoftPin pins({{.block = 0, .target_index = 0, .control = 0, .stiffness = 5},
                      {.block = 4, .target_index = 1, .control = 1, .stiffness = 2, .directions = n * n.transpose()},
                      {.block = 5,
                       .target_index = 2,
                       .control = 1,
                       .stiffness = 3,
                       .directions = Mat3::Identity() - n * n.transpose()}});
  expect_derivatives_converge(pins, model);
  expect_views_agree(pins, model);
  expect_adds(pins, model);
  expect_projected_is_semidefinite(pins, model);
}

TEST(SoftPin, RestsWhenItsControlIsOff) {
  TetModel model = make_bent_box({1, 1, 1});
  model.controls.soft_pin_targets = {Vec3(9, 9, 9)};
  model.controls.soft_pin_active = {0};
  const SoftPin pin({{.block = 3, .target_index = 0, .control = 0, .stiffness = 5}});
  EXPECT_EQ(value_of(pin, model), 0);
  EXPECT_EQ(flat(gradient_of(pin, model)).norm(), 0);
}

}  // namespace
}  // namespace pliant::checks
