#include "pliant/contact/outward.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant::contact {

Outward::Outward(const ContactSurface& surface) : surface_(surface), first_around_(surface.points.size() + 1, 0) {
  const auto is_solid = [&](const Vec3i& triangle) {
    return surface_.has_inside(surface_.body_of_point[static_cast<std::size_t>(triangle[0])]);
  };
  for (const Vec3i& triangle : surface.triangles) {
    if (!is_solid(triangle)) continue;
    for (const int corner : triangle) ++first_around_[static_cast<std::size_t>(corner) + 1];
  }
  for (std::size_t i = 1; i < first_around_.size(); ++i) first_around_[i] += first_around_[i - 1];
  around_.resize(static_cast<std::size_t>(first_around_.back()));
  std::vector<int> next(first_around_.begin(), first_around_.end() - 1);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (!is_solid(surface.triangles[t])) continue;
    for (const int corner : surface.triangles[t])
      around_[static_cast<std::size_t>(next[static_cast<std::size_t>(corner)]++)] = static_cast<int>(t);
  }
}

Vec3 Outward::normal(std::span<const int> corners, std::span<const Vec3> x) const {
  const auto point = static_cast<std::size_t>(corners[0]);
  Vec3 sum = Vec3::Zero();
  for (int k = first_around_[point]; k < first_around_[point + 1]; ++k) {
    const Vec3i& triangle = surface_.triangles[static_cast<std::size_t>(around_[static_cast<std::size_t>(k)])];
    const auto holds = [&](int corner) { return (triangle.array() == corner).any(); };
    if (!std::all_of(corners.begin(), corners.end(), holds)) continue;
    const int own = triangle[0] == corners[0] ? 0 : triangle[1] == corners[0] ? 1 : 2;
    const Vec3& apex = x[point];
    const Vec3 left = x[static_cast<std::size_t>(triangle[(own + 1) % 3])] - apex,
               right = x[static_cast<std::size_t>(triangle[(own + 2) % 3])] - apex;
    const Vec3 across = left.cross(right);
    const double doubled = across.norm();
    if (!(doubled > 0)) continue;
    const double angle = corners.size() == 1 ? std::atan2(doubled, left.dot(right)) : 1;
    sum += angle / doubled * across;
  }
  return sum;
}

Vec3 Outward::normal_of_side(const std::array<int, 4>& point, const std::array<double, 4>& weight, int first, int last,
                             std::span<const Vec3> x) const {
  std::array<int, 3> corners{};
  std::size_t count = 0;
  for (int j = first; j < last; ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (weight[k] != 0) corners[count++] = point[k];
  }
  return count == 0 ? Vec3(Vec3::Zero()) : normal({corners.data(), count}, x);
}

Meeting Outward::meeting(PairKind kind, const std::array<int, 4>& point, const std::array<double, 4>& weight,
                         const Vec3& n, std::span<const Vec3> x) const {
  const int split = kind == PairKind::edges ? 2 : 1;
  const int first = surface_.body_of_point[static_cast<std::size_t>(point[0])],
            second = surface_.body_of_point[static_cast<std::size_t>(point[static_cast<std::size_t>(split)])];
  if (first == second || !surface_.has_inside(first) || !surface_.has_inside(second)) return Meeting::touch;
  const bool is_first_behind = normal_of_side(point, weight, 0, split, x).dot(n) > 0;
  const bool is_second_behind = normal_of_side(point, weight, split, 4, x).dot(n) < 0;
  if (is_first_behind != is_second_behind) return Meeting::none;
  return is_first_behind ? Meeting::overlap : Meeting::touch;
}

}  // namespace pliant::contact
