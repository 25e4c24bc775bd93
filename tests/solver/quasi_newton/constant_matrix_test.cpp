// The matrix of quasi_newton: that it follows the integrator, when it is factored, and what stands in for it after a tear.
#include "pliant/solver/quasi_newton/constant_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/solver/soft_block.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using testing::BlockStep;

// H₀ as a dense matrix, from one coordinate.
Eigen::MatrixXd dense(ConstantMatrix& matrix, int count) {
  Eigen::MatrixXd h(count, count);
  for (int j = 0; j < count; ++j) {
    BlockVector b(count), x(count);
    b[j] = Vec3(1, 0, 0);
    matrix.solve(b, x);
    for (int i = 0; i < count; ++i) h(i, j) = x[i][0];
  }
  return h;
}

// Two blocks of a step that were one row of an earlier model: the block itself stands for that model, and the problem
// has one more block, a copy of `vertex`.
struct TornStep {
  BlockStep first;
  std::vector<int> row_of_block;
  std::vector<double> masses;
  Inertia inertia;
  std::shared_ptr<solid::TetElements> elements;
  std::vector<std::unique_ptr<Energy>> energies;
  std::shared_ptr<const sparse::BlockPattern> pattern;
  Controls controls;
  DofLayout layout;
  BlockVector before;
  MatrixModel earlier;

  explicit TornStep(int vertex) {
    const int count = first.block.count();
    masses = first.block.masses;
    masses.push_back(0.5 * masses[vertex]);
    masses[vertex] *= 0.5;
    inertia = Inertia(masses);
    testing::SoftBlock block;
    elements = block.elements;
    sparse::PatternBuilder builder(count + 1);
    elements->couple(builder);
    pattern = builder.build();
    elements->find_slots(*pattern);
    energies.push_back(std::move(block.elastic));
    controls.filter = BlockFilter(count + 1);
    layout.add_body("block", count + 1);
    before.resize(count + 1);
    for (int i = 0; i <= count; ++i) {
      row_of_block.push_back(i < count ? i : vertex);
      before[i] = first.block.rest[row_of_block.back()];
    }
    earlier = {&first.block.inertia, first.energies, first.block.pattern, row_of_block};
  }
  [[nodiscard]] StepProblem problem(bool with_earlier) const {
    StepProblem p{0.01, 1e4, 1, 1, before, before, inertia, energies, controls, layout, pattern};
    if (with_earlier) p.matrix = earlier;
    return p;
  }
  // Still with the earlier matrix, while its own is made ready.
  [[nodiscard]] StepProblem problem_with_next() const {
    StepProblem p = problem(true);
    p.next_matrix = MatrixModel{&inertia, energies, pattern, {}};
    return p;
  }
};

// A itself, from its inverse.
Eigen::MatrixXd matrix_of(const BlockStep& step) {
  ConstantMatrix matrix;
  EXPECT_TRUE(matrix.prepare(step.problem()));
  return dense(matrix, step.block.count()).inverse();
}

// A = w M + θ² (L + D/(θh)): elastic weights L go with θ², viscous ones D/(θh), since the time to where energies are
// evaluated is θh, with θ. Backward Euler, BDF2 and Newmark differ in w, the implicit midpoint rule in θ.
TEST(ConstantMatrix, FollowsTheIntegrator) {
  BlockStep elastic, viscous;
  viscous.add_damping(3, 5);
  const int count = elastic.block.count();
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(count, count);
  for (int i = 0; i < count; ++i) mass(i, i) = elastic.block.masses[static_cast<std::size_t>(i)];
  const Eigen::MatrixXd l = matrix_of(elastic) - elastic.inertia_weight * mass;
  const Eigen::MatrixXd d = matrix_of(viscous) - matrix_of(elastic);  // D/h
  ASSERT_GT(l.norm(), 1);
  ASSERT_GT(d.norm(), 1);
  for (const auto& [weight, theta] : {std::pair(1e4, 1.0), {2.25e4, 1.0}, {4e4, 1.0}, {1e4, 0.5}, {1e4, 0.75}}) {
    for (BlockStep* step : {&elastic, &viscous}) step->inertia_weight = weight, step->theta = theta;
    const Eigen::MatrixXd a = weight * mass + theta * theta * l;
    EXPECT_LT((matrix_of(elastic) - a).norm(), 1e-12 * a.norm()) << weight << ' ' << theta;
    EXPECT_LT((matrix_of(viscous) - a - theta * d).norm(), 1e-12 * a.norm()) << weight << ' ' << theta;
  }
}

TEST(ConstantMatrix, AfterATearTheEarlierMatrixIsStillPositiveDefinite) {
  const TornStep torn(7);
  const int count = torn.before.size();
  ConstantMatrix matrix;
  ASSERT_TRUE(matrix.prepare(torn.problem(true)));
  const Eigen::MatrixXd h = dense(matrix, count);
  EXPECT_LT((h - h.transpose()).norm(), 1e-12 * h.norm());
  EXPECT_GT(test::eigenvalues(h).minCoeff(), 0);

  // P A⁻¹ Pᵀ + C, from the first model's own matrix.
  ConstantMatrix own;
  ASSERT_TRUE(own.prepare(torn.first.problem()));
  const Eigen::MatrixXd inverse = dense(own, count - 1);
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(count, count - 1);
  for (int i = 0; i < count; ++i) p(i, torn.row_of_block[static_cast<std::size_t>(i)]) = 1;
  const Eigen::MatrixXd together = p * inverse * p.transpose();
  Eigen::MatrixXd parting = h - together;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(parting(i, i) > 1e-12, i == 7 || i == count - 1) << i;
    parting(i, i) = 0;
  }
  EXPECT_LT(parting.norm(), 1e-12 * h.norm());
  // The copy has no tets: its own diagonal is w m.
  EXPECT_NEAR(h(count - 1, count - 1) - together(count - 1, count - 1), 1 / (1e4 * torn.masses.back()), 1e-15);
}

TEST(ConstantMatrix, AFactorFromTheBackgroundIsTheOneMadeAtOnce) {
  const TornStep torn(7);
  ConstantMatrix waiting, prompt;
  const StepProblem problem = torn.problem_with_next();
  const int count = torn.before.size();
  ASSERT_TRUE(prompt.prepare(torn.problem(true)));
  const Eigen::MatrixXd earlier = dense(prompt, count);
  // Meanwhile steps use the earlier matrix, however quick the background is.
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(waiting.prepare(problem));
    EXPECT_EQ(waiting.factor_count(), 1);
    EXPECT_EQ(waiting.background_count(), 0);
    EXPECT_EQ(dense(waiting, count), earlier);
  }
  ASSERT_TRUE(waiting.prepare(torn.problem(false)));
  ASSERT_TRUE(prompt.prepare(torn.problem(false)));
  EXPECT_EQ(waiting.factor_count(), 2);
  EXPECT_EQ(waiting.background_count(), 1);  // nothing was factored in the last step itself
  EXPECT_EQ(prompt.background_count(), 0);
  EXPECT_EQ(dense(waiting, count), dense(prompt, count));
  EXPECT_NE(dense(waiting, count), earlier);
}

// What was begun is of no use when the step length changes meanwhile: the matrix is made anew.
TEST(ConstantMatrix, WhatIsNoLongerWantedIsLeft) {
  const TornStep torn(7);
  ConstantMatrix matrix, prompt;
  ASSERT_TRUE(matrix.prepare(torn.problem_with_next()));
  StepProblem shorter = torn.problem(false);
  shorter.inertia_weight *= 4;
  shorter.step /= 2;
  ASSERT_TRUE(matrix.prepare(shorter));
  EXPECT_EQ(matrix.background_count(), 0);
  ASSERT_TRUE(prompt.prepare(shorter));
  EXPECT_EQ(dense(matrix, torn.before.size()), dense(prompt, torn.before.size()));
}

}  // namespace
}  // namespace pliant::solver
