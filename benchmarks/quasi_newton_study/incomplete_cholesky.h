// Incomplete Cholesky without fill, IC(0): A ≈ Uᵀ U with U on the pattern of A's upper half, as a preconditioner.
//
//   row by row   U_ii = chol(A_ii),   U_ij = U_ii⁻ᵀ A_ij,   A_jk −= U_ijᵀ U_ik  where (j, k) is stored
//
// Where a pivot is not positive, the diagonal is enlarged by a factor 1 + 10⁻³, 2·10⁻³, 4·10⁻³ … and all is done again.
// One version for numbers (a matrix that acts on x, y, z alike), one for 3×3 blocks.
#pragma once

#include <memory>
#include <vector>

#include "pliant/sparse/symmetric_block_matrix.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant::study {

class IncompleteCholesky {
 public:
  void factor(const sparse::SymmetricScalarMatrix& matrix);
  void factor(const sparse::SymmetricBlockMatrix& matrix);
  // z = (Uᵀ U)⁻¹ r
  void apply(const BlockVector& r, BlockVector& z) const;
  [[nodiscard]] double shift() const { return shift_; }

 private:
  bool try_numbers(const sparse::SymmetricScalarMatrix& matrix);
  bool try_blocks(const sparse::SymmetricBlockMatrix& matrix);

  std::shared_ptr<const sparse::BlockPattern> pattern_;  // kept alive with the matrix it came from
  std::vector<double> numbers_;                          // U by slots; diagonal inverted
  std::vector<Mat3> blocks_;                             // U by slots; diagonal: U_ii⁻¹
  double shift_ = 0;
};

}  // namespace pliant::study
