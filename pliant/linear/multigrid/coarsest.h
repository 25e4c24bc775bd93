// The coarsest level, solved by dense Cholesky. Factored in double precision, stored and applied in single precision.
#pragma once

#include <Eigen/Core>

#include "pliant/linear/multigrid/level_matrix.h"

namespace pliant::linear {

class CoarsestSolve {
 public:
  // false when the matrix is not positive definite, by more than rounding of single precision explains.
  template <int B>
  [[nodiscard]] bool factor(const LevelMatrix<B>& matrix);
  // z = A⁻¹ r
  template <int B>
  void solve(const float* r, float* z);
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(float) * static_cast<std::size_t>(lower_.size()); }

 private:
  Eigen::MatrixXf lower_;
  Eigen::VectorXf vector_;
};

}  // namespace pliant::linear
