#include "pliant/contact/way_lanes.h"

#include <bit>
#include <cstdint>
#include <limits>

#include "pliant/contact/broad_phase/box.h"

namespace pliant::contact {
namespace {

using math::FloatLanes;

// Unit roundoff of floats is 2⁻²⁴. Storing c and h moves an end by at most √3 of it times their largest coordinates.
constexpr double kStored = 0x1p-22;
// Of the largest differences between points and between ways: their subtraction, the products with u, on both sides, their
// sums and last difference err by less than 22 units each.
constexpr float kDifferences = 0x1p-19F;
// Of the result: root and quotient.
constexpr float kQuotient = 1 - 0x1p-20F;
// Below the first |u|² has lost digits to underflow, above the second products of differences may overflow.
constexpr float kShortestSquared = 1e-30F, kLongest = 1e15F;
constexpr float kLargestSum = 1e37F;

struct EightWays {
  FloatLanes middle[3], half[3], error, reach;
};

FloatLanes floats_of(float x) { return FloatLanes{x, x, x, x, x, x, x, x}; }
FloatLanes least(FloatLanes a, FloatLanes b) { return a < b ? a : b; }
FloatLanes most(FloatLanes a, FloatLanes b) { return a > b ? a : b; }
FloatLanes magnitude(FloatLanes x) {
  using Bits = std::int32_t __attribute__((vector_size(32)));
  return std::bit_cast<FloatLanes>(std::bit_cast<Bits>(x) & 0x7fffffff);
}

// Rows of eight ways to columns.
EightWays gather(const std::array<int, 8>& point, std::span<const PointWay> ways) {
  EightWays columns;
#if defined(__AVX__)
  __m256 row[8], pair[8], four[8];
  for (int k = 0; k < 8; ++k) row[k] = _mm256_load_ps(ways[static_cast<std::size_t>(point[k])].middle.data());
  for (int k = 0; k < 4; ++k) {
    pair[2 * k] = _mm256_unpacklo_ps(row[2 * k], row[2 * k + 1]);
    pair[2 * k + 1] = _mm256_unpackhi_ps(row[2 * k], row[2 * k + 1]);
  }
  for (int k = 0; k < 2; ++k) {
    four[4 * k] = _mm256_shuffle_ps(pair[4 * k], pair[4 * k + 2], 0x44);
    four[4 * k + 1] = _mm256_shuffle_ps(pair[4 * k], pair[4 * k + 2], 0xee);
    four[4 * k + 2] = _mm256_shuffle_ps(pair[4 * k + 1], pair[4 * k + 3], 0x44);
    four[4 * k + 3] = _mm256_shuffle_ps(pair[4 * k + 1], pair[4 * k + 3], 0xee);
  }
  __m256 column[8];
  for (int k = 0; k < 4; ++k) {
    column[k] = _mm256_permute2f128_ps(four[k], four[k + 4], 0x20);
    column[k + 4] = _mm256_permute2f128_ps(four[k], four[k + 4], 0x31);
  }
  for (int a = 0; a < 3; ++a) {
    columns.middle[a] = column[a];
    columns.half[a] = column[3 + a];
  }
  columns.error = column[6];
  columns.reach = column[7];
#else
  for (int k = 0; k < 8; ++k) {
    const PointWay& way = ways[static_cast<std::size_t>(point[k])];
    for (int a = 0; a < 3; ++a) {
      columns.middle[a][k] = way.middle[a];
      columns.half[a][k] = way.half[a];
    }
    columns.error[k] = way.error;
    columns.reach[k] = way.reach;
  }
#endif
  return columns;
}

struct EightVectors {
  FloatLanes x, y, z;

  friend EightVectors operator+(const EightVectors& a, const EightVectors& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend EightVectors operator-(const EightVectors& a, const EightVectors& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend EightVectors operator*(FloatLanes s, const EightVectors& a) { return {s * a.x, s * a.y, s * a.z}; }
};
FloatLanes dot(const EightVectors& a, const EightVectors& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
EightVectors cross(const EightVectors& a, const EightVectors& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
FloatLanes largest_coordinate(const EightVectors& v) {
  return most(magnitude(v.x), most(magnitude(v.y), magnitude(v.z)));
}
// 0 ≤ x ≤ 1; 0 for what is not a number
FloatLanes part(FloatLanes x) { return least(most(x, floats_of(0)), floats_of(1)); }

// From the second primitive to the first, about along their shortest connection. Vertex 0 is at the origin.
EightVectors between_edges(const EightVectors x[4]) {
  const EightVectors &u = x[1], v = x[3] - x[2], &w = x[2];  // w from the first edge's start to the second's
  const FloatLanes uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const FloatLanes across = part((uw * vv - vw * uv) / (uu * vv - uv * uv));
  const FloatLanes t = part((across * uv - vw) / vv), s = part((t * uv + uw) / uu);
  return s * u - (w + t * v);
}

// From the edge a b to the origin.
EightVectors from_edge(const EightVectors& a, const EightVectors& b) {
  const EightVectors e = b - a;
  const FloatLanes t = part(-dot(a, e) / dot(e, e));
  return floats_of(-1) * (a + t * e);
}

EightVectors from_triangle(const EightVectors x[4]) {
  const EightVectors ab = x[2] - x[1], ac = x[3] - x[1], n = cross(ab, ac);
  // Barycentric coordinates of the origin, times n².
  const FloatLanes at_b = dot(cross(ac, x[1]), n), at_c = dot(cross(x[1], ab), n), nn = dot(n, n);
  const auto is_inside = (at_b > 0.0F) & (at_c > 0.0F) & (at_b + at_c < nn);
  const EightVectors face = -(dot(x[1], n) / nn) * n;
  EightVectors best = from_edge(x[1], x[2]);
  FloatLanes squared = dot(best, best);
  const auto take = [&](const auto& is_better, const EightVectors& other) {
    best = {is_better ? other.x : best.x, is_better ? other.y : best.y, is_better ? other.z : best.z};
    squared = is_better ? dot(other, other) : squared;
  };
  for (const EightVectors& other : {from_edge(x[2], x[3]), from_edge(x[3], x[1])})
    take(dot(other, other) < squared, other);
  take(is_inside, face);
  return best;
}

template <int kFirst>
FloatLanes room(const EightPairs& point, std::span<const PointWay> ways) {
  // Relative to the first point: differences of neighbours are small.
  const EightWays origin = gather(point[0], ways);
  EightVectors place[4]{}, half[4]{};
  FloatLanes size{}, first_error = origin.error, second_error{}, reach = origin.reach;
  for (int j = 1; j < 4; ++j) {
    const EightWays way = gather(point[j], ways);
    place[j] = {way.middle[0] - origin.middle[0], way.middle[1] - origin.middle[1], way.middle[2] - origin.middle[2]};
    half[j] = {way.half[0] - origin.half[0], way.half[1] - origin.half[1], way.half[2] - origin.half[2]};
    size = most(size, largest_coordinate(place[j]) + largest_coordinate(half[j]));
    FloatLanes& error = j < kFirst ? first_error : second_error;
    error = most(error, way.error);
    if (j == kFirst) reach += way.reach;
  }
  const EightVectors u = kFirst == 2 ? between_edges(place) : from_triangle(place);
  FloatLanes start[4]{}, end[4]{};
  for (int j = 1; j < 4; ++j) {
    const FloatLanes at = dot(u, place[j]), by = dot(u, half[j]);
    start[j] = at - by;
    end[j] = at + by;
  }
  const auto gap = [](const FloatLanes h[4]) {
    return kFirst == 2 ? least(h[0], h[1]) - most(h[2], h[3]) : h[0] - most(h[1], most(h[2], h[3]));
  };
  const FloatLanes squared = dot(u, u);
  const FloatLanes apart = kQuotient * least(gap(start), gap(end)) / math::sqrt(squared);
  const FloatLanes room = apart - kDifferences * size - first_error - second_error - reach;
  // What is not a number in any place is so in one of the sums of all.
  const FloatLanes sum = start[1] + start[2] + start[3] + end[1] + end[2] + end[3];
  const auto is_told = (squared > kShortestSquared) & (size < kLongest) & (magnitude(sum) < kLargestSum);
  return is_told ? room : floats_of(-std::numeric_limits<float>::infinity());
}

}  // namespace

PointWay way_between(const Vec3& from, const Vec3& to, double reach) {
  const Vec3 middle = 0.5 * (from + to), half = 0.5 * (to - from);
  PointWay way;
  for (int a = 0; a < 3; ++a) {
    way.middle[static_cast<std::size_t>(a)] = static_cast<float>(middle[a]);
    way.half[static_cast<std::size_t>(a)] = static_cast<float>(half[a]);
  }
  // Zero, but for what is not finite: a maximum would lose it.
  const double poison = 0 * (middle.sum() + half.sum());
  way.error = round_up(kStored * (middle.cwiseAbs().maxCoeff() + half.cwiseAbs().maxCoeff()) + poison);
  way.reach = round_up((1 + kStored) * reach);
  return way;
}

FloatLanes room_on_ways(PairKind kind, const EightPairs& point, std::span<const PointWay> ways) {
  return kind == PairKind::edges ? room<2>(point, ways) : room<1>(point, ways);
}

}  // namespace pliant::contact
