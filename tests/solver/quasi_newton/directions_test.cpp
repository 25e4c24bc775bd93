// Directions and steps of quasi-Newton against dense matrices: L-BFGS is the BFGS update of A⁻¹, every accepted step
// lowers g enough, steps without a line search do not; and what may change without a new factor.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "tests/solver/quasi_newton/dense_step.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using testing::BlockOptions;
using testing::BlockStep;
using testing::DensePair;
using testing::DenseStep;
using testing::Law;

BlockStep stirred_step(Law law, double size = 0.03) {
  BlockStep step(BlockOptions{.law = law, .cells = {2, 2, 1}});
  step.before = step.block.bent(0.02);
  step.target = step.block.bent(size);
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  return step;
}

// A bar whose ends are turned against each other by `degrees` about its axis.
BlockStep twisted_bar(double degrees) {
  BlockStep step(BlockOptions{.law = Law::neo_hookean, .size = {0.4, 0.1, 0.1}, .cells = {8, 2, 2}, .young = 5e4});
  step.energies.resize(1);
  for (int i = 0; i < step.block.count(); ++i) {
    const Vec3 X = step.block.rest[i];
    const double angle = degrees * 3.14159265358979 / 180 * (X[0] / 0.4);
    const Vec3 x(X[0], std::cos(angle) * X[1] - std::sin(angle) * X[2],
                 std::sin(angle) * X[1] + std::cos(angle) * X[2]);
    step.before[i] = x;
    step.target[i] = x;
  }
  for (const double sign : {-1.0, 1.0}) {
    for (const int i : step.block.end_at(sign)) step.hold(i, step.before[i]);
  }
  // Inside, the vertices go on turning: an element's width in one step.
  for (int i = 0; i < step.block.count(); ++i) {
    if (step.controls.filter.held_directions(i) == 0)
      step.target[i] += 0.05 * Vec3(0, -step.before[i][2], step.before[i][1]) / 0.07;
  }
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  return step;
}

// The iterates x₀, x₁, …, each from a solve of its own.
std::vector<Eigen::VectorXd> iterates(const BlockStep& step, int history, int count) {
  std::vector<Eigen::VectorXd> x;
  for (int k = 0; k <= count; ++k) {
    QuasiNewton solver({.history = history,
                        .iterations = k,
                        .tolerance = 0,
                        .bounded = false,
                        .storage = linear::FactorStorage::float64});
    BlockVector q = step.before;
    static_cast<void>(solver.solve(step.problem(), q));
    x.push_back(testing::flat(q));
  }
  return x;
}

// Every step is a multiple of −H ∇g, H the BFGS update of A⁻¹ with the last pairs. With the newest pair H t = s: the
// secant condition. History 0 leaves A⁻¹.
TEST(QuasiNewtonDirections, AreThoseOfDenseUpdates) {
  constexpr int kSteps = 7;
  for (const int history : {0, 1, 3, 5}) {
    const BlockStep step = stirred_step(Law::neo_hookean);
    DenseStep dense(step);
    const Eigen::MatrixXd inverse = dense.constant_matrix().inverse();
    const std::vector<Eigen::VectorXd> x = iterates(step, history, kSteps);
    EXPECT_LT((x[0] - testing::flat(step.target)).norm(), 1e-15);
    std::vector<DensePair> pairs;
    for (int k = 0; k < kSteps; ++k) {
      const std::vector<DensePair> last(pairs.end() - std::min<std::ptrdiff_t>(history, std::ssize(pairs)),
                                        pairs.end());
      const Eigen::MatrixXd h = testing::updated(inverse, last);
      if (!last.empty()) {
        EXPECT_LT((h * last.back().change - last.back().step).norm(), 1e-9 * last.back().step.norm());
      }
      const Eigen::VectorXd gradient = dense.gradient(x[k]), direction = -h * gradient, taken = x[k + 1] - x[k];
      const double alpha = taken.dot(direction) / direction.squaredNorm();
      EXPECT_LT((taken - alpha * direction).norm(), 1e-8 * taken.norm()) << "history " << history << ", step " << k;
      EXPECT_NEAR(std::log2(alpha), std::round(std::log2(alpha)), 1e-7);
      EXPECT_LE(alpha, 1 + 1e-9);
      // Enough decrease on every accepted step.
      EXPECT_LE(dense.value(x[k + 1]), dense.value(x[k]) + 0.03 * alpha * gradient.dot(direction) * (1 - 1e-9));
      pairs.push_back({taken, dense.gradient(x[k + 1]) - gradient});
    }
  }
}

// A general law, two turns of a slender bar: full steps with A blow up, the search lets g only fall.
TEST(QuasiNewtonDirections, NeedALineSearchOnATwistedBar) {
  const BlockStep step = twisted_bar(720);
  DenseStep dense(step);
  Eigen::MatrixXd a = dense.constant_matrix();
  std::vector<int> held;
  for (const HeldBlock& block : step.controls.held) {
    for (int axis = 0; axis < 3; ++axis) held.push_back(3 * block.block + axis);
  }
  for (const int i : held) {
    a.row(i).setZero();
    a.col(i).setZero();
    a(i, i) = 1;
  }
  const test::DenseCholesky factor(a);
  Eigen::VectorXd x = testing::flat(step.target);
  double g = dense.value(x), worst_rise = 0;
  for (int k = 0; k < 20 && worst_rise < 1; ++k) {
    Eigen::VectorXd gradient = dense.gradient(x);
    for (const int i : held) gradient[i] = 0;
    x -= factor.solve(gradient);
    const double after = dense.value(x);
    worst_rise = std::max(worst_rise, (after - g) / std::abs(g));
    g = after;
  }
  EXPECT_GT(worst_rise, 0.1);

  for (const int history : {0, 5}) {
    const std::vector<Eigen::VectorXd> safe = iterates(step, history, 20);
    for (std::size_t k = 0; k + 1 < safe.size(); ++k) EXPECT_LT(dense.value(safe[k + 1]), dense.value(safe[k])) << k;
  }
}

// --- Attachments ---

// A block on springs at rest: they carry its weight, Σ k u = m g, and hang lower by it.
TEST(QuasiNewtonAttachments, SagByLoadOverStiffness) {
  BlockStep step(BlockOptions{.law = Law::corotated});
  const std::vector<int> end = step.block.end_at(-1);
  const double stiffness = 50;  // N/m each
  std::vector<SoftPin::Spring> springs;
  for (std::size_t k = 0; k < end.size(); ++k) {
    springs.push_back({end[k], static_cast<int>(k), 0, stiffness, Mat3::Identity()});
    step.controls.soft_pin_targets.push_back(step.block.rest[end[k]]);
  }
  step.controls.soft_pin_active = {1};
  step.energies.push_back(std::make_unique<SoftPin>(springs));
  step.inertia_weight = 0;  // quasi-static
  QuasiNewton solver({.history = 5, .iterations = {}, .tolerance = 1e-9, .max_iterations = 20000});
  Vec3 shift = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    BlockVector q = step.before;
    const SolveReport report = solver.solve(step.problem(), q);
    EXPECT_TRUE(is_success(report.status)) << to_string(report.status);
    Vec3 pull = Vec3::Zero();
    for (std::size_t i = 0; i < end.size(); ++i)
      pull += stiffness * (Vec3(q[end[i]]) - step.controls.soft_pin_targets[i]);
    EXPECT_LT((pull - step.block.mass() * Vec3(0, -9.81, 0)).norm(), 1e-6 * step.block.mass() * 9.81) << k;
    // Moving the targets costs no new factor.
    shift = Vec3(0.01, 0.02, -0.01);
    for (Vec3& target : step.controls.soft_pin_targets) target += shift;
    step.before = q;
  }
  EXPECT_EQ(solver.factor_count(), 1);
}

// One vertex alone: its offset is m g/k.
TEST(QuasiNewtonAttachments, OnePointHangsByItsWeightOverStiffness) {
  const double mass = 0.3, stiffness = 40;
  sparse::PatternBuilder builder(1);
  const auto pattern = builder.build();
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::make_unique<SoftPin>(std::vector<SoftPin::Spring>{{0, 0, 0, stiffness, Mat3::Identity()}}));
  energies.push_back(std::make_unique<Gravity>(std::vector<double>{mass}, Vec3(0, -9.81, 0)));
  const Inertia inertia(std::vector<double>{mass});
  BlockVector before(1);
  before[0] = Vec3(1, 2, 3);
  Controls controls;
  controls.filter = BlockFilter(1);
  controls.soft_pin_targets = {Vec3(1, 2, 3)};
  controls.soft_pin_active = {1};
  DofLayout layout;
  layout.add_body("point", 1);
  const StepProblem problem{0.01, 0, 1, 1, before, before, inertia, energies, controls, layout, pattern};
  QuasiNewton solver({.history = 0,
                      .iterations = {},
                      .tolerance = 1e-12,
                      .max_iterations = 100,
                      .storage = linear::FactorStorage::float64});
  BlockVector q = before;
  EXPECT_TRUE(is_success(solver.solve(problem, q).status));
  EXPECT_LT((Vec3(q[0]) - Vec3(1, 2 - mass * 9.81 / stiffness, 3)).norm(), 1e-9);
}

// --- One factor for a whole run ---

TEST(QuasiNewtonFactor, LastsForARunWithMovingPins) {
  BlockStep step(BlockOptions{.law = Law::neo_hookean});
  for (const double sign : {-1.0, 1.0}) {
    for (const int i : step.block.end_at(sign)) step.hold(i, step.block.rest[i]);
  }
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  QuasiNewton solver({.history = 5, .iterations = 10, .tolerance = 1e-6});
  BlockVector velocity(step.block.count());
  for (int k = 1; k <= 60; ++k) {
    const double angle = 0.02 * k;  // of the far end, about the bar's axis
    for (HeldBlock& held : step.controls.held) {
      const Vec3 X = step.block.rest[held.block];
      if (X[0] > 0) {
        held.target = Vec3(X[0] + 0.001 * k, std::cos(angle) * X[1] - std::sin(angle) * X[2],
                           std::sin(angle) * X[1] + std::cos(angle) * X[2]);
      }
    }
    for (int i = 0; i < step.block.count(); ++i) step.target[i] = step.before[i] + step.step * velocity[i];
    BlockVector q = step.before;
    EXPECT_TRUE(is_success(solver.solve(step.problem(), q).status)) << k;
    for (int i = 0; i < q.size(); ++i) velocity[i] = (q[i] - step.before[i]) / step.step;
    step.before = q;
  }
  EXPECT_EQ(solver.factor_count(), 1);
}

}  // namespace
}  // namespace pliant::solver
