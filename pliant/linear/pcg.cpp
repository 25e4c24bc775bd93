// Conjugate gradients: one product, one dot product and two fused sweeps per iteration.
#include "pliant/linear/pcg.h"

#include <cmath>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using math::Lanes;
using math::load;
using math::store;

constexpr int kGrain = 4096;  // blocks per piece

// z = M r for one block, fourth lane zero.
inline Lanes apply_block(const double* m, const double* r) {
  Lanes z = load(m) * r[0] + load(m + 3) * r[1] + load(m + 6) * r[2];
  z[3] = 0;
  return z;
}

}  // namespace

void Pcg::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  if (residual_.size() == pattern->row_count()) return;
  matrix_ = nullptr;
  for (BlockVector* v : {&residual_, &preconditioned_, &direction_, &product_}) v->resize(pattern->row_count());
}

LinearStatus Pcg::factor(const sparse::SymmetricBlockMatrix& matrix) {
  analyze(matrix.shared_pattern());
  matrix_ = nullptr;
  is_preconditioned_ = false;
  is_scaled_ = is_single_enough() && scaled_.factor(matrix);
  const LinearStatus status = is_scaled_ ? LinearStatus::solved : precondition(matrix);
  if (status == LinearStatus::solved) matrix_ = &matrix;
  return status;
}

LinearStatus Pcg::precondition(const sparse::SymmetricBlockMatrix& matrix) {
  if (preconditioner_.factor(matrix, filter_) == BlockJacobi::Finite::no) return LinearStatus::not_finite;
  is_preconditioned_ = true;
  return LinearStatus::solved;
}

LinearReport Pcg::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  PLIANT_ASSERT(b.size() == residual_.size() && x.size() == residual_.size(),
                "vectors have a block per row of the matrix");
  int wasted = 0;
  if (is_scaled_ && is_single_enough()) {
    const ScaledCg::Result result = scaled_.solve(b, settings_.tolerance, settings_.max_iterations, x);
    if (result.is_trusted) return result.report;
    wasted = result.report.iterations;
  }
  if (!is_preconditioned_) {
    if (const LinearStatus status = precondition(*matrix_); status != LinearStatus::solved) return {.status = status};
  }
  LinearReport report = solve_in_double(b, x);
  report.iterations += wasted;
  return report;
}

LinearReport Pcg::solve_in_double(const BlockVector& b, BlockVector& x) {
  LinearReport report;
  const double r_dot_z = start(b, x);
  if (r_dot_z == 0) return report;
  report.status = iterate(r_dot_z, x, report.iterations);
  // The recursion's residual drifts from the true one: measure that.
  report.residual = relative_residual(*matrix_, b, x, filter_, product_);
  return report;
}

LinearStatus Pcg::iterate(double r_dot_z, BlockVector& x, int& iterations) {
  if (!std::isfinite(r_dot_z)) return LinearStatus::not_finite;
  const double first = r_dot_z, target = settings_.tolerance * settings_.tolerance * first;
  while (iterations < settings_.max_iterations) {
    // How far along p the quadratic has its minimum.
    matrix_->multiply(direction_, product_);
    if (filter_) filter_->apply(product_);
    const double curvature = sparse::dot(direction_, product_);
    ++iterations;
    if (!std::isfinite(curvature)) return LinearStatus::not_finite;
    if (curvature <= 0) {
      if (iterations == 1) sparse::combine(x, 1, direction_, 0, direction_);
      return LinearStatus::not_positive_definite;
    }
    const double alpha = r_dot_z / curvature;

    // r and z there, then x and the next conjugate direction.
    const double next = step_residual(alpha);
    step_solution_and_direction(alpha, next / r_dot_z, x);
    r_dot_z = next;
    if (!std::isfinite(r_dot_z)) return LinearStatus::not_finite;
    if (r_dot_z <= target) return LinearStatus::solved;
    if (settings_.outlook.is_hopeless(iterations, r_dot_z / first, settings_.tolerance))
      return LinearStatus::not_converged;
  }
  return LinearStatus::not_converged;
}

// x = 0, r = S b, z = p = M r
double Pcg::start(const BlockVector& b, BlockVector& x) {
  sparse::combine(residual_, 1, b, 0, b);
  if (filter_) filter_->apply(residual_);
  const double* m = preconditioner_.inverses();
  const double* r = residual_.data();
  double *z = preconditioned_.data(), *p = direction_.data(), *px = x.data();
  return parallel_sum(x.size(), [&](int begin, int end) {
    Lanes sum{};
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      const Lanes zi = apply_block(m + 9 * i, r + 4 * i);
      store(z + 4 * i, zi);
      store(p + 4 * i, zi);
      store(px + 4 * i, Lanes{});
      sum += load(r + 4 * i) * zi;
    }
    return math::sum(sum);
  });
}

// r −= α A p, z = M r, in one sweep
double Pcg::step_residual(double alpha) {
  const double *m = preconditioner_.inverses(), *ap = product_.data();
  double *r = residual_.data(), *z = preconditioned_.data();
  return parallel_sum(residual_.size(), [&](int begin, int end) {
    Lanes sum{};
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      const Lanes ri = load(r + 4 * i) - alpha * load(ap + 4 * i);
      store(r + 4 * i, ri);
      const Lanes zi = apply_block(m + 9 * i, r + 4 * i);
      store(z + 4 * i, zi);
      sum += ri * zi;
    }
    return math::sum(sum);
  });
}

// x += α p, p = z + β p, in one sweep: p is read once
void Pcg::step_solution_and_direction(double alpha, double beta, BlockVector& x) {
  const double* z = preconditioned_.data();
  double *p = direction_.data(), *px = x.data();
  parallel_for(x.size(), kGrain, [&](int begin, int end) {
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      const Lanes pi = load(p + 4 * i);
      store(px + 4 * i, load(px + 4 * i) + alpha * pi);
      store(p + 4 * i, load(z + 4 * i) + beta * pi);
    }
  });
}

std::size_t Pcg::memory_bytes() const {
  return scaled_.memory_bytes() + preconditioner_.memory_bytes() +
         4 * 4 * sizeof(double) * static_cast<std::size_t>(residual_.size());
}

}  // namespace pliant::linear
