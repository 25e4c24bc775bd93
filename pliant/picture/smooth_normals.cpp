#include "pliant/picture/smooth_normals.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pliant::picture {
namespace {

Vec3 triangle_normal(std::span<const Vec3> vertices, const Vec3i& t) {
  const auto at = [&](int c) -> const Vec3& { return vertices[static_cast<std::size_t>(t[c])]; };
  return (at(1) - at(0)).cross(at(2) - at(0)).normalized();  // zero for a degenerate triangle
}

// A side of a triangle, by its vertices in ascending order.
struct SideOfTriangle {
  std::array<int, 2> vertices;
  int triangle, first_corner;
  bool is_turned;  // the triangle runs through it from the larger to the smaller vertex
};

std::vector<SideOfTriangle> sorted_sides(const std::vector<Vec3i>& triangles) {
  std::vector<SideOfTriangle> sides;
  sides.reserve(3 * triangles.size());
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    const Vec3i& triangle = triangles[static_cast<std::size_t>(t)];
    for (int c = 0; c < 3; ++c) {
      const int a = triangle[c], b = triangle[(c + 1) % 3];
      sides.push_back({{std::min(a, b), std::max(a, b)}, t, c, a > b});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const SideOfTriangle& a, const SideOfTriangle& b) {
    return a.vertices != b.vertices ? a.vertices < b.vertices : a.triangle < b.triangle;
  });
  return sides;
}

// Corners joined into groups; a group is known by its smallest member.
class CornerGroups {
 public:
  explicit CornerGroups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int corner) {
    while (parent_[static_cast<std::size_t>(corner)] != corner) {
      int& parent = parent_[static_cast<std::size_t>(corner)];
      parent = parent_[static_cast<std::size_t>(parent)];
      corner = parent;
    }
    return corner;
  }
  void join(int a, int b) {
    const int first = root(a), second = root(b);
    parent_[static_cast<std::size_t>(std::max(first, second))] = std::min(first, second);
  }

 private:
  std::vector<int> parent_;
};

}  // namespace

SmoothNormals::SmoothNormals(const TriangleMesh& rest, double crease_degrees) {
  const double crease_cosine = std::cos(crease_degrees * std::numbers::pi / 180);
  const std::vector<SideOfTriangle> sides = sorted_sides(rest.triangles);
  CornerGroups groups(3 * rest.triangles.size());

  // Across every side that exactly two triangles share, in opposite senses, and that is not sharp.
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    for (end = begin; end < sides.size() && sides[end].vertices == sides[begin].vertices;) ++end;
    if (end - begin != 2 || sides[begin].is_turned == sides[begin + 1].is_turned) continue;
    const SideOfTriangle &a = sides[begin], &b = sides[begin + 1];
    const Vec3 normal_a = triangle_normal(rest.vertices, rest.triangles[static_cast<std::size_t>(a.triangle)]);
    const Vec3 normal_b = triangle_normal(rest.vertices, rest.triangles[static_cast<std::size_t>(b.triangle)]);
    const bool is_degenerate = normal_a.isZero() || normal_b.isZero();
    if (!is_degenerate && normal_a.dot(normal_b) < crease_cosine) continue;
    // The side's ends: one triangle's first is the other's second.
    groups.join(3 * a.triangle + a.first_corner, 3 * b.triangle + (b.first_corner + 1) % 3);
    groups.join(3 * a.triangle + (a.first_corner + 1) % 3, 3 * b.triangle + b.first_corner);
  }

  // Number the groups in the order of their first corners.
  std::vector<int> number(3 * rest.triangles.size(), -1);
  corner_normals_.resize(rest.triangles.size());
  for (int corner = 0; corner < static_cast<int>(number.size()); ++corner) {
    int& group = number[static_cast<std::size_t>(groups.root(corner))];
    if (group < 0) group = normal_count_++;
    corner_normals_[static_cast<std::size_t>(corner / 3)][corner % 3] = group;
  }
}

std::vector<Vec3> SmoothNormals::normals(std::span<const Vec3> vertices, std::span<const Vec3i> triangles) const {
  std::vector<Vec3> result(static_cast<std::size_t>(normal_count_), Vec3::Zero());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Vec3 normal = triangle_normal(vertices, triangles[t]);
    for (int c = 0; c < 3; ++c) {
      const Vec3& here = vertices[static_cast<std::size_t>(triangles[t][c])];
      const Vec3 next = vertices[static_cast<std::size_t>(triangles[t][(c + 1) % 3])] - here;
      const Vec3 previous = vertices[static_cast<std::size_t>(triangles[t][(c + 2) % 3])] - here;
      const double angle = std::atan2(next.cross(previous).norm(), next.dot(previous));
      result[static_cast<std::size_t>(corner_normals_[t][c])] += angle * normal;
    }
  }
  for (Vec3& normal : result) normal.normalize();
  return result;
}

}  // namespace pliant::picture
