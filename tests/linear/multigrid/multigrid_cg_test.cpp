// Conjugate gradients with multigrid: agreement with Cholesky, iterations that do not grow with the mesh, pins and
// sliding constraints, when the hierarchy is renewed, indefinite matrices.
#include "pliant/linear/multigrid/multigrid_cg.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "pliant/linear/cholesky.h"
#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"
#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

SystemGeometry about(const test::ModelProblem& problem) { return {&problem.positions, nullptr, &problem.filter}; }

LinearReport solve_with_multigrid(const test::ModelProblem& problem, const BlockVector& b, double tolerance,
                                  BlockVector& x) {
  MultigridCg solver({.tolerance = tolerance});
  solver.begin_step(about(problem));
  EXPECT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  x.resize(b.size());
  const LinearReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, LinearStatus::solved);
  return report;
}

int iterations_of(const test::ModelProblem& problem) {
  BlockVector b = test::random_vector(problem.matrix.row_count(), 1), x;
  problem.filter.apply(b);
  return solve_with_multigrid(problem, b, 1e-8, x).iterations;
}

TEST(MultigridCg, AgreesWithCholesky) {
  test::ModelProblem problem = test::clamped_truss(test::Grid{20, 8, 8});
  // One huge stiffness.
  problem.matrix.block(problem.matrix.pattern().diagonal_slot(700)) += 1e6 * Mat3::Identity();
  BlockVector b = test::random_vector(problem.matrix.row_count(), 2), x, expected(b.size());
  problem.filter.apply(b);
  const LinearReport report = solve_with_multigrid(problem, b, 1e-14, x);
  EXPECT_LT(report.residual, 1e-12);
  Cholesky direct;
  ASSERT_EQ(direct.factor(problem.matrix), LinearStatus::solved);
  (void)direct.solve(b, expected);
  EXPECT_LT(test::largest_difference(x, expected), 1e-10 * test::dense(expected).cwiseAbs().maxCoeff());
  EXPECT_TRUE(test::padding_is_zero(x));
}

// One half of a bar a million times stiffer than the other, beyond what single precision tells apart in one row: every
// half agrees with Cholesky by its own size, held at either end.
TEST(MultigridCg, SolvesHugeStiffnessBesideTiny) {
  constexpr double kTiny = 1e-3, kHuge = 1e3;
  const test::Grid grid{20, 8, 8};
  for (const double held : {0.0, 19.0}) {
    test::ModelProblem problem{sparse::SymmetricBlockMatrix(grid.pattern()), BlockVector(grid.size()),
                               BlockFilter(grid.size())};
    problem.positions = test::truss(grid, 0).positions;
    sparse::SymmetricBlockMatrix& a = problem.matrix;
    const auto is_stiff = [&](int i) { return problem.positions[i].x() < 10; };
    grid.for_each_edge([&](int i, int j, const Vec3& d) {
      const Mat3 k = (is_stiff(i) && is_stiff(j) ? kHuge : kTiny) * d * d.transpose();
      a.block(a.pattern().diagonal_slot(i)) += k;
      a.block(a.pattern().diagonal_slot(j)) += k;
      a.block(a.pattern().slot(i, j)) -= k;
    });
    for (int i = 0; i < grid.size(); ++i) {
      if (problem.positions[i].x() == held) problem.filter.hold(i);
    }
    problem.filter.apply(a);
    BlockVector b = test::random_vector(grid.size(), 2), x, expected(b.size());
    problem.filter.apply(b);
    const LinearReport report = solve_with_multigrid(problem, b, 1e-12, x);
    EXPECT_LT(report.iterations, 120) << held;
    Cholesky direct;
    ASSERT_EQ(direct.factor(a), LinearStatus::solved);
    (void)direct.solve(b, expected);
    for (const bool stiff : {true, false}) {
      double error = 0, size = 0;
      for (int i = 0; i < grid.size(); ++i) {
        if (is_stiff(i) != stiff) continue;
        error = std::max(error, (x[i] - expected[i]).norm());
        size = std::max(size, expected[i].norm());
      }
      EXPECT_LT(error, 1e-6 * size) << held << " " << stiff;
    }
  }
}

// Twists of rods and the axes of a rigid body beside a solid: the smoother alone treats them.
TEST(MultigridCg, AgreesWithCholeskyWhereBlocksAreNoPoints) {
  const test::MixedProblem problem = test::truss_with_twists_and_rigid_body(test::Grid{16, 8, 8}, 60);
  const int n = problem.matrix.row_count();
  const BlockVector b = test::random_vector(n, 3);
  BlockVector x(n), expected(n);
  MultigridCg solver({.tolerance = 1e-13});
  solver.begin_step({&problem.positions, &problem.layout, &problem.filter});
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  ASSERT_GE(solver.hierarchy().level_count(), 2);
  const LinearReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, LinearStatus::solved);
  EXPECT_LT(report.iterations, 100);  // 72
  Cholesky direct;
  ASSERT_EQ(direct.factor(problem.matrix), LinearStatus::solved);
  (void)direct.solve(b, expected);
  EXPECT_LT(test::largest_difference(x, expected), 1e-9 * test::dense(expected).cwiseAbs().maxCoeff());
}

TEST(MultigridCg, SolvesDisconnectedMeshesAndLoosePoints) {
  test::ModelProblem loose{sparse::SymmetricBlockMatrix(sparse::PatternBuilder(40).build()), BlockVector(40),
                           BlockFilter(40)};
  for (int i = 0; i < 40; ++i) loose.matrix.block(i) = (1.0 + i) * Mat3::Identity();
  const test::ModelProblem problem =
      test::side_by_side({test::clamped_truss(test::Grid{12, 8, 6}), loose, test::truss(test::Grid{10, 7, 7}, 0.01),
                          test::poisson(30, 20)});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 4), x, expected(b.size());
  problem.filter.apply(b);
  const LinearReport report = solve_with_multigrid(problem, b, 1e-13, x);
  EXPECT_LT(report.iterations, 60);
  Cholesky direct;
  ASSERT_EQ(direct.factor(problem.matrix), LinearStatus::solved);
  (void)direct.solve(b, expected);
  EXPECT_LT(test::largest_difference(x, expected), 1e-9 * test::dense(expected).cwiseAbs().maxCoeff());
}

TEST(MultigridCg, SolvesWhereEverythingIsHeld) {
  test::ModelProblem problem = test::truss(test::Grid{8}, 0);
  for (int i = 0; i < 512; ++i) problem.filter.hold(i);
  problem.filter.apply(problem.matrix);
  const BlockVector b = test::random_vector(512, 5);
  BlockVector x;
  EXPECT_LE(solve_with_multigrid(problem, b, 1e-12, x).iterations, 3);
  const double s = problem.matrix.block(problem.matrix.pattern().diagonal_slot(0))(0, 0);
  for (int i = 0; i < 512; ++i) EXPECT_LT((s * x[i] - b[i]).norm(), 1e-11);
  // As a time step asks: no force is left on what is held.
  EXPECT_EQ(solve_with_multigrid(problem, BlockVector(512), 1e-12, x).iterations, 0);
  EXPECT_EQ(x, BlockVector(512));
}

// Free bodies with hardly any inertia: single precision knows little of A p. As many iterations as products in double
// take (54; those of the cycle alone took 162), and the digits of double.
TEST(MultigridCg, ProductsFromTheCycleDoNotLimitTheSolution) {
  test::ModelProblem problem = test::truss(test::Grid{24, 9, 9}, 1e-9);
  for (int i = 0; i < problem.matrix.row_count(); i += 7)
    problem.matrix.block(problem.matrix.pattern().diagonal_slot(i)) += 1e-7 * Mat3::Identity();
  const BlockVector b = test::random_vector(problem.matrix.row_count(), 12);
  BlockVector x, expected(b.size());
  const LinearReport report = solve_with_multigrid(problem, b, 1e-13, x);
  EXPECT_LT(report.iterations, 65);
  Cholesky direct;
  ASSERT_EQ(direct.factor(problem.matrix), LinearStatus::solved);
  (void)direct.solve(b, expected);
  EXPECT_LT(test::largest_difference(x, expected), 1e-5 * test::dense(expected).cwiseAbs().maxCoeff());
  // The residual that is reported is that of x.
  BlockVector scratch(b.size());
  EXPECT_NEAR(report.residual, relative_residual(problem.matrix, b, x, nullptr, scratch), 1e-3 * report.residual);
}

TEST(MultigridCg, SlidingConstraintsAreExact) {
  test::ModelProblem problem = test::truss(test::Grid{14, 8, 8}, 0.001);
  const Vec3 oblique = Vec3(1, 2, -2) / 3;
  for (int i = 0; i < problem.matrix.row_count(); ++i) {
    if (problem.positions[i].y() == 0) problem.filter.hold(i, Vec3::UnitY());
    if (problem.positions[i].x() == 13) problem.filter.hold(i, oblique);
  }
  const sparse::SymmetricBlockMatrix unfiltered = problem.matrix;
  problem.filter.apply(problem.matrix);
  BlockVector b = test::random_vector(problem.matrix.row_count(), 3), x, expected(b.size());
  problem.filter.apply(b);
  (void)solve_with_multigrid(problem, b, 1e-14, x);

  // The constrained minimum: the force that is left acts along held directions alone.
  BlockVector force(b.size());
  unfiltered.multiply(x, force);
  sparse::combine(force, 1, force, -1, b);
  problem.filter.apply(force);
  EXPECT_LT(std::sqrt(sparse::dot(force, force) / sparse::dot(b, b)), 1e-11);
  for (const int i : problem.filter.held_blocks()) {
    const Vec3 held = x[i] - problem.filter.projector(i) * x[i];
    EXPECT_LT(held.norm(), 1e-12);
  }
}

// min ½ xᵀAx − bᵀx with x = z along held directions: x = y + z, S A S y + s (I − S) y = S (b − A z) [Tamstorf2016, eq. 11.5]
// against the saddle-point system with a multiplier per held direction.
TEST(MultigridCg, PrescribedValuesGiveWhatTheSaddlePointSystemGives) {
  test::ModelProblem problem = test::truss(test::Grid{12, 6, 5}, 0.001);
  const int n = problem.matrix.row_count();
  const Vec3 oblique = Vec3(1, 2, -2) / 3;
  BlockVector z(n);
  std::vector<std::pair<int, Vec3>> rows;  // held directions
  const auto hold = [&](int i, const Vec3& direction, double value) {
    problem.filter.hold(i, direction);
    rows.emplace_back(i, direction);
    z[i] += value * direction;
  };
  for (int i = 0; i < n; ++i) {
    const Vec3& at = problem.positions[i];
    if (at.x() == 0) {
      for (int c = 0; c < 3; ++c) hold(i, Vec3::Unit(c), 0.1 * std::sin(i + 2.0 * c));
    } else if (at.x() == 11) {
      hold(i, oblique, 0.3 + 0.01 * i);
    } else if (at.y() == 0) {
      hold(i, Vec3::UnitY(), -0.2);
      hold(i, Vec3::UnitX(), 0.05 * at.z());
    }
  }
  const BlockVector b = test::random_vector(n, 3);
  const int m = static_cast<int>(rows.size());
  Eigen::MatrixXd saddle = Eigen::MatrixXd::Zero(3 * n + m, 3 * n + m);
  Eigen::VectorXd right(3 * n + m);
  saddle.topLeftCorner(3 * n, 3 * n) = test::dense(problem.matrix);
  right.head(3 * n) = test::dense(b);
  for (int k = 0; k < m; ++k) {
    const auto& [i, direction] = rows[k];
    saddle.block<3, 1>(3 * i, 3 * n + k) = direction;
    saddle.block<1, 3>(3 * n + k, 3 * i) = direction.transpose();
    right[3 * n + k] = direction.dot(z[i]);
  }
  const Eigen::VectorXd expected = saddle.partialPivLu().solve(right).head(3 * n);

  BlockVector c(n), y(n);
  problem.matrix.multiply(z, c);
  sparse::combine(c, 1, b, -1, c);
  problem.filter.apply(c);
  problem.filter.apply(problem.matrix);
  MultigridCg solver({.tolerance = 1e-14, .hierarchy = {.coarsest_unknowns = 60}});
  solver.begin_step(about(problem));
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  ASSERT_GE(solver.hierarchy().level_count(), 2);
  ASSERT_EQ(solver.solve(c, y).status, LinearStatus::solved);
  EXPECT_LT((test::dense(y) + test::dense(z) - expected).norm(), 1e-10 * expected.norm());
}

TEST(MultigridCg, IterationsHardlyGrowWithTheMesh) {
  const int poisson_small = iterations_of(test::poisson(40, 40)),
            poisson_large = iterations_of(test::poisson(160, 160));
  EXPECT_LE(poisson_large, 1.5 * poisson_small);
  EXPECT_LE(poisson_large, 25);
  const int solid_small = iterations_of(test::clamped_truss(test::Grid{10})),
            solid_large = iterations_of(test::clamped_truss(test::Grid{30}));
  EXPECT_LE(solid_large, 1.7 * solid_small);
  EXPECT_LE(solid_large, 40);
}

TEST(MultigridCg, NeedsFarFewerIterationsThanBlockJacobi) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{40, 10, 10});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 4), x(b.size());
  problem.filter.apply(b);
  Pcg simple({.tolerance = 1e-8, .max_iterations = 5000});
  ASSERT_EQ(simple.factor(problem.matrix), LinearStatus::solved);
  EXPECT_GT(simple.solve(b, x).iterations, 8 * iterations_of(problem));
}

TEST(MultigridCg, KeepsRefreshesAndRebuildsByWhatItSees) {
  test::ModelProblem problem = test::clamped_truss(test::Grid{16, 8, 8});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 5), x(b.size());
  problem.filter.apply(b);
  MultigridCg solver({.tolerance = 1e-8});
  solver.begin_step(about(problem));
  const auto solve = [&] {
    ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
    const LinearReport report = solver.solve(b, x);
    ASSERT_EQ(report.status, LinearStatus::solved);
    EXPECT_LT(report.residual, 1e-5);
  };
  solve();
  EXPECT_EQ(solver.build_count(), 1);
  // A matrix that hardly differs: coarse levels stay.
  problem.matrix.scale(1.05);
  solve();
  EXPECT_EQ(solver.build_count(), 1);
  EXPECT_EQ(solver.refresh_count(), 0);
  EXPECT_TRUE(solver.hierarchy().is_of(problem.matrix));
  // Small changes add up.
  problem.matrix.scale(1.06);
  solve();
  EXPECT_EQ(solver.refresh_count(), 1);
  // Unless it is asked for.
  ASSERT_EQ(solver.factor_values(problem.matrix), LinearStatus::solved);
  EXPECT_EQ(solver.build_count(), 1);
  EXPECT_EQ(solver.refresh_count(), 2);
  // A stiffness that was not there: new values.
  problem.matrix.block(problem.matrix.pattern().diagonal_slot(500)) += 1e5 * Mat3::Identity();
  solve();
  EXPECT_EQ(solver.build_count(), 1);
  EXPECT_EQ(solver.refresh_count(), 3);
  // In a new step, and for a new pattern: all anew.
  solver.begin_step(about(problem));
  solve();
  EXPECT_EQ(solver.build_count(), 2);
  problem = test::clamped_truss(test::Grid{16, 8, 8});
  solve();
  EXPECT_EQ(solver.build_count(), 3);
}

TEST(MultigridCg, RenewsAHierarchyThatServesBadlyInTheMiddleOfASolve) {
  // Springs along one axis, then along another: diagonals stay, strong connections do not.
  test::ModelProblem problem = test::poisson(80, 80, 1e3);
  for (int i = 0; i < 6400; ++i)
    problem.matrix.block(problem.matrix.pattern().diagonal_slot(i)) = (2 * 1e3 + 2) * Mat3::Identity();
  BlockVector b = test::random_vector(6400, 6), x(6400);
  MultigridCg solver({.tolerance = 1e-8});
  solver.begin_step(about(problem));
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  (void)solver.solve(b, x);
  for (int i = 0; i < 6400; ++i) {
    if (i % 80 < 79) problem.matrix.block(problem.matrix.pattern().slot(i, i + 1)) = -Mat3::Identity();
    if (i / 80 < 79) problem.matrix.block(problem.matrix.pattern().slot(i, i + 80)) = -1e3 * Mat3::Identity();
  }
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  EXPECT_EQ(solver.refresh_count(), 0);
  const LinearReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, LinearStatus::solved);
  EXPECT_EQ(solver.refresh_count(), 1);
  EXPECT_LT(report.residual, 1e-6);
}

TEST(MultigridCg, ReportsIndefiniteMatricesWithADescentDirection) {
  // Smooth vectors of negative energy are seen at once, by the coarsest level.
  test::ModelProblem problem = test::truss(test::Grid{8}, -0.02);
  MultigridCg solver({.tolerance = 1e-10});
  solver.begin_step(about(problem));
  EXPECT_EQ(solver.factor(problem.matrix), LinearStatus::not_positive_definite);

  // A single point by the iteration.
  problem = test::truss(test::Grid{8}, 1);
  problem.matrix.block(problem.matrix.pattern().diagonal_slot(100))(2, 2) = -5;
  const BlockVector b = test::random_vector(512, 7);
  BlockVector x(512);
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  EXPECT_EQ(solver.solve(b, x).status, LinearStatus::not_positive_definite);
  EXPECT_GT(sparse::dot(b, x), 0);
}

TEST(MultigridCg, ReportsTheLimitAndBadNumbersAndSolvesForNothing) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{12, 8, 8});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 8), x = b;
  MultigridCg solver({.tolerance = 1e-12, .max_iterations = 3});
  solver.begin_step(about(problem));
  ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
  const LinearReport report = solver.solve(b, x);
  EXPECT_EQ(report.status, LinearStatus::not_converged);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(solver.solve(BlockVector(b.size()), x).status, LinearStatus::solved);
  EXPECT_EQ(x, BlockVector(b.size()));
  b[3][1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(solver.solve(b, x).status, LinearStatus::not_finite);
}

TEST(MultigridCg, StopsWhereItsPaceIsTooSlow) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{24, 8, 8});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 8), x(b.size());
  problem.filter.apply(b);
  for (const int most : {2, 100}) {
    MultigridCg solver({.tolerance = 1e-12, .outlook = {.look = 5, .most_left = most}});
    solver.begin_step(about(problem));
    ASSERT_EQ(solver.factor(problem.matrix), LinearStatus::solved);
    const LinearReport report = solver.solve(b, x);
    EXPECT_EQ(report.status, most == 2 ? LinearStatus::not_converged : LinearStatus::solved);
    EXPECT_EQ(report.iterations == 5, most == 2);
  }
}

TEST(MultigridCg, SolutionHasTheSameBitsForAnyThreadCount) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{30, 16, 12});
  BlockVector b = test::random_vector(problem.matrix.row_count(), 9), x, expected;
  problem.filter.apply(b);
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    (void)solve_with_multigrid(problem, b, 1e-8, x);
    if (threads == 1) expected = x;
    EXPECT_EQ(x, expected) << threads;
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
