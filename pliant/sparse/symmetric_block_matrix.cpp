// The product y = A x, and plain loops over the values.
#include "pliant/sparse/symmetric_block_matrix.h"

#include <algorithm>
#include <utility>

#include "pliant/assert.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::sparse {
namespace {

using math::Lanes;
using math::load;
using math::store;

constexpr int kWideLoadPadding = 3;  // the last column of the last block is read as four doubles
// Blocks between the block in use and the one asked of memory: 3.5 KB. The processor's own prefetcher stops at every 4
// KB page; asking ahead took a product on 280 MB from 72 to 85 % of the speed of a loop that only reads (16 to 96
// blocks are within a few per cent of each other). Beyond the end of the array a prefetch does nothing.
constexpr int kPrefetchBlocks = 48;
constexpr int kValueGrain = 1 << 15;  // doubles per piece in the plain loops

// Dot products of three columns with x: (c0·x, c1·x, c2·x, 0); x has a zero in its fourth lane.
inline Lanes column_dots(Lanes c0, Lanes c1, Lanes c2, Lanes x) {
  Lanes p0 = c0 * x, p1 = c1 * x, p2 = c2 * x, p3{};
#if defined(__AVX__)
  const __m256d p01 = _mm256_hadd_pd(p0, p1), p23 = _mm256_hadd_pd(p2, p3);
  return _mm256_add_pd(_mm256_blend_pd(p01, p23, 0b1100), _mm256_permute2f128_pd(p01, p23, 0x21));
#else
  math::transpose(p0, p1, p2, p3);
  return (p0 + p1) + (p2 + p3);
#endif
}

// The fourth lane of a wide load belongs to the next block: clear it.
inline Lanes clear_padding(Lanes x) {
  x[3] = 0;
  return x;
}

struct Product {
  const int* row_start;
  const int* column;
  const double* values;
  const double* x;
  double* y;

  void clear_rows(int first, int last) const {
    for (int row = first; row < last; ++row) store(y + 4 * static_cast<std::size_t>(row), Lanes{});
  }

  void add_rows(int first, int last) const {
    for (int row = first; row < last; ++row) {
      // Two accumulators: consecutive blocks do not wait for each other.
      Lanes sum_even{}, sum_odd{};
      const Lanes xi = load(x + 4 * static_cast<std::size_t>(row));
      const int begin = row_start[row], end = row_start[row + 1];
      add_block(begin, row, sum_even);  // the diagonal block
      int slot = begin + 1;
      for (; slot + 1 < end; slot += 2) {
        add_off_diagonal(slot, xi, sum_even);
        add_off_diagonal(slot + 1, xi, sum_odd);
      }
      if (slot < end) add_off_diagonal(slot, xi, sum_even);
      double* yi = y + 4 * static_cast<std::size_t>(row);
      store(yi, load(yi) + clear_padding(sum_even + sum_odd));
    }
  }

 private:
  void add_block(int slot, int j, Lanes& sum) const {
    const double* a = values + 9 * static_cast<std::size_t>(slot);
    const double* xj = x + 4 * static_cast<std::size_t>(j);
    sum += load(a) * xj[0] + load(a + 3) * xj[1] + load(a + 6) * xj[2];
  }
  void add_off_diagonal(int slot, Lanes xi, Lanes& sum) const {
    const double* a = values + 9 * static_cast<std::size_t>(slot);
    const std::size_t j = 4 * static_cast<std::size_t>(column[slot]);
    __builtin_prefetch(a + 9 * kPrefetchBlocks);
    const Lanes c0 = load(a), c1 = load(a + 3), c2 = load(a + 6);
    sum += c0 * x[j] + c1 * x[j + 1] + c2 * x[j + 2];
    store(y + j, load(y + j) + column_dots(c0, c1, c2, xi));
  }
};

}  // namespace

SymmetricBlockMatrix::SymmetricBlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      values_(9 * static_cast<std::size_t>(pattern_->slot_count()) + kWideLoadPadding, 0.0) {}

void SymmetricBlockMatrix::set_zero() {
  parallel_for(pattern_->slot_count(), kValueGrain / 9, [&](int begin, int end) {
    std::fill(values_.begin() + 9 * static_cast<std::ptrdiff_t>(begin),
              values_.begin() + 9 * static_cast<std::ptrdiff_t>(end), 0.0);
  });
}

void SymmetricBlockMatrix::scale(double factor) {
  parallel_for(pattern_->slot_count(), kValueGrain / 9, [&](int begin, int end) {
    for (std::size_t k = 9 * static_cast<std::size_t>(begin); k < 9 * static_cast<std::size_t>(end); ++k)
      values_[k] *= factor;
  });
}

void SymmetricBlockMatrix::multiply(const BlockVector& x, BlockVector& y) const {
  PLIANT_ASSERT(x.size() == row_count() && y.size() == row_count(),
                "vectors have as many blocks as the matrix has rows");
  const Product product{pattern_->row_start().data(), pattern_->column().data(), values_.data(), x.data(), y.data()};
  const BlockPattern::RowPieces& pieces = pattern_->row_pieces();
  // One thread takes the pieces in the same colour order as many do, so that the bits agree.
  parallel::for_each_item(pieces.coloring, [&](int piece) {
    for (int k = pieces.clear_start[piece]; k < pieces.clear_start[piece + 1]; ++k) {
      product.clear_rows(pieces.clear[k].first, pieces.clear[k].last);
    }
    product.add_rows(pieces.piece_start[piece], pieces.piece_start[piece + 1]);
  });
}

}  // namespace pliant::sparse
