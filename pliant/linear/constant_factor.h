// Solves with one symmetric positive definite matrix and very many right-hand sides of three columns: the global step of
// solvers with a constant matrix.
//
//   ConstantFactor solver(FactorStorage::float32);
//   solver.set_held(held);                                 // optional: rows that stay at their right-hand side
//   if (solver.factor(A) == LinearStatus::solved)          // slow, seldom
//     solver.solve(b, x);                                  // fast, often
//   solver.update(changes);                                // optional: few rows held, released or stiffer than factored
//
// The factor P A Pᵀ = L Lᵀ is computed once in double precision, in supernodes (supernodal_cholesky.h). Per diagonal block
// L₁₁ with the rows L₂₁ below it, what a solve needs is kept ready, so that no triangular solve is left in it:
//
//   S = (L₁₁ L₁₁ᵀ)⁻¹,  W = L₂₁ L₁₁⁻¹           forward, children first     b₂ −= W b₁,  b₁ = S b₁
//                                              backward, parents first     x₁ −= Wᵀ x₂
//
// A solve then only streams S once and W twice through the processor; its time is the time of reading them, and numbers
// of half the size are read in half the time. Rounding the factor to float leaves a solution with a relative error of
// about 1e-7 times a modest factor, to half precision about 1e-3: enough for a search direction, not for a residual.
// Rows and columns are scaled by powers of two so that the diagonal of S is near one: half precision does not overflow.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/linear/merged_supernodes.h"
#include "pliant/linear/panel_layout.h"
#include "pliant/linear/panel_values.h"
#include "pliant/linear/row_updates.h"
#include "pliant/linear/supernodal_cholesky.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant::linear {

class ConstantFactor {
 public:
  explicit ConstantFactor(FactorStorage storage = FactorStorage::float64) : values_(storage) {}

  // Per row, nonzero if it is held: its row and column are replaced by those of the identity, so its solution is its
  // right-hand side. Empty: none. Counts from the next factor call on, which also takes back all updates.
  void set_held(std::span<const unsigned char> held) { held_.assign(held.begin(), held.end()); }
  // The analysis is kept while the matrix has the same pattern. The matrix is not needed afterwards.
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricScalarMatrix& matrix);
  // The rows in which later solves differ from the last factor call, not from the last update: same bits whatever came
  // between. An empty span takes everything back. Anything but `solved` leaves the factor without changes, and says that
  // the changed matrix is to be factored: `not_converged` for more than most_changes() rows or when digits would be lost
  // (row_updates.h), `not_positive_definite`, `not_finite`.
  [[nodiscard]] LinearStatus update(std::span<const RowChange> changes);
  // Up to here an update costs less than factoring again, and solves with it cost at most half as much again.
  [[nodiscard]] int most_changes() const;
  [[nodiscard]] int change_count() const { return updates_.change_count(); }
  // A x = b for three columns. Needs a factor call that returned `solved`; b and x may be the same vector.
  void solve(const BlockVector& b, BlockVector& x);

  // float32 if float16 was asked for and a number of the factor exceeds its range (65504).
  [[nodiscard]] FactorStorage storage() const { return values_.storage(); }
  [[nodiscard]] int factor_count() const { return factor_count_; }
  [[nodiscard]] int analysis_count() const { return analysis_count_; }
  // Numbers of S and W with their padding: what a forward sweep reads.
  [[nodiscard]] std::size_t value_count() const { return static_cast<std::size_t>(layout_.value_count); }
  // What is held between calls.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  std::shared_ptr<const sparse::BlockPattern> pattern_;  // shared: kept alive, so that an equal address is the same one
  std::unique_ptr<SupernodalCholesky> cholesky_;
  MergedSupernodes merged_;
  PanelLayout layout_;
  PanelValues values_;
  RowUpdates updates_;
  std::vector<unsigned char> held_, factored_held_;  // the latter: at the last factor call
  std::vector<HeldEntry> held_entries_;              // of the matrix in their rows, for releases
  bool ready_ = false;
  int factor_count_ = 0, analysis_count_ = 0;
};

}  // namespace pliant::linear
