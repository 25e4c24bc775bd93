#include "pliant/linear/scaled_rows.h"

#include <algorithm>
#include <cmath>

#include "pliant/linear/multigrid/block_kernels.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using math::Lanes;
using math::load;

constexpr int kWideLoadPadding = 3;  // the last column of the last block is read as four doubles
constexpr int kFloatsPerPair = 24;
// A pivot smaller than this times its diagonal entry counts as not positive, as for block-Jacobi.
constexpr double kSmallestPivot = 1e-8;

// The inverse of the Cholesky factor of a; false where a pivot is not clearly positive.
bool invert_factor(const Mat3& a, double* w) {
  const double d0 = a(0, 0);
  if (!(d0 > 0) || !std::isfinite(a.sum())) return false;
  const double l00 = std::sqrt(d0), l10 = a(1, 0) / l00, l20 = a(2, 0) / l00;
  const double d1 = a(1, 1) - l10 * l10;
  if (!(d1 > kSmallestPivot * std::abs(a(1, 1)))) return false;
  const double l11 = std::sqrt(d1), l21 = (a(2, 1) - l20 * l10) / l11;
  const double d2 = a(2, 2) - l20 * l20 - l21 * l21;
  if (!(d2 > kSmallestPivot * std::abs(a(2, 2)))) return false;
  const double w00 = 1 / l00, w11 = 1 / l11, w22 = 1 / std::sqrt(d2);
  const double w10 = -l10 * w00 * w11, w21 = -l21 * w11 * w22;
  const double inverse[9] = {w00, w10, -(l20 * w00 + l21 * w10) * w22, 0, w11, w21, 0, 0, w22};
  std::copy_n(inverse, 9, w);
  return true;
}

inline void store_column(float* place, Lanes column) { store_floats(place, __builtin_convertvector(column, Float4)); }

// W_i A W_jᵀ to `upper`, its transpose to `lower`; columns of a block are eight floats apart.
inline void scale_block(const double* a, const double* wi, const double* wj, float* upper, float* lower) {
  const Lanes w0 = load(wi), w1 = load(wi + 3), w2 = load(wi + 6);
  const Lanes c0 = w0 * a[0] + w1 * a[1] + w2 * a[2];
  const Lanes c1 = w0 * a[3] + w1 * a[4] + w2 * a[5];
  const Lanes c2 = w0 * a[6] + w1 * a[7] + w2 * a[8];
  Lanes b0 = c0 * wj[0], b1 = c0 * wj[1] + c1 * wj[4], b2 = c0 * wj[2] + c1 * wj[5] + c2 * wj[8];
  store_column(upper, b0);
  store_column(upper + 8, b1);
  store_column(upper + 16, b2);
  Lanes none{};
  math::transpose(b0, b1, b2, none);
  store_column(lower, b0);
  store_column(lower + 8, b1);
  store_column(lower + 16, b2);
}

// The k-th entry of each half, in all of its lanes but for the fourth.
template <int k>
inline Float8 spread(Float8 x) {
  return __builtin_shufflevector(x, x, k, k, k, 3, 4 + k, 4 + k, 4 + k, 7);
}

inline Float8 join(Float4 low, Float4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }

}  // namespace

bool ScaledRows::take(const sparse::SymmetricBlockMatrix& matrix) {
  if (pattern_ != matrix.shared_pattern()) {
    pattern_ = matrix.shared_pattern();
    find_places(*pattern_);
  }
  if (!find_scales(matrix)) return false;
  fill(matrix);
  return true;
}

// Rows in the order of their columns: first what stands left of the diagonal, which earlier rows store, then the rest.
void ScaledRows::find_places(const sparse::BlockPattern& pattern) {
  const int rows = pattern.row_count();
  const std::span<const int> row_start = pattern.row_start(), column = pattern.column();
  std::vector<int> count(rows, 0);
  for (int i = 0; i < rows; ++i) {
    count[i] += row_start[i + 1] - row_start[i] - 1;
    for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k) ++count[column[k]];
  }
  pair_start_.assign(1, 0);
  for (int i = 0; i < rows; ++i) pair_start_.push_back(pair_start_.back() + (count[i] + 1) / 2);
  const std::size_t pairs = static_cast<std::size_t>(pair_start_.back());
  values_.assign(kFloatsPerPair * pairs, 0.0F);
  column_.resize(2 * pairs);
  // A pair without a second block has zeros there, and a column that is read anyway.
  for (int i = 0; i < rows; ++i)
    std::fill(column_.begin() + 2 * pair_start_[i], column_.begin() + 2 * pair_start_[i + 1], i);
  upper_.assign(column.size(), 0);
  lower_.assign(column.size(), 0);
  std::vector<int> filled(rows, 0);
  const auto place = [&](int row, int at) {
    const int k = 2 * pair_start_[row] + filled[row]++;
    column_[k] = at;
    return kFloatsPerPair * (k / 2) + 4 * (k % 2);
  };
  for (int i = 0; i < rows; ++i) {
    for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k) {
      upper_[k] = place(i, column[k]);
      lower_[k] = place(column[k], i);
    }
  }
}

bool ScaledRows::find_scales(const sparse::SymmetricBlockMatrix& matrix) {
  scale_.resize(9 * static_cast<std::size_t>(matrix.row_count()) + kWideLoadPadding, 0.0);
  partial_.assign(static_cast<std::size_t>((matrix.row_count() + kRowsPerPiece - 1) / kRowsPerPiece), 0.0);
  parallel_for(matrix.row_count(), kRowsPerPiece, [&](int begin, int end) {
    double& bad = partial_[begin / kRowsPerPiece];
    for (int i = begin; i < end && bad == 0; ++i) {
      const bool is_good =
          invert_factor(matrix.block(matrix.pattern().diagonal_slot(i)), &scale_[9 * static_cast<std::size_t>(i)]);
      bad = is_good ? 0 : 1;
    }
  });
  return std::find(partial_.begin(), partial_.end(), 1.0) == partial_.end();
}

void ScaledRows::fill(const sparse::SymmetricBlockMatrix& matrix) {
  const std::span<const int> row_start = pattern_->row_start(), column = pattern_->column();
  const double *a = matrix.values(), *w = scale_.data();
  float* v = values_.data();
  // Every place is written by the one row that stores its block.
  parallel_for(matrix.row_count(), kRowsPerPiece, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      for (int k = row_start[i] + 1; k < row_start[i + 1]; ++k) {
        scale_block(a + 9 * static_cast<std::size_t>(k), w + 9 * static_cast<std::size_t>(i),
                    w + 9 * static_cast<std::size_t>(column[k]), v + upper_[k], v + lower_[k]);
      }
    }
  });
}

double ScaledRows::multiply(const float* x, float* y) {
  partial_.assign(static_cast<std::size_t>((row_count() + kRowsPerPiece - 1) / kRowsPerPiece), 0.0);
  parallel_for(row_count(), kRowsPerPiece, [&](int begin, int end) {
    const float* a = values_.data() + static_cast<std::size_t>(kFloatsPerPair) * pair_start_[begin];
    const int* column = column_.data();
    Float4 sum{};
    for (int i = begin; i < end; ++i) {
      Float8 first{}, second{}, third{};
      for (int k = pair_start_[i]; k < pair_start_[i + 1]; ++k, a += kFloatsPerPair) {
        const Float8 xs =
            join(load_floats<Float4>(x + 4 * column[2 * k]), load_floats<Float4>(x + 4 * column[2 * k + 1]));
        first += load_floats<Float8>(a) * spread<0>(xs);
        second += load_floats<Float8>(a + 8) * spread<1>(xs);
        third += load_floats<Float8>(a + 16) * spread<2>(xs);
      }
      const Float8 both = first + second + third;
      const Float4 xi = load_floats<Float4>(x + 4 * i);
      const Float4 yi = BlockShape<3>::clear_padding(xi + __builtin_shufflevector(both, both, 0, 1, 2, 3) +
                                                     __builtin_shufflevector(both, both, 4, 5, 6, 7));
      store_floats(y + 4 * i, yi);
      sum += xi * yi;
    }
    partial_[begin / kRowsPerPiece] = (double{sum[0]} + sum[1]) + sum[2];
  });
  double total = 0;
  for (const double p : partial_) total += p;
  return total;
}

std::size_t ScaledRows::memory_bytes() const {
  return sizeof(int) * (pair_start_.capacity() + column_.capacity() + upper_.capacity() + lower_.capacity()) +
         sizeof(float) * values_.capacity() + sizeof(double) * (scale_.capacity() + partial_.capacity());
}

}  // namespace pliant::linear
