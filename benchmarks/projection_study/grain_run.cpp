#include "benchmarks/projection_study/grain_run.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace pliant::projection_study {

using solver::ProjectionIteration;

namespace {
// Of a radius: the distance of neighbours on the lattice, and their offsets.
constexpr double kSpacing = 2.6, kOffset = 0.25;
constexpr double kCorrected = 1, kFed = 0.1;  // k_c, k_v of sp
// Of a radius: from which gap on grains are looked at, at least.
constexpr double kLeastReach = 0.2;
}  // namespace

Grains make_grains(int count, int row) {
  Grains grains;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> in(-1, 1);
  for (int i = 0; i < count; ++i) {
    const int layer = i / (row * row);
    const double aside = layer % 2 == 0 ? -0.25 : 0.25;  // so that no grain falls on top of another
    const Vec3 cell(i % row - 0.5 * (row - 1) + aside, layer + 0.5, i / row % row - 0.5 * (row - 1) + aside);
    const Vec3 offset(in(random), in(random), in(random));
    grains.points.push_back(grains.radius * (kSpacing * cell + kOffset * offset));
  }
  grains.inverse_masses.assign(grains.points.size(), 1.0);
  grains.planes.push_back({});
  return grains;
}

void add_walls(Grains& grains, int row) {
  const double half = grains.radius * (0.5 * kSpacing * (row - 0.5) + 1 + kOffset);
  for (const double side : {-1.0, 1.0}) {
    grains.planes.push_back({side * Vec3::UnitX(), -half});
    grains.planes.push_back({side * Vec3::UnitZ(), -half});
  }
}

GrainRun::GrainRun(const Grains& grains, const GrainOptions& options)
    : grains_(grains),
      options_(options),
      radii_(grains.points.size(), grains.radius),
      points_(grains.points),
      velocities_(grains.points.size(), Vec3::Zero()),
      target_(grains.points) {
  movers_.points.resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) movers_.points[i].w = grains.inverse_masses[i];
  before_.resize(static_cast<int>(points_.size()));
}

void GrainRun::add_pair(int i, int j, const Vec3& place, const Vec3& normal) {
  contact::ProjectedPair pair;
  pair.before = points_[static_cast<std::size_t>(i)] - (j < 0 ? place : points_[static_cast<std::size_t>(j)]);
  pair.normal = normal;
  pair.offset = (j < 0 ? 1 : 2) * grains_.radius;
  const double gap = normal.dot(pair.before) - pair.offset;
  // What comes near in neither place is no contact.
  const Vec3 end = target_[static_cast<std::size_t>(i)] - (j < 0 ? place : target_[static_cast<std::size_t>(j)]);
  if (std::min(gap, normal.dot(end) - pair.offset) > kLeastReach * grains_.radius) return;
  pair.first_term = static_cast<int>(pairs_.block.size());
  pair.term_count = j < 0 ? 1 : 2;
  pairs_.block.push_back(i);
  pairs_.weight.push_back(1);
  if (j >= 0) {
    pairs_.block.push_back(j);
    pairs_.weight.push_back(-1);
  } else {
    pair.scripted = -place;
  }
  if (options_.stepping == Stepping::vts) pair.wanted = (1 - options_.recovered) * std::min(gap, 0.0);
  pair.friction = options_.friction;
  pairs_.pairs.push_back(pair);
  pairs_.group_start.push_back(static_cast<int>(pairs_.pairs.size()));
}

void GrainRun::find_pairs(const std::vector<Vec3>& at, double reach) {
  pairs_.clear();
  near_.find(at, radii_, reach);
  for (const auto& [i, j] : near_.pairs()) {
    const Vec3 apart = at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)];
    if (apart.squaredNorm() > 0) add_pair(i, j, Vec3::Zero(), apart.normalized());
  }
  for (const Plane& plane : grains_.planes) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (plane.normal.dot(at[i]) - plane.offset - grains_.radius > reach) continue;
      add_pair(static_cast<int>(i), -1, plane.offset * plane.normal, plane.normal);
    }
  }
}

void GrainRun::begin_step() {
  const double h = options_.step;
  double fastest = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    before_[static_cast<int>(i)] = points_[i];
    const Vec3 way = h * velocities_[i] - h * h * kGravity * Vec3::UnitY();
    fastest = std::max(fastest, way.norm());
    target_[i] = points_[i] + way;
    movers_.points[i].put(target_[i]);
  }
  const double least = kLeastReach * grains_.radius;
  if (options_.stepping == Stepping::vts) {
    find_pairs(points_, std::max(2 * fastest, least));
  } else {
    find_pairs(target_, least);
  }
  if (options_.stepping == Stepping::sp) {
    for (Vec3& v : velocities_) v -= h * kGravity * Vec3::UnitY();
    pushes_.assign(pairs_.pairs.size(), 0);
    return;
  }
  contacts_.set_pairs(pairs_, nullptr, before_.size());
  const double start = processor_seconds();
  contacts_.begin({h, 1 / (h * h), before_, controls_}, movers_);
  if (options_.fixed_omega > 0) {
    printed_.begin({.omega = options_.fixed_omega, .a = options_.momentum_gain, .budget = options_.iterations},
                   contacts_);
  } else if (options_.iteration != ProjectionIteration::gauss_seidel) {
    active_ = {&contacts_};
    dual_.begin(options_.iteration, options_.iterations, active_, movers_);
  }
  seconds_ += processor_seconds() - start;
}

void GrainRun::iterate() {
  const double start = processor_seconds();
  if (options_.stepping == Stepping::sp) {
    iterate_sp();
  } else if (options_.fixed_omega > 0) {
    printed_.iterate(contacts_, movers_);
  } else if (options_.iteration == ProjectionIteration::gauss_seidel) {
    contacts_.relax(1, movers_);
  } else {
    dual_.iterate(active_, movers_);
  }
  seconds_ += processor_seconds() - start;
}

void GrainRun::iterate_sp() {
  for (std::size_t p = 0; p < pairs_.pairs.size(); ++p) {
    const contact::ProjectedPair& pair = pairs_.pairs[p];
    double w = 0, gap = pair.normal.dot(pair.scripted) - pair.offset, speed = 0;
    for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) {
      const auto i = static_cast<std::size_t>(pairs_.block[t]);
      w += movers_.points[i].w;
      gap += pairs_.weight[t] * pair.normal.dot(movers_.points[i].position());
      speed += pairs_.weight[t] * pair.normal.dot(velocities_[i]);
    }
    if (gap > 0 && pushes_[p] == 0) continue;
    const double shift = kCorrected * std::max(-gap, 0.0) / w;
    const double push = std::max(pushes_[p] - speed / w, 0.0);
    const double change = push - pushes_[p] + kFed * shift / options_.step;
    pushes_[p] = push;
    for (int t = pair.first_term; t < pair.first_term + pair.term_count; ++t) {
      const auto i = static_cast<std::size_t>(pairs_.block[t]);
      const Vec3 along = pairs_.weight[t] * movers_.points[i].w * pair.normal;
      movers_.points[i].move(shift * along);
      velocities_[i] += change * along;
    }
  }
}

void GrainRun::end_step() {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Vec3 next = movers_.points[i].position();
    if (options_.stepping != Stepping::sp) velocities_[i] = (next - points_[i]) / options_.step;
    points_[i] = next;
  }
}

double GrainRun::kinetic_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i)
    sum += 0.5 / grains_.inverse_masses[i] * velocities_[i].squaredNorm();
  return sum;
}

GrainRun::Overlap GrainRun::overlap() const {
  Overlap found;
  const auto add = [&](double depth) {
    found.sum += std::max(depth, 0.0);
    found.largest = std::max(found.largest, depth);
  };
  contact::SpherePairs near;
  near.find(points_, radii_, 0);
  for (const auto& [i, j] : near.pairs())
    add(2 * grains_.radius - (points_[static_cast<std::size_t>(i)] - points_[static_cast<std::size_t>(j)]).norm());
  for (const Plane& plane : grains_.planes) {
    for (const Vec3& point : points_) add(grains_.radius + plane.offset - plane.normal.dot(point));
  }
  return found;
}

double GrainRun::missing_speed() {
  contacts_.finish(movers_);
  double sum = 0;
  for (std::size_t i = 0; i < pairs_.pairs.size(); ++i)
    sum += std::max(pairs_.pairs[i].wanted - contacts_.outcomes()[i].gap, 0.0) / options_.step;
  return sum;
}

std::vector<Vec3> GrainRun::present_points() const {
  std::vector<Vec3> points;
  for (const solver::Mover<double>& point : movers_.points) points.push_back(point.position());
  return points;
}

bool GrainRun::is_finite() const {
  double sum = 0;
  for (const Vec3& point : points_) sum += point.cwiseAbs().sum();
  return std::isfinite(sum) && sum < 1e3 * static_cast<double>(points_.size());
}

}  // namespace pliant::projection_study
