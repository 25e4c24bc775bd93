// Which directions of which blocks are held: pins remove unknowns without changing the size or the pattern of anything.
//
//   S_i = I − Σ_k a_k a_kᵀ       a_k  orthonormal held directions of block i: none (free), one, two, or all three (S_i
//   = 0) v  ←  S v                    a residual or an increment without its held part A  ←  S A S + s (I − S)      the
//   free equations, and decoupled equations s x = 0 for the held parts
//
// s is the mean diagonal entry of A, so that held rows neither spoil the condition number nor make A indefinite.
// The same matrix as in [Baraff1998, sec. 5.3] and [Ascher2003]; there it acts inside conjugate gradients only, here it
// also serves direct solvers, whose symbolic analysis survives when pins come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"
#include "pliant/sparse/symmetric_block_matrix.h"

namespace pliant {

class BlockFilter {
 public:
  // Nothing is held.
  explicit BlockFilter(int block_count) : held_directions_(block_count, 0), place_(block_count, -1) {}

  void hold(int block);
  // Adds a direction to those already held; one that lies in their span changes nothing.
  void hold(int block, const Vec3& unit_direction);

  [[nodiscard]] int block_count() const { return static_cast<int>(place_.size()); }
  [[nodiscard]] bool any_held() const { return !held_blocks_.empty(); }
  // 0 (free) to 3 (wholly held).
  [[nodiscard]] int held_directions(int block) const { return held_directions_[block]; }
  // Blocks with at least one held direction, in the order in which they were first held.
  [[nodiscard]] std::span<const int> held_blocks() const { return held_blocks_; }
  // S_i
  [[nodiscard]] Mat3 projector(int block) const {
    return held_directions_[block] == 0 ? Mat3(Mat3::Identity()) : projectors_[place_[block]];
  }

  // v ← S v; touches held blocks only.
  void apply(BlockVector& v) const;
  // A ← S A S + s (I − S); one sweep over the column indices, values are read where a row or column is held.
  void apply(sparse::SymmetricBlockMatrix& matrix) const;

 private:
  // The projector of a block, which becomes a held one.
  Mat3& held_projector(int block);

  std::vector<std::uint8_t> held_directions_;  // per block: bytes, because the sweep over the matrix looks them up
  std::vector<int> place_;                     // per block: its place in the two lists below, −1 if free
  std::vector<int> held_blocks_;
  std::vector<Mat3> projectors_;
};

}  // namespace pliant
