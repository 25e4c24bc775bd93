// Direct solver for chains: A = L D Lᵀ within a narrow band, each chain on its own.
//
// Rods whose blocks are numbered x0 θ0 x1 θ1 … couple a block with at most four to its right, and different rods not at
// all: the matrix falls apart into chains, contiguous ranges of rows. Elimination in this order fills the band only, so
// the work is linear in the length of a chain and there is nothing to analyse but where chains begin. A twist block
// counts with its one real scalar: half bandwidth 10 (x0 θ0 x1 θ1 x2 are 11 scalars) [Tamstorf2016], instead
// of 14. The two padding scalars of a twist block are coupled with nothing; they are divided by their diagonal entries.
//
// Four chains are factored and solved at a time, one in each SIMD lane; groups of four run side by side, each on one
// thread: same bits for any thread count. Chains are grouped by length, so that few lanes idle; a lone chain takes the
// memory of four. A zero or negative pivot is reported as not_positive_definite.
#pragma once

#include <memory>
#include <vector>

#include "pliant/configuration/dof_layout.h"
#include "pliant/linear/linear_solver.h"

namespace pliant::linear {

class BandedCholesky final : public LinearSolver {
 public:
  explicit BandedCholesky(const DofLayout& layout);

  // Whether every block is coupled with none farther than four rows away.
  [[nodiscard]] static bool suits(const sparse::BlockPattern& pattern);

  // The pattern must suit.
  [[nodiscard]] std::string name() const override { return "banded"; }
  void analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) override;
  [[nodiscard]] LinearStatus factor(const sparse::SymmetricBlockMatrix& matrix) override;
  [[nodiscard]] LinearReport solve(const BlockVector& b, BlockVector& x) override;
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  struct Chain {
    int first_block = 0, last_block = 0;  // [first, last)
    int column_count = 0;                 // scalars
  };
  // The chains from first_chain on, one in each lane; lanes without a chain, and the columns after the end of a
  // shorter one, hold the identity.
  struct Group {
    int first_chain = 0, chain_count = 0;
    int column_count = 0;  // of the longest chain
    int first_column = 0;  // in band_ and scratch_; kWidth columns of zeros stand before it
  };
  void group_chains();
  template <int kWidth>
  void factor_group(const Group& group, const sparse::SymmetricBlockMatrix& matrix);
  template <int kWidth>
  LinearStatus copy_chain(const Chain& chain, const sparse::SymmetricBlockMatrix& matrix, double* band);
  template <int kWidth>
  void solve_group(const Group& group, const BlockVector& b, BlockVector& x);
  [[nodiscard]] int scalars_of(int block) const { return is_twist_[block] != 0 ? 1 : 3; }

  std::vector<unsigned char> is_twist_;                   // per block
  std::shared_ptr<const sparse::BlockPattern> pattern_;   // shared: an equal address is the same pattern
  const sparse::SymmetricBlockMatrix* matrix_ = nullptr;  // the factored one; null before a factor that succeeded
  int half_bandwidth_ = 0;                                // scalars; that of the kernel, 10 or 14
  std::vector<int> first_scalar_;                         // per block: its place in its chain
  std::vector<Chain> chains_;                             // the longest ones first
  std::vector<Group> groups_;
  std::vector<double> band_;          // per column: 1/D, then L below it, each for four chains
  std::vector<double> padding_;       // per block: the two diagonal entries of a twist block's padding
  std::vector<double> scratch_;       // right-hand side and solution of every group, four chains side by side
  std::vector<LinearStatus> status_;  // per chain
  int row_count_ = 0;
};

}  // namespace pliant::linear
