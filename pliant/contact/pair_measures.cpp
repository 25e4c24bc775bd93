#include "pliant/contact/pair_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kPointGrain = 1024;         // points per piece: 10 µs of work
constexpr double kMollifiedBelow = 1e-3;  // sin² of the angle below which edges count as nearly parallel

// Those of bodies; room for those of obstacles.
void map_points(const ContactSurface& surface, const BlockVector& blocks, std::vector<Vec3>& x) {
  x.resize(surface.points.size());
  parallel_for(surface.first_obstacle_point, kPointGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) x[i] = surface.points[i].evaluate(blocks);
  });
}

}  // namespace

void place_points(const ContactSurface& surface, const Controls& controls, const BlockVector& q, double progress,
                  std::vector<Vec3>& x) {
  map_points(surface, q, x);
  const std::vector<Vec3>&was = controls.obstacle_before, &will = controls.obstacle_points;
  for (std::size_t i = 0; i < will.size(); ++i)
    x[surface.first_obstacle_point + i] = progress == 1 ? will[i] : Vec3(was[i] + progress * (will[i] - was[i]));
}

void find_ways(const ContactSurface& surface, const Controls& controls, const BlockVector& d, double progress_step,
               std::vector<Vec3>& way) {
  map_points(surface, d, way);
  const std::vector<Vec3>&was = controls.obstacle_before, &will = controls.obstacle_points;
  for (std::size_t i = 0; i < will.size(); ++i)
    way[surface.first_obstacle_point + i] = progress_step * (will[i] - was[i]);
}

void find_fixed_points(const ContactSurface& surface, const Controls& controls, std::vector<unsigned char>& is_fixed) {
  is_fixed.assign(surface.points.size(), 1);
  for (int i = 0; i < surface.first_obstacle_point; ++i) {
    const MappedPoint& point = surface.points[i];
    for (int k = 0; k < point.count; ++k) {
      if (controls.filter.held_directions(point.block[k]) < 3) is_fixed[i] = 0;
    }
  }
  if (controls.to_come.empty()) return;
  // Each is a block of its own, and a point.
  std::vector<int> blocks = controls.to_come;
  std::sort(blocks.begin(), blocks.end());
  for (int i = 0; i < surface.first_obstacle_point; ++i) {
    const MappedPoint& point = surface.points[i];
    if (point.count == 1 && std::binary_search(blocks.begin(), blocks.end(), point.block[0])) is_fixed[i] = kNotThere;
  }
}

double distance_along_middles(PairKind kind, const FourPoints& x, const FourPoints& y) {
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
  const double length = along.norm();
  return length > 0 ? (low - high) / length : 0;
}

PairReach reach_of(const ContactSurface& surface, const Candidate& pair, const std::array<int, 4>& point,
                   const PairReach& of_bodies) {
  const int body = surface.body_of_point[point[0]];
  if (body != second_body_of(surface, pair.kind, point) || surface.has_loose_points(body)) return of_bodies;
  const double wanted = 2 * (of_bodies.offset + of_bodies.distance);
  const FourPoints at_rest = gather(point, surface.rest_points);
  // With room for the rounding of what this compares.
  if (distance_along_middles(pair.kind, at_rest, at_rest) > 1.001 * wanted) return of_bodies;
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
  return kMollifiedBelow * (rest[point[1]] - rest[point[0]]).squaredNorm() *
         (rest[point[3]] - rest[point[2]]).squaredNorm();
}

}  // namespace pliant::contact
