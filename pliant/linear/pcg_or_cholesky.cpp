#include "pliant/linear/pcg_or_cholesky.h"

namespace pliant::linear {

LinearStatus PcgOrCholesky::factor(const sparse::SymmetricBlockMatrix& matrix) {
  matrix_ = &matrix;
  return is_direct_ ? direct_.factor(matrix) : pcg_.factor(matrix);
}

LinearReport PcgOrCholesky::solve(const BlockVector& b, BlockVector& x) {
  if (is_direct_) return direct_.solve(b, x);
  LinearReport report = pcg_.solve(b, x);
  if (report.status != LinearStatus::not_converged) return report;
  is_direct_ = true;
  const int products = report.iterations;
  report.status = direct_.factor(*matrix_);
  if (report.status == LinearStatus::solved) report = direct_.solve(b, x);
  report.iterations = products;
  return report;
}

}  // namespace pliant::linear
