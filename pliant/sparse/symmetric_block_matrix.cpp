// The product y = A x, and plain loops over the values.
#include "pliant/sparse/symmetric_block_matrix.h"

#include <algorithm>
#include <utility>

#include "pliant/assert.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"
#include "pliant/sparse/large_pages.h"

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

// The fourth lane of a wide load belongs to the next column or block: clear it.
inline Lanes clear_padding(Lanes x) {
  x[3] = 0;
  return x;
}

// The columns c and rows r of a block, each in the first three lanes.
struct Block {
  Lanes c0, c1, c2, r0, r1, r2;

  // From three loads: the processor that loads more of them, or reduces products over lanes, is slower. a₀ … a₈ are the
  // entries, column by column.
  explicit Block(const double* a) {
#if defined(__AVX__)
    const __m256d first = load(a), middle = load(a + 4), last = load(a + 6);  // a₀…a₃, a₄…a₇, a₆…a₉
    const __m256d from_2 = _mm256_permute2f128_pd(first, middle, 0x21);       // a₂…a₅
    const __m256d ends = _mm256_blend_pd(first, middle, 0b1100);              // a₀ a₁ a₆ a₇
    c0 = first;
    c1 = _mm256_shuffle_pd(from_2, middle, 0b0101);  // a₃…a₆
    c2 = last;
    r0 = _mm256_blend_pd(ends, from_2, 0b0010);                                   // a₀ a₃ a₆
    r1 = _mm256_shuffle_pd(ends, c1, 0b0111);                                     // a₁ a₄ a₇
    r2 = _mm256_blend_pd(_mm256_blend_pd(from_2, middle, 0b0010), last, 0b0100);  // a₂ a₅ a₈
#else
    c0 = load(a), c1 = load(a + 3), c2 = load(a + 6);
    r0 = c0, r1 = c1, r2 = c2;
    Lanes none{};
    math::transpose(r0, r1, r2, none);
#endif
  }
};

// x₀, x₁ and x₂ of a block, each in all lanes.
struct Spread {
  Lanes x0, x1, x2;

  Spread(Lanes first, Lanes second, Lanes third) : x0(first), x1(second), x2(third) {}
  explicit Spread(const double* x) {
#if defined(__AVX__)
    const __m256d low = _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(x));
    x0 = _mm256_permute_pd(low, 0b0000);
    x1 = _mm256_permute_pd(low, 0b1111);
#else
    x0 = math::lanes_of(x[0]);
    x1 = math::lanes_of(x[1]);
#endif
    x2 = math::lanes_of(x[2]);
  }
};

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
    const double* a = values + 9 * static_cast<std::size_t>(row_start[first]);
    for (int row = first; row < last; ++row) {
      // Two accumulators: consecutive blocks do not wait for each other.
      Lanes even{}, odd{};
      Spread xi(x + 4 * static_cast<std::size_t>(row));
      even = load(a) * xi.x0 + load(a + 3) * xi.x1 + load(a + 6) * xi.x2;  // the diagonal block
      a += 9;
      // So that the fourth entries of y stay zero.
      xi = {clear_padding(xi.x0), clear_padding(xi.x1), clear_padding(xi.x2)};
      const int end = row_start[row + 1];
      int slot = row_start[row] + 1;
      for (; slot + 1 < end; slot += 2, a += 18) {
        add_off_diagonal(a, column[slot], xi, even);
        add_off_diagonal(a + 9, column[slot + 1], xi, odd);
      }
      if (slot < end) {
        add_off_diagonal(a, column[slot], xi, even);
        a += 9;
      }
      double* yi = y + 4 * static_cast<std::size_t>(row);
      store(yi, load(yi) + clear_padding(even + odd));
    }
  }

 private:
  // sum += A_ij x_j, y_j += A_ijᵀ x_i
  void add_off_diagonal(const double* a, int j, const Spread& xi, Lanes& sum) const {
    __builtin_prefetch(a + 9 * kPrefetchBlocks);
    const Block block(a);
    const Spread xj(x + 4 * static_cast<std::size_t>(j));
    sum += block.c0 * xj.x0;
    sum += block.c1 * xj.x1;
    sum += block.c2 * xj.x2;
    double* yj = y + 4 * static_cast<std::size_t>(j);
    Lanes result = load(yj);
    result += block.r0 * xi.x0;
    result += block.r1 * xi.x1;
    result += block.r2 * xi.x2;
    store(yj, result);
  }
};

}  // namespace

SymmetricBlockMatrix::SymmetricBlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      values_(filled_on_large_pages(9 * static_cast<std::size_t>(pattern_->slot_count()) + kWideLoadPadding, 0.0)) {}

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
