// Four doubles side by side: the kernels that run over millions of elements work on four elements at a time.
//
// Lanes is the compiler's own vector type, so arithmetic, comparison and ?: are the built-in operators, and the same
// template instantiated with T = double is the plain version that tests compare with:
//
//   template <class T> T cube(T x) { return x * x * x; }        // cube(2.0), cube(lanes_of(2.0))
//
// A mask is a vector of 64-bit integers, 0 or −1 per lane; `select(mask, a, b)` takes a where the mask is set.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace pliant::math {

inline constexpr int kLaneCount = 4;
using Lanes = double __attribute__((vector_size(32)));
using LaneMask = std::int64_t __attribute__((vector_size(32)));
// Eight floats side by side, for the few kernels that single precision is enough for.
inline constexpr int kFloatLaneCount = 8;
using FloatLanes = float __attribute__((vector_size(32)));

// --- Making and reading lanes ---
inline Lanes lanes_of(double x) { return Lanes{x, x, x, x}; }
inline Lanes load(const double* p) {
  Lanes x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
inline void store(double* p, Lanes x) { __builtin_memcpy(p, &x, sizeof x); }

// A constant of type T: all lanes equal.
template <class T>
T constant(double x);
template <>
inline double constant<double>(double x) {
  return x;
}
template <>
inline Lanes constant<Lanes>(double x) {
  return lanes_of(x);
}

// --- Choice ---
inline double select(bool mask, double a, double b) { return mask ? a : b; }
inline Lanes select(LaneMask mask, Lanes a, Lanes b) {
#if defined(__AVX__)
  return _mm256_blendv_pd(b, a, std::bit_cast<__m256d>(mask));
#else
  return mask ? a : b;
#endif
}
inline bool both(bool a, bool b) { return a && b; }
inline LaneMask both(LaneMask a, LaneMask b) { return a & b; }
inline bool any(bool mask) { return mask; }
inline bool all(bool mask) { return mask; }
inline bool any(LaneMask mask) {
#if defined(__AVX__)
  return _mm256_movemask_pd(std::bit_cast<__m256d>(mask)) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}
inline bool all(LaneMask mask) {
#if defined(__AVX__)
  return _mm256_movemask_pd(std::bit_cast<__m256d>(mask)) == 15;
#else
  return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
#endif
}

// --- Arithmetic that has no operator ---
inline double min(double a, double b) { return a < b ? a : b; }
inline double max(double a, double b) { return a > b ? a : b; }
inline Lanes min(Lanes a, Lanes b) { return select(a < b, a, b); }
inline Lanes max(Lanes a, Lanes b) { return select(a > b, a, b); }
inline double abs(double x) { return std::fabs(x); }
inline Lanes abs(Lanes x) {
  return std::bit_cast<Lanes>(std::bit_cast<LaneMask>(x) & std::numeric_limits<std::int64_t>::max());
}
inline double sqrt(double x) { return std::sqrt(x); }
inline Lanes sqrt(Lanes x) {
#if defined(__AVX__)
  return _mm256_sqrt_pd(x);
#else
  return Lanes{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}
inline FloatLanes sqrt(FloatLanes x) {
#if defined(__AVX__)
  return _mm256_sqrt_ps(x);
#else
  for (int lane = 0; lane < kFloatLaneCount; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
#endif
}
// |magnitude| with the sign of `sign` (of +0 is +).
inline double copy_sign(double magnitude, double sign) { return std::copysign(magnitude, sign); }
inline Lanes copy_sign(Lanes magnitude, Lanes sign) {
  constexpr std::int64_t sign_bit = std::numeric_limits<std::int64_t>::min();
  const LaneMask bits = (std::bit_cast<LaneMask>(magnitude) & ~sign_bit) | (std::bit_cast<LaneMask>(sign) & sign_bit);
  return std::bit_cast<Lanes>(bits);
}
// Sum of the four lanes, always in the same order.
inline double sum(Lanes x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// Rows to columns: afterwards a holds the first entries of the four rows, b the second, and so on.
inline void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
#if defined(__AVX__)
  const __m256d ab_lo = _mm256_unpacklo_pd(a, b), ab_hi = _mm256_unpackhi_pd(a, b);
  const __m256d cd_lo = _mm256_unpacklo_pd(c, d), cd_hi = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab_lo, cd_lo, 0x20);
  b = _mm256_permute2f128_pd(ab_hi, cd_hi, 0x20);
  c = _mm256_permute2f128_pd(ab_lo, cd_lo, 0x31);
  d = _mm256_permute2f128_pd(ab_hi, cd_hi, 0x31);
#else
  const Lanes r0 = a, r1 = b, r2 = c, r3 = d;
  a = Lanes{r0[0], r1[0], r2[0], r3[0]};
  b = Lanes{r0[1], r1[1], r2[1], r3[1]};
  c = Lanes{r0[2], r1[2], r2[2], r3[2]};
  d = Lanes{r0[3], r1[3], r2[3], r3[3]};
#endif
}

}  // namespace pliant::math
