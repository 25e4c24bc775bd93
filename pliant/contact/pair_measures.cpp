#include "pliant/contact/pair_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr double kNearlyParallel = 1e-3;  // sin² of the angle below which edges count as nearly parallel
// Of a pair's size: closest points of slivers and nearly parallel edges may lie so far from the true ones
// (closest_points.h), with room.
constexpr double kDistanceError = 1e-7;

// m, no less than the distance between any two of the points
double size_of(const FourPoints& x) {
  return 2 * std::max({(x[1] - x[0]).lpNorm<1>(), (x[2] - x[0]).lpNorm<1>(), (x[3] - x[0]).lpNorm<1>()});
}

// m, by how much primitives may come nearer at most
double motion_between(const FourPoints& way, std::size_t count) {
  double first = 0, second = 0;
  for (std::size_t j = 0; j < 4; ++j)
    (j < count ? first : second) = std::max(j < count ? first : second, way[j].squaredNorm());
  return std::sqrt(first) + std::sqrt(second);
}

// Those of bodies; room for those of obstacles.
void map_points(const ContactSurface& surface, const BlockVector& blocks, std::vector<Vec3>& x) {
  x.resize(surface.points.size());
  parallel_for(surface.first_obstacle_point, 4096, [&](int begin, int end) {
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
  const int body = surface.body_of_point[point[0]];
  if (body != second_body_of(surface, pair.kind, point) || surface.has_loose_points(body)) return of_bodies;
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

Passing pass_of(const ContactSurface& surface, const Candidate& pair, std::span<const Vec3> x,
                std::span<const Vec3> way, double distance) {
  const std::array<int, 4> point = points_of(surface, pair);
  const FourPoints from = gather(point, x), motion = gather(point, way);
  const PairReach of_bodies = reach_of_bodies(surface, pair.kind, point, distance);
  if (pair.kind == PairKind::point_plane) {
    // The height above a plane that does not turn is linear along the way.
    const Vec3& normal = surface.planes[pair.second].normal;
    const double height = normal.dot(from[0] - from[1]) - of_bodies.offset;
    const double change = normal.dot(motion[0] - motion[1]);
    if (!(height > 0)) return {0, true};
    return {height + change >= kKeptOfGap * height ? 1 : (1 - kKeptOfGap) * height / -change, true};
  }
  FourPoints to;
  for (std::size_t j = 0; j < 4; ++j) to[j] = from[j] + motion[j];
  // With room for the rounding of what this compares.
  if (are_far_apart(pair.kind, from, to, 1.001 * (of_bodies.offset + of_bodies.distance))) return {};
  const PairReach reach = reach_of(surface, pair, point, of_bodies);
  const CcdOptions options{.kept = kKeptOfGap};
  // Most ways are short against the gaps, and need no more than the distance.
  const bool are_edges = pair.kind == PairKind::edges;
  const double apart = closest_of(pair.kind, from).distance() - kDistanceError * size_of(from);
  const double between = motion_between(motion, are_edges ? 2 : 1);
  if (is_motion_too_small(apart, between, reach.offset, options))
    return {1, !(apart - between > reach.offset + reach.distance)};
  const SafeWay safe = are_edges ? safe_way_edges(from, motion, reach.offset, options)
                                 : safe_way_point_triangle(from, motion, reach.offset, options);
  return {safe.fraction, !(safe.least_gap > reach.distance)};
}

}  // namespace pliant::contact
