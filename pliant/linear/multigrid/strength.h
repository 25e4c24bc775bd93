// Strength of connection between nodes, by the scaled Frobenius norm of their block:
//
//   s_ij = ‖A_ij‖ / √(‖A_ii‖ ‖A_jj‖)
//   strong when  s_ij > min(threshold, ½ max_k s_ik, ½ max_k s_jk)  and  s_ij > kNegligible
//
// The seed [Tamstorf2015] takes the spectral radius of A_ii^-½ A_ij A_jj^-½ relative to the largest of the row; the
// norm is as good a measure and far cheaper, and a threshold that does not depend on the row keeps coarse rows short.
// Rows whose connections are all below the threshold go by their own largest. A node without strong neighbours is left
// to the smoother.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/linear/multigrid/level_matrix.h"

namespace pliant::linear {

struct Strength {
  SparseRows strong;                                // strong neighbours of every node, symmetric
  std::vector<std::uint8_t> inside, before, after;  // per entry of the matrix: 1 = strong

  // Below this a connection is nothing that smoothing does not treat by itself.
  static constexpr float kNegligible = 0.005F;

  [[nodiscard]] bool has_same_entries(const Strength& other) const {
    return inside == other.inside && before == other.before && after == other.after;
  }
};

template <int B>
[[nodiscard]] Strength find_strength(const LevelMatrix<B>& matrix, float threshold);

}  // namespace pliant::linear
