// Elements in the order of Gauss-Seidel: colour by colour, in groups of lanes; elements of one colour share no block.
#pragma once

#include <array>
#include <vector>

#include "pliant/math/lanes.h"
#include "pliant/parallel/touch_lists.h"
#include "pliant/solver/projection/movers.h"

namespace pliant::solver {

struct ColouredLanes {
  std::vector<int> items;            // elements; −1 fills the last group of a colour up
  std::vector<int> colour_start{0};  // into items; multiples of the number of lanes
};

[[nodiscard]] ColouredLanes colour_lanes(const parallel::TouchLists& blocks, int block_count, int lanes);

template <int kBlocks>
[[nodiscard]] ColouredLanes lanes_by_colour(const std::vector<std::array<int, kBlocks>>& elements, int block_count,
                                            int lanes = math::kLaneCount) {
  parallel::TouchLists touched;
  for (const auto& blocks : elements) {
    for (const int block : blocks) touched.add(block);
    touched.end_item();
  }
  return colour_lanes(touched, block_count, lanes);
}

// --- Points as lanes: positions and inverse masses of as many points as a vector register has room for ---
// Halves of points are loaded side by side, so that what is left of the transposition stays within halves of registers.

inline void load_movers(const Mover<double>* points, const int block[4], math::Lanes x[3], math::Lanes& w) {
#if defined(__AVX__)
  const auto halves = [&](int first, int second, int offset) {
    const __m256d low = _mm256_castpd128_pd256(_mm_loadu_pd(points[block[first]].x + offset));
    return _mm256_insertf128_pd(low, _mm_loadu_pd(points[block[second]].x + offset), 1);
  };
  const __m256d xy02 = halves(0, 2, 0), xy13 = halves(1, 3, 0), zw02 = halves(0, 2, 2), zw13 = halves(1, 3, 2);
  x[0] = _mm256_unpacklo_pd(xy02, xy13);
  x[1] = _mm256_unpackhi_pd(xy02, xy13);
  x[2] = _mm256_unpacklo_pd(zw02, zw13);
  w = _mm256_unpackhi_pd(zw02, zw13);
#else
  for (int lane = 0; lane < 4; ++lane) {
    const Mover<double>& point = points[block[lane]];
    for (int a = 0; a < 3; ++a) x[a][lane] = point.x[a];
    w[lane] = point.w;
  }
#endif
}
// Kernels that work in double with points in single precision.
inline void load_movers(const Mover<float>* points, const int block[4], math::Lanes x[3], math::Lanes& w) {
#if defined(__AVX__)
  __m256d rows[4];
  for (int lane = 0; lane < 4; ++lane) rows[lane] = _mm256_cvtps_pd(_mm_load_ps(points[block[lane]].x));
  x[0] = rows[0], x[1] = rows[1], x[2] = rows[2], w = rows[3];
  math::transpose(x[0], x[1], x[2], w);
#else
  for (int lane = 0; lane < 4; ++lane) {
    const Mover<float>& point = points[block[lane]];
    for (int a = 0; a < 3; ++a) x[a][lane] = static_cast<double>(point.x[a]);
    w[lane] = static_cast<double>(point.w);
  }
#endif
}
inline void load_movers(const Mover<float>* points, const int block[8], math::FloatLanes x[3], math::FloatLanes& w) {
#if defined(__AVX__)
  const auto halves = [&](int lane) {
    const __m256 low = _mm256_castps128_ps256(_mm_load_ps(points[block[lane]].x));
    return _mm256_insertf128_ps(low, _mm_load_ps(points[block[lane + 4]].x), 1);
  };
  const __m256 a = halves(0), b = halves(1), c = halves(2), d = halves(3);
  const __m256 xy01 = _mm256_unpacklo_ps(a, b), zw01 = _mm256_unpackhi_ps(a, b);
  const __m256 xy23 = _mm256_unpacklo_ps(c, d), zw23 = _mm256_unpackhi_ps(c, d);
  x[0] = _mm256_shuffle_ps(xy01, xy23, 0x44);
  x[1] = _mm256_shuffle_ps(xy01, xy23, 0xee);
  x[2] = _mm256_shuffle_ps(zw01, zw23, 0x44);
  w = _mm256_shuffle_ps(zw01, zw23, 0xee);
#else
  for (int lane = 0; lane < 8; ++lane) {
    const Mover<float>& point = points[block[lane]];
    for (int a = 0; a < 3; ++a) x[a][lane] = point.x[a];
    w[lane] = point.w;
  }
#endif
}

// Write the first `count` lanes back.
inline void store_movers(Mover<double>* points, const int block[4], int count, const math::Lanes x[3],
                         const math::Lanes& w) {
  math::Lanes rows[4] = {x[0], x[1], x[2], w};
  math::transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int lane = 0; lane < count; ++lane) math::store(points[block[lane]].x, rows[lane]);
}
inline void store_movers(Mover<float>* points, const int block[4], int count, const math::Lanes x[3],
                         const math::Lanes& w) {
  math::Lanes rows[4] = {x[0], x[1], x[2], w};
  math::transpose(rows[0], rows[1], rows[2], rows[3]);
  for (int lane = 0; lane < count; ++lane) {
#if defined(__AVX__)
    _mm_store_ps(points[block[lane]].x, _mm256_cvtpd_ps(rows[lane]));
#else
    for (int a = 0; a < 3; ++a) points[block[lane]].x[a] = static_cast<float>(rows[lane][a]);
#endif
  }
}
inline void store_movers(Mover<float>* points, const int block[8], int count, const math::FloatLanes x[3],
                         const math::FloatLanes& w) {
#if defined(__AVX__)
  if (count == 8) {
    const __m256 xy_low = _mm256_unpacklo_ps(x[0], x[1]), xy_high = _mm256_unpackhi_ps(x[0], x[1]);
    const __m256 zw_low = _mm256_unpacklo_ps(x[2], w), zw_high = _mm256_unpackhi_ps(x[2], w);
    const __m256 rows[4] = {_mm256_shuffle_ps(xy_low, zw_low, 0x44), _mm256_shuffle_ps(xy_low, zw_low, 0xee),
                            _mm256_shuffle_ps(xy_high, zw_high, 0x44), _mm256_shuffle_ps(xy_high, zw_high, 0xee)};
    for (int lane = 0; lane < 4; ++lane) {
      _mm_store_ps(points[block[lane]].x, _mm256_castps256_ps128(rows[lane]));
      _mm_store_ps(points[block[lane + 4]].x, _mm256_extractf128_ps(rows[lane], 1));
    }
    return;
  }
#endif
  for (int lane = 0; lane < count; ++lane) {
    for (int a = 0; a < 3; ++a) points[block[lane]].x[a] = x[a][lane];
    points[block[lane]].w = w[lane];
  }
}

}  // namespace pliant::solver
