#include "pliant/contact/pair_measures.h"

#include <algorithm>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr double kNearlyParallel = 1e-3;  // sin² of the angle below which edges count as nearly parallel

}  // namespace

void place_points(const ContactSurface& surface, const Controls& controls, const BlockVector& q, double progress,
                  std::vector<Vec3>& x) {
  x.resize(surface.points.size());
  parallel_for(surface.first_obstacle_point, 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) x[i] = surface.points[i].evaluate(q);
  });
  const std::vector<Vec3>&was = controls.obstacle_before, &will = controls.obstacle_points;
  for (std::size_t i = 0; i < will.size(); ++i)
    x[surface.first_obstacle_point + i] = progress == 1 ? will[i] : Vec3(was[i] + progress * (will[i] - was[i]));
}

FourPoints gather(const std::array<int, 4>& point, std::span<const Vec3> x) {
  FourPoints four;
  for (std::size_t j = 0; j < 4; ++j)
    four[j] = point[j] < 0 ? Vec3(Vec3::Zero()) : x[static_cast<std::size_t>(point[j])];
  return four;
}

ClosestPoints closest_of(const Candidate& pair, const FourPoints& x) {
  return pair.kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                      : closest_point_triangle(x[0], x[1], x[2], x[3]);
}

int second_body_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point) {
  return surface.body_of_point[point[pair.kind == PairKind::edges ? 2 : 1]];
}

PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                   double distance) {
  const int first = surface.body_of_point[point[0]], second = second_body_of(surface, pair, point);
  PairReach reach{surface.thickness[first] + surface.thickness[second], distance};
  if (first != second) return reach;
  const double rest = closest_of(pair, gather(point, surface.rest_points)).distance();
  const double wanted = 2 * (reach.offset + reach.distance);
  if (rest < wanted && rest > 0) {
    reach.offset *= rest / wanted;
    reach.distance *= rest / wanted;
  }
  return reach;
}

double area_of(const ContactSurface& surface, const Candidate& pair, const FourPoints& x) {
  switch (pair.kind) {
    case PairKind::edges: {
      const auto &a = surface.edges[pair.first], &b = surface.edges[pair.second];
      const std::vector<Vec3>& rest = surface.rest_points;
      const double threshold =
          kNearlyParallel * (rest[a[1]] - rest[a[0]]).squaredNorm() * (rest[b[1]] - rest[b[0]]).squaredNorm();
      return edge_mollifier(x, threshold).value *
             std::min(surface.edge_area[pair.first], surface.edge_area[pair.second]);
    }
    case PairKind::point_triangle:
      return surface.point_area[pair.first] > 0
                 ? std::min(surface.point_area[pair.first], surface.triangle_area[pair.second])
                 : surface.triangle_area[pair.second];
    default:
      return surface.point_area[pair.first];
  }
}

double safe_fraction_of(const ContactSurface& surface, const Candidate& pair, const FourPoints& x, const FourPoints& d,
                        double offset, double kept) {
  if (pair.kind == PairKind::point_triangle) return safe_fraction_point_triangle(x, d, offset, {.kept = kept});
  if (pair.kind == PairKind::edges) return safe_fraction_edges(x, d, offset, {.kept = kept});
  // The height above a plane that does not turn is linear along the way.
  const Vec3& normal = surface.planes[pair.second].normal;
  const double height = normal.dot(x[0] - x[1]) - offset, change = normal.dot(d[0] - d[1]);
  if (!(height > 0)) return 0;
  return height + change >= kept * height ? 1 : (1 - kept) * height / -change;
}

}  // namespace pliant::contact
