// A solve, and how good it is.
#pragma once

#include <gtest/gtest.h>

#include "pliant/linear/linear_solver.h"

namespace pliant::test {

// ‖b − A x‖ / ‖b‖ of a solve that must succeed.
inline double solve_and_measure(linear::LinearSolver& solver, const sparse::SymmetricBlockMatrix& matrix,
                                const BlockVector& b, BlockVector& x) {
  EXPECT_EQ(solver.solve(b, x).status, linear::LinearStatus::solved);
  BlockVector scratch(b.size());
  return linear::relative_residual(matrix, b, x, nullptr, scratch);
}

}  // namespace pliant::test
