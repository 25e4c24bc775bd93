#include "tests/support/eigensystem.h"

#include <Eigen/Eigenvalues>

namespace pliant::test {

Eigensystem eigensystem(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, b, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace pliant::test
