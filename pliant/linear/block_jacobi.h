// Block-Jacobi preconditioner: the inverses of the 3×3 diagonal blocks.
//
//   z_i = M_i r_i,   M_i = A_ii⁻¹                               a free block
//                    M_i = S_i (S_i A_ii S_i + s (I − S_i))⁻¹ S_i   a held one: z stays in the free directions by
//                    itself
//
// A diagonal block that is not positive definite is inverted on the absolute values of its eigenvalues, none smaller
// than kSmallestEigenvalue times the largest; a preconditioner must be positive definite even where the matrix is not.
#pragma once

#include <cstddef>
#include <vector>

#include "pliant/configuration/block_filter.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::linear {

class BlockJacobi {
 public:
  // 1e-6: far below what a well-scaled block has, far above rounding.
  static constexpr double kSmallestEigenvalue = 1e-6;

  enum class Finite { yes, no };
  // Inverts the diagonal blocks. `filter` may be null: nothing is held.
  [[nodiscard]] Finite factor(const sparse::SymmetricBlockMatrix& matrix, const BlockFilter* filter);

  // The inverses, nine doubles per block column by column, and padding that wide loads may touch.
  [[nodiscard]] const double* inverses() const { return inverse_.data(); }
  [[nodiscard]] std::size_t memory_bytes() const { return sizeof(double) * inverse_.capacity(); }

 private:
  std::vector<double> inverse_;
};

}  // namespace pliant::linear
