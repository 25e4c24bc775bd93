#include "pliant/linear/banded.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/assert.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using math::kLaneCount, math::LaneMask, math::Lanes;

constexpr int kLargestBlockReach = 4;
// Half bandwidths with a kernel of their own: rods, and chains of points. A column takes one entry more.
constexpr int kRodWidth = 10, kPointWidth = 14;
constexpr int stride_of(int width) { return kLaneCount * (width + 1); }
constexpr int kGroupsPerPiece = 2;

// Reports lanes whose pivot is not positive, and gives them the pivot 1, with which their unused factor goes on.
void report_pivots(Lanes& pivot, LinearStatus* status) {
  for (int lane = 0; lane < kLaneCount; ++lane) {
    if (pivot[lane] > 0) continue;
    if (status[lane] == LinearStatus::solved) {
      status[lane] = std::isnan(pivot[lane]) ? LinearStatus::not_finite : LinearStatus::not_positive_definite;
    }
    pivot[lane] = 1;
  }
}

constexpr int kRing = 16;  // pivots that are kept: more than a half bandwidth

// A(j + k, j) −= L(j + k, j − c) D(j − c) L(j, j − c)
template <int kWidth, int kBack>
void subtract_column(const double* a, Lanes pivot, Lanes* column) {
  const double* l = a - kBack * stride_of(kWidth) + kLaneCount * kBack;
  const Lanes factor = math::load(l) * pivot;
  for (int k = 0; k <= kWidth - kBack; ++k) column[k] -= factor * math::load(l + kLaneCount * k);
}
// c = kWidth, …, 1; written out by the compiler, so that the column stays in registers.
template <int kWidth, int... kStep>
void subtract_columns_before(const double* a, const Lanes* pivots, int j, Lanes* column,
                             std::integer_sequence<int, kStep...>) {
  (subtract_column<kWidth, kWidth - kStep>(a, pivots[(j - kWidth + kStep) & (kRing - 1)], column), ...);
}

// L D Lᵀ of four chains, column by column: `a` holds the lower bands of A by columns and receives 1/D and L. kWidth
// columns of zeros stand before it, so that the first ones are no special case. Left-looking: a column is read once,
// made in registers from the kWidth columns before it, and written once.
template <int kWidth>
void factor_band(double* a, int column_count, LinearStatus* status) {
  constexpr int kStride = stride_of(kWidth);
  static_assert(kWidth < kRing);
  Lanes pivots[kRing] = {};  // D of the last columns
  Lanes check{};             // NaN once an entry is not finite
  for (int j = 0; j < column_count; ++j, a += kStride) {
    Lanes column[kWidth + 1];
    for (int k = 0; k <= kWidth; ++k) {
      column[k] = math::load(a + kLaneCount * k);
      check += 0.0 * column[k];
    }
    // The nearest column last: the others need not wait for it.
    subtract_columns_before<kWidth>(a, pivots, j, column, std::make_integer_sequence<int, kWidth>{});
    Lanes pivot = column[0];
    if (!math::all(pivot > 0)) report_pivots(pivot, status);
    const Lanes inverse = 1 / pivot;
    pivots[j & (kRing - 1)] = pivot;
    math::store(a, inverse);
    for (int k = 1; k <= kWidth; ++k) math::store(a + kLaneCount * k, column[k] * inverse);
  }
  for (int lane = 0; lane < kLaneCount; ++lane) {
    if (check[lane] != 0) status[lane] = LinearStatus::not_finite;
  }
}

// Row r of a stored block goes into column r of the lower band, from `target` on; of a diagonal block, its upper half.
template <int kStride, int kRows, int kColumns, bool kDiagonal>
void copy_rows(const double* block, double* target) {
  for (int r = 0; r < kRows; ++r) {
    for (int c = kDiagonal ? r : 0; c < kColumns; ++c) {
      target[r * (kStride - kLaneCount) + kLaneCount * c] = block[3 * c + r];
    }
  }
}

// L D Lᵀ z′ = z for four chains, z′ in place of z, which stands between kWidth columns of zeros on either side.
template <int kWidth>
void solve_band(const double* band, int column_count, double* z) {
  constexpr int kStride = stride_of(kWidth);
  // Forward; as in factor_band, the nearest entry last.
  const double* l = band;
  for (int j = 0; j < column_count; ++j, l += kStride, z += kLaneCount) {
    Lanes here = math::load(z);
    for (int c = kWidth; c >= 1; --c)
      here -= math::load(l - c * kStride + kLaneCount * c) * math::load(z - kLaneCount * c);
    math::store(z, here);
  }
  // Backward
  for (int j = column_count - 1; j >= 0; --j) {
    l -= kStride;
    z -= kLaneCount;
    Lanes here = math::load(z) * math::load(l);
    for (int k = kWidth; k >= 1; --k) here -= math::load(l + kLaneCount * k) * math::load(z + kLaneCount * k);
    math::store(z, here);
  }
}

}  // namespace

BandedCholesky::BandedCholesky(const DofLayout& layout) : is_twist_(layout.block_count()) {
  for (int i = 0; i < layout.block_count(); ++i) is_twist_[i] = layout.kind(i) == BlockKind::rod_twist ? 1 : 0;
}

bool BandedCholesky::suits(const sparse::BlockPattern& pattern) {
  for (int i = 0; i < pattern.row_count(); ++i) {
    if (pattern.column()[pattern.row_start()[i + 1] - 1] > i + kLargestBlockReach) return false;
  }
  return true;
}

void BandedCholesky::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  if (pattern == pattern_) return;
  PLIANT_ASSERT(suits(*pattern), "the matrix falls apart into chains");
  PLIANT_ASSERT(pattern->row_count() == static_cast<int>(is_twist_.size()), "the layout is that of the matrix");
  matrix_ = nullptr;
  chains_.clear();
  first_scalar_.resize(is_twist_.size());
  half_bandwidth_ = 0;

  // A chain ends where no block reaches farther.
  int reach = -1;
  for (int i = 0; i < pattern->row_count(); ++i) {
    if (i > reach) chains_.push_back({.first_block = i});
    const int last = pattern->column()[pattern->row_start()[i + 1] - 1];
    reach = std::max(reach, last);
    chains_.back().last_block = i + 1;
    first_scalar_[i] = chains_.back().column_count;
    chains_.back().column_count += scalars_of(i);
    int width = -1;
    for (int k = i; k <= last; ++k) width += scalars_of(k);
    half_bandwidth_ = std::max(half_bandwidth_, width);
  }
  half_bandwidth_ = half_bandwidth_ <= kRodWidth ? kRodWidth : kPointWidth;

  group_chains();
  padding_.assign(2 * is_twist_.size(), 1.0);
  status_.assign(chains_.size(), LinearStatus::solved);
  row_count_ = pattern->row_count();
  pattern_ = pattern;
}

void BandedCholesky::group_chains() {
  std::stable_sort(chains_.begin(), chains_.end(),
                   [](const Chain& a, const Chain& b) { return a.column_count > b.column_count; });
  groups_.clear();
  const int chain_count = static_cast<int>(chains_.size());
  int column_count = 0;
  for (int first = 0; first < chain_count; first += kLaneCount) {
    column_count += half_bandwidth_;
    groups_.push_back({.first_chain = first,
                       .chain_count = std::min(kLaneCount, chain_count - first),
                       .column_count = chains_[first].column_count,
                       .first_column = column_count});
    column_count += chains_[first].column_count;
  }
  column_count += half_bandwidth_;
  band_.assign(static_cast<std::size_t>(column_count) * stride_of(half_bandwidth_), 0.0);
  scratch_.assign(static_cast<std::size_t>(column_count) * kLaneCount, 0.0);
}

// Copies a chain into its lane, the first of `band`, which holds zeros.
template <int kWidth>
LinearStatus BandedCholesky::copy_chain(const Chain& chain, const sparse::SymmetricBlockMatrix& matrix, double* band) {
  constexpr int kStride = stride_of(kWidth);
  const auto row_start = pattern_->row_start();
  const auto column = pattern_->column();
  double check = 0;  // NaN once an entry is not finite
  bool padding_positive = true;
  for (int i = chain.first_block; i < chain.last_block; ++i) {
    const bool is_twist = is_twist_[i] != 0;
    const int first = first_scalar_[i];
    for (int slot = row_start[i]; slot < row_start[i + 1]; ++slot) {
      const int other = column[slot];
      const double* block = matrix.values() + 9 * static_cast<std::size_t>(slot);
      double* target = band + first * kStride + kLaneCount * (first_scalar_[other] - first);
      const bool is_other_twist = is_twist_[other] != 0;
      if (is_twist && is_other_twist) {
        target[0] = block[0];
      } else if (is_twist) {
        copy_rows<kStride, 1, 3, false>(block, target);
      } else if (is_other_twist) {
        copy_rows<kStride, 3, 1, false>(block, target);
      } else if (other == i) {
        copy_rows<kStride, 3, 3, true>(block, target);
      } else {
        copy_rows<kStride, 3, 3, false>(block, target);
      }
    }
    if (is_twist) {
      const double* block = matrix.values() + 9 * static_cast<std::size_t>(row_start[i]);
      padding_[2 * i] = block[4];
      padding_[2 * i + 1] = block[8];
      check += 0 * block[4] + 0 * block[8];
      padding_positive = padding_positive && block[4] > 0 && block[8] > 0;
    }
  }
  if (check != 0) return LinearStatus::not_finite;
  return padding_positive ? LinearStatus::solved : LinearStatus::not_positive_definite;
}

template <int kWidth>
void BandedCholesky::factor_group(const Group& group, const sparse::SymmetricBlockMatrix& matrix) {
  constexpr int kStride = stride_of(kWidth);
  double* const band = band_.data() + static_cast<std::size_t>(group.first_column) * kStride;
  std::fill_n(band, static_cast<std::size_t>(group.column_count) * kStride, 0.0);
  LinearStatus status[kLaneCount] = {};
  for (int lane = 0; lane < kLaneCount; ++lane) {
    int filled = 0;
    if (lane < group.chain_count) {
      const Chain& chain = chains_[group.first_chain + lane];
      status[lane] = copy_chain<kWidth>(chain, matrix, band + lane);
      filled = chain.column_count;
    }
    for (int j = filled; j < group.column_count; ++j) band[static_cast<std::size_t>(j) * kStride + lane] = 1;
  }
  factor_band<kWidth>(band, group.column_count, status);
  std::copy_n(status, group.chain_count, status_.begin() + group.first_chain);
}

LinearStatus BandedCholesky::factor(const sparse::SymmetricBlockMatrix& matrix) {
  analyze(matrix.shared_pattern());
  matrix_ = nullptr;
  parallel_for(static_cast<int>(groups_.size()), kGroupsPerPiece, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      if (half_bandwidth_ == kRodWidth) {
        factor_group<kRodWidth>(groups_[k], matrix);
      } else {
        factor_group<kPointWidth>(groups_[k], matrix);
      }
    }
  });
  LinearStatus status = LinearStatus::solved;
  for (const LinearStatus chain : status_) {
    if (chain == LinearStatus::not_finite) return chain;
    if (chain != LinearStatus::solved) status = chain;
  }
  if (status == LinearStatus::solved) matrix_ = &matrix;
  return status;
}

template <int kWidth>
void BandedCholesky::solve_group(const Group& group, const BlockVector& b, BlockVector& x) {
  const double* band = band_.data() + static_cast<std::size_t>(group.first_column) * stride_of(kWidth);
  double* const z = scratch_.data() + static_cast<std::size_t>(group.first_column) * kLaneCount;
  // Zeros beyond the chains: a right-hand side that was not finite may have left its traces there.
  std::fill_n(z, static_cast<std::size_t>(group.column_count) * kLaneCount, 0.0);
  for (int lane = 0; lane < group.chain_count; ++lane) {
    const Chain& chain = chains_[group.first_chain + lane];
    double* entry = z + lane;
    for (int i = chain.first_block; i < chain.last_block; ++i) {
      for (int r = 0; r < scalars_of(i); ++r, entry += kLaneCount) *entry = b[i][r];
    }
  }
  solve_band<kWidth>(band, group.column_count, z);
  for (int lane = 0; lane < group.chain_count; ++lane) {
    const Chain& chain = chains_[group.first_chain + lane];
    const double* entry = z + lane;
    for (int i = chain.first_block; i < chain.last_block; ++i) {
      if (is_twist_[i] != 0) {
        x[i] = Vec3(entry[0], b[i][1] / padding_[2 * i], b[i][2] / padding_[2 * i + 1]);
        entry += kLaneCount;
      } else {
        x[i] = Vec3(entry[0], entry[kLaneCount], entry[2 * kLaneCount]);
        entry += 3 * kLaneCount;
      }
    }
  }
}

LinearReport BandedCholesky::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  PLIANT_ASSERT(b.size() == row_count_ && x.size() == row_count_, "vectors have a block per row of the matrix");
  parallel_for(static_cast<int>(groups_.size()), kGroupsPerPiece, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      if (half_bandwidth_ == kRodWidth) {
        solve_group<kRodWidth>(groups_[k], b, x);
      } else {
        solve_group<kPointWidth>(groups_[k], b, x);
      }
    }
  });
  LinearReport report;
  if (!sparse::all_finite(x)) report.status = LinearStatus::not_finite;
  return report;
}

std::size_t BandedCholesky::memory_bytes() const {
  return sizeof(double) * (band_.capacity() + padding_.capacity() + scratch_.capacity()) +
         sizeof(int) * first_scalar_.capacity() + sizeof(Chain) * chains_.capacity() +
         sizeof(Group) * groups_.capacity() + sizeof(LinearStatus) * status_.capacity() + is_twist_.capacity();
}

}  // namespace pliant::linear
