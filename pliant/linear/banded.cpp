#include "pliant/linear/banded.h"

#include <algorithm>
#include <cmath>

#include "pliant/assert.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kLargestBlockReach = 4;
// Half bandwidths with a kernel of their own: rods, and chains of points. A column takes one entry more.
constexpr int kRodWidth = 10, kPointWidth = 14;
constexpr int stride_of(int width) { return width == kRodWidth ? 12 : 16; }
constexpr int kChainsPerPiece = 8;

// count: a multiple of four.
bool is_finite(const double* values, int count) {
  math::Lanes check{};
  for (int k = 0; k < count; k += 4) check += 0.0 * math::load(values + k);
  return math::sum(check) == 0;
}

// L D Lᵀ of one chain, column by column: `a` holds the lower band of A by columns and receives 1/D and L. Columns are
// followed by kWidth columns of zeros, so that the last ones are no special case.
template <int kWidth>
LinearStatus factor_band(double* a, int column_count) {
  constexpr int kStride = stride_of(kWidth);
  double l[2 * kStride] = {};  // the column of L; zero from kWidth + 1 on
  for (int j = 0; j < column_count; ++j, a += kStride) {
    const double pivot = a[0];
    if (!(pivot > 0)) return std::isnan(pivot) ? LinearStatus::not_finite : LinearStatus::not_positive_definite;
    const double inverse = 1 / pivot;
    double below[kStride];
    for (int k = 0; k < kStride; k += 4) {
      const math::Lanes column = math::load(a + k);
      math::store(below + k, column);
      math::store(l + k, column * inverse);
    }
    // The next columns: A(j + c + k, j + c) −= A(j + c, j) L(j + c + k, j)
    for (int c = 1; c <= kWidth; ++c) {
      double* next = a + c * kStride;
      const double factor = below[c];
      for (int k = 0; k <= kWidth - c; k += 4) {
        math::store(next + k, math::load(next + k) - factor * math::load(l + c + k));
      }
    }
    for (int k = 0; k < kStride; k += 4) math::store(a + k, math::load(l + k));
    a[0] = inverse;
  }
  return LinearStatus::solved;
}

// Row r of a stored block goes into column r of the lower band, from `target` on; of a diagonal block, its upper half.
template <int kStride, int kRows, int kColumns, bool kDiagonal>
void copy_rows(const double* block, double* target) {
  for (int r = 0; r < kRows; ++r) {
    for (int c = kDiagonal ? r : 0; c < kColumns; ++c) target[r * (kStride - 1) + c] = block[3 * c + r];
  }
}

// (a1, a2, a3, b0)
math::Lanes shifted(math::Lanes a, math::Lanes b) { return __builtin_shufflevector(a, b, 1, 2, 3, 4); }

// L D Lᵀ z′ = z, z′ in place of z, which is followed by a whole stride of zeros.
template <int kWidth>
void solve_band(const double* band, int column_count, double* z) {
  constexpr int kStride = stride_of(kWidth);
  // Forward: the next kStride entries of z stay in registers and move up by one place per column.
  constexpr int kParts = kStride / 4;
  math::Lanes window[kParts];
  for (int k = 0; k < kParts; ++k) window[k] = math::load(z + 4 * k);
  const double* l = band;
  for (int j = 0; j < column_count; ++j, l += kStride) {
    const double here = window[0][0];
    z[j] = here;
    for (int k = 0; k < kParts; ++k) window[k] -= here * math::load(l + 4 * k);  // its own place is of no use any more
    for (int k = 0; k + 1 < kParts; ++k) window[k] = shifted(window[k], window[k + 1]);
    window[kParts - 1] = shifted(window[kParts - 1], math::lanes_of(z[j + kStride]));
  }
  // Backward
  for (int j = column_count - 1; j >= 0; --j) {
    l -= kStride;
    // Two sums: the chain of additions is what costs.
    double even = 0, odd = 0;
    for (int k = kWidth; k > 1; k -= 2) {
      even += l[k] * z[j + k];
      odd += l[k - 1] * z[j + k - 1];
    }
    z[j] = z[j] * l[0] - (even + odd);
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
  half_bandwidth_ = 0;

  // A chain ends where no block reaches farther.
  int reach = -1;
  for (int i = 0; i < pattern->row_count(); ++i) {
    if (i > reach) chains_.push_back({.first_block = i});
    const int last = pattern->column()[pattern->row_start()[i + 1] - 1];
    reach = std::max(reach, last);
    chains_.back().last_block = i + 1;
    chains_.back().column_count += scalars_of(i);
    int width = -1;
    for (int k = i; k <= last; ++k) width += scalars_of(k);
    half_bandwidth_ = std::max(half_bandwidth_, width);
  }
  half_bandwidth_ = half_bandwidth_ <= kRodWidth ? kRodWidth : kPointWidth;

  int column_count = 0;
  for (Chain& chain : chains_) {
    chain.first_column = column_count;
    column_count += chain.column_count + stride_of(half_bandwidth_);
  }
  band_.assign(static_cast<std::size_t>(column_count) * stride_of(half_bandwidth_), 0.0);
  scratch_.assign(column_count, 0.0);
  padding_.assign(2 * is_twist_.size(), 1.0);
  status_.assign(chains_.size(), LinearStatus::solved);
  row_count_ = pattern->row_count();
  pattern_ = pattern;
}

template <int kWidth>
LinearStatus BandedCholesky::factor_chain(const Chain& chain, const sparse::SymmetricBlockMatrix& matrix) {
  constexpr int kStride = stride_of(kWidth);
  double* const band = band_.data() + static_cast<std::size_t>(chain.first_column) * kStride;
  std::fill_n(band, static_cast<std::size_t>(chain.column_count + kWidth) * kStride, 0.0);
  const auto row_start = pattern_->row_start();
  const auto column = pattern_->column();

  int offset[kLargestBlockReach + 1];  // scalars from the first of block i to the first of block i + k
  int first = 0;
  double check = 0;  // NaN once an entry is not finite
  bool padding_positive = true;
  for (int i = chain.first_block; i < chain.last_block; ++i) {
    const int rows = scalars_of(i);
    offset[0] = 0;
    for (int k = 1; k <= kLargestBlockReach && i + k < chain.last_block; ++k) {
      offset[k] = offset[k - 1] + scalars_of(i + k - 1);
    }
    for (int slot = row_start[i]; slot < row_start[i + 1]; ++slot) {
      const double* block = matrix.values() + 9 * static_cast<std::size_t>(slot);
      const int reach = column[slot] - i, columns = scalars_of(column[slot]);
      double* target = band + first * kStride + offset[reach];
      if (rows == 1) {
        target[0] = block[0];
        if (columns == 3) target[1] = block[3], target[2] = block[6];
      } else if (reach == 0) {
        copy_rows<kStride, 3, 3, true>(block, target);
      } else if (columns == 3) {
        copy_rows<kStride, 3, 3, false>(block, target);
      } else {
        copy_rows<kStride, 3, 1, false>(block, target);
      }
    }
    if (rows == 1) {
      const double* block = matrix.values() + 9 * static_cast<std::size_t>(row_start[i]);
      padding_[2 * i] = block[4];
      padding_[2 * i + 1] = block[8];
      check += 0 * block[4] + 0 * block[8];
      padding_positive = padding_positive && block[4] > 0 && block[8] > 0;
    }
    first += rows;
  }
  if (check != 0 || !is_finite(band, chain.column_count * kStride)) return LinearStatus::not_finite;
  if (!padding_positive) return LinearStatus::not_positive_definite;
  return factor_band<kWidth>(band, chain.column_count);
}

LinearStatus BandedCholesky::factor(const sparse::SymmetricBlockMatrix& matrix) {
  analyze(matrix.shared_pattern());
  matrix_ = nullptr;
  parallel_for(static_cast<int>(chains_.size()), kChainsPerPiece, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      status_[k] = half_bandwidth_ == kRodWidth ? factor_chain<kRodWidth>(chains_[k], matrix)
                                                : factor_chain<kPointWidth>(chains_[k], matrix);
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
void BandedCholesky::solve_chain(const Chain& chain, const BlockVector& b, BlockVector& x) {
  const double* band = band_.data() + static_cast<std::size_t>(chain.first_column) * stride_of(kWidth);
  double* const z = scratch_.data() + chain.first_column;
  int at = 0;
  for (int i = chain.first_block; i < chain.last_block; ++i) {
    for (int r = 0; r < scalars_of(i); ++r) z[at++] = b[i][r];
  }
  std::fill_n(z + at, stride_of(kWidth), 0.0);
  solve_band<kWidth>(band, chain.column_count, z);
  at = 0;
  for (int i = chain.first_block; i < chain.last_block; ++i) {
    if (is_twist_[i] != 0) {
      x[i] = Vec3(z[at], b[i][1] / padding_[2 * i], b[i][2] / padding_[2 * i + 1]);
      ++at;
    } else {
      x[i] = Vec3(z[at], z[at + 1], z[at + 2]);
      at += 3;
    }
  }
}

LinearReport BandedCholesky::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  PLIANT_ASSERT(b.size() == row_count_ && x.size() == row_count_, "vectors have a block per row of the matrix");
  parallel_for(static_cast<int>(chains_.size()), kChainsPerPiece, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      if (half_bandwidth_ == kRodWidth) {
        solve_chain<kRodWidth>(chains_[k], b, x);
      } else {
        solve_chain<kPointWidth>(chains_[k], b, x);
      }
    }
  });
  LinearReport report;
  if (!sparse::all_finite(x)) report.status = LinearStatus::not_finite;
  return report;
}

std::size_t BandedCholesky::memory_bytes() const {
  return sizeof(double) * (band_.capacity() + padding_.capacity() + scratch_.capacity()) +
         sizeof(Chain) * chains_.capacity() + sizeof(LinearStatus) * status_.capacity() + is_twist_.capacity();
}

}  // namespace pliant::linear
