// Solves with a matrix of which a few rows differ from the one that was factored, without factoring again.
//
// B is the factored matrix: A, with the rows and columns of rows held then replaced by those of the identity. Per changed
// row one column w of a border and one unknown p are added:
//
//   [ B   W ] [x]   [b]     held now      w = eₕ          G = 0          p is the force that keeps xₕ = 0; then xₕ = bₕ
//   [ Wᵀ  G ] [p] = [g]     diagonal + d  w = √|d| eᵢ     G = −sign d    p = ±√|d| xᵢ
//                           released      w = A's column  G = A's entry  p = xᵣ, g = bᵣ; A's entries among released
//                                         on B's free rows  (+ d)        rows stand in G too
//
//   V = B⁻¹ W,  C = Wᵀ V − G  (few by few)         x = B⁻¹ b − V p,   p = C⁻¹ (Wᵀ B⁻¹ b − g)
//
// V costs one solve per three changes when they are set; a solve then costs one pass over V more. C is factored in two
// steps, its positive part first (held, d > 0) and minus the Schur complement of the rest: both have a Cholesky factor
// if and only if the changed matrix is positive definite.
//
// bₕ of held rows, and bᵢ where d outweighs what held the row before, are left out of B⁻¹ b, which they would blow up;
// the latter returns in g = bᵢ/√d, for p = √d xᵢ − bᵢ/√d.
//
// Digits are lost when the changed matrix is much stiffer than B, say when the only pin comes to a body that B leaves
// free: B⁻¹ b is then large and V p takes most of it away. That is measured when changes are set, and refused.
#pragma once

#include <Eigen/Cholesky>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "pliant/linear/linear_solver.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {

enum class RowState {
  unchanged,  // as factored: only its diagonal entry may differ
  held,       // was free; row and column become those of the identity, the solution is the right-hand side
  released,   // was held; row and column get back the entries of the matrix
};

struct RowChange {
  int row = 0;
  RowState state = RowState::unchanged;
  double diagonal = 0;  // added to the entry (row, row) of the matrix; without effect on held rows
};

// An entry of the matrix in the row of a held one.
struct HeldEntry {
  int held, other;
  double value;
};

class RowUpdates {
 public:
  // x = B⁻¹ b; b and x may be the same vector.
  using Solve = parallel::FunctionRef<void(const BlockVector&, BlockVector&)>;
  enum class Stored { float64, float32 };
  struct Base {
    std::span<const unsigned char> held;  // per row; empty: none
    std::span<const HeldEntry> entries;   // entries (held, any) of the matrix without changes, any order
    int row_count = 0;
    Stored stored = Stored::float64;  // of V
    double largest_loss = 1e4;        // most by which B⁻¹ b may exceed the solution
  };

  // Every row at most once, in any order. `solved`, or: `not_positive_definite`; `not_finite`; `not_converged` when too
  // many digits would be lost. There are no changes after anything but `solved`.
  [[nodiscard]] LinearStatus set(std::span<const RowChange> changes, const Base& base, Solve solve_base);
  void clear();
  [[nodiscard]] int change_count() const { return static_cast<int>(columns_.size()); }

  // With the changes; b and x may be the same vector.
  void solve(const BlockVector& b, BlockVector& x, Solve solve_base);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Column {
    RowChange change;
    bool in_positive_part = false;
    bool leaves_out = false;                     // its right-hand side is left out of B⁻¹ b …
    double passed_on = 0;                        // … and this much of it stands in g
    double scale = 1;                            // a power of two, so that the largest entry of V is near one
    std::vector<std::pair<int, double>> border;  // w
  };
  using Points = Eigen::Matrix<double, Eigen::Dynamic, 3>;

  void make_columns(std::span<const RowChange> changes, const Base& base);
  [[nodiscard]] Eigen::MatrixXd corner(const Base& base) const;  // G
  [[nodiscard]] LinearStatus fill(const Base& base, Solve solve_base);
  [[nodiscard]] Points border_times(const BlockVector& x) const;  // Wᵀ x
  [[nodiscard]] Points unknowns(const Points& right) const;       // C⁻¹ right
  [[nodiscard]] bool keeps_digits(const Base& base, Solve solve_base);
  void subtract(const Points& p, BlockVector& x) const;  // x −= V p

  std::vector<Column> columns_;
  int positive_count_ = 0, row_count_ = 0;
  Eigen::LLT<Eigen::MatrixXd> positive_, negative_;  // of C₁₁ and of C₂₁ C₁₁⁻¹ C₁₂ − C₂₂
  Eigen::MatrixXd coupling_;                         // C₁₁⁻¹ C₁₂
  Stored stored_ = Stored::float64;
  std::vector<double> wide_;  // V, in groups of rows: see the source
  std::vector<float> narrow_;
  BlockVector work_;
};

}  // namespace pliant::linear
