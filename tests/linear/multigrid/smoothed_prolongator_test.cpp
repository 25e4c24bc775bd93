// The smoothed prolongator: rigid motions survive smoothing, energy falls, special rows are empty, transfers are
// transposes.
#include "pliant/linear/multigrid/smoothed_prolongator.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

struct Smoothed {
  LevelMatrix<3> level;
  Aggregates aggregates;
  TentativeProlongator tentative;
  Prolongator prolongator;
};

Smoothed smoothed_prolongator_of(const test::ModelProblem& problem, float threshold, float omega) {
  Smoothed s;
  s.level = test::level_of(problem.matrix);
  const Strength strength = find_strength(s.level, threshold);
  s.aggregates = aggregate(strength, {}, 1);
  make_tentative<3>(rigid_motions(problem.positions, &problem.filter, {}), s.aggregates, s.tentative);
  const ProlongatorSmoothing smoothing(s.level.pattern, strength, s.aggregates, s.prolongator);
  smoothing.smooth<3>(s.level, s.tentative, omega, s.prolongator);
  return s;
}

TEST(SmoothedProlongator, KeepsRigidMotionsAndLowersTheEnergy) {
  const test::ModelProblem problem = test::truss(test::Grid{7}, 0);
  const Smoothed s = smoothed_prolongator_of(problem, 0.005F, 0.5F);
  const Eigen::MatrixXd p = test::dense<3>(s.prolongator), hat = test::dense_tentative(s.tentative, s.aggregates);
  const Eigen::MatrixXd k = test::dense<3>(rigid_motions(problem.positions, nullptr, {}));
  const Eigen::MatrixXd a = test::dense(problem.matrix);
  // P R = P̂ R = K, because A K = 0.
  EXPECT_LT((p * test::dense<6>(s.tentative.coarse) - k).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((p.transpose() * a * p).trace(), 0.5 * (hat.transpose() * a * hat).trace());
}

TEST(SmoothedProlongator, IsTheFormulaWithWeakBlocksOnTheDiagonal) {
  const test::ModelProblem problem = test::poisson(9, 8, 50);
  const float omega = 0.6F;
  const Smoothed s = smoothed_prolongator_of(problem, 0.05F, omega);
  // Weak: along y. Their sums go to the diagonal.
  Eigen::MatrixXd filtered = test::dense(problem.matrix);
  for (int i = 0; i < 72; ++i) {
    for (const int j : {i - 9, i + 9}) {
      if (j < 0 || j >= 72) continue;
      filtered.block<3, 3>(3 * i, 3 * i) += filtered.block<3, 3>(3 * i, 3 * j);
      filtered.block<3, 3>(3 * i, 3 * j).setZero();
    }
  }
  const Eigen::MatrixXd hat = test::dense_tentative(s.tentative, s.aggregates);
  const Eigen::MatrixXd expected =
      hat - omega * (filtered.diagonal().cwiseInverse().asDiagonal() * (filtered * hat)).eval();
  EXPECT_LT((test::dense<3>(s.prolongator) - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(SmoothedProlongator, HeldNodesHaveNoRow) {
  const test::ModelProblem problem = test::clamped_truss(test::Grid{6});
  const Smoothed s = smoothed_prolongator_of(problem, 0.05F, 0.5F);
  for (int i = 0; i < 216; ++i) {
    const bool is_empty = s.prolongator.rows.start[i] == s.prolongator.rows.start[i + 1];
    EXPECT_EQ(is_empty, problem.filter.held_directions(i) == 3);
  }
}

TEST(SmoothedProlongator, TransfersAreTransposesOfEachOther) {
  const Smoothed s = smoothed_prolongator_of(test::clamped_truss(test::Grid{6}), 0.05F, 0.5F);
  const int fine = s.level.row_count(), coarse = s.prolongator.coarse_count;
  std::mt19937 generator(4);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<float> r(4 * fine, 0.0F), rc(8 * coarse, 5.0F), zc(8 * coarse, 0.0F), z(4 * fine, 0.0F);
  Eigen::VectorXd dense_r(3 * fine), dense_zc(6 * coarse);
  for (int i = 0; i < 3 * fine; ++i) dense_r[i] = r[4 * (i / 3) + i % 3] = number(generator);
  for (int i = 0; i < 6 * coarse; ++i) dense_zc[i] = zc[8 * (i / 6) + i % 6] = number(generator);
  restrict_to_coarse<3>(s.prolongator, r.data(), rc.data());
  add_prolonged<3>(s.prolongator, zc.data(), z.data());
  const Eigen::MatrixXd p = test::dense<3>(s.prolongator);
  const Eigen::VectorXd down = p.transpose() * dense_r, up = p * dense_zc;
  for (int i = 0; i < 6 * coarse; ++i) EXPECT_NEAR(rc[8 * (i / 6) + i % 6], down[i], 1e-5);
  for (int i = 0; i < 3 * fine; ++i) EXPECT_NEAR(z[4 * (i / 3) + i % 3], up[i], 1e-5);
  for (int a = 0; a < coarse; ++a) EXPECT_EQ(rc[8 * a + 6] + rc[8 * a + 7], 0);
}

}  // namespace
}  // namespace pliant::linear
