// Which 3×3 blocks of a symmetric matrix are stored: the upper half, row by row, the diagonal block first.
//
//   row i:  (i,i)  (i,j₁)  (i,j₂) …   with i < j₁ < j₂ …        slot = place in this list
//
// The pattern is fixed for the life of a model; energies look up their slots once and then add into them directly.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pliant/parallel/coloring.h"

namespace pliant::sparse {

class BlockPattern {
 public:
  [[nodiscard]] int row_count() const { return static_cast<int>(row_start_.size()) - 1; }
  [[nodiscard]] int slot_count() const { return static_cast<int>(column_.size()); }
  [[nodiscard]] std::span<const int> row_start() const { return row_start_; }
  [[nodiscard]] std::span<const int> column() const { return column_; }

  // Slot of block (i, j), i ≤ j; asserts that it is stored.
  [[nodiscard]] int slot(int i, int j) const;
  // The same, or −1 where it is not.
  [[nodiscard]] int find(int i, int j) const;
  [[nodiscard]] int diagonal_slot(int i) const { return row_start_[i]; }

  // Rows in pieces of about equal work, coloured so that pieces of one colour write different entries of a product.
  // A piece first clears the entries that no piece of an earlier colour has written, so that a product needs no sweep
  // of its own to clear the result.
  struct RowRange {
    int first, last;  // [first, last)
  };
  struct RowPieces {
    std::vector<int> piece_start;  // piece p holds rows [piece_start[p], piece_start[p + 1])
    parallel::Coloring coloring;
    std::vector<int> clear_start;  // piece p clears clear[clear_start[p] .. clear_start[p + 1])
    std::vector<RowRange> clear;
  };
  [[nodiscard]] const RowPieces& row_pieces() const { return row_pieces_; }

 private:
  friend class PatternBuilder;
  std::vector<int> row_start_{0};
  std::vector<int> column_;
  RowPieces row_pieces_;
};

// Collects who is coupled with whom: every group of blocks that shares an energy term.
class PatternBuilder {
 public:
  explicit PatternBuilder(int row_count) : neighbours_(row_count) {}
  void couple(std::span<const int> blocks);
  // All that another pattern of the same size stores.
  void include(const BlockPattern& pattern);
  // May be called once; the builder is empty afterwards.
  [[nodiscard]] std::shared_ptr<const BlockPattern> build();  // shared: the matrix, solvers and energies refer to it

 private:
  std::vector<std::vector<int>> neighbours_;  // per row, columns to its right, with repeats
};

}  // namespace pliant::sparse
