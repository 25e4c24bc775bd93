// The Galerkin product A_c = Pᵀ A P, split into what depends on patterns and what depends on values.
//
// Row by row of the fine matrix: (A P)_i in a small buffer, then P_iIᵀ (A P)_iJ added to the coarse block (I, J). Only D
// and U of the coarse matrix are summed, L is their mirror image. Pieces of fine rows that add to the same coarse rows
// have different colours: no locks, same bits for any number of threads.
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
  SparseRows find_coarse_neighbours(const Prolongator& prolongator) const;
  void find_targets(const Prolongator& prolongator, const LevelPattern& coarse);

  SparseRows product_;  // columns of A P, where P has a row
  std::vector<std::uint16_t>
      place_;  // per row, neighbour (the row itself, L, U) and entry of its row of P: place in A P
  std::vector<std::size_t> place_start_;   // per row
  std::vector<int> target_;                // per row, entry of P and column of A P: see below
  std::vector<std::size_t> target_start_;  // per row
  std::vector<int> piece_start_;
  parallel::Coloring pieces_;
  static constexpr int kSkip =
      -1;  // the mirror image is summed elsewhere; an entry of U ≥ 0; the diagonal of I: −2 − I
};

}  // namespace pliant::linear
