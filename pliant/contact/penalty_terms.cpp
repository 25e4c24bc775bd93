#include "pliant/contact/penalty_terms.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kTermGrain = 1024;
// Pairs count as near up to so many contact distances: more makes longer lists.
constexpr double kNear = 2;
// Of its gap: a pair that comes nearer than this is taken to have crossed if it is on the other side.
constexpr double kKeptWhileCrossing = 1e-3;

// Across a pair, with the sign of the side on which its first primitive is: the normal of the triangle, or of both edges.
// Without a length where that is not defined.
Vec3 across_pair(PairKind kind, const FourPoints& x) {
  if (kind == PairKind::edges) return (x[1] - x[0]).cross(x[3] - x[2]);
  return (x[2] - x[1]).cross(x[3] - x[1]);
}
double side_of(PairKind kind, const FourPoints& x) {
  return across_pair(kind, x).dot(x[0] - x[kind == PairKind::edges ? 2 : 1]);
}

// Whether the first primitive went through the second on its way from `before` to `now`.
bool has_crossed(PairKind kind, const FourPoints& before, const FourPoints& now) {
  const double was = side_of(kind, before), is = side_of(kind, now);
  if (was * is > 0 || was == 0) return false;
  FourPoints way;
  for (std::size_t j = 0; j < 4; ++j) way[j] = now[j] - before[j];
  const CcdOptions options{.kept = kKeptWhileCrossing};
  return (kind == PairKind::edges ? safe_fraction_edges(before, way, 0, options)
                                  : safe_fraction_point_triangle(before, way, 0, options)) < 1;
}

}  // namespace

PenaltyTerms::PenaltyTerms(const ContactSurface& surface) : surface_(surface), used_(surface.used_points()) {
  std::erase_if(used_, [&](int point) { return point >= surface.first_obstacle_point; });
}

void PenaltyTerms::sort_out(const TermSetting& setting, std::span<const Candidate> pairs, std::span<const Vec3> x,
                            double slack, std::vector<Candidate>& kept) {
  is_kept_.resize(pairs.size());
  parallel_for(static_cast<int>(pairs.size()), kTermGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Candidate& pair = pairs[i];
      is_kept_[i] = 1;
      if (pair.kind == PairKind::point_plane) continue;
      const std::array<int, 4> point = points_of(surface_, pair);
      const FourPoints now = gather(point, x);
      const ClosestPoints closest = closest_of(pair.kind, now);
      const PairReach of_bodies = reach_of_bodies(surface_, pair.kind, point, setting.distance);
      const double reach = of_bodies.offset + kNear * of_bodies.distance + slack;
      if (closest.squared_distance < reach * reach) continue;
      const bool has_normal = closest.feature == Feature::point_face || closest.feature == Feature::edge_edge;
      is_kept_[i] = has_normal && side_of(pair.kind, now) * side_of(pair.kind, gather(point, setting.before)) < 0;
    }
  });
  kept.clear();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_kept_[i] != 0) kept.push_back(pairs[i]);
  }
}

bool PenaltyTerms::make(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x, Wanted wanted,
                        PenaltyTerm& term) const {
  return pair.kind == PairKind::point_shape ? make_at_shape(setting, pair, x, wanted, term)
                                            : make_at_mesh(setting, pair, x, wanted, term);
}

bool PenaltyTerms::make_at_mesh(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x,
                                Wanted wanted, PenaltyTerm& term) const {
  term.pair = pair;
  term.point = points_of(surface_, pair);
  term.first_body = surface_.body_of_point[term.point[0]];
  term.second_body = second_body_of(surface_, pair.kind, term.point);
  const FourPoints now = gather(term.point, x);
  double distance = 0;  // signed
  if (pair.kind == PairKind::point_plane) {
    term.weight = {1, -1, 0, 0};
    term.normal = surface_.planes[pair.second].normal;
    distance = term.normal.dot(now[0] - now[1]);
  } else {
    const ClosestPoints closest = closest_of(pair.kind, now);
    term.weight = closest.weight;
    distance = closest.distance();
    Vec3 r = Vec3::Zero();
    for (std::size_t j = 0; j < 4; ++j) r += closest.weight[j] * now[j];
    const bool has_normal = closest.feature == Feature::point_face || closest.feature == Feature::edge_edge;
    const bool has_inside = pair.kind == PairKind::point_triangle && term.first_body != term.second_body &&
                            surface_.has_inside(term.second_body);
    bool is_behind = false;
    if (has_inside) {
      is_behind = has_normal && side_of(pair.kind, now) < 0;
    } else if (has_normal) {
      is_behind = has_crossed(pair.kind, gather(term.point, setting.before), now);
    }
    if (distance > 1e-12 * (now[0] - now[2]).norm()) {
      term.normal = (is_behind ? -1 : 1) / distance * r;
    } else {
      // In each other's plane: the way back is across it.
      const double was = has_inside ? 1 : side_of(pair.kind, gather(term.point, setting.before));
      term.normal = (was < 0 ? -1 : 1) * across_pair(pair.kind, now).normalized();
      if (!(term.normal.squaredNorm() > 0.5)) return false;
    }
    if (is_behind) distance = -distance;
  }
  const PairReach of_bodies = surface_.reach(term.first_body, term.second_body, setting.distance);
  if (wanted == Wanted::near && distance >= of_bodies.offset + kNear * of_bodies.distance) return false;
  const PairReach reach = reach_of(surface_, pair, term.point, of_bodies);
  if (wanted == Wanted::near && distance >= reach.offset + kNear * reach.distance) return false;
  term.level = reach.offset;
  term.distance = reach.distance;
  term.gap = distance - reach.offset;
  term.area = edge_mollifier(now, parallel_threshold(surface_, pair.kind, term.point)).value * area_of(surface_, pair);
  term.carried.setZero();
  return term.area > 0;
}

bool PenaltyTerms::make_at_shape(const TermSetting& setting, const Candidate& pair, std::span<const Vec3> x,
                                 Wanted wanted, PenaltyTerm& term) const {
  const int point = pair.first, shape = pair.second;
  const ObstacleShape& obstacle = surface_.shapes[static_cast<std::size_t>(shape)];
  const Pose& pose = setting.shape_now[static_cast<std::size_t>(shape)];
  const int body = surface_.body_of_point[point];
  if (!surface_.rule(body, obstacle.body).is_enabled) return false;
  const Vec3& place = x[static_cast<std::size_t>(point)];
  const auto [offset, distance] = surface_.reach(body, obstacle.body, setting.distance);
  const double reach = offset + kNear * distance, farthest = obstacle.carried.shape().extent() + reach;
  if (wanted == Wanted::near && (place - pose.shift).squaredNorm() > farthest * farthest) return false;
  const SignedHeight height = height_above(obstacle.carried.shape(), pose.to_own(place));
  if (wanted == Wanted::near && height.distance >= reach) return false;
  term.pair = pair;
  term.point = {point, -1, -1, -1};
  term.weight = {1, 0, 0, 0};
  term.first_body = body;
  term.second_body = obstacle.body;
  term.normal = pose.turn * height.normal;
  term.gap = height.distance - offset;
  term.level = term.normal.dot(place) - term.gap;
  term.distance = distance;
  term.area = surface_.point_area[point];
  const Vec3 foot = place - height.distance * term.normal;
  term.carried = foot - setting.shape_before[static_cast<std::size_t>(shape)].to_world(pose.to_own(foot));
  return term.area > 0;
}

void PenaltyTerms::find(const TermSetting& setting, std::span<const Candidate> pairs, std::span<const Vec3> x,
                        std::span<const PenaltyTerm> last, std::vector<PenaltyTerm>& terms) {
  const int pair_count = static_cast<int>(pairs.size()), shape_count = static_cast<int>(surface_.shapes.size());
  const int tests = pair_count + shape_count * static_cast<int>(used_.size());
  const int pieces = (tests + kTermGrain - 1) / kTermGrain;
  found_.resize(std::max(found_.size(), static_cast<std::size_t>(pieces)));
  const auto test = [&](int i, PenaltyTerm& term) {
    if (i < pair_count) return make(setting, pairs[static_cast<std::size_t>(i)], x, Wanted::near, term);
    const int point = used_[static_cast<std::size_t>((i - pair_count) / shape_count)];
    return setting.is_fixed[static_cast<std::size_t>(point)] == 0 &&
           make(setting, {PairKind::point_shape, point, (i - pair_count) % shape_count}, x, Wanted::near, term);
  };
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      found_[p].clear();
      PenaltyTerm term;
      for (int i = p * kTermGrain; i < std::min(tests, (p + 1) * kTermGrain); ++i) {
        if (test(i, term)) found_[p].push_back(term);
      }
    }
  });
  terms.clear();
  for (int p = 0; p < pieces; ++p) terms.insert(terms.end(), found_[p].begin(), found_[p].end());
  const auto is_before = [](const PenaltyTerm& a, const PenaltyTerm& b) { return a.pair.key() < b.pair.key(); };
  std::sort(terms.begin(), terms.end(), is_before);
  keep(setting, x, last, terms);
  std::sort(terms.begin(), terms.end(), is_before);
  find_insides(terms);
}

// Adds the pairs of `last` that are not there. Both are in the order of their keys.
void PenaltyTerms::keep(const TermSetting& setting, std::span<const Vec3> x, std::span<const PenaltyTerm> last,
                        std::vector<PenaltyTerm>& terms) const {
  const std::size_t count = terms.size();
  std::size_t next = 0;
  PenaltyTerm term;
  for (const PenaltyTerm& old : last) {
    while (next < count && terms[next].pair.key() < old.pair.key()) ++next;
    if (next < count && terms[next].pair.key() == old.pair.key()) continue;
    if (make(setting, old.pair, x, Wanted::anywhere, term)) terms.push_back(term);
  }
}

// Of the terms of a point with a body that has an inside, the nearest decides.
void PenaltyTerms::find_insides(std::vector<PenaltyTerm>& terms) const {
  if (surface_.is_solid.empty()) return;
  const auto concerns = [&](const PenaltyTerm& t) {
    return t.pair.kind == PairKind::point_triangle && t.first_body != t.second_body &&
           surface_.has_inside(t.second_body);
  };
  struct Nearest {
    int point, body;
    double depth;  // m, how far from the surface
    std::uint64_t key;
    bool is_inside;
  };
  std::vector<Nearest> nearest;
  for (const PenaltyTerm& t : terms) {
    if (concerns(t)) {
      const double distance = t.gap + t.level;
      nearest.push_back({t.point[0], t.second_body, std::abs(distance), t.pair.key(), distance < 0});
    }
  }
  std::sort(nearest.begin(), nearest.end(), [](const Nearest& a, const Nearest& b) {
    return std::tie(a.point, a.body, a.depth, a.key) < std::tie(b.point, b.body, b.depth, b.key);
  });
  nearest.erase(std::unique(nearest.begin(), nearest.end(),
                            [](const Nearest& a, const Nearest& b) { return a.point == b.point && a.body == b.body; }),
                nearest.end());
  const auto find = [&](int point, int body) -> const Nearest* {
    const auto place = std::lower_bound(
        nearest.begin(), nearest.end(), std::pair(point, body),
        [](const Nearest& n, const std::pair<int, int>& wanted) { return std::pair(n.point, n.body) < wanted; });
    return place != nearest.end() && place->point == point && place->body == body ? &*place : nullptr;
  };
  const auto is_inside = [&](int point, int body) {
    const Nearest* n = find(point, body);
    return n != nullptr && n->is_inside;
  };
  std::erase_if(terms, [&](const PenaltyTerm& t) {
    if (concerns(t)) {
      const Nearest& n = *find(t.point[0], t.second_body);
      return n.is_inside ? t.pair.key() != n.key : t.gap + t.level < 0;
    }
    if (t.pair.kind != PairKind::edges || t.first_body == t.second_body) return false;
    return is_inside(t.point[0], t.second_body) || is_inside(t.point[1], t.second_body) ||
           is_inside(t.point[2], t.first_body) || is_inside(t.point[3], t.first_body);
  });
}

}  // namespace pliant::contact
