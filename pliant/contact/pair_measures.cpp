#include "pliant/contact/pair_measures.h"

#include <algorithm>
#include <limits>

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

bool are_far_apart(PairKind kind, const FourPoints& x, const FourPoints& y, double distance) {
  const std::size_t count = kind == PairKind::edges ? 2 : 1;  // points of the first primitive
  const double first = 1.0 / static_cast<double>(count), second = 1.0 / static_cast<double>(4 - count);
  Vec3 along = Vec3::Zero();
  for (std::size_t j = 0; j < 4; ++j) along += (j < count ? first : -second) * (x[j] + y[j]);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t j = 0; j < 4; ++j) {
    const double a = along.dot(x[j]), b = along.dot(y[j]);
    if (j < count) {
      low = std::min({low, a, b});
    } else {
      high = std::max({high, a, b});
    }
  }
  const double gap = low - high;
  return gap > 0 && gap * gap > distance * distance * along.squaredNorm();
}

PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                   const PairReach& of_bodies) {
  if (surface.body_of_point[point[0]] != second_body_of(surface, pair.kind, point)) return of_bodies;
  const double wanted = 2 * (of_bodies.offset + of_bodies.distance);
  const FourPoints at_rest = gather(point, surface.rest_points);
  // With room for the rounding of what this compares.
  if (are_far_apart(pair.kind, at_rest, at_rest, 1.001 * wanted)) return of_bodies;
  const double rest = closest_of(pair.kind, at_rest).distance();
  if (!(rest < wanted && rest > 0)) return of_bodies;
  return {of_bodies.offset * rest / wanted, of_bodies.distance * rest / wanted};
}

double area_of(const ContactSurface& surface, const Candidate& pair) {
  switch (pair.kind) {
    case PairKind::edges:
      return std::min(surface.edge_area[pair.first], surface.edge_area[pair.second]);
    case PairKind::point_triangle:
      return surface.point_area[pair.first] > 0
                 ? std::min(surface.point_area[pair.first], surface.triangle_area[pair.second])
                 : surface.triangle_area[pair.second];
    default:
      return surface.point_area[pair.first];
  }
}

double parallel_threshold(const ContactSurface& surface, PairKind kind, const std::array<int, 4>& point) {
  if (kind != PairKind::edges) return 0;
  const std::vector<Vec3>& rest = surface.rest_points;
  return kNearlyParallel * (rest[point[1]] - rest[point[0]]).squaredNorm() *
         (rest[point[3]] - rest[point[2]]).squaredNorm();
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
