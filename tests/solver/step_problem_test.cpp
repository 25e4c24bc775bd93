// The objective g of a step: gradient and Hessian against finite differences for the weights of every integrator, and
// the search for what is not finite.
#include "pliant/solver/step_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/solver/soft_block.h"

namespace pliant::solver {
namespace {

using pliant::testing::BlockOptions;
using pliant::testing::BlockStep;

struct Weights {
  const char* name;
  double inertia;  // times 1/h²
  double theta;
};
constexpr Weights kIntegrators[] = {{"backward_euler", 1, 1},
                                    {"bdf2", 2.25, 1},
                                    {"implicit_midpoint", 1, 0.5},
                                    {"newmark", 4, 1},
                                    {"quasi_static", 0, 1}};

BlockStep step_with(const Weights& weights, bool is_consistent) {
  BlockStep step(BlockOptions{.is_consistent = is_consistent});
  step.step = 0.02;
  step.inertia_weight = weights.inertia / (step.step * step.step);
  step.theta = weights.theta;
  step.add_damping(30, 20);
  step.before = step.block.bent(0.01);
  for (int i = 0; i < step.block.count(); ++i)
    step.target[i] = step.before[i] + Vec3(0.01 * std::sin(i), -0.02, 0.01 * std::cos(i));
  return step;
}

BlockVector direction_of(int count) {
  BlockVector d(count);
  for (int i = 0; i < count; ++i) d[i] = Vec3(std::sin(5 * i + 1), std::cos(3 * i), std::sin(7 * i));
  return d;
}

// Errors of central differences of the value and of the gradient along d with step h.
struct Errors {
  double gradient, hessian;
};
Errors errors_at(Objective& objective, sparse::SymmetricBlockMatrix& hessian, const BlockVector& q,
                 const BlockVector& d, double h) {
  BlockVector gradient(q.size()), plus(q.size()), minus(q.size()), side(q.size()), product(q.size());
  objective.evaluate(q, gradient, &hessian, HessianKind::exact);
  sparse::combine(side, 1, q, h, d);
  const double above = objective.evaluate(side, plus, nullptr, HessianKind::exact).total;
  sparse::combine(side, 1, q, -h, d);
  const double below = objective.evaluate(side, minus, nullptr, HessianKind::exact).total;
  hessian.multiply(d, product);
  sparse::combine(side, 0.5 / h, plus, -0.5 / h, minus);
  const double slope = sparse::dot(gradient, d);
  return {std::abs((above - below) / (2 * h) - slope) / std::abs(slope),
          pliant::testing::distance(side, product) / std::sqrt(sparse::dot(product, product))};
}

TEST(StepProblem, DerivativesMatchDifferencesForEveryIntegrator) {
  for (const Weights& weights : kIntegrators) {
    for (const bool is_consistent : {false, true}) {
      const BlockStep step = step_with(weights, is_consistent);
      const StepProblem problem = step.problem();
      Objective objective(problem);
      sparse::SymmetricBlockMatrix hessian(step.block.pattern);
      const BlockVector q = step.block.bent(0.02), d = direction_of(q.size());
      const Errors coarse = errors_at(objective, hessian, q, d, 4e-5), fine = errors_at(objective, hessian, q, d, 1e-5);
      EXPECT_LT(fine.gradient, 1e-5) << weights.name;
      EXPECT_LT(fine.hessian, 1e-5) << weights.name;
      // Second order in the difference step, where rounding leaves room to see it.
      EXPECT_LT(fine.gradient, 0.1 * coarse.gradient + 1e-9) << weights.name;
      EXPECT_LT(fine.hessian, 0.1 * coarse.hessian + 1e-9) << weights.name;
    }
  }
}

TEST(StepProblem, ValueAloneAgreesWithFullEvaluation) {
  for (const Weights& weights : kIntegrators) {
    const BlockStep step = step_with(weights, true);
    const StepProblem problem = step.problem();
    Objective objective(problem);
    const BlockVector q = step.block.bent(0.02);
    BlockVector gradient(q.size());
    const Objective::Value full = objective.evaluate(q, gradient, nullptr, HessianKind::projected),
                           alone = objective.value(q);
    EXPECT_NEAR(alone.total, full.total, 1e-13 * full.magnitude);
    EXPECT_NEAR(alone.magnitude, full.magnitude, 1e-13 * full.magnitude);
    EXPECT_GE(full.magnitude, std::abs(full.total));
  }
}

TEST(StepProblem, InertiaIsTakenAtTheEndAndEnergiesInBetween) {
  // Without energies g is w/2 |q − q̃|²_M; with only gravity at θ its share of height is θ q + (1 − θ) before.
  BlockStep step;
  step.theta = 0.5;
  step.energies.erase(step.energies.begin());
  const StepProblem problem = step.problem();
  Objective objective(problem);
  BlockVector q = step.before;
  for (int i = 0; i < q.size(); ++i) q[i] += Vec3(0, 0.2, 0);
  const double mass = step.block.mass();
  double height = 0;
  for (int i = 0; i < q.size(); ++i) height += step.block.masses[i] * 9.81 * (step.before[i][1] + 0.1);
  EXPECT_NEAR(objective.value(q).total, 0.5 * 1e4 * mass * 0.04 + height, 1e-9);
}

TEST(StepProblem, QuasiStaticHasNoRates) {
  BlockStep step = step_with(kIntegrators[4], false);
  const BlockVector q = step.block.bent(0.02);
  const StepProblem with = step.problem();
  const double damped = Objective(with).value(q).total;
  step.energies.pop_back();
  const StepProblem without = step.problem();
  EXPECT_EQ(damped, Objective(without).value(q).total);
}

// An energy that is not finite at one block.
class Planted final : public Energy {
 public:
  Planted(int block, double what, bool in_value) : block_(block), what_(what), in_value_(in_value) {}
  void evaluate(const Configuration&, Accumulator& out) const override {
    if (in_value_ && out.value != nullptr) *out.value += what_;
    if (!in_value_ && out.gradient != nullptr) (*out.gradient)[block_][1] += what_;
  }
  [[nodiscard]] std::string name() const override { return "planted"; }

 private:
  int block_;
  double what_;
  bool in_value_;
};

TEST(StepProblem, FindsTheEnergyAndTheBlockThatAreNotFinite) {
  for (const double theta : {1.0, 0.5}) {
    BlockStep step;
    step.theta = theta;
    {
      const StepProblem problem = step.problem();
      EXPECT_EQ(Objective(problem).find_not_finite(step.before).energy, "");
    }
    step.energies.push_back(std::make_unique<Planted>(7, std::nan(""), false));
    {
      const StepProblem problem = step.problem();
      const Objective::NotFinite found = Objective(problem).find_not_finite(step.before);
      EXPECT_EQ(found.energy, "planted");
      EXPECT_EQ(found.block, 7);
    }
    step.energies.back() = std::make_unique<Planted>(7, HUGE_VAL, true);
    {
      const StepProblem problem = step.problem();
      const Objective::NotFinite found = Objective(problem).find_not_finite(step.before);
      EXPECT_EQ(found.energy, "planted");
      EXPECT_EQ(found.block, -1);
    }
    BlockVector q = step.before;
    q[3][2] = std::nan("");
    const StepProblem problem = step.problem();
    const Objective::NotFinite found = Objective(problem).find_not_finite(q);
    EXPECT_EQ(found.energy, "inertia");
    EXPECT_EQ(found.block, 3);
  }
}

}  // namespace
}  // namespace pliant::solver
