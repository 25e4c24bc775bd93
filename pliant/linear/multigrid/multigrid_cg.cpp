// When to set up what, and the iteration.
#include "pliant/linear/multigrid/multigrid_cg.h"

#include <cmath>

#include "pliant/assert.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using math::Lanes;
using math::load;
using math::store;

constexpr int kVectorGrain = 4096;  // blocks per piece
// A diagonal block that changed by more than this factor. New values cost as much as five or six iterations; in a sheet
// that wrinkles, the hierarchy of the last Newton iterate took 100 iterations where new values took 65.
constexpr double kChangedDiagonal = 1.1;
// Iterations against those of the first solve with the same values: new values from here on; in the middle of a solve;
// new aggregates, against those after the last build.
constexpr double kSlower = 1.2, kMuchSlower = 2, kNeedsAggregates = 1.5;
constexpr int kFewIterations = 10;  // not worth a thought

}  // namespace

// --- Set-up ---

void MultigridCg::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  if (residual_.size() == pattern->row_count()) return;
  matrix_ = nullptr;
  for (BlockVector* v : {&residual_, &preconditioned_, &direction_, &product_}) v->resize(pattern->row_count());
}

LinearStatus MultigridCg::factor(const sparse::SymmetricBlockMatrix& matrix) { return take(matrix, false); }

LinearStatus MultigridCg::factor_values(const sparse::SymmetricBlockMatrix& matrix) { return take(matrix, true); }

LinearStatus MultigridCg::take(const sparse::SymmetricBlockMatrix& matrix, bool must_refresh) {
  analyze(matrix.shared_pattern());
  matrix_ = &matrix;
  LinearStatus status = LinearStatus::solved;
  is_stale_ = false;
  if (is_outdated_ || !hierarchy_.fits(matrix.shared_pattern())) {
    status = build();
  } else if (must_refresh || last_iterations_ > kSlower * after_values_ + 1 ||
             hierarchy_.differs(matrix, kChangedDiagonal)) {
    status = refresh();
  } else {
    is_stale_ = true;
  }
  if (status != LinearStatus::solved) matrix_ = nullptr;
  return status;
}

LinearStatus MultigridCg::build() {
  ++build_count_;
  const LinearStatus status = hierarchy_.build(*matrix_, geometry_);
  is_outdated_ = status != LinearStatus::solved;
  was_refreshed_ = false;
  after_build_ = after_values_ = last_iterations_ = 0;
  return status;
}

LinearStatus MultigridCg::refresh() {
  ++refresh_count_;
  const LinearStatus status = hierarchy_.refresh(*matrix_, geometry_);
  is_outdated_ = status != LinearStatus::solved;
  was_refreshed_ = true;
  after_values_ = last_iterations_ = 0;
  return status;
}

void MultigridCg::note_iterations(int iterations) {
  last_iterations_ = iterations;
  if (after_build_ == 0) after_build_ = iterations;
  if (after_values_ == 0 && !is_stale_) after_values_ = iterations;
  if (was_refreshed_ && !is_stale_ && iterations > kNeedsAggregates * after_build_ + kFewIterations)
    is_outdated_ = true;
}

// --- The iteration ---

LinearReport MultigridCg::solve(const BlockVector& b, BlockVector& x) {
  PLIANT_ASSERT(matrix_, "a solve follows a factor call that succeeded");
  PLIANT_ASSERT(b.size() == residual_.size() && x.size() == residual_.size(),
                "vectors have a block per row of the matrix");
  LinearReport report;
  sparse::set_zero(x);
  if (!sparse::all_finite(b)) return {.status = LinearStatus::not_finite};
  if (sparse::dot(b, b) == 0) return report;
  report.status = iterate(b, x, report.iterations);
  note_iterations(report.iterations);
  report.residual = relative_residual(*matrix_, b, x, nullptr, product_);
  return report;
}

LinearStatus MultigridCg::iterate(const BlockVector& b, BlockVector& x, int& iterations) {
  double r_z = start(b, x);
  double target = settings_.tolerance * settings_.tolerance * r_z;
  while (iterations < settings_.max_iterations) {
    if (!std::isfinite(r_z)) return LinearStatus::not_finite;
    if (r_z <= 0) return give_up(b, iterations, x);
    // How far along p the quadratic has its minimum.
    matrix_->multiply(direction_, product_);
    const double curvature = sparse::dot(direction_, product_);
    ++iterations;
    if (!std::isfinite(curvature)) return LinearStatus::not_finite;
    if (curvature <= 0) return give_up(b, iterations - 1, x);
    const double alpha = r_z / curvature;

    // x and r there, z = B r, and the next direction.
    step_solution_and_residual(alpha, x);
    const Products next = precondition();
    if (next.r_z >= 0 && next.r_z <= target) return LinearStatus::solved;
    sparse::combine(direction_, 1, preconditioned_, -alpha * next.z_ap / r_z, direction_);
    r_z = next.r_z;

    // An old hierarchy that serves badly is renewed, and the iteration starts again from x.
    if (is_stale_ && iterations > kMuchSlower * after_values_ + kFewIterations) {
      is_stale_ = false;
      if (const LinearStatus status = refresh(); status != LinearStatus::solved) return status;
      const double before = next.r_z;
      r_z = start(b, x);
      target *= before > 0 && r_z > 0 ? r_z / before : 1;  // the norm is another one now
    }
  }
  return LinearStatus::not_converged;
}

// The iterate, or the block-Jacobi step where there is none yet: positive for any matrix.
LinearStatus MultigridCg::give_up(const BlockVector& b, int iterations, BlockVector& x) {
  is_outdated_ = true;
  if (iterations > 0) return LinearStatus::not_positive_definite;
  BlockJacobi jacobi;
  if (jacobi.factor(*matrix_, nullptr) == BlockJacobi::Finite::no) return LinearStatus::not_finite;
  for (int i = 0; i < b.size(); ++i)
    x[i] = Eigen::Map<const Mat3>(jacobi.inverses() + 9 * static_cast<std::size_t>(i)) * b[i];
  return LinearStatus::not_positive_definite;
}

double MultigridCg::start(const BlockVector& b, const BlockVector& x) {
  matrix_->multiply(x, product_);
  sparse::combine(residual_, 1, b, -1, product_);
  hierarchy_.apply(residual_, preconditioned_);
  sparse::combine(direction_, 1, preconditioned_, 0, preconditioned_);
  return sparse::dot(residual_, preconditioned_);
}

// x += α p, r −= α A p, in one sweep
void MultigridCg::step_solution_and_residual(double alpha, BlockVector& x) {
  const double *p = direction_.data(), *ap = product_.data();
  double *r = residual_.data(), *px = x.data();
  parallel_for(x.size(), kVectorGrain, [&](int begin, int end) {
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); k += 4) {
      store(px + k, load(px + k) + alpha * load(p + k));
      store(r + k, load(r + k) - alpha * load(ap + k));
    }
  });
}

MultigridCg::Products MultigridCg::precondition() {
  hierarchy_.apply(residual_, preconditioned_);
  return {sparse::dot(residual_, preconditioned_), sparse::dot(preconditioned_, product_)};
}

std::size_t MultigridCg::memory_bytes() const {
  return hierarchy_.memory_bytes() + 4 * 4 * sizeof(double) * static_cast<std::size_t>(residual_.size());
}

}  // namespace pliant::linear
