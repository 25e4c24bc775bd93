// Eight boxes side by side, in the compiler's vector types: one comparison of a box with eight others takes six vector
// comparisons. Internal to the broad phase.
//
// An unbounded box (box.h) is stored as [−∞, ∞]³; an empty one, and a lane without a box, as NaN, which compares false
// with everything, also with the unbounded ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "pliant/contact/broad_phase/box.h"

namespace pliant::contact {

using Floats8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));

inline constexpr int kBlockSize = 8;  // boxes per block
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline Floats8 floats_of(float x) { return Floats8{x, x, x, x, x, x, x, x}; }
inline Ints8 ints_of(int x) { return Ints8{x, x, x, x, x, x, x, x}; }
inline Floats8 lesser(Floats8 a, Floats8 b) { return a < b ? a : b; }
inline Floats8 greater(Floats8 a, Floats8 b) { return a > b ? a : b; }

struct alignas(64) BoxBlock {
  Floats8 low[3];
  Floats8 high[3];
};

// Bit i is set where lane i of the mask is.
inline unsigned bits_of(Ints8 mask) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(std::bit_cast<__m256>(mask)));
#else
  unsigned bits = 0;
  for (int i = 0; i < kBlockSize; ++i) bits |= (mask[i] != 0 ? 1u : 0u) << i;
  return bits;
#endif
}

// All lanes are box `lane` of the block.
inline BoxBlock broadcast(const BoxBlock& block, int lane) {
  BoxBlock same;
  for (int a = 0; a < 3; ++a) {
    same.low[a] = floats_of(reinterpret_cast<const float*>(&block.low[a])[lane]);
    same.high[a] = floats_of(reinterpret_cast<const float*>(&block.high[a])[lane]);
  }
  return same;
}

// Which lanes overlap, as bits.
inline unsigned overlap_bits(const BoxBlock& a, const BoxBlock& b) {
  const Ints8 x = (a.low[0] <= b.high[0]) & (b.low[0] <= a.high[0]);
  const Ints8 y = (a.low[1] <= b.high[1]) & (b.low[1] <= a.high[1]);
  const Ints8 z = (a.low[2] <= b.high[2]) & (b.low[2] <= a.high[2]);
  return bits_of(x & y & z);
}

// The lanes given by bits, moved to the front. The rest of the result is arbitrary.
inline Ints8 compress(Ints8 values, unsigned bits) {
#if defined(__AVX2__)
  // Entry `bits`: the numbers of its set bits, a byte each.
  static constexpr auto kLanesOf = [] {
    std::array<std::uint64_t, 256> table{};
    for (unsigned b = 0; b < 256; ++b) {
      int place = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((b >> lane & 1u) != 0) table[b] |= static_cast<std::uint64_t>(lane) << (8 * place++);
      }
    }
    return table;
  }();
  const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kLanesOf[bits])));
  return std::bit_cast<Ints8>(_mm256_permutevar8x32_epi32(std::bit_cast<__m256i>(values), lanes));
#else
  Ints8 front = values;
  for (int place = 0; bits != 0; bits &= bits - 1) front[place++] = values[std::countr_zero(bits)];
  return front;
#endif
}

inline Ints8 load_ints(const int* p) {
  Ints8 x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void store_ints(int* p, Ints8 x) { __builtin_memcpy(p, &x, sizeof x); }

// Half the surface [m²] of every box; 0 for the empty and the unbounded.
inline Floats8 half_surfaces(const BoxBlock& b) {
  const Floats8 x = b.high[0] - b.low[0], y = b.high[1] - b.low[1], z = b.high[2] - b.low[2];
  const Floats8 surface = x * y + y * z + z * x;
  return surface < kInfinity ? surface : floats_of(0);
}
inline double sum_lanes(Floats8 x) {
  double sum = 0;
  for (int i = 0; i < kBlockSize; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

// Eight boxes as they are stored: the unbounded and the empty recognised (see above).
BoxBlock stored_form(const BoxBlock& raw);
// boxes[index[0]], …, boxes[index[count − 1]], and empty lanes.
BoxBlock load_boxes(std::span<const Box> boxes, const int* index, int count);
// Lane i bounds the boxes of children[i], i < count.
BoxBlock bounds_of(const BoxBlock* children, int count);

}  // namespace pliant::contact
