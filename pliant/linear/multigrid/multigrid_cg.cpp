// When to set up what, and the iteration.
#include "pliant/linear/multigrid/multigrid_cg.h"

#include <cmath>

#include "pliant/assert.h"
#include "pliant/linear/pcg.h"
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
// As many iterations with new values: coarse levels that are kept cost a sixth more of them (20 → 23, 22 → 25, 67 → 80),
// new values as much time as four to five.
constexpr int kWorthNewValues = 30;
// Of rᵀz since the last true residual: the next one. Every six iterations or so.
constexpr double kRenewedResidual = 1e-4;
// Of pᵀAp in the first iteration, whose direction has the smooth parts of the solution: larger, and single precision
// knows too little of A. Free trusses of 2 k points: 7 iterations in double and 12 from the cycle where it is 6 · 10⁻²,
// 19 and 54 where it is 6, 9 and 9 where it is 5 · 10⁻⁴. Cloth and bars: 6 · 10⁻⁶ to 8 · 10⁻⁴.
constexpr double kCurvatureError = 1e-3;
// A true residual so much larger (squared) than the recursion's: the recursion is of no use. In the energy norm; and in
// the Euclidean norm, which sees single precision sooner, when that is only a first look.
constexpr double kAstray = 10, kAgreeing = 1.5;
// Of rᵀz since the start, which conjugate gradients with a positive definite cycle stay far below: the cycle is not that in
// single precision (rows of dominoes whose contacts with friction are 10⁸ times stiffer than their inertia: up to 10⁷³).
constexpr double kLost = 1e8;

}  // namespace

// --- Set-up ---

void MultigridCg::analyze(const std::shared_ptr<const sparse::BlockPattern>& pattern) {
  if (residual_.size() == pattern->row_count()) return;
  matrix_ = nullptr;
  for (BlockVector* v : {&residual_, &direction_, &product_}) v->resize(pattern->row_count());
}

LinearStatus MultigridCg::factor(const sparse::SymmetricBlockMatrix& matrix) { return take(matrix, false); }

LinearStatus MultigridCg::factor_values(const sparse::SymmetricBlockMatrix& matrix) { return take(matrix, true); }

LinearStatus MultigridCg::take(const sparse::SymmetricBlockMatrix& matrix, bool must_refresh) {
  analyze(matrix.shared_pattern());
  matrix_ = &matrix;
  LinearStatus status = LinearStatus::solved;
  if (is_outdated_ || !hierarchy_.fits(matrix.shared_pattern())) {
    status = build();
  } else if (must_refresh) {
    status = refresh();
  } else if (!hierarchy_.is_of(matrix)) {
    drift_ *= hierarchy_.largest_change(matrix);
    const bool is_slow = last_iterations_ > kSlower * after_values_ + 1 || after_values_ > kWorthNewValues;
    status = is_slow || drift_ > kChangedDiagonal ? refresh() : renew_finest();
  }
  if (status != LinearStatus::solved) matrix_ = nullptr;
  return status;
}

LinearStatus MultigridCg::build() {
  ++build_count_;
  is_stale_ = false;
  drift_ = 1;
  const LinearStatus status = hierarchy_.build(*matrix_, geometry_);
  is_outdated_ = status != LinearStatus::solved;
  was_refreshed_ = false;
  after_build_ = after_values_ = last_iterations_ = 0;
  return status;
}

LinearStatus MultigridCg::renew_finest() {
  is_stale_ = true;
  const LinearStatus status = hierarchy_.renew_finest(*matrix_);
  is_outdated_ = status != LinearStatus::solved;
  return status;
}

LinearStatus MultigridCg::refresh() {
  ++refresh_count_;
  is_stale_ = false;
  drift_ = 1;
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
  const double b_b = sparse::dot(b, b);
  if (b_b == 0) return report;
  is_lost_ = false;
  report.status = iterate(b, x, report.iterations);
  if (is_lost_) {
    is_outdated_ = true;
    return solve_without_hierarchy(b, x, report.iterations);
  }
  note_iterations(report.iterations);
  const bool is_confirmed = report.status == LinearStatus::solved && products_ == Products::from_cycle;
  report.residual = is_confirmed ? std::sqrt(sparse::dot(residual_, residual_) / b_b)
                                 : relative_residual(*matrix_, b, x, nullptr, product_);
  return report;
}

LinearReport MultigridCg::solve_without_hierarchy(const BlockVector& b, BlockVector& x, int wasted) const {
  Pcg simple({.tolerance = settings_.tolerance, .max_iterations = settings_.max_iterations});
  if (const LinearStatus status = simple.factor(*matrix_); status != LinearStatus::solved) return {.status = status};
  LinearReport report = simple.solve(b, x);
  report.iterations += wasted;
  return report;
}

LinearStatus MultigridCg::iterate(const BlockVector& b, BlockVector& x, int& iterations) {
  products_ = hierarchy_.knows_residual() ? Products::from_cycle : Products::in_double;
  double r_z = start(b, x, Guess::zero);
  const double first = r_z;
  double target = settings_.tolerance * settings_.tolerance * r_z;
  double at_true_residual = r_z;
  while (iterations < settings_.max_iterations) {
    if (!std::isfinite(r_z)) return LinearStatus::not_finite;
    is_lost_ = r_z > kLost * first;
    if (is_lost_) return LinearStatus::not_converged;
    if (r_z <= 0) return give_up(b, iterations, x);
    // How far along p the quadratic has its minimum.
    const double curvature = find_curvature(iterations == 0);
    ++iterations;
    if (!std::isfinite(curvature)) return LinearStatus::not_finite;
    if (curvature <= 0) return give_up(b, iterations - 1, x);
    const double alpha = r_z / curvature;

    // x and r there, z = B r, and the next direction.
    step_solution_and_residual(alpha, x);
    const bool is_renewed = products_ == Products::from_cycle && r_z <= kRenewedResidual * at_true_residual;
    if (is_renewed) take_true_residual(b, x);
    hierarchy_.run_cycle();
    double next_r_z = times_preconditioned(residual_);
    if (is_renewed) {
      at_true_residual = next_r_z;
      if (next_r_z > kAstray * r_z) products_ = Products::in_double;
    }
    if (next_r_z >= 0 && next_r_z <= target) {
      if (confirm(b, x, target, next_r_z)) return LinearStatus::solved;
      products_ = Products::in_double;
      turn_direction(0);
      r_z = next_r_z;
      continue;
    }
    turn_direction(-alpha * times_preconditioned(product_) / r_z);
    r_z = next_r_z;
    if (settings_.outlook.is_hopeless(iterations, r_z / first, settings_.tolerance)) return LinearStatus::not_converged;

    // An old hierarchy that serves badly is renewed, and the iteration starts again from x.
    if (is_stale_ && iterations > kMuchSlower * after_values_ + kFewIterations) {
      if (const LinearStatus status = refresh(); status != LinearStatus::solved) return status;
      r_z = start(b, x, Guess::given);
      target *= next_r_z > 0 && r_z > 0 ? r_z / next_r_z : 1;  // the norm is another one now
    }
  }
  return LinearStatus::not_converged;
}

double MultigridCg::find_curvature(bool is_first) {
  if (products_ == Products::from_cycle) {
    const double believed = sparse::dot(direction_, product_);
    if (!is_first) return believed;
    matrix_->multiply(direction_, product_);
    const double curvature = sparse::dot(direction_, product_);
    if (!(std::abs(believed - curvature) <= kCurvatureError * curvature)) products_ = Products::in_double;
    return curvature;
  }
  matrix_->multiply(direction_, product_);
  return sparse::dot(direction_, product_);
}

bool MultigridCg::confirm(const BlockVector& b, const BlockVector& x, double target, double& r_z) {
  if (products_ == Products::in_double) return true;
  const double believed = sparse::dot(residual_, residual_);
  take_true_residual(b, x);
  if (sparse::dot(residual_, residual_) <= kAgreeing * believed) return true;
  hierarchy_.run_cycle();
  r_z = times_preconditioned(residual_);
  return r_z <= target;
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

double MultigridCg::start(const BlockVector& b, const BlockVector& x, Guess guess) {
  if (guess == Guess::given) {
    take_true_residual(b, x);
  } else {
    sparse::combine(residual_, 1, b, 0, b);
    hand_to_cycle();
  }
  hierarchy_.run_cycle();
  turn_direction(0);
  return times_preconditioned(residual_);
}

// r = b − A x
void MultigridCg::take_true_residual(const BlockVector& b, const BlockVector& x) {
  matrix_->multiply(x, residual_);
  sparse::combine(residual_, 1, b, -1, residual_);
  hand_to_cycle();
}

void MultigridCg::hand_to_cycle() {
  shrink_ = shrinking_factor(largest_number(residual_));
  float* const r = hierarchy_.right_side();
  parallel_for(residual_.size(), kVectorGrain, [&](int begin, int end) {
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); ++k)
      r[k] = static_cast<float>(shrink_ * residual_.data()[k]);
  });
  grow_ = hierarchy_.solution_scale() / shrink_;
}

// x += α p, r −= α A p and the cycle's copy of r, in one sweep. The copy is scaled by the size of the last r: it need
// only be far from the ends of single precision.
void MultigridCg::step_solution_and_residual(double alpha, BlockVector& x) {
  const double *p = direction_.data(), *ap = product_.data();
  double *r = residual_.data(), *px = x.data();
  float* const copy = hierarchy_.right_side();
  const double largest = parallel_max(x.size(), 0, [&](int begin, int end) {
    Lanes most{};
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); k += 4) {
      store(px + k, load(px + k) + alpha * load(p + k));
      const Lanes left = load(r + k) - alpha * load(ap + k);
      store(r + k, left);
      store_floats(copy + k, __builtin_convertvector(shrink_ * left, Float4));
      most = math::max(most, math::abs(left));
    }
    return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  });
  grow_ = hierarchy_.solution_scale() / shrink_;
  shrink_ = shrinking_factor(largest);
}

double MultigridCg::times_preconditioned(const BlockVector& v) const {
  const float* const z = hierarchy_.solution();
  const double* const pv = v.data();
  return grow_ * parallel_sum(v.size(), [&](int begin, int end) {
           Lanes even{}, odd{};
           std::size_t k = 4 * static_cast<std::size_t>(begin);
           const std::size_t last = 4 * static_cast<std::size_t>(end);
           for (; k + 4 < last; k += 8) {
             even += load(pv + k) * __builtin_convertvector(load_floats<Float4>(z + k), Lanes);
             odd += load(pv + k + 4) * __builtin_convertvector(load_floats<Float4>(z + k + 4), Lanes);
           }
           if (k < last) even += load(pv + k) * __builtin_convertvector(load_floats<Float4>(z + k), Lanes);
           return math::sum(even + odd);
         });
}

void MultigridCg::turn_direction(double beta) {
  const float *const z = hierarchy_.solution(), *const left = hierarchy_.residual();  // left = s (r − A z)
  const double* const r = residual_.data();
  double *const p = direction_.data(), *const ap = product_.data();
  const bool has_product = products_ == Products::from_cycle;
  const double shrunk = grow_ / hierarchy_.solution_scale();  // 1 / s
  parallel_for(direction_.size(), kVectorGrain, [&](int begin, int end) {
    for (std::size_t k = 4 * static_cast<std::size_t>(begin); k < 4 * static_cast<std::size_t>(end); k += 4) {
      const Lanes step = grow_ * __builtin_convertvector(load_floats<Float4>(z + k), Lanes);
      store(p + k, beta == 0 ? step : step + beta * load(p + k));
      if (!has_product) continue;
      const Lanes az = load(r + k) - shrunk * __builtin_convertvector(load_floats<Float4>(left + k), Lanes);
      store(ap + k, beta == 0 ? az : az + beta * load(ap + k));
    }
  });
}

std::size_t MultigridCg::memory_bytes() const {
  return hierarchy_.memory_bytes() + 3 * 4 * sizeof(double) * static_cast<std::size_t>(residual_.size());
}

}  // namespace pliant::linear
