#include "pliant/contact/projected_contact.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "pliant/contact/ccd/ccd.h"
#include "pliant/contact/pair_measures.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

// Of an overlap beyond the slop at the start of a step, what a step takes away.
constexpr double kRecovered = 0.2;
// Of its gap, or of the contact distance where that is less: what a pair keeps where its geometry is taken.
constexpr double kKeptBeforeTouch = 0.1;
// Of the contact distance: how far apart surfaces come to rest.
constexpr double kRestGap = 0.5;
// Slop: of the contact distance, of a grain's radius, of half the least extent of a rigid body.
constexpr double kSlopOfDistance = 0.1, kSlopOfRadius = 0.01, kSlopOfExtent = 0.01;
// How often ways that cross are shortened; in the last passes to nothing, from where nothing crosses.
constexpr int kShortenings = 8, kLastShortenings = 4;
// Of half a body's least extent: contacts of one that goes less far in a step need not be looked for again.
constexpr double kFarOfExtent = 0.1;
// Of the largest radius: how far apart grains count as neighbours.
constexpr double kGrainReach = 0.2;
constexpr int kPiecesAtATime = 128;  // one takes about 100 ns

// Per body: whether its surface has a border, as cloth has.
std::vector<unsigned char> find_sheets(const ContactSurface& surface) {
  std::map<std::array<int, 2>, int> sides;  // triangles per edge
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k) ++sides[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}];
  }
  std::vector<unsigned char> is_sheet(static_cast<std::size_t>(surface.body_count()), 0);
  for (const auto& [edge, count] : sides) {
    if (count == 1) is_sheet[static_cast<std::size_t>(surface.body_of_point[edge[0]])] = 1;
  }
  return is_sheet;
}

// A number for a point of a manifold, the same in the next step: the first body, then a mixture of the rest, 44 bits in which
// two are hardly ever equal. What is found body by body is nearly sorted by it.
std::uint64_t key_of(int first_body, int second_body, std::uint32_t feature) {
  std::uint64_t x = static_cast<std::uint64_t>(second_body) << 32 | feature;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return static_cast<std::uint64_t>(first_body) << 44 | x >> 20;
}

// A pair that comes together.
struct Impact {
  double gap = 0;       // m, at the start of the step
  double approach = 0;  // m/s, v, there
  double pull = 0;      // m/s², a, what draws it together
};

// m/s, the speed u at the end of a step with restitution e. Energy per mass at the end is e² times that at the touch, and no
// more, though the pair has come a way h u apart by then:
//   u²/2 + a (gap + h u) = e² (v²/2 + a gap),    u ≤ e v
// With u = e v alone a ball gains m g h v in an impact with e = 1.
double rebound(const Impact& impact, double restitution, double step) {
  const double fast = restitution * impact.approach, pulled = impact.pull * step;
  const double lost = 2 * (1 - restitution * restitution) * impact.pull * std::max(impact.gap, 0.0);
  const double square = pulled * pulled + fast * fast - lost;
  // Too little to come back to where the step began: to the surface in this step, and off it in the next.
  if (square < pulled * pulled) return -impact.gap / step;
  return std::min(fast, std::sqrt(square) - pulled);
}

// The last pair of the same points; known: keys and numbers, in order. −1: none.
int find_known(std::span<const std::pair<std::uint64_t, std::size_t>> known, std::uint64_t key) {
  const auto after = std::upper_bound(known.begin(), known.end(), std::pair(key, SIZE_MAX));
  return after != known.begin() && (after - 1)->first == key ? static_cast<int>((after - 1)->second) : -1;
}

}  // namespace

ProjectedContact::ProjectedContact(std::shared_ptr<const ContactSurface> surface, const ContactOptions& common,
                                   const ProjectedOptions& options, std::vector<RigidFrame> rigids,
                                   std::vector<ContactPiece> pieces)
    : surface_(std::move(surface)),
      common_(common),
      options_(options),
      rigids_(std::move(rigids)),
      rigid_points_(surface_->points.size()),
      pieces_(std::move(pieces)),
      piece_of_body_(static_cast<std::size_t>(surface_->body_count()), -1),
      is_sheet_(find_sheets(*surface_)),
      margins_(surface_->margins(common_.distance)),
      detection_(*surface_),
      outward_(*surface_) {
  int meshes = 0, moving = 0;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    piece_of_body_[static_cast<std::size_t>(pieces_[p].body)] = static_cast<int>(p);
    meshes += pieces_[p].mesh ? 1 : 0;
    moving += pieces_[p].rigid >= 0 ? 1 : 0;
  }
  int others = 0;  // bodies with points that are not rigid
  for (int i = 0; i < surface_->first_obstacle_point; ++i)
    others += piece_of_body_[static_cast<std::size_t>(surface_->body_of_point[i])] < 0 ? 1 : 0;
  is_rigid_only_ = moving > 0 && others == 0 && meshes <= 1;
  std::map<int, int> rigid_of_block;  // by the block of its centre
  for (std::size_t k = 0; k < rigids_.size(); ++k) rigid_of_block[rigids_[k].centre] = static_cast<int>(k);
  for (std::size_t i = 0; i < surface_->points.size(); ++i) {
    if (!surface_->grain_radius.empty() && surface_->grain_radius[i] > 0) grains_.push_back(static_cast<int>(i));
    const MappedPoint& point = surface_->points[i];
    const auto found = point.count == 4 ? rigid_of_block.find(point.block[0]) : rigid_of_block.end();
    if (found == rigid_of_block.end()) continue;
    rigid_points_[i] = {found->second, rigids_[static_cast<std::size_t>(found->second)].length *
                                           Vec3(point.weight[1], point.weight[2], point.weight[3])};
  }
}

const ProjectedPairs& ProjectedContact::find(const ProjectedStep& step) {
  pairs_.clear();
  places_.clear();
  if (!is_rigid_only_) {
    place_points(*surface_, step.controls, step.before, 0, x_);
    set_ways(step.controls, step.target);
    find_fixed_points(*surface_, step.controls, is_fixed_);
    detection_.find(x_, end_, common_.distance, is_fixed_, true);
    spare_.clear();
    for (const Candidate& candidate : detection_.pairs()) {
      spare_.push_back(add_pair(candidate, step, Wanted::near));
      end_group();
    }
    target_.clear();
  }
  if (!pieces_.empty()) add_manifolds(step);
  if (!grains_.empty()) add_grains(step);
  return pairs_;
}

void ProjectedContact::set_ways(const Controls& controls, const BlockVector& q) {
  place_points(*surface_, controls, q, 1, end_);
  way_.resize(x_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) way_[i] = end_[i] - x_[i];
}

// m: how much nearer the sides of a candidate may be on these ways than on those to the target, at most.
double ProjectedContact::detour(const Candidate& candidate) const {
  const std::array<int, 4> point = points_of(*surface_, candidate);
  const std::size_t split = candidate.kind == PairKind::edges ? 2 : 1;
  double squares[2] = {0, 0};
  for (std::size_t j = 0; j < 4; ++j) {
    if (point[j] < 0) continue;
    double& most = squares[j < split ? 0 : 1];
    most = std::max(most, (end_[point[j]] - target_[point[j]]).squaredNorm());
  }
  return std::sqrt(squares[0]) + std::sqrt(squares[1]);
}

std::span<const MetPair> ProjectedContact::find_more(const ProjectedStep& step, const BlockVector& q) {
  met_.clear();
  meet_manifolds(step, q);
  if (!is_rigid_only_) meet_others(step, q);
  return met_;
}

void ProjectedContact::meet_others(const ProjectedStep& step, const BlockVector& q) {
  if (target_.empty()) target_ = end_;
  set_ways(step.controls, q);
  if (detection_.find_touching(x_, end_)) spare_.assign(detection_.pairs().size(), 0);
  spare_.resize(detection_.pairs().size(), 0);
  std::vector<std::pair<std::uint64_t, std::size_t>> known;
  for (std::size_t i = 0; i < pairs_.pairs.size(); ++i) known.emplace_back(pairs_.pairs[i].key, i);
  std::sort(known.begin(), known.end());
  for (std::size_t c = 0; c < detection_.pairs().size(); ++c) {
    const Candidate& candidate = detection_.pairs()[c];
    if (spare_[c] > 0 && spare_[c] > detour(candidate)) continue;
    // Grains are so small and so many that some are always pushed somewhere else.
    if (surface_->has_loose_points(surface_->body_of_point[points_of(*surface_, candidate)[0]])) continue;
    const int old = find_known(known, candidate.key());
    // A half-space has one direction: what it leads out already needs no other.
    if (old >= 0 && candidate.kind == PairKind::point_plane && is_outside(pairs_.pairs[old], q)) continue;
    const std::size_t count = pairs_.pairs.size();
    add_pair(candidate, step, Wanted::touching);
    if (pairs_.pairs.size() == count) continue;
    if (old >= 0 && !is_worth_replacing(pairs_.pairs[old], q)) {
      pairs_.pairs.pop_back();
      places_.pop_back();
      continue;
    }
    end_group();
    met_.push_back({static_cast<int>(count), old});
  }
}

// A contact that is crossed all the same: on the way that it takes it has another direction, or the budget ran out. The latter is
// left to the next steps, but for sheets: without another round, which begins with the forces of this one, a cloth that a box of
// 10 m/s takes along in steps of 2 ms crosses it in 44 places, with it nowhere. Among solids it would double the work.
bool ProjectedContact::is_worth_replacing(const ProjectedPair& pair, const BlockVector& q) const {
  const bool has_sheet = is_sheet_[static_cast<std::size_t>(pair.first_body)] != 0 ||
                         is_sheet_[static_cast<std::size_t>(pair.second_body)] != 0;
  return has_sheet || is_outside(pair, q);
}

// At q, but for half of the way to where surfaces touch.
bool ProjectedContact::is_outside(const ProjectedPair& pair, const BlockVector& q) const {
  return pair.normal.dot(separation(pair, q) + pair.scripted) - pair.offset > -kRestGap * pair.distance;
}

// What part of its way a pair of soft or resting surfaces has before it, 1 for all others.
double ProjectedContact::free_way(const Candidate& candidate) const {
  if (candidate.kind != PairKind::edges && candidate.kind != PairKind::point_triangle) return 1;
  const std::array<int, 4> point = points_of(*surface_, candidate);
  for (const int i : point) {
    const bool is_scripted = surface_->points[i].count == 0;
    if (rigid_points_[i].rigid >= 0 || (is_scripted && way_[i] != Vec3::Zero())) return 1;
  }
  if (surface_->has_loose_points(surface_->body_of_point[point[0]])) return 1;  // grains are spheres
  const FourPoints from = gather(point, x_), motion = gather(point, way_);
  const bool are_edges = candidate.kind == PairKind::edges;
  if (closest_of(candidate.kind, from).distance() == 0) return 1;  // crossed before
  return are_edges ? safe_fraction_edges(from, motion, 0) : safe_fraction_point_triangle(from, motion, 0);
}

bool ProjectedContact::keep_apart(const ProjectedStep& step, BlockVector& q) {
  if (is_rigid_only_) return false;
  set_ways(step.controls, q);
  (void)detection_.find_touching(x_, end_);
  kept_way_.resize(static_cast<std::size_t>(q.size()));
  bool any = false;
  for (int pass = 0; pass < kShortenings + kLastShortenings; ++pass) {
    std::fill(kept_way_.begin(), kept_way_.end(), 1);
    bool crosses = false;
    for (const Candidate& candidate : detection_.pairs()) {
      const double part = free_way(candidate);
      if (part == 1) continue;
      for (const int i : points_of(*surface_, candidate)) {
        if (is_fixed_[i] != 0) continue;
        const MappedPoint& mapped = surface_->points[i];
        for (int b = 0; b < mapped.count; ++b) {
          double& kept = kept_way_[static_cast<std::size_t>(mapped.block[b])];
          kept = std::min(kept, pass < kShortenings ? part : 0);
          crosses = true;
        }
      }
    }
    if (!crosses) return any;
    any = true;
    for (int b = 0; b < q.size(); ++b) {
      const double kept = kept_way_[static_cast<std::size_t>(b)];
      if (kept < 1) q[b] = step.before[b] + kept * (q[b] - step.before[b]);
    }
    set_ways(step.controls, q);
  }
  return any;
}

void ProjectedContact::add_side(const std::array<int, 4>& point, const std::array<double, 4>& weight, int first,
                                int last, std::size_t side, ProjectedPair& pair) {
  for (int j = first; j < last; ++j) {
    const auto k = static_cast<std::size_t>(j);
    if (point[k] < 0 || weight[k] == 0) continue;
    const RigidPoint& rigid = rigid_points_[point[k]];
    const MappedPoint& mapped = surface_->points[point[k]];
    if (rigid.rigid >= 0) {
      pair.rigid[side] = rigid.rigid;
      pair.local[side] += std::abs(weight[k]) * rigid.local;
    } else if (mapped.count == 0) {
      pair.scripted += weight[k] * end_[point[k]];
      pair.before += weight[k] * x_[point[k]];
    } else {
      for (int b = 0; b < mapped.count; ++b) {
        pairs_.block.push_back(mapped.block[b]);
        pairs_.weight.push_back(weight[k] * mapped.weight[b]);
        ++pair.term_count;
      }
    }
  }
}

// What blocks contribute to r, or their velocities to its rate along the normal.
Vec3 ProjectedContact::carried(const ProjectedPair& pair, const BlockVector& q) const {
  Vec3 r = Vec3::Zero();
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) r += pairs_.weight[t] * q[pairs_.block[t]];
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] < 0) continue;
    const RigidFrame& frame = rigids_[pair.rigid[s]];
    Vec3 place = q[frame.centre];
    for (int a = 0; a < 3; ++a) place += pair.local[s][a] / frame.length * q[frame.axis(a)];
    r += kSides[s] * place;
  }
  return r;
}

// r at blocks q, without what scripts contribute.
Vec3 ProjectedContact::separation(const ProjectedPair& pair, const BlockVector& q) const {
  return carried(pair, q) + pair.round[0] - pair.round[1];
}

void ProjectedContact::set_wanted(const ProjectedStep& step, const Vec3& scripted_before, ProjectedPair& pair) const {
  const double gap = pair.normal.dot(pair.before) - pair.offset;
  pair.wanted = gap > pair.slop ? 0 : gap > -pair.slop ? gap : gap - kRecovered * (gap + pair.slop);
  if (options_.restitution == 0) return;
  const Vec3 speed = carried(pair, step.velocities) + (pair.scripted - scripted_before) / step.step;
  const double approach = -pair.normal.dot(speed);
  const double end = pair.normal.dot(separation(pair, step.target) + pair.scripted) - pair.offset;
  if (approach <= options_.slowest || end >= 0) return;
  const Impact impact{gap, approach, pull(step, pair)};
  pair.wanted = std::max(pair.wanted, gap + rebound(impact, options_.restitution, step.step) * step.step);
}

// m/s², what loads draw the two sides together with, along the normal; of rigid bodies that of their centres.
double ProjectedContact::pull(const ProjectedStep& step, const ProjectedPair& pair) const {
  const auto led = [&](int block) {
    return Vec3(step.target[block] - step.before[block] - step.step * step.velocities[block]);
  };
  Vec3 way = Vec3::Zero();
  for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t)
    way += pairs_.weight[t] * led(pairs_.block[t]);
  for (std::size_t s = 0; s < 2; ++s) {
    if (pair.rigid[s] >= 0) way += kSides[s] * led(rigids_[pair.rigid[s]].centre);
  }
  return -pair.normal.dot(way) / (step.step * step.step);
}

double ProjectedContact::add_pair(const Candidate& candidate, const ProjectedStep& step, Wanted wanted) {
  const std::array<int, 4> point = points_of(*surface_, candidate);
  const FourPoints from = gather(point, x_), motion = gather(point, way_);
  ProjectedPair pair;
  pair.first_term = static_cast<int>(pairs_.block.size());
  pair.first_body = surface_->body_of_point[point[0]];
  pair.second_body = second_body_of(*surface_, candidate.kind, point);
  pair.friction = surface_->rule(pair.first_body, pair.second_body).friction;
  pair.key = candidate.key();
  if (has_manifold(pair.first_body, pair.second_body)) return 0;
  // Grains among each other are looked for as spheres.
  if (surface_->has_loose_points(pair.first_body) && surface_->has_loose_points(pair.second_body)) return 0;
  PairReach of_bodies = reach_of_bodies(*surface_, candidate.kind, point, common_.distance);
  of_bodies.offset -= slimmer(point[0]) + slimmer(point[candidate.kind == PairKind::edges ? 2 : 1]);
  std::array<double, 4> weight{1, -1, 0, 0};
  int split = 1;  // points of the first side
  if (candidate.kind == PairKind::point_plane) {
    pair.normal = surface_->planes[candidate.second].normal;
    pair.distance = of_bodies.distance;
    pair.offset = of_bodies.offset + kRestGap * of_bodies.distance;
    const double end = pair.normal.dot(from[0] + motion[0] - from[1] - motion[1]);
    const double most = wanted == Wanted::near ? pair.offset + pair.distance : of_bodies.offset;
    if (std::min(end, pair.normal.dot(from[0] - from[1])) > most) return 0;
  } else {
    FourPoints to;
    for (std::size_t j = 0; j < 4; ++j) to[j] = from[j] + motion[j];
    const PairReach reach = reach_of(*surface_, candidate, point, of_bodies);
    pair.distance = reach.distance;
    pair.offset = reach.offset + kRestGap * reach.distance;
    const double least = distance_along_middles(candidate.kind, from, to);
    if (least > pair.offset + reach.distance) return least - reach.offset;
    const bool are_edges = candidate.kind == PairKind::edges;
    // Of the way to a touch all but a part of the contact distance, however far it is: what is not near yet is no contact.
    const double start = closest_of(candidate.kind, from).distance() - reach.offset;
    const CcdOptions options{.kept = kKeptBeforeTouch * reach.distance / std::max(start, reach.distance)};
    const double safe = are_edges ? safe_fraction_edges(from, motion, reach.offset, options)
                                  : safe_fraction_point_triangle(from, motion, reach.offset, options);
    if (wanted == Wanted::touching && safe == 1) return 0;
    FourPoints there;
    for (std::size_t j = 0; j < 4; ++j) there[j] = from[j] + safe * motion[j];
    const ClosestPoints closest = closest_of(candidate.kind, there);
    const double distance = closest.distance();
    if (!(distance > 0) || distance > pair.offset + reach.distance) return 0;
    if (are_edges) {
      // Of nearly parallel edges the end points meet their neighbours.
      const Vec3 across = (there[1] - there[0]).cross(there[3] - there[2]);
      if (across.squaredNorm() < parallel_threshold(*surface_, candidate.kind, point)) return 0;
    }
    const ContactGeometry geometry = contact_geometry(candidate.kind, there, closest);
    const Meeting meeting = outward_.meeting(candidate.kind, point, geometry.weight, geometry.normal, x_);
    // What overlaps crosses the surface on its way out.
    if (meeting == Meeting::none || (meeting == Meeting::overlap && wanted == Wanted::touching)) return 0;
    pair.normal = meeting == Meeting::overlap ? Vec3(-geometry.normal) : geometry.normal;
    weight = geometry.weight;
    split = are_edges ? 2 : 1;
  }
  pair.slop = kSlopOfDistance * pair.distance;
  add_side(point, weight, 0, split, 0, pair);
  add_side(point, weight, split, 4, 1, pair);
  const Vec3 place = candidate.kind == PairKind::edges ? Vec3(weight[0] * from[0] + weight[1] * from[1]) : from[0];
  keep(step, {place, point, weight}, pair);
  return 0;
}

void ProjectedContact::keep(const ProjectedStep& step, const Place& place, ProjectedPair& pair) {
  const Vec3 scripted_before = pair.before;
  pair.before += separation(pair, step.before);
  set_wanted(step, scripted_before, pair);
  pairs_.pairs.push_back(pair);
  places_.push_back(place);
}

// What has been kept since the last one is solved together.
void ProjectedContact::end_group() {
  const int count = static_cast<int>(pairs_.pairs.size());
  if (count > pairs_.group_start.back()) pairs_.group_start.push_back(count);
}

// --- Rigid bodies ---

// Two meshes have no manifold: their points and edges are looked at one by one, unless they are deep in each other.
bool ProjectedContact::has_manifold(int first_body, int second_body) const {
  const int a = piece_of_body_[static_cast<std::size_t>(first_body)],
            b = piece_of_body_[static_cast<std::size_t>(second_body)];
  return a >= 0 && b >= 0 && !(pieces_[static_cast<std::size_t>(a)].mesh && pieces_[static_cast<std::size_t>(b)].mesh);
}

Pose ProjectedContact::pose_of(const ContactPiece& piece, const BlockVector& q, bool is_end,
                               const Controls& controls) const {
  Mat3 turn;
  Vec3 shift;
  if (piece.rigid >= 0) {
    const RigidFrame& frame = rigids_[static_cast<std::size_t>(piece.rigid)];
    turn = rotation_of(frame, q);
    shift = q[frame.centre];
  } else {
    const ScriptedPose& pose =
        (is_end ? controls.obstacle_poses : controls.obstacle_poses_before)[static_cast<std::size_t>(piece.obstacle)];
    turn = pose.rotation;
    shift = pose.translation;
  }
  return {turn * piece.own.turn, turn * piece.own.shift + shift};
}

bool ProjectedContact::keeps_pair(const ProjectedStep& step, int i, int j) const {
  const auto is_free = [&](const ContactPiece& piece) {
    if (piece.rigid < 0) return false;
    const RigidFrame& frame = rigids_[static_cast<std::size_t>(piece.rigid)];
    const BlockFilter& filter = step.controls.filter;
    return filter.held_directions(frame.centre) < 3 || filter.held_directions(frame.axis(0)) < 3;
  };
  const ContactPiece &a = pieces_[static_cast<std::size_t>(i)], &b = pieces_[static_cast<std::size_t>(j)];
  const bool have_insides = surface_->has_inside(a.body) && surface_->has_inside(b.body);
  return (is_free(a) || is_free(b)) && (!(a.mesh && b.mesh) || have_insides) &&
         surface_->rule(a.body, b.body).is_enabled;
}

// Manifolds where bodies stand before the step, as far as they reach in it; of their points those that would come near.
void ProjectedContact::add_manifolds(const ProjectedStep& step) {
  reached_poses_.clear();
  placed_pieces_.resize(pieces_.size());
  before_poses_.resize(pieces_.size());
  end_poses_.resize(pieces_.size());
  parallel_for(static_cast<int>(pieces_.size()), kPiecesAtATime, [&](int first, int last) {
    for (int p = first; p < last; ++p) {
      const ContactPiece& piece = pieces_[p];
      before_poses_[p] = pose_of(piece, step.before, false, step.controls);
      end_poses_[p] = pose_of(piece, step.target, true, step.controls);
      // How far turning carries its points.
      const double turning = piece.size * (end_poses_[p].turn - before_poses_[p].turn).norm();
      const double margin = margins_[static_cast<std::size_t>(piece.body)];
      placed_pieces_[p] = {.shape = piece.shape ? &*piece.shape : nullptr,
                           .mesh = piece.mesh.get(),
                           .pose = before_poses_[p],
                           .reach = turning + margin,
                           .shallow = 0.5 * common_.distance,
                           .way = end_poses_[p].shift - before_poses_[p].shift};
    }
  });
  rigid_pairs_.find(placed_pieces_, [&](int i, int j) { return keeps_pair(step, i, j); });
  for (const RigidPair& found : rigid_pairs_.pairs()) {
    for (const ContactPoint& point : rigid_pairs_.points(found)) {
      ProjectedPair pair = pair_at(found, point);
      const Vec3 end = place_point(found, point, before_poses_, pair), scripted_before = pair.before;
      if (std::min(pair.normal.dot(end), point.gap) - pair.offset > common_.distance) continue;
      pair.before = point.on_a - point.on_b;
      set_wanted(step, scripted_before, pair);
      pairs_.pairs.push_back(pair);
      places_.push_back({point.on_a});
    }
    end_group();
  }
}

ProjectedPair ProjectedContact::pair_at(const RigidPair& found, const ContactPoint& point) const {
  const ContactPiece &a = pieces_[static_cast<std::size_t>(found.a)], &b = pieces_[static_cast<std::size_t>(found.b)];
  const PairRule& rule = surface_->rule(a.body, b.body);
  const double extent = a.rigid < 0 ? b.thickness : b.rigid < 0 ? a.thickness : std::min(a.thickness, b.thickness);
  ProjectedPair pair;
  pair.first_term = static_cast<int>(pairs_.block.size());
  pair.first_body = a.body;
  pair.second_body = b.body;
  pair.normal = point.normal;
  pair.offset = rule.thickness.value_or(surface_->thickness[a.body] + surface_->thickness[b.body]);
  pair.distance = common_.distance;
  pair.slop = kSlopOfExtent * extent;
  pair.friction = rule.friction;
  pair.key = key_of(a.body, b.body, point.feature);
  return pair;
}

// Whether a piece that a solved step moves went or turned so far that another part of it may have arrived somewhere.
bool ProjectedContact::goes_far(int piece) const {
  const Pose &before = before_poses_[piece], &reached = reached_poses_[piece];
  const double way = (reached.shift - before.shift).norm() + pieces_[piece].size * (reached.turn - before.turn).norm();
  return way > kFarOfExtent * pieces_[piece].thickness;
}

// A manifold has four points at most, with the directions before the step. Of a body that goes or turns far in it another
// corner may arrive: bodies that overlap where the step ends, deeper than they did, touch there too.
void ProjectedContact::meet_manifolds(const ProjectedStep& step, const BlockVector& q) {
  const bool is_first = reached_poses_.empty();
  reached_poses_.resize(pieces_.size());
  is_looked_at_.assign(pieces_.size(), 0);
  parallel_for(static_cast<int>(pieces_.size()), kPiecesAtATime, [&](int first, int last) {
    for (int p = first; p < last; ++p) {
      const Pose reached = pose_of(pieces_[p], q, true, step.controls);
      const bool is_as_last =
          !is_first && reached.shift == reached_poses_[p].shift && reached.turn == reached_poses_[p].turn;
      reached_poses_[p] = placed_pieces_[p].pose = reached;
      placed_pieces_[p].reach = margins_[static_cast<std::size_t>(pieces_[p].body)] - 0.5 * common_.distance;
      placed_pieces_[p].way.setZero();
      is_looked_at_[p] = !is_as_last && goes_far(p) ? 1 : 0;
    }
  });
  const bool any = std::any_of(is_looked_at_.begin(), is_looked_at_.end(), [](unsigned char is) { return is != 0; });
  if (!any) return;
  reached_pairs_.find_again(rigid_pairs_, placed_pieces_, [&](int i, int j) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    return (is_looked_at_[a] != 0 || is_looked_at_[b] != 0) && !(pieces_[a].mesh && pieces_[b].mesh) &&
           keeps_pair(step, i, j);
  });
  for (const RigidPair& found : reached_pairs_.pairs()) {
    double least = 0;  // m, the deepest before the step
    if (const RigidPair* known = rigid_pairs_.find_pair(found.a, found.b)) {
      const double offset = pair_at(found, rigid_pairs_.points(*known)[0]).offset;
      for (const ContactPoint& point : rigid_pairs_.points(*known)) least = std::min(least, point.gap - offset);
    }
    for (const ContactPoint& point : reached_pairs_.points(found)) {
      ProjectedPair pair = pair_at(found, point);
      if (point.gap - pair.offset > least - pair.slop) continue;
      place_point(found, point, reached_poses_, pair);
      const Vec3 scripted_before = pair.before;
      pair.before += separation(pair, step.before);
      set_wanted(step, scripted_before, pair);
      if (least < 0) pair.wanted = std::min(pair.wanted, least);
      met_.push_back({static_cast<int>(pairs_.pairs.size())});
      pairs_.pairs.push_back(pair);
      places_.push_back({point.on_a});
    }
    end_group();
  }
}

// Where bodies and scripts carry the two points, which were found where the pieces were seen. Returns r where inertia alone
// would lead.
Vec3 ProjectedContact::place_point(const RigidPair& found, const ContactPoint& point, std::span<const Pose> seen,
                                   ProjectedPair& pair) const {
  Vec3 end = Vec3::Zero();
  for (std::size_t s = 0; s < 2; ++s) {
    const auto p = static_cast<std::size_t>(s == 0 ? found.a : found.b);
    const ContactPiece& piece = pieces_[p];
    const Vec3& place = s == 0 ? point.on_a : point.on_b;
    if (piece.rigid >= 0 && piece.shape && piece.shape->radius > 0)
      pair.round[s] = -kSides[s] * piece.shape->radius * point.normal;
    const Vec3 own = seen[p].to_own(place - pair.round[s]), there = end_poses_[p].to_world(own);
    end += kSides[s] * (there + pair.round[s]);
    if (piece.rigid >= 0) {
      pair.rigid[s] = piece.rigid;
      pair.local[s] = piece.own.to_world(own);
    } else {
      pair.before += kSides[s] * before_poses_[p].to_world(own);
      pair.scripted += kSides[s] * there;
    }
  }
  return end;
}

// --- Grains ---

// Grains that are near each other where inertia leads; their direction is the one before.
void ProjectedContact::add_grains(const ProjectedStep& step) {
  std::vector<int> absent = step.controls.to_come;
  std::sort(absent.begin(), absent.end());
  centres_.clear();
  radii_.clear();
  present_.clear();
  double largest = 0;
  for (const int i : grains_) {
    if (std::binary_search(absent.begin(), absent.end(), surface_->points[i].block[0])) continue;
    centres_.push_back(end_[i]);
    radii_.push_back(surface_->grain_radius[i]);
    present_.push_back(i);
    largest = std::max(largest, radii_.back());
  }
  const double reach = kGrainReach * largest;
  sphere_pairs_.find(centres_, radii_, reach);
  for (const auto& [a, b] : sphere_pairs_.pairs()) {
    const int i = present_[a], j = present_[b];
    ProjectedPair pair;
    pair.first_body = surface_->body_of_point[i];
    pair.second_body = surface_->body_of_point[j];
    const PairRule& rule = surface_->rule(pair.first_body, pair.second_body);
    const BlockFilter& filter = step.controls.filter;
    const bool are_held = filter.held_directions(surface_->points[i].block[0]) == 3 &&
                          filter.held_directions(surface_->points[j].block[0]) == 3;
    if (!rule.is_enabled || are_held) continue;
    Vec3 between = x_[i] - x_[j];
    if (between.isZero(0)) between = Vec3::UnitY();
    pair.normal = between.normalized();
    pair.offset = radii_[a] + radii_[b];
    pair.distance = reach;
    pair.slop = kSlopOfRadius * std::min(radii_[a], radii_[b]);
    pair.friction = rule.friction;
    pair.key = Candidate{PairKind::point_shape, i, j}.key();
    pair.first_term = static_cast<int>(pairs_.block.size());
    pair.term_count = 2;
    pairs_.block.insert(pairs_.block.end(), {surface_->points[i].block[0], surface_->points[j].block[0]});
    pairs_.weight.insert(pairs_.weight.end(), {1, -1});
    keep(step, {x_[i] - radii_[a] * pair.normal, {i, j, -1, -1}, {1, -1, 0, 0}}, pair);
    end_group();
  }
}

void ProjectedContact::finish(std::span<const ProjectedOutcome> outcomes, ForceMemory memory) {
  memory_ = std::move(memory);
  forces_.clear();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ProjectedPair& pair = pairs_.pairs[i];
    if (outcomes[i].force.isZero(0)) continue;
    forces_.push_back({pair.first_body, pair.second_body, places_[i].point, pair.normal, outcomes[i].force,
                       outcomes[i].friction, outcomes[i].slip, outcomes[i].gap, pair.distance, pair.friction,
                       common_.stick_displacement, places_[i].bearer, places_[i].share});
  }
}

ContactSummary ProjectedContact::summary() const {
  ContactSummary summary;
  for (const ContactForce& f : forces_) {
    summary.smallest_gap = summary.count == 0 ? f.gap : std::min(summary.smallest_gap, f.gap);
    summary.largest_force = std::max(summary.largest_force, f.force.norm());
    ++summary.count;
  }
  return summary;
}

std::size_t ProjectedContact::memory_bytes() const {
  return detection_.pairs().capacity() * sizeof(Candidate) + pairs_.pairs.capacity() * sizeof(ProjectedPair) +
         pairs_.block.capacity() * (sizeof(int) + sizeof(double)) + forces_.capacity() * sizeof(ContactForce);
}

}  // namespace pliant::contact
