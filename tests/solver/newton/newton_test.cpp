// Newton's method: order of convergence, one minimiser whatever the linear solver and the Hessian, budgets and limits
// said as such, linearly implicit Euler, pins on their way, and problems without a unique or any solution.
#include "pliant/solver/newton/newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "tests/solver/rod_step.h"
#include "tests/solver/soft_block.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using pliant::testing::BlockOptions;
using pliant::testing::BlockStep;
using pliant::testing::distance;
using pliant::testing::Law;

// A block thrown and bent: a step with elastic forces, weight and inertia of the same order.
BlockStep thrown(const BlockOptions& options = {}) {
  BlockStep step(options);
  step.before = step.block.bent(0.02);
  step.target = step.before;
  for (int i = 0; i < step.block.count(); ++i) step.target[i] += 0.01 * Vec3(1 + std::sin(3 * i), std::cos(i), 0.5);
  step.speed_scale = 1.5;
  return step;
}

SolveReport solve(const BlockStep& step, const NewtonOptions& options, BlockVector& q) {
  const StepProblem problem = step.problem();
  return Newton(options).solve(problem, q);
}

double objective_at(const BlockStep& step, const BlockVector& q) {
  const StepProblem problem = step.problem();
  return Objective(problem).value(q).total;
}

// --- Convergence ---

TEST(Newton, ConvergesQuadratically) {
  const BlockStep step = thrown();
  std::vector<double> residuals;
  for (const int budget : {1, 2, 3, 4}) {
    BlockVector q;
    NewtonOptions options{.hessian = HessianKind::exact, .iterations = budget};
    residuals.push_back(solve(step, options, q).residual);
  }
  // Orders between successive iterations, while above rounding.
  ASSERT_GT(residuals[2], 1e-12);
  const double order = std::log(residuals[2] / residuals[1]) / std::log(residuals[1] / residuals[0]);
  EXPECT_GT(order, 1.7) << residuals[0] << " " << residuals[1] << " " << residuals[2] << " " << residuals[3];
  EXPECT_LT(residuals[3], 1e-12);
}

TEST(Newton, CholeskyAndConjugateGradientsFindTheSameMinimiser) {
  for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated, Law::linear}) {
    const BlockStep step = thrown({.law = law});
    BlockVector direct, iterative;
    const NewtonOptions cholesky{.linear = NewtonLinear::cholesky, .tolerance = 1e-9},
        pcg{.linear = NewtonLinear::pcg, .tolerance = 1e-9};
    EXPECT_TRUE(is_success(solve(step, cholesky, direct).status));
    const SolveReport report = solve(step, pcg, iterative);
    EXPECT_TRUE(is_success(report.status));
    EXPECT_GT(report.linear_iterations, report.iterations);
    EXPECT_LT(distance(direct, iterative), 1e-6 * distance(direct, step.before));
  }
}

// 585 points: two levels of multigrid.
constexpr std::array<int, 3> kFineCells{12, 8, 4};

TEST(Newton, CholeskyAndMultigridFindTheSameMinimiser) {
  for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated, Law::linear}) {
    const BlockStep step = thrown({.law = law, .cells = kFineCells});
    BlockVector direct, iterative;
    EXPECT_TRUE(is_success(solve(step, {.linear = NewtonLinear::cholesky, .tolerance = 1e-9}, direct).status));
    const SolveReport report = solve(step, {.linear = NewtonLinear::multigrid, .tolerance = 1e-9}, iterative);
    EXPECT_TRUE(is_success(report.status));
    EXPECT_GT(report.linear_iterations, report.iterations);
    EXPECT_LT(distance(direct, iterative), 1e-6 * distance(direct, step.before));
  }
}

// A block squeezed to seven tenths of its length: its exact Hessian is indefinite, and multigrid has to say so, on the
// coarsest level or in its iteration, for the step to end in a minimum.
TEST(Newton, MultigridNoticesAnIndefiniteHessian) {
  for (const double young : {2e4, 2e5}) {
    BlockStep step({.cells = kFineCells, .young = young});
    for (int i = 0; i < step.before.size(); ++i) step.before[i][0] *= 0.7;
    for (const double sign : {-1.0, 1.0}) {
      for (const int i : step.block.end_at(sign)) step.hold(i, step.before[i]);
    }
    // A little noise, for it to buckle.
    for (int i = 0; i < step.before.size(); ++i) {
      if (step.controls.filter.held_directions(i) == 0)
        step.before[i] += 1e-4 * Vec3(0, std::sin(7 * i), std::cos(3 * i));
    }
    step.target = step.before;
    step.inertia_weight = 1;
    BlockVector q;
    const NewtonOptions options{
        .linear = NewtonLinear::multigrid, .hessian = HessianKind::exact, .tolerance = 1e-8, .max_iterations = 400};
    const SolveReport report = solve(step, options, q);
    EXPECT_TRUE(is_success(report.status)) << young << ": " << to_string(report.status) << " " << report.residual;
    const double least = objective_at(step, q);
    EXPECT_LT(least, objective_at(step, step.before));
    // A minimum, not a saddle: aside it is higher.
    for (int trial = 0; trial < 5; ++trial) {
      BlockVector aside = q;
      for (int i = 0; i < q.size(); ++i) {
        if (step.controls.filter.held_directions(i) == 0)
          aside[i] += 1e-4 * Vec3(std::sin(i + trial), std::cos(2 * i * trial), std::sin(5 * i));
      }
      EXPECT_GT(objective_at(step, aside), least);
    }
  }
}

TEST(Newton, EveryHessianFindsTheSameMinimiser) {
  const BlockStep step = thrown({.law = Law::corotated});
  BlockVector q[3];
  const HessianKind kinds[] = {HessianKind::exact, HessianKind::projected, HessianKind::warped};
  for (int k = 0; k < 3; ++k) {
    const SolveReport report = solve(step, {.hessian = kinds[k], .tolerance = 1e-9}, q[k]);
    EXPECT_TRUE(is_success(report.status)) << k << ": " << to_string(report.status);
    EXPECT_LE(report.residual, 1e-9) << k;
    EXPECT_LT(distance(q[0], q[k]), 1e-6 * distance(q[0], step.before)) << k;
  }
}

TEST(Newton, FindsAMinimumNotOnlyAStationaryPoint) {
  const BlockStep step = thrown();
  BlockVector q;
  ASSERT_TRUE(is_success(solve(step, {.tolerance = 1e-9}, q).status));
  const double least = objective_at(step, q);
  for (int trial = 0; trial < 5; ++trial) {
    BlockVector aside = q;
    for (int i = 0; i < q.size(); ++i)
      aside[i] += 1e-3 * Vec3(std::sin(i + trial), std::cos(2 * i * trial), std::sin(5 * i));
    EXPECT_GT(objective_at(step, aside), least);
  }
}

TEST(Newton, NothingToDoTakesNoIteration) {
  BlockStep step;
  step.energies.pop_back();  // weightless, at rest
  BlockVector q;
  const SolveReport report = solve(step, {}, q);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_LT(distance(q, step.before), 1e-14);
}

TEST(Newton, AnUnreachableToleranceEndsAtRounding) {
  const BlockStep step = thrown();
  BlockVector q;
  const SolveReport report = solve(step, {.tolerance = 1e-30}, q);
  EXPECT_EQ(report.status, SolveStatus::converged_to_rounding);
  EXPECT_LT(report.residual, 1e-9);
  EXPECT_LT(report.iterations, 20);
}

// A force of constant size towards a plane, c |x − x0|: where it holds a vertex against the weight g has a kink.
class Kink final : public Energy {
 public:
  Kink(int block, double x0, double strength) : block_(block), x0_(x0), strength_(strength) {}
  void evaluate(const Configuration& q, Accumulator& out) const override {
    const double away = q.now[block_][0] - x0_;
    if (out.value != nullptr) *out.value += strength_ * std::abs(away);
    if (out.gradient != nullptr) (*out.gradient)[block_][0] += away < 0 ? -strength_ : strength_;
  }
  [[nodiscard]] std::string name() const override { return "kink"; }

 private:
  int block_;
  double x0_, strength_;
};

TEST(Newton, AKinkIsNotCalledConverged) {
  BlockStep step = thrown();
  step.energies.push_back(std::make_unique<Kink>(3, step.before[3][0], 1e4));
  BlockVector q;
  const SolveReport report = solve(step, {}, q);
  EXPECT_FALSE(is_success(report.status)) << to_string(report.status);
  EXPECT_GT(report.residual, 1e-3);
  EXPECT_NEAR(q[3][0], step.before[3][0], 1e-6);  // the minimiser all the same
}

// Rounding of a stiff body's energy, about 1e-16 × modulus × volume, is far above what the last iterations gain.
TEST(Newton, StiffBodiesConverge) {
  for (const double young : {1e9, 2e11}) {
    for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated}) {
      BlockStep step({.law = law, .cells = {6, 4, 2}, .density = 7800, .young = young});
      for (const int i : step.block.end_at(-1)) step.hold(i, step.before[i]);
      BlockVector q;
      const SolveReport report = solve(step, {}, q);
      EXPECT_EQ(report.status, SolveStatus::converged)
          << young << " " << static_cast<int>(law) << ": " << report.residual;
      // Quasi-static: the tip sinks, by very little.
      step.inertia_weight = 0;
      const SolveReport at_rest = solve(step, {}, q);
      EXPECT_EQ(at_rest.status, SolveStatus::converged)
          << young << " " << static_cast<int>(law) << ": " << at_rest.residual;
      const int tip = step.block.end_at(1).front();
      EXPECT_LT(q[tip][1], step.before[tip][1]);
      EXPECT_GT(q[tip][1], step.before[tip][1] - 1e-3);
    }
  }
}

// --- Limits and budgets ---

TEST(Newton, SaysWhenTheLimitWasHit) {
  const BlockStep step = thrown();
  BlockVector q;
  const SolveReport report = solve(step, {.tolerance = 1e-12, .max_iterations = 2}, q);
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 2);
  EXPECT_GT(report.residual, 1e-12);
  EXPECT_GE(report.worst_block, 0);
}

TEST(Newton, ABudgetIsSpentAndSaidSo) {
  const BlockStep step = thrown();
  for (const int budget : {1, 2, 7}) {
    BlockVector q;
    const SolveReport report = solve(step, {.tolerance = 1, .iterations = budget}, q);
    EXPECT_EQ(report.status, SolveStatus::budgeted);
    EXPECT_EQ(report.iterations, budget);
  }
}

TEST(Newton, OneIterationIsLinearlyImplicitEuler) {
  // (M + h² K) Δv = h (f − h K v),  x⁺ = x + h (v + Δv), with M, K and f of the start and a dense solve
  const double h = 0.01;
  BlockStep step({.is_consistent = true});
  step.before = step.block.bent(0.02);
  const int n = 3 * step.block.count();
  Eigen::VectorXd v(n), f(n);
  for (int i = 0; i < n; ++i) v[i] = std::sin(0.7 * i);
  for (int i = 0; i < step.block.count(); ++i) step.target[i] = step.before[i] + h * v.segment<3>(3 * i);

  sparse::SymmetricBlockMatrix stiffness(step.block.pattern), mass(step.block.pattern);
  stiffness.set_zero();
  mass.set_zero();
  step.block.inertia.add_to(mass, 1);
  BlockVector gradient(step.block.count());
  Accumulator out{nullptr, &gradient, &stiffness, HessianKind::projected};
  for (const auto& energy : step.energies) energy->evaluate({step.before, step.before, h, step.controls}, out);
  const auto dense = [&](const sparse::SymmetricBlockMatrix& a) {
    Eigen::MatrixXd full(n, n);
    for (int column = 0; column < n; ++column) {
      BlockVector unit(step.block.count()), image(step.block.count());
      unit[column / 3][column % 3] = 1;
      a.multiply(unit, image);
      for (int i = 0; i < step.block.count(); ++i) full.block<3, 1>(3 * i, column) = image[i];
    }
    return full;
  };
  const Eigen::MatrixXd m = dense(mass), k = dense(stiffness);
  for (int i = 0; i < step.block.count(); ++i) f.segment<3>(3 * i) = -gradient[i];
  const Eigen::VectorXd dv = test::solve(m + h * h * k, h * (f - h * k * v));

  BlockVector q;
  EXPECT_EQ(solve(step, {.iterations = 1}, q).status, SolveStatus::budgeted);
  for (int i = 0; i < step.block.count(); ++i) {
    const Vec3 expected = step.before[i] + h * (v + dv).segment<3>(3 * i);
    EXPECT_LT((q[i] - expected).norm(), 1e-14);
  }
}

// --- Pins ---

TEST(Newton, HeldBlocksEndOnTheirTargetsToTheBit) {
  BlockStep step = thrown();
  std::vector<Vec3> targets;
  for (const int i : step.block.end_at(-1)) {
    targets.push_back(step.before[i] + Vec3(-0.013, 0.0071, 0.001 * i));
    step.hold(i, targets.back());
  }
  for (const std::optional<int> budget : {std::optional<int>{}, std::optional<int>{1}}) {
    BlockVector q;
    EXPECT_TRUE(is_success(solve(step, {.iterations = budget}, q).status));
    for (std::size_t k = 0; k < targets.size(); ++k) EXPECT_EQ(Vec3(q[step.controls.held[k].block]), targets[k]);
  }
}

TEST(Newton, AxesAndObliqueDirectionsAreHeldAloneAndTheRestIsFree) {
  const Vec3 oblique = Vec3(1, 2, -0.5).normalized();
  BlockStep step = thrown(), free = thrown();
  const std::vector<int> end = step.block.end_at(-1);
  for (const int i : end) {
    if (i % 2 == 0) {
      step.controls.filter.hold(i, oblique);
    } else {
      step.controls.filter.hold(i, Vec3::UnitY());
      step.controls.filter.hold(i, Vec3::UnitZ());
    }
    step.controls.held.push_back({i, step.before[i] + 0.004 * Vec3(1, 1, 1)});
  }
  BlockVector q;
  ASSERT_TRUE(is_success(solve(step, {.tolerance = 1e-9}, q).status));
  for (const HeldBlock& held : step.controls.held) {
    const Mat3 free_part = step.controls.filter.projector(held.block);
    EXPECT_LT(((Mat3::Identity() - free_part) * (q[held.block] - held.target)).norm(), 1e-16);
    EXPECT_GT((free_part * (q[held.block] - held.target)).norm(), 1e-5);
  }
  // Free directions carry no force, held ones do.
  const StepProblem problem = step.problem();
  BlockVector gradient(q.size());
  Objective(problem).evaluate(q, gradient, nullptr, HessianKind::projected);
  double reaction = 0;
  for (const HeldBlock& held : step.controls.held) reaction += gradient[held.block].norm();
  step.controls.filter.apply(gradient);
  EXPECT_LT(std::sqrt(sparse::dot(gradient, gradient)), 1e-6 * reaction);
}

TEST(Newton, PinsStretchABarQuasiStatically) {
  // From rest g can only rise: by half of its length in one step.
  for (const Law law : {Law::neo_hookean, Law::corotated, Law::linear, Law::polynomial}) {
    BlockStep step({.law = law});
    step.inertia_weight = 0;
    for (const int i : step.block.end_at(-1)) step.hold(i, step.before[i]);
    for (const int i : step.block.end_at(1)) step.hold(i, step.before[i] + Vec3(0.15, 0, 0));
    BlockVector q;
    const SolveReport report = solve(step, {}, q);
    EXPECT_TRUE(is_success(report.status))
        << static_cast<int>(law) << ": " << to_string(report.status) << " " << report.residual;
    for (const HeldBlock& held : step.controls.held) EXPECT_EQ(Vec3(q[held.block]), held.target);
    // Where the quadratic model is any good, the full step to the targets is accepted.
    if (law != Law::polynomial) {
      EXPECT_LE(report.line_search_trials, 2 * report.iterations) << static_cast<int>(law);
    }
  }
}

TEST(Newton, WhollyPinnedBodiesFollow) {
  for (const double weight : {1e4, 0.0}) {
    BlockStep step;
    step.inertia_weight = weight;
    for (int i = 0; i < step.block.count(); ++i) step.hold(i, 1.2 * step.before[i]);
    BlockVector q;
    EXPECT_TRUE(is_success(solve(step, {}, q).status)) << weight;
    for (int i = 0; i < q.size(); ++i) EXPECT_EQ(Vec3(q[i]), Vec3(1.2 * step.before[i]));
  }
}

// --- Without a unique solution, or any ---

TEST(Newton, FreeQuasiStaticBodyRelaxes) {
  // The Hessian is singular: six rigid motions cost nothing.
  for (const NewtonLinear linear : {NewtonLinear::cholesky, NewtonLinear::pcg, NewtonLinear::multigrid}) {
    BlockStep step(linear == NewtonLinear::multigrid ? BlockOptions{.law = Law::stable_neo_hookean, .cells = kFineCells}
                                                     : BlockOptions{.law = Law::stable_neo_hookean});
    step.energies.pop_back();
    step.inertia_weight = 0;
    step.before = step.block.bent(0.02);
    BlockVector q;
    const SolveReport report = solve(step, {.linear = linear}, q);
    EXPECT_TRUE(is_success(report.status)) << to_string(report.status) << " " << report.residual;
    EXPECT_LT(objective_at(step, q), 1e-9 * objective_at(step, step.before));
  }
}

TEST(Newton, QuasiStaticBodyAtRestEndsAtOnce) {
  // Its forces are rounding, so none is small against the largest; the last digits of the positions are noise.
  for (const Law law : {Law::neo_hookean, Law::stable_neo_hookean, Law::corotated}) {
    BlockStep step({.law = law});
    step.energies.pop_back();
    step.inertia_weight = 0;
    step.before = step.block.rest;
    for (int i = 0; i < step.before.size(); ++i) step.before[i] *= 1 + 1e-16 * (i % 7);
    BlockVector q;
    const SolveReport report = solve(step, {.max_iterations = 5}, q);
    EXPECT_TRUE(is_success(report.status)) << to_string(report.status) << " " << report.residual;
    for (int i = 0; i < q.size(); ++i) EXPECT_LT((q[i] - step.block.rest[i]).norm(), 1e-9);
  }
}

TEST(Newton, FreeQuasiStaticBodyUnderItsWeightHasNoSolutionAndSaysSo) {
  for (const NewtonLinear linear : {NewtonLinear::cholesky, NewtonLinear::pcg, NewtonLinear::multigrid}) {
    BlockStep step(linear == NewtonLinear::multigrid ? BlockOptions{.cells = kFineCells} : BlockOptions{});
    step.inertia_weight = 0;
    BlockVector q;
    const SolveReport report = solve(step, {.linear = linear, .max_iterations = 10}, q);
    EXPECT_FALSE(is_success(report.status)) << to_string(report.status);
    EXPECT_TRUE(sparse::all_finite(q));
  }
}

TEST(Newton, LawsWithoutStiffnessAtRestWork) {
  for (const double weight : {1e4, 0.0}) {
    BlockStep step({.law = Law::polynomial});
    step.inertia_weight = weight;
    for (const int i : step.block.end_at(-1)) step.hold(i, step.before[i]);
    BlockVector q;
    const SolveReport report = solve(step, {}, q);
    EXPECT_TRUE(is_success(report.status)) << weight << " " << to_string(report.status) << " " << report.residual;
    const int tip = step.block.end_at(1).front();
    EXPECT_LT(q[tip][1], step.before[tip][1]);
  }
}

class NotANumber final : public Energy {
 public:
  void evaluate(const Configuration&, Accumulator& out) const override {
    if (out.value != nullptr) *out.value += std::numeric_limits<double>::quiet_NaN();
    if (out.gradient != nullptr) (*out.gradient)[5][0] = std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] std::string name() const override { return "not_a_number"; }
};

TEST(Newton, SaysWhereANumberIsNotFinite) {
  BlockStep step = thrown();
  step.energies.push_back(std::make_unique<NotANumber>());
  BlockVector q;
  const SolveReport report = solve(step, {}, q);
  EXPECT_EQ(report.status, SolveStatus::not_finite);
  EXPECT_EQ(report.not_finite_in, "not_a_number");
  EXPECT_EQ(report.worst_block, 5);
}

// --- Choice of the linear solver ---

TEST(Newton, NamesTheLinearSolverItSettledOn) {
  const BlockStep step = thrown();
  const StepProblem problem = step.problem();
  Newton automatic({}), pcg({.linear = NewtonLinear::pcg});
  BlockVector q;
  EXPECT_TRUE(is_success(automatic.solve(problem, q).status));
  EXPECT_TRUE(is_success(pcg.solve(problem, q).status));
  EXPECT_EQ(automatic.name(), "newton");
  EXPECT_EQ(automatic.linear_name(), "cholesky");
  EXPECT_EQ(pcg.linear_name(), "pcg");
}

// A rod, thrown and clamped at its first edge: what a step of rods alone refers to.
struct RodStep {
  pliant::testing::StraightRod rod;
  BlockVector before, target;
  Controls controls;
  explicit RodStep(int edges = 12) : rod({.edges = edges}), before(rod.rest), target(rod.rest) {
    controls.filter = BlockFilter(rod.rest.size());
    for (const int block : {0, 2}) {
      controls.filter.hold(block);
      controls.held.push_back({block, rod.rest[block]});
    }
    controls.filter.hold(1, Vec3::UnitX());
    controls.held.push_back({1, Vec3(0.3, 0, 0)});
    for (int i = 4; i < target.size(); i += 2) target[i] += 0.01 * Vec3(std::sin(i), 1 + std::cos(i), 0.5);
  }
  [[nodiscard]] StepProblem problem() const {
    return {0.01,         1e4,      1,          1.5,         before,  target,     rod.inertia,
            rod.energies, controls, rod.layout, rod.pattern, nullptr, &rod.frames};
  }
};

TEST(Newton, RodsAloneAreBanded) {
  const RodStep step;
  const StepProblem problem = step.problem();
  Newton automatic({.tolerance = 1e-10}), banded({.linear = NewtonLinear::banded, .tolerance = 1e-10}),
      cholesky({.linear = NewtonLinear::cholesky, .tolerance = 1e-10});
  BlockVector chosen = step.before, direct = step.before, sparse_one = step.before;
  EXPECT_TRUE(is_success(automatic.solve(problem, chosen).status));
  EXPECT_TRUE(is_success(banded.solve(problem, direct).status));
  EXPECT_TRUE(is_success(cholesky.solve(problem, sparse_one).status));
  EXPECT_EQ(automatic.linear_name(), "banded");
  EXPECT_EQ(banded.linear_name(), "banded");
  EXPECT_EQ(cholesky.linear_name(), "cholesky");
  EXPECT_TRUE(chosen == direct);
  EXPECT_LT(distance(direct, sparse_one), 1e-9 * distance(direct, step.before));
  // Pins are on their targets, and the unused slots of twists stay zero.
  EXPECT_EQ(direct[1][0], 0.3);
  for (const RodEdge& edge : step.rod.topology.edges) {
    EXPECT_EQ(direct[edge.twist][1], 0);
    EXPECT_EQ(direct[edge.twist][2], 0);
  }
}

// Before a step is seen nobody has settled on a solver, and a fixed choice stays.
TEST(Newton, TheChoiceIsMadeAtTheFirstStep) {
  Newton automatic({});
  EXPECT_EQ(automatic.linear_name(), "auto");
  const RodStep rods;
  const BlockStep block = thrown();
  BlockVector q = rods.before;
  EXPECT_TRUE(is_success(automatic.solve(rods.problem(), q).status));
  EXPECT_EQ(automatic.linear_name(), "banded");
  q = block.before;
  EXPECT_TRUE(is_success(automatic.solve(block.problem(), q).status));
  EXPECT_EQ(automatic.linear_name(), "cholesky");
}

// A quasi-static rod: the scale of forces needs frames as well.
TEST(Newton, QuasiStaticRodsHang) {
  const RodStep step;
  StepProblem problem = step.problem();
  problem.inertia_weight = 0;
  BlockVector q = step.before;
  const SolveReport report = Newton({.tolerance = 1e-8}).solve(problem, q);
  EXPECT_TRUE(is_success(report.status)) << report.residual;
  EXPECT_LT(q[24][1], -1e-4);        // its tip sags
  EXPECT_NEAR(q[23][0], 0.3, 1e-9);  // twisted as a whole
}

TEST(Newton, OneObjectSolvesManyStepsAsIfEachWereTheFirst) {
  const BlockStep first = thrown(), second = thrown({.law = Law::corotated});
  const StepProblem first_problem = first.problem(), second_problem = second.problem();
  Newton newton({});
  BlockVector q, fresh;
  (void)newton.solve(first_problem, q);
  (void)newton.solve(second_problem, q);
  (void)newton.solve(first_problem, q);
  (void)Newton({}).solve(first_problem, fresh);
  EXPECT_TRUE(q == fresh);
}

}  // namespace
}  // namespace pliant::solver
