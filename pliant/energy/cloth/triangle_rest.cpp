#include "pliant/energy/cloth/triangle_rest.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant::cloth {
namespace {

// Heron's formula in the order of operations that keeps needles exact (W. Kahan); negative or NaN: no triangle.
double heron_argument(std::array<double, 3> side) {
  std::sort(side.begin(), side.end());
  const auto [c, b, a] = side;
  return (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
}

// Corners with the edges e0, e1 and the unit vector across the warp, in any number of dimensions.
template <class Vector>
TriangleRest rest_of(const std::array<Vector, 3>& x, double area, const Vector& across) {
  const Vector e0 = x[2] - x[1], e1 = x[0] - x[2], e2 = x[1] - x[0];
  TriangleRest rest;
  rest.squared_length = {e0.squaredNorm(), e1.squaredNorm(), e2.squaredNorm()};
  rest.area = area;
  // ω from the two equations e_i·(ω0 e0 + ω1 e1) = e_i·a⊥, whose determinant is (2A)².
  const double g0 = e0.dot(across), g1 = e1.dot(across), d01 = e0.dot(e1), determinant = 4 * area * area;
  rest.across = {(rest.squared_length[1] * g0 - d01 * g1) / determinant,
                 (rest.squared_length[0] * g1 - d01 * g0) / determinant};
  return rest;
}

}  // namespace

std::optional<TriangleRest> triangle_rest(const std::array<Vec2, 3>& corners, const Vec2& warp) {
  const Vec2 a = corners[1] - corners[0], b = corners[2] - corners[0];
  const double area = 0.5 * std::abs(a.x() * b.y() - a.y() * b.x()), length = warp.norm();
  if (!(area > 0) || !(length > 0)) return std::nullopt;
  return rest_of(corners, area, Vec2(-warp.y() / length, warp.x() / length));
}

std::optional<TriangleRest> triangle_rest(const std::array<Vec3, 3>& corners, const Vec3& warp) {
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double twice_area = normal.norm();
  if (!(twice_area > 0)) return std::nullopt;
  // n × warp is already in the plane, and perpendicular to the projected warp.
  const Vec3 across = (normal / twice_area).cross(warp);
  if (!(across.norm() > 1e-9 * warp.norm())) return std::nullopt;
  return rest_of(corners, 0.5 * twice_area, Vec3(across.normalized()));
}

TriangleRest with_lengths(const TriangleRest& rest, std::span<const double, 3> lengths) {
  TriangleRest result = rest;
  for (int i = 0; i < 3; ++i) result.squared_length[i] = lengths[i] * lengths[i];
  result.area = 0.25 * std::sqrt(heron_argument({lengths[0], lengths[1], lengths[2]}));
  return result;
}

std::optional<TriangleRest> blend(const TriangleRest& rest, std::span<const double, 3> kinematic_lengths,
                                  double weight) {
  std::array<double, 3> lengths;
  for (int i = 0; i < 3; ++i) {
    lengths[i] = (1 - weight) * std::sqrt(rest.squared_length[i]) + weight * kinematic_lengths[i];
    if (!(lengths[i] > 0)) return std::nullopt;
  }
  if (!(heron_argument(lengths) > 0)) return std::nullopt;
  return with_lengths(rest, lengths);
}

TriangleRest reordered(const TriangleRest& rest, const std::array<int, 3>& order) {
  // Edges are renumbered; an odd order also turns all of them round, which only flips a⊥. As e0 + e1 + e2 = 0, equal
  // amounts may be taken from all three coefficients.
  const std::array<double, 3> across{rest.across[0], rest.across[1], 0};
  TriangleRest result = rest;
  for (int i = 0; i < 3; ++i) result.squared_length[i] = rest.squared_length[order[i]];
  for (int i = 0; i < 2; ++i) result.across[i] = across[order[i]] - across[order[2]];
  return result;
}

}  // namespace pliant::cloth
