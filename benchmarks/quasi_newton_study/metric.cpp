#include "benchmarks/quasi_newton_study/metric.h"

#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "benchmarks/quasi_newton_study/incomplete_cholesky.h"
#include "pliant/assert.h"
#include "pliant/energy/weighted.h"
#include "pliant/linear/block_jacobi.h"
#include "pliant/linear/cholesky.h"
#include "pliant/linear/constant_factor.h"
#include "pliant/math/lanes.h"
#include "pliant/math/polar.h"

namespace pliant::study {
namespace {

using linear::LinearStatus;
using sparse::SymmetricBlockMatrix;
using sparse::SymmetricScalarMatrix;
using Value = solver::Objective::Value;

void factor(linear::Cholesky& cholesky, const SymmetricBlockMatrix& matrix) {
  const LinearStatus status = cholesky.factor(matrix);
  PLIANT_ASSERT(status == LinearStatus::solved, "a projected Hessian with inertia is positive definite");
  (void)status;
}

class ConstantMatrix final : public Metric {
 public:
  explicit ConstantMatrix(double scale) : scale_(scale) {}
  void prepare(const StudyStep& step) override { (void)factor_.factor(weights_of(step, scale_)); }
  void apply(const BlockVector& q, BlockVector& r) override { factor_.solve(q, r); }

 private:
  double scale_;
  linear::ConstantFactor factor_;
};

// y = A x with a row's sum in a register.
void multiply(const SymmetricScalarMatrix& matrix, const BlockVector& x, BlockVector& y) {
  sparse::set_zero(y);
  const auto start = matrix.pattern().row_start();
  const auto column = matrix.pattern().column();
  const double *a = matrix.values().data(), *px = x.data();
  double* py = y.data();
  for (int i = 0; i < matrix.row_count(); ++i) {
    const math::Lanes xi = math::load(px + 4 * i);
    math::Lanes sum = math::load(py + 4 * i) + a[start[i]] * xi;
    for (int s = start[i] + 1; s < start[i + 1]; ++s) {
      const int j = 4 * column[s];
      sum += a[s] * math::load(px + j);
      math::store(py + j, math::load(py + j) + a[s] * xi);
    }
    math::store(py + 4 * i, sum);
  }
}

class ConstantMatrixByCg final : public Metric {
 public:
  explicit ConstantMatrixByCg(int products) : limits_{products, 0} {}
  void prepare(const StudyStep& step) override { matrix_ = weights_of(step); }
  void apply(const BlockVector& q, BlockVector& r) override {
    const auto jacobi = [&](const BlockVector& in, BlockVector& out) {
      for (int i = 0; i < in.size(); ++i) out[i] = in[i] / matrix_.values()[matrix_.pattern().diagonal_slot(i)];
    };
    conjugate_gradients([&](const BlockVector& p, BlockVector& out) { multiply(matrix_, p, out); }, jacobi, q, r,
                        limits_, scratch_);
  }

 private:
  CgLimits limits_;
  SymmetricScalarMatrix matrix_;
  CgScratch scratch_;
};

class ScaledIdentity final : public Metric {
 public:
  void start(const StudyStep& step, solver::Objective&) override { step_ = &step, scale_ = 0; }
  void see_pair(double s_dot_t, double t_dot_t) override { scale_ = t_dot_t > 0 ? s_dot_t / t_dot_t : 0; }
  void apply(const BlockVector& q, BlockVector& r) override {
    const double h2 = step_->step * step_->step;
    for (int i = 0; i < q.size(); ++i) r[i] = (scale_ > 0 ? scale_ : h2 / step_->inertia.masses()[i]) * q[i];
  }

 private:
  const StudyStep* step_ = nullptr;
  double scale_ = 0;  // of the inverse
};

class RestHessian final : public Metric {
 public:
  void prepare(const StudyStep& step) override {
    matrix_ = hessian_of(step, rest_of(step), HessianKind::projected);
    factor(cholesky_, matrix_);
  }
  void apply(const BlockVector& q, BlockVector& r) override { (void)cholesky_.solve(q, r); }

 private:
  SymmetricBlockMatrix matrix_;
  linear::Cholesky cholesky_;
};

class WarpedRestHessian final : public Metric {
 public:
  void prepare(const StudyStep& step) override {
    rest_.prepare(step);
    turned_.resize(step.count());
  }
  void start(const StudyStep& step, solver::Objective&) override { rotations_ = vertex_rotations(step, step.before); }
  void apply(const BlockVector& q, BlockVector& r) override {
    for (int i = 0; i < q.size(); ++i) turned_[i] = rotations_[i].transpose() * q[i];
    rest_.apply(turned_, r);
    for (int i = 0; i < q.size(); ++i) r[i] = (rotations_[i] * r[i]).eval();
  }

 private:
  RestHessian rest_;
  std::vector<Mat3> rotations_;
  BlockVector turned_;
};

// Keeps the Hessian at the start of the frame.
class AtFrameStart : public Metric {
 public:
  explicit AtFrameStart(FrameStart where) : where_(where) {}
  void prepare(const StudyStep& step) override {
    hessian_ = SymmetricBlockMatrix(step.pattern);
    gradient_.resize(step.count());
  }
  void start(const StudyStep& step, solver::Objective& objective) override {
    objective.evaluate(where_ == FrameStart::before ? step.before : step.target, gradient_, &hessian_,
                       HessianKind::projected);
  }

 protected:
  SymmetricBlockMatrix hessian_;

 private:
  FrameStart where_;
  BlockVector gradient_;
};

class FrameStartHessian final : public AtFrameStart {
 public:
  using AtFrameStart::AtFrameStart;
  void prepare(const StudyStep& step) override {
    AtFrameStart::prepare(step);
    cholesky_.analyze(step.pattern);
  }
  void start(const StudyStep& step, solver::Objective& objective) override {
    AtFrameStart::start(step, objective);
    factor(cholesky_, hessian_);
  }
  void apply(const BlockVector& q, BlockVector& r) override { (void)cholesky_.solve(q, r); }

 private:
  linear::Cholesky cholesky_;
};

class FrameStartHessianByCg final : public AtFrameStart {
 public:
  FrameStartHessianByCg(const CgLimits& limits, Preconditioner preconditioner)
      : AtFrameStart(FrameStart::before), limits_(limits), preconditioner_(preconditioner) {}
  void prepare(const StudyStep& step) override {
    AtFrameStart::prepare(step);
    if (preconditioner_ == Preconditioner::ichol_constant)
      ichol_.factor(weights_of(step));
    else
      ichol_.factor(hessian_of(step, rest_of(step), HessianKind::projected));
  }
  void apply(const BlockVector& q, BlockVector& r) override {
    conjugate_gradients([&](const BlockVector& p, BlockVector& out) { hessian_.multiply(p, out); },
                        [&](const BlockVector& in, BlockVector& out) { ichol_.apply(in, out); }, q, r, limits_,
                        scratch_);
  }

 private:
  CgLimits limits_;
  Preconditioner preconditioner_;
  IncompleteCholesky ichol_;
  CgScratch scratch_;
};

// Newton's matrix, renewed at every iterate.
class AtIterate : public Metric {
 public:
  void prepare(const StudyStep& step) override { hessian_ = SymmetricBlockMatrix(step.pattern); }
  [[nodiscard]] bool follows() const override { return true; }

 protected:
  SymmetricBlockMatrix hessian_;
};

enum class TryExact { no, yes };

class NewtonDirect final : public AtIterate {
 public:
  explicit NewtonDirect(TryExact exact) : exact_(exact) {}
  void prepare(const StudyStep& step) override {
    AtIterate::prepare(step);
    cholesky_.analyze(step.pattern);
  }
  Value renew(solver::Objective& objective, const BlockVector& x, BlockVector& gradient) override {
    if (exact_ == TryExact::yes) {
      const Value value = objective.evaluate(x, gradient, &hessian_, HessianKind::exact);
      if (cholesky_.factor(hessian_) == LinearStatus::solved) return value;
    }
    const Value value = objective.evaluate(x, gradient, &hessian_, HessianKind::projected);
    factor(cholesky_, hessian_);
    return value;
  }
  void apply(const BlockVector& q, BlockVector& r) override { (void)cholesky_.solve(q, r); }

 private:
  TryExact exact_;
  linear::Cholesky cholesky_;
};

class NewtonByCg final : public AtIterate {
 public:
  NewtonByCg(const CgLimits& limits, HessianKind kind, Preconditioner preconditioner)
      : limits_(limits), kind_(kind), preconditioner_(preconditioner) {}
  Value renew(solver::Objective& objective, const BlockVector& x, BlockVector& gradient) override {
    const Value value = objective.evaluate(x, gradient, &hessian_, kind_);
    if (preconditioner_ == Preconditioner::ichol)
      ichol_.factor(hessian_);
    else
      (void)jacobi_.factor(hessian_, nullptr);
    return value;
  }
  void apply(const BlockVector& q, BlockVector& r) override {
    const auto multiply = [&](const BlockVector& p, BlockVector& out) { hessian_.multiply(p, out); };
    if (preconditioner_ == Preconditioner::ichol) {
      conjugate_gradients(
          multiply, [&](const BlockVector& in, BlockVector& out) { ichol_.apply(in, out); }, q, r, limits_, scratch_);
      return;
    }
    const auto jacobi = [&](const BlockVector& in, BlockVector& out) {
      for (int i = 0; i < in.size(); ++i) out[i] = Eigen::Map<const Mat3>(jacobi_.inverses() + 9 * i) * in[i];
    };
    conjugate_gradients(multiply, jacobi, q, r, limits_, scratch_);
  }

 private:
  CgLimits limits_;
  HessianKind kind_;
  Preconditioner preconditioner_;
  linear::BlockJacobi jacobi_;
  IncompleteCholesky ichol_;
  CgScratch scratch_;
};

}  // namespace

std::unique_ptr<Metric> constant_matrix(double scale) { return std::make_unique<ConstantMatrix>(scale); }
std::unique_ptr<Metric> constant_matrix_by_cg(int products) { return std::make_unique<ConstantMatrixByCg>(products); }
std::unique_ptr<Metric> scaled_identity() { return std::make_unique<ScaledIdentity>(); }
std::unique_ptr<Metric> rest_hessian() { return std::make_unique<RestHessian>(); }
std::unique_ptr<Metric> warped_rest_hessian() { return std::make_unique<WarpedRestHessian>(); }
std::unique_ptr<Metric> frame_start_hessian(FrameStart where) { return std::make_unique<FrameStartHessian>(where); }
std::unique_ptr<Metric> frame_start_hessian_by_cg(const CgLimits& limits, Preconditioner preconditioner) {
  return std::make_unique<FrameStartHessianByCg>(limits, preconditioner);
}
std::unique_ptr<Metric> newton_direct() { return std::make_unique<NewtonDirect>(TryExact::no); }
std::unique_ptr<Metric> newton_exact() { return std::make_unique<NewtonDirect>(TryExact::yes); }
std::unique_ptr<Metric> newton_by_cg(const CgLimits& limits, HessianKind kind, Preconditioner preconditioner) {
  return std::make_unique<NewtonByCg>(limits, kind, preconditioner);
}

SymmetricScalarMatrix weights_of(const StudyStep& step, double scale) {
  SymmetricScalarMatrix matrix(step.pattern);
  dynamic_cast<const Weighted&>(*step.energies[0]).add_weights(step.controls, step.step, matrix);
  for (double& value : matrix.values()) value *= scale;
  dynamic_cast<const Weighted&>(*step.energies[1]).add_weights(step.controls, step.step, matrix);
  step.inertia.add_to(matrix, 1 / (step.step * step.step));
  return matrix;
}

SymmetricBlockMatrix hessian_of(const StudyStep& step, const BlockVector& x, HessianKind kind) {
  const solver::StepProblem problem = step.problem();
  solver::Objective objective(problem);
  BlockVector gradient(step.count());
  SymmetricBlockMatrix hessian(step.pattern);
  objective.evaluate(x, gradient, &hessian, kind);
  return hessian;
}

BlockVector rest_of(const StudyStep& step) {
  BlockVector rest(step.count());
  for (int i = 0; i < step.count(); ++i) rest[i] = step.rest[static_cast<std::size_t>(i)];
  return rest;
}

// The mean over tets is weighted by their rest volume.
std::vector<Mat3> vertex_rotations(const StudyStep& step, const BlockVector& x) {
  std::vector<Mat3> mean(step.rest.size(), Mat3::Zero());
  for (const Vec4i& tet : step.tets) {
    Mat3 rest, now;
    for (int c = 0; c < 3; ++c) {
      rest.col(c) = step.rest[static_cast<std::size_t>(tet[c + 1])] - step.rest[static_cast<std::size_t>(tet[0])];
      now.col(c) = x[tet[c + 1]] - x[tet[0]];
    }
    const Mat3 weighted = std::abs(rest.determinant()) * now * rest.inverse();
    for (int c = 0; c < 4; ++c) mean[static_cast<std::size_t>(tet[c])] += weighted;
  }
  for (Mat3& f : mean) f = math::polar_rotation(f);
  return mean;
}

}  // namespace pliant::study
