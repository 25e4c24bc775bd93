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

void WatchedPairs::note_distance(int pair, const FourPoints& x, double distance) {
  WatchedPair& watched = watched_[pair];
  if (watched.pair.kind == PairKind::point_plane) return;
  watched.bound = distance - kDistanceError * size_of(x) + sum_of(watched.point, path_);
  watched.measured = arrival_;
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
WatchedPairs::Passing WatchedPairs::pass_plane(const WatchedPair& w, std::span<const Vec3> x,
                                               std::span<const Vec3> way) const {
  const Vec3& normal = surface_.planes[w.pair.second].normal;
  const double height = normal.dot(x[w.point[0]] - x[w.point[1]]) - w.reach.offset;
  const double change = normal.dot(way[w.point[0]] - way[w.point[1]]);
  if (!(height > 0 && std::isfinite(change))) return {0, true};
  return {height + change >= kKeptOfGap * height ? 1 : (1 - kKeptOfGap) * height / -change, true};
}

WatchedPairs::Passing WatchedPairs::pass(WatchedPair& w, std::span<const Vec3> x, std::span<const Vec3> way) const {
  if (w.pair.kind == PairKind::point_plane) {
    know(w);
    return pass_plane(w, x, way);
  }
  const PairReach of_bodies = w.is_known ? w.reach : reach_of_bodies(surface_, w.pair.kind, w.point, distance_);
  const double apart_from = kRoom * (of_bodies.offset + of_bodies.distance);
  const double far_end = sum_of(w.point, far_end_);
  if (w.bound - far_end > apart_from) return {};
  if (!std::isfinite(far_end)) return {0, true};

  const FourPoints from = gather(w.point, x), motion = gather(w.point, way);
  FourPoints to;
  for (std::size_t j = 0; j < 4; ++j) to[j] = from[j] + motion[j];
  const double come = sum_of(w.point, path_);
  // Not yet measured here: the line between the middles tells of most that they stay apart.
  const double apart_along = distance_along_middles(w.pair.kind, from, to);
  if (apart_along > apart_from) {
    w.bound = std::max(w.bound, apart_along + come);
    return {};
  }
  if (!w.is_known) know(w);

  const bool are_edges = w.pair.kind == PairKind::edges;
  const double between = motion_between(motion, are_edges ? 2 : 1);
  const CcdOptions options{.kept = kKeptOfGap};
  // Most ways are short against the gaps, and need no more than the distance.
  const auto is_safe = [&] { return is_motion_too_small(w.bound - come, between, w.reach.offset, options); };
  const auto is_near = [&] { return !(w.bound - come - between > w.reach.offset + w.reach.distance); };
  if (w.measured != arrival_ && (is_near() || !is_safe())) {
    w.bound = closest_of(w.pair.kind, from).distance() - kDistanceError * size_of(from) + come;
    w.measured = arrival_;
  }
  if (is_safe()) return {1, is_near()};
  const SafeWay safe = are_edges ? safe_way_edges(from, motion, w.reach.offset, options)
                                 : safe_way_point_triangle(from, motion, w.reach.offset, options);
  return {safe.fraction, !(safe.least_gap > w.reach.distance)};
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
    for (int p = begin; p < end; ++p) {
      Piece& piece = pieces_[p];
      piece.near.clear();
      piece.safe = 1;
      for (int i = p * kWatchedGrain; i < std::min(count, (p + 1) * kWatchedGrain); ++i) {
        const Passing passing = pass(watched_[i], x, way);
        piece.safe = std::min(piece.safe, passing.safe);
        if (passing.is_near) piece.near.push_back(i);
      }
    }
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
  for (const Piece& piece : pieces_) bytes += piece.near.capacity() * sizeof(int);
  return bytes;
}

}  // namespace pliant::contact
