// A point of a body as a function of the unknown blocks: a vertex is a block, a point inside a tet or of a rigid body has
// four with weights. Derivatives at the point are pulled back with the same weights: ∂E/∂q_b = Σ w_b ∂E/∂x.
#pragma once

#include <array>

#include "pliant/math/types.h"
#include "pliant/sparse/block_vector.h"

namespace pliant {

// A point that moves with up to four blocks.
struct MappedPoint {
  std::array<int, 4> block{-1, -1, -1, -1};
  std::array<double, 4> weight{0, 0, 0, 0};
  int count = 0;

  static MappedPoint vertex(int block_index) { return {{block_index, -1, -1, -1}, {1, 0, 0, 0}, 1}; }
  [[nodiscard]] Vec3 evaluate(const BlockVector& blocks) const {
    Vec3 x = Vec3::Zero();
    for (int i = 0; i < count; ++i) x += weight[i] * blocks[block[i]];
    return x;
  }
  // Adds wᵢ × force to the blocks.
  void pull_back(const Vec3& force, BlockVector& blocks) const {
    for (int i = 0; i < count; ++i) blocks[block[i]] += weight[i] * force;
  }
};

}  // namespace pliant
