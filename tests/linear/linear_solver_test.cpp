// The reported residual against dense algebra.
#include "pliant/linear/linear_solver.h"

#include <gtest/gtest.h>

#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

TEST(RelativeResidual, IsTheNormOfWhatIsLeft) {
  const test::Grid grid{3};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  const BlockVector b = test::random_vector(grid.size(), 1), x = test::random_vector(grid.size(), 2);
  BlockVector scratch(grid.size());
  const Eigen::VectorXd left = test::dense(b) - test::dense(matrix) * test::dense(x);
  EXPECT_NEAR(relative_residual(matrix, b, x, nullptr, scratch), left.norm() / test::dense(b).norm(), 1e-12);
  EXPECT_EQ(relative_residual(matrix, BlockVector(grid.size()), x, nullptr, scratch), 0);
}

TEST(RelativeResidual, CountsFreeDirectionsOnly) {
  const test::Grid grid{2};
  const sparse::SymmetricBlockMatrix matrix = test::spring_matrix(grid, grid.pattern(), 1);
  BlockFilter filter(grid.size());
  for (int i = 1; i < grid.size(); ++i) filter.hold(i);
  filter.hold(0, Vec3::UnitX());
  BlockVector b = test::random_vector(grid.size(), 3), scratch(grid.size());
  b[0] = Vec3(100, 3, 4);
  // With x = 0 everything free is left, and the held parts do not dilute it.
  EXPECT_DOUBLE_EQ(relative_residual(matrix, b, BlockVector(grid.size()), &filter, scratch), 1);
}

// At a hundredth per ten iterations, 10⁻⁸ takes forty: thirty more after the first ten.
TEST(Outlook, JudgesByThePaceSoFar) {
  const Outlook outlook{.look = 10, .most_left = 29}, patient{.look = 10, .most_left = 31};
  EXPECT_TRUE(outlook.is_hopeless(10, 1e-4, 1e-8));
  EXPECT_FALSE(patient.is_hopeless(10, 1e-4, 1e-8));
  EXPECT_FALSE(outlook.is_hopeless(9, 1e-4, 1e-8));    // not yet
  EXPECT_FALSE(outlook.is_hopeless(20, 1e-8, 1e-8));   // twenty more
  EXPECT_FALSE(outlook.is_hopeless(10, 1e-4, 1e-6));   // of a looser tolerance
  EXPECT_TRUE(patient.is_hopeless(10, 1.5, 1e-8));     // nowhere
  EXPECT_FALSE(Outlook{}.is_hopeless(10, 1.5, 1e-8));  // never judged
}

}  // namespace
}  // namespace pliant::linear
