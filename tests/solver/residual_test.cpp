// The stopping rule's residual: a velocity change in dynamics, a force balance when quasi-static, free directions only.
#include "pliant/solver/residual.h"

#include <gtest/gtest.h>

#include "pliant/parallel/parallel.h"
#include "tests/solver/rod_step.h"
#include "tests/solver/soft_block.h"

namespace pliant::solver {
namespace {

using pliant::testing::BlockStep;

TEST(Residual, IsAVelocityChangeAgainstTheSpeedScale) {
  BlockStep step;
  step.speed_scale = 0.25;
  BlockVector gradient(step.block.count());
  gradient[4] = Vec3(0, 3, 4) * step.block.masses[4];
  gradient[7] = Vec3(1, 0, 0) * step.block.masses[7];
  const Residual residual = measure_residual(step.problem(), gradient, 1);
  EXPECT_NEAR(residual.relative, 0.01 * 5 / 0.25, 1e-15);
  EXPECT_EQ(residual.worst_block, 4);
}

TEST(Residual, CountsTheLengthOfABlock) {
  BlockStep step;
  step.layout = {};
  step.layout.add_body("points", 3);
  step.layout.add_body("twists", step.block.count() - 3, BlockKind::rod_twist, 0.01);
  BlockVector gradient(step.block.count());
  gradient[2] = Vec3(1, 0, 0) * step.block.masses[2];
  gradient[5] = Vec3(50, 0, 0) * step.block.masses[5];
  const Residual residual = measure_residual(step.problem(), gradient, 1);
  EXPECT_EQ(residual.worst_block, 2);
  EXPECT_NEAR(residual.relative, 0.01, 1e-16);
}

// Energies of rods need their frames also for the scale of forces.
TEST(Residual, TheLargestForceOfARodIsThatOfItsFrames) {
  const pliant::testing::StraightRod rod({.edges = 2, .length = 0.2, .radius = 5e-3, .young = 1e6}, Vec3::Zero());
  BlockVector q = rod.rest, before = rod.rest;
  q[4][0] += 0.001;  // 1 % of an edge
  Controls controls;
  const StepProblem problem{0.01,         0,        1,          1,           before,  before,     rod.inertia,
                            rod.energies, controls, rod.layout, rod.pattern, nullptr, &rod.frames};
  EXPECT_NEAR(largest_force(problem, q), 1e6 * std::numbers::pi * 25e-6 * 0.01, 1e-9);
}

TEST(Residual, IgnoresHeldDirections) {
  BlockStep step;
  step.controls.filter.hold(2);
  step.controls.filter.hold(3, Vec3::UnitY());
  BlockVector gradient(step.block.count());
  gradient[2] = Vec3(9, 9, 9) * step.block.masses[2];
  gradient[3] = Vec3(0, 7, 2) * step.block.masses[3];
  const Residual residual = measure_residual(step.problem(), gradient, 1);
  EXPECT_EQ(residual.worst_block, 3);
  EXPECT_NEAR(residual.relative, 0.02, 1e-15);
}

TEST(Residual, QuasiStaticIsAForceBalance) {
  BlockStep step;
  step.inertia_weight = 0;
  BlockVector gradient(step.block.count());
  gradient[6] = Vec3(0, 0, 0.3);
  const Residual residual = measure_residual(step.problem(), gradient, 20);
  EXPECT_EQ(residual.worst_block, 6);
  EXPECT_NEAR(residual.relative, 0.015, 1e-16);
}

TEST(Residual, ZeroGradientHasNoResidual) {
  const BlockStep step;
  EXPECT_EQ(measure_residual(step.problem(), BlockVector(step.block.count()), 1).relative, 0);
}

TEST(Residual, LargestForceIsThatOfSingleEnergies) {
  // At rest only weight acts: the heaviest vertex.
  BlockStep step;
  double heaviest = 0;
  for (const double m : step.block.masses) heaviest = std::max(heaviest, m);
  EXPECT_NEAR(largest_force(step.problem(), step.block.rest), 9.81 * heaviest, 1e-10);
  // Deformed: elastic forces rule, and are not cancelled by others.
  const BlockVector bent = step.block.bent(0.03);
  BlockVector gradient(step.block.count());
  Accumulator out;
  out.gradient = &gradient;
  step.energies[0]->evaluate({bent, step.before, 0, step.controls}, out);
  double largest = 0;
  for (int i = 0; i < gradient.size(); ++i) largest = std::max(largest, gradient[i].norm());
  EXPECT_GT(largest, 9.81 * heaviest);
  EXPECT_DOUBLE_EQ(largest_force(step.problem(), bent), largest);
}

// One looks at four blocks at a time, the other at one.
TEST(Residual, IsTheLargestOfAllBlocks) {
  BlockStep step({.cells = {5, 4, 3}});
  step.controls.filter.hold(9);
  step.controls.filter.hold(30, Vec3::UnitY());
  for (int worst = 0; worst < step.block.count(); ++worst) {
    BlockVector gradient(step.block.count());
    for (int i = 0; i < gradient.size(); ++i) {
      gradient[i] = Vec3(std::sin(i), 0.1, std::cos(3 * i)) * ((i == worst ? 5 : 1) * step.block.masses[i]);
    }
    const Residual residual = measure_residual(step.problem(), gradient, 1);
    if (worst != 9 && worst != 30) {
      EXPECT_EQ(residual.worst_block, worst);
    }
    EXPECT_NEAR(relative_residual(step.problem(), gradient, 1), residual.relative, 1e-15 * residual.relative);
  }
}

TEST(Residual, SameForAnyThreadCount) {
  const BlockStep step({.cells = {12, 8, 8}});
  BlockVector gradient(step.block.count());
  for (int i = 0; i < gradient.size(); ++i) gradient[i] = Vec3(std::sin(i), std::cos(3 * i), 0.1);
  set_thread_count(1);
  const double one = relative_residual(step.problem(), gradient, 1);
  set_thread_count(3);
  const double three = relative_residual(step.problem(), gradient, 1);
  set_thread_count(0);
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace pliant::solver
