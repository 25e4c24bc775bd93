#include "pliant/energy/attachment/grip.h"

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

TEST(Grip, PullsItsBlocksToTheirTargets) {
  TetModel model = make_bent_box({1, 1, 1});
  const Grip grip;
  EXPECT_EQ(value_of(grip, model), 0);
  const Vec3 target(0.3, -0.2, 0.9);
  model.controls.grips = {{3, target, 5}};
  const Vec3 offset = model.now[3] - target;
  const Evaluation result = evaluate(grip, model, HessianKind::projected);
  EXPECT_NEAR(result.value, 2.5 * offset.squaredNorm(), 1e-13);
  EXPECT_LE((result.gradient[3] - 5 * offset).norm(), 1e-13);
  EXPECT_NEAR(dense(result.hessian).norm(), 5 * std::sqrt(3.0), 1e-12);
}

TEST(Grip, DerivativesConvergeToFiniteDifferences) {
  TetModel model = make_bent_box({2, 1, 1});
  model.controls.grips = {{0, Vec3(0.3, -0.2, 0.9), 5}, {4, Vec3(1, 0, 0), 2}};
  const Grip grip;
  expect_derivatives_converge(grip, model);
  expect_views_agree(grip, model);
  expect_adds(grip, model);
  expect_projected_is_semidefinite(grip, model);
}

}  // namespace
}  // namespace pliant::checks
