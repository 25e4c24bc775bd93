// Soft pins and hands: springs of zero length from a point to a place, along some or all directions.
//   c = D (x − t),  (w + ω/k) ΔΛ = −(c + ω Λ/k),  x ← x + w ΔΛ          k stiffness [N/m], D projector
//
// Of an axis a of a rigid body (configuration/rigid_frames.h) the spring turns it: with S = [a]×, c changes by D Sᵀ φ and ΔΛ turns by I⁻¹ S D ΔΛ.
// Where what turns acts apart (ProjectionStep::apart_weight) such a row takes the middle of the step, as soft rows of joints do:
// (c + c_b)/2 + Λ ω/k = 0 with the axis half way.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "pliant/energy/compliant.h"
#include "pliant/math/rotation.h"
#include "pliant/solver/projection/batch.h"

namespace pliant::solver {

template <class Real>
class TargetBatch final : public Batch<Real> {
 public:
  // frames: of the movers' turners.
  void set_targets(std::vector<SoftTarget> targets, std::span<const RigidFrame> frames = {}) {
    targets_ = std::move(targets);
    axes_.assign(targets_.size(), Axis{});
    if (targets_.empty()) return;
    std::map<int, std::size_t> frame_of;  // by its first axis
    for (std::size_t k = 0; k < frames.size(); ++k) frame_of[frames[k].axis(0)] = k;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const auto after = frame_of.upper_bound(targets_[i].block);
      if (after == frame_of.begin()) continue;
      const auto [first, k] = *std::prev(after);
      const int axis = targets_[i].block - first;
      if (axis < 3) axes_[i] = {static_cast<int>(k), axis, frames[k].length, Vec3::Zero(), Vec3::Zero()};
    }
  }
  [[nodiscard]] const std::vector<SoftTarget>& targets() const { return targets_; }

  void begin(const ProjectionStep& step, Movers<Real>&) override {
    weight_ = step.weight;
    turning_weight_ = step.apart_weight > 0 ? step.apart_weight : step.weight;
    share_ = step.apart_weight > 0 ? 0.5 : 1;
    multipliers_.assign(targets_.size(), Vec3::Zero());
    levers_.assign(targets_.size(), Mat3::Zero());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      axes_[i].turned.setZero();
      if (axes_[i].rigid >= 0) axes_[i].before = step.before[targets_[i].block];
    }
  }
  void relax(double omega, Movers<Real>& movers) override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (axes_[i].rigid >= 0) {
        relax_axis(i, omega, movers);
        continue;
      }
      Mover<Real>& point = movers.points[targets_[i].block];
      const Vec3 change = -omega * inverse(i, point) * residual(i, point);
      multipliers_[i] += change;
      point.move(static_cast<double>(point.w) * change);
    }
  }

  [[nodiscard]] int row_count() const override { return 3 * static_cast<int>(targets_.size()); }
  [[nodiscard]] bool is_linear() const override {
    return std::none_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.rigid >= 0; });
  }
  void linearise(const Movers<Real>& movers, std::span<double> r) override {
    inverses_.resize(targets_.size());
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Mover<Real>& point = movers.points[targets_[i].block];
      const bool is_axis = axes_[i].rigid >= 0;
      if (is_axis) levers_[i] = lever(i, movers);
      inverses_[i] = is_axis ? inverse_of_axis(i, movers) : Mat3(inverse(i, point) * Mat3::Identity());
      const Vec3 here = is_axis ? residual_of_axis(i, movers) : residual(i, point);
      std::copy_n(here.data(), 3, &r[3 * i]);
    }
  }
  void precondition(std::span<const double> r, std::span<double> z) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Vec3 product = inverses_[i] * Eigen::Map<const Vec3>(&r[3 * i]);
      std::copy_n(product.data(), 3, &z[3 * i]);
    }
  }
  void pull_back(std::span<const double> d, Impulses& out) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Vec3 force = targets_[i].directions * Eigen::Map<const Vec3>(&d[3 * i]);
      if (axes_[i].rigid >= 0) {
        out.torque[static_cast<std::size_t>(axes_[i].rigid)] += levers_[i] * force;
      } else {
        out.force[targets_[i].block] += force;
      }
    }
  }
  void multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const bool is_axis = axes_[i].rigid >= 0;
      const Vec3 moved = is_axis ? Vec3(levers_[i].transpose() * y.torque[static_cast<std::size_t>(axes_[i].rigid)])
                                 : y.force[targets_[i].block];
      const Vec3 product = targets_[i].directions * moved + softness(i) * Eigen::Map<const Vec3>(&d[3 * i]);
      std::copy_n(product.data(), 3, &p[3 * i]);
    }
  }
  void accept(std::span<double> change) override {
    for (std::size_t i = 0; i < targets_.size(); ++i) multipliers_[i] += Eigen::Map<const Vec3>(&change[3 * i]);
  }
  void write_multipliers(std::span<double> out) const override {
    for (std::size_t i = 0; i < targets_.size(); ++i) std::copy_n(multipliers_[i].data(), 3, &out[3 * i]);
  }

 private:
  struct Axis {
    int rigid = -1;              // −1: a point
    int index = 0;               // which of the three
    double length = 0;           // m
    Vec3 before = Vec3::Zero();  // m
    Vec3 turned = Vec3::Zero();  // kg m², the impulse so far
  };

  [[nodiscard]] double softness(std::size_t i) const {
    return axes_[i].rigid >= 0 ? turning_weight_ / (share_ * targets_[i].stiffness) : weight_ / targets_[i].stiffness;
  }
  [[nodiscard]] double inverse(std::size_t i, const Mover<Real>& point) const {
    return 1 / (static_cast<double>(point.w) + softness(i));
  }
  [[nodiscard]] Vec3 residual(std::size_t i, const Mover<Real>& point) const {
    const SoftTarget& target = targets_[i];
    return target.directions * (point.position() - target.target) + softness(i) * multipliers_[i];
  }

  // --- Axes ---
  // What was turned so far gets the lever of the moment first: with those of each sweep a box that a torque turned by 0.03 rad per
  // step came to rest 0.3 % too far.
  void relax_axis(std::size_t i, double omega, Movers<Real>& movers) {
    Turner& turner = movers.turners[static_cast<std::size_t>(axes_[i].rigid)];
    const Mat3& along = targets_[i].directions;
    levers_[i] = lever(i, movers);
    turner.turn(levers_[i] * (along * multipliers_[i]) - axes_[i].turned);
    const Vec3 change = -omega * (inverse_of_axis(i, movers) * residual_of_axis(i, movers));
    multipliers_[i] += change;
    turner.turn(levers_[i] * (along * change));
    axes_[i].turned = levers_[i] * (along * multipliers_[i]);
  }
  [[nodiscard]] Vec3 axis_now(std::size_t i, const Movers<Real>& movers) const {
    const Turner& turner = movers.turners[static_cast<std::size_t>(axes_[i].rigid)];
    return axes_[i].length * (math::rotation_from_vector(turner.turned) * turner.rotation.col(axes_[i].index));
  }
  [[nodiscard]] Mat3 lever(std::size_t i, const Movers<Real>& movers) const {
    return math::skew(share_ * axis_now(i, movers) + (1 - share_) * axes_[i].before);
  }
  [[nodiscard]] Mat3 inverse_of_axis(std::size_t i, const Movers<Real>& movers) const {
    const Mat3 arm = levers_[i] * targets_[i].directions;
    const Mat3& inverse = movers.turners[static_cast<std::size_t>(axes_[i].rigid)].inverse;
    const Mat3 system = arm.transpose() * inverse * arm + softness(i) * Mat3::Identity();
    return system.llt().solve(Mat3::Identity());
  }
  [[nodiscard]] Vec3 residual_of_axis(std::size_t i, const Movers<Real>& movers) const {
    const SoftTarget& target = targets_[i];
    const Vec3 mean = share_ * axis_now(i, movers) + (1 - share_) * axes_[i].before - target.target;
    return target.directions * mean / share_ + softness(i) * multipliers_[i];
  }

  std::vector<SoftTarget> targets_;
  std::vector<Axis> axes_;
  std::vector<Vec3> multipliers_;  // Λ
  std::vector<Mat3> levers_;       // S, of axes
  std::vector<Mat3> inverses_;
  double weight_ = 0, turning_weight_ = 0;  // 1/s²
  double share_ = 1;                        // of the end, in rows of axes
};

}  // namespace pliant::solver
