// A symmetric sparse matrix of 3×3 blocks, upper half stored (block_pattern.h).
//
// A block's nine entries are stored column by column, blocks in slot order: 72 bytes of values and 4 of column index.
// One product reads each stored block once and uses it twice, for y_i += A_ij x_j and y_j += A_ijᵀ x_i, so it moves
// half the bytes of the full format. Threads follow the colouring of the row pieces: no locks, same bits for any count.
#pragma once

#include <memory>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::sparse {

class SymmetricBlockMatrix {
 public:
  SymmetricBlockMatrix() = default;
  explicit SymmetricBlockMatrix(std::shared_ptr<const BlockPattern> pattern);

  [[nodiscard]] const BlockPattern& pattern() const { return *pattern_; }
  [[nodiscard]] const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  [[nodiscard]] int row_count() const { return pattern_->row_count(); }

  // Nine doubles per slot, column-major, followed by padding that wide loads may touch.
  [[nodiscard]] double* values() { return values_.data(); }
  [[nodiscard]] const double* values() const { return values_.data(); }
  Eigen::Map<Mat3> block(int slot) { return Eigen::Map<Mat3>(values_.data() + 9 * static_cast<std::size_t>(slot)); }
  [[nodiscard]] Eigen::Map<const Mat3> block(int slot) const {
    return Eigen::Map<const Mat3>(values_.data() + 9 * static_cast<std::size_t>(slot));
  }

  void set_zero();
  void scale(double factor);
  // y = A x
  void multiply(const BlockVector& x, BlockVector& y) const;

 private:
  std::shared_ptr<const BlockPattern> pattern_;  // shared with solvers and energies, which keep slots into it
  std::vector<double> values_;
};

}  // namespace pliant::sparse
