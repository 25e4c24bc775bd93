// Quasi-Newton: the same minimum as Newton, equality with local/global iterations, rotations, budgets, pins and factors.
#include "pliant/solver/quasi_newton/quasi_newton.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <optional>

#include "pliant/energy/spring/springs.h"
#include "pliant/energy/weighted.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/newton/newton.h"
#include "tests/solver/soft_block.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using testing::BlockOptions;
using testing::BlockStep;
using testing::Law;

BlockVector solved(StepSolver& solver, const BlockStep& step, SolveReport* report = nullptr) {
  BlockVector q = step.before;
  const StepProblem problem = step.problem();
  const SolveReport done = solver.solve(problem, q);
  if (report != nullptr) *report = done;
  return q;
}

// Just these iterations, in double precision.
QuasiNewtonOptions plain(int history, int iterations) {
  return {.history = history,
          .iterations = iterations,
          .tolerance = 0,
          .bounded = false,
          .storage = linear::FactorStorage::float64};
}

BlockStep bent_step(Law law) {
  BlockStep step(BlockOptions{.law = law});
  step.before = step.block.bent(0.02);
  step.target = step.block.bent(0.03);
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  return step;
}

TEST(QuasiNewton, EndsWhereNewtonEnds) {
  for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated, Law::linear, Law::polynomial}) {
    const BlockStep step = bent_step(law);
    QuasiNewton quasi({.history = 5, .iterations = {}, .tolerance = 1e-9, .max_iterations = 2000});
    Newton newton({.tolerance = 1e-10});
    SolveReport report;
    const BlockVector a = solved(quasi, step, &report), b = solved(newton, step);
    EXPECT_EQ(report.status, SolveStatus::converged) << static_cast<int>(law);
    EXPECT_LT(testing::distance(a, b), 1e-8 * testing::distance(b, step.before)) << static_cast<int>(law);
  }
}

// Without history an iteration on springs is one local and one global step of fast mass-spring systems:
// p = l₀ d/|d| for every spring, then A x = M/h² y + Σ k Gᵀ p.
TEST(QuasiNewton, IsFastMassSpringWithoutHistory) {
  constexpr int kCount = 6;
  constexpr double kStiffness = 40, kRestLength = 0.2, kMass = 0.05, kStep = 1.0 / 30;
  std::vector<spring::Spring> springs;
  for (int i = 0; i + 1 < kCount; ++i) springs.push_back({i, i + 1, kRestLength, kStiffness, 0});
  springs.push_back({0, 3, 2.5 * kRestLength, kStiffness, 0});
  auto owned = std::make_unique<spring::Springs>(springs, kCount);
  sparse::PatternBuilder builder(kCount);
  owned->couple(builder);
  const auto pattern = builder.build();
  owned->find_slots(*pattern);
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::move(owned));
  const Inertia inertia(std::vector<double>(kCount, kMass));
  BlockVector before(kCount), target(kCount);
  for (int i = 0; i < kCount; ++i) {
    before[i] = Vec3(kRestLength * i, 0, 0);
    target[i] = Vec3(0.25 * i, 0.1 * std::sin(2.0 * i), 0.05 * i * i);
  }
  Controls controls;
  controls.filter = BlockFilter(kCount);
  DofLayout layout;
  layout.add_body("chain", kCount);
  const double weight = 1 / (kStep * kStep);
  const StepProblem problem{kStep, weight, 1, 1, before, target, inertia, energies, controls, layout, pattern};

  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(kCount, kCount) * weight * kMass, x(kCount, 3), y(kCount, 3);
  for (const spring::Spring& s : springs) {
    a(s.first, s.first) += kStiffness, a(s.second, s.second) += kStiffness;
    a(s.first, s.second) -= kStiffness, a(s.second, s.first) -= kStiffness;
  }
  for (int i = 0; i < kCount; ++i) y.row(i) = target[i].transpose();
  x = y;
  for (int iteration = 1; iteration <= 4; ++iteration) {
    Eigen::MatrixXd right = weight * kMass * y;
    for (const spring::Spring& s : springs) {
      const Eigen::RowVector3d p = s.rest_length * (x.row(s.second) - x.row(s.first)).normalized();
      right.row(s.second) += kStiffness * p;
      right.row(s.first) -= kStiffness * p;
    }
    x = test::solve(a, right);
    QuasiNewton solver(plain(0, iteration));
    BlockVector q = before;
    const SolveReport report = solver.solve(problem, q);
    EXPECT_EQ(report.status, SolveStatus::budgeted);
    EXPECT_EQ(report.line_search_trials, iteration);  // full steps never raise g for projective energies
    for (int i = 0; i < kCount; ++i) EXPECT_LT((q[i] - x.row(i).transpose()).norm(), 1e-12) << iteration;
  }
}

// Springs of no rest length have a constant Hessian, the same for x, y and z: A is that of g, whatever the integrator's w
// and θ, and a single full step without history ends at the minimum.
TEST(QuasiNewton, IsNewtonWhereEnergiesAreQuadratic) {
  constexpr int kCount = 5;
  std::vector<spring::Spring> springs;
  for (int i = 0; i < kCount; ++i) springs.push_back({i, (i + 1) % kCount, 0, 30.0 + 10 * i, 0});
  auto owned = std::make_unique<spring::Springs>(springs, kCount);
  sparse::PatternBuilder builder(kCount);
  owned->couple(builder);
  const auto pattern = builder.build();
  owned->find_slots(*pattern);
  std::vector<std::unique_ptr<Energy>> energies;
  energies.push_back(std::move(owned));
  const std::vector<double> masses = {0.05, 0.04, 0.03, 0.02, 0.01};
  const Inertia inertia(masses);
  BlockVector before(kCount), target(kCount);
  for (int i = 0; i < kCount; ++i) {
    before[i] = Vec3(std::sin(3.0 * i), i, std::cos(2.0 * i));
    target[i] = before[i] + Vec3(0.2, std::cos(5.0 * i), -0.1 * i);
  }
  Controls controls;
  controls.filter = BlockFilter(kCount);
  DofLayout layout;
  layout.add_body("ring", kCount);
  constexpr double kStep = 1.0 / 30;
  for (const auto& [weight, theta] : {std::pair(900.0, 1.0), {2025.0, 1.0}, {3600.0, 1.0}, {900.0, 0.5}}) {
    const StepProblem problem{kStep, weight, theta, 1, before, target, inertia, energies, controls, layout, pattern};
    Objective objective(problem);
    BlockVector gradient(kCount);
    const auto force_at = [&](const BlockVector& q) {
      (void)objective.evaluate(q, gradient, nullptr, HessianKind::projected);
      return std::sqrt(sparse::dot(gradient, gradient));
    };
    QuasiNewton solver(plain(0, 1));
    BlockVector q = before;
    const SolveReport report = solver.solve(problem, q);
    EXPECT_EQ(report.line_search_trials, 1);
    EXPECT_LT(force_at(q), 1e-12 * force_at(target)) << weight << ' ' << theta;
  }
}

// The matrix acts on x, y and z alike: a turned problem converges step for step like the one that is not.
TEST(QuasiNewton, TurningEverythingChangesNothing) {
  const Mat3 turn = Eigen::AngleAxisd(1.5707963267948966, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  BlockStep step = bent_step(Law::neo_hookean);
  step.energies.resize(1);  // gravity would have to turn too
  for (const int iterations : {1, 3, 8}) {
    QuasiNewton solver(plain(5, iterations));
    const BlockVector unturned = solved(solver, step);
    BlockStep turned = bent_step(Law::neo_hookean);
    turned.energies.resize(1);
    for (int i = 0; i < unturned.size(); ++i) {
      turned.before[i] = (turn * turned.before[i]).eval();
      turned.target[i] = (turn * turned.target[i]).eval();
    }
    QuasiNewton other(plain(5, iterations));
    const BlockVector q = solved(other, turned);
    double largest = 0;
    for (int i = 0; i < unturned.size(); ++i) largest = std::max(largest, (q[i] - turn * unturned[i]).norm());
    EXPECT_LT(largest, 1e-9) << iterations;
  }
}

TEST(QuasiNewton, HistorySavesIterations) {
  int with = 0, without = 0;
  for (const Law law : {Law::neo_hookean, Law::corotated, Law::stable_neo_hookean}) {
    const BlockStep step = bent_step(law);
    SolveReport report;
    QuasiNewton five({.history = 5, .iterations = {}, .tolerance = 1e-6, .max_iterations = 5000});
    (void)solved(five, step, &report);
    with += report.iterations;
    QuasiNewton none({.history = 0, .iterations = {}, .tolerance = 1e-6, .max_iterations = 5000});
    (void)solved(none, step, &report);
    without += report.iterations;
  }
  EXPECT_LT(2 * with, without) << with << " against " << without;
}

TEST(QuasiNewton, KeepsItsFactorWhilePinsMoveAndRenewsItWhenTheyComeOrGo) {
  BlockStep step = bent_step(Law::corotated);
  const std::vector<int> end = step.block.end_at(-1);
  for (const int i : end) step.hold(i, step.block.rest[i]);
  QuasiNewton solver({.iterations = {}, .tolerance = 1e-8, .max_iterations = 2000});
  for (int k = 0; k < 4; ++k) {
    for (HeldBlock& held : step.controls.held) held.target += Vec3(0, 0.005, 0);
    SolveReport report;
    const BlockVector q = solved(solver, step, &report);
    EXPECT_EQ(report.status, SolveStatus::converged);
    for (const HeldBlock& held : step.controls.held) EXPECT_EQ(Vec3(q[held.block]), held.target);
  }
  EXPECT_EQ(solver.factor_count(), 1);
  step.controls.filter = BlockFilter(step.block.count());
  step.controls.held.clear();
  (void)solved(solver, step);
  EXPECT_EQ(solver.factor_count(), 2);
  step.inertia_weight *= 4;
  (void)solved(solver, step);
  EXPECT_EQ(solver.factor_count(), 3);
}

// A direction that is held leaves the others free.
TEST(QuasiNewton, HoldsSingleDirections) {
  BlockStep step = bent_step(Law::neo_hookean);
  const Vec3 oblique = Vec3(1, 2, 2) / 3;
  step.controls.filter.hold(3, oblique);
  step.controls.held.push_back({3, Vec3(step.before[3] + 0.01 * oblique)});
  QuasiNewton quasi({.iterations = {}, .tolerance = 1e-9, .max_iterations = 5000});
  Newton newton({.tolerance = 1e-10});
  const BlockVector a = solved(quasi, step), b = solved(newton, step);
  EXPECT_NEAR(oblique.dot(a[3] - step.before[3]), 0.01, 1e-15);
  EXPECT_LT(testing::distance(a, b), 1e-7 * testing::distance(b, step.before));
}

TEST(QuasiNewton, BudgetsAndLimitsAreReported) {
  const BlockStep step = bent_step(Law::neo_hookean);
  SolveReport report;
  QuasiNewton budgeted({.iterations = 3, .tolerance = 1e-12});
  (void)solved(budgeted, step, &report);
  EXPECT_EQ(report.status, SolveStatus::budgeted);
  EXPECT_EQ(report.iterations, 3);
  QuasiNewton limited({.iterations = {}, .tolerance = 1e-12, .max_iterations = 4});
  (void)solved(limited, step, &report);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 4);
  QuasiNewton easy({.iterations = 50, .tolerance = 1e-2});
  (void)solved(easy, step, &report);
  EXPECT_EQ(report.status, SolveStatus::converged);
}

// --- The history ---

// L-BFGS as in textbooks: two loops over vectors, a dense matrix, full steps only.
class TextbookIteration {
 public:
  TextbookIteration(const BlockStep& step, std::size_t history)
      : step_(step), problem_(step_.problem()), objective_(problem_), history_(history), q_(step.target) {
    sparse::SymmetricScalarMatrix a(step.block.pattern);
    a.set_zero();
    dynamic_cast<const Weighted&>(*step.energies.front()).add_weights(step.controls, step.step, a);
    step.block.inertia.add_to(a, step.inertia_weight);
    Eigen::MatrixXd dense(q_.size(), q_.size());
    dense.setZero();
    for (int i = 0; i < q_.size(); ++i) {
      for (int slot = a.pattern().row_start()[i]; slot < a.pattern().row_start()[i + 1]; ++slot) {
        const int j = a.pattern().column()[slot];
        dense(i, j) = dense(j, i) = a.values()[static_cast<std::size_t>(slot)];
      }
    }
    a_.emplace(dense);
    gradient_ = gradient();
  }
  void advance() {
    Eigen::MatrixXd w = gradient_;
    std::vector<double> share(pairs_.size());
    const auto inner = [](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) { return x.cwiseProduct(y).sum(); };
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      share[k] = inner(pairs_[k].first, w) / inner(pairs_[k].first, pairs_[k].second);
      w -= share[k] * pairs_[k].second;
    }
    Eigen::MatrixXd d = a_->solve(w);
    for (std::size_t k = 0; k < pairs_.size(); ++k)
      d += (share[k] - inner(pairs_[k].second, d) / inner(pairs_[k].first, pairs_[k].second)) * pairs_[k].first;
    for (int i = 0; i < q_.size(); ++i) q_[i] -= d.row(i).transpose();
    const Eigen::MatrixXd next = gradient();
    pairs_.emplace_back(-d, next - gradient_);
    if (pairs_.size() > history_) pairs_.erase(pairs_.begin());
    gradient_ = next;
  }
  [[nodiscard]] const BlockVector& q() const { return q_; }

 private:
  [[nodiscard]] Eigen::MatrixXd gradient() {
    BlockVector g(q_.size());
    (void)objective_.evaluate(q_, g, nullptr, HessianKind::projected);
    Eigen::MatrixXd result(q_.size(), 3);
    for (int i = 0; i < q_.size(); ++i) result.row(i) = g[i].transpose();
    return result;
  }

  const BlockStep& step_;
  const StepProblem problem_;
  Objective objective_;
  std::size_t history_;
  BlockVector q_;
  std::optional<test::DenseCholesky> a_;
  Eigen::MatrixXd gradient_;
  std::vector<std::pair<Eigen::MatrixXd, Eigen::MatrixXd>> pairs_;  // s, t; the newest last
};

// Nine iterations go three times round a ring of three pairs.
TEST(QuasiNewton, FollowsTheTwoLoopsOfTheTextbook) {
  for (const int history : {1, 3, 5}) {
    const BlockStep step = bent_step(Law::corotated);
    TextbookIteration textbook(step, static_cast<std::size_t>(history));
    for (int iterations = 1; iterations <= 9; ++iterations) {
      textbook.advance();
      QuasiNewton solver(plain(history, iterations));
      SolveReport report;
      const BlockVector q = solved(solver, step, &report);
      ASSERT_EQ(report.line_search_trials, iterations);  // full steps
      EXPECT_LT(testing::distance(q, textbook.q()), 1e-11) << history << " " << iterations;
    }
    EXPECT_GT(testing::distance(step.target, textbook.q()), 1e-3);
  }
}

// 1,053 blocks: three pieces of every pass over vectors.
TEST(QuasiNewton, HasTheSameBitsForAnyThreadCount) {
  BlockStep step(BlockOptions{.cells = {12, 8, 8}});
  step.before = step.block.bent(0.02);
  step.target = step.block.bent(0.03);
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  std::vector<BlockVector> ends;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    QuasiNewton solver({.iterations = 12, .tolerance = 0, .bounded = false, .storage = linear::FactorStorage::float64});
    ends.push_back(solved(solver, step));
  }
  set_thread_count(0);
  for (const BlockVector& end : ends) EXPECT_TRUE(end == ends.front());
}

// A factor in few digits proposes directions as good, and the solution is that of the gradient, which has them all.
TEST(QuasiNewton, StorageOfTheFactorDoesNotMatter) {
  const BlockStep step = bent_step(Law::neo_hookean);
  std::vector<int> iterations;
  std::vector<BlockVector> ends;
  for (const auto storage :
       {linear::FactorStorage::float64, linear::FactorStorage::float32, linear::FactorStorage::float16}) {
    QuasiNewton solver({.iterations = {}, .tolerance = 1e-9, .max_iterations = 2000, .storage = storage});
    SolveReport report;
    ends.push_back(solved(solver, step, &report));
    EXPECT_EQ(report.status, SolveStatus::converged);
    iterations.push_back(report.iterations);
  }
  for (int k = 1; k < 3; ++k) {
    EXPECT_NEAR(iterations[k], iterations[0], 2);
    EXPECT_LT(testing::distance(ends[k], ends[0]), 1e-8 * testing::distance(ends[0], step.before));
  }
}

// However few iterations, and however bad the inertial start: g never ends above that of the last configuration, so a
// step of backward Euler does not gain energy.
TEST(QuasiNewton, BudgetsDoNotGainEnergy) {
  for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated, Law::polynomial}) {
    for (const int budget : {1, 2, 5}) {
      BlockStep step = bent_step(law);
      for (int i = 0; i < step.target.size(); ++i)  // fast and wild: elements of the inertial target are inside out
        step.target[i] += 0.15 * Vec3(std::sin(70.0 * i), std::cos(50.0 * i), std::sin(31.0 * i));
      const StepProblem problem = step.problem();
      const double bound = Objective(problem).value(step.before).total;
      QuasiNewton solver({.iterations = budget, .tolerance = 0});
      SolveReport report;
      const BlockVector q = solved(solver, step, &report);
      EXPECT_LE(Objective(problem).value(q).total, bound) << static_cast<int>(law) << ' ' << budget;
      EXPECT_LE(report.iterations, 2 * budget);
    }
  }
}

}  // namespace
}  // namespace pliant::solver
