#include "pliant/contact/contact_potential.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/barrier.h"
#include "pliant/contact/ccd/ccd.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr double kParallelEdges = 1e-3;  // sin² of the angle below which edges count as nearly parallel
constexpr int kGrain = 1024;
// A step goes at most this part of the way to a touch: what is left keeps the barrier finite.
constexpr double kKeptOfGap = 0.2;
// Of a contact's slide in a step: its stick displacement, if that is longer than the one asked for.
constexpr double kStickOfSlide = 0.1;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

ContactPotential::ContactPotential(std::shared_ptr<const ContactSurface> surface, const ContactOptions& options)
    : surface_(std::move(surface)), options_(options), detection_(*surface_) {
  const ContactSurface& s = *surface_;
  std::vector<double> shortest(static_cast<std::size_t>(s.body_count()), kUnbounded);
  for (const auto& [a, b] : s.edges) {
    double& length = shortest[static_cast<std::size_t>(s.body_of_point[a])];
    length = std::min(length, (s.rest_points[a] - s.rest_points[b]).norm());
  }
  for (int b = 0; b < s.body_count(); ++b) {
    const double reach = 2 * s.thickness[b] + options_.distance;
    has_small_features_.push_back(shortest[b] < 4 * reach ? 1 : 0);
    longest_reach_ = std::max(longest_reach_, reach);
  }
}

// --- Positions and pairs ---

void ContactPotential::place(const BlockVector& q, double progress, std::vector<Vec3>& x) const {
  const ContactSurface& s = *surface_;
  x.resize(s.points.size());
  parallel_for(s.first_obstacle_point, 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) x[i] = s.points[i].evaluate(q);
  });
  const std::vector<Vec3>&was = controls_->obstacle_before, &will = controls_->obstacle_points;
  for (std::size_t i = 0; i < will.size(); ++i)
    x[s.first_obstacle_point + i] = progress == 1 ? will[i] : Vec3(was[i] + progress * (will[i] - was[i]));
}

ContactPotential::Plane ContactPotential::plane_at(int plane, double progress) const {
  const RigidPlane &was = controls_->plane_before[plane], &will = controls_->planes[plane];
  const Vec3 normal = was.normal + progress * (will.normal - was.normal);
  return {was.point + progress * (will.point - was.point), normal.normalized()};
}

FourPoints ContactPotential::gather(const std::array<int, 4>& point, std::span<const Vec3> x) const {
  FourPoints four;
  for (std::size_t j = 0; j < 4; ++j)
    four[j] = point[j] < 0 ? Vec3(Vec3::Zero()) : x[static_cast<std::size_t>(point[j])];
  return four;
}

ClosestPoints ContactPotential::closest_of(const Candidate& pair, const FourPoints& x) const {
  return pair.kind == PairKind::edges ? closest_edges(x[0], x[1], x[2], x[3])
                                      : closest_point_triangle(x[0], x[1], x[2], x[3]);
}

// Parts of one body that are near each other at rest (a rod's neighbouring segments, a fine mesh) reach only half of that
// way, so that nothing pushes at rest.
ContactPotential::Reach ContactPotential::reach_of(const Candidate& pair, const std::array<int, 4>& point) const {
  const ContactSurface& s = *surface_;
  const int first = s.body_of_point[point[0]];
  if (pair.kind == PairKind::point_plane)
    return {s.thickness[first] + s.thickness[s.planes[pair.second].body], options_.distance};
  const int second = s.body_of_point[point[2]];
  Reach reach{s.thickness[first] + s.thickness[second], options_.distance};
  if (first != second || has_small_features_[first] == 0) return reach;
  const double rest = closest_of(pair, gather(point, s.rest_points)).distance();
  const double wanted = 2 * (reach.offset + reach.distance);
  if (rest < wanted && rest > 0) {
    reach.offset *= rest / wanted;
    reach.distance *= rest / wanted;
  }
  return reach;
}

double ContactPotential::area_of(const Candidate& pair) const {
  const ContactSurface& s = *surface_;
  switch (pair.kind) {
    case PairKind::edges:
      return std::min(s.edge_area[pair.first], s.edge_area[pair.second]);
    case PairKind::point_triangle:
      return s.point_area[pair.first] > 0 ? std::min(s.point_area[pair.first], s.triangle_area[pair.second])
                                          : s.triangle_area[pair.second];
    default:
      return s.point_area[pair.first];
  }
}

// --- A step ---

void ContactPotential::begin_step(const BlockVector& before, const Controls& controls, double pressure,
                                  const StickMemory& memory, const BlockVector* expected, double resolution) {
  const ContactSurface& s = *surface_;
  controls_ = &controls;
  pressure_ = pressure;
  resolution_ = resolution;
  memory_ = memory;
  place(before, 0, before_);
  is_fixed_.assign(s.points.size(), 1);
  for (int i = 0; i < s.first_obstacle_point; ++i) {
    for (int k = 0; k < s.points[i].count; ++k) {
      if (controls.filter.held_directions(s.points[i].block[k]) < 3) is_fixed_[i] = 0;
    }
  }
  obstacle_way_squared_ = 0;
  for (std::size_t i = 0; i < controls.obstacle_points.size(); ++i)
    obstacle_way_squared_ += (controls.obstacle_points[i] - controls.obstacle_before[i]).squaredNorm();
  for (std::size_t p = 0; p < controls.planes.size(); ++p) {
    obstacle_way_squared_ += (controls.planes[p].point - controls.plane_before[p].point).squaredNorm() +
                             (controls.planes[p].normal - controls.plane_before[p].normal).squaredNorm();
  }
  detection_.find(before_, before_, options_.distance, is_fixed_, true);
  friction_.clear();
  has_looked_ = false;
  look(before, 0);
  if (expected == nullptr) {
    place(before, 1, way_);  // obstacles move
  } else {
    BlockVector there = before;
    sparse::add_scaled(there, 1, *expected);
    place(there, 1, way_);
  }
  renew_friction(way_);
}

StickMemory ContactPotential::memory_at(const BlockVector& q) {
  place(q, 1, trial_);
  StickMemory memory;
  if (!options_.has_memory) return memory;
  for (const FrictionContact& contact : friction_) {
    const Vec2 slip = return_map(slip_of(contact, trial_), contact.stick);
    if (slip.isZero(0)) continue;
    memory.keys.push_back(contact.key);
    memory.slips.emplace_back(slip[0] * contact.tangent[0] + slip[1] * contact.tangent[1]);
  }
  return memory;
}

// --- The iterate ---

bool ContactPotential::make_active(const Candidate& pair, Active& active) const {
  active.pair = pair;
  active.point = points_of(*surface_, pair);
  const FourPoints x = gather(active.point, x_);
  if (pair.kind != PairKind::point_plane) {
    active.closest = closest_of(pair, x);
    if (active.closest.squared_distance >= longest_reach_ * longest_reach_) return false;
  }
  const Reach reach = reach_of(pair, active.point);
  const double most = reach.offset + reach.distance;
  if (pair.kind == PairKind::point_plane) {
    const Plane plane = plane_at(pair.second, progress_);
    const double distance = plane.normal.dot(x[0] - plane.point);
    if (distance >= most) return false;
    active.geometry = plane_geometry(distance, plane.normal);
  } else {
    if (active.closest.squared_distance >= most * most) return false;
    active.geometry = contact_geometry(pair.kind, x, active.closest);
  }
  active.distance = reach.distance;
  active.gap = active.geometry.distance - reach.offset;
  active.energy_scale = area_of(pair) * pressure_ * reach.distance;
  active.threshold = 0;
  if (pair.kind == PairKind::edges) {
    const std::vector<Vec3>& rest = surface_->rest_points;
    const std::array<int, 4>& p = active.point;
    active.threshold =
        kParallelEdges * (rest[p[1]] - rest[p[0]]).squaredNorm() * (rest[p[3]] - rest[p[2]]).squaredNorm();
  }
  return active.gap < active.distance;
}

void ContactPotential::look(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  if (has_looked_ && progress == progress_ && trial_ == x_) return;
  std::swap(x_, trial_);
  progress_ = progress;
  has_looked_ = true;
  const std::vector<Candidate>& pairs = detection_.pairs();
  const int count = static_cast<int>(pairs.size()), pieces = (count + kGrain - 1) / kGrain;
  std::vector<std::vector<Active>> found(static_cast<std::size_t>(pieces));
  parallel_for(pieces, 1, [&](int begin, int end) {
    Active active;
    for (int p = begin; p < end; ++p) {
      for (int i = p * kGrain; i < std::min(count, (p + 1) * kGrain); ++i) {
        if (make_active(pairs[i], active)) found[p].push_back(active);
      }
    }
  });
  active_.clear();
  for (const std::vector<Active>& part : found) active_.insert(active_.end(), part.begin(), part.end());
}

double ContactPotential::pair_value(const Candidate& pair, std::span<const Vec3> x, double progress) const {
  const std::array<int, 4> point = points_of(*surface_, pair);
  const FourPoints four = gather(point, x);
  double distance = 0;
  if (pair.kind == PairKind::point_plane) {
    const Plane plane = plane_at(pair.second, progress);
    distance = plane.normal.dot(four[0] - plane.point);
    if (distance >= longest_reach_) return 0;
  } else {
    const double squared = closest_of(pair, four).squared_distance;
    if (squared >= longest_reach_ * longest_reach_) return 0;
    distance = std::sqrt(squared);
  }
  const Reach reach = reach_of(pair, point);
  const double gap = distance - reach.offset;
  if (gap >= reach.distance) return 0;
  if (!(gap > 0)) return kUnbounded;
  double factor = 1;
  if (pair.kind == PairKind::edges) {
    const std::vector<Vec3>& rest = surface_->rest_points;
    const double threshold = kParallelEdges * (rest[point[1]] - rest[point[0]]).squaredNorm() *
                             (rest[point[3]] - rest[point[2]]).squaredNorm();
    factor = edge_mollifier(four, threshold).value;
  }
  return factor * area_of(pair) * pressure_ * reach.distance * barrier_value(gap / reach.distance);
}

double ContactPotential::value_at(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  const std::vector<Candidate>& pairs = detection_.pairs();
  const double barriers = parallel_sum(static_cast<int>(pairs.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += pair_value(pairs[i], trial_, progress);
    return sum;
  });
  return barriers + friction_value_at(trial_);
}

double ContactPotential::value() const {
  double sum = 0;
  for (const Active& a : active_) {
    const double factor = a.threshold > 0 ? edge_mollifier(gather(a.point, x_), a.threshold).value : 1;
    sum += a.gap > 0 ? factor * a.energy_scale * barrier_value(a.gap / a.distance) : kUnbounded;
  }
  return sum + friction_value_at(x_);
}

void ContactPotential::local_gradient(const Active& a, FourPoints& gradient) const {
  const BarrierValue b = barrier(a.gap / a.distance);
  double slope = a.energy_scale * b.slope / a.distance;
  Mollifier m;
  if (a.threshold > 0) m = edge_mollifier(gather(a.point, x_), a.threshold);
  slope *= m.value;
  for (std::size_t j = 0; j < 4; ++j) gradient[j] = slope * a.geometry.weight[j] * a.geometry.normal;
  if (m.slope == 0) return;
  for (std::size_t j = 0; j < 4; ++j) gradient[j] += a.energy_scale * b.value * m.slope * m.gradient[j];
}

void ContactPotential::add_gradient(BlockVector& gradient) const {
  FourPoints local;
  for (const Active& a : active_) {
    local_gradient(a, local);
    for (std::size_t j = 0; j < 4; ++j) {
      if (a.point[j] >= 0) surface_->points[a.point[j]].pull_back(local[j], gradient);
    }
  }
  for (const FrictionContact& f : friction_) {
    const Vec2 slip = slip_of(f, x_);
    const Vec2 force = f.limit * friction_slope(slip.norm(), f.stick) * slip;
    const Vec3 world = force[0] * f.tangent[0] + force[1] * f.tangent[1];
    for (std::size_t j = 0; j < 4; ++j) {
      if (f.point[j] >= 0) surface_->points[f.point[j]].pull_back(f.weight[j] * world, gradient);
    }
  }
}

// --- Friction ---

Vec2 ContactPotential::slip_of(const FrictionContact& f, std::span<const Vec3> x) const {
  Vec3 motion = Vec3::Zero();
  for (std::size_t j = 0; j < 4; ++j) {
    if (f.point[j] >= 0) motion += f.weight[j] * (x[f.point[j]] - before_[f.point[j]]);
  }
  return f.start + Vec2(f.tangent[0].dot(motion), f.tangent[1].dot(motion));
}

double ContactPotential::friction_value_at(std::span<const Vec3> x) const {
  return parallel_sum(static_cast<int>(friction_.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i)
      sum += friction_[i].limit * friction_value(slip_of(friction_[i], x).norm(), friction_[i].stick);
    return sum;
  });
}

bool ContactPotential::renew_friction(std::span<const Vec3> later) {
  friction_.clear();
  for (const Active& a : active_) {
    const double coefficient = surface_->rule(surface_->body_of_point[a.point[0]], second_body_of(a)).friction;
    if (coefficient == 0) continue;
    const double factor = a.threshold > 0 ? edge_mollifier(gather(a.point, x_), a.threshold).value : 1;
    const double force = -factor * a.energy_scale * barrier(a.gap / a.distance).slope / a.distance;
    if (!(force > 0)) continue;
    FrictionContact f{a.pair.key(), a.point, a.geometry.weight, a.geometry.tangent, coefficient * force};
    f.stick = std::max({options_.stick_displacement, resolution_, kStickOfSlide * slip_of(f, later).norm()});
    const auto place = std::lower_bound(memory_.keys.begin(), memory_.keys.end(), f.key);
    if (place != memory_.keys.end() && *place == f.key) {
      const Vec3& slip = memory_.slips[static_cast<std::size_t>(place - memory_.keys.begin())];
      f.start = return_map(Vec2(f.tangent[0].dot(slip), f.tangent[1].dot(slip)), f.stick);
    }
    friction_.push_back(f);
  }
  std::sort(friction_.begin(), friction_.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return !friction_.empty();
}

// --- The Hessian ---

// Calls use(points) for every contact that couples blocks.
template <class Use>
void ContactPotential::for_each_group(Use&& use) const {
  for (const Active& a : active_) use(a.point);
  for (const FrictionContact& f : friction_) use(f.point);
}

bool ContactPotential::fits(const sparse::BlockPattern& pattern) const {
  bool all = true;
  for_each_group([&](const std::array<int, 4>& point) {
    for (std::size_t i = 0; i < 4 && all; ++i) {
      for (std::size_t j = i + 1; j < 4 && all; ++j) {
        if (point[i] < 0 || point[j] < 0) continue;
        const MappedPoint &a = surface_->points[point[i]], &b = surface_->points[point[j]];
        for (int k = 0; k < a.count; ++k) {
          for (int l = 0; l < b.count; ++l) {
            const auto [low, high] = std::minmax(a.block[k], b.block[l]);
            all = all && pattern.find(low, high) >= 0;
          }
        }
      }
    }
  });
  return all;
}

void ContactPotential::couple(sparse::PatternBuilder& builder) const {
  std::vector<int> blocks;
  for_each_group([&](const std::array<int, 4>& point) {
    blocks.clear();
    for (const int p : point) {
      if (p < 0) continue;
      const MappedPoint& map = surface_->points[p];
      blocks.insert(blocks.end(), map.block.begin(), map.block.begin() + map.count);
    }
    if (blocks.size() > 1) builder.couple(blocks);
  });
}

namespace {

// Adds Σ s v vᵀ, pulled back to the blocks.
void scatter(const LocalHessian& local, const std::array<int, 4>& point, const std::vector<MappedPoint>& points,
             sparse::SymmetricBlockMatrix& matrix) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (point[i] < 0) continue;
    const MappedPoint& a = points[point[i]];
    if (a.count == 0) continue;
    for (std::size_t j = i; j < 4; ++j) {
      if (point[j] < 0) continue;
      const MappedPoint& b = points[point[j]];
      if (b.count == 0) continue;
      Mat3 block = Mat3::Zero();
      for (int k = 0; k < local.count; ++k) {
        const FourPoints& v = local.vector[static_cast<std::size_t>(k)];
        block += local.sign[static_cast<std::size_t>(k)] * v[i] * v[j].transpose();
      }
      for (int k = 0; k < a.count; ++k) {
        for (int l = 0; l < b.count; ++l) {
          const int row = a.block[k], column = b.block[l];
          const double weight = a.weight[k] * b.weight[l];
          if (row == column && i != j) {
            matrix.block(matrix.pattern().diagonal_slot(row)) += weight * (block + block.transpose());
          } else if (row <= column) {
            // Of a point's own blocks both orders come by; the upper half takes one.
            matrix.block(matrix.pattern().find(row, column)) += weight * block;
          } else if (i != j) {
            matrix.block(matrix.pattern().find(column, row)) += weight * block.transpose();
          }
        }
      }
    }
  }
}

}  // namespace

void ContactPotential::add_hessian(sparse::SymmetricBlockMatrix& matrix, bool is_exact) {
  hessians_.resize(active_.size());
  parallel_for(static_cast<int>(active_.size()), 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Active& a = active_[i];
      const BarrierValue b = barrier(a.gap / a.distance);
      const double slope = a.energy_scale * b.slope / a.distance;
      const double curvature = a.energy_scale * b.curvature / (a.distance * a.distance);
      LocalHessian& local = hessians_[i];
      local.count = 0;
      if (a.threshold > 0) {
        const FourPoints x = gather(a.point, x_);
        const Mollifier m = edge_mollifier(x, a.threshold);
        if (!m.is_one()) {
          add_mollified_hessian(a.geometry, x, m, a.energy_scale * b.value, slope, curvature, is_exact, local);
          continue;
        }
      }
      add_distance_hessian(a.geometry, slope, curvature, is_exact, local);
    }
  });
  for (std::size_t i = 0; i < active_.size(); ++i) scatter(hessians_[i], active_[i].point, surface_->points, matrix);
  for (const FrictionContact& f : friction_) {
    const Vec2 slip = slip_of(f, x_);
    const double length = slip.norm();
    const Vec2 along = length > 0 ? Vec2(slip / length) : Vec2(1, 0);
    const FrictionStiffness stiffness = friction_stiffness(length, f.stick);
    LocalHessian local;
    const auto add = [&](const Vec2& direction, double value) {
      if (value == 0) return;
      const Vec3 world = std::sqrt(f.limit * value) * (direction[0] * f.tangent[0] + direction[1] * f.tangent[1]);
      FourPoints v;
      for (std::size_t j = 0; j < 4; ++j) v[j] = f.weight[j] * world;
      local.add(v, 1);
    };
    add(along, stiffness.along);
    add(Vec2(-along[1], along[0]), stiffness.across);
    scatter(local, f.point, surface_->points, matrix);
  }
}

ContactPotential::ObstacleShare ContactPotential::add_obstacle_motion(double progress, BlockVector& product) {
  ObstacleShare share;
  if (obstacle_way_squared_ == 0 || progress >= 1) return share;
  const std::vector<Vec3>&was = controls_->obstacle_before, &will = controls_->obstacle_points;
  const double rest = 1 - progress;
  FourPoints motion, gradient;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    bool moves = false;
    for (std::size_t j = 0; j < 4; ++j) {
      motion[j].setZero();
      if (a.point[j] < surface_->first_obstacle_point) continue;
      const std::size_t o = static_cast<std::size_t>(a.point[j] - surface_->first_obstacle_point);
      motion[j] = rest * (will[o] - was[o]);
      moves = moves || !motion[j].isZero(0);
    }
    local_gradient(a, gradient);
    if (a.pair.kind == PairKind::point_plane) {
      // A plane that comes nearer acts as a point that sinks.
      const Plane now = plane_at(a.pair.second, progress), then = plane_at(a.pair.second, 1);
      const Vec3& x = x_[a.point[0]];
      const double nearer = then.normal.dot(x - then.point) - now.normal.dot(x - now.point);
      if (nearer == 0) continue;
      const Vec3 shift = nearer * a.geometry.normal;
      share.slope += gradient[0].dot(shift);
      for (int k = 0; k < hessians_[i].count; ++k) {
        const Vec3& v = hessians_[i].vector[static_cast<std::size_t>(k)][0];
        const double s = hessians_[i].sign[static_cast<std::size_t>(k)] * v.dot(shift);
        share.curvature += s * v.dot(shift);
        surface_->points[a.point[0]].pull_back(s * v, product);
      }
      continue;
    }
    if (!moves) continue;
    for (std::size_t j = 0; j < 4; ++j) share.slope += gradient[j].dot(motion[j]);
    for (int k = 0; k < hessians_[i].count; ++k) {
      const FourPoints& v = hessians_[i].vector[static_cast<std::size_t>(k)];
      double along = 0;
      for (std::size_t j = 0; j < 4; ++j) along += v[j].dot(motion[j]);
      const double s = hessians_[i].sign[static_cast<std::size_t>(k)] * along;
      share.curvature += s * along;
      for (std::size_t j = 0; j < 4; ++j) {
        if (a.point[j] >= 0) surface_->points[a.point[j]].pull_back(s * v[j], product);
      }
    }
  }
  return share;
}

// --- The largest step ---

double ContactPotential::safe_fraction(const Candidate& pair, std::span<const Vec3> x, std::span<const Vec3> d,
                                       double progress, double progress_step) const {
  const std::array<int, 4> point = points_of(*surface_, pair);
  const Reach reach = reach_of(pair, point);
  const FourPoints from = gather(point, x), way = gather(point, d);
  switch (pair.kind) {
    case PairKind::point_triangle:
      return safe_fraction_point_triangle(from, way, reach.offset, {.kept = kKeptOfGap});
    case PairKind::edges:
      return safe_fraction_edges(from, way, reach.offset, {.kept = kKeptOfGap});
    default: {
      // Heights above the plane at both ends of the way; in between a plane that turns changes them by a product of two
      // small motions, which the kept part of the gap covers unless it turns far.
      const Plane now = plane_at(pair.second, progress), then = plane_at(pair.second, progress + progress_step);
      const double height = now.normal.dot(from[0] - now.point) - reach.offset;
      const double turn = (then.normal - now.normal).norm();
      const double later = then.normal.dot(from[0] + way[0] - then.point) - reach.offset -
                           turn * (way[0] - (then.point - now.point)).norm();
      if (later >= kKeptOfGap * height) return 1;
      return (1 - kKeptOfGap) * height / (height - later);
    }
  }
}

double ContactPotential::largest_step(const BlockVector& q, const BlockVector& d, double progress,
                                      double progress_step) {
  // The mapping is affine: the way of a mapped point is the mapped way.
  place(q, progress, x_);
  has_looked_ = false;
  way_.resize(x_.size());
  const ContactSurface& s = *surface_;
  parallel_for(s.first_obstacle_point, 4096, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) way_[i] = s.points[i].evaluate(d);
  });
  for (std::size_t i = 0; i < controls_->obstacle_points.size(); ++i)
    way_[s.first_obstacle_point + i] = progress_step * (controls_->obstacle_points[i] - controls_->obstacle_before[i]);
  trial_.resize(x_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i] + way_[i];
  detection_.find(x_, trial_, options_.distance, is_fixed_, false);
  const std::vector<Candidate>& pairs = detection_.pairs();
  const double worst = parallel_max(static_cast<int>(pairs.size()), -1, [&](int begin, int end) {
    double smallest = 1;
    for (int i = begin; i < end; ++i)
      smallest = std::min(smallest, safe_fraction(pairs[i], x_, way_, progress, progress_step));
    return -smallest;
  });
  return pairs.empty() ? 1 : -worst;
}

// --- What happened ---

ContactSummary ContactPotential::summary() const {
  ContactSummary summary;
  FourPoints local;
  for (const Active& a : active_) {
    summary.smallest_gap = summary.count == 0 ? a.gap : std::min(summary.smallest_gap, a.gap);
    summary.nearest = std::min(summary.nearest, a.gap / a.distance);
    ++summary.count;
    local_gradient(a, local);
    const Vec3 force = a.pair.kind == PairKind::edges ? Vec3(local[0] + local[1]) : local[0];
    summary.largest_force = std::max(summary.largest_force, force.norm());
  }
  return summary;
}

int ContactPotential::second_body_of(const Active& a) const {
  return a.pair.kind == PairKind::point_plane ? surface_->planes[a.pair.second].body
                                              : surface_->body_of_point[a.point[2]];
}

std::optional<ContactPotential::Touch> ContactPotential::touch() const {
  for (const Active& a : active_) {
    if (!(a.gap > 0)) return Touch{surface_->body_of_point[a.point[0]], second_body_of(a), x_[a.point[0]]};
  }
  return {};
}

std::vector<ContactForce> ContactPotential::forces() const {
  std::vector<ContactForce> forces;
  FourPoints local;
  std::vector<std::uint64_t> keys;
  for (const Active& a : active_) {
    local_gradient(a, local);
    const bool is_edge = a.pair.kind == PairKind::edges;
    ContactForce f;
    f.first_body = surface_->body_of_point[a.point[0]];
    f.second_body = second_body_of(a);
    f.force = is_edge ? Vec3(-local[0] - local[1]) : Vec3(-local[0]);
    f.point = x_[a.point[0]];
    if (is_edge) f.point = a.geometry.weight[0] * x_[a.point[0]] + a.geometry.weight[1] * x_[a.point[1]];
    f.normal = a.geometry.normal;
    f.gap = a.gap;
    const std::uint64_t key = a.pair.key();
    const auto rub = std::lower_bound(friction_.begin(), friction_.end(), key,
                                      [](const FrictionContact& c, std::uint64_t k) { return c.key < k; });
    if (rub != friction_.end() && rub->key == key) {
      const Vec2 slip = slip_of(*rub, x_);
      const Vec2 push = rub->limit * friction_slope(slip.norm(), rub->stick) * slip;
      f.force -= push[0] * rub->tangent[0] + push[1] * rub->tangent[1];
    }
    forces.push_back(f);
  }
  return forces;
}

}  // namespace pliant::contact
