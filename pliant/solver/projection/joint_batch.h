// Joints inside the iteration (constraint/joint_rows.h): what holds is solved as one block per joint, limits and motors after
// it, each by itself and clamped.
//
//   bilateral     (J W Jᵀ + ω α/s) ΔΛ = −(c + ρ/h (c − c_b) + ω α Λ)/s      s = 1 + ρ/h, ρ the joint's damping, c_b before
//                 the step; divided by s, so that the matrix of all rows together stays symmetric
//   lower limit   Λ ← max(Λ + ΔΛ, 0)          motor   |Λ| ≤ bound/ω
//
// Rotations are always those of the moment: a joint is felt where it is, not where it was at the start of a sweep.
//
// Where joints act apart (ProjectionStep::apart_weight, 2/h²), a force f of a step goes h²/2 f/m far, and values are those of its end:
//
//   rigid rows   directions before the step; the position stage of RATTLE [Andersen1983]. f gives h/2 f of momentum, and the end of the
//                step has a force of its own (dynamics/joint_velocities.h)
//   soft rows    (c + c_b)/2 + ρ/h (c − c_b) + α f = 0 with directions over the step (evaluate_over), momentum h f: the rule of the midpoint,
//                which keeps the energy of springs. s is 1/2 + ρ/h then. What was pushed so far is turned into present
//                directions before more is pushed
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

  // Takes so much of what was pushed so far as if it had present directions, for who does the same to what was moved: points, and where
  // joints act apart also what turns.
  void redirect(double part);
  // What was pushed so far.
  void add_pushes(Impulses& out) const;
  // N or N m, per row; where joints act apart.
  [[nodiscard]] std::vector<double> multipliers() const;

 private:
  static constexpr int kMost = constraint::kMostJointRows;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;
  struct Work {
    constraint::JointRows rows;
    constraint::JointRows first;  // before the step
    constraint::JointStart start;
    std::array<constraint::SidePose, 2> fixed;   // of sides that no block moves
    std::array<constraint::SidePose, 2> origin;  // at the start of the step
    std::array<double, kMost> multiplier{};      // Λ
    std::array<Vec3, 2> force, torque;           // Σ of what was pushed, kg m and kg m²
    bool is_broken = false, has_soft = false;
  };
  [[nodiscard]] std::array<constraint::SidePose, 2> poses(std::size_t j, const Movers<Real>& movers) const;
  void evaluate(std::size_t j, const Movers<Real>& movers);
  void evaluate_apart(std::size_t j, const Movers<Real>& movers);
  [[nodiscard]] double residual(const Work& work, int row) const;
  // How much of c is that of the end.
  [[nodiscard]] double share(const constraint::JointRow& row) const {
    return is_apart_ && row.compliance > 0 ? 0.5 : 1;
  }
  [[nodiscard]] double rate(const constraint::JointRow& row) const { return share(row) + row.damping / step_; }  // s
  [[nodiscard]] double softness(const constraint::JointRow& row) const { return weight_ * row.compliance / rate(row); }
  // Jᵣ W Jₛᵀ
  [[nodiscard]] double coupling(std::size_t j, int r, int s, const Movers<Real>& movers) const;
  void push(std::size_t j, int row, double change, Movers<Real>& movers);
  void push_side(std::size_t j, std::size_t side, const Vec3& force, const Vec3& torque, Movers<Real>& movers) const;
  void add_to_side(std::size_t j, std::size_t side, const Vec3& force, const Vec3& torque, Impulses& out) const;
  // What is to be pushed besides, for all of it to have present directions.
  struct Turned {
    std::array<Vec3, 2> force, torque;
  };
  [[nodiscard]] Turned lag(const Work& work) const;
  void take_present_directions(std::size_t j, Movers<Real>& movers);
  void note_pushed(const constraint::JointRow& row, double change, Work& work) const;
  void solve_held(std::size_t j, double omega, Movers<Real>& movers);
  void solve_rest(std::size_t j, double omega, Movers<Real>& movers);
  [[nodiscard]] double clamped(const constraint::JointRow& row, double multiplier) const;

  std::span<const constraint::Joint> joints_;
  std::span<const RigidFrame> frames_;
  parallel::Coloring coloring_;
  std::vector<Work> work_;
  std::vector<double> inverse_;  // of the diagonal, per row of the last linearisation
  double step_ = 0, weight_ = 0;
  bool is_apart_ = false;
};

}  // namespace pliant::solver
