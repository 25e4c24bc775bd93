// Baselines of the quasi-Newton study (docs/studies/quasi_newton.md), which are no part of the library: position-based
// dynamics and SAP on the springs that the reference works out by hand.
#include <gtest/gtest.h>

#include "benchmarks/quasi_newton_study/constraint_methods.h"

namespace pliant::study {
namespace {

// Masses 1 and 3 at a distance of 2 along n, rest length 1: moves of −¾ and +¼ of the excess.
StudyStep two_masses(const Vec3& n) {
  StudyStep step;
  step.inertia = Inertia(std::vector<double>{1, 3});
  step.springs = {{0, 1, 1, 100, 0}};
  step.target.resize(2);
  step.before.resize(2);
  step.target[0] = n;
  step.target[1] = -n;
  return step;
}

TEST(StudyBaselines, ProjectASpringByItsMasses) {
  const Vec3 n = Vec3(1, 2, -2) / 3;  // from the second to the first
  const StudyStep step = two_masses(n);
  for (const BlockVector& x : {project_pbd(step, {.iterations = 1}), project_sap(step, 1)}) {
    EXPECT_LT((x[0] - (n - 0.75 * n)).norm(), 1e-8);
    EXPECT_LT((x[1] - (-n + 0.25 * n)).norm(), 1e-8);
    EXPECT_NEAR((x[0] - x[1]).norm(), 1, 1e-8);
  }
  const BlockVector half = project_pbd(step, {.iterations = 1, .share = 0.5});
  EXPECT_LT((half[0] - (n - 0.375 * n)).norm(), 1e-15);
  EXPECT_NEAR(largest_strain(step, half), 0.5, 1e-15);
}

TEST(StudyBaselines, LeaveAttachedPointsAtTheirTargets) {
  StudyStep step = two_masses(Vec3(0, 1, 0));
  step.attached = {1};
  step.controls.soft_pin_targets = {Vec3(0, -1, 0)};
  const BlockVector x = project_pbd(step, {.iterations = 1});
  EXPECT_EQ(Vec3(x[1]), Vec3(0, -1, 0));
  EXPECT_LT((x[0] - Vec3(0, 0, 0)).norm(), 1e-15);
}

}  // namespace
}  // namespace pliant::study
