// Small dense kernels of the multigrid hierarchy, in single precision.
//
// Nodes of the finest level have B = 3 unknowns, those of coarser ones B = 6 (three translations, three rotations).
//   vectors         4 or 8 floats per node, the padding zero
//   square blocks   B×B row by row, packed; a row is loaded as 4 or 8 floats, of which the last belong to the next one:
//                   they meet the zeros in the padding of a vector, or add to a padding that is cleared at the end
//   rows of P       B×6 row by row, packed; a row is loaded as 8 floats, with the same care
// Arrays therefore end with kFloatPadding floats that a wide load may touch.
// Row by row, both products with a block are cheap: A x as elementwise products that are summed once per row of the
// matrix (RowSums), Aᵀ x as multiples of the rows (add_transposed).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "pliant/math/lanes.h"

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
// Six of eight: the next two belong to a neighbour, which another thread may be writing. In two parts, always the same:
// a processor hands a stored value to a load of the same width at once, but waits when widths differ.
inline Float8 load_six(const float* p) {
#if defined(__AVX__)
  const __m128 low = _mm_loadu_ps(p), high = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(p + 4)));
  return _mm256_set_m128(high, low);
#else
  Float8 x{};
  __builtin_memcpy(&x, p, 6 * sizeof(float));
  return x;
#endif
}
inline void store_six(float* p, Float8 x) {
#if defined(__AVX__)
  _mm_storeu_ps(p, _mm256_castps256_ps128(x));
  _mm_storel_pi(reinterpret_cast<__m64*>(p + 4), _mm256_extractf128_ps(x, 1));
#else
  __builtin_memcpy(p, &x, 6 * sizeof(float));
#endif
}

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

// All components of a register equal to x.
template <int B>
inline BlockRegister<B> all_equal(float x) {
  return BlockRegister<B>{} + x;
}

// The sums of four registers.
inline Float4 sums_of(Float4 a, Float4 b, Float4 c, Float4 d) {
#if defined(__AVX__)
  return _mm_hadd_ps(_mm_hadd_ps(a, b), _mm_hadd_ps(c, d));
#else
  const auto sum = [](Float4 x) { return (x[0] + x[1]) + (x[2] + x[3]); };
  return Float4{sum(a), sum(b), sum(c), sum(d)};
#endif
}
inline Float4 sums_of(Float8 a, Float8 b, Float8 c, Float8 d) {
#if defined(__AVX__)
  const __m256 halves = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  return _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1));
#else
  const auto sum = [](Float8 x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); };
  return Float4{sum(a), sum(b), sum(c), sum(d)};
#endif
}

// Sums of products a_r · x over many blocks of B rows, each row as wide as `Register`.
template <int B, class Register = BlockRegister<B>>
class RowSums {
 public:
  // += a x; consecutive rows of a are `stride` floats apart. The padding of x is zero.
  template <int Stride = B>
  void add(const float* a, Register x) {
    for (int r = 0; r < B; ++r) sums_[r] += load_floats<Register>(a + Stride * r) * x;
  }
  // With clean padding.
  [[nodiscard]] BlockRegister<B> total() const {
    const Register none{};
    if constexpr (B == 3) {
      return sums_of(sums_[0], sums_[1], sums_[2], none);
    } else {
      const Float4 low = sums_of(sums_[0], sums_[1], sums_[2], sums_[3]),
                   high = sums_of(sums_[4], sums_[5], none, none);
      return Float8{low[0], low[1], low[2], low[3], high[0], high[1], 0, 0};
    }
  }

 private:
  Register sums_[B] = {};
};

// Multiples of the rows of blocks: y += aᵀ x for many a and y, one x. The padding of y is left unclean.
template <int B>
class TransposedProduct {
 public:
  explicit TransposedProduct(BlockRegister<B> x) {
    for (int r = 0; r < B; ++r) x_[r] = all_equal<B>(x[r]);
  }
  // y last: it may be waiting for the row before.
  void add(const float* a, float* y) const {
    auto sum = x_[0] * load_floats<BlockRegister<B>>(a);
    for (int r = 1; r < B; ++r) sum += x_[r] * load_floats<BlockRegister<B>>(a + B * r);
    store_floats(y, load_floats<BlockRegister<B>>(y) + sum);
  }

 private:
  BlockRegister<B> x_[B];
};

// a x for a symmetric block, with clean padding
template <int B>
inline BlockRegister<B> symmetric_product(const float* a, BlockRegister<B> x) {
  BlockRegister<B> sum{};
  for (int c = 0; c < B; ++c) sum += load_floats<BlockRegister<B>>(a + B * c) * x[c];
  return BlockShape<B>::clear_padding(sum);
}

// Inverse of a symmetric 3×3 block by its cofactors. False, and nothing written, unless every pivot of its Cholesky
// factor (quotients of the leading minors) is larger than `share` of its reference.
inline bool invert_with_pivots(const double* a, const std::array<double, 3>& reference, double share, double* inverse) {
  const double c0 = a[4] * a[8] - a[5] * a[5], c1 = a[2] * a[5] - a[1] * a[8], c2 = a[1] * a[5] - a[2] * a[4];
  const double minor = a[0] * a[4] - a[1] * a[1], determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
  const bool is_positive =
      a[0] > share * reference[0] && minor > share * reference[1] * a[0] && determinant > share * reference[2] * minor;
  if (!is_positive) return false;
  const double scale = 1 / determinant;
  inverse[0] = scale * c0;
  inverse[1] = inverse[3] = scale * c1;
  inverse[2] = inverse[6] = scale * c2;
  inverse[4] = scale * (a[0] * a[8] - a[2] * a[2]);
  inverse[5] = inverse[7] = scale * (a[1] * a[2] - a[0] * a[5]);
  inverse[8] = scale * minor;
  return true;
}

// Values for `count` blocks and the padding behind them; what is there is kept when the size does.
inline void size_blocks(std::vector<float>& values, std::size_t floats) {
  if (values.size() != floats + kFloatPadding) values.assign(floats + kFloatPadding, 0.0F);
}

}  // namespace pliant::linear
