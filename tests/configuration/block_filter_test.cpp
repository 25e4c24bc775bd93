// The filter against dense projectors: S v, S A S + s (I − S), positive definiteness.
#include "pliant/configuration/block_filter.h"

#include <gtest/gtest.h>

#include "pliant/assert.h"
#include "tests/sparse/grid_matrix.h"
#include "tests/support/dense_algebra.h"

namespace pliant {
namespace {

const Vec3 kOblique = Vec3(1, -2, 3).normalized();

// A free, a wholly held, an axis-held, an oblique and a doubly held block, on a small grid.
BlockFilter mixed_filter(int blocks) {
  BlockFilter filter(blocks);
  filter.hold(1);
  filter.hold(4, Vec3::UnitY());
  filter.hold(7, kOblique);
  filter.hold(12, Vec3::UnitX());
  filter.hold(12, kOblique);
  return filter;
}

Eigen::MatrixXd dense_projector(const BlockFilter& filter) {
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(3 * filter.block_count(), 3 * filter.block_count());
  for (int i = 0; i < filter.block_count(); ++i) s.block<3, 3>(3 * i, 3 * i) = filter.projector(i);
  return s;
}

TEST(BlockFilter, ProjectorsAreOrthogonalProjections) {
  const BlockFilter filter = mixed_filter(27);
  const int ranks[27] = {3, 0, 3, 3, 2, 3, 3, 2, 3, 3, 3, 3, 1};
  for (int i = 0; i <= 12; ++i) {
    const Mat3 s = filter.projector(i);
    EXPECT_LT((s * s - s).norm(), 1e-15);
    EXPECT_EQ(s, Mat3(s.transpose()));
    EXPECT_NEAR(s.trace(), ranks[i], 1e-15);
    EXPECT_EQ(filter.held_directions(i), 3 - ranks[i]);
  }
  EXPECT_LT((filter.projector(7) * kOblique).norm(), 1e-15);
  EXPECT_LT((filter.projector(12) * kOblique).norm() + (filter.projector(12) * Vec3::UnitX()).norm(), 1e-15);
}

TEST(BlockFilter, HeldDirectionsAccumulate) {
  BlockFilter filter(2);
  EXPECT_FALSE(filter.any_held());
  filter.hold(0, kOblique);
  filter.hold(0, -kOblique);  // nothing new
  EXPECT_EQ(filter.held_directions(0), 1);
  filter.hold(0, Vec3::UnitZ());
  filter.hold(0, (0.3 * kOblique + 0.4 * Vec3::UnitZ()).normalized());  // in their span
  EXPECT_EQ(filter.held_directions(0), 2);
  filter.hold(0, Vec3::UnitX());
  EXPECT_EQ(filter.held_directions(0), 3);
  EXPECT_EQ(filter.projector(0), Mat3(Mat3::Zero()));
  EXPECT_EQ(filter.held_blocks().size(), 1u);
  EXPECT_THROW(filter.hold(1, Vec3(1, 1, 0)), InternalError);
  EXPECT_THROW(filter.hold(2), InternalError);
}

TEST(BlockFilter, AxesAreExact) {
  BlockFilter filter(1);
  filter.hold(0, Vec3::UnitY());
  BlockVector v(1);
  v[0] = Vec3(0.1, 0.7, 1.0 / 3);
  filter.apply(v);
  EXPECT_EQ(Vec3(v[0]), Vec3(0.1, 0, 1.0 / 3));
}

TEST(BlockFilter, VectorIsProjected) {
  const BlockFilter filter = mixed_filter(27);
  const BlockVector v = test::random_vector(27, 1);
  BlockVector w = v;
  filter.apply(w);
  EXPECT_LT((test::dense(w) - dense_projector(filter) * test::dense(v)).norm(), 1e-15);
  EXPECT_EQ(Vec3(w[1]), Vec3(Vec3::Zero()));
  EXPECT_EQ(Vec3(w[0]), Vec3(v[0]));
}

TEST(BlockFilter, MatrixIsProjectedFromBothSides) {
  const test::Grid grid{3};
  const BlockFilter filter = mixed_filter(grid.size());
  sparse::SymmetricBlockMatrix matrix(grid.pattern());
  test::fill_randomly(matrix, 2);
  for (int i = 0; i < grid.size(); ++i) matrix.block(matrix.pattern().diagonal_slot(i)) += 20 * Mat3::Identity();
  const Eigen::MatrixXd before = test::dense(matrix), s = dense_projector(filter);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(s.rows(), s.cols());
  filter.apply(matrix);
  const double scale = before.trace() / static_cast<double>(before.rows());
  EXPECT_LT((test::dense(matrix) - (s * before * s + scale * (identity - s))).norm(), 1e-12);
}

TEST(BlockFilter, MatrixStaysPositiveDefiniteAndWellConditioned) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1e-3);
  matrix.scale(1e7);  // a stiff material
  const auto condition = [](const sparse::SymmetricBlockMatrix& a) {
    const Eigen::VectorXd values = test::eigenvalues(test::dense(a));
    EXPECT_GT(values.minCoeff(), 0);
    return values.maxCoeff() / values.minCoeff();
  };
  const double before = condition(matrix);
  mixed_filter(grid.size()).apply(matrix);
  EXPECT_LE(condition(matrix), before);
}

TEST(BlockFilter, HoldingNothingChangesNothing) {
  const test::Grid grid{3};
  sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  const Eigen::MatrixXd before = test::dense(matrix);
  BlockFilter(grid.size()).apply(matrix);
  EXPECT_EQ(test::dense(matrix), before);
}

}  // namespace
}  // namespace pliant
