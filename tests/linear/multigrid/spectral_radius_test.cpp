// The spectral radius of D⁻¹A, against dense eigenvalues.
#include "pliant/linear/multigrid/spectral_radius.h"

#include <gtest/gtest.h>

#include "tests/linear/multigrid/model_problems.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

double dense_radius(const LevelMatrix<3>& level) {
  const Eigen::MatrixXd a = test::dense(level);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(a.rows(), a.cols());
  for (int i = 0; i < a.rows(); i += 3) d.block<3, 3>(i, i) = a.block<3, 3>(i, i);
  return test::eigenvalues(a, d).maxCoeff();
}

TEST(SpectralRadius, IsAFewPerCentBelowTheLargestEigenvalue) {
  for (const double mass : {0.01, 1.0, 100.0}) {
    const LevelMatrix<3> level = test::level_of(test::truss(test::Grid{6}, mass).matrix);
    const double expected = dense_radius(level);
    EXPECT_GT(spectral_radius(level, 10), 0.95 * expected);
    EXPECT_LT(spectral_radius(level, 10), 1.0001 * expected);
    EXPECT_GT(spectral_radius(level, 30), 0.999 * expected);
  }
}

TEST(SpectralRadius, KnowsWhenNothingIsLeft) {
  // Poisson's equation on two points: eigenvalues 1 ± ¼; and a decoupled matrix: 1.
  EXPECT_NEAR(spectral_radius(test::level_of(test::poisson(2, 1).matrix), 10), 1.25, 1e-5);
  test::ModelProblem problem = test::poisson(4, 1);
  for (int i = 0; i < 3; ++i) problem.matrix.block(problem.matrix.pattern().slot(i, i + 1)).setZero();
  EXPECT_NEAR(spectral_radius(test::level_of(problem.matrix), 10), 1, 1e-5);
}

}  // namespace
}  // namespace pliant::linear
