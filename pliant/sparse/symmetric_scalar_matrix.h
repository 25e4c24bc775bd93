// A symmetric matrix with one number where a block matrix has a 3×3 block: it acts on x, y and z alike.
//
// Same pattern and slots as SymmetricBlockMatrix: the upper half, row by row, the diagonal entry first.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/sparse/block_pattern.h"
#include "pliant/sparse/block_vector.h"

namespace pliant::sparse {

class SymmetricScalarMatrix {
 public:
  SymmetricScalarMatrix() = default;
  explicit SymmetricScalarMatrix(std::shared_ptr<const BlockPattern> pattern)
      : pattern_(std::move(pattern)), values_(static_cast<std::size_t>(pattern_->slot_count()), 0.0) {}

  [[nodiscard]] const BlockPattern& pattern() const { return *pattern_; }
  [[nodiscard]] const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  [[nodiscard]] int row_count() const { return pattern_->row_count(); }
  [[nodiscard]] std::span<double> values() { return values_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }

  // Adds to entry (i, j) and, by symmetry, (j, i); the entry must be stored.
  void add(int i, int j, double value) {
    values_[static_cast<std::size_t>(pattern_->slot(i < j ? i : j, i < j ? j : i))] += value;
  }
  void add_at(int slot, double value) { values_[static_cast<std::size_t>(slot)] += value; }
  void set_zero() { values_.assign(values_.size(), 0.0); }
  // y = A x, coordinate by coordinate.
  void multiply(const BlockVector& x, BlockVector& y) const;

 private:
  std::shared_ptr<const BlockPattern> pattern_;  // shared with the block matrices and solvers of the same model
  std::vector<double> values_;
};

}  // namespace pliant::sparse
