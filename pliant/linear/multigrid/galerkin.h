// The Galerkin product A_c = Pᵀ A P, split into what depends on patterns and what depends on values.
//
//   A = W + Wᵀ,  W = ½ D + U (level_matrix.h)         A_c = C + Cᵀ,  C = Pᵀ W P
//
// Row by row of the fine matrix: (W P)_i in a small buffer, then P_iIᵀ (W P)_iJ added to the block (I, J) of the coarse
// matrix, or transposed to (J, I) where that is the one stored. W is half of A: half the products.
// Pieces of fine rows that add to the same coarse rows have different colours: no locks, same bits for any number of
// threads.
// A coarse unknown whose column of P was dropped gets the mean of its node's diagonal, so that the matrix stays
// positive definite and the unknown stays zero.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/linear/multigrid/smoothed_prolongator.h"

namespace pliant::linear {

class Galerkin {
 public:
  Galerkin() = default;
  // Finds the pattern of the coarse matrix, which `coarse` takes over.
  Galerkin(const LevelPattern& fine, const Prolongator& prolongator, LevelMatrix<kCoarseBlock>& coarse);

  template <int B>
  void multiply(const LevelMatrix<B>& fine, const Prolongator& prolongator, const std::vector<std::uint8_t>& dropped,
                LevelMatrix<kCoarseBlock>& coarse) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // Where a product of blocks is added: the number of a block of one part of the coarse matrix.
  enum class Part : std::uint32_t { diagonal, inside, after };
  struct Target {
    std::uint32_t code = 0;  // block · 8 + part · 2 + (1 = transposed)

    Target() = default;
    Target(Part part, std::size_t block, bool is_transposed)
        : code(static_cast<std::uint32_t>(8 * block) + 2 * static_cast<std::uint32_t>(part) + (is_transposed ? 1 : 0)) {
    }
    [[nodiscard]] Part part() const { return static_cast<Part>(code >> 1U & 3U); }
    [[nodiscard]] int block() const { return static_cast<int>(code >> 3U); }
    [[nodiscard]] bool is_transposed() const { return (code & 1U) != 0; }
  };

  void find_product(const LevelPattern& fine, const Prolongator& prolongator);
  [[nodiscard]] SparseRows find_coarse_neighbours(const Prolongator& prolongator) const;
  void find_targets(const Prolongator& prolongator, const LevelPattern& coarse);
  template <int B>
  void multiply_piece(int piece, const LevelMatrix<B>& fine, const Prolongator& prolongator,
                      LevelMatrix<kCoarseBlock>& coarse) const;

  SparseRows product_;                // columns of W P, where P has a row
  std::vector<std::uint16_t> place_;  // per row, coupled node (the row itself, inside, after) and entry of its row of
                                      // P: place in W P
  std::vector<std::size_t> place_start_;   // per row
  std::vector<Target> target_;             // per row, entry of P and column of W P
  std::vector<std::size_t> target_start_;  // per row
  parallel::Coloring pieces_;              // of fine rows
};

}  // namespace pliant::linear
