// Quick systems go to conjugate gradients, slow ones to a factorisation, until the solver is told to forget.
#include "pliant/linear/pcg_or_cholesky.h"

#include <gtest/gtest.h>

#include "tests/sparse/grid_matrix.h"

namespace pliant::linear {
namespace {

class PcgOrCholeskyTest : public ::testing::Test {
 protected:
  // Springs with so little inertia that they are a hard problem, or so much that they are an easy one.
  [[nodiscard]] LinearReport solve(double mass) {
    matrix_ = test::spring_matrix(grid_, pattern_, mass);
    matrix_.multiply(known_, b_);
    EXPECT_EQ(solver_.factor(matrix_), LinearStatus::solved);
    const LinearReport report = solver_.solve(b_, x_);
    EXPECT_EQ(report.status, LinearStatus::solved);
    error_ = test::largest_difference(x_, known_);
    return report;
  }

  test::Grid grid_{12};
  std::shared_ptr<const sparse::BlockPattern> pattern_ = grid_.pattern();
  sparse::SymmetricBlockMatrix matrix_;
  BlockVector known_ = test::random_vector(grid_.size(), 1), b_{grid_.size()}, x_{grid_.size()};
  PcgOrCholesky solver_{BlasThreads::one};
  double error_ = 0;
};

TEST_F(PcgOrCholeskyTest, IsPatientOnlySoLong) {
  solver_.set_tolerance(1e-12);
  const LinearReport easy = solve(1);
  EXPECT_GT(easy.iterations, 0);
  EXPECT_LT(easy.iterations, kPatientProducts);
  EXPECT_LT(error_, 1e-9);

  const LinearReport hard = solve(1e-9);
  EXPECT_EQ(hard.iterations, kPatientProducts);
  EXPECT_LT(error_, 1e-3);  // the factorisation's: the smallest eigenvalue is 1e-9

  // From then on it factors at once, easy or not.
  EXPECT_EQ(solve(1).iterations, 0);
  EXPECT_LT(error_, 1e-12);
  solver_.forget();
  EXPECT_EQ(solve(1).iterations, easy.iterations);
}

TEST_F(PcgOrCholeskyTest, GivesAsMuchAsIsAskedFor) {
  solver_.set_tolerance(0.1);
  const LinearReport rough = solve(1);
  solver_.set_tolerance(1e-6);
  const LinearReport fine = solve(1);
  EXPECT_LT(2 * rough.iterations, fine.iterations);
}

TEST_F(PcgOrCholeskyTest, SaysWhenAMatrixIsIndefinite) {
  matrix_ = test::spring_matrix(grid_, pattern_, -1);
  ASSERT_EQ(solver_.factor(matrix_), LinearStatus::solved);  // conjugate gradients find out on their way
  EXPECT_EQ(solver_.solve(known_, x_).status, LinearStatus::not_positive_definite);
}

}  // namespace
}  // namespace pliant::linear
