// The numbers of a sparse Cholesky factor in dense blocks: P A Pᵀ = L Lᵀ with columns of equal pattern joined.
//
//   supernode s    columns [c₀, c₁) of L and the rows below the diagonal that any of them has
//        ┌ L₁₁      c₁ − c₀ rows, lower triangle (what stands above the diagonal is undefined)
//        └ L₂₁      rows r₁ < r₂ < …, all ≥ c₁; the supernode that holds column r₁ is the parent
//
// CHOLMOD's supernodal method [Chen2008] with the better of AMD and METIS orders; built without it
// (PLIANT_WITH_CHOLMOD=OFF), the multifrontal method on dense kernels of Eigen, with AMD. Columns are joined although
// that stores some zeros: dense blocks are faster than what they waste.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/sparse/block_pattern.h"

namespace pliant::linear {

// Children come before parents.
struct SupernodalStructure {
  std::vector<int> order;                  // order[k] is the row of A that comes k-th
  std::vector<int> column_start{0};        // supernode s has columns [column_start[s], column_start[s + 1])
  std::vector<std::int64_t> row_start{0};  // and rows row[row_start[s] .. row_start[s + 1]), first its own columns
  std::vector<int> row;
  std::vector<std::int64_t> value_start{0};  // its block, column by column, begins here in the values

  [[nodiscard]] int supernode_count() const { return static_cast<int>(column_start.size()) - 1; }
  [[nodiscard]] int column_count(int s) const { return column_start[s + 1] - column_start[s]; }
  [[nodiscard]] int row_count(int s) const { return static_cast<int>(row_start[s + 1] - row_start[s]); }
  // Rows below the diagonal block.
  [[nodiscard]] std::span<const int> rows_below(int s) const {
    return std::span(row).subspan(static_cast<std::size_t>(row_start[s] + column_count(s)),
                                  static_cast<std::size_t>(row_count(s) - column_count(s)));
  }
  [[nodiscard]] std::size_t memory_bytes() const;
};

class SupernodalCholesky {
 public:
  explicit SupernodalCholesky(const sparse::BlockPattern& pattern);
  ~SupernodalCholesky();
  SupernodalCholesky(const SupernodalCholesky&) = delete;
  SupernodalCholesky& operator=(const SupernodalCholesky&) = delete;

  [[nodiscard]] const SupernodalStructure& structure() const { return structure_; }
  // One number per slot of the pattern, all finite. On success values() holds the blocks until release_values().
  [[nodiscard]] LinearStatus factor(std::span<const double> slots);
  [[nodiscard]] std::span<const double> values() const;
  void release_values();
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  class Backend;  // CHOLMOD or Eigen, in the source file

  SupernodalStructure structure_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace pliant::linear
