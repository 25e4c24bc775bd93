#include "pliant/linear/constant_factor.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"

namespace pliant::linear {

LinearStatus ConstantFactor::factor(const sparse::SymmetricScalarMatrix& matrix) {
  const sparse::BlockPattern& pattern = matrix.pattern();
  PLIANT_ASSERT(held_.empty() || static_cast<int>(held_.size()) == pattern.row_count(),
                "every row is said to be held or not");
  ready_ = false;
  if (matrix.shared_pattern() != pattern_) {
    pattern_ = nullptr;
    cholesky_ = std::make_unique<SupernodalCholesky>(pattern);
    merged_ = merge_supernodes(cholesky_->structure(), values_.costs());
    layout_ = lay_out_panels(merged_.structure, values_.costs().simd_size);
    pattern_ = matrix.shared_pattern();
    ++analysis_count_;
  }

  // Held rows and columns become those of the identity.
  std::vector<double> slots(matrix.values().begin(), matrix.values().end());
  for (int i = 0; i < (held_.empty() ? 0 : pattern.row_count()); ++i) {
    for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
      const int j = pattern.column()[slot];
      if (held_[i] || held_[j]) slots[slot] = i == j ? 1.0 : 0.0;
    }
  }
  if (!std::all_of(slots.begin(), slots.end(), [](double a) { return std::isfinite(a); }))
    return LinearStatus::not_finite;

  ++factor_count_;
  if (slots.empty()) {  // CHOLMOD refuses matrices without rows
    ready_ = true;
    return LinearStatus::solved;
  }
  LinearStatus status = cholesky_->factor(slots);
  if (status == LinearStatus::solved && values_.fill(*cholesky_, merged_, layout_) == PanelValues::Finite::no)
    status = LinearStatus::not_positive_definite;
  cholesky_->release_values();
  ready_ = status == LinearStatus::solved;
  return status;
}

void ConstantFactor::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(ready_, "a solve follows a factor call that succeeded");
  const int rows = static_cast<int>(layout_.order.size());
  PLIANT_ASSERT(b.size() == rows && x.size() == rows, "vectors have a block per row of the matrix");
  values_.solve(layout_, b, x);
}

std::size_t ConstantFactor::memory_bytes() const {
  const std::size_t analysis = cholesky_ ? cholesky_->memory_bytes() : 0;
  return analysis + merged_.memory_bytes() + layout_.memory_bytes() + values_.memory_bytes() + held_.capacity();
}

}  // namespace pliant::linear
