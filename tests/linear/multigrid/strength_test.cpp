// Strength of connection: symmetric, along the strong axis, none where nothing is coupled.
#include "pliant/linear/multigrid/strength.h"

#include <gtest/gtest.h>

#include "tests/linear/multigrid/model_problems.h"

namespace pliant::linear {
namespace {

TEST(Strength, FollowsTheStrongAxis) {
  const test::ModelProblem problem = test::poisson(12, 9, 100);
  const Strength strength = find_strength(test::level_of(problem.matrix), 0.05F);
  for (int i = 0; i < 12 * 9; ++i) {
    const int x = i % 12;
    const int expected = (x > 0 ? 1 : 0) + (x < 11 ? 1 : 0);
    EXPECT_EQ(strength.strong.start[i + 1] - strength.strong.start[i], expected);
    for (int k = strength.strong.start[i]; k < strength.strong.start[i + 1]; ++k)
      EXPECT_EQ(std::abs(strength.strong.column[k] - i), 1);
  }
}

TEST(Strength, DoesNotDependOnScales) {
  // Unknowns in other units, row by row: D A D has the same strengths.
  test::ModelProblem problem = test::truss(test::Grid{5}, 0.1);
  const Strength expected = find_strength(test::level_of(problem.matrix), 0.05F);
  sparse::SymmetricBlockMatrix& a = problem.matrix;
  for (int i = 0; i < a.row_count(); ++i) {
    for (int s = a.pattern().row_start()[i]; s < a.pattern().row_start()[i + 1]; ++s)
      a.block(s) *= std::pow(10.0, i % 5) * std::pow(10.0, a.pattern().column()[s] % 5);
  }
  const Strength scaled = find_strength(test::level_of(problem.matrix), 0.05F);
  EXPECT_EQ(scaled.strong.column, expected.strong.column);
}

TEST(Strength, RowsOfWeakConnectionsGoByTheirLargest) {
  test::ModelProblem problem = test::poisson(6, 6);
  for (int i = 0; i < 36; ++i) problem.matrix.block(problem.matrix.pattern().diagonal_slot(i)) *= 20;
  const Strength strength = find_strength(test::level_of(problem.matrix), 0.05F);
  EXPECT_EQ(strength.strong.column.size(), 2U * (2 * 6 * 5));  // s = 1/80 everywhere: all are each other's largest
}

TEST(Strength, HeldAndDecoupledNodesHaveNoStrongNeighbours) {
  test::ModelProblem problem = test::clamped_truss(test::Grid{4});
  for (int i = 0; i < 64; ++i)
    problem.matrix.block(problem.matrix.pattern().diagonal_slot(i)) += 1e-9 * Mat3::Identity();
  const Strength strength = find_strength(test::level_of(problem.matrix), 0.05F);
  for (int i = 0; i < 64; ++i) {
    const bool is_alone = strength.strong.start[i] == strength.strong.start[i + 1];
    EXPECT_EQ(is_alone, problem.filter.held_directions(i) == 3);
  }
  // A mass that dwarfs the springs.
  const Strength loose = find_strength(test::level_of(test::truss(test::Grid{4}, 1e4).matrix), 0.05F);
  EXPECT_TRUE(loose.strong.column.empty());
}

}  // namespace
}  // namespace pliant::linear
