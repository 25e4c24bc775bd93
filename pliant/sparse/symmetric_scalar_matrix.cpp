#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant::sparse {

void SymmetricScalarMatrix::multiply(const BlockVector& x, BlockVector& y) const {
  sparse::set_zero(y);
  const auto row_start = pattern_->row_start();
  const auto column = pattern_->column();
  for (int i = 0; i < row_count(); ++i) {
    y[i] += values_[static_cast<std::size_t>(row_start[i])] * x[i];
    for (int slot = row_start[i] + 1; slot < row_start[i + 1]; ++slot) {
      y[i] += values_[static_cast<std::size_t>(slot)] * x[column[slot]];
      y[column[slot]] += values_[static_cast<std::size_t>(slot)] * x[i];
    }
  }
}

}  // namespace pliant::sparse
