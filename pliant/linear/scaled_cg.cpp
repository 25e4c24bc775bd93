#include "pliant/linear/scaled_cg.h"

#include <cmath>
#include <limits>

#include "pliant/assert.h"
#include "pliant/linear/multigrid/block_kernels.h"
#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

using math::Lanes;
using math::load;
using math::store;

constexpr int kPiece = ScaledRows::kRowsPerPiece;
// The residual that recursion believes in may be this much smaller than the true one.
constexpr double kDrift = 4;

// W r of one row, the fourth entry zero
inline Lanes scaled(const double* w, const double* r) {
  Lanes z = load(w) * r[0] + load(w + 3) * r[1] + load(w + 6) * r[2];
  z[3] = 0;
  return z;
}

}  // namespace

bool ScaledCg::factor(const sparse::SymmetricBlockMatrix& matrix) {
  matrix_ = nullptr;
  if (!rows_.take(matrix)) return false;
  matrix_ = &matrix;
  const std::size_t floats = 8 * ((static_cast<std::size_t>(matrix.row_count()) + 1) / 2);
  if (wide_.size() == matrix.row_count()) return true;
  for (std::vector<float>* v : {&residual_, &product_, &direction_, &along_, &solution_}) v->resize(floats);
  for (BlockVector* v : {&wide_, &wide_product_}) v->resize(matrix.row_count());
  partial_.resize(static_cast<std::size_t>((matrix.row_count() + kPiece - 1) / kPiece));
  return true;
}

ScaledCg::Result ScaledCg::solve(const BlockVector& b, double tolerance, int max_iterations, BlockVector& x) {
  PLIANT_ASSERT(matrix_ != nullptr, "a solve follows a factor call that succeeded");
  Result result;
  if (!start(b)) return {{}, false};
  LinearReport& report = result.report;
  report.status = iterate(tolerance, max_iterations, report.iterations);
  if (report.status == LinearStatus::not_finite) return {report, false};
  // The first direction is the preconditioned right-hand side.
  const bool is_first = report.status == LinearStatus::not_positive_definite && report.iterations == 1;
  unscale(is_first ? residual_ : solution_, x);
  const Residuals residuals = true_residual(b, x);
  report.residual = residuals.plain;
  result.is_trusted = report.status != LinearStatus::solved || residuals.scaled <= kDrift * tolerance;
  return result;
}

bool ScaledCg::start(const BlockVector& b) {
  const double* w = rows_.scales();
  const double* pb = b.data();
  double* z = wide_.data();
  size_ = std::sqrt(parallel_sum(b.size(), [&](int begin, int end) {
    Lanes sum{};
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      const Lanes zi = scaled(w + 9 * i, pb + 4 * i);
      store(z + 4 * i, zi);
      sum += zi * zi;
    }
    return math::sum(sum);
  }));
  if (!(size_ > 0) || !std::isfinite(size_)) return false;
  const double factor = 1 / size_;
  if (!std::isfinite(factor)) return false;
  parallel_for(b.size(), kPiece, [&](int begin, int end) {
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      store_floats(&residual_[4 * i], __builtin_convertvector(factor * load(z + 4 * i), Float4));
      for (std::vector<float>* v : {&direction_, &along_, &solution_}) store_floats(&(*v)[4 * i], Float4{});
    }
  });
  return true;
}

LinearStatus ScaledCg::iterate(double tolerance, int max_iterations, int& iterations) {
  const double target = tolerance * tolerance;
  double gamma = 1, alpha = 1, beta = 0;
  while (iterations < max_iterations) {
    const double delta = rows_.multiply(residual_.data(), product_.data());
    ++iterations;
    const double curvature = delta - beta * gamma / alpha;
    if (!std::isfinite(curvature)) return LinearStatus::not_finite;
    if (curvature <= 0) {
      // Double precision finds one that is positive: not_finite says that single does not know.
      return true_curvature(beta) <= 0 ? LinearStatus::not_positive_definite : LinearStatus::not_finite;
    }
    alpha = gamma / curvature;
    const double next = step(alpha, beta);
    if (!std::isfinite(next)) return LinearStatus::not_finite;
    if (next <= target) return LinearStatus::solved;
    beta = next / gamma;
    gamma = next;
  }
  return LinearStatus::not_converged;
}

double ScaledCg::step(double alpha, double beta) {
  const float a = static_cast<float>(alpha), b = static_cast<float>(beta);
  float *r = residual_.data(), *p = direction_.data(), *s = along_.data(), *x = solution_.data();
  const float* w = product_.data();
  // Two rows at a time; behind an odd number of them stands one of zeros.
  parallel_for(rows_.row_count(), kPiece, [&](int begin, int end) {
    Float8 sum{};
    for (std::size_t i = 4 * static_cast<std::size_t>(begin); i < 4 * static_cast<std::size_t>(end); i += 8) {
      const Float8 ri = load_floats<Float8>(r + i);
      const Float8 pi = ri + b * load_floats<Float8>(p + i);
      const Float8 si = load_floats<Float8>(w + i) + b * load_floats<Float8>(s + i);
      const Float8 next = ri - a * si;
      store_floats(p + i, pi);
      store_floats(s + i, si);
      store_floats(x + i, load_floats<Float8>(x + i) + a * pi);
      store_floats(r + i, next);
      sum += next * next;
    }
    partial_[begin / kPiece] = (double{sum[0]} + sum[4]) + (double{sum[1]} + sum[5]) + (double{sum[2]} + sum[6]);
  });
  double total = 0;
  for (const double part : partial_) total += part;
  return total;
}

double ScaledCg::true_curvature(double beta) {
  const float b = static_cast<float>(beta);
  for (std::size_t k = 0; k < direction_.size(); ++k) along_[k] = residual_[k] + b * direction_[k];
  unscale(along_, wide_);
  matrix_->multiply(wide_, wide_product_);
  return sparse::dot(wide_, wide_product_);
}

void ScaledCg::unscale(const std::vector<float>& v, BlockVector& x) const {
  const double* w = rows_.scales();
  parallel_for(x.size(), kPiece, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const Eigen::Map<const Mat3> wi(w + 9 * static_cast<std::size_t>(i));
      const float* vi = &v[4 * static_cast<std::size_t>(i)];
      x[i] = size_ * (wi.transpose() * Vec3(vi[0], vi[1], vi[2]));
    }
  });
}

ScaledCg::Residuals ScaledCg::true_residual(const BlockVector& b, const BlockVector& x) {
  matrix_->multiply(x, wide_product_);
  sparse::combine(wide_product_, 1, b, -1, wide_product_);
  const double *w = rows_.scales(), *r = wide_product_.data();
  const double scaled_squared = parallel_sum(b.size(), [&](int begin, int end) {
    Lanes sum{};
    for (std::size_t i = begin; i < static_cast<std::size_t>(end); ++i) {
      const Lanes z = scaled(w + 9 * i, r + 4 * i);
      sum += z * z;
    }
    return math::sum(sum);
  });
  return {std::sqrt(scaled_squared) / size_, std::sqrt(sparse::dot(wide_product_, wide_product_) / sparse::dot(b, b))};
}

std::size_t ScaledCg::memory_bytes() const {
  return rows_.memory_bytes() + 5 * sizeof(float) * residual_.capacity() + sizeof(double) * partial_.capacity() +
         2 * 4 * sizeof(double) * static_cast<std::size_t>(wide_.size());
}

}  // namespace pliant::linear
