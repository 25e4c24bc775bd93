// Dense linear algebra for tests, compiled once: Eigen's decompositions are slow to compile.
#pragma once

#include <memory>

#include "pliant/math/types.h"

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

// Descending.
[[nodiscard]] Eigen::VectorXd singular_values(const Eigen::MatrixXd& a);
// U diag(s) Vᵀ with s ≥ 0 descending; U and V may be reflections.
struct Svd {
  Mat3 u, v;
  Vec3 s;
};
[[nodiscard]] Svd jacobi_svd(const Mat3& a);

// Pivots smaller than `threshold` times the largest count as none.
[[nodiscard]] int rank(const Eigen::MatrixXd& a, double threshold);
// b may have several columns.
[[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
[[nodiscard]] Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& a);

class DenseCholesky {
 public:
  explicit DenseCholesky(const Eigen::MatrixXd& symmetric);
  ~DenseCholesky();
  [[nodiscard]] bool is_positive_definite() const;
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  std::unique_ptr<Eigen::LLT<Eigen::MatrixXd>> factor_;
};

// The shortest rotation that takes one direction to the other.
[[nodiscard]] Mat3 rotation_between(const Vec3& from, const Vec3& to);

}  // namespace pliant::test
