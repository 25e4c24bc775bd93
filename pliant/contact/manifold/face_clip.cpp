#include "pliant/contact/manifold/face_clip.h"

#include <cmath>

namespace pliant::contact {

void reduce_to_four(FacePolygon& polygon, double margin) {
  if (polygon.count <= 4) return;
  constexpr double kCos = 0.9393727128473789, kSin = 0.3428978074554514;  // of 0.35 rad
  constexpr std::array<std::array<double, 2>, 4> kDirections = {
      {{kCos, kSin}, {-kSin, kCos}, {-kCos, -kSin}, {kSin, -kCos}}};
  std::array<int, 4> chosen{};
  int count = 0;
  for (const auto& [du, dv] : kDirections) {
    int best = 0;
    double most = -1e300;
    for (int i = 0; i < polygon.count; ++i) {
      const double along = du * polygon.points[i].u + dv * polygon.points[i].v;
      if (along > most) most = along, best = i;
    }
    if (std::find(chosen.begin(), chosen.begin() + count, best) == chosen.begin() + count) chosen[count++] = best;
  }
  // The deepest point must not be lost.
  const auto lower = [&](const FacePoint& p, const FacePoint& q) { return p.height < q.height; };
  const auto end = polygon.points.begin() + polygon.count;
  const int deepest = static_cast<int>(std::min_element(polygon.points.begin(), end, lower) - polygon.points.begin());
  const FacePoint& deep = polygon.points[deepest];
  double lowest = 1e300, nearest_squared = 1e300;
  int nearest = 0;
  for (int k = 0; k < count; ++k) {
    const FacePoint& p = polygon.points[chosen[k]];
    lowest = std::min(lowest, p.height);
    const double distance_squared = (p.u - deep.u) * (p.u - deep.u) + (p.v - deep.v) * (p.v - deep.v);
    if (distance_squared < nearest_squared) nearest_squared = distance_squared, nearest = k;
  }
  if (deep.height < lowest - margin) {
    if (count < 4) {
      chosen[count++] = deepest;
    } else {
      chosen[nearest] = deepest;
    }
  }
  std::sort(chosen.begin(), chosen.begin() + count);
  for (int k = 0; k < count; ++k) polygon.points[k] = polygon.points[chosen[k]];
  polygon.count = count;
}

}  // namespace pliant::contact
