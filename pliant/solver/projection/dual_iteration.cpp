#include "pliant/solver/projection/dual_iteration.h"

#include <algorithm>
#include <cmath>

#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

constexpr int kPowerIterations = 8;
constexpr double kRadiusMargin = 1.1;
constexpr int kUnknownBudget = 50;  // what improved_jacobi's momentum grows over when there is no budget
constexpr double kGrown = 3;        // residuals that have grown by so much ask for shorter steps
// Directions begin anew where residuals, squared, have not fallen to so much in so many iterations: what friction cuts off leaves
// them pointing elsewhere. A soft block that slides down a slope is left with 1e-2 of its speed after 200 without it, 2e-5 with
// it; 10 are too few (3e-3), 30 as good (1e-4); a pyramid of boxes does not notice.
constexpr int kStallIterations = 20;
constexpr double kFallenTo = 0.9;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return parallel_sum(static_cast<int>(a.size()), [&](int begin, int end) {
    // Side by side: one sum after another would wait for each addition.
    math::Lanes sums = math::lanes_of(0);
    int i = begin;
    for (; i + math::kLaneCount <= end; i += math::kLaneCount) sums += math::load(&a[i]) * math::load(&b[i]);
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < end; ++i) sum += a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(i)];
    return sum;
  });
}

// The part of a vector that belongs to a batch.
template <class Vector>
auto part(Vector& v, const std::vector<int>& first, std::size_t batch) {
  return std::span(v.data() + first[batch], static_cast<std::size_t>(first[batch + 1] - first[batch]));
}

}  // namespace

template <class Real>
void DualIteration<Real>::begin(ProjectionIteration kind, int budget, std::span<Batch<Real>* const> batches,
                                const Movers<Real>& movers) {
  kind_ = kind;
  budget_ = budget > 0 ? budget : kUnknownBudget;
  count_ = 0;
  theta_ = shortening_ = 1;
  last_curvature_ = 0;
  smallest_residual_ = 0;
  first_row_.assign(1, 0);
  for (const Batch<Real>* batch : batches) first_row_.push_back(first_row_.back() + batch->row_count());
  is_linear_ = std::all_of(batches.begin(), batches.end(), [](const Batch<Real>* batch) { return batch->is_linear(); });
  const auto rows = static_cast<std::size_t>(first_row_.back());
  for (std::vector<double>* v : {&r_, &z_, &change_, &direction_, &product_, &scratch_}) v->assign(rows, 0);
  response_ = no_impulses(movers);
  const bool needs_radius = kind == ProjectionIteration::jacobi || kind == ProjectionIteration::improved_jacobi ||
                            kind == ProjectionIteration::accelerated_jacobi;
  if (needs_radius && rows > 0) radius_ = kRadiusMargin * estimate_radius(batches, movers);
}

template <class Real>
void DualIteration<Real>::linearise(std::span<Batch<Real>* const> batches, const Movers<Real>& movers) {
  for (std::size_t b = 0; b < batches.size(); ++b) batches[b]->linearise(movers, part(r_, first_row_, b));
  precondition(batches, r_, z_);
}

template <class Real>
void DualIteration<Real>::precondition(std::span<Batch<Real>* const> batches, const std::vector<double>& r,
                                       std::vector<double>& z) const {
  for (std::size_t b = 0; b < batches.size(); ++b)
    batches[b]->precondition(part(r, first_row_, b), part(z, first_row_, b));
}

template <class Real>
void DualIteration<Real>::respond(std::span<Batch<Real>* const> batches, const std::vector<double>& d,
                                  const Movers<Real>& movers) {
  std::fill(response_.force.begin(), response_.force.end(), Vec3::Zero());
  std::fill(response_.torque.begin(), response_.torque.end(), Vec3::Zero());
  for (std::size_t b = 0; b < batches.size(); ++b) batches[b]->pull_back(part(d, first_row_, b), response_);
  for (std::size_t i = 0; i < response_.force.size(); ++i)
    response_.force[i] *= static_cast<double>(movers.points[i].w);
  for (std::size_t k = 0; k < response_.torque.size(); ++k)
    response_.torque[k] = movers.turners[k].inverse * response_.torque[k];
}

template <class Real>
double DualIteration<Real>::multiply(std::span<Batch<Real>* const> batches, const std::vector<double>& d,
                                     const Movers<Real>& movers, std::vector<double>& p) {
  respond(batches, d, movers);
  for (std::size_t b = 0; b < batches.size(); ++b)
    batches[b]->multiply(response_, part(d, first_row_, b), part(p, first_row_, b));
  return dot(d, p);
}

// The power method from a vector that no symmetry of a mesh can make orthogonal to the largest mode.
template <class Real>
double DualIteration<Real>::estimate_radius(std::span<Batch<Real>* const> batches, const Movers<Real>& movers) {
  linearise(batches, movers);
  std::uint32_t state = 12345;
  for (double& entry : direction_) {
    state = state * 1664525U + 1013904223U;
    entry = static_cast<double>(state >> 8) / (1U << 24) - 0.5;
  }
  precondition(batches, direction_, scratch_);
  direction_ = scratch_;
  double radius = 1;
  for (int k = 0; k < kPowerIterations; ++k) {
    const double size = std::sqrt(dot(direction_, direction_));
    if (!(size > 0)) break;
    for (double& entry : direction_) entry /= size;
    multiply(batches, direction_, movers, product_);
    precondition(batches, product_, scratch_);
    radius = std::max(1.0, std::sqrt(dot(scratch_, scratch_)));
    std::swap(direction_, scratch_);
  }
  std::fill(direction_.begin(), direction_.end(), 0.0);
  return radius;
}

// change_ becomes ΔΛ, before it is projected; on entry it is the last one.
template <class Real>
void DualIteration<Real>::choose_change(std::span<Batch<Real>* const> batches, const Movers<Real>& movers) {
  if (kind_ == ProjectionIteration::minres || kind_ == ProjectionIteration::conjugate_residual) {
    const double curvature = multiply(batches, z_, movers, scratch_);
    double beta = 0;
    if (kind_ == ProjectionIteration::conjugate_residual && last_curvature_ > 0)
      beta = std::clamp(curvature / last_curvature_, 0.0, 1.0);
    last_curvature_ = curvature;
    for (std::size_t i = 0; i < z_.size(); ++i) {
      direction_[i] = z_[i] + beta * direction_[i];
      product_[i] = scratch_[i] + beta * product_[i];
    }
    // Where A has changed, A p is not A z + β A p_prev.
    if (beta > 0 && !is_linear_) multiply(batches, direction_, movers, product_);
    precondition(batches, product_, scratch_);
    const double size = dot(product_, scratch_);
    const double alpha = size > 0 ? std::max(dot(r_, scratch_), 0.0) / size : 0;
    for (std::size_t i = 0; i < z_.size(); ++i) change_[i] = -shortening_ * alpha * direction_[i];
    return;
  }
  double beta = 0;
  if (kind_ == ProjectionIteration::improved_jacobi) {
    beta = std::pow(static_cast<double>(count_ % budget_) / budget_, 0.6);
  } else if (kind_ == ProjectionIteration::accelerated_jacobi) {
    if (dot(r_, change_) > 0) theta_ = 1;
    const double next = 0.5 * theta_ * (std::sqrt(theta_ * theta_ + 4) - theta_);
    beta = theta_ * (1 - theta_) / (theta_ * theta_ + next);
    theta_ = next;
  }
  const double step = shortening_ / radius_;
  for (std::size_t i = 0; i < z_.size(); ++i) change_[i] = -step * z_[i] + beta * change_[i];
}

template <class Real>
void DualIteration<Real>::iterate(std::span<Batch<Real>* const> batches, Movers<Real>& movers) {
  linearise(batches, movers);
  const double residual = dot(r_, z_);
  if (count_ == 0 || residual < smallest_residual_) smallest_residual_ = residual;
  if (residual > kGrown * kGrown * smallest_residual_) {
    shortening_ *= 0.5;
    theta_ = 1;
    last_curvature_ = 0;
    smallest_residual_ = residual;
    std::fill(change_.begin(), change_.end(), 0.0);
  }
  if (count_ == 0 || residual < kFallenTo * last_progress_) {
    last_progress_ = residual;
    progress_count_ = count_;
  } else if (count_ - progress_count_ >= kStallIterations) {
    last_curvature_ = 0;
    last_progress_ = residual;
    progress_count_ = count_;
  }
  choose_change(batches, movers);
  for (std::size_t b = 0; b < batches.size(); ++b) batches[b]->accept(part(change_, first_row_, b));
  respond(batches, change_, movers);
  for (std::size_t i = 0; i < movers.points.size(); ++i) movers.points[i].move(response_.force[i]);
  for (std::size_t k = 0; k < movers.turners.size(); ++k) movers.turners[k].turned += response_.torque[k];
  ++count_;
}

template <class Real>
const Impulses& DualIteration<Real>::response_to_multipliers(std::span<Batch<Real>* const> batches,
                                                             const Movers<Real>& movers) {
  linearise(batches, movers);
  for (std::size_t b = 0; b < batches.size(); ++b) batches[b]->write_multipliers(part(scratch_, first_row_, b));
  respond(batches, scratch_, movers);
  return response_;
}

template class DualIteration<double>;
template class DualIteration<float>;

}  // namespace pliant::solver
