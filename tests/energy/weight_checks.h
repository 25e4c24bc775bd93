// Checks of the constant stand-ins of Hessians (pliant/energy/weighted.h).
#pragma once

#include "pliant/energy/weighted.h"
#include "pliant/parallel/parallel.h"
#include "tests/energy/energy_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::checks {

inline Eigen::MatrixXd dense(const sparse::SymmetricScalarMatrix& a) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(a.row_count(), a.row_count());
  for (int i = 0; i < a.row_count(); ++i) {
    for (int k = a.pattern().row_start()[i]; k < a.pattern().row_start()[i + 1]; ++k) {
      const int j = a.pattern().column()[k];
      m(i, j) = m(j, i) = a.values()[k];
    }
  }
  return m;
}

inline Eigen::MatrixXd weights(const Weighted& energy, const TetModel& model) {
  sparse::SymmetricScalarMatrix l(model.pattern);
  energy.add_weights(model.controls, model.step, l);
  return dense(l);
}

// L for all coordinates: what a Hessian is compared with.
inline Eigen::MatrixXd on_coordinates(const Eigen::MatrixXd& l) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * l.rows(), 3 * l.cols());
  for (int i = 0; i < l.rows(); ++i) {
    for (int j = 0; j < l.cols(); ++j) all.block<3, 3>(3 * i, 3 * j) = l(i, j) * Mat3::Identity();
  }
  return all;
}

// The rows and columns of one coordinate.
inline Eigen::MatrixXd along(const Eigen::MatrixXd& hessian, int axis) {
  const auto picked = Eigen::seqN(axis, hessian.rows() / 3, 3);
  return hessian(picked, picked);
}

inline double least_eigenvalue(const Eigen::MatrixXd& a) { return test::eigenvalues(a)[0]; }

// Positive semi-definite, blind for translations, added to what is there, the same bits for any number of threads.
inline void expect_good_weights(const Weighted& energy, const TetModel& model) {
  const Eigen::MatrixXd l = weights(energy, model);
  const double size = l.norm();
  EXPECT_GT(size, 0);
  EXPECT_GE(least_eigenvalue(l), -1e-13 * size);
  EXPECT_LE((l * Eigen::VectorXd::Ones(l.rows())).norm(), 1e-13 * size);

  sparse::SymmetricScalarMatrix twice(model.pattern);
  for (int k = 0; k < 2; ++k) energy.add_weights(model.controls, model.step, twice);
  EXPECT_LE((dense(twice) - 2 * l).norm(), 1e-13 * size);

  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ((weights(energy, model) - l).norm(), 0) << threads;
  }
  set_thread_count(0);
}

}  // namespace pliant::checks
