// The smoothed prolongator: a step of damped Jacobi on the columns of the tentative one.
//
//   P = (I − ω D_F⁻¹ A_F) P̂        ω = 4 / (3 ρ),  ρ the spectral radius of D⁻¹A             [Tamstorf2016, sec. 11.2]
//
// A_F is A with its weak blocks added to the diagonal, so that rows keep their sums and translations stay smooth, while
// P reaches only over strong connections and coarse rows stay short. Where that diagonal is not safely positive the
// row keeps its own. Rows of special nodes are empty: they are not even stored.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/linear/multigrid/tentative_prolongator.h"

namespace pliant::linear {

struct Prolongator {
  SparseRows rows;            // coarse nodes each node is interpolated from, ascending
  std::vector<float> values;  // per entry B×6, row by row
  int coarse_count = 0;
  // The pieces of the level's matrix, coloured anew: those of one colour reach no common coarse node.
  std::vector<int> piece_start;
  parallel::Coloring pieces;

  [[nodiscard]] std::size_t memory_bytes() const;
};

// Pieces of rows coloured so that those of one colour have no column in common.
[[nodiscard]] parallel::Coloring color_by_columns(const std::vector<int>& piece_start, const SparseRows& rows,
                                                  int column_count);

// Which entries there are, and what each neighbour adds to; made once per choice of aggregates.
class ProlongatorSmoothing {
 public:
  ProlongatorSmoothing() = default;
  ProlongatorSmoothing(const LevelPattern& pattern, const Strength& strength, const Aggregates& aggregates,
                       Prolongator& result);

  template <int B>
  void smooth(const LevelMatrix<B>& matrix, const TentativeProlongator& tentative, float omega,
              Prolongator& result) const;
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(std::uint16_t) *
           (inside_.capacity() + below_.capacity() + before_.capacity() + after_.capacity() + own_.capacity());
  }

 private:
  template <int B>
  class Piece;

  static constexpr std::uint16_t kWeak = 0xFFFF, kNotInterpolated = 0xFFFE;
  // Per entry (i, j) of the matrix: place in row i of P that j adds to; below_: place in row j that i adds to.
  std::vector<std::uint16_t> inside_, below_, before_, after_;
  std::vector<std::uint16_t> own_;  // per row: place of its own aggregate
};

// r_c = Pᵀ r
template <int B>
void restrict_to_coarse(const Prolongator& prolongator, const float* fine, float* coarse);
// z += P z_c
template <int B>
void add_prolonged(const Prolongator& prolongator, const float* coarse, float* fine);

}  // namespace pliant::linear
