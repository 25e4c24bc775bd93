// A step of a small block with dense matrices: what quasi-Newton iterations are compared with.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include "pliant/energy/weighted.h"
#include "tests/solver/soft_block.h"

namespace pliant::testing {

inline Eigen::VectorXd flat(const BlockVector& x) {
  Eigen::VectorXd v(3 * x.size());
  for (int i = 0; i < x.size(); ++i) v.segment<3>(3 * i) = x[i];
  return v;
}
inline BlockVector blocks(const Eigen::VectorXd& v) {
  BlockVector x(static_cast<int>(v.size() / 3));
  for (int i = 0; i < x.size(); ++i) x[i] = v.segment<3>(3 * i);
  return x;
}

struct DensePair {
  Eigen::VectorXd step, change;  // s, t
};
// The inverse BFGS matrix of pairs from the oldest to the newest: H ← (1 − s tᵀ/ρ) H (1 − t sᵀ/ρ) + s sᵀ/ρ, ρ = t·s.
inline Eigen::MatrixXd updated(Eigen::MatrixXd h, const std::vector<DensePair>& pairs) {
  for (const auto& [s, t] : pairs) {
    const double rho = s.dot(t);
    const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(h.rows(), h.cols()) - s * t.transpose() / rho;
    h = left * h * left.transpose() + s * s.transpose() / rho;
  }
  return h;
}

// g and its derivatives, and the constant matrix A = w M + θ² L on all coordinates.
class DenseStep {
 public:
  explicit DenseStep(const BlockStep& step) : step_(step), problem_(step.problem()), objective_(problem_) {}

  double value(const Eigen::VectorXd& x) { return objective_.value(blocks(x)).total; }
  Eigen::VectorXd gradient(const Eigen::VectorXd& x) {
    BlockVector g(step_.block.count());
    objective_.evaluate(blocks(x), g, nullptr, HessianKind::projected);
    return flat(g);
  }
  Eigen::MatrixXd hessian(const Eigen::VectorXd& x) {
    BlockVector g(step_.block.count());
    sparse::SymmetricBlockMatrix h(step_.block.pattern);
    objective_.evaluate(blocks(x), g, &h, HessianKind::exact);
    Eigen::MatrixXd m(x.size(), x.size());
    BlockVector unit(step_.block.count()), column(step_.block.count());
    for (int i = 0; i < x.size(); ++i) {
      sparse::set_zero(unit);
      unit[i / 3][i % 3] = 1;
      h.multiply(unit, column);
      m.col(i) = flat(column);
    }
    return m;
  }
  [[nodiscard]] Eigen::MatrixXd constant_matrix() const {
    sparse::SymmetricScalarMatrix l(step_.block.pattern);
    for (const auto& energy : step_.energies) {
      if (const auto* weighted = dynamic_cast<const Weighted*>(energy.get()))
        weighted->add_weights(step_.controls, step_.step, l);
    }
    for (double& value : l.values()) value *= step_.theta * step_.theta;
    step_.block.inertia.add_to(l, step_.inertia_weight);
    const int n = l.row_count();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    for (int i = 0; i < n; ++i) {
      for (int k = l.pattern().row_start()[i]; k < l.pattern().row_start()[i + 1]; ++k) {
        const int j = l.pattern().column()[k];
        a.block<3, 3>(3 * i, 3 * j) = l.values()[k] * Mat3::Identity();
        a.block<3, 3>(3 * j, 3 * i) = l.values()[k] * Mat3::Identity();
      }
    }
    return a;
  }

 private:
  const BlockStep& step_;
  solver::StepProblem problem_;
  solver::Objective objective_;
};

}  // namespace pliant::testing
