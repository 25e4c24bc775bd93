// Small dense kernels of the multigrid hierarchy, in single precision.
//
// Nodes of the finest level have B = 3 unknowns, those of coarser ones B = 6 (three translations, three rotations).
//   vectors         4 or 8 floats per node, the padding zero
//   square blocks   B×B column by column, packed; a column is loaded as 4 or 8 floats, of which the last belong to the
//                   next one: what they add to the padding of a sum is cleared at the end
//   rows of P       B×6 row by row, packed; a row is loaded as 8 floats, with the same care
// Arrays therefore end with kFloatPadding floats that a wide load may touch.
#pragma once

#include <cstddef>
#include <vector>

namespace pliant::linear {

inline constexpr int kCoarseBlock = 6;   // unknowns per node below the finest level
inline constexpr int kFloatPadding = 8;  // floats behind every array of blocks

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));

template <class Register>
inline Register load_floats(const float* p) {
  Register x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
template <class Register>
inline void store_floats(float* p, Register x) {
  __builtin_memcpy(p, &x, sizeof x);
}
// Six of eight: the next two belong to a neighbour, which another thread may be writing.
inline Float8 load_six(const float* p) {
  Float8 x{};
  __builtin_memcpy(&x, p, 6 * sizeof(float));
  return x;
}
inline void store_six(float* p, Float8 x) { __builtin_memcpy(p, &x, 6 * sizeof(float)); }

template <int B>
struct BlockShape;
template <>
struct BlockShape<3> {
  using Register = Float4;
  static constexpr int kStride = 4;
  static Register clear_padding(Register x) {
    x[3] = 0;
    return x;
  }
};
template <>
struct BlockShape<6> {
  using Register = Float8;
  static constexpr int kStride = 8;
  static Register clear_padding(Register x) {
    x[6] = 0;
    x[7] = 0;
    return x;
  }
};
template <int B>
using BlockRegister = typename BlockShape<B>::Register;

// Where node i begins in a vector.
template <int B>
inline std::size_t at_node(int i) {
  return static_cast<std::size_t>(BlockShape<B>::kStride) * static_cast<std::size_t>(i);
}
// Where block e begins in an array of B×C blocks.
template <int B, int C = B>
inline std::size_t at_block(int e) {
  return static_cast<std::size_t>(B * C) * static_cast<std::size_t>(e);
}

// sum += a x
template <int B>
inline void add_product(const float* a, const float* x, BlockRegister<B>& sum) {
  for (int c = 0; c < B; ++c) sum += load_floats<BlockRegister<B>>(a + B * c) * x[c];
}

// a x with clean padding
template <int B>
inline BlockRegister<B> product(const float* a, const float* x) {
  BlockRegister<B> sum{};
  add_product<B>(a, x, sum);
  return BlockShape<B>::clear_padding(sum);
}

// Values for `count` blocks and the padding behind them; what is there is kept when the size does.
inline void size_blocks(std::vector<float>& values, std::size_t floats) {
  if (values.size() != floats + kFloatPadding) values.assign(floats + kFloatPadding, 0.0F);
}

inline float sum_of(Float8 x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

}  // namespace pliant::linear
