// A neo-Hookean cube let go from a stretch of 1.1, as it lies and turned by 90°: the constant matrix does not notice,
// the Hessian of the rest pose does. [Liu2018, fig. 7.4, table 7.1; docs/solvers/quasi_newton.md, rotated cube]
#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "tests/solver/quasi_newton/dense_step.h"
#include "tests/support/dense_algebra.h"

namespace pliant::solver {
namespace {

using testing::BlockOptions;
using testing::BlockStep;
using testing::DensePair;
using testing::DenseStep;

// μ = 20 Pa, λ = 100 Pa, 1 kg: the reference's soft units.
BlockStep cube(double degrees) {
  BlockStep step(BlockOptions{.law = testing::Law::neo_hookean,
                              .size = {1, 1, 1},
                              .cells = {4, 4, 4},
                              .density = 1,
                              .young = 20 * 340.0 / 120,
                              .poisson = 100.0 / 240});
  step.energies.resize(1);  // without gravity, which would have to turn too
  const Mat3 turn = Eigen::AngleAxisd(degrees * 3.141592653589793 / 180, Vec3::UnitZ()).toRotationMatrix();
  for (int i = 0; i < step.block.count(); ++i) {
    const Vec3 X = step.block.rest[i], x = turn * Vec3(1.1 * X[0], X[1], X[2]);
    step.before[i] = x;
    step.target[i] = x;
  }
  step.step = 1.0 / 30;
  step.inertia_weight = 900;
  return step;
}

// Largest over smallest eigenvalue of A⁻¹ H.
double condition(const Eigen::MatrixXd& h, const Eigen::MatrixXd& a) {
  const Eigen::VectorXd values = test::eigenvalues(h, a);
  EXPECT_GT(values[0], 0);
  return values[h.rows() - 1] / values[0];
}

// g where Newton ends.
double least_value(const BlockStep& step) {
  Newton newton({.tolerance = 1e-12});
  BlockVector q = step.before;
  static_cast<void>(newton.solve(step.problem(), q));
  DenseStep dense(step);
  return dense.value(testing::flat(q));
}

// (g − g*)/(g₀ − g*) after 0, 1, … iterations.
std::vector<double> errors_of_quasi_newton(const BlockStep& step, int count) {
  DenseStep dense(step);
  const double best = least_value(step), start = dense.value(testing::flat(step.target));
  std::vector<double> errors;
  for (int k = 0; k <= count; ++k) {
    QuasiNewton solver(
        {.history = 5, .iterations = k, .tolerance = 0, .bounded = false, .storage = linear::FactorStorage::float64});
    BlockVector q = step.before;
    static_cast<void>(solver.solve(step.problem(), q));
    errors.push_back((dense.value(testing::flat(q)) - best) / (start - best));
  }
  return errors;
}

// The same iterations with another first guess of the Hessian.
std::vector<double> errors_from(const BlockStep& step, const Eigen::MatrixXd& first_guess, int count) {
  DenseStep dense(step);
  const double best = least_value(step);
  Eigen::VectorXd x = testing::flat(step.target);
  const double start = dense.value(x);
  const test::DenseCholesky factor(first_guess);
  std::vector<DensePair> pairs;
  std::vector<double> errors{1};
  for (int k = 0; k < count; ++k) {
    const Eigen::VectorXd gradient = dense.gradient(x);
    // The two loops.
    Eigen::VectorXd d = -gradient;
    std::vector<double> share(pairs.size());
    for (int i = static_cast<int>(pairs.size()) - 1; i >= 0; --i) {
      share[i] = pairs[i].step.dot(d) / pairs[i].step.dot(pairs[i].change);
      d -= share[i] * pairs[i].change;
    }
    d = factor.solve(d);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      d += (share[i] - pairs[i].change.dot(d) / pairs[i].step.dot(pairs[i].change)) * pairs[i].step;
    double alpha = 1;
    const double here = dense.value(x);
    while (dense.value(x + alpha * d) > here + 0.03 * alpha * gradient.dot(d)) alpha /= 2;
    const Eigen::VectorXd next = x + alpha * d;
    pairs.push_back({next - x, dense.gradient(next) - gradient});
    if (pairs.size() > 5) pairs.erase(pairs.begin());
    x = next;
    errors.push_back((dense.value(x) - best) / (start - best));
  }
  return errors;
}

TEST(RotatedCube, OnlyTheHessianOfTheRestPoseNotices) {
  const BlockStep steps[2] = {cube(0), cube(90)};
  Eigen::MatrixXd rest;
  double ours[2], of_rest[2];
  std::vector<double> curve[2], rest_curve[2];
  for (int k = 0; k < 2; ++k) {
    DenseStep dense(steps[k]);
    const Eigen::MatrixXd hessian = dense.hessian(testing::flat(steps[k].before));
    if (k == 0) rest = dense.hessian(testing::flat(steps[k].block.rest));
    ours[k] = condition(hessian, dense.constant_matrix());
    of_rest[k] = condition(hessian, rest);
    curve[k] = errors_of_quasi_newton(steps[k], 12);
    rest_curve[k] = errors_from(steps[k], rest, 12);
    std::printf("  configuration %d: condition %.2f with A, %.2f with the rest pose\n", k + 1, ours[k], of_rest[k]);
    for (const int i : {1, 2, 5, 10}) std::printf("    error after %d: %.3g, %.3g\n", i, curve[k][i], rest_curve[k][i]);
  }
  EXPECT_NEAR(ours[1], ours[0], 1e-8 * ours[0]);
  EXPECT_LT(ours[0], 20);
  EXPECT_LT(of_rest[0], ours[0]);      // near its own pose it is the better guess,
  EXPECT_GT(of_rest[1], 3 * ours[1]);  // turned it is the worse one
  EXPECT_GT(of_rest[1], 20 * of_rest[0]);
  for (std::size_t i = 0; i < curve[0].size(); ++i) EXPECT_NEAR(curve[0][i], curve[1][i], 1e-8) << i;
  EXPECT_LT(10 * curve[1][10], rest_curve[1][10]);
}

}  // namespace
}  // namespace pliant::solver
