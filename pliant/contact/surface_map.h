// The surface of all bodies, as a function of the unknown blocks. Selections, probes, loads and (later) contact speak
// of surface vertices; this says what each of them is made of.
//
//   identity     a vertex of the simulation mesh         one block, weight 1
//   embedded     a vertex carried by a tet               four blocks, barycentric weights
//
// Derivatives at surface vertices are pulled back with the same weights: ∂E/∂q_b = Σ w_b ∂E/∂x.
#pragma once

#include <array>
#include <string>
#include <vector>

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

struct SurfaceMap {
  std::vector<MappedPoint> points;  // vertices of all surfaces
  std::vector<Vec3i> triangles;     // indices into points, counter-clockwise from outside
  std::vector<int> first_point;     // per body, plus the total at the end
  std::vector<int> first_triangle;  // per body, plus the total at the end

  [[nodiscard]] std::vector<Vec3> evaluate(const BlockVector& blocks) const;
};

}  // namespace pliant
