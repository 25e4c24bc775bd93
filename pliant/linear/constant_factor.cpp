#include "pliant/linear/constant_factor.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"

namespace pliant::linear {
namespace {

// Least and most rows an update may change, and how many per number of the factor and row of the matrix between them:
// so many numbers of V are read in half the time of a solve (benchmarks/constant_factor_benchmark.cpp, update).
constexpr int kLeastChanges = 8, kMostChanges = 64;
constexpr double kChangesPerValue = 0.6;

// The part of B⁻¹ b that an update may take away: the rest keeps about twelve, four and one and a half digits.
double largest_loss(FactorStorage storage) {
  switch (storage) {
    case FactorStorage::float64:
      return 1e4;
    case FactorStorage::float32:
      return 1e3;
    case FactorStorage::float16:
      break;
  }
  return 1e2;
}

}  // namespace

LinearStatus ConstantFactor::factor(const sparse::SymmetricScalarMatrix& matrix) {
  const sparse::BlockPattern& pattern = matrix.pattern();
  PLIANT_ASSERT(held_.empty() || static_cast<int>(held_.size()) == pattern.row_count(),
                "every row is said to be held or not");
  ready_ = false;
  updates_.clear();
  if (matrix.shared_pattern() != pattern_) {
    pattern_ = nullptr;
    cholesky_ = std::make_unique<SupernodalCholesky>(pattern);
    merged_ = merge_supernodes(cholesky_->structure(), values_.costs());
    layout_ = lay_out_panels(merged_.structure, values_.costs().simd_size);
    pattern_ = matrix.shared_pattern();
    ++analysis_count_;
  }

  // Held rows and columns become those of the identity; their entries are kept for releases.
  factored_held_ = held_;
  held_entries_.clear();
  std::vector<double> slots(matrix.values().begin(), matrix.values().end());
  for (int i = 0; i < (held_.empty() ? 0 : pattern.row_count()); ++i) {
    for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
      const int j = pattern.column()[slot];
      if (held_[i]) held_entries_.push_back({i, j, slots[slot]});
      if (held_[j] && i != j) held_entries_.push_back({j, i, slots[slot]});
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
  if (updates_.change_count() == 0) return values_.solve(layout_, b, x);
  updates_.solve(b, x, [&](const BlockVector& from, BlockVector& to) { values_.solve(layout_, from, to); });
}

LinearStatus ConstantFactor::update(std::span<const RowChange> changes) {
  PLIANT_ASSERT(ready_, "an update follows a factor call that succeeded");
  updates_.clear();
  if (static_cast<int>(changes.size()) > most_changes()) return LinearStatus::not_converged;
  const RowUpdates::Base base{
      .held = factored_held_,
      .entries = held_entries_,
      .row_count = static_cast<int>(layout_.order.size()),
      .stored = storage() == FactorStorage::float64 ? RowUpdates::Stored::float64 : RowUpdates::Stored::float32,
      .largest_loss = largest_loss(storage())};
  return updates_.set(changes, base,
                      [&](const BlockVector& from, BlockVector& to) { values_.solve(layout_, from, to); });
}

int ConstantFactor::most_changes() const {
  const double rows = std::max(1.0, static_cast<double>(layout_.order.size()));
  const double changes = kChangesPerValue * static_cast<double>(layout_.value_count) / rows;
  return static_cast<int>(std::clamp<double>(changes, kLeastChanges, kMostChanges));
}

std::size_t ConstantFactor::memory_bytes() const {
  const std::size_t analysis = cholesky_ ? cholesky_->memory_bytes() : 0;
  return analysis + merged_.memory_bytes() + layout_.memory_bytes() + values_.memory_bytes() + updates_.memory_bytes() +
         held_.capacity() + factored_held_.capacity() + sizeof(HeldEntry) * held_entries_.capacity();
}

}  // namespace pliant::linear
