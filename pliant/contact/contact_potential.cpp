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
  const double thickest =
      surface_->thickness.empty() ? 0 : *std::max_element(surface_->thickness.begin(), surface_->thickness.end());
  longest_reach_ = 2 * thickest + options_.distance;
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
  const int first = s.body_of_point[point[0]], second = second_body_of(pair, point);
  Reach reach{s.thickness[first] + s.thickness[second], options_.distance};
  if (first != second) return reach;
  const double rest = closest_of(pair, gather(point, s.rest_points)).distance();
  const double wanted = 2 * (reach.offset + reach.distance);
  if (rest < wanted && rest > 0) {
    reach.offset *= rest / wanted;
    reach.distance *= rest / wanted;
  }
  return reach;
}

int ContactPotential::second_body_of(const Candidate& pair, const std::array<int, 4>& point) const {
  return surface_->body_of_point[point[pair.kind == PairKind::edges ? 2 : 1]];
}

bool ContactPotential::find_near(const Candidate& pair, std::span<const Vec3> x, Near& near) const {
  near.point = points_of(*surface_, pair);
  near.x = gather(near.point, x);
  if (pair.kind == PairKind::point_plane) {
    near.distance = surface_->planes[pair.second].normal.dot(near.x[0] - near.x[1]);
    if (near.distance >= longest_reach_) return false;
  } else {
    near.closest = closest_of(pair, near.x);
    if (near.closest.squared_distance >= longest_reach_ * longest_reach_) return false;
    near.distance = near.closest.distance();
  }
  near.reach = reach_of(pair, near.point);
  return near.distance < near.reach.offset + near.reach.distance;
}

// ε of the mollifier, m⁴; infinitely small where there is nothing to mollify.
double ContactPotential::parallel_threshold(const Candidate& pair, const std::array<int, 4>& point) const {
  if (pair.kind != PairKind::edges) return 0;
  const std::vector<Vec3>& rest = surface_->rest_points;
  return kParallelEdges * (rest[point[1]] - rest[point[0]]).squaredNorm() *
         (rest[point[3]] - rest[point[2]]).squaredNorm();
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

void ContactPotential::begin_step(const ContactStep& step) {
  const ContactSurface& s = *surface_;
  const Controls& controls = step.controls;
  controls_ = &controls;
  pressure_ = step.pressure;
  resolution_ = step.resolution;
  memory_ = step.memory;
  place(step.before, 0, before_);
  is_fixed_.assign(s.points.size(), 1);
  for (int i = 0; i < s.first_obstacle_point; ++i) {
    for (int k = 0; k < s.points[i].count; ++k) {
      if (controls.filter.held_directions(s.points[i].block[k]) < 3) is_fixed_[i] = 0;
    }
  }
  obstacle_way_squared_ = 0;
  for (std::size_t i = 0; i < controls.obstacle_points.size(); ++i)
    obstacle_way_squared_ += (controls.obstacle_points[i] - controls.obstacle_before[i]).squaredNorm();
  detection_.find(before_, before_, options_.distance, is_fixed_, true);
  friction_.clear();
  has_looked_ = false;
  look(step.before, 0);
  if (step.expected == nullptr) {
    place(step.before, 1, way_);  // obstacles move
  } else {
    BlockVector there = step.before;
    sparse::add_scaled(there, 1, *step.expected);
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
  Near near;
  if (!find_near(pair, x_, near)) return false;
  active.pair = pair;
  active.point = near.point;
  active.geometry = pair.kind == PairKind::point_plane
                        ? plane_geometry(near.distance, surface_->planes[pair.second].normal)
                        : contact_geometry(pair.kind, near.x, near.closest);
  active.gap = near.distance - near.reach.offset;
  active.distance = near.reach.distance;
  if (!(active.gap > 0)) {
    active.energy = kUnbounded;
    return true;
  }
  const BarrierValue b = barrier(active.gap / active.distance);
  const double scale = area_of(pair) * pressure_ * active.distance;
  active.energy = scale * b.value;
  active.slope = scale * b.slope / active.distance;
  active.curvature = scale * b.curvature / (active.distance * active.distance);
  active.mollifier = edge_mollifier(near.x, parallel_threshold(pair, near.point));
  return true;
}

void ContactPotential::look(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  if (has_looked_ && progress == progress_ && trial_ == x_) return;
  std::swap(x_, trial_);
  progress_ = progress;
  has_looked_ = true;
  const std::vector<Candidate>& pairs = detection_.pairs();
  const int count = static_cast<int>(pairs.size()), pieces = (count + kGrain - 1) / kGrain;
  found_.resize(std::max(found_.size(), static_cast<std::size_t>(pieces)));
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      found_[p].clear();
      for (int i = p * kGrain; i < std::min(count, (p + 1) * kGrain); ++i) {
        Active active;
        if (make_active(pairs[i], active)) found_[p].push_back(active);
      }
    }
  });
  active_.clear();
  for (int p = 0; p < pieces; ++p) active_.insert(active_.end(), found_[p].begin(), found_[p].end());
}

double ContactPotential::pair_value(const Candidate& pair, std::span<const Vec3> x) const {
  Near near;
  if (!find_near(pair, x, near)) return 0;
  const double gap = near.distance - near.reach.offset;
  if (!(gap > 0)) return kUnbounded;
  return edge_mollifier(near.x, parallel_threshold(pair, near.point)).value * area_of(pair) * pressure_ *
         near.reach.distance * barrier_value(gap / near.reach.distance);
}

double ContactPotential::value_at(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  const std::vector<Candidate>& pairs = detection_.pairs();
  const double barriers = parallel_sum(static_cast<int>(pairs.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += pair_value(pairs[i], trial_);
    return sum;
  });
  return barriers + friction_value_at(trial_);
}

double ContactPotential::stored_energy() const {
  double sum = 0;
  for (const Active& a : active_) sum += a.mollifier.value * a.energy;
  return sum;
}

double ContactPotential::value() const { return stored_energy() + friction_value_at(x_); }

void ContactPotential::local_gradient(const Active& a, FourPoints& gradient) const {
  const double slope = a.mollifier.value * a.slope;
  for (std::size_t j = 0; j < 4; ++j) gradient[j] = slope * a.geometry.weight[j] * a.geometry.normal;
  if (a.mollifier.is_one()) return;
  for (std::size_t j = 0; j < 4; ++j) gradient[j] += a.energy * a.mollifier.slope * a.mollifier.gradient[j];
}

void ContactPotential::add_gradient(BlockVector& gradient) const {
  const auto pull_back = [&](const std::array<int, 4>& point, const FourPoints& local) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (point[j] >= 0) surface_->points[point[j]].pull_back(local[j], gradient);
    }
  };
  FourPoints local;
  for (const Active& a : active_) {
    local_gradient(a, local);
    pull_back(a.point, local);
  }
  for (const FrictionContact& f : friction_) {
    const Vec3 along = friction_gradient(f);
    for (std::size_t j = 0; j < 4; ++j) local[j] = f.weight[j] * along;
    pull_back(f.point, local);
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

// ∂D/∂(motion of the first primitive against the second), N
Vec3 ContactPotential::friction_gradient(const FrictionContact& f) const {
  const Vec2 slip = slip_of(f, x_);
  const Vec2 along = f.limit * friction_slope(slip.norm(), f.stick) * slip;
  return along[0] * f.tangent[0] + along[1] * f.tangent[1];
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
    const int first = surface_->body_of_point[a.point[0]], second = second_body_of(a.pair, a.point);
    const double coefficient = surface_->rule(first, second).friction, force = -a.mollifier.value * a.slope;
    if (coefficient == 0 || !(force > 0)) continue;
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
      LocalHessian& local = hessians_[i];
      local.count = 0;
      if (a.mollifier.is_one()) {
        add_distance_hessian(a.geometry, a.slope, a.curvature, is_exact, local);
      } else {
        add_mollified_hessian(a.geometry, gather(a.point, x_), a.mollifier, a.energy, a.slope, a.curvature, is_exact,
                              local);
      }
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
    if (!moves) continue;
    local_gradient(a, gradient);
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

double ContactPotential::safe_fraction(const Candidate& pair, std::span<const Vec3> x, std::span<const Vec3> d) const {
  const std::array<int, 4> point = points_of(*surface_, pair);
  const double offset = reach_of(pair, point).offset;
  const FourPoints from = gather(point, x), way = gather(point, d);
  switch (pair.kind) {
    case PairKind::point_triangle:
      return safe_fraction_point_triangle(from, way, offset, {.kept = kKeptOfGap});
    case PairKind::edges:
      return safe_fraction_edges(from, way, offset, {.kept = kKeptOfGap});
    default: {
      // The height above a plane that does not turn is linear along the way.
      const Vec3& normal = surface_->planes[pair.second].normal;
      const double height = normal.dot(from[0] - from[1]) - offset, change = normal.dot(way[0] - way[1]);
      if (!(height > 0)) return 0;
      return height + change >= kKeptOfGap * height ? 1 : (1 - kKeptOfGap) * height / -change;
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
    for (int i = begin; i < end; ++i) smallest = std::min(smallest, safe_fraction(pairs[i], x_, way_));
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

std::optional<ContactPotential::Touch> ContactPotential::touch() const {
  for (const Active& a : active_) {
    if (!(a.gap > 0))
      return Touch{surface_->body_of_point[a.point[0]], second_body_of(a.pair, a.point), x_[a.point[0]]};
  }
  return {};
}

std::vector<ContactForce> ContactPotential::forces() const {
  std::vector<ContactForce> forces;
  FourPoints local;
  for (const Active& a : active_) {
    local_gradient(a, local);
    const bool is_edge = a.pair.kind == PairKind::edges;
    ContactForce f;
    f.first_body = surface_->body_of_point[a.point[0]];
    f.second_body = second_body_of(a.pair, a.point);
    f.force = is_edge ? Vec3(-local[0] - local[1]) : Vec3(-local[0]);
    f.point = x_[a.point[0]];
    if (is_edge) f.point = a.geometry.weight[0] * x_[a.point[0]] + a.geometry.weight[1] * x_[a.point[1]];
    f.normal = a.geometry.normal;
    f.gap = a.gap;
    const std::uint64_t key = a.pair.key();
    const auto rub = std::lower_bound(friction_.begin(), friction_.end(), key,
                                      [](const FrictionContact& c, std::uint64_t k) { return c.key < k; });
    if (rub != friction_.end() && rub->key == key) f.force -= friction_gradient(*rub);
    forces.push_back(f);
  }
  return forces;
}

}  // namespace pliant::contact
