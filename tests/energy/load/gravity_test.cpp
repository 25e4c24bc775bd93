#include "pliant/energy/load/gravity.h"

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

TEST(Gravity, IsWeightTimesHeight) {
  TetModel model = make_bent_box({1, 1, 1});
  const std::vector<double> masses(model.rest.size(), 2.0);
  const Gravity gravity(masses, Vec3(0, 0, -9.81));
  double height = 0;
  for (int v = 0; v < model.now.size(); ++v) height += model.now[v].z();
  EXPECT_NEAR(value_of(gravity, model), 2.0 * 9.81 * height, 1e-12);
  const BlockVector g = gradient_of(gravity, model);
  for (int v = 0; v < g.size(); ++v) EXPECT_LE((g[v] - Vec3(0, 0, 2.0 * 9.81)).norm(), 1e-14);
}

TEST(Gravity, DerivativesConvergeAndTheHessianIsZero) {
  const TetModel model = make_bent_box({2, 1, 1});
  std::vector<double> masses;
  Random random(1);
  for (std::size_t v = 0; v < model.rest.size(); ++v) masses.push_back(random.between(0, 3));
  const Gravity gravity(masses, Vec3(1, -2, 0.5));
  expect_derivatives_converge(gravity, model);
  expect_views_agree(gravity, model);
  EXPECT_EQ(dense(evaluate(gravity, model).hessian).norm(), 0);
}

TEST(Gravity, SameBitsForAnyThreadCount) {
  const TetModel model = make_bent_box({20, 20, 20});  // 9261 vertices: several blocks of the sum
  const Gravity gravity(std::vector<double>(model.rest.size(), 0.1), Vec3(0.1, 0.2, -9.81));
  expect_same_bits_for_any_thread_count(gravity, model);
}

}  // namespace
}  // namespace pliant::checks
