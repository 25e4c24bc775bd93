// The tentative prolongator: orthonormal columns, the near-kernel reproduced, aggregates that know too few modes.
#include "pliant/linear/multigrid/tentative_prolongator.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

struct CutKernel {
  Aggregates aggregates;
  NearKernel kernel;
  TentativeProlongator tentative;
};

CutKernel tentative_of(const test::ModelProblem& problem, int radius) {
  CutKernel s;
  s.aggregates = aggregate(find_strength(test::level_of(problem.matrix), 0.05F), {}, radius);
  s.kernel = rigid_motions(problem.positions, &problem.filter, {});
  make_tentative<3>(s.kernel, s.aggregates, s.tentative);
  return s;
}

TEST(TentativeProlongator, RigidMotionsCostNothing) {
  const test::ModelProblem problem = test::truss(test::Grid{4}, 0);
  const NearKernel kernel = rigid_motions(problem.positions, nullptr, {});
  EXPECT_LT((test::dense(problem.matrix) * test::dense<3>(kernel)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TentativeProlongator, IsOrthonormalAndReproducesTheNearKernel) {
  const CutKernel s = tentative_of(test::truss(test::Grid{7}, 0, 0.01), 1);
  const Eigen::MatrixXd p = test::dense_tentative(s.tentative, s.aggregates);
  for (const std::uint8_t dropped : s.tentative.dropped) EXPECT_EQ(dropped, 0);
  EXPECT_LT((p.transpose() * p - Eigen::MatrixXd::Identity(p.cols(), p.cols())).cwiseAbs().maxCoeff(), 1e-6);
  const Eigen::MatrixXd k = test::dense<3>(s.kernel);
  EXPECT_LT((p * p.transpose() * k - k).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((p * test::dense<6>(s.tentative.coarse) - k).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(TentativeProlongator, ReproducesItOnTheNextLevelToo) {
  const CutKernel s = tentative_of(test::truss(test::Grid{9}, 0), 1);
  // Pairs of coarse nodes.
  Aggregates pairs;
  pairs.count = s.aggregates.count / 2;
  for (int i = 0; i < s.aggregates.count; ++i) pairs.of_node.push_back(std::min(i / 2, pairs.count - 1));
  for (int a = 0; a < pairs.count; ++a) {
    for (int i = 0; i < s.aggregates.count; ++i) {
      if (pairs.of_node[i] == a) pairs.members.column.push_back(i);
    }
    pairs.members.start.push_back(static_cast<int>(pairs.members.column.size()));
  }
  TentativeProlongator next;
  make_tentative<6>(s.tentative.coarse, pairs, next);
  const Eigen::MatrixXd k = test::dense<6>(s.tentative.coarse);
  for (int i = 0; i < s.aggregates.count; ++i) {
    const Eigen::MatrixXd p =
        Eigen::Map<const Eigen::Matrix<float, 6, 6, Eigen::RowMajor>>(next.values.data() + at_block<6>(i))
            .cast<double>();
    const Eigen::MatrixXd r = test::dense<6>(next.coarse).middleRows<6>(6 * pairs.of_node[i]);
    EXPECT_LT((p * r - k.middleRows<6>(6 * i)).cwiseAbs().maxCoeff(), 1e-5);
  }
}

TEST(TentativeProlongator, DropsModesThatAnAggregateDoesNotKnow) {
  // One node, two nodes, three in a line, three in a triangle; far from the mean.
  BlockVector positions(9);
  positions[0] = Vec3(1000, 0, 0);
  positions[1] = Vec3(0, 500, 0);
  positions[2] = Vec3(0.1, 500, 0.1);
  for (int k = 0; k < 3; ++k) positions[3 + k] = Vec3(-700, 0.1 * k, 0.2 * k);
  for (int k = 0; k < 3; ++k) positions[6 + k] = Vec3(0, 0, 0.1 * k + 3) + (k == 1 ? Vec3(0.1, 0, 0) : Vec3(0, 0, 0));
  Aggregates aggregates;
  aggregates.count = 4;
  aggregates.of_node = {0, 1, 1, 2, 2, 2, 3, 3, 3};
  aggregates.members.start = {0, 1, 3, 6, 9};
  for (int i = 0; i < 9; ++i) aggregates.members.column.push_back(i);
  TentativeProlongator tentative;
  const NearKernel kernel = rigid_motions(positions, nullptr, {});
  make_tentative<3>(kernel, aggregates, tentative);
  const int modes[] = {3, 5, 5, 6};
  const Eigen::MatrixXd p = test::dense_tentative(tentative, aggregates);
  for (int a = 0; a < 4; ++a) {
    EXPECT_EQ(6 - std::popcount(tentative.dropped[a]), modes[a]) << a;
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(p.col(6 * a + k).norm(), (tentative.dropped[a] >> k & 1) != 0 ? 0 : 1, 1e-6);
  }
  const Eigen::MatrixXd k = test::dense<3>(kernel);
  EXPECT_LT((p * p.transpose() * k - k).cwiseAbs().maxCoeff(), 1e-6 * k.cwiseAbs().maxCoeff());
}

TEST(TentativeProlongator, HeldDirectionsStayOutOfIt) {
  test::ModelProblem problem = test::truss(test::Grid{4}, 0);
  const Vec3 oblique = Vec3(1, 2, -2) / 3;
  problem.filter.hold(21, oblique);
  problem.filter.hold(22);
  const CutKernel s = tentative_of(problem, 1);
  const Eigen::MatrixXd p = test::dense_tentative(s.tentative, s.aggregates);
  EXPECT_LT((oblique.transpose() * p.middleRows<3>(63)).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ((p.middleRows<3>(66)).cwiseAbs().maxCoeff(), 0);
}

TEST(TentativeProlongator, BlocksThatAreNoPointsHaveNoRigidMotion) {
  const test::ModelProblem problem = test::truss(test::Grid{2}, 0);
  std::vector<std::uint8_t> excluded(8, 0);
  excluded[3] = 1;
  const Eigen::MatrixXd k = test::dense<3>(rigid_motions(problem.positions, nullptr, excluded));
  EXPECT_EQ(k.middleRows<3>(9).cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(k.middleRows<3>(12).cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace pliant::linear
