// What turns a gradient into a step: r = B⁻¹ q, B a stand-in for the Hessian of g. The rows of the comparison.
//
//   constant      B = M/h² + L                    this library's; or by conjugate gradients instead of a factor
//   identity      B = (t·t / s·t) I               from the last pair; M/h² before there is one [Liu2018, eq. 7.16 corrected:
//                                                 the printed ratio scales the inverse]
//   rest          B = ∇²g at rest                 3n × 3n, constant
//   warped rest   B = R (∇²g at rest) Rᵀ          R: per vertex, polar rotation of the mean F of its tets at x_n
//   frame start   B = ∇²g at x_n or y             renewed every step, by a factor or by preconditioned CG
//   Newton        B = ∇²g at the iterate          renewed every iteration
//
// Hessians are projected element by element unless a metric says otherwise.
#pragma once

#include <memory>
#include <string>

#include "benchmarks/quasi_newton_study/conjugate_gradients.h"
#include "benchmarks/quasi_newton_study/study_step.h"

namespace pliant::study {

class Metric {
 public:
  virtual ~Metric() = default;
  // Once per scene: what stays while the step length and the mesh do. Not part of a step's time.
  virtual void prepare(const StudyStep&) {}
  // Once per step; part of its time.
  virtual void start(const StudyStep&, solver::Objective&) {}
  // Whether B follows the iterate; then renew is called at every one, and also finds value and gradient there.
  [[nodiscard]] virtual bool follows() const { return false; }
  virtual solver::Objective::Value renew(solver::Objective&, const BlockVector&, BlockVector&) { return {}; }
  // The newest pair: s·t and t·t; zeros when there is none.
  virtual void see_pair(double, double) {}
  virtual void apply(const BlockVector& q, BlockVector& r) = 0;
};

enum class FrameStart { before, inertial };
enum class Preconditioner { jacobi, ichol, ichol_rest, ichol_constant };

// The elastic part of L times `scale`: other fits of k.
[[nodiscard]] std::unique_ptr<Metric> constant_matrix(double scale = 1);
[[nodiscard]] std::unique_ptr<Metric> constant_matrix_by_cg(int products);
[[nodiscard]] std::unique_ptr<Metric> scaled_identity();
[[nodiscard]] std::unique_ptr<Metric> rest_hessian();
[[nodiscard]] std::unique_ptr<Metric> warped_rest_hessian();
[[nodiscard]] std::unique_ptr<Metric> frame_start_hessian(FrameStart where);
[[nodiscard]] std::unique_ptr<Metric> frame_start_hessian_by_cg(const CgLimits& limits, Preconditioner preconditioner);
[[nodiscard]] std::unique_ptr<Metric> newton_direct();
// The exact Hessian where it is positive definite, else the projected one: a second assembly and factorisation.
[[nodiscard]] std::unique_ptr<Metric> newton_exact();
[[nodiscard]] std::unique_ptr<Metric> newton_by_cg(const CgLimits& limits, HessianKind kind,
                                                   Preconditioner preconditioner);

// A = M/h² + L of a step, elastic part times `scale`.
[[nodiscard]] sparse::SymmetricScalarMatrix weights_of(const StudyStep& step, double scale = 1);
// ∇²g at x.
[[nodiscard]] sparse::SymmetricBlockMatrix hessian_of(const StudyStep& step, const BlockVector& x, HessianKind kind);
[[nodiscard]] BlockVector rest_of(const StudyStep& step);
[[nodiscard]] std::vector<Mat3> vertex_rotations(const StudyStep& step, const BlockVector& x);

}  // namespace pliant::study
