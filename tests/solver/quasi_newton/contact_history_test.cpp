// Contacts in quasi-Newton: new ones shorten the history, by as large a part as they are of all contacts.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "pliant/contact/penalty_contact.h"
#include "pliant/mesh/surface.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "tests/contact/penalty_scenery.h"
#include "tests/solver/quasi_newton/dense_step.h"

namespace pliant::solver::contact_history_test {
namespace {

using testing::BlockOptions;
using testing::BlockStep;
using testing::DensePair;
using testing::DenseStep;
using testing::Law;

constexpr int kHistory = 5, kSteps = 10;

// A slanted, bent block that falls onto a floor: its lower end arrives in the first iteration, stops and lets the rest
// come down in later ones.
struct FallingBlock {
  BlockStep step{BlockOptions{.law = Law::corotated, .cells = {8, 2, 1}, .young = 3e4}};
  contact::PenaltyScenery scenery;
  StickMemory stick;

  FallingBlock() {
    step.step = 1.0 / 15;
    step.inertia_weight = 225;
    step.before = step.block.bent(0.02);
    double lowest = 1;
    for (int i = 0; i < step.block.count(); ++i) {
      step.before[i][1] += 0.15 * step.block.rest[i][0];
      lowest = std::min(lowest, step.before[i][1]);
    }
    for (int i = 0; i < step.block.count(); ++i) {
      step.before[i][1] += 0.02 - lowest;
      step.target[i] = step.before[i];
    }
    scenery.add("block", step.block.mesh.vertices, boundary_triangles(step.block.mesh));
    scenery.add_obstacle("floor", {Vec3(-2, 0, -2), Vec3(-2, 0, 2), Vec3(2, 0, -2), Vec3(2, 0, 2)},
                         {Vec3i(0, 1, 2), Vec3i(2, 1, 3)});
    scenery.finish();
    step.controls.obstacle_before = scenery.controls.obstacle_before;
    step.controls.obstacle_points = scenery.controls.obstacle_points;
  }
  [[nodiscard]] contact::PenaltyContact contact() const { return {scenery.surface, {.distance = 0.006}, {}}; }
  static constexpr double kPressure = 3000;
  // After so many iterations, each count by a solve of its own.
  [[nodiscard]] Eigen::VectorXd after(int iterations) const {
    contact::PenaltyContact touching = contact();
    StepProblem problem = step.problem();
    problem.penalty = &touching;
    problem.contact_pressure = kPressure;
    problem.stick = &stick;
    QuasiNewton solver({.history = kHistory,
                        .iterations = iterations,
                        .tolerance = 0,
                        .bounded = false,
                        .storage = linear::FactorStorage::float64});
    BlockVector q = step.before;
    static_cast<void>(solver.solve(problem, q));
    return testing::flat(q);
  }
};

// Every step is a multiple of −H ∇g with H the BFGS update of A⁻¹ by the pairs that are left: where `created` of `count`
// contacts are new, at most history · (count − created)/count, the newest. Gradients are those of the terms that the
// search saw; the next direction has the terms found at its start.
TEST(QuasiNewtonContacts, NewOnesShortenTheHistory) {
  const FallingBlock falling;
  DenseStep dense(falling.step);
  const Eigen::MatrixXd inverse = dense.constant_matrix().inverse();
  contact::PenaltyContact touching = falling.contact();
  touching.begin_step({falling.step.before, falling.step.controls, FallingBlock::kPressure, falling.stick});
  const auto gradient_at = [&](const Eigen::VectorXd& x) {
    BlockVector push(falling.step.block.count());
    touching.look(testing::blocks(x), 1);
    touching.add_gradient(push);
    return Eigen::VectorXd(dense.gradient(x) + testing::flat(push));
  };

  std::vector<Eigen::VectorXd> x;
  for (int k = 0; k <= kSteps; ++k) x.push_back(falling.after(k));
  std::vector<DensePair> pairs;
  int forgotten_all = 0, forgotten_some = 0;
  for (int k = 0; k < kSteps; ++k) {
    const contact::PenaltyContact::Change change = touching.find(testing::blocks(x[k]), 1);
    const int had = static_cast<int>(pairs.size());
    if (change.created > 0) {
      const int left = std::min(had, kHistory * (change.count - change.created) / change.count);
      pairs.erase(pairs.begin(), pairs.end() - left);
      if (left < had) ++(left == 0 ? forgotten_all : forgotten_some);
    }
    const Eigen::VectorXd gradient = gradient_at(x[k]), taken = x[k + 1] - x[k],
                          direction = -testing::updated(inverse, pairs) * gradient;
    const double alpha = taken.dot(direction) / direction.squaredNorm();
    EXPECT_LT((taken - alpha * direction).norm(), 1e-7 * taken.norm())
        << "step " << k << ": " << change.created << " of " << change.count << " new, " << had << " pairs before, "
        << pairs.size() << " left";
    pairs.push_back({taken, gradient_at(x[k + 1]) - gradient});
    if (pairs.size() > kHistory) pairs.erase(pairs.begin());
  }
  // The case is one in which there is something to forget.
  EXPECT_GT(forgotten_all, 0);
  EXPECT_GT(forgotten_some, 0);
}

}  // namespace
}  // namespace pliant::solver::contact_history_test
