#include "benchmarks/projection_study/cloth_run.h"

#include <time.h>

#include <cmath>
#include <limits>

#include "pliant/solver/projection/lane_batch.h"
#include "pliant/solver/projection/link_batch.h"

namespace pliant::projection_study {

using solver::ProjectionIteration;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Cloth make_sheet(const SheetOptions& options) {
  const int n = options.side;
  Cloth cloth;
  for (int i = 0; i < n * n; ++i) cloth.points.push_back(options.spacing * Vec3(i % n, 0, i / n));
  cloth.is_held.assign(cloth.points.size(), 0);
  cloth.is_held[0] = cloth.is_held[static_cast<std::size_t>(n) - 1] = 1;
  const double stiffness = options.stiffness > 0 ? options.stiffness : std::numeric_limits<double>::infinity();
  const auto add = [&](int i, int j, int di, int dj) {
    if (i + di < 0 || i + di >= n || j + dj >= n) return;
    cloth.links.push_back({{j * n + i, (j + dj) * n + i + di}, options.spacing * std::hypot(di, dj), stiffness, false});
  };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      add(i, j, 1, 0), add(i, j, 0, 1);
      if (options.kinds == LinkKinds::stretch) continue;
      add(i, j, 1, 1), add(i, j, -1, 1);
      add(i, j, 2, 0), add(i, j, 0, 2);
    }
  }
  for (int j = 0; j + 1 < n; ++j) {
    for (int i = 0; i + 1 < n; ++i) {
      const int a = j * n + i;
      cloth.faces.emplace_back(a, a + 1, a + n + 1);
      cloth.faces.emplace_back(a, a + n + 1, a + n);
    }
  }
  return cloth;
}

ClothRun::ClothRun(const Cloth& cloth, const RunOptions& options) : cloth_(cloth), options_(options) {
  const int count = static_cast<int>(cloth.points.size());
  if (!cloth.links.empty())
    batches_.push_back(std::make_unique<solver::LinkBatch<double>>(cloth.links, count, false, options.damping));
  if (!cloth.triangles.empty())
    batches_.push_back(
        std::make_unique<solver::LaneBatch<solver::TriangleKernel, double>>(cloth.triangles, count, false));
  for (const auto& batch : batches_) active_.push_back(batch.get());
  movers_.points.resize(cloth.points.size());
  for (std::size_t i = 0; i < cloth.points.size(); ++i) movers_.points[i].w = cloth.inverse_mass(i);
  before_.resize(count);
  accelerations_.assign(cloth.points.size(), Vec3::Zero());
  set_motion(cloth.points, std::vector<Vec3>(cloth.points.size(), Vec3::Zero()));
}

ClothRun::~ClothRun() = default;

void ClothRun::set_motion(const std::vector<Vec3>& points, const std::vector<Vec3>& velocities) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int a = 0; a < 3; ++a) movers_.points[i].x[a] = points[i][a];
  }
  velocities_ = velocities;
}

// q̃ = x + h v + h² g, or Newmark's x + h v + h²/4 (a + g); its weight is 1/h² or 4/h².    [Francu2016, eq. 6.28]
void ClothRun::begin_step() {
  const double h = options_.step, part = options_.is_newmark ? 0.25 : 1;
  for (int i = 0; i < before_.size(); ++i) {
    solver::Mover<double>& point = movers_.points[static_cast<std::size_t>(i)];
    before_[i] = point.position();
    if (point.w == 0) continue;
    Vec3 move = h * velocities_[i] + part * h * h * Vec3(0, -kGravity, 0);
    if (options_.is_newmark) move += 0.25 * h * h * accelerations_[i];
    point.move(move);
  }
  const double start = processor_seconds();
  const solver::ProjectionStep step{h, 1 / (part * h * h), before_, controls_};
  for (solver::Batch<double>* batch : active_) batch->begin(step, movers_);
  const bool is_dual =
      options_.iteration != ProjectionIteration::gauss_seidel && options_.iteration != ProjectionIteration::sor;
  if (options_.fixed_omega > 0) {
    printed_.begin({.omega = options_.fixed_omega, .budget = options_.iterations}, *active_.front());
  } else if (is_dual) {
    dual_.begin(options_.iteration, options_.iterations, active_, movers_);
  }
  seconds_ += processor_seconds() - start;
}

void ClothRun::iterate() {
  const double start = processor_seconds();
  if (options_.fixed_omega > 0) {
    printed_.iterate(*active_.front(), movers_);
  } else if (options_.iteration == ProjectionIteration::gauss_seidel ||
             options_.iteration == ProjectionIteration::sor) {
    const double omega = options_.iteration == ProjectionIteration::sor ? options_.relaxation : 1;
    for (solver::Batch<double>* batch : active_) batch->relax(omega, movers_);
  } else {
    dual_.iterate(active_, movers_);
  }
  seconds_ += processor_seconds() - start;
}

void ClothRun::end_step() {
  const double h = options_.step;
  for (std::size_t i = 0; i < movers_.points.size(); ++i) {
    const Vec3 move = movers_.points[i].position() - before_[static_cast<int>(i)];
    if (options_.is_newmark) {
      const Vec3 next = 4 / (h * h) * (move - h * velocities_[i]) - accelerations_[i];
      velocities_[i] += 0.5 * h * (accelerations_[i] + next);
      accelerations_[i] = next;
      if (movers_.points[i].w == 0) velocities_[i].setZero(), accelerations_[i].setZero();
    } else {
      velocities_[i] = options_.speed_kept / h * move;
    }
  }
}

std::vector<Vec3> ClothRun::points() const {
  std::vector<Vec3> points;
  for (const solver::Mover<double>& point : movers_.points) points.push_back(point.position());
  return points;
}

double ClothRun::link_error() const {
  double sum = 0;
  for (const SoftLink& link : cloth_.links)
    sum += std::abs((movers_.points[link.block[1]].position() - movers_.points[link.block[0]].position()).norm() -
                    link.rest);
  return sum;
}

double ClothRun::kinetic_energy() const {
  double sum = 0;
  const double mass = cloth_.mass / static_cast<double>(cloth_.points.size());
  for (const Vec3& v : velocities_) sum += 0.5 * mass * v.squaredNorm();
  return sum;
}

double ClothRun::gravity_energy() const {
  double sum = 0;
  const double mass = cloth_.mass / static_cast<double>(cloth_.points.size());
  for (const solver::Mover<double>& point : movers_.points) sum += mass * kGravity * point.x[1];
  return sum;
}

double ClothRun::elastic_energy() const {
  double sum = 0;
  for (const SoftLink& link : cloth_.links) {
    const double c =
        (movers_.points[link.block[1]].position() - movers_.points[link.block[0]].position()).norm() - link.rest;
    sum += 0.5 * link.stiffness * c * c;
  }
  return sum;
}

bool ClothRun::is_finite() const {
  double sum = 0;
  for (const solver::Mover<double>& point : movers_.points) sum += point.x[0] + point.x[1] + point.x[2];
  return std::isfinite(sum) && std::abs(sum) < 1e6 * static_cast<double>(movers_.points.size());
}

}  // namespace pliant::projection_study
