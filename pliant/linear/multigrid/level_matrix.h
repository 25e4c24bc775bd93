// The matrix of one level in B×B float blocks, stored in the order in which Gauss-Seidel visits the rows.
//
//   A = L + D + U        L couples a row with rows visited before it, U = Lᵀ with rows visited after it
//
// The order: rows are cut into pieces of neighbours in memory, and pieces that touch get different colours. Pieces of
// one colour are visited side by side, colour after colour, the rows of a piece one after another. So a sweep uses many
// threads and still is exact Gauss-Seidel in a fixed order: same bits for any number of threads.
// Couplings inside a piece are stored once, those between pieces (few) in both rows: a thread that works on a piece
// writes to rows of that piece alone. Half the blocks are half the bytes, and cycles are bound by bytes; what a piece
// reads twice is still in the cache the second time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pliant/linear/multigrid/block_kernels.h"
#include "pliant/parallel/coloring.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::linear {

// Compressed rows: the columns of row i are column[start[i] .. start[i + 1]), ascending.
struct SparseRows {
  std::vector<int> start{0};
  std::vector<int> column;

  [[nodiscard]] int row_count() const { return static_cast<int>(start.size()) - 1; }
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(int) * (start.capacity() + column.capacity()); }
};

struct LevelPattern {
  SparseRows inside;         // of U, columns of the same piece; their blocks of L are not stored
  SparseRows before, after;  // of L and of U, columns of other pieces
  std::vector<int> mirror;   // per entry of `after`: the entry of `before` with row and column exchanged
  std::vector<int> piece_start;
  parallel::Coloring pieces;

  LevelPattern() = default;
  // `neighbours`: symmetric, without the diagonal.
  explicit LevelPattern(const SparseRows& neighbours);
  [[nodiscard]] int row_count() const { return inside.row_count(); }
  [[nodiscard]] int piece_count() const { return static_cast<int>(piece_start.size()) - 1; }
  // Blocks of U.
  [[nodiscard]] std::size_t upper_count() const { return inside.column.size() + after.column.size(); }
  [[nodiscard]] std::size_t memory_bytes() const;
};

// All neighbours of every row of a symmetric pattern, without the diagonal.
[[nodiscard]] SparseRows neighbours_of(const sparse::BlockPattern& pattern);

template <int B>
struct LevelMatrix {
  LevelPattern pattern;
  std::vector<float> diagonal, inverse;  // D, and D⁻¹ with eigenvalues made positive where they are not
  std::vector<float> inside, before, after;
  bool has_exact_inverses = false;  // no D⁻¹ had to be made positive

  // Takes a pattern over; values are undefined.
  void reset(LevelPattern new_pattern);
  [[nodiscard]] int row_count() const { return pattern.row_count(); }
  // `before` from `after`
  void mirror_after();
  // D⁻¹; false when an entry is not finite.
  [[nodiscard]] bool invert_diagonal();
  // y = A x
  void multiply(const float* x, float* y) const;
  [[nodiscard]] std::size_t memory_bytes() const;
};

extern template struct LevelMatrix<3>;
extern template struct LevelMatrix<6>;

// Where the blocks of a symmetric matrix go in a level's.
class FinestCopy {
 public:
  FinestCopy() = default;
  FinestCopy(const sparse::BlockPattern& from, const LevelPattern& to);
  // to = scale · from, in single precision
  void copy(const sparse::SymmetricBlockMatrix& from, double scale, LevelMatrix<3>& to) const;
  // Whether a copy would change nothing.
  [[nodiscard]] bool is_copy(const sparse::SymmetricBlockMatrix& from, double scale, const LevelMatrix<3>& to) const;
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(int) * slot_.capacity(); }

 private:
  std::vector<int> slot_;  // per entry of `after`: its slot, or −1 − slot where the transposed block is stored
};

}  // namespace pliant::linear
