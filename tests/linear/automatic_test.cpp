// The choice of solver: by size, by iterations of the same step, the same after every new step.
#include "pliant/linear/automatic.h"

#include <gtest/gtest.h>

#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

double error_of(Automatic& solver, const test::ModelProblem& problem, const BlockVector& known) {
  BlockVector b(known.size()), x(known.size());
  problem.matrix.multiply(known, b);
  EXPECT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  EXPECT_EQ(solver.solve(b, x).status, LinearStatus::solved);
  return test::largest_difference(x, known);
}

TEST(Automatic, TakesCholeskyForSmallSystems) {
  const test::ModelProblem problem = test::truss(test::Grid{6}, 0.01);
  Automatic solver;
  EXPECT_EQ(solver.name(), "auto");
  EXPECT_LT(error_of(solver, problem, test::random_vector(216, 1)), 1e-9);
  EXPECT_EQ(solver.name(), "cholesky");
}

TEST(Automatic, TakesPcgForLargeSystemsRuledByInertia) {
  const test::ModelProblem problem = test::truss(test::Grid{10}, 10);
  Automatic solver({.tolerance = 1e-10, .largest_direct_system = 500});
  EXPECT_LT(error_of(solver, problem, test::random_vector(1000, 2)), 1e-8);
  EXPECT_EQ(solver.name(), "pcg");
}

TEST(Automatic, TakesMultigridWherePcgIsSlowUntilTheNextStep) {
  const test::ModelProblem stiff = test::clamped_truss(test::Grid{24, 8, 8}),
                           soft = test::truss(test::Grid{24, 8, 8}, 50);
  BlockVector known = test::random_vector(stiff.matrix.row_count(), 3), b(known.size()), x(known.size()),
              again(known.size());
  stiff.filter.apply(known);
  stiff.matrix.multiply(known, b);
  Automatic solver({.tolerance = 1e-10, .largest_direct_system = 500});
  const SystemGeometry geometry{&stiff.positions, nullptr, &stiff.filter};
  solver.begin_step(geometry);
  ASSERT_EQ(solver.factor(stiff.matrix), LinearStatus::solved);
  const LinearReport first = solver.solve(b, x);
  ASSERT_EQ(first.status, LinearStatus::solved);
  EXPECT_GT(first.iterations, Automatic::kLook);
  EXPECT_LT(test::largest_difference(x, known), 1e-6);
  EXPECT_EQ(solver.name(), "pcg, multigrid");

  // The rest of the step is multigrid's; the next one begins anew, with the same bits.
  ASSERT_EQ(solver.factor(stiff.matrix), LinearStatus::solved);
  EXPECT_LT(solver.solve(b, again).iterations, Automatic::kProbeIterations);
  EXPECT_EQ(again, x);
  solver.begin_step(geometry);
  EXPECT_LT(error_of(solver, soft, known), 1e-6);
  solver.begin_step(geometry);
  ASSERT_EQ(solver.factor(stiff.matrix), LinearStatus::solved);
  EXPECT_EQ(solver.solve(b, again).iterations, first.iterations);
  EXPECT_EQ(again, x);
}

TEST(Automatic, FallsBackToCholesky) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{24, 8, 8});
  BlockVector known = test::random_vector(problem.matrix.row_count(), 4);
  problem.filter.apply(known);
  Automatic solver({.tolerance = 1e-12, .max_iterations = 2, .largest_direct_system = 500});
  solver.begin_step({&problem.positions, nullptr, &problem.filter});
  EXPECT_LT(error_of(solver, problem, known), 1e-8);
  EXPECT_EQ(solver.name(), "cholesky, pcg, multigrid");
}

// Where the limits are, with and without contact. Thin bars are cheap to factor, and too stiff for pcg.
TEST(Automatic, GoesByBlocksAndByWhatAFactorisationCosts) {
  const auto name_of = [](const test::ModelProblem& problem, bool keeps_pattern) {
    AutomaticSettings settings{.keeps_pattern = keeps_pattern};
    if (!keeps_pattern) settings.always_factored = 500;
    Automatic solver(settings);
    solver.begin_step({&problem.positions, nullptr, &problem.filter});
    BlockVector known = test::random_vector(problem.matrix.row_count(), 7);
    problem.filter.apply(known);
    EXPECT_LT(error_of(solver, problem, known), 1e-4);
    return solver.name();
  };
  const auto cube = [](int n) { return test::clamped_truss(test::Grid{n, 10, 10}); };
  const auto bar = [](int n) { return test::truss(test::Grid{n, 2, 2}, 1e-4); };
  const auto soft = [](int n) { return test::truss(test::Grid{n, 10, 5}, 20); };
  // 1000 blocks, and more: solids by multigrid where inertia does not rule, thin bars by factorisation.
  EXPECT_EQ(name_of(cube(10), true), "cholesky");
  EXPECT_EQ(name_of(cube(11), true), "pcg, multigrid");
  EXPECT_EQ(name_of(soft(22), true), "pcg");
  EXPECT_EQ(name_of(bar(275), true), "cholesky");
  EXPECT_EQ(name_of(bar(5000), true), "cholesky");
  // 500 blocks with contact, and more.
  EXPECT_EQ(name_of(soft(10), false), "cholesky");
  EXPECT_EQ(name_of(soft(11), false), "pcg");
  // 20 000 blocks, and one more.
  EXPECT_EQ(name_of(bar(5000), false), "cholesky, pcg");
  const test::ModelProblem one{sparse::SymmetricBlockMatrix(sparse::PatternBuilder(1).build()), BlockVector(1),
                               BlockFilter(1)};
  test::ModelProblem more = test::side_by_side({bar(5000), one});
  more.matrix.block(more.matrix.pattern().diagonal_slot(20000)) = Mat3::Identity();
  for (const bool keeps_pattern : {true, false}) EXPECT_EQ(name_of(more, keeps_pattern), "pcg, multigrid");
}

// A system that is not large goes from conjugate gradients to a factorisation.
TEST(Automatic, IsPatientOnlySoLong) {
  const test::ModelProblem easy = test::truss(test::Grid{60, 4, 4}, 10), hard = test::truss(test::Grid{60, 4, 4}, 1e-9);
  const BlockVector known = test::random_vector(60 * 4 * 4, 5);
  BlockVector b(known.size()), x(known.size());
  Automatic solver({.tolerance = 1e-12, .always_factored = 500, .keeps_pattern = false});
  const auto solve = [&](const test::ModelProblem& problem) {
    problem.matrix.multiply(known, b);
    EXPECT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
    const LinearReport report = solver.solve(b, x);
    EXPECT_EQ(report.status, LinearStatus::solved);
    return report.iterations;
  };
  solver.begin_step({});
  const int quick = solve(easy);
  EXPECT_GT(quick, 0);
  EXPECT_LT(quick, Automatic::kPatientIterations);
  EXPECT_EQ(solver.name(), "pcg");
  EXPECT_EQ(solve(hard), Automatic::kPatientIterations);
  EXPECT_EQ(solver.name(), "cholesky, pcg");
  EXPECT_EQ(solve(easy), quick);  // the first time for this matrix alone
  EXPECT_EQ(solve(hard), Automatic::kPatientIterations);
  EXPECT_EQ(solve(easy), 0);  // the second time for the rest of the step
  EXPECT_LT(test::largest_difference(x, known), 1e-12);
  solver.begin_step({});
  EXPECT_EQ(solve(easy), quick);
  solver.set_tolerance(0.1);
  EXPECT_LT(3 * solve(easy), quick);
}

TEST(Automatic, SaysWhenAMatrixIsIndefinite) {
  const test::ModelProblem problem = test::truss(test::Grid{10}, -1);
  BlockVector x(1000);
  Automatic solver({.always_factored = 500});
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);  // conjugate gradients find out on their way
  EXPECT_EQ(solver.solve(test::random_vector(1000, 6), x).status, LinearStatus::not_positive_definite);
}

}  // namespace
}  // namespace pliant::linear
