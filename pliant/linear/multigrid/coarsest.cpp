// From blocks to a dense matrix, and its Cholesky factor.
#include "pliant/linear/multigrid/coarsest.h"

#include <Eigen/Cholesky>

namespace pliant::linear {
namespace {

// Added to the diagonal, relative to it, when the factorisation fails: sums of single precision products are off by so
// much. A free body without inertia is singular, not indefinite.
constexpr double kRoundingShift = 3e-6;

template <int B>
Eigen::MatrixXd dense_of(const LevelMatrix<B>& matrix) {
  const int n = matrix.row_count();
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(B * n, B * n);
  using Block = Eigen::Map<const Eigen::Matrix<float, B, B, Eigen::RowMajor>>;
  const auto add = [&](const SparseRows& side, const std::vector<float>& blocks, int i) {
    for (int e = side.start[i]; e < side.start[i + 1]; ++e) {
      const auto block = Block(blocks.data() + at_block<B>(e)).template cast<double>();
      full.block<B, B>(B * i, B * side.column[e]) = block;
      full.block<B, B>(B * side.column[e], B * i) = block.transpose();
    }
  };
  for (int i = 0; i < n; ++i) {
    full.block<B, B>(B * i, B * i) = Block(matrix.diagonal.data() + at_block<B>(i)).template cast<double>();
    add(matrix.pattern.inside, matrix.inside, i);
    add(matrix.pattern.after, matrix.after, i);
  }
  return full;
}

}  // namespace

template <int B>
bool CoarsestSolve::factor(const LevelMatrix<B>& matrix) {
  const Eigen::MatrixXd full = dense_of(matrix);
  vector_.resize(full.rows());
  Eigen::LLT<Eigen::MatrixXd> cholesky(full);
  if (cholesky.info() != Eigen::Success) {
    Eigen::MatrixXd shifted = full;
    shifted.diagonal() += kRoundingShift * full.diagonal().cwiseAbs();
    shifted.diagonal().array() += 1e-2 * kRoundingShift * full.diagonal().cwiseAbs().maxCoeff();
    cholesky.compute(shifted);
    if (cholesky.info() != Eigen::Success) return false;
  }
  lower_ = cholesky.matrixLLT().triangularView<Eigen::Lower>().toDenseMatrix().cast<float>();
  return true;
}

template <int B>
void CoarsestSolve::solve(const float* r, float* z) {
  const int n = static_cast<int>(vector_.size()) / B;
  for (int i = 0; i < n; ++i)
    vector_.segment<B>(B * i) = Eigen::Map<const Eigen::Matrix<float, B, 1>>(r + at_node<B>(i));
  lower_.triangularView<Eigen::Lower>().solveInPlace(vector_);
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(vector_);
  for (int i = 0; i < n; ++i) Eigen::Map<Eigen::Matrix<float, B, 1>>(z + at_node<B>(i)) = vector_.segment<B>(B * i);
}

template bool CoarsestSolve::factor<3>(const LevelMatrix<3>&);
template bool CoarsestSolve::factor<6>(const LevelMatrix<6>&);
template void CoarsestSolve::solve<3>(const float*, float*);
template void CoarsestSolve::solve<6>(const float*, float*);

}  // namespace pliant::linear
