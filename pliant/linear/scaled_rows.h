// A symmetric matrix in 3×3 blocks, scaled to unit diagonal blocks, in single precision, with both halves of every row.
//
//   Â = W A Wᵀ,   W_i = L_i⁻¹ with A_ii = L_i L_iᵀ,   so Â_ii = I and Â x̂ = b̂ has  b̂ = W b,  x = Wᵀ x̂
//
// Conjugate gradients on Â are those on A with the block-Jacobi preconditioner, without its product, and without that of
// the diagonal. The scaling is done in double, and rounding afterwards is small against 1 in every direction: a barrier's
// stiffness in one direction of a point does not drown its inertia in the others.
//
// A row needs no other row to be written, so a product has no colours to wait for. Blocks lie in pairs, so that one
// register holds a column of both:
//
//   pair of a row:   [a₀₀ a₁₀ a₂₀ · | b₀₀ b₁₀ b₂₀ ·]  [a₀₁ a₁₁ a₂₁ · | b₀₁ …]  [a₀₂ … | b₀₂ …]       96 bytes
//
// 69 µs for a product with 28k stored blocks (cloth of 4096 vertices) where the half in double takes 118 µs, one thread
// of an AMD EPYC, both from L3. Beyond the cache it would lose: 208 bytes for what takes 76.
#pragma once

#include <memory>
#include <vector>

#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant::linear {

class ScaledRows {
 public:
  static constexpr int kRowsPerPiece = 512;  // a sum is formed per piece: the same bits for any number of threads

  // False: a diagonal block is not clearly positive definite, or not finite.
  [[nodiscard]] bool take(const sparse::SymmetricBlockMatrix& matrix);
  [[nodiscard]] int row_count() const { return static_cast<int>(pair_start_.size()) - 1; }

  // y = Â x, four floats per row, the fourth zero; returns xᵀ y.
  [[nodiscard]] double multiply(const float* x, float* y);
  // W_i: nine doubles per row, column by column, lower triangular.
  [[nodiscard]] const double* scales() const { return scale_.data(); }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  void find_places(const sparse::BlockPattern& pattern);
  [[nodiscard]] bool find_scales(const sparse::SymmetricBlockMatrix& matrix);
  void fill(const sparse::SymmetricBlockMatrix& matrix);

  std::shared_ptr<const sparse::BlockPattern> pattern_;  // shared: what places belong to
  std::vector<int> pair_start_{0};                       // per row
  std::vector<int> column_;                              // two per pair
  std::vector<int> upper_, lower_;  // per stored block (i, j): its place in row i, of its transpose in row j, in floats
  std::vector<float> values_;       // 24 per pair
  std::vector<double> scale_;       // W, and padding that wide loads may touch
  std::vector<double> partial_;     // sums of pieces
};

}  // namespace pliant::linear
