// The lower triangle of P A Pᵀ in compressed columns of scalars: what sparse direct solvers read.
//
// P reorders whole blocks. Because the matrix arrives already permuted, the solver's own copying and transposing falls
// away, and a new matrix of the same pattern costs one sweep that reads each stored block once:
//
//   block column J of P A Pᵀ, with blocks (J,J), (I₁,J), (I₂,J) …, J < I₁ < I₂ …      three scalar columns
//     column 3J      a₀₀ a₁₀ a₂₀ | three entries of (I₁,J) | three of (I₂,J) …
//     column 3J + 1      a₁₁ a₂₁ | …
//     column 3J + 2          a₂₂ | …
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::linear {

class PermutedLower {
 public:
  PermutedLower() = default;
  // order[k] is the block that comes k-th.
  PermutedLower(const sparse::BlockPattern& pattern, std::span<const int> order);

  // Scalars per side: three per block.
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(scalar_start_.size()) - 1; }
  [[nodiscard]] std::int64_t entry_count() const { return scalar_start_.back(); }
  // Entries of column c are [column_start()[c], column_start()[c + 1]), rows ascending, the diagonal first.
  [[nodiscard]] std::span<std::int64_t> column_start() { return scalar_start_; }
  [[nodiscard]] std::span<std::int64_t> row_index() { return row_index_; }

  enum class Finite { yes, no };
  // Writes the entries of P A Pᵀ to `values` (entry_count() of them), and says whether all are finite.
  [[nodiscard]] Finite copy_values(const sparse::SymmetricBlockMatrix& matrix, std::span<double> values) const;
  // to = P from, and from = Pᵀ to: `permuted` has size() entries.
  void permute(const BlockVector& from, std::span<double> permuted) const;
  void permute_back(std::span<const double> permuted, BlockVector& to) const;

  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // The two block-level passes of the constructor.
  void collect_blocks(const sparse::BlockPattern& pattern);
  void write_scalar_pattern();

  std::vector<int> order_;
  std::vector<int> block_start_{0};  // block column J holds entries [block_start_[J], block_start_[J + 1])
  std::vector<int> block_row_;       // per entry, its block row I
  std::vector<int> source_;  // per entry, its slot s in the matrix, or ~s when the stored block is its transpose
  std::vector<std::int64_t> scalar_start_{0};
  std::vector<std::int64_t> row_index_;
};

}  // namespace pliant::linear
