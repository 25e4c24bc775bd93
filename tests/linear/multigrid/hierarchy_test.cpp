// The hierarchy: a symmetric positive definite preconditioner whose quality does not depend on the mesh.
#include "pliant/linear/multigrid/hierarchy.h"

#include <gtest/gtest.h>

#include "pliant/parallel/parallel.h"
#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

SystemGeometry geometry_of(const test::ModelProblem& problem) { return {&problem.positions, nullptr, &problem.filter}; }

// ‖I − B A‖ in the energy norm, by power iteration.
double contraction(Hierarchy& hierarchy, const sparse::SymmetricBlockMatrix& matrix, const BlockFilter& filter) {
  BlockVector e = test::random_vector(matrix.row_count(), 5), r(e.size()), z(e.size());
  filter.apply(e);
  double rate = 0;
  for (int k = 0; k < 25; ++k) {
    matrix.multiply(e, r);
    const double before = sparse::dot(e, r);
    hierarchy.apply(r, z);
    sparse::add_scaled(e, -1, z);
    matrix.multiply(e, r);
    rate = std::sqrt(sparse::dot(e, r) / before);
    sparse::scale(e, 1 / std::sqrt(sparse::dot(e, e)));
  }
  return rate;
}

TEST(Hierarchy, IsSymmetricAndPositive) {
  for (const SmootherKind smoother : {SmootherKind::gauss_seidel, SmootherKind::chebyshev}) {
    for (const bool is_solid : {true, false}) {
      const test::ModelProblem problem =
          is_solid ? test::clamped_truss(test::Grid{16, 8, 8}) : test::poisson(50, 40, 10);
      Hierarchy hierarchy({.smoother = smoother});
      ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
      ASSERT_GE(hierarchy.level_count(), 2);
      const int n = problem.matrix.row_count();
      BlockVector bx(n), by(n);
      for (unsigned seed = 0; seed < 10; ++seed) {
        const BlockVector x = test::random_vector(n, 2 * seed), y = test::random_vector(n, 2 * seed + 1);
        hierarchy.apply(x, bx);
        hierarchy.apply(y, by);
        const double size = std::sqrt(sparse::dot(x, bx) * sparse::dot(y, by));
        EXPECT_GT(sparse::dot(x, bx), 0);
        EXPECT_NEAR(sparse::dot(bx, y), sparse::dot(x, by), 1e-5 * size);
      }
    }
  }
}

TEST(Hierarchy, ABuildDoesNotDependOnEarlierMatrices) {
  // Strong along x; the same, somewhat stronger; strong along y; and the first again. 2000 and 6000 rows.
  for (const int nx : {50, 150}) {
    const test::ModelProblem first = test::poisson(nx, 40, 100);
    Hierarchy used;
    for (const double along : {100.0, 120.0, 0.01, 100.0}) {
      const test::ModelProblem now = test::poisson(nx, 40, along);
      sparse::SymmetricBlockMatrix matrix(first.matrix.shared_pattern());
      std::copy_n(now.matrix.values(), 9 * static_cast<std::size_t>(matrix.pattern().slot_count()), matrix.values());
      Hierarchy fresh;
      ASSERT_EQ(used.build(matrix, geometry_of(first)), LinearStatus::solved);
      ASSERT_EQ(fresh.build(matrix, geometry_of(first)), LinearStatus::solved);
      EXPECT_EQ(used.node_counts(), fresh.node_counts());
      const BlockVector r = test::random_vector(matrix.row_count(), 3);
      BlockVector z(r.size()), expected(r.size());
      used.apply(r, z);
      fresh.apply(r, expected);
      EXPECT_TRUE(std::equal(z.data(), z.data() + 4 * z.size(), expected.data())) << along;
    }
  }
}

TEST(Hierarchy, ContractsTheErrorAtARateThatHardlyDependsOnTheMesh) {
  std::vector<double> rates;
  for (const int n : {8, 16, 24}) {
    const test::ModelProblem problem = test::clamped_truss(test::Grid{n});
    Hierarchy hierarchy;
    ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
    rates.push_back(contraction(hierarchy, problem.matrix, problem.filter));
    EXPECT_LT(hierarchy.operator_complexity(), 1.6);
  }
  EXPECT_LT(rates[2], 0.9);
  EXPECT_LT(1 - rates[0], 4 * (1 - rates[2]));
}

TEST(Hierarchy, RefreshedIsAsGoodAsBuiltAnew) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{16, 10, 8});
  test::ModelProblem other = problem;
  for (int i = 0; i < other.matrix.row_count(); ++i) {
    if (other.filter.held_directions(i) == 0)
      other.matrix.block(other.matrix.pattern().diagonal_slot(i)) += 0.3 * Mat3::Identity();
  }
  Hierarchy anew, refreshed;
  ASSERT_EQ(anew.build(other.matrix, geometry_of(other)), LinearStatus::solved);
  ASSERT_EQ(refreshed.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
  EXPECT_GT(refreshed.largest_change(other.matrix), 1.05);
  ASSERT_EQ(refreshed.refresh(other.matrix, geometry_of(other)), LinearStatus::solved);
  EXPECT_LT(refreshed.largest_change(other.matrix), 1.05);
  EXPECT_LT(contraction(refreshed, other.matrix, other.filter), contraction(anew, other.matrix, other.filter) + 0.05);
  // With the same matrix nothing changes, to the bit.
  const BlockVector r = test::random_vector(problem.matrix.row_count(), 1);
  BlockVector first(r.size()), second(r.size());
  anew.apply(r, first);
  ASSERT_EQ(anew.refresh(other.matrix, geometry_of(other)), LinearStatus::solved);
  anew.apply(r, second);
  EXPECT_EQ(first, second);
}

TEST(Hierarchy, WithANewFinestLevelAloneIsSymmetricPositiveAndTellsItsResidual) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{16, 10, 8});
  test::ModelProblem other = problem;
  for (int i = 0; i < other.matrix.row_count(); ++i) {
    if (other.filter.held_directions(i) == 0)
      other.matrix.block(other.matrix.pattern().diagonal_slot(i)) += 0.02 * (i % 7) * Mat3::Identity();
  }
  Hierarchy hierarchy;
  ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
  ASSERT_GE(hierarchy.level_count(), 2);
  EXPECT_FALSE(hierarchy.is_of(other.matrix));
  ASSERT_EQ(hierarchy.renew_finest(other.matrix), LinearStatus::solved);
  EXPECT_TRUE(hierarchy.is_of(other.matrix));

  // Symmetric and positive, as the coarse levels are.
  const int n = other.matrix.row_count();
  const BlockVector x = test::random_vector(n, 1), y = test::random_vector(n, 2);
  BlockVector bx(n), by(n);
  hierarchy.apply(x, bx);
  hierarchy.apply(y, by);
  const double size = std::sqrt(sparse::dot(x, bx) * sparse::dot(y, by));
  EXPECT_GT(sparse::dot(x, bx), 0);
  EXPECT_NEAR(sparse::dot(bx, y), sparse::dot(x, by), 1e-5 * size);

  // The residual of the last sweep is that of the new matrix: r − A B r, scaled as the right side was.
  ASSERT_TRUE(hierarchy.knows_residual());
  BlockVector product(n);
  hierarchy.apply(x, bx);
  other.matrix.multiply(bx, product);
  const double shrink = shrinking_factor(largest_number(x));
  double error = 0;
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c) {
      const double left = hierarchy.residual()[4 * static_cast<std::size_t>(i) + c] / shrink;
      error = std::max(error, std::abs(left - (x[i][c] - product[i][c])));
    }
  }
  EXPECT_LT(error, 1e-4 * largest_number(x));

  // Coarse levels that are a little too soft serve nearly as well as new ones.
  Hierarchy anew;
  ASSERT_EQ(anew.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
  const double rate = contraction(anew, problem.matrix, problem.filter);
  other = problem;
  other.matrix.scale(1.05);
  ASSERT_EQ(hierarchy.renew_finest(other.matrix), LinearStatus::solved);
  EXPECT_LT(contraction(hierarchy, other.matrix, other.filter), rate + 0.05);
}

TEST(Hierarchy, ManagesOddSystems) {
  BlockVector z(0);
  // Nothing at all.
  Hierarchy empty;
  const sparse::SymmetricBlockMatrix nothing(sparse::PatternBuilder(0).build());
  ASSERT_EQ(empty.build(nothing, {}), LinearStatus::solved);
  empty.apply(BlockVector(0), z);

  // Decoupled points, more than a dense matrix takes: the smoother is exact.
  const int n = 3000;
  sparse::SymmetricBlockMatrix loose(sparse::PatternBuilder(n).build());
  for (int i = 0; i < n; ++i) loose.block(i) = (1.0 + i) * Mat3::Identity();
  Hierarchy smoothing;
  ASSERT_EQ(smoothing.build(loose, {}), LinearStatus::solved);
  const BlockVector r = test::random_vector(n, 2);
  z.resize(n);
  smoothing.apply(r, z);
  for (int i = 0; i < n; ++i) EXPECT_LT((z[i] * (1.0 + i) - r[i]).norm(), 1e-6);

  // Everything held.
  test::ModelProblem held = test::truss(test::Grid{8}, 0);
  for (int i = 0; i < 512; ++i) held.filter.hold(i);
  held.filter.apply(held.matrix);
  Hierarchy fixed;
  ASSERT_EQ(fixed.build(held.matrix, geometry_of(held)), LinearStatus::solved);
  const BlockVector push = test::random_vector(512, 3);
  z.resize(512);
  fixed.apply(push, z);
  for (int i = 0; i < 512; ++i)
    EXPECT_LT((held.matrix.block(held.matrix.pattern().diagonal_slot(i)) * z[i] - push[i]).norm(), 1e-6);

  // Numbers that are none, and a matrix that is not positive definite on smooth vectors.
  test::ModelProblem bad = test::truss(test::Grid{8}, -0.02);
  EXPECT_EQ(Hierarchy().build(bad.matrix, geometry_of(bad)), LinearStatus::not_positive_definite);
  bad.matrix.block(0)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Hierarchy().build(bad.matrix, geometry_of(bad)), LinearStatus::not_finite);
}

// K₀ = P₀ P₁ … K_l: what hardly costs energy is known to every level, and costs hardly any there. To 10⁻⁴ on the second
// level, where inertia (10⁻⁵ of the springs) and single precision stand against it. P between coarse levels smooths with a
// matrix whose weak connections were lumped, which rigid motions do not outlive exactly: to 0.3 %.
TEST(Hierarchy, ReproducesRigidMotionsOnEveryLevel) {
  const test::ModelProblem problem = test::truss(test::Grid{30, 16, 12}, 1e-5);
  Hierarchy hierarchy({.coarsest_unknowns = 60});
  ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
  ASSERT_GE(hierarchy.level_count(), 3);
  const std::vector<std::uint8_t> none(problem.matrix.row_count(), 0);
  const Eigen::MatrixXd motions = test::dense<3>(rigid_motions(problem.positions, nullptr, none));
  for (int level = 1; level < hierarchy.level_count(); ++level) {
    const Eigen::MatrixXd own = test::dense<6>(hierarchy.near_kernel(level));
    const Eigen::MatrixXd matrix = test::dense<6>(hierarchy.coarse_matrix(level));
    Eigen::MatrixXd fine = own;
    for (int l = level - 1; l > 0; --l) fine = test::dense<6>(hierarchy.prolongator(l)) * fine;
    fine = test::dense<3>(hierarchy.prolongator(0)) * fine;
    for (int k = 0; k < 6; ++k) {
      EXPECT_LT((fine.col(k) - motions.col(k)).norm(), (level == 1 ? 1e-4 : 1e-2) * motions.col(k).norm())
          << level << " " << k;
      EXPECT_LT((matrix * own.col(k)).norm(), 2e-3 * matrix.diagonal().maxCoeff() * own.col(k).norm())
          << level << " " << k;
    }
  }
}

TEST(Hierarchy, LeavesBlocksThatAreNoPointsToTheSmoother) {
  const test::MixedProblem problem = test::truss_with_twists_and_rigid_body(test::Grid{16, 8, 8}, 60);
  const SystemGeometry geometry{&problem.positions, &problem.layout, &problem.filter};
  Hierarchy hierarchy;
  ASSERT_EQ(hierarchy.build(problem.matrix, geometry), LinearStatus::solved);
  ASSERT_GE(hierarchy.level_count(), 2);
  const SparseRows& rows = hierarchy.prolongator(0).rows;
  const int n = problem.matrix.row_count();
  int left_out = 0;
  for (int i = 0; i < n; ++i) {
    const bool is_point = problem.layout.kind(i) == BlockKind::point;
    if (!is_point) {
      EXPECT_EQ(rows.start[i + 1], rows.start[i]) << i;
    }
    left_out += rows.start[i + 1] == rows.start[i] ? 1 : 0;
  }
  EXPECT_GE(left_out, 63);
  EXPECT_LE(left_out, 64);  // the rigid body's centre is a point
  BlockVector bx(n), by(n);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const BlockVector x = test::random_vector(n, 2 * seed), y = test::random_vector(n, 2 * seed + 1);
    hierarchy.apply(x, bx);
    hierarchy.apply(y, by);
    EXPECT_GT(sparse::dot(x, bx), 0);
    EXPECT_NEAR(sparse::dot(bx, y), sparse::dot(x, by), 1e-5 * std::sqrt(sparse::dot(x, bx) * sparse::dot(y, by)));
  }
}

// Two solids, one of them free, a sheet and points that nothing holds but their mass: aggregates keep to one of them.
TEST(Hierarchy, KeepsDisconnectedMeshesApart) {
  test::ModelProblem loose{sparse::SymmetricBlockMatrix(sparse::PatternBuilder(40).build()), BlockVector(40),
                           BlockFilter(40)};
  for (int i = 0; i < 40; ++i) loose.matrix.block(i) = (1.0 + i) * Mat3::Identity();
  const std::vector<test::ModelProblem> parts{test::clamped_truss(test::Grid{12, 8, 6}), loose,
                                              test::truss(test::Grid{10, 7, 7}, 0.01), test::poisson(30, 20)};
  const test::ModelProblem problem = test::side_by_side(parts);
  Hierarchy hierarchy;
  ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
  ASSERT_GE(hierarchy.level_count(), 2);
  const SparseRows& rows = hierarchy.prolongator(0).rows;
  std::vector<int> part_of_aggregate(hierarchy.prolongator(0).coarse_count, -1);
  int first = 0;
  for (int part = 0; part < 4; ++part) {
    for (int i = first; i < first + parts[part].matrix.row_count(); ++i) {
      if (part == 1) {
        EXPECT_EQ(rows.start[i + 1], rows.start[i]) << i;
      }
      for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) {
        int& owner = part_of_aggregate[rows.column[e]];
        if (owner < 0) owner = part;
        EXPECT_EQ(owner, part) << i;
      }
    }
    first += parts[part].matrix.row_count();
  }
  EXPECT_LT(contraction(hierarchy, problem.matrix, problem.filter), 0.9);
}

TEST(Hierarchy, HasTheSameBitsForAnyNumberOfThreads) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{30, 16, 12});
  const BlockVector r = test::random_vector(problem.matrix.row_count(), 4);
  BlockVector z(r.size()), expected;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    Hierarchy hierarchy;
    ASSERT_EQ(hierarchy.build(problem.matrix, geometry_of(problem)), LinearStatus::solved);
    hierarchy.apply(r, z);
    if (threads == 1) expected = z;
    EXPECT_EQ(z, expected) << threads;
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
