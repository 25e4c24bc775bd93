// Four tets at a time: reading positions, writing forces and matrix blocks. Shared by all energies on TetElements.
// Matrices of lanes are arrays [row][column].
#pragma once

#include "pliant/energy/solid/tet_elements.h"

namespace pliant::solid {

using math::kLaneCount;
using math::Lanes;

// Positions of the four corners: x[corner][axis].
[[gnu::always_inline]] inline void gather_corners(const double* positions, const TetElements::Group& group,
                                                  Lanes x[4][3]) {
  for (int c = 0; c < 4; ++c) {
    Lanes a = math::load(positions + 4 * static_cast<std::size_t>(group.corner[c][0]));
    Lanes b = math::load(positions + 4 * static_cast<std::size_t>(group.corner[c][1]));
    Lanes d = math::load(positions + 4 * static_cast<std::size_t>(group.corner[c][2]));
    Lanes e = math::load(positions + 4 * static_cast<std::size_t>(group.corner[c][3]));
    math::transpose(a, b, d, e);
    x[c][0] = a;
    x[c][1] = b;
    x[c][2] = d;
  }
}

[[gnu::always_inline]] inline void load_rest_gradients(const TetElements::Group& group, Lanes b[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int axis = 0; axis < 3; ++axis) b[i][axis] = math::load(group.rest_gradient[i][axis]);
  }
}

// F = Σ (x_i − x_0) b_iᵀ
[[gnu::always_inline]] inline void deformation_gradient(const double* positions, const TetElements::Group& group,
                                                        const Lanes b[3][3], Lanes f[3][3]) {
  Lanes x[4][3];
  gather_corners(positions, group, x);
  for (int row = 0; row < 3; ++row) {
    const Lanes d0 = x[1][row] - x[0][row], d1 = x[2][row] - x[0][row], d2 = x[3][row] - x[0][row];
    for (int col = 0; col < 3; ++col) f[row][col] = d0 * b[0][col] + d1 * b[1][col] + d2 * b[2][col];
  }
}

// Adds (x, y, z) to one corner of each of the four tets. Lane after lane: two lanes may share a vertex.
[[gnu::always_inline]] inline void scatter_corner(double* gradient, const int corner[kLaneCount], Lanes x, Lanes y,
                                                  Lanes z) {
  Lanes w{};
  math::transpose(x, y, z, w);
  const Lanes lane[kLaneCount] = {x, y, z, w};
  for (int l = 0; l < kLaneCount; ++l) {
    double* g = gradient + 4 * static_cast<std::size_t>(corner[l]);
    math::store(g, math::load(g) + lane[l]);
  }
}

// Adds the nodal forces V P b_i [N], and the opposite sum to corner 0. `stress` already carries the volume.
[[gnu::always_inline]] inline void scatter_stress(double* gradient, const TetElements::Group& group,
                                                  const Lanes b[3][3], const Lanes stress[3][3]) {
  Lanes total[3] = {};
  for (int i = 0; i < 3; ++i) {
    Lanes g[3];
    for (int row = 0; row < 3; ++row) {
      g[row] = stress[row][0] * b[i][0] + stress[row][1] * b[i][1] + stress[row][2] * b[i][2];
      total[row] += g[row];
    }
    scatter_corner(gradient, group.corner[i + 1], g[0], g[1], g[2]);
  }
  scatter_corner(gradient, group.corner[0], -total[0], -total[1], -total[2]);
}

// Brings the matrix blocks of a group some groups ahead into the cache: they lie scattered, and waiting for them is a
// good part of an assembly. Two groups ahead saves 10 to 20 %; adding lanes that share a block before writing saved
// nothing.
inline void prefetch_blocks(const double* values, const TetElements& elements, int group) {
  constexpr int kAhead = 2;
  if (group + kAhead >= elements.group_count()) return;
  for (const auto& of_pair : elements.slots()[group + kAhead].slot) {
    for (const int slot : of_pair) {
      const double* block = values + 9 * static_cast<std::size_t>(slot);
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);  // 72 bytes always reach into a second line
    }
  }
}

// Adds one 3×3 block per lane to the matrix: k[row][column], values column-major.
inline void scatter_block(double* values, const int slot[kLaneCount], const Lanes k[3][3]) {
  Lanes a0 = k[0][0], a1 = k[1][0], a2 = k[2][0], a3 = k[0][1];
  Lanes b0 = k[1][1], b1 = k[2][1], b2 = k[0][2], b3 = k[1][2];
  math::transpose(a0, a1, a2, a3);
  math::transpose(b0, b1, b2, b3);
  const Lanes first[kLaneCount] = {a0, a1, a2, a3}, second[kLaneCount] = {b0, b1, b2, b3};
  for (int l = 0; l < kLaneCount; ++l) {
    double* v = values + 9 * static_cast<std::size_t>(slot[l]);
    math::store(v, math::load(v) + first[l]);
    math::store(v + 4, math::load(v + 4) + second[l]);
    v[8] += k[2][2][l];
  }
}

// Blocks of corners 1..3, from which the blocks of corner 0 follow because a translation costs nothing.
struct CornerBlocks {
  Lanes k11[3][3], k22[3][3], k33[3][3], k12[3][3], k13[3][3], k23[3][3];
};

// Adds all ten blocks of the element matrices: K_0j = −Σ_i K_ij, K_00 = −Σ_j K_0j.
inline void scatter_element_matrix(double* values, const TetElements::Slots& slots, const CornerBlocks& k) {
  scatter_block(values, slots.slot[1], k.k11);
  scatter_block(values, slots.slot[2], k.k22);
  scatter_block(values, slots.slot[3], k.k33);
  scatter_block(values, slots.slot[7], k.k12);
  scatter_block(values, slots.slot[8], k.k13);
  scatter_block(values, slots.slot[9], k.k23);
  Lanes k01[3][3], k02[3][3], k03[3][3], k00[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      k01[r][c] = -(k.k11[r][c] + k.k12[c][r] + k.k13[c][r]);
      k02[r][c] = -(k.k12[r][c] + k.k22[r][c] + k.k23[c][r]);
      k03[r][c] = -(k.k13[r][c] + k.k23[r][c] + k.k33[r][c]);
      k00[r][c] = -(k01[r][c] + k02[r][c] + k03[r][c]);
    }
  }
  scatter_block(values, slots.slot[0], k00);
  scatter_block(values, slots.slot[4], k01);
  scatter_block(values, slots.slot[5], k02);
  scatter_block(values, slots.slot[6], k03);
}

}  // namespace pliant::solid
