#include "pliant/contact/contact_potential.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/assert.h"
#include "pliant/contact/barrier.h"
#include "pliant/contact/contact_lanes.h"
#include "pliant/contact/contact_scatter.h"
#include "pliant/contact/pair_measures.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

constexpr int kGrain = 512;  // contacts per piece
using math::any;
using math::kLaneCount;
using math::LaneMask;
using math::Lanes;
using math::lanes_of;
using math::LaneVector;
using math::select;
using RowRange = sparse::BlockPattern::RowRange;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Cuts rows into one range per thread.
template <class Body>
void for_ranges_of_rows(int row_count, const Body& body) {
  const int pieces = thread_count();
  parallel_for(pieces, 1, [&](int begin, int end) {
    body(RowRange{static_cast<int>(std::int64_t{row_count} * begin / pieces),
                  static_cast<int>(std::int64_t{row_count} * end / pieces)});
  });
}

}  // namespace

ContactPotential::ContactPotential(std::shared_ptr<const ContactSurface> surface, const ContactOptions& options)
    : surface_(std::move(surface)), options_(options), watched_(*surface_, options.distance) {}

// --- Positions and pairs ---

void ContactPotential::place(const BlockVector& q, double progress, std::vector<Vec3>& x) const {
  place_points(*surface_, *controls_, q, progress, x);
}

void ContactPotential::measure(PairKind kind, const std::array<int, 4>& pairs, std::span<const Vec3> x,
                               NearFour& near) const {
  Lanes offset, area, parallel;
  std::array<const std::array<int, 4>*, 4> point;
  for (int l = 0; l < kLaneCount; ++l) {
    const WatchedPair& pair = watched_[pairs[l]];
    point[l] = &pair.point;
    offset[l] = pair.reach.offset;
    near.reach[l] = pair.reach.distance;
    area[l] = pair.area;
    parallel[l] = pair.parallel;
  }
  gather(point, x, near.x);
  find_closest(kind, near.x, near.closest);
  near.gap = near.closest.distance() - offset;
  near.scale = pressure_ * area * near.reach;
  near.is_active = near.gap < near.reach;
  near.is_mollified = kind == PairKind::edges ? LaneMask(edge_products(near.x) < parallel) : LaneMask{};
}

double ContactPotential::plane_height(const WatchedPair& pair, std::span<const Vec3> x) const {
  return surface_->planes[pair.pair.second].normal.dot(x[pair.point[0]] - x[pair.point[1]]);
}

// --- A step ---

void ContactPotential::begin_step(const ContactStep& step) {
  const Controls& controls = step.controls;
  controls_ = &controls;
  pressure_ = step.pressure;
  resolution_ = step.resolution;
  memory_ = step.memory;
  place(step.before, 0, before_);
  find_fixed_points(*surface_, controls, is_fixed_);
  obstacle_way_squared_ = 0;
  for (std::size_t i = 0; i < controls.obstacle_points.size(); ++i)
    obstacle_way_squared_ += (controls.obstacle_points[i] - controls.obstacle_before[i]).squaredNorm();
  way_.assign(before_.size(), Vec3::Zero());
  (void)watched_.follow(before_, way_, is_fixed_, true);
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
  for (const FrictionContact& contact : friction_) remember(contact, slip_of(contact, trial_), memory);
  return memory;
}

// --- The iterate ---

void ContactPotential::make_active(PairKind kind, const std::array<int, 4>& pairs, int count,
                                   std::vector<Active>& found) {
  NearFour near;
  measure(kind, pairs, x_, near);
  watched_.note_distances(pairs, count, near.x, near.closest.distance());
  if (!any(near.is_active)) return;
  const BarrierValue<Lanes> b = barrier(near.gap / near.reach);
  const Lanes slope = near.scale * b.slope / near.reach,
              curvature = near.scale * b.curvature / (near.reach * near.reach);
  const Lanes energy = select(near.gap > Lanes{}, near.scale * b.value, lanes_of(kUnbounded));
  LaneVector r{};
  for (int j = 0; j < 4; ++j) r = r + near.closest.weight[j] * near.x.vertex[j];
  r = (1.0 / math::sqrt(dot(r, r))) * r;
  for (int l = 0; l < count; ++l) {
    if (near.is_active[l] == 0) continue;
    const WatchedPair& watched = watched_[pairs[l]];
    Active& a = found.emplace_back();
    a.pair = watched.pair;
    a.point = watched.point;
    a.feature = static_cast<Feature>(near.closest.feature[l]);
    for (int j = 0; j < 4; ++j) a.weight[j] = near.closest.weight[j][l];
    a.normal = Vec3(r.x[l], r.y[l], r.z[l]);
    a.distance = watched.reach.distance;
    a.offset = watched.reach.offset;
    a.gap = near.gap[l];
    a.energy = energy[l];
    a.slope = slope[l];
    a.curvature = curvature[l];
    if (near.is_mollified[l] == 0) continue;
    a.mollifier = edge_mollifier(gather(a.point, x_), watched.parallel).value;
    a.parallel = watched.parallel;
  }
}

void ContactPotential::make_active_with_plane(const WatchedPair& watched, std::vector<Active>& found) const {
  const double height = plane_height(watched, x_) - watched.reach.offset;
  if (height >= watched.reach.distance) return;
  Active& a = found.emplace_back();
  a.pair = watched.pair;
  a.point = watched.point;
  a.weight = {1, -1, 0, 0};
  a.normal = surface_->planes[watched.pair.second].normal;
  a.distance = watched.reach.distance;
  a.offset = watched.reach.offset;
  a.gap = height;
  const BarrierValue<> b = barrier(a.gap / a.distance);
  const double scale = watched.area * pressure_ * a.distance;
  a.energy = a.gap > 0 ? scale * b.value : kUnbounded;
  a.slope = scale * b.slope / a.distance;
  a.curvature = scale * b.curvature / (a.distance * a.distance);
}

void ContactPotential::look(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  if (has_looked_ && progress == progress_ && trial_ == x_) return;
  std::swap(x_, trial_);
  progress_ = progress;
  has_looked_ = true;
  watched_.arrive(x_);
  const std::span<const int> near_pairs = watched_.near();
  const int count = static_cast<int>(near_pairs.size()), pieces = (count + kGrain - 1) / kGrain;
  found_.resize(std::max(found_.size(), static_cast<std::size_t>(pieces)));
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) {
      found_[p].clear();
      for_groups_of_four(
          near_pairs.subspan(static_cast<std::size_t>(p) * kGrain, std::min(count - p * kGrain, kGrain)),
          [&](int pair) { return watched_[pair].pair.kind; },
          [&](PairKind kind, const std::array<int, 4>& pairs, int n) { make_active(kind, pairs, n, found_[p]); },
          [&](int pair) { make_active_with_plane(watched_[pair], found_[p]); });
    }
  });
  located_ = nullptr;
  std::vector<std::size_t> first(static_cast<std::size_t>(pieces) + 1, 0);
  for (int p = 0; p < pieces; ++p) first[p + 1] = first[p] + found_[p].size();
  active_.resize(first.back());
  parallel_for(pieces, 1, [&](int begin, int end) {
    for (int p = begin; p < end; ++p) std::copy(found_[p].begin(), found_[p].end(), active_.data() + first[p]);
  });
  find_slips();
}

double ContactPotential::values(PairKind kind, const std::array<int, 4>& pairs, int count,
                                std::span<const Vec3> x) const {
  NearFour near;
  measure(kind, pairs, x, near);
  if (!any(near.is_active)) return 0;
  const Lanes energy =
      select(near.gap > Lanes{}, near.scale * barrier_value(near.gap / near.reach), lanes_of(kUnbounded));
  double sum = 0;
  for (int l = 0; l < count; ++l) {
    if (near.is_active[l] == 0) continue;
    const WatchedPair& pair = watched_[pairs[l]];
    sum +=
        near.is_mollified[l] == 0 ? energy[l] : edge_mollifier(gather(pair.point, x), pair.parallel).value * energy[l];
  }
  return sum;
}

double ContactPotential::plane_value(const WatchedPair& pair, std::span<const Vec3> x) const {
  const double gap = plane_height(pair, x) - pair.reach.offset;
  if (!(gap > 0)) return kUnbounded;
  return pair.area * pressure_ * pair.reach.distance * barrier_value(gap / pair.reach.distance);
}

double ContactPotential::value_at(const BlockVector& q, double progress) {
  place(q, progress, trial_);
  const std::span<const int> near = watched_.near();
  const double barriers = parallel_sum(
      static_cast<int>(near.size()),
      [&](int begin, int end) {
        double sum = 0;
        for_groups_of_four(
            near.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
            [&](int pair) { return watched_[pair].pair.kind; },
            [&](PairKind kind, const std::array<int, 4>& pairs, int n) { sum += values(kind, pairs, n, trial_); },
            [&](int pair) { sum += plane_value(watched_[pair], trial_); });
        return sum;
      },
      kGrain);
  return barriers + friction_value_at(trial_);
}

double ContactPotential::stored_energy() const {
  return parallel_sum(
      static_cast<int>(active_.size()),
      [&](int begin, int end) {
        double sum = 0;
        for (int i = begin; i < end; ++i) sum += active_[i].mollifier * active_[i].energy;
        return sum;
      },
      kGrain);
}

double ContactPotential::value() const {
  const double rubbing = parallel_sum(
      static_cast<int>(friction_.size()),
      [&](int begin, int end) {
        double sum = 0;
        for (int i = begin; i < end; ++i) sum += friction_energy(friction_[i], slips_[i]);
        return sum;
      },
      kGrain);
  return stored_energy() + rubbing;
}

void ContactPotential::local_gradient(const Active& a, FourPoints& gradient) const {
  const double slope = a.mollifier * a.slope;
  for (std::size_t j = 0; j < 4; ++j) gradient[j] = slope * a.weight[j] * a.normal;
  if (!a.is_mollified()) return;
  const Mollifier mollifier = edge_mollifier(gather(a.point, x_), a.parallel);
  for (std::size_t j = 0; j < 4; ++j) gradient[j] += a.energy * mollifier.slope * mollifier.gradient[j];
}

void ContactPotential::add_rows_of_gradient(RowRange rows, BlockVector& gradient) const {
  const auto is_mine = [&](int row) { return row >= rows.first && row < rows.last; };
  const auto pull_back = [&](const std::array<int, 4>& point, const auto& force_on) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (point[j] < 0) continue;
      const MappedPoint& p = surface_->points[point[j]];
      for (int k = 0; k < p.count; ++k) {
        if (is_mine(p.block[k])) gradient[p.block[k]] += p.weight[k] * force_on(j);
      }
    }
  };
  // What costs more than to see whose it is waits for that.
  const bool are_all = rows.first == 0 && rows.last == gradient.size();
  const auto concerns = [&](const std::array<int, 4>& point) {
    return are_all || touches(point, surface_->points, rows);
  };
  FourPoints local;
  for (const Active& a : active_) {
    if (a.is_mollified()) {
      if (!concerns(a.point)) continue;
      local_gradient(a, local);
      pull_back(a.point, [&](std::size_t j) -> const Vec3& { return local[j]; });
    } else {
      pull_back(a.point, [&](std::size_t j) -> Vec3 { return a.slope * a.weight[j] * a.normal; });
    }
  }
  for (std::size_t c = 0; c < friction_.size(); ++c) {
    const FrictionContact& f = friction_[c];
    if (!concerns(f.point)) continue;
    const Vec3 along = friction_gradient(f, slips_[c]);
    pull_back(f.point, [&](std::size_t j) -> Vec3 { return f.weight[j] * along; });
  }
}

void ContactPotential::add_gradient(BlockVector& gradient) const {
  for_ranges_of_rows(gradient.size(), [&](RowRange rows) { add_rows_of_gradient(rows, gradient); });
}

// --- Friction ---

// m, of the first primitive against the second since the start of the step
Vec3 ContactPotential::motion_of(const std::array<int, 4>& point, const std::array<double, 4>& weight,
                                 std::span<const Vec3> x) const {
  Vec3 motion = Vec3::Zero();
  for (std::size_t j = 0; j < 4; ++j) {
    if (point[j] >= 0) motion += weight[j] * (x[point[j]] - before_[point[j]]);
  }
  return motion;
}

double ContactPotential::friction_value_at(std::span<const Vec3> x) const {
  return parallel_sum(
      static_cast<int>(friction_.size()),
      [&](int begin, int end) {
        double sum = 0;
        for (int i = begin; i < end; ++i) sum += friction_energy(friction_[i], slip_of(friction_[i], x));
        return sum;
      },
      kGrain);
}

void ContactPotential::find_slips() {
  slips_.resize(friction_.size());
  parallel_for(static_cast<int>(friction_.size()), kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) slips_[i] = slip_of(friction_[i], x_);
  });
}

bool ContactPotential::renew_friction(std::span<const Vec3> later) {
  friction_.clear();
  located_ = nullptr;
  for (const Active& a : active_) {
    const int first = surface_->body_of_point[a.point[0]], second = second_body_of(*surface_, a.pair.kind, a.point);
    const double coefficient = surface_->rule(first, second).friction, force = -a.mollifier * a.slope;
    if (coefficient == 0 || !(force > 0)) continue;
    FrictionContact f{a.pair.key(), a.point, a.weight, tangents_of(a.normal), coefficient * force};
    f.stick = std::max({options_.stick_displacement, resolution_, kStickOfSlide * slip_of(f, later).norm()});
    recall(memory_, f);
    friction_.push_back(f);
  }
  std::sort(friction_.begin(), friction_.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  find_slips();
  return !friction_.empty();
}

// --- The Hessian ---

bool ContactPotential::fits(const sparse::BlockPattern& pattern) {
  located_ = nullptr;
  const auto locate_all = [&](const auto& contacts, std::vector<ContactSlots>& slots) {
    const int count = static_cast<int>(contacts.size());
    slots.resize(contacts.size());
    std::vector<unsigned char> is_missing((contacts.size() + kGrain - 1) / kGrain, 0);
    parallel_for(count, kGrain, [&](int begin, int end) {
      for (int c = begin; c < end && is_missing[begin / kGrain] == 0; ++c)
        is_missing[begin / kGrain] = locate(contacts[c].point, surface_->points, pattern, slots[c]) ? 0 : 1;
    });
    return std::find(is_missing.begin(), is_missing.end(), 1) == is_missing.end();
  };
  if (!locate_all(active_, active_slots_) || !locate_all(friction_, friction_slots_)) return false;
  located_ = &pattern;
  return true;
}

void ContactPotential::couple(sparse::PatternBuilder& builder) const {
  std::vector<int> blocks;
  const auto couple_points = [&](const std::array<int, 4>& point) {
    blocks.clear();
    for (const int p : point) {
      if (p < 0) continue;
      const MappedPoint& map = surface_->points[p];
      blocks.insert(blocks.end(), map.block.begin(), map.block.begin() + map.count);
    }
    if (blocks.size() > 1) builder.couple(blocks);
  };
  for (const Active& a : active_) couple_points(a.point);
  for (const FrictionContact& f : friction_) couple_points(f.point);
}

namespace {

// Σ s v_i v_jᵀ
Mat3 block_of_vectors(const LocalHessian& local, std::size_t i, std::size_t j) {
  Mat3 block = Mat3::Zero();
  for (int k = 0; k < local.count; ++k) {
    const FourPoints& v = local.vector[static_cast<std::size_t>(k)];
    const Vec3 scaled = local.sign[static_cast<std::size_t>(k)] * v[i];
    for (int column = 0; column < 3; ++column) block.col(column) += scaled * v[j][column];
  }
  return block;
}

}  // namespace

// N/m, of the motion of the first primitive against the second
Mat3 ContactPotential::friction_hessian(const FrictionContact& f, const Vec2& slip, bool is_bound) {
  const double length = slip.norm();
  const Vec2 along = length > 0 ? Vec2(slip / length) : Vec2(1, 0);
  const FrictionStiffness stiffness =
      is_bound ? friction_majorant(length, f.stick) : friction_stiffness(length, f.stick);
  const Vec3 a = along[0] * f.tangent[0] + along[1] * f.tangent[1];
  const Vec3 b = along[0] * f.tangent[1] - along[1] * f.tangent[0];
  return f.limit * (stiffness.along * a * a.transpose() + stiffness.across * b * b.transpose());
}

LocalHessian ContactPotential::hessian_of(const Active& a, bool is_exact) const {
  LocalHessian local;
  if (a.pair.kind == PairKind::point_plane) {
    add_distance_hessian(plane_geometry(a.gap + a.offset, a.normal), a.slope, a.curvature, is_exact, local);
    return local;
  }
  const FourPoints x = gather(a.point, x_);
  const ContactGeometry geometry = contact_geometry(a.pair.kind, x, {.weight = a.weight, .feature = a.feature});
  if (a.is_mollified()) {
    add_mollified_hessian(geometry, x, edge_mollifier(x, a.parallel), a.energy, a.slope, a.curvature, is_exact, local);
  } else {
    add_distance_hessian(geometry, a.slope, a.curvature, is_exact, local);
  }
  return local;
}

void ContactPotential::add_hessians(std::span<const int> contacts, RowRange rows, bool is_exact,
                                    sparse::SymmetricBlockMatrix& matrix) const {
  const std::vector<MappedPoint>& points = surface_->points;
  FourContacts four;
  four.kind = active_[contacts[0]].pair.kind;
  std::array<const std::array<int, 4>*, 4> point;
  unsigned needed = 0;  // which of the four vertices any contact has unknowns at
  for (std::size_t l = 0; l < 4; ++l) {
    const Active& a = active_[contacts[std::min(l, contacts.size() - 1)]];
    point[l] = &a.point;
    four.feature[l] = static_cast<std::int64_t>(a.feature);
    four.normal.x[l] = a.normal[0];
    four.normal.y[l] = a.normal[1];
    four.normal.z[l] = a.normal[2];
    for (std::size_t j = 0; j < 4; ++j) four.weight[j][l] = a.weight[j];
    for (std::size_t j = 0; j < 4; ++j) needed |= a.point[j] >= 0 && points[a.point[j]].count > 0 ? 1U << j : 0U;
    four.distance[l] = a.gap + a.offset;
    four.slope[l] = a.slope;
    four.curvature[l] = a.curvature;
  }
  if (four.kind != PairKind::point_plane) gather(point, x_, four.x);
  const ContactHessians hessians(four, is_exact);
  Lanes blocks[4][4][3][3];
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) {
      if ((needed >> i & 1U) != 0 && (needed >> j & 1U) != 0) hessians.block(i, j, blocks[i][j]);
    }
  }
  for (std::size_t l = 0; l < contacts.size(); ++l) {
    const Active& a = active_[contacts[l]];
    const ContactSlots& slots = active_slots_[contacts[l]];
    if (a.is_mollified()) {
      const LocalHessian local = hessian_of(a, is_exact);
      scatter(slots, a.point, points, rows, matrix,
              [&](std::size_t i, std::size_t j) { return block_of_vectors(local, i, j); });
      continue;
    }
    scatter(slots, a.point, points, rows, matrix, [&](std::size_t i, std::size_t j) {
      Mat3 block;
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) block(row, column) = blocks[i][j][row][column][l];
      }
      return block;
    });
  }
}

void ContactPotential::add_rows_of_hessian(RowRange rows, bool is_exact, sparse::SymmetricBlockMatrix& matrix) const {
  const bool are_all = rows.first == 0 && rows.last == matrix.row_count();
  std::array<int, 4> group{};
  std::size_t count = 0;
  const auto flush = [&] {
    if (count > 0) add_hessians(std::span(group).first(count), rows, is_exact, matrix);
    count = 0;
  };
  for (int c = 0; c < static_cast<int>(active_.size()); ++c) {
    if (!are_all && !touches(active_[c].point, surface_->points, rows)) continue;
    if (count == 4 || (count > 0 && active_[group[0]].pair.kind != active_[c].pair.kind)) flush();
    group[count++] = c;
  }
  flush();
  for (std::size_t c = 0; c < friction_.size(); ++c) {
    const std::array<double, 4>& weight = friction_[c].weight;
    scatter(friction_slots_[c], friction_[c].point, surface_->points, rows, matrix,
            [&](std::size_t i, std::size_t j) { return Mat3(weight[i] * weight[j] * friction_hessians_[c]); });
  }
}

void ContactPotential::add_hessian(sparse::SymmetricBlockMatrix& matrix, bool is_exact, bool bounds_friction) {
  is_exact_ = is_exact;
  if (located_ != &matrix.pattern()) {
    const bool is_stored = fits(matrix.pattern());
    PLIANT_ASSERT(is_stored, "couple() has added every contact's blocks");
  }
  friction_hessians_.resize(friction_.size());
  parallel_for(static_cast<int>(friction_.size()), 256, [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      friction_hessians_[i] = friction_hessian(friction_[i], slips_[i], bounds_friction);
  });
  for_ranges_of_rows(matrix.row_count(), [&](RowRange rows) { add_rows_of_hessian(rows, is_exact, matrix); });
}

ContactPotential::ObstacleShare ContactPotential::add_obstacle_motion(double progress, BlockVector& product) {
  ObstacleShare share;
  if (obstacle_way_squared_ == 0 || progress >= 1) return share;
  const std::vector<Vec3>&was = controls_->obstacle_before, &will = controls_->obstacle_points;
  const double rest = 1 - progress;
  FourPoints motion, gradient;
  for (const Active& a : active_) {
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
    const LocalHessian local = hessian_of(a, is_exact_);
    for (int k = 0; k < local.count; ++k) {
      const FourPoints& v = local.vector[static_cast<std::size_t>(k)];
      double along = 0;
      for (std::size_t j = 0; j < 4; ++j) along += v[j].dot(motion[j]);
      const double s = local.sign[static_cast<std::size_t>(k)] * along;
      share.curvature += s * along;
      for (std::size_t j = 0; j < 4; ++j) {
        if (a.point[j] >= 0) surface_->points[a.point[j]].pull_back(s * v[j], product);
      }
    }
  }
  return share;
}

// --- The largest step ---

double ContactPotential::largest_step(const BlockVector& q, const BlockVector& d, double progress,
                                      double progress_step) {
  place(q, progress, x_);
  has_looked_ = false;
  find_ways(*surface_, *controls_, d, progress_step, way_);
  return watched_.follow(x_, way_, is_fixed_, false);
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

std::size_t ContactPotential::memory_bytes() const {
  std::size_t bytes = watched_.memory_bytes() + active_.capacity() * sizeof(Active) +
                      friction_.capacity() * sizeof(FrictionContact) + memory_.keys.capacity() * sizeof(std::uint64_t) +
                      memory_.slips.capacity() * sizeof(Vec3);
  bytes += friction_hessians_.capacity() * sizeof(Mat3) +
           (active_slots_.capacity() + friction_slots_.capacity()) * sizeof(ContactSlots);
  for (const std::vector<Active>& piece : found_) bytes += piece.capacity() * sizeof(Active);
  return bytes;
}

std::optional<ContactPotential::Touch> ContactPotential::touch() const {
  for (const Active& a : active_) {
    if (!(a.gap > 0))
      return Touch{surface_->body_of_point[a.point[0]], second_body_of(*surface_, a.pair.kind, a.point),
                   x_[a.point[0]]};
  }
  return {};
}

Vec3 ContactPotential::place_on_first(PairKind kind, const std::array<int, 4>& point,
                                      const std::array<double, 4>& weight) const {
  if (kind != PairKind::edges) return x_[point[0]];
  return weight[0] * x_[point[0]] + weight[1] * x_[point[1]];
}

ContactForce ContactPotential::force_of(const Active& a) const {
  FourPoints local;
  local_gradient(a, local);
  ContactForce f;
  f.first_body = surface_->body_of_point[a.point[0]];
  f.second_body = second_body_of(*surface_, a.pair.kind, a.point);
  f.force = a.pair.kind == PairKind::edges ? Vec3(-local[0] - local[1]) : Vec3(-local[0]);
  f.normal = a.normal;
  // On the surface: a round obstacle's mesh of contact is its axis.
  f.point = place_on_first(a.pair.kind, a.point, a.weight) - surface_->thickness[f.first_body] * f.normal;
  f.slip = along_surface(motion_of(a.point, a.weight, x_), f.normal);
  f.gap = a.gap;
  f.distance = a.distance;
  f.friction_coefficient = surface_->rule(f.first_body, f.second_body).friction;
  f.stick_displacement = options_.stick_displacement;
  f.bearer = a.point;
  f.share = a.weight;
  return f;
}

// Bodies have parted since friction was renewed: the gap is at least the distance at which force begins.
ContactForce ContactPotential::force_of(const FrictionContact& left) const {
  const PairKind kind = Candidate::kind_of(left.key);
  ContactForce f;
  f.first_body = surface_->body_of_point[left.point[0]];
  f.second_body = second_body_of(*surface_, kind, left.point);
  f.normal = left.tangent[0].cross(left.tangent[1]);
  f.point = place_on_first(kind, left.point, left.weight) - surface_->thickness[f.first_body] * f.normal;
  f.slip = along_surface(motion_of(left.point, left.weight, x_), f.normal);
  f.gap = f.distance = surface_->reach(f.first_body, f.second_body, options_.distance).distance;
  f.friction_coefficient = surface_->rule(f.first_body, f.second_body).friction;
  f.bearer = left.point;
  f.share = left.weight;
  add_friction(left, f);
  return f;
}

void ContactPotential::add_friction(const FrictionContact& contact, ContactForce& f) const {
  f.friction = -friction_gradient(contact, slip_of(contact, x_));
  f.force += f.friction;
  f.stick_displacement = contact.stick;
}

std::vector<ContactForce> ContactPotential::forces() const {
  std::vector<ContactForce> forces;
  forces.reserve(active_.size());
  std::vector<unsigned char> is_listed(friction_.size(), 0);
  for (const Active& a : active_) {
    forces.push_back(force_of(a));
    const std::uint64_t key = a.pair.key();
    const auto rub = std::lower_bound(friction_.begin(), friction_.end(), key,
                                      [](const FrictionContact& c, std::uint64_t k) { return c.key < k; });
    if (rub == friction_.end() || rub->key != key) continue;
    add_friction(*rub, forces.back());
    is_listed[static_cast<std::size_t>(rub - friction_.begin())] = 1;
  }
  for (std::size_t i = 0; i < friction_.size(); ++i) {
    if (is_listed[i] == 0) forces.push_back(force_of(friction_[i]));
  }
  return forces;
}

}  // namespace pliant::contact
