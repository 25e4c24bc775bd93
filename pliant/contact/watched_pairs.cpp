#include "pliant/contact/watched_pairs.h"

#include <algorithm>
#include <cmath>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kWatchedGrain = 1024;
// Of the contact distance: how much farther than needed pairs are searched. More saves searches and adds pairs.
constexpr double kWatchedSlack = 1;
// Of a pair's size: closest points of slivers and nearly parallel edges may lie so far from the true ones
// (closest_points.h), with room.
constexpr double kDistanceError = 1e-7;
// Room for the rounding of what is compared with a reach.
constexpr double kRoom = 1.001;

}  // namespace

WatchedPairs::WatchedPairs(const ContactSurface& surface, double distance)
    : surface_(surface), distance_(distance), detection_(surface, kWatchedSlack * distance) {}

double WatchedPairs::sum_of(const std::array<int, 4>& point, const std::vector<double>& lengths) const {
  return lengths[point[0]] + lengths[point[1]] + lengths[point[2]] + lengths[point[3]];
}

// --- Where points are ---

void WatchedPairs::arrive(std::span<const Vec3> x) {
  if (std::equal(x.begin(), x.end(), place_.begin(), place_.end())) return;
  ++arrival_;
  parallel_for(static_cast<int>(x.size()), 4 * kWatchedGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      path_[i] += (x[i] - place_[i]).norm();
      place_[i] = x[i];
    }
  });
}

void WatchedPairs::note_distances(const std::array<int, 4>& pairs, int count, const PairLanes& x,
                                  math::Lanes distance) {
  const math::Lanes least = distance - kDistanceError * sizes_of(x);
  for (int l = 0; l < count; ++l) {
    WatchedPair& watched = watched_[pairs[l]];
    watched.bound = least[l] + sum_of(watched.point, path_);
    watched.measured = arrival_;
  }
}

// --- A way ---

// Those with planes are new in any case.
void WatchedPairs::take_pairs(bool is_searched) {
  const std::vector<Candidate>& pairs = detection_.pairs();
  const std::size_t kept = is_searched ? 0 : static_cast<std::size_t>(detection_.meshed_count());
  watched_.resize(pairs.size());
  parallel_for(static_cast<int>(pairs.size() - kept), 4 * kWatchedGrain, [&](int begin, int end) {
    for (std::size_t i = kept + begin; i < kept + end; ++i) {
      watched_[i] = {};
      watched_[i].pair = pairs[i];
      watched_[i].point = points_of(surface_, pairs[i]);
    }
  });
}

void WatchedPairs::know(WatchedPair& w) const {
  const PairReach of_bodies = reach_of_bodies(surface_, w.pair.kind, w.point, distance_);
  w.reach = w.pair.kind == PairKind::point_plane ? of_bodies : reach_of(surface_, w.pair, w.point, of_bodies);
  w.area = area_of(surface_, w.pair);
  w.parallel = parallel_threshold(surface_, w.pair.kind, w.point);
  w.is_known = true;
}

// The height above a plane that does not turn is linear along the way.
void WatchedPairs::pass_plane(int pair, const Way& way, Piece& piece) {
  WatchedPair& w = watched_[pair];
  know(w);
  const Vec3& normal = surface_.planes[w.pair.second].normal;
  const double height = normal.dot(way.x[w.point[0]] - way.x[w.point[1]]) - w.reach.offset;
  const double change = normal.dot(way.motion[w.point[0]] - way.motion[w.point[1]]);
  piece.near.push_back(pair);
  if (!(height > 0 && std::isfinite(change))) {
    piece.safe = 0;
  } else if (height + change < kKeptOfGap * height) {
    piece.safe = std::min(piece.safe, (1 - kKeptOfGap) * height / -change);
  }
}

namespace {

std::array<const std::array<int, 4>*, 4> points_of(const std::vector<WatchedPair>& watched,
                                                   const std::array<int, 4>& pairs) {
  return {&watched[pairs[0]].point, &watched[pairs[1]].point, &watched[pairs[2]].point, &watched[pairs[3]].point};
}

}  // namespace

void WatchedPairs::keep_apart(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way,
                              std::vector<int>& rest) {
  const auto point = points_of(watched_, pairs);
  PairLanes x, motion;
  gather(point, way.x, x);
  gather(point, way.motion, motion);
  const math::Lanes apart = distances_along_middles(kind, x, motion);
  for (int l = 0; l < count; ++l) {
    WatchedPair& w = watched_[pairs[l]];
    if (!w.is_known) w.reach = reach_of_bodies(surface_, kind, w.point, distance_);
    if (apart[l] > kRoom * (w.reach.offset + w.reach.distance)) {
      w.bound = std::max(w.bound, apart[l] + sum_of(w.point, path_));
    } else {
      rest.push_back(pairs[l]);
    }
  }
}

// Most ways are short against the gaps, and need no more than the distance.
void WatchedPairs::pass_close(PairKind kind, const std::array<int, 4>& pairs, int count, const Way& way, Piece& piece) {
  const auto point = points_of(watched_, pairs);
  PairLanes x, motion;
  gather(point, way.motion, motion);
  const math::Lanes between = motions_between(kind, motion);
  const CcdOptions options{.kept = kKeptOfGap};
  const auto is_safe = [&](const WatchedPair& w, double bound, int l) {
    return is_motion_too_small(bound, between[l], w.reach.offset, options);
  };
  const auto is_near = [&](const WatchedPair& w, double bound, int l) {
    return !(bound - between[l] > w.reach.offset + w.reach.distance);
  };
  double come[4];  // m
  bool is_unknown = false;
  for (int l = 0; l < count; ++l) {
    WatchedPair& w = watched_[pairs[l]];
    if (!w.is_known) know(w);
    come[l] = sum_of(w.point, path_);
    const double bound = w.bound - come[l];
    is_unknown = is_unknown || (w.measured != arrival_ && (is_near(w, bound, l) || !is_safe(w, bound, l)));
  }
  if (is_unknown) {
    ClosestLanes closest;
    gather(point, way.x, x);
    find_closest(kind, x, closest);
    note_distances(pairs, count, x, closest.distance());
  }
  for (int l = 0; l < count; ++l) {
    const WatchedPair& w = watched_[pairs[l]];
    const double bound = w.bound - come[l];
    if (is_safe(w, bound, l)) {
      if (is_near(w, bound, l)) piece.near.push_back(pairs[l]);
      continue;
    }
    const FourPoints from = contact::gather(w.point, way.x), along = contact::gather(w.point, way.motion);
    const SafeWay safe = kind == PairKind::edges ? safe_way_edges(from, along, w.reach.offset, options)
                                                 : safe_way_point_triangle(from, along, w.reach.offset, options);
    piece.safe = std::min(piece.safe, safe.fraction);
    if (!(safe.least_gap > w.reach.distance)) piece.near.push_back(pairs[l]);
  }
}

void WatchedPairs::pass_all(int begin, int end, const Way& way, Piece& piece) {
  piece.safe = 1;
  for (std::vector<int>* list : {&piece.near, &piece.doubtful, &piece.close}) list->clear();
  for (int i = begin; i < end; ++i) {
    const WatchedPair& w = watched_[i];
    if (w.pair.kind == PairKind::point_plane) {
      piece.doubtful.push_back(i);
      continue;
    }
    const double far_end = sum_of(w.point, far_end_);
    if (w.bound - far_end > kRoom * (w.reach.offset + w.reach.distance)) continue;
    if (std::isfinite(far_end)) {
      piece.doubtful.push_back(i);
    } else {
      piece.safe = 0;
      piece.near.push_back(i);
    }
  }
  const auto kind_of = [&](int pair) { return watched_[pair].pair.kind; };
  for_groups_of_four(
      piece.doubtful, kind_of,
      [&](PairKind kind, const std::array<int, 4>& pairs, int n) { keep_apart(kind, pairs, n, way, piece.close); },
      [&](int pair) { piece.close.push_back(pair); });
  for_groups_of_four(
      piece.close, kind_of,
      [&](PairKind kind, const std::array<int, 4>& pairs, int n) { pass_close(kind, pairs, n, way, piece); },
      [&](int pair) { pass_plane(pair, way, piece); });
}

double WatchedPairs::follow(std::span<const Vec3> x, std::span<const Vec3> way, std::span<const unsigned char> is_fixed,
                            bool is_new) {
  if (is_new) {
    place_.assign(x.begin(), x.end());
    path_.assign(x.size(), 0);
  }
  arrive(x);
  far_end_.resize(x.size());
  end_.resize(x.size());
  parallel_for(static_cast<int>(x.size()), 4 * kWatchedGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      end_[i] = x[i] + way[i];
      far_end_[i] = path_[i] + way[i].norm();
    }
  });
  take_pairs(detection_.find(x, end_, distance_, is_fixed, is_new));

  const int count = static_cast<int>(watched_.size()), pieces = (count + kWatchedGrain - 1) / kWatchedGrain;
  pieces_.resize(std::max(pieces_.size(), static_cast<std::size_t>(pieces)));
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p)
      pass_all(p * kWatchedGrain, std::min(count, (p + 1) * kWatchedGrain), {x, way}, pieces_[p]);
  });
  near_.clear();
  double safe = 1;
  for (int p = 0; p < pieces; ++p) {
    near_.insert(near_.end(), pieces_[p].near.begin(), pieces_[p].near.end());
    safe = std::min(safe, pieces_[p].safe);
  }
  return safe;
}

std::size_t WatchedPairs::memory_bytes() const {
  std::size_t bytes = detection_.pairs().capacity() * sizeof(Candidate) + watched_.capacity() * sizeof(WatchedPair) +
                      near_.capacity() * sizeof(int);
  for (const Piece& piece : pieces_)
    bytes += (piece.near.capacity() + piece.doubtful.capacity() + piece.close.capacity()) * sizeof(int);
  return bytes;
}

}  // namespace pliant::contact
