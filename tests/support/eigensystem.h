// Eigenvalues of dense symmetric matrices, compiled once for all tests: Eigen's solvers are slow to compile.
#pragma once

#include <Eigen/Core>

namespace pliant::test {

struct Eigensystem {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // a column each, orthonormal
};
[[nodiscard]] Eigensystem eigensystem(const Eigen::MatrixXd& symmetric);
// Ascending.
[[nodiscard]] Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);
// Of a x = λ b x with b positive definite, ascending.
[[nodiscard]] Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace pliant::test
