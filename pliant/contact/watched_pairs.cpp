#include "pliant/contact/watched_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/broad_phase/box.h"
#include "pliant/contact/ccd/ccd_lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

using math::Lanes;
using math::lanes_of;

constexpr int kPiece = 4096;       // candidates whose lists stay in the second cache
constexpr int kPointGrain = 1024;  // points or edges, of which little is asked
// Of the contact distance: how much farther than needed pairs are searched. More saves searches and adds pairs.
constexpr double kWatchedSlack = 1;
// Of a pair's size: closest points of slivers and nearly parallel edges may lie so far from the true ones
// (closest_points.h), with room.
constexpr double kDistanceError = 1e-7;
// Room for the rounding of what is compared with a reach.
constexpr double kRoom = 1.001;
// A sum of two floats, rounded down.
constexpr float kBelow = 1 - 1e-6F;
constexpr CcdOptions kWatchedCcd{.kept = kKeptOfGap};

// Floats no less and no more than x ≥ 0, also after the sum with another.
float surely_above(double x) { return static_cast<float>((1 + 1e-6) * x); }
float surely_below(double x) { return static_cast<float>((1 - 1e-6) * x); }

int first_count_of(PairKind kind) { return kind == PairKind::edges ? 2 : 1; }

std::array<const std::array<int, 4>*, 4> pointers_to(const std::array<std::array<int, 4>, 4>& point) {
  return {&point[0], &point[1], &point[2], &point[3]};
}

struct ReachLanes {
  std::array<PairReach, 4> of;
  Lanes offset, distance;  // m

  void spread() {
    for (int l = 0; l < 4; ++l) {
      offset[l] = of[static_cast<std::size_t>(l)].offset;
      distance[l] = of[static_cast<std::size_t>(l)].distance;
    }
  }
};

}  // namespace

WatchedPairs::WatchedPairs(const ContactSurface& surface, double distance)
    : surface_(surface),
      distance_(distance),
      detection_(surface, kWatchedSlack * distance),
      reach_(surface.margins(distance)) {}

// --- Where points are ---

void WatchedPairs::arrive(std::span<const Vec3> x) {
  if (std::equal(x.begin(), x.end(), place_.begin(), place_.end())) return;
  ++arrival_;
  parallel_for(static_cast<int>(x.size()), kPointGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      path_[i] += (x[i] - place_[i]).norm();
      place_[i] = x[i];
    }
  });
}

void WatchedPairs::note_distances(const std::array<int, 4>& pairs, int count, const PairLanes& x, Lanes distance) {
  const Lanes least = distance - kDistanceError * sizes_of(x);
  for (int l = 0; l < count; ++l) {
    WatchedPair& watched = watched_[pairs[l]];
    watched.bound = least[l] + sum_of(watched.point, path_);
    watched.measured = arrival_;
  }
}

// --- A way ---

double WatchedPairs::follow(std::span<const Vec3> x, std::span<const Vec3> motion,
                            std::span<const unsigned char> is_fixed, bool is_new) {
  const Way way{x, motion};
  begin_ways(way, is_new);
  const bool is_searched = detection_.find(x, end_, distance_, is_fixed, is_new);
  if (is_searched) forget_pairs();

  const int candidates = detection_.meshed_count(), pieces = (candidates + kPiece - 1) / kPiece,
            watched_pieces = (met_count_ + kPiece - 1) / kPiece;
  pieces_.resize(std::max(pieces_.size(), static_cast<std::size_t>(pieces)));
  watched_pieces_.resize(std::max(watched_pieces_.size(), static_cast<std::size_t>(watched_pieces)));
  parallel_for(watched_pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p)
      pass_watched(p * kPiece, std::min(met_count_, (p + 1) * kPiece), way, watched_pieces_[p]);
  });
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p)
      pass_candidates(p * kPiece, std::min(candidates, (p + 1) * kPiece), is_searched, way, pieces_[p]);
  });

  near_.clear();
  dangers_.clear();
  for (int p = 0; p < watched_pieces; ++p) {
    const Piece& piece = watched_pieces_[p];
    near_.insert(near_.end(), piece.near.begin(), piece.near.end());
    dangers_.insert(dangers_.end(), piece.dangers.begin(), piece.dangers.end());
  }
  std::vector<int> first(static_cast<std::size_t>(pieces) + 1, met_count_);
  for (int p = 0; p < pieces; ++p) first[p + 1] = first[p] + static_cast<int>(pieces_[p].arrivals.size());
  watched_.resize(static_cast<std::size_t>(first[pieces]));
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) take_arrivals(pieces_[p], first[p]);
  });
  for (int p = 0; p < pieces; ++p) {
    for (std::size_t k = 0; k < pieces_[p].arrivals.size(); ++k) {
      const int pair = first[p] + static_cast<int>(k);
      near_.push_back(pair);
      if (pieces_[p].arrivals[k].fraction < 1) dangers_.push_back({pieces_[p].arrivals[k].fraction, pair});
    }
  }
  met_count_ = first[pieces];
  return least_fraction(way, pass_planes(way));
}

void WatchedPairs::begin_ways(const Way& way, bool is_new) {
  const std::size_t count = way.x.size();
  if (is_new) {
    place_.assign(way.x.begin(), way.x.end());
    path_.assign(count, 0);
  }
  arrive(way.x);
  watched_.resize(static_cast<std::size_t>(met_count_));
  far_end_.resize(count);
  end_.resize(count);
  ways_.resize(count);
  parallel_for(static_cast<int>(count), kPointGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      end_[i] = way.x[i] + way.motion[i];
      far_end_[i] = path_[i] + way.motion[i].norm();
      ways_[i] = way_between(way.x[i], end_[i], kRoom * reach_[surface_.body_of_point[i]]);
    }
  });
  const auto sum_up = [&](std::size_t items, const auto& sum, std::vector<float>& far, std::vector<float>& path) {
    far.resize(items);
    path.resize(items);
    parallel_for(static_cast<int>(items), kPointGrain, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        far[i] = surely_above(sum(i, far_end_));
        path[i] = surely_below(sum(i, path_));
      }
    });
  };
  using Lengths = std::vector<double>;
  sum_up(
      count, [](int i, const Lengths& l) { return l[i]; }, far_point_, path_point_);
  sum_up(
      surface_.edges.size(), [&](int e, const Lengths& l) { return l[surface_.edges[e][0]] + l[surface_.edges[e][1]]; },
      far_edge_, path_edge_);
  sum_up(
      surface_.triangles.size(),
      [&](int t, const Lengths& l) {
        const Vec3i& v = surface_.triangles[t];
        return l[v[0]] + l[v[1]] + l[v[2]];
      },
      far_triangle_, path_triangle_);
}

void WatchedPairs::forget_pairs() {
  const auto count = static_cast<std::size_t>(detection_.meshed_count());
  room_.assign(count, -std::numeric_limits<float>::infinity());
  watched_of_.assign(count, -1);
  watched_.clear();
  met_count_ = 0;
}

// --- Candidates that have not been near ---

bool WatchedPairs::is_known_apart(int candidate) const {
  const Candidate& pair = detection_.pairs()[candidate];
  const float come = pair.kind == PairKind::edges ? far_edge_[pair.first] + far_edge_[pair.second]
                                                  : far_point_[pair.first] + far_triangle_[pair.second];
  return room_[candidate] > come;
}

void WatchedPairs::pass_candidates(int begin, int end, bool is_searched, const Way& way, Piece& piece) {
  for (std::vector<int>* list : {&piece.doubtful, &piece.close}) list->clear();
  piece.arrivals.clear();
  for (int i = begin; i < end; ++i) {
    if (is_searched || (watched_of_[i] < 0 && !is_known_apart(i))) piece.doubtful.push_back(i);
  }
  const auto kind_of = [&](int candidate) { return detection_.pairs()[candidate].kind; };
  // Edges follow points and triangles.
  const std::span<const int> doubtful = piece.doubtful;
  const auto edges = std::partition_point(doubtful.begin(), doubtful.end(),
                                          [&](int i) { return kind_of(i) == PairKind::point_triangle; });
  keep_apart(PairKind::point_triangle, {doubtful.begin(), edges}, piece.close);
  keep_apart(PairKind::edges, {edges, doubtful.end()}, piece.close);
  for_groups_of_four(
      piece.close, kind_of,
      [&](PairKind kind, const std::array<int, 4>& four, int n) { meet(kind, four, n, way, piece); }, [](int) {});
}

void WatchedPairs::keep_apart(PairKind kind, std::span<const int> candidates, std::vector<int>& rest) {
  constexpr std::size_t kEight = 8;
  const std::vector<float>&first_path = kind == PairKind::edges ? path_edge_ : path_point_,
        &second_path = kind == PairKind::edges ? path_edge_ : path_triangle_;
  // Every number is written, and stays if it is of the rest: no branch to mispredict.
  std::size_t left = rest.size();
  rest.resize(left + candidates.size() + 1);
  for (std::size_t begin = 0; begin < candidates.size(); begin += kEight) {
    const std::size_t count = std::min(kEight, candidates.size() - begin);
    EightPairs point;
    float path[kEight];
    for (std::size_t k = 0; k < kEight; ++k) {
      const Candidate& pair = detection_.pairs()[candidates[begin + std::min(k, count - 1)]];
      const std::array<int, 4> of_pair = points_of(surface_, pair);
      for (std::size_t j = 0; j < 4; ++j) point[j][k] = of_pair[j];
      path[k] = first_path[pair.first] + second_path[pair.second];
    }
    const math::FloatLanes room = room_on_ways(kind, point, ways_);
    for (std::size_t k = 0; k < count; ++k) {
      const int candidate = candidates[begin + k];
      const bool is_apart = room[k] > 0;
      const float known = room_[candidate];
      room_[candidate] = is_apart ? std::max(known, kBelow * (room[k] + path[k])) : known;
      rest[left] = candidate;
      left += is_apart ? 0 : 1;
    }
  }
  rest.resize(left);
}

namespace {

// As reach_of. Returns whether any reaches less than its bodies do.
bool find_own_reaches(const ContactSurface& surface, PairKind kind, const std::array<Candidate, 4>& pair,
                      const std::array<std::array<int, 4>, 4>& point, ReachLanes& reach) {
  PairLanes rest;
  gather(pointers_to(point), surface.rest_points, rest);
  const Lanes apart = distances_along_middles(kind, rest, PairLanes{});
  bool is_other = false;
  for (std::size_t l = 0; l < 4; ++l) {
    const PairReach of_bodies = reach.of[l];
    if (apart[l] > 2 * kRoom * (of_bodies.offset + of_bodies.distance)) continue;
    reach.of[l] = reach_of(surface, pair[l], point[l], of_bodies);
    is_other = is_other || reach.of[l].offset != of_bodies.offset || reach.of[l].distance != of_bodies.distance;
  }
  reach.spread();
  return is_other;
}

}  // namespace

void WatchedPairs::meet(PairKind kind, const std::array<int, 4>& candidates, int count, const Way& way, Piece& piece) {
  std::array<Candidate, 4> pair;
  std::array<std::array<int, 4>, 4> point;
  ReachLanes reach;
  for (std::size_t l = 0; l < 4; ++l) {
    pair[l] = detection_.pairs()[candidates[l]];
    point[l] = points_of(surface_, pair[l]);
    reach.of[l] = reach_of_bodies(surface_, kind, point[l], distance_);
  }
  reach.spread();
  PairLanes x, motion;
  gather(pointers_to(point), way.x, x);
  gather(pointers_to(point), way.motion, motion);
  ClosestLanes closest;
  find_closest(kind, x, closest);
  const auto find_ways = [&] {
    return first_safe_ways(first_count_of(kind), x.vertex, motion.vertex, closest, reach.offset, kWatchedCcd);
  };
  SafeWayLanes safe = find_ways();
  if (!math::all(safe.least_gap > reach.distance) && find_own_reaches(surface_, kind, pair, point, reach))
    safe = find_ways();
  const Lanes least = closest.distance() - kDistanceError * sizes_of(x);
  for (int l = 0; l < count; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const double bound = least[l] + sum_of(point[at], path_);
    if (safe.least_gap[l] > reach.distance[l]) {
      room_[candidates[at]] = static_cast<float>((1 - 1e-6) * bound - kRoom * (reach.offset[l] + reach.distance[l]));
    } else {
      piece.arrivals.push_back({candidates[at], reach.of[at], bound, safe.fraction[l]});
    }
  }
}

void WatchedPairs::take_arrivals(const Piece& piece, int first) {
  for (std::size_t k = 0; k < piece.arrivals.size(); ++k) {
    const Arrival& arrival = piece.arrivals[k];
    WatchedPair& watched = watched_[static_cast<std::size_t>(first) + k];
    watched.pair = detection_.pairs()[arrival.candidate];
    watched.point = points_of(surface_, watched.pair);
    watched.measured = arrival_;
    watched.bound = arrival.bound;
    watched.reach = arrival.reach;
    watched.area = area_of(surface_, watched.pair);
    watched.parallel = parallel_threshold(surface_, watched.pair.kind, watched.point);
    watched_of_[arrival.candidate] = first + static_cast<int>(k);
  }
}

// --- Those that have ---

void WatchedPairs::pass_watched(int begin, int end, const Way& way, Piece& piece) {
  for (std::vector<int>* list : {&piece.near, &piece.close}) list->clear();
  piece.dangers.clear();
  for (int i = begin; i < end; ++i) {
    const WatchedPair& w = watched_[i];
    if (!(w.bound - sum_of(w.point, far_end_) > kRoom * (w.reach.offset + w.reach.distance))) piece.close.push_back(i);
  }
  for_groups_of_four(
      piece.close, [&](int pair) { return watched_[pair].pair.kind; },
      [&](PairKind kind, const std::array<int, 4>& pairs, int n) { pass_close(kind, pairs, n, way, piece); },
      [](int) {});
}

// Most ways are short against the gaps, and need no more than the distance.
void WatchedPairs::pass_close(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way, Piece& piece) {
  std::array<const std::array<int, 4>*, 4> point;
  ReachLanes reach;
  double come[4], bound[4];  // m
  for (std::size_t l = 0; l < 4; ++l) {
    const WatchedPair& w = watched_[pairs[l]];
    point[l] = &w.point;
    reach.of[l] = w.reach;
    come[l] = sum_of(w.point, path_);
    bound[l] = w.bound - come[l];
  }
  PairLanes x, motion;
  gather(point, way.motion, motion);
  const Lanes between = motions_between(kind, motion);
  const auto is_safe = [&](int l) {
    return is_motion_too_small(bound[l], between[l], reach.of[static_cast<std::size_t>(l)].offset, kWatchedCcd);
  };
  const auto is_near = [&](int l) {
    const PairReach& r = reach.of[static_cast<std::size_t>(l)];
    return !(bound[l] - between[l] > r.offset + r.distance);
  };
  bool is_unknown = false, is_unsafe = false;
  for (int l = 0; l < 4; ++l) {
    is_unsafe = is_unsafe || !is_safe(l);
    is_unknown = is_unknown || (watched_[pairs[l]].measured != arrival_ && is_near(l));
  }
  SafeWayLanes safe{lanes_of(1), Lanes{}};
  if (is_unknown || is_unsafe) {
    ClosestLanes closest;
    gather(point, way.x, x);
    find_closest(kind, x, closest);
    note_distances(pairs, count, x, closest.distance());
    for (int l = 0; l < count; ++l) bound[l] = watched_[pairs[l]].bound - come[l];
    if (is_unsafe) {
      reach.spread();
      safe = first_safe_ways(first_count_of(kind), x.vertex, motion.vertex, closest, reach.offset, kWatchedCcd);
    }
  }
  for (int l = 0; l < count; ++l) {
    if (is_near(l) && !(safe.least_gap[l] > reach.of[static_cast<std::size_t>(l)].distance))
      piece.near.push_back(pairs[l]);
    if (!is_safe(l) && safe.fraction[l] < 1) piece.dangers.push_back({safe.fraction[l], pairs[l]});
  }
}

// The height above a plane that does not turn is linear along the way.
double WatchedPairs::pass_planes(const Way& way) {
  const std::vector<Candidate>& pairs = detection_.pairs();
  const int first = detection_.meshed_count(), count = static_cast<int>(pairs.size()) - first;
  watched_.resize(static_cast<std::size_t>(met_count_) + static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) near_.push_back(met_count_ + i);
  return -parallel_max(count, -1, [&](int begin, int end) {
    double safe = 1;
    for (int i = begin; i < end; ++i) {
      WatchedPair& w = watched_[met_count_ + i];
      w = {};
      w.pair = pairs[first + i];
      w.point = points_of(surface_, w.pair);
      w.reach = reach_of_bodies(surface_, w.pair.kind, w.point, distance_);
      w.area = area_of(surface_, w.pair);
      const Vec3& normal = surface_.planes[w.pair.second].normal;
      const double height = normal.dot(way.x[w.point[0]] - way.x[w.point[1]]) - w.reach.offset;
      const double change = normal.dot(way.motion[w.point[0]] - way.motion[w.point[1]]);
      if (!(height > 0 && std::isfinite(change))) {
        safe = 0;
      } else if (height + change < kKeptOfGap * height) {
        safe = std::min(safe, (1 - kKeptOfGap) * height / -change);
      }
    }
    return -safe;
  });
}

double WatchedPairs::exact_fraction(const WatchedPair& w, const Way& way) const {
  const FourPoints from = contact::gather(w.point, way.x), along = contact::gather(w.point, way.motion);
  return w.pair.kind == PairKind::edges ? safe_fraction_edges(from, along, w.reach.offset, kWatchedCcd)
                                        : safe_fraction_point_triangle(from, along, w.reach.offset, kWatchedCcd);
}

// No exact fraction is less than what is proven: where that is more than the least so far, nothing is to be gained. The pair
// with the least proof comes first, and leaves few of the others.
double WatchedPairs::least_fraction(const Way& way, double safe) {
  const auto is_less = [](const Danger& a, const Danger& b) {
    return a.fraction < b.fraction || (a.fraction == b.fraction && a.pair < b.pair);
  };
  constexpr std::size_t kBatch = 64;
  for (std::size_t count = 1; !dangers_.empty(); count = kBatch) {
    const auto rest = dangers_.begin() + static_cast<std::ptrdiff_t>(std::min(count, dangers_.size()));
    if (count == 1) {
      // Many, as good as random: the least of them without branches.
      double least = dangers_.front().fraction;
      for (const Danger& d : dangers_) least = d.fraction < least ? d.fraction : least;
      std::iter_swap(dangers_.begin(), std::find_if(dangers_.begin(), dangers_.end(),
                                                    [&](const Danger& d) { return d.fraction == least; }));
    } else {
      std::nth_element(dangers_.begin(), rest - 1, dangers_.end(), is_less);
    }
    parallel_for(static_cast<int>(rest - dangers_.begin()), 8, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) dangers_[i].fraction = exact_fraction(watched_[dangers_[i].pair], way);
    });
    for (auto done = dangers_.begin(); done != rest; ++done) safe = std::min(safe, done->fraction);
    dangers_.erase(std::remove_if(rest, dangers_.end(), [&](const Danger& d) { return d.fraction >= safe; }),
                   dangers_.end());
    dangers_.erase(dangers_.begin(), rest);
  }
  return safe;
}

std::size_t WatchedPairs::memory_bytes() const {
  std::size_t bytes = detection_.pairs().capacity() * sizeof(Candidate) + watched_.capacity() * sizeof(WatchedPair) +
                      (near_.capacity() + watched_of_.capacity()) * sizeof(int) + room_.capacity() * sizeof(float) +
                      dangers_.capacity() * sizeof(Danger) + ways_.capacity() * sizeof(PointWay);
  for (const std::vector<Piece>* pieces : {&pieces_, &watched_pieces_}) {
    for (const Piece& piece : *pieces)
      bytes += (piece.near.capacity() + piece.doubtful.capacity() + piece.close.capacity()) * sizeof(int) +
               piece.dangers.capacity() * sizeof(Danger) + piece.arrivals.capacity() * sizeof(Arrival);
  }
  return bytes;
}

}  // namespace pliant::contact
