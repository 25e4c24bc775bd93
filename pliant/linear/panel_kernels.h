// Dense blocks times three right-hand sides: the two inner loops of solves with a ConstantFactor.
//
// A panel P has `width` columns; its rows are stored in groups of one to four SIMD vectors, a group column by column:
//
//   group      column 0: v₀ v₁ v₂ v₃   column 1: v₀ v₁ v₂ v₃   …        v = 4 doubles, or 8 floats or halves
//
// so that both loops read memory once and in order, and twelve accumulators (four vectors × xyz) fill the registers:
//
//   forward_group    y[row] −= P b        loads a column of the group, times x, y, z of b[column]; scatters at the end
//   backward_group   b −= Pᵀ y[row]       gathers y of the group's rows first; a sum over the lanes per column
//
// Vectors of right-hand sides hold xyz and a fourth number per row, which is never read for a result. Written in the
// compiler's own vector types: without AVX it is the same code on narrower registers. Half precision is only a way of
// storing: arithmetic is in float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace pliant::linear {

inline constexpr int kGroupVectors = 4;  // 12 accumulators, 3 factors and a load are the 16 registers of AVX
inline constexpr int kPrefetchBytes =
    4096;  // ahead of what is read; 1 to 8 KB differ by less than a tenth, none costs a quarter

// --- Half precision, IEEE 754 binary16 ---
struct Half {
  std::uint16_t bits;
};
inline constexpr double kLargestHalf = 65504;

inline Half half_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float size = std::fabs(x);
  // Below 2⁻¹⁴ the spacing is 2⁻²⁴; above, eleven leading bits are kept. Both round to even.
  if (size < 6.103515625e-5f) return {static_cast<std::uint16_t>(sign | std::lrint(size * 16777216.0f))};
  if (!(size < 65520.0f)) return {static_cast<std::uint16_t>(sign | (std::isnan(x) ? 0x7e00u : 0x7c00u))};
  std::uint32_t kept = bits & 0x7fffffffu;
  kept += 0xfffu + (kept >> 13 & 1u);
  return {static_cast<std::uint16_t>(sign | ((kept >> 13) - (112u << 10)))};
}

inline float float_of(Half h) {
  const std::uint32_t sign = (h.bits & 0x8000u) << 16, rest = h.bits & 0x7fffu;
  if (rest < 0x400u)
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(static_cast<float>(rest) / 16777216.0f));
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
}

// --- SIMD vectors of 32 bytes ---
// A load or store of a whole vector at any address. (Not to be put in a loop over a small array: gcc 12 then copies in
// halves through the stack, and the load of the whole waits for them.)
template <class Vector, class Real>
Vector load_vector(const Real* p) {
  Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class Vector, class Real>
void store_vector(Real* p, Vector v) {
  std::memcpy(p, &v, sizeof v);
}

template <class Real>
struct PanelSimd;

template <>
struct PanelSimd<double> {
  static constexpr int kSize = 4;
  using Vector = double __attribute__((vector_size(32)));
  using Row = double __attribute__((vector_size(32)));  // xyz and a fourth

  // Rows r₀ … r₃ → x of all, y of all, z of all.
  static void gather(const int* row, const double* y, Vector* xyz) {
    const Row r[4] = {load_vector<Row>(y + 4 * row[0]), load_vector<Row>(y + 4 * row[1]),
                      load_vector<Row>(y + 4 * row[2]), load_vector<Row>(y + 4 * row[3])};
    const Vector xz01 = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
                 y01 = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const Vector xz23 = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6),
                 y23 = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    xyz[0] = __builtin_shufflevector(xz01, xz23, 0, 1, 4, 5);
    xyz[1] = __builtin_shufflevector(y01, y23, 0, 1, 4, 5);
    xyz[2] = __builtin_shufflevector(xz01, xz23, 2, 3, 6, 7);
  }
  // The inverse, subtracted from y.
  static void scatter(Vector x, Vector y, Vector z, const int* row, double* out) {
    const Vector xy02 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const Vector z02 = __builtin_shufflevector(z, z, 0, 0, 2, 2), z13 = __builtin_shufflevector(z, z, 1, 1, 3, 3);
    subtract(out + 4 * row[0], __builtin_shufflevector(xy02, z02, 0, 1, 4, 5));
    subtract(out + 4 * row[1], __builtin_shufflevector(xy13, z13, 0, 1, 4, 5));
    subtract(out + 4 * row[2], __builtin_shufflevector(xy02, z02, 2, 3, 6, 7));
    subtract(out + 4 * row[3], __builtin_shufflevector(xy13, z13, 2, 3, 6, 7));
  }
  // Sums over the lanes, subtracted from one row.
  static void subtract_sums(Vector x, Vector y, Vector z, double* out) {
    const Vector xy = __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
    const Vector zz = z + __builtin_shufflevector(z, z, 1, 0, 3, 2);
    subtract(out, __builtin_shufflevector(xy, zz, 0, 1, 4, 5) + __builtin_shufflevector(xy, zz, 2, 3, 6, 7));
  }
  static void subtract(double* out, Row what) { store_vector(out, load_vector<Row>(out) - what); }
};

template <>
struct PanelSimd<float> {
  static constexpr int kSize = 8;
  using Vector = float __attribute__((vector_size(32)));
  using Row = float __attribute__((vector_size(16)));

  static void gather(const int* row, const float* y, Vector* xyz) {
    const auto two_rows = [&](int k) {
      return __builtin_shufflevector(load_vector<Row>(y + 4 * row[k]), load_vector<Row>(y + 4 * row[k + 4]), 0, 1, 2, 3,
                                     4, 5, 6, 7);
    };
    const Vector r[4] = {two_rows(0), two_rows(1), two_rows(2), two_rows(3)};
    const Vector xy01 = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector xy23 = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector z01 = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector z23 = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    xyz[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13);
    xyz[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15);
    xyz[2] = __builtin_shufflevector(z01, z23, 0, 1, 8, 9, 4, 5, 12, 13);
  }
  static void scatter(Vector x, Vector y, Vector z, const int* row, float* out) {
    const Vector xy01 = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector xy23 = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector z01 = __builtin_shufflevector(z, z, 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector z23 = __builtin_shufflevector(z, z, 2, 10, 3, 11, 6, 14, 7, 15);
    subtract_two(out, row[0], row[4], __builtin_shufflevector(xy01, z01, 0, 1, 8, 9, 4, 5, 12, 13));
    subtract_two(out, row[1], row[5], __builtin_shufflevector(xy01, z01, 2, 3, 10, 11, 6, 7, 14, 15));
    subtract_two(out, row[2], row[6], __builtin_shufflevector(xy23, z23, 0, 1, 8, 9, 4, 5, 12, 13));
    subtract_two(out, row[3], row[7], __builtin_shufflevector(xy23, z23, 2, 3, 10, 11, 6, 7, 14, 15));
  }
  static void subtract_sums(Vector x, Vector y, Vector z, float* out) {
    const Vector xy = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13) +
                      __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector zz = __builtin_shufflevector(z, z, 0, 8, 1, 9, 4, 12, 5, 13) +
                      __builtin_shufflevector(z, z, 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector sum = __builtin_shufflevector(xy, zz, 0, 1, 8, 9, 4, 5, 12, 13) +
                       __builtin_shufflevector(xy, zz, 2, 3, 10, 11, 6, 7, 14, 15);
    subtract(out, __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7));
  }
  static void subtract_two(float* out, int low, int high, Vector rows) {
    subtract(out + 4 * low, __builtin_shufflevector(rows, rows, 0, 1, 2, 3));
    subtract(out + 4 * high, __builtin_shufflevector(rows, rows, 4, 5, 6, 7));
  }
  static void subtract(float* out, Row what) { store_vector(out, load_vector<Row>(out) - what); }
};

// --- From stored numbers to vectors ---
inline PanelSimd<double>::Vector load_stored(const double* p) { return load_vector<PanelSimd<double>::Vector>(p); }
inline PanelSimd<float>::Vector load_stored(const float* p) { return load_vector<PanelSimd<float>::Vector>(p); }
inline PanelSimd<float>::Vector load_stored(const Half* p) {
#if defined(__F16C__)
  __m128i bits;
  std::memcpy(&bits, p, sizeof bits);
  return _mm256_cvtph_ps(bits);
#else
  PanelSimd<float>::Vector v;
  for (int k = 0; k < 8; ++k) v[k] = float_of(p[k]);
  return v;
#endif
}

// --- The two loops, for a group of V vectors ---
template <int V, class Real, class Stored>
void forward_group(const Stored* values, int width, const Real* b, const int* row, Real* y) {
  using Simd = PanelSimd<Real>;
  using Vector = typename Simd::Vector;
  constexpr int kStep = V * Simd::kSize;
  Vector sx[V]{}, sy[V]{}, sz[V]{};
  for (int j = 0; j < width; ++j, values += kStep, b += 4) {
    for (int line = 0; line < (kStep * static_cast<int>(sizeof(Stored)) + 63) / 64; ++line) {
      __builtin_prefetch(reinterpret_cast<const char*>(values) + kPrefetchBytes + 64 * line);
    }
    const Vector bx = b[0] - Vector{}, by = b[1] - Vector{}, bz = b[2] - Vector{};
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Vector w = load_stored(values + v * Simd::kSize);
      sx[v] += w * bx;
      sy[v] += w * by;
      sz[v] += w * bz;
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) Simd::scatter(sx[v], sy[v], sz[v], row + v * Simd::kSize, y);
}

// From the last column to the first: together with groups and panels taken from the last, memory is read backwards.
template <int V, class Real, class Stored>
void backward_group(const Stored* values, int width, Real* b, const int* row, const Real* y) {
  using Simd = PanelSimd<Real>;
  using Vector = typename Simd::Vector;
  constexpr int kStep = V * Simd::kSize;
  Vector g[V][3];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) Simd::gather(row + v * Simd::kSize, y, g[v]);
  values += static_cast<std::ptrdiff_t>(width - 1) * kStep;
  b += 4 * static_cast<std::ptrdiff_t>(width - 1);
  for (int j = 0; j < width; ++j, values -= kStep, b -= 4) {
    for (int line = 0; line < (kStep * static_cast<int>(sizeof(Stored)) + 63) / 64; ++line) {
      __builtin_prefetch(reinterpret_cast<const char*>(values) - kPrefetchBytes + 64 * line);
    }
    Vector w = load_stored(values);
    Vector sx = w * g[0][0], sy = w * g[0][1], sz = w * g[0][2];
#pragma GCC unroll 4
    for (int v = 1; v < V; ++v) {
      w = load_stored(values + v * Simd::kSize);
      sx += w * g[v][0];
      sy += w * g[v][1];
      sz += w * g[v][2];
    }
    Simd::subtract_sums(sx, sy, sz, b);
  }
}

}  // namespace pliant::linear
