// A 3×3 block in the order in which the matrix stores it, in two SIMD registers and a scalar.
//
//   entries, column by column:   m00 m10 m20 m01 | m11 m21 m02 m12 | m22
//
// The outer product u vᵀ is the entrywise product of rows_of(u) = u0 u1 u2 u0 | u1 u2 u0 u1 | u2 and
// columns_of(v) = v0 v0 v0 v1 | v1 v1 v2 v2 | v2. Both are linear: combine vectors first, multiply once.
#pragma once

#include <cstddef>

#include "pliant/math/lanes.h"

namespace pliant::cloth {

using math::Lanes;

struct PackedBlock {
  Lanes head, tail;
  double last;

  friend PackedBlock operator+(const PackedBlock& a, const PackedBlock& b) {
    return {a.head + b.head, a.tail + b.tail, a.last + b.last};
  }
  friend PackedBlock operator-(const PackedBlock& a, const PackedBlock& b) {
    return {a.head - b.head, a.tail - b.tail, a.last - b.last};
  }
  friend PackedBlock operator*(const PackedBlock& a, const PackedBlock& b) {  // entrywise
    return {a.head * b.head, a.tail * b.tail, a.last * b.last};
  }
  friend PackedBlock operator*(double a, const PackedBlock& b) { return {a * b.head, a * b.tail, a * b.last}; }
};

inline PackedBlock rows_of(Lanes u) {
  return {__builtin_shufflevector(u, u, 0, 1, 2, 0), __builtin_shufflevector(u, u, 1, 2, 0, 1), u[2]};
}
inline PackedBlock columns_of(Lanes v) {
  return {__builtin_shufflevector(v, v, 0, 0, 0, 1), __builtin_shufflevector(v, v, 1, 1, 2, 2), v[2]};
}
inline PackedBlock scaled_identity(double a) { return {Lanes{a, 0, 0, 0}, Lanes{a, 0, 0, 0}, a}; }

inline PackedBlock transposed(const PackedBlock& m) {
  return {__builtin_shufflevector(m.head, m.tail, 0, 3, 6, 1), __builtin_shufflevector(m.head, m.tail, 4, 7, 2, 5),
          m.last};
}
// The lower triangle twice: what is symmetric but for rounding becomes symmetric.
inline PackedBlock mirrored(const PackedBlock& m) {
  return {__builtin_shufflevector(m.head, m.head, 0, 1, 2, 1), __builtin_shufflevector(m.head, m.tail, 4, 5, 2, 5),
          m.last};
}

// values: of a SymmetricBlockMatrix
inline void add_block(double* values, int slot, const PackedBlock& m) {
  double* block = values + 9 * static_cast<std::size_t>(slot);
  math::store(block, math::load(block) + m.head);
  math::store(block + 4, math::load(block + 4) + m.tail);
  block[8] += m.last;
}
inline void subtract_block(double* values, int slot, const PackedBlock& m) {
  double* block = values + 9 * static_cast<std::size_t>(slot);
  math::store(block, math::load(block) - m.head);
  math::store(block + 4, math::load(block + 4) - m.tail);
  block[8] -= m.last;
}

// Adds the matrix of a triangle whose energy does not change when it is shifted: its rows sum to zero, so that the
// blocks off the diagonal give those on it. `slots` of ElementBatch<3>, none transposed.
template <class Slots>
inline void add_triangle_matrix(double* values, const Slots& slots, const PackedBlock& k01, const PackedBlock& k02,
                                const PackedBlock& k12) {
  subtract_block(values, slots[0], mirrored(k01 + k02));
  add_block(values, slots[1], k01);
  add_block(values, slots[2], k02);
  subtract_block(values, slots[3], mirrored(transposed(k01) + k12));
  add_block(values, slots[4], k12);
  subtract_block(values, slots[5], mirrored(k02 + k12));
}

// --- Points: three coordinates and a zero ---

inline Lanes load_point(const double* x, int block) { return math::load(x + 4 * static_cast<std::size_t>(block)); }
// Four points, one per lane: out[axis].
inline void gather_points(const double* x, const int block[math::kLaneCount], Lanes out[3]) {
  Lanes row[math::kLaneCount];
  for (int l = 0; l < math::kLaneCount; ++l) row[l] = load_point(x, block[l]);
  math::transpose(row[0], row[1], row[2], row[3]);
  for (int axis = 0; axis < 3; ++axis) out[axis] = row[axis];
}
inline void add_point(double* x, int block, Lanes v) {
  double* p = x + 4 * static_cast<std::size_t>(block);
  math::store(p, math::load(p) + v);
}
inline double dot(Lanes a, Lanes b) { return math::sum(a * b); }
inline Lanes cross(Lanes a, Lanes b) {
  const Lanes turned = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
  return __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
}

}  // namespace pliant::cloth
