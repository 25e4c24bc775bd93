#include "pliant/contact/ccd/ccd.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/ccd/ccd_errors.h"
#include "pliant/contact/distance/closest_points.h"

namespace pliant::contact {
namespace {

// Two primitives relative to vertex 0: positions and motions.
template <int kFirst, int kSecond>
struct RelativePair {
  static constexpr int kCount = kFirst + kSecond;
  std::array<Vec3, kCount> position;  // m
  std::array<Vec3, kCount> motion;    // m
  double size = kSmallestSize;        // m, largest coordinate of position
  double reach = kSmallestSize;       // m, largest coordinate of motion
  double stored = 0;                  // m, largest coordinate of what will be stored
  bool is_finite = false;

  RelativePair(const std::array<Vec3, kCount>& x, const std::array<Vec3, kCount>& d) {
    double largest_position = 0;
    double largest_motion = 0;
    double sum = 0;
    for (int i = 0; i < kCount; ++i) {
      position[i] = x[i] - x[0];
      motion[i] = d[i] - d[0];
      size = std::max(size, position[i].cwiseAbs().maxCoeff());
      reach = std::max(reach, motion[i].cwiseAbs().maxCoeff());
      largest_position = std::max(largest_position, x[i].cwiseAbs().maxCoeff());
      largest_motion = std::max(largest_motion, d[i].cwiseAbs().maxCoeff());
      sum += x[i].cwiseAbs().sum() + d[i].cwiseAbs().sum();
    }
    stored = largest_position + largest_motion;
    is_finite = sum < kLargestSize;  // false for NaN
  }

  [[nodiscard]] std::array<Vec3, kCount> at(double t) const {
    std::array<Vec3, kCount> x;
    for (int i = 0; i < kCount; ++i) x[i] = position[i] + t * motion[i];
    return x;
  }

  [[nodiscard]] static double gap(const std::array<Vec3, kCount>& x, const Vec3& direction) {
    std::array<double, kCount> along;
    for (int i = 0; i < kCount; ++i) along[i] = direction.dot(x[i]);
    return *std::min_element(along.begin(), along.begin() + kFirst) -
           *std::max_element(along.begin() + kFirst, along.end());
  }
};

ClosestPoints closest_of_pair(const RelativePair<1, 3>&, const std::array<Vec3, 4>& x) {
  return closest_point_triangle(x[0], x[1], x[2], x[3]);
}
ClosestPoints closest_of_pair(const RelativePair<2, 2>&, const std::array<Vec3, 4>& x) {
  return closest_edges(x[0], x[1], x[2], x[3]);
}
ClosestPoints closest_of_pair(const RelativePair<1, 2>&, const std::array<Vec3, 3>& x) {
  return closest_point_edge(x[0], x[1], x[2]);
}
ClosestPoints closest_of_pair(const RelativePair<1, 1>&, const std::array<Vec3, 2>& x) {
  return {(x[0] - x[1]).squaredNorm(), {1, -1, 0, 0}, Feature::point_point};
}

// For primitives much closer than they are large, r = Σ γ x has lost digits to cancellation, and a small turn of u costs
// more than the distance. Normals, and r made orthogonal to the edges that it belongs to, have not.
template <int kFirst, int kSecond>
Vec3 improved_direction(const std::array<Vec3, kFirst + kSecond>& x, const ClosestPoints& closest, const Vec3& r) {
  Vec3 direction = r;
  if constexpr (kFirst + kSecond == 4) {
    const Vec3 first_edge = kFirst == 2 ? x[1] - x[0] : x[2] - x[1];
    const Vec3 normal = first_edge.cross(kFirst == 2 ? x[3] - x[2] : x[3] - x[1]);
    if (closest.feature == Feature::point_face || closest.feature == Feature::edge_edge) {
      direction = normal.dot(r) < 0 ? Vec3(-normal) : normal;
      return direction.normalized();
    }
  }
  for (int i = 0; i < kFirst + kSecond; ++i) {
    for (int j = i + 1; j < kFirst + kSecond; ++j) {
      const bool is_edge = (i < kFirst) == (j < kFirst);
      if (!is_edge || closest.weight[i] == 0 || closest.weight[j] == 0) continue;
      const Vec3 edge = (x[j] - x[i]).normalized();
      direction -= edge * edge.dot(direction);
    }
  }
  return direction.normalized();
}

// Unit vector from the second primitive to the first, zero if they touch.
template <int kFirst, int kSecond>
Vec3 separating_direction(const RelativePair<kFirst, kSecond>& pair, double t) {
  const auto x = pair.at(t);
  const ClosestPoints closest = closest_of_pair(pair, x);
  Vec3 r = Vec3::Zero();
  for (int i = 1; i < pair.kCount; ++i) r += closest.weight[i] * x[i];  // x[0] is the origin
  const double distance = r.norm();
  if (!(distance > 0 && distance <= std::numeric_limits<double>::max())) return Vec3::Zero();
  Vec3 direction = r / distance;
  const double gap = pair.gap(x, direction);
  if (gap < kGoodDirection * distance) {
    const Vec3 improved = improved_direction<kFirst, kSecond>(x, closest, r);
    if (pair.gap(x, improved) > gap) direction = improved;
  }
  return direction;
}

// Gap along a direction less its error and `least`, as lines a + b t of all pairs of vertices.
template <int kFirst, int kSecond>
struct GapLines {
  std::array<double, kFirst * kSecond> a;  // m
  std::array<double, kFirst * kSecond> b;  // m

  GapLines(const RelativePair<kFirst, kSecond>& pair, const Vec3& direction, double least) {
    std::array<double, kFirst + kSecond> position;
    std::array<double, kFirst + kSecond> motion;
    for (int i = 0; i < kFirst + kSecond; ++i) {
      position[i] = direction.dot(pair.position[i]);
      motion[i] = direction.dot(pair.motion[i]);
    }
    for (int i = 0; i < kFirst; ++i) {
      for (int j = 0; j < kSecond; ++j) {
        a[i * kSecond + j] = position[i] - position[kFirst + j] - kGapError * pair.size - least;
        b[i * kSecond + j] = motion[i] - motion[kFirst + j] - kGapError * pair.reach;
      }
    }
  }

  [[nodiscard]] double smallest_at(double t) const {
    double smallest = a[0] + t * b[0];
    for (int k = 1; k < kFirst * kSecond; ++k) smallest = std::min(smallest, a[k] + t * b[k]);
    return smallest;
  }

  // Until when all lines stay above zero, if they do so now; rounded down, at most 1.
  [[nodiscard]] double end() const {
    double t = 1;
    for (int k = 0; k < kFirst * kSecond; ++k) {
      if (a[k] + b[k] < 0) t = std::min(t, a[k] / -b[k] * (1 - 4 * kCcdEpsilon));
    }
    return t;
  }
};

template <int kFirst, int kSecond>
SafeWay safe_way(const std::array<Vec3, kFirst + kSecond>& x, const std::array<Vec3, kFirst + kSecond>& d,
                 double offset, const CcdOptions& options) {
  const RelativePair<kFirst, kSecond> pair(x, d);
  if (!pair.is_finite) return {};

  // The gap at the start, and what of it must be kept. Comparisons are written so that NaN ends the way.
  Vec3 direction = separating_direction(pair, 0);
  const double gap = GapLines<kFirst, kSecond>(pair, direction, offset).smallest_at(0);
  if (!(gap > 0)) return {};
  const double kept_gap = std::max(options.kept * gap, kStoringError * pair.stored);

  // Advance as far as the gap along the direction allows; then a new direction.
  double t = 0;
  for (int iteration = 0; iteration < options.iteration_limit; ++iteration) {
    const GapLines<kFirst, kSecond> lines(pair, direction, offset + kept_gap);
    if (!(lines.smallest_at(t) > kGapTolerance * kept_gap)) return {t};
    const double end = lines.end();
    if (end >= 1) return {1, iteration == 0 ? kept_gap + std::min(lines.smallest_at(0), lines.smallest_at(1)) : 0};
    if (!(end > t)) return {t};
    t = end;
    direction = separating_direction(pair, t);
  }
  return {t};
}

}  // namespace

double safe_fraction_point_triangle(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                                    const CcdOptions& options) {
  return safe_way<1, 3>(x, d, offset, options).fraction;
}

double safe_fraction_edges(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                           const CcdOptions& options) {
  return safe_way<2, 2>(x, d, offset, options).fraction;
}

SafeWay safe_way_point_triangle(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                                const CcdOptions& options) {
  return safe_way<1, 3>(x, d, offset, options);
}

SafeWay safe_way_edges(const std::array<Vec3, 4>& x, const std::array<Vec3, 4>& d, double offset,
                       const CcdOptions& options) {
  return safe_way<2, 2>(x, d, offset, options);
}

double safe_fraction_point_edge(const std::array<Vec3, 3>& x, const std::array<Vec3, 3>& d, double offset,
                                const CcdOptions& options) {
  return safe_way<1, 2>(x, d, offset, options).fraction;
}

double safe_fraction_points(const std::array<Vec3, 2>& x, const std::array<Vec3, 2>& d, double offset,
                            const CcdOptions& options) {
  return safe_way<1, 1>(x, d, offset, options).fraction;
}

}  // namespace pliant::contact
