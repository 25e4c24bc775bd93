// Rivals on springs, in the study only: one step of implicit Euler for positions (the primal problem), and constraints with
// a direct solve.
//
//   ncg             nonlinear conjugate gradients on M (v − ṽ) = h f(x), f = −k Jᵀ c       [Francu2016, alg. 1; R1b, R4]
//   linear_cg       one step of Newton with the full stiffness, by conjugate gradients     [A2]
//   linear_exact    the same by a direct solver
//   fast_projection (J W Jᵀ + α) ΔΛ = −(c + α Λ) with a direct solver, some times           [eq. 6.26; R1]
//   newton          minimises ½/h² |x − x̃|²_M + ½ k |c|² with its full Hessian and a line search: the solution of soft links
//   kkt             the whole of Newton's system in x and Λ, links soft or hard, second derivatives kept               [eq. 6.25]
//
//     M − Σ Λ ∇²c   −Jᵀ           Δx       M (x − x̃) − Jᵀ Λ
//        −J        −1/(k h²)      ΔΛ   = −  −c − Λ/(k h²)         Λ = h² λ, λ = −k c the force of a link
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "benchmarks/projection_study/cloth_run.h"

namespace pliant::projection_study {

enum class Rival { ncg, linear_cg, linear_exact, fast_projection, newton, kkt };

class SpringRun {
 public:
  SpringRun(const Cloth& cloth, Rival rival, int iterations, double step);

  void step();
  [[nodiscard]] double total_energy() const;
  [[nodiscard]] double worst_stretch() const;  // c / rest, the largest
  [[nodiscard]] double link_error() const;     // m, Σ |c|
  // J: ½/h² |x − x̃|²_M of the last step.
  [[nodiscard]] double inertia(const Eigen::VectorXd& x) const;
  [[nodiscard]] const Eigen::VectorXd& points() const { return x_; }
  void set_motion(const std::vector<Vec3>& points, const std::vector<Vec3>& velocities);
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] bool is_finite() const { return x_.allFinite() && x_.cwiseAbs().maxCoeff() < 1e6; }

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  // f = −k Jᵀ c; c, and J by links if wanted.
  [[nodiscard]] Eigen::VectorXd force(const Eigen::VectorXd& x) const;
  [[nodiscard]] Sparse stiffness(const Eigen::VectorXd& x, bool with_geometry, bool clamps) const;
  void step_ncg(const Eigen::VectorXd& target);
  void step_linear(const Eigen::VectorXd& target, bool is_exact);
  void step_fast(const Eigen::VectorXd& target);
  void step_newton(const Eigen::VectorXd& target);
  void step_kkt(const Eigen::VectorXd& target);
  // The right-hand side over masses: lengths all, points first.
  [[nodiscard]] Eigen::VectorXd kkt_residual(const Eigen::VectorXd& x, const Eigen::VectorXd& multipliers,
                                             const Eigen::VectorXd& target) const;
  [[nodiscard]] Sparse kkt_matrix(const Eigen::VectorXd& x, const Eigen::VectorXd& multipliers) const;
  [[nodiscard]] double objective(const Eigen::VectorXd& x, const Eigen::VectorXd& target) const;

  Cloth cloth_;
  Rival rival_;
  int iterations_;
  double h_, mass_;
  std::vector<int> free_;  // per point: its number among those that move, −1 where held
  Eigen::VectorXd x_, v_;  // of points that move
  Eigen::VectorXd target_;
  double seconds_ = 0;
};

}  // namespace pliant::projection_study
