#include "tests/support/dense_algebra.h"

#include <Eigen/Dense>

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

Eigen::VectorXd singular_values(const Eigen::MatrixXd& a) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
}

Svd jacobi_svd(const Mat3& a) {
  const Eigen::JacobiSVD<Mat3> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

int rank(const Eigen::MatrixXd& a, double threshold) {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
  lu.setThreshold(threshold);
  return static_cast<int>(lu.rank());
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a.partialPivLu().solve(b); }

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& a) { return a.completeOrthogonalDecomposition().pseudoInverse(); }

DenseCholesky::DenseCholesky(const Eigen::MatrixXd& symmetric)
    : factor_(std::make_unique<Eigen::LLT<Eigen::MatrixXd>>(symmetric)) {}
DenseCholesky::~DenseCholesky() = default;
bool DenseCholesky::is_positive_definite() const { return factor_->info() == Eigen::Success; }
Eigen::MatrixXd DenseCholesky::solve(const Eigen::MatrixXd& b) const { return factor_->solve(b); }

Mat3 rotation_between(const Vec3& from, const Vec3& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

}  // namespace pliant::test
