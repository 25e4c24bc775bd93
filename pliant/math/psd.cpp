// The projection for any size, by Eigen's symmetric eigenvalue solver.
#include "pliant/math/psd.h"

#include <Eigen/Eigenvalues>

#include "pliant/assert.h"

namespace pliant::math {

Eigen::MatrixXd project_psd(const Eigen::MatrixXd& a) {
  PLIANT_ASSERT(a.rows() == a.cols(), "only a square matrix can be projected");
  if (a.size() == 0) return a;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  const Eigen::MatrixXd& w = eigen.eigenvectors();
  return w * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * w.transpose();
}

}  // namespace pliant::math
