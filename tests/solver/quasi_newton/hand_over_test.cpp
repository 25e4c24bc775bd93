// Quasi-Newton first, Newton after: a tight tolerance from a start that few cheap iterations made good.
#include "pliant/solver/quasi_newton/hand_over.h"

#include <gtest/gtest.h>

#include "tests/solver/soft_block.h"

namespace pliant::solver {
namespace {

TEST(HandOver, ReachesNewtonsToleranceWithFewerNewtonIterations) {
  testing::BlockStep step(testing::BlockOptions{.law = testing::Law::stable_neo_hookean});
  step.before = step.block.bent(0.02);
  step.target = step.block.bent(0.06);
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  const StepProblem problem = step.problem();
  Newton newton({.tolerance = 1e-11});
  BlockVector alone = step.before, together = step.before;
  const SolveReport first = newton.solve(problem, alone);
  HandOver both({.iterations = 30, .tolerance = 1e-11}, {.tolerance = 1e-11});
  const SolveReport second = both.solve(problem, together);
  EXPECT_TRUE(is_success(second.status));
  EXPECT_LE(second.residual, 1e-11);
  EXPECT_LT(second.iterations - 30, first.iterations);
  EXPECT_LT(testing::distance(alone, together), 1e-10 * testing::distance(alone, step.before));
  EXPECT_EQ(both.name(), "quasi_newton, newton");
}

// What converges at once is not handed over.
TEST(HandOver, StopsWhenTheFirstPartHasConverged) {
  testing::BlockStep step;
  step.target = step.block.bent(0.001);
  HandOver both({.iterations = 200, .tolerance = 1e-3}, {.tolerance = 1e-3});
  BlockVector q = step.before;
  const SolveReport report = both.solve(step.problem(), q);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.iterations, 200);
}

}  // namespace
}  // namespace pliant::solver
