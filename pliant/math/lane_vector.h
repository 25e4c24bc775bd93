// Four vectors of space side by side, one in each SIMD lane.
#pragma once

#include <cstddef>

#include "pliant/math/lanes.h"

namespace pliant::math {

struct LaneVector {
  Lanes x, y, z;

  friend LaneVector operator+(const LaneVector& a, const LaneVector& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend LaneVector operator-(const LaneVector& a, const LaneVector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend LaneVector operator*(Lanes s, const LaneVector& a) { return {s * a.x, s * a.y, s * a.z}; }
};
inline Lanes dot(const LaneVector& a, const LaneVector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline LaneVector cross(const LaneVector& a, const LaneVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline LaneVector select(LaneMask mask, const LaneVector& a, const LaneVector& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

// Three doubles, and nothing that is read beyond them.
inline Lanes load_three(const double* p) {
#if defined(__AVX__)
  return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
#else
  return Lanes{p[0], p[1], p[2], 0};
#endif
}
// The vectors at four places of an array of three doubles each.
inline LaneVector gather(const double* vectors, int a, int b, int c, int d) {
  Lanes x = load_three(vectors + 3 * static_cast<std::ptrdiff_t>(a)),
        y = load_three(vectors + 3 * static_cast<std::ptrdiff_t>(b)),
        z = load_three(vectors + 3 * static_cast<std::ptrdiff_t>(c)),
        rest = load_three(vectors + 3 * static_cast<std::ptrdiff_t>(d));
  transpose(x, y, z, rest);
  return {x, y, z};
}

}  // namespace pliant::math
