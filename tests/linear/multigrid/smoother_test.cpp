// Smoothers: each is convergent in the energy norm, and the one after is the adjoint of the one before.
#include "pliant/linear/multigrid/smoother.h"

#include <gtest/gtest.h>

#include "pliant/linear/multigrid/spectral_radius.h"
#include "pliant/parallel/parallel.h"
#include "tests/linear/multigrid/model_problems.h"
#include "tests/support/dense_algebra.h"

namespace pliant::linear {
namespace {

Eigen::VectorXd unpadded(const std::vector<float>& v) {
  Eigen::VectorXd result(3 * v.size() / 4);
  for (int i = 0; i < result.size(); ++i) result[i] = v[4 * (i / 3) + i % 3];
  return result;
}

// Error propagation: columns of the map from an initial error to what smoothing leaves of it.
Eigen::MatrixXd error_after(Smoother<3>& smoother, const LevelMatrix<3>& level) {
  const int size = 3 * level.row_count();
  const std::vector<float> zero(4 * level.row_count(), 0.0F);
  Eigen::MatrixXd result(size, size);
  for (int k = 0; k < size; ++k) {
    std::vector<float> z = zero;
    z[4 * (k / 3) + k % 3] = 1;
    smoother.after(level, zero.data(), z.data());
    result.col(k) = unpadded(z);
  }
  return result;
}

// z of a unit right-hand side, column by column.
Eigen::MatrixXd action_before(Smoother<3>& smoother, const LevelMatrix<3>& level, Eigen::MatrixXd& residuals) {
  const int size = 3 * level.row_count();
  Eigen::MatrixXd result(size, size);
  residuals.resize(size, size);
  for (int k = 0; k < size; ++k) {
    std::vector<float> r(4 * level.row_count(), 0.0F), z = r, left = r;
    r[4 * (k / 3) + k % 3] = 1;
    smoother.before(level, r.data(), z.data(), left.data());
    result.col(k) = unpadded(z);
    residuals.col(k) = unpadded(left);
  }
  return result;
}

TEST(Smoother, ConvergesInTheEnergyNormAndIsAdjoint) {
  const LevelMatrix<3> level = test::level_of(test::clamped_truss(test::Grid{5, 4, 3}, 0.01).matrix);
  const Eigen::MatrixXd a = test::dense(level), identity = Eigen::MatrixXd::Identity(a.rows(), a.cols());
  for (const SmootherKind kind : {SmootherKind::gauss_seidel, SmootherKind::chebyshev}) {
    Smoother<3> smoother;
    smoother.prepare(kind, spectral_radius(level, 10), level.row_count());
    Eigen::MatrixXd residuals;
    const Eigen::MatrixXd before = action_before(smoother, level, residuals);
    EXPECT_LT((residuals - (identity - a * before)).cwiseAbs().maxCoeff(), 1e-5);

    // Energy adjoint: A (I − M A) = (I − M' A)ᵀ A.
    const Eigen::MatrixXd left_before = identity - before * a, left_after = error_after(smoother, level);
    EXPECT_LT((a * left_before - left_after.transpose() * a).cwiseAbs().maxCoeff(), 1e-4);

    // ‖I − M A‖_A < 1, as the largest eigenvalue of (I − M'A)(I − MA), symmetric in the energy product.
    const Eigen::MatrixXd both = a * (left_after * left_before);
    const Eigen::VectorXd values = test::eigenvalues(0.5 * (both + both.transpose()), a);
    EXPECT_LT(values.maxCoeff(), 1);
    EXPECT_GT(values.minCoeff(), -1e-4);
  }
}

TEST(Smoother, TheSweepBackKnowsItsResidual) {
  // Several pieces and colours: couplings inside pieces and between them.
  const LevelMatrix<3> level = test::level_of(test::clamped_truss(test::Grid{30, 16, 12}, 0.01).matrix);
  ASSERT_GT(level.pattern.pieces.color_count(), 1);
  ASSERT_TRUE(level.has_exact_inverses);
  const auto random = [&](unsigned seed) {
    const BlockVector v = test::random_vector(level.row_count(), seed);
    return std::vector<float>(v.data(), v.data() + 4 * static_cast<std::size_t>(v.size()));
  };
  const std::vector<float> r = random(5);
  std::vector<float> overwritten = r, z = random(6), expected = z, left = random(7), product(r.size());
  Smoother<3> smoother;
  smoother.prepare(SmootherKind::gauss_seidel, 0, level.row_count());
  smoother.after(level, r.data(), expected.data());
  smoother.after_with_residual(level, overwritten.data(), z.data(), left.data());
  EXPECT_EQ(z, expected);
  level.multiply(z.data(), product.data());
  float worst = 0, largest = 0;
  for (std::size_t k = 0; k < r.size(); ++k) {
    worst = std::max(worst, std::abs(r[k] - product[k] - left[k]));
    largest = std::max(largest, std::abs(left[k]));
    ASSERT_TRUE(k % 4 != 3 || left[k] == 0) << k;
  }
  EXPECT_LT(worst, 1e-5F * largest);
}

TEST(Smoother, HasTheSameBitsForAnyNumberOfThreads) {
  const LevelMatrix<3> level = test::level_of(test::clamped_truss(test::Grid{30, 16, 12}).matrix);
  const BlockVector b = test::random_vector(level.row_count(), 3);
  std::vector<float> r(4 * level.row_count()), z(r.size()), left(r.size()), expected;
  std::copy_n(b.data(), r.size(), r.begin());
  for (const SmootherKind kind : {SmootherKind::gauss_seidel, SmootherKind::chebyshev}) {
    for (const int threads : {1, 2, 3, 8}) {
      set_thread_count(threads);
      Smoother<3> smoother;
      smoother.prepare(kind, 2.5, level.row_count());
      smoother.before(level, r.data(), z.data(), left.data());
      smoother.after(level, r.data(), z.data());
      if (kind == SmootherKind::gauss_seidel) {
        std::vector<float> overwritten = r;
        smoother.after_with_residual(level, overwritten.data(), z.data(), left.data());
        z.insert(z.end(), left.begin(), left.end());
      }
      if (threads == 1) expected = z;
      EXPECT_EQ(z, expected) << threads;
      z.resize(r.size());
    }
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace pliant::linear
