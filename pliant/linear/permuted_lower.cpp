// From upper block rows to permuted lower scalar columns: the layout once, the values in one sweep.
#include "pliant/linear/permuted_lower.h"

#include <algorithm>
#include <utility>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kVectorGrain = 4096;  // blocks per piece

// Where the three scalar columns of a block column begin, counted from the first: block column of `blocks` blocks.
struct ColumnOffsets {
  std::int64_t second, third;
  explicit ColumnOffsets(std::int64_t blocks) : second(3 * blocks), third(6 * blocks - 1) {}
};

}  // namespace

PermutedLower::PermutedLower(const sparse::BlockPattern& pattern, std::span<const int> order)
    : order_(order.begin(), order.end()) {
  PLIANT_ASSERT(static_cast<int>(order.size()) == pattern.row_count(), "the order names every block once");
  collect_blocks(pattern);
  write_scalar_pattern();
}

void PermutedLower::collect_blocks(const sparse::BlockPattern& pattern) {
  const int blocks = pattern.row_count();
  std::vector<int> place(blocks);  // inverse of the order
  for (int k = 0; k < blocks; ++k) place[order_[k]] = k;

  // Which block column each stored block belongs to.
  block_start_.assign(blocks + 1, 0);
  for (int i = 0; i < blocks; ++i) {
    for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
      ++block_start_[std::min(place[i], place[pattern.column()[slot]]) + 1];
    }
  }
  for (int k = 0; k < blocks; ++k) block_start_[k + 1] += block_start_[k];

  // Hand them out, then sort every column by row; the diagonal comes first by itself.
  std::vector<std::pair<int, int>> entries(pattern.slot_count());  // row, source
  std::vector<int> next(block_start_.begin(), block_start_.end() - 1);
  for (int i = 0; i < blocks; ++i) {
    for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
      const int p = place[i], q = place[pattern.column()[slot]];
      entries[next[std::min(p, q)]++] = {std::max(p, q), p >= q ? slot : ~slot};
    }
  }
  block_row_.resize(entries.size());
  source_.resize(entries.size());
  for (int k = 0; k < blocks; ++k) {
    std::sort(entries.begin() + block_start_[k], entries.begin() + block_start_[k + 1]);
    for (int e = block_start_[k]; e < block_start_[k + 1]; ++e) std::tie(block_row_[e], source_[e]) = entries[e];
  }
}

void PermutedLower::write_scalar_pattern() {
  const int blocks = static_cast<int>(order_.size());
  scalar_start_.resize(3 * static_cast<std::size_t>(blocks) + 1);
  row_index_.reserve(9 * block_row_.size());
  std::size_t column = 0;
  for (int k = 0; k < blocks; ++k) {
    for (int c = 0; c < 3; ++c) {
      scalar_start_[column++] = static_cast<std::int64_t>(row_index_.size());
      for (int r = c; r < 3; ++r) row_index_.push_back(3 * static_cast<std::int64_t>(k) + r);
      for (int e = block_start_[k] + 1; e < block_start_[k + 1]; ++e) {
        for (int r = 0; r < 3; ++r) row_index_.push_back(3 * static_cast<std::int64_t>(block_row_[e]) + r);
      }
    }
  }
  scalar_start_[column] = static_cast<std::int64_t>(row_index_.size());
  row_index_.shrink_to_fit();
}

PermutedLower::Finite PermutedLower::copy_values(const sparse::SymmetricBlockMatrix& matrix,
                                                 std::span<double> values) const {
  PLIANT_ASSERT(static_cast<std::int64_t>(values.size()) == entry_count(), "one value per entry of the lower triangle");
  const double* blocks = matrix.values();
  // x − x is 0 for finite numbers and NaN otherwise; NaN survives the sum.
  const double zero = parallel_sum(static_cast<int>(order_.size()), [&](int begin, int end) {
    double not_finite = 0;
    for (int k = begin; k < end; ++k) {
      const ColumnOffsets offset(block_start_[k + 1] - block_start_[k]);
      double* first = values.data() + scalar_start_[3 * static_cast<std::size_t>(k)];
      double* second = first + offset.second;
      double* third = first + offset.third;
      const double* d = blocks + 9 * static_cast<std::size_t>(source_[block_start_[k]]);
      for (int r = 0; r < 3; ++r) *first++ = d[r];
      *second++ = d[4];
      *second++ = d[5];
      *third++ = d[8];
      not_finite += ((d[0] - d[0]) + (d[1] - d[1])) + ((d[2] - d[2]) + (d[4] - d[4])) + ((d[5] - d[5]) + (d[8] - d[8]));
      for (int e = block_start_[k] + 1; e < block_start_[k + 1]; ++e) {
        const bool transposed = source_[e] < 0;
        const double* a = blocks + 9 * static_cast<std::size_t>(transposed ? ~source_[e] : source_[e]);
        const int row = transposed ? 3 : 1, column = transposed ? 1 : 3;
        for (int r = 0; r < 3; ++r) {
          *first++ = a[r * row];
          *second++ = a[r * row + column];
          *third++ = a[r * row + 2 * column];
        }
        for (int m = 0; m < 9; ++m) not_finite += a[m] - a[m];
      }
    }
    return not_finite;
  });
  return zero == 0 ? Finite::yes : Finite::no;
}

void PermutedLower::permute(const BlockVector& from, std::span<double> permuted) const {
  parallel_for(static_cast<int>(order_.size()), kVectorGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      for (int c = 0; c < 3; ++c) permuted[3 * static_cast<std::size_t>(k) + c] = from[order_[k]][c];
    }
  });
}

void PermutedLower::permute_back(std::span<const double> permuted, BlockVector& to) const {
  parallel_for(static_cast<int>(order_.size()), kVectorGrain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      for (int c = 0; c < 3; ++c) to[order_[k]][c] = permuted[3 * static_cast<std::size_t>(k) + c];
    }
  });
}

std::size_t PermutedLower::memory_bytes() const {
  return sizeof(int) * (order_.capacity() + block_start_.capacity() + block_row_.capacity() + source_.capacity()) +
         sizeof(std::int64_t) * (scalar_start_.capacity() + row_index_.capacity());
}

}  // namespace pliant::linear
