// Two independent judges of whether a moving pair touches, neither of which can wrongly say that it does not.
//
// Separation: time is halved until each piece has a direction along which the primitives stay apart, proved at both ends
// of the piece in 64 bit long double with an error bound. The gap along a direction is concave in time.
//
// Algebra, for small whole coordinates: a touch needs four coplanar vertices, P(t) = 0, and the point within the
// triangle (or the crossing within both edges): polynomials with exact integer coefficients. Time is halved until on
// each piece P is not zero or one of the conditions surely fails; Taylor bounds of second order.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/contact/distance/closest_points.h"

namespace pliant::contact {

enum class CcdKind { point_triangle, edges, point_edge, points };

// Vertices of the first primitive, then of the second, then unused ones.
struct MovingPair {
  CcdKind kind = CcdKind::points;
  std::array<Vec3, 4> x{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};  // m
  std::array<Vec3, 4> d{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};  // m
  double offset = 0;                                                              // m

  [[nodiscard]] int first_count() const { return kind == CcdKind::edges ? 2 : 1; }
  [[nodiscard]] int count() const {
    if (kind == CcdKind::points) return 2;
    return kind == CcdKind::point_edge ? 3 : 4;
  }
  [[nodiscard]] std::array<Vec3, 4> at(double t) const {
    std::array<Vec3, 4> moved;
    for (int i = 0; i < 4; ++i) moved[i] = (x[i] - x[0]) + t * (d[i] - d[0]);
    return moved;
  }
  [[nodiscard]] double safe_fraction(const CcdOptions& options = {}) const {
    if (kind == CcdKind::point_triangle) return safe_fraction_point_triangle(x, d, offset, options);
    if (kind == CcdKind::edges) return safe_fraction_edges(x, d, offset, options);
    if (kind == CcdKind::point_edge) {
      return safe_fraction_point_edge({x[0], x[1], x[2]}, {d[0], d[1], d[2]}, offset, options);
    }
    return safe_fraction_points({x[0], x[1]}, {d[0], d[1]}, offset, options);
  }
};

inline ClosestPoints closest_points_of(CcdKind kind, const std::array<Vec3, 4>& x) {
  if (kind == CcdKind::point_triangle) return closest_point_triangle(x[0], x[1], x[2], x[3]);
  if (kind == CcdKind::edges) return closest_edges(x[0], x[1], x[2], x[3]);
  if (kind == CcdKind::point_edge) return closest_point_edge(x[0], x[1], x[2]);
  return {(x[0] - x[1]).squaredNorm(), {1, -1, 0, 0}, Feature::point_point};
}

// Proves that the distance of a moving pair stays above a threshold.
class SeparationProof {
 public:
  explicit SeparationProof(const MovingPair& pair) : pair_(pair) {
    static_assert(std::numeric_limits<long double>::digits >= 64, "the proof needs more digits than double has");
    long double largest = 0;
    for (int i = 0; i < pair.count(); ++i) {
      position_[i] = pair.x[i].cast<long double>() - pair.x[0].cast<long double>();
      motion_[i] = pair.d[i].cast<long double>() - pair.d[0].cast<long double>();
      largest = std::max(largest, position_[i].cwiseAbs().maxCoeff() + motion_[i].cwiseAbs().maxCoeff());
    }
    // A gap is a sum of 12 products of inputs with one rounding each; 64 roundings are more than all of them.
    error_ = 64 * 3 * std::numeric_limits<long double>::epsilon() * largest;
  }

  // True only if the distance is above `threshold` (m) for all t in [0, end].
  [[nodiscard]] bool stays_above(double threshold, double end) const {
    std::vector<std::array<double, 2>> pieces = {{0, end}};
    for (int node = 0; node < 4000 && !pieces.empty(); ++node) {
      const auto [low, high] = pieces.back();
      pieces.pop_back();
      const double middle = 0.5 * (low + high);
      if (closest_points_of(pair_.kind, pair_.at(middle)).distance() <= threshold) return false;
      if (is_apart(threshold, low, high, middle) || is_apart(threshold, low, high, high) ||
          is_apart(threshold, low, high, low)) {
        continue;
      }
      if (!(low < middle && middle < high)) return false;
      pieces.push_back({middle, high});
      pieces.push_back({low, middle});
    }
    return pieces.empty();
  }

 private:
  using Vector = Eigen::Matrix<long double, 3, 1>;

  // Tries the directions that the closest points at time t suggest. Any direction is allowed: a bad one proves nothing.
  [[nodiscard]] bool is_apart(double threshold, double low, double high, double t) const {
    const auto is_apart_along = [&](const Vector& direction) {
      const Vector unit = direction.normalized();
      return gap(low, unit) > threshold && gap(high, unit) > threshold;
    };
    std::array<Vector, 4> x;
    for (int i = 0; i < 4; ++i) x[i] = position_[i] + t * motion_[i];
    const ClosestPoints closest = closest_points_of(pair_.kind, pair_.at(t));
    Vector r = Vector::Zero();
    for (int i = 0; i < 4; ++i) r += closest.weight[i] * x[i];
    if (closest.feature == Feature::point_face || closest.feature == Feature::edge_edge) {
      const Vector normal = pair_.kind == CcdKind::edges ? Vector((x[1] - x[0]).cross(x[3] - x[2]))
                                                         : Vector((x[2] - x[1]).cross(x[3] - x[1]));
      return is_apart_along(r) || is_apart_along(normal) || is_apart_along(-normal);
    }
    // Orthogonal to the edge that a point is closest to.
    for (int i = 0; i < pair_.count(); ++i) {
      for (int j = i + 1; j < pair_.count(); ++j) {
        if ((i < pair_.first_count()) != (j < pair_.first_count())) continue;
        if (closest.weight[i] == 0 || closest.weight[j] == 0) continue;
        const Vector edge = x[j] - x[i];
        if (edge.squaredNorm() > 0) r -= edge * (edge.dot(r) / edge.squaredNorm());
      }
    }
    return is_apart_along(r);
  }

  // Lower bound of the gap along the direction; the last factor is for its length.
  [[nodiscard]] long double gap(double t, const Vector& unit) const {
    long double first = std::numeric_limits<long double>::infinity();
    long double second = -first;
    for (int i = 0; i < pair_.count(); ++i) {
      const long double along = unit.dot(position_[i] + t * motion_[i]);
      if (i < pair_.first_count()) {
        first = std::min(first, along);
      } else {
        second = std::max(second, along);
      }
    }
    return (first - second) * (1 - 1e-18L) - error_;
  }

  const MovingPair& pair_;
  std::array<Vector, 4> position_{Vector::Zero(), Vector::Zero(), Vector::Zero(), Vector::Zero()};
  std::array<Vector, 4> motion_{Vector::Zero(), Vector::Zero(), Vector::Zero(), Vector::Zero()};
  long double error_ = 0;
};

// Polynomial with whole coefficients, of degree 4 at most.
struct WholePolynomial {
  std::array<long long, 5> c{};

  friend WholePolynomial operator*(const WholePolynomial& p, const WholePolynomial& q) {
    WholePolynomial product;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; i + j < 5; ++j) product.c[i + j] += p.c[i] * q.c[j];
    }
    return product;
  }
  friend WholePolynomial operator+(WholePolynomial p, const WholePolynomial& q) {
    for (int i = 0; i < 5; ++i) p.c[i] += q.c[i];
    return p;
  }
  friend WholePolynomial operator-(WholePolynomial p, const WholePolynomial& q) {
    for (int i = 0; i < 5; ++i) p.c[i] -= q.c[i];
    return p;
  }

  // +1 or −1 if that is surely its sign on all of [low, high] in [0, 1], else 0.
  [[nodiscard]] int sign_on(long double low, long double high) const {
    const long double t = 0.5L * (low + high);
    const long double radius = 0.5L * (high - low) * (1 + 1e-18L);
    long double value = 0;
    long double slope = 0;
    long double curvature = 0;  // largest half of the second derivative in [0, 1]
    long double sum = 0;
    for (int k = 4; k >= 0; --k) {
      slope = slope * t + value;
      value = value * t + static_cast<long double>(c[k]);
      const auto size = static_cast<long double>(std::llabs(c[k]));
      curvature += 0.5L * k * (k - 1) * size;
      sum += size;
    }
    const long double rounding = 256 * std::numeric_limits<long double>::epsilon() * sum;
    if (std::abs(value) <= std::abs(slope) * radius + curvature * radius * radius * 1.001L + rounding) return 0;
    return value > 0 ? 1 : -1;
  }
};

enum class Touching { none, certain, unknown };

// Judges a point and a triangle, or two edges, with whole coordinates (|x|, |d| up to some hundreds).
class TouchAlgebra {
 public:
  explicit TouchAlgebra(const MovingPair& pair) {
    if (pair.kind == CcdKind::point_triangle) {
      const Vector ab = difference(pair, 2, 1);
      const Vector ac = difference(pair, 3, 1);
      const Vector ap = difference(pair, 0, 1);
      const Vector n = cross(ab, ac);
      const WholePolynomial at_b = dot(cross(ap, ac), n);
      const WholePolynomial at_c = dot(cross(ab, ap), n);
      coplanar_ = dot(ap, n);
      conditions_ = {at_b, at_c, dot(n, n) - at_b - at_c};
    } else {
      const Vector u = difference(pair, 1, 0);
      const Vector v = difference(pair, 3, 2);
      const Vector w = difference(pair, 0, 2);
      const Vector n = cross(u, v);
      const WholePolynomial at_s = dot(cross(v, w), n);
      const WholePolynomial at_t = dot(cross(u, w), n);
      coplanar_ = dot(w, n);
      conditions_ = {at_s, dot(n, n) - at_s, at_t, dot(n, n) - at_t};
    }
  }

  [[nodiscard]] Touching judge(long double end) const {
    bool is_unknown = false;
    std::vector<std::array<long double, 2>> pieces = {{0, end}};
    for (int node = 0; node < 2000 && !pieces.empty(); ++node) {
      const auto [low, high] = pieces.back();
      pieces.pop_back();
      if (coplanar_.sign_on(low, high) != 0) continue;
      int smallest = 1;
      for (const WholePolynomial& f : conditions_) smallest = std::min(smallest, f.sign_on(low, high));
      if (smallest < 0) continue;
      if (smallest > 0 && coplanar_.sign_on(low, low) * coplanar_.sign_on(high, high) < 0) return Touching::certain;
      if (high - low < 1e-12L) {
        is_unknown = true;
        continue;
      }
      const long double middle = 0.5L * (low + high);
      pieces.push_back({middle, high});
      pieces.push_back({low, middle});
    }
    return is_unknown || !pieces.empty() ? Touching::unknown : Touching::none;
  }

 private:
  using Vector = std::array<WholePolynomial, 3>;

  static Vector difference(const MovingPair& pair, int i, int j) {
    Vector v;
    for (int k = 0; k < 3; ++k) {
      v[k].c[0] = std::llround(pair.x[i][k]) - std::llround(pair.x[j][k]);
      v[k].c[1] = std::llround(pair.d[i][k]) - std::llround(pair.d[j][k]);
    }
    return v;
  }
  static Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  static WholePolynomial dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

  WholePolynomial coplanar_;
  std::vector<WholePolynomial> conditions_;
};

}  // namespace pliant::contact
