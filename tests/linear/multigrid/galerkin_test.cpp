// The Galerkin product: equal to the dense triple product on both kinds of level, also after new values.
#include "pliant/linear/multigrid/galerkin.h"

#include <gtest/gtest.h>

#include "pliant/parallel/parallel.h"
#include "tests/linear/multigrid/model_problems.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

struct TwoLevels {
  LevelMatrix<3> fine;
  Strength strength;
  Aggregates aggregates;
  TentativeProlongator tentative;
  Prolongator prolongator;
  ProlongatorSmoothing smoothing;
  Galerkin galerkin;
  LevelMatrix<6> coarse;

  explicit TwoLevels(const test::ModelProblem& problem, int radius = 1) : fine(test::level_of(problem.matrix)) {
    strength = find_strength(fine, 0.05F);
    aggregates = aggregate(strength, {}, radius);
    make_tentative<3>(rigid_motions(problem.positions, &problem.filter, {}), aggregates, tentative);
    smoothing = ProlongatorSmoothing(fine.pattern, strength, aggregates, prolongator);
    galerkin = Galerkin(fine.pattern, prolongator, coarse);
    fill();
  }
  void fill() {
    smoothing.smooth<3>(fine, tentative, 0.6F, prolongator);
    galerkin.multiply<3>(fine, prolongator, tentative.dropped, coarse);
  }
};

TEST(Galerkin, IsTheTripleProduct) {
  TwoLevels levels(test::clamped_truss(test::Grid{6}, 0.1));
  const auto error = [&] {
    const Eigen::MatrixXd p = test::dense<3>(levels.prolongator);
    const Eigen::MatrixXd expected = p.transpose() * test::dense(levels.fine) * p;
    return (test::dense(levels.coarse) - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
  };
  for (const std::uint8_t dropped : levels.tentative.dropped) ASSERT_EQ(dropped, 0);
  EXPECT_LT(error(), 1e-6);

  // Other values, same patterns.
  for (float& value : levels.fine.diagonal) value *= 1.5F;
  levels.fill();
  EXPECT_LT(error(), 1e-6);
}

TEST(Galerkin, IsTheTripleProductBetweenCoarseLevels) {
  const test::ModelProblem problem = test::truss(test::Grid{9}, 0.1);
  TwoLevels levels(problem);
  ASSERT_TRUE(levels.coarse.invert_diagonal());
  const Strength strength = find_strength(levels.coarse, 0.05F);
  const Aggregates aggregates = aggregate(strength, {}, 1);
  TentativeProlongator tentative;
  make_tentative<6>(levels.tentative.coarse, aggregates, tentative);
  Prolongator prolongator;
  const ProlongatorSmoothing smoothing(levels.coarse.pattern, strength, aggregates, prolongator);
  smoothing.smooth<6>(levels.coarse, tentative, 0.6F, prolongator);
  LevelMatrix<6> coarsest;
  const Galerkin galerkin(levels.coarse.pattern, prolongator, coarsest);
  galerkin.multiply<6>(levels.coarse, prolongator, tentative.dropped, coarsest);
  const Eigen::MatrixXd p = test::dense<6>(prolongator);
  const Eigen::MatrixXd expected = p.transpose() * test::dense(levels.coarse) * p;
  EXPECT_LT((test::dense(coarsest) - expected).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
}

TEST(Galerkin, DroppedUnknownsAreDecoupledAndPositive) {
  // A chain of points: no aggregate knows the rotation about the line.
  sparse::PatternBuilder builder(60);
  for (int i = 0; i + 1 < 60; ++i) builder.couple(std::array{i, i + 1});
  test::ModelProblem problem{sparse::SymmetricBlockMatrix(builder.build()), BlockVector(60), BlockFilter(60)};
  for (int i = 0; i < 60; ++i) {
    problem.positions[i] = Vec3(0.1 * i, 0, 0);
    problem.matrix.block(problem.matrix.pattern().diagonal_slot(i)) = 2.1 * Mat3::Identity();
    if (i + 1 < 60) problem.matrix.block(problem.matrix.pattern().slot(i, i + 1)) = -Mat3::Identity();
  }
  const TwoLevels levels(problem);
  const Eigen::MatrixXd coarse = test::dense(levels.coarse);
  int dropped = 0;
  for (int a = 0; a < levels.aggregates.count; ++a) {
    for (int k = 0; k < 6; ++k) {
      if ((levels.tentative.dropped[a] >> k & 1) == 0) continue;
      ++dropped;
      EXPECT_GT(coarse(6 * a + k, 6 * a + k), 0);
      EXPECT_NEAR(coarse.row(6 * a + k).cwiseAbs().sum(), coarse(6 * a + k, 6 * a + k), 1e-12);
    }
  }
  EXPECT_EQ(dropped, levels.aggregates.count);
  EXPECT_GT(test::eigenvalues(coarse).minCoeff(), 0);
}

TEST(Galerkin, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<float> expected;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    const TwoLevels levels(test::clamped_truss(test::Grid{24, 16, 12}), 2);
    if (threads == 1) expected = levels.coarse.inside;
    EXPECT_EQ(levels.coarse.inside, expected) << threads;
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
