// The dense solve of the coarsest level: right, forgiving to rounding, honest about indefinite matrices.
#include "pliant/linear/multigrid/coarsest.h"

#include <gtest/gtest.h>

#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

TEST(Coarsest, SolvesTheSystem) {
  const LevelMatrix<3> level = test::level_of(test::clamped_truss(test::Grid{5, 3, 3}).matrix);
  CoarsestSolve direct;
  ASSERT_TRUE(direct.factor(level));
  const BlockVector known = test::random_vector(level.row_count(), 1);
  const Eigen::VectorXd b = test::dense(level) * test::dense(known);
  std::vector<float> r(4 * level.row_count(), 0.0F), z(r.size(), 0.0F);
  for (int i = 0; i < b.size(); ++i) r[4 * (i / 3) + i % 3] = static_cast<float>(b[i]);
  direct.solve<3>(r.data(), z.data());
  for (int i = 0; i < b.size(); ++i) EXPECT_NEAR(z[4 * (i / 3) + i % 3], known[i / 3][i % 3], 1e-3);
}

TEST(Coarsest, TakesSingularMatricesButNotIndefiniteOnes) {
  CoarsestSolve direct;
  EXPECT_TRUE(direct.factor(test::level_of(test::truss(test::Grid{4}, 0).matrix)));
  EXPECT_FALSE(direct.factor(test::level_of(test::truss(test::Grid{4}, -0.05).matrix)));
}

}  // namespace
}  // namespace pliant::linear
