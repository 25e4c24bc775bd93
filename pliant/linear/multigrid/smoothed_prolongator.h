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
  SparseRows rows;            // coarse nodes each node is interpolated from
  std::vector<float> values;  // per entry B×6, row by row
  // The entries of each coarse node, for the restriction: entry and its row.
  SparseRows of_coarse;
  std::vector<int> row_of_entry;

  [[nodiscard]] int coarse_count() const { return of_coarse.row_count(); }
  [[nodiscard]] std::size_t memory_bytes() const;
};

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
    return sizeof(std::uint16_t) * (before_.capacity() + after_.capacity() + own_.capacity());
  }

 private:
  static constexpr std::uint16_t kWeak = 0xFFFF, kNotInterpolated = 0xFFFE;
  std::vector<std::uint16_t> before_, after_;  // per entry of L and U: place in the row of P its neighbour adds to
  std::vector<std::uint16_t> own_;             // per row: place of its own aggregate
};

// r_c = Pᵀ r
template <int B>
void restrict_to_coarse(const Prolongator& prolongator, const float* fine, float* coarse);
// z += P z_c
template <int B>
void add_prolonged(const Prolongator& prolongator, const float* coarse, float* fine);

}  // namespace pliant::linear
