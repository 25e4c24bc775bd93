// Joints inside the iteration (constraint/joint_rows.h): what holds is solved as one block per joint, limits and motors after
// it, each by itself and clamped.
//
//   bilateral     (J W Jᵀ + ω α/s) ΔΛ = −(c + ρ/h (c − c_b) + ω α Λ)/s      s = 1 + ρ/h, ρ the joint's damping, c_b before
//                 the step; divided by s, so that the matrix of all rows together stays symmetric
//   lower limit   Λ ← max(Λ + ΔΛ, 0)          motor   |Λ| ≤ bound/ω
//
// Rotations are always those of the moment: a joint is felt where it is, not where it was at the start of a sweep.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <span>
#include <vector>

#include "pliant/constraint/joint_rows.h"
#include "pliant/parallel/touch_lists.h"
#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

template <class Real>
class JointBatch final : public Batch<Real> {
 public:
  // Those that are not broken take part; frames: what JointSide::rigid counts.
  void set_joints(std::span<const constraint::Joint> joints, std::span<const RigidFrame> frames, int block_count);

  void begin(const ProjectionStep& step, Movers<Real>& movers) override;
  void relax(double omega, Movers<Real>& movers) override;

  [[nodiscard]] int row_count() const override { return constraint::kMostJointRows * static_cast<int>(work_.size()); }
  void linearise(const Movers<Real>& movers, std::span<double> residual) override;
  void precondition(std::span<const double> r, std::span<double> z) const override;
  void pull_back(std::span<const double> d, Impulses& out) const override;
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override;
  void accept(std::span<double> change) override;
  void write_multipliers(std::span<double> out) const override;

  // What pulls at the anchors of each joint [N]; 0 for broken ones.
  [[nodiscard]] std::vector<double> anchor_forces(const Movers<Real>& movers);

 private:
  static constexpr int kMost = constraint::kMostJointRows;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;
  struct Work {
    constraint::JointRows rows;
    constraint::JointStart start;
    std::array<constraint::SidePose, 2> fixed;  // of sides that no block moves
    std::array<double, kMost> multiplier{};     // Λ
    std::array<double, kMost> before{};         // c at the start of the step
    bool is_broken = false;
  };
  [[nodiscard]] std::array<constraint::SidePose, 2> poses(std::size_t j, const Movers<Real>& movers) const;
  void evaluate(std::size_t j, const Movers<Real>& movers);
  [[nodiscard]] double residual(const Work& work, int row) const;
  [[nodiscard]] double rate(const constraint::JointRow& row) const { return 1 + row.damping / step_; }  // s
  [[nodiscard]] double softness(const constraint::JointRow& row) const { return weight_ * row.compliance / rate(row); }
  // Jᵣ W Jₛᵀ
  [[nodiscard]] double coupling(std::size_t j, int r, int s, const Movers<Real>& movers) const;
  void push(std::size_t j, int row, double change, Movers<Real>& movers) const;
  void solve_held(std::size_t j, double omega, Movers<Real>& movers);
  void solve_rest(std::size_t j, double omega, Movers<Real>& movers);
  [[nodiscard]] double clamped(const constraint::JointRow& row, double multiplier) const;

  std::span<const constraint::Joint> joints_;
  std::span<const RigidFrame> frames_;
  parallel::Coloring coloring_;
  std::vector<Work> work_;
  std::vector<double> inverse_;  // of the diagonal, per row of the last linearisation
  double step_ = 0, weight_ = 0;
};

}  // namespace pliant::solver
