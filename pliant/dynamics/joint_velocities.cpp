#include "pliant/dynamics/joint_velocities.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>

#include "pliant/constraint/joint_rows.h"

namespace pliant {
namespace {

using constraint::JointRow;
using constraint::kMostJointRows;
using constraint::RowKind;
using constraint::SideKind;

// Of the largest diagonal entry: rows that say the same thing twice are told apart by it.
constexpr double kShift = 1e-12;

class Settling {
 public:
  Settling(const SettledStep& at, std::span<const double> multipliers, BlockVector& velocities)
      : at_(at), velocities_(velocities), work_(at.joints.size()) {
    for (const HeldBlock& held : at.controls.held) hold(held);
    for (const RigidFrame& frame : at.frames) {
      Spin& spin = spins_.emplace_back();
      spin.omega = angular_velocity(frame, at.positions, angular_momentum(frame, at.positions, velocities));
      if (is_held(frame.axis(0))) continue;
      const Mat3 rotation = rotation_of(frame, at.positions);
      spin.inverse = rotation * frame.inertia().cwiseInverse().asDiagonal() * rotation.transpose();
    }
    for (std::size_t j = 0; j < work_.size(); ++j) {
      if (at.controls.joints.broken[j] == 0) prepare(j, multipliers.subspan(kMostJointRows * j, kMostJointRows));
    }
  }

  // The largest change of a speed, m/s.
  double sweep() {
    double largest = 0;
    for (std::size_t j = 0; j < work_.size(); ++j) largest = std::max(largest, relax(j));
    return largest;
  }

  std::vector<double> finish() {
    for (std::size_t k = 0; k < spins_.size(); ++k) {
      if (spins_[k].has_changed) set_angular_velocity(at_.frames[k], spins_[k].omega, at_.positions, velocities_);
    }
    std::vector<double> forces(work_.size(), 0);
    for (std::size_t j = 0; j < work_.size(); ++j) {
      std::array<double, kMostJointRows> mean{};
      for (int r = 0; r < work_[j].rows.count; ++r) mean[r] = (work_[j].first[r] + work_[j].impulse[r]) / at_.step;
      forces[j] = constraint::anchor_force(work_[j].rows, mean.data());
    }
    return forces;
  }

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostJointRows, kMostJointRows>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostJointRows, 1>;
  struct Spin {
    Vec3 omega = Vec3::Zero();    // rad/s
    Mat3 inverse = Mat3::Zero();  // I⁻¹, 1/(kg m²)
    bool has_changed = false;
  };
  struct Work {
    constraint::JointRows rows;
    std::array<double, kMostJointRows> impulse{};  // p, N s or N m s
    std::array<double, kMostJointRows> first{};    // at the start of the step
    std::array<int, kMostJointRows> held{}, rest{};
    int held_count = 0, rest_count = 0;
    Eigen::LDLT<Matrix> system;
  };

  [[nodiscard]] bool is_held(int block) const { return at_.controls.filter.held_directions(block) == 3; }
  // 1/kg, along what is free.
  [[nodiscard]] Mat3 mobility(int block) const {
    return 1 / at_.inertia.masses()[static_cast<std::size_t>(block)] * at_.controls.filter.projector(block);
  }

  // What scripts move has the speed that they have at the end.
  void hold(const HeldBlock& held) {
    const Mat3 free = at_.controls.filter.projector(held.block);
    const Vec3 velocity = free * velocities_[held.block] + (Mat3::Identity() - free) * held.velocity;
    velocities_[held.block] = velocity;
  }

  void evaluate(std::size_t j, const BlockVector& positions, const std::vector<ScriptedPose>& scripted) {
    const constraint::Joint& joint = at_.joints[j];
    std::array<constraint::SidePose, 2> poses;
    for (std::size_t s = 0; s < 2; ++s) {
      const constraint::JointSide& side = joint.side[s];
      if (side.kind == SideKind::point) poses[s].centre = side.point.evaluate(positions);
      if (side.kind == SideKind::rigid) {
        const RigidFrame& frame = at_.frames[static_cast<std::size_t>(side.rigid)];
        poses[s] = {positions[frame.centre], rotation_of(frame, positions)};
      }
      if (side.kind == SideKind::world && side.obstacle >= 0) {
        const ScriptedPose& pose = scripted[static_cast<std::size_t>(side.obstacle)];
        poses[s] = {pose.translation, pose.rotation};
      }
    }
    constraint::evaluate(joint, poses, {at_.controls.joints.coordinates[j], at_.step}, work_[j].rows);
  }

  void prepare(std::size_t j, std::span<const double> multipliers) {
    Work& work = work_[j];
    // Half of what rigid rows did is taken back, where it was done.
    evaluate(j, at_.before, at_.controls.obstacle_poses_before);
    for (int r = 0; r < work.rows.count; ++r) {
      const double impulse = at_.step * multipliers[static_cast<std::size_t>(r)];
      const bool is_soft = work.rows.row[r].compliance > 0;
      if (!is_soft && impulse != 0) push(j, r, -0.5 * impulse);
      work.impulse[r] = is_soft ? impulse : 0;
      work.first[r] = is_soft ? 0 : 0.5 * impulse;
    }
    evaluate(j, at_.positions, at_.controls.obstacle_poses);
    for (int r = 0; r < work.rows.count; ++r) {
      const JointRow& row = work.rows.row[r];
      if (row.compliance > 0 || (row.kind == RowKind::lower_limit && !(work.first[r] > 0))) continue;
      if (row.kind == RowKind::bilateral) work.held[work.held_count++] = r;
      if (row.kind != RowKind::bilateral) work.rest[work.rest_count++] = r;
    }
    Matrix matrix(work.held_count, work.held_count);
    for (int a = 0; a < work.held_count; ++a) {
      for (int b = 0; b <= a; ++b) matrix(a, b) = matrix(b, a) = coupling(j, work.held[a], work.held[b]);
    }
    for (int a = 0; a < work.held_count; ++a) matrix(a, a) *= 1 + kShift;
    if (work.held_count > 0 && !(matrix.diagonal().maxCoeff() > 0)) work.held_count = 0;
    if (work.held_count > 0) work.system.compute(matrix);
  }

  // Jᵣ W Jₛᵀ
  [[nodiscard]] double coupling(std::size_t j, int r, int s) const {
    const JointRow &first = work_[j].rows.row[r], &second = work_[j].rows.row[s];
    double sum = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const constraint::JointSide& side = at_.joints[j].side[k];
      if (side.kind == SideKind::rigid) {
        const auto rigid = static_cast<std::size_t>(side.rigid);
        sum += first.force[k].dot(mobility(at_.frames[rigid].centre) * second.force[k]) +
               first.torque[k].dot(spins_[rigid].inverse * second.torque[k]);
      }
      for (int b = 0; side.kind == SideKind::point && b < side.point.count; ++b)
        sum += side.point.weight[b] * side.point.weight[b] *
               first.force[k].dot(mobility(side.point.block[b]) * second.force[k]);
    }
    return sum;
  }

  // J v
  [[nodiscard]] double rate(std::size_t j, const JointRow& row) const {
    double sum = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const constraint::JointSide& side = at_.joints[j].side[k];
      if (side.kind == SideKind::rigid) {
        const auto rigid = static_cast<std::size_t>(side.rigid);
        sum += row.force[k].dot(velocities_[at_.frames[rigid].centre]) + row.torque[k].dot(spins_[rigid].omega);
      } else if (side.kind == SideKind::point) {
        sum += row.force[k].dot(side.point.evaluate(velocities_));
      } else if (side.obstacle >= 0) {
        const ScriptedPose& pose = at_.controls.obstacle_poses[static_cast<std::size_t>(side.obstacle)];
        sum += row.force[k].dot(pose.velocity) + row.torque[k].dot(pose.angular_velocity);
      }
    }
    return sum;
  }

  double push(std::size_t j, int r, double change) {
    Work& work = work_[j];
    work.impulse[r] += change;
    const JointRow& row = work.rows.row[r];
    double largest = 0;
    const auto push_block = [&](int block, const Vec3& impulse) {
      const Vec3 gain = mobility(block) * impulse;
      velocities_[block] += gain;
      largest = std::max(largest, gain.norm());
    };
    for (std::size_t k = 0; k < 2; ++k) {
      const constraint::JointSide& side = at_.joints[j].side[k];
      if (side.kind == SideKind::rigid) {
        const auto rigid = static_cast<std::size_t>(side.rigid);
        push_block(at_.frames[rigid].centre, change * row.force[k]);
        const Vec3 gain = spins_[rigid].inverse * (change * row.torque[k]);
        spins_[rigid].omega += gain;
        spins_[rigid].has_changed |= !gain.isZero(0);
        largest = std::max(largest, at_.frames[rigid].length * gain.norm());
      }
      for (int b = 0; side.kind == SideKind::point && b < side.point.count; ++b)
        push_block(side.point.block[b], side.point.weight[b] * change * row.force[k]);
    }
    return largest;
  }

  // The block of what is held, then each of the others by itself and clamped.
  double relax(std::size_t j) {
    Work& work = work_[j];
    double largest = 0;
    if (work.held_count > 0) {
      Vector excess(work.held_count);
      for (int a = 0; a < work.held_count; ++a) excess[a] = rate(j, work.rows.row[work.held[a]]);
      const Vector change = work.system.solve(excess);
      for (int a = 0; a < work.held_count; ++a) largest = std::max(largest, push(j, work.held[a], -change[a]));
    }
    for (int i = 0; i < work.rest_count; ++i) {
      const int r = work.rest[i];
      const JointRow& row = work.rows.row[r];
      const double diagonal = coupling(j, r, r), target = row.kind == RowKind::motor ? at_.joints[j].motor.target : 0;
      if (!(diagonal > 0)) continue;
      const double most = 0.5 * at_.step * row.bound;
      const double wanted = work.impulse[r] - (rate(j, row) - target) / diagonal;
      const double next = row.kind == RowKind::motor ? std::clamp(wanted, -most, most) : std::max(wanted, 0.0);
      largest = std::max(largest, push(j, r, next - work.impulse[r]));
    }
    return largest;
  }

  const SettledStep& at_;
  BlockVector& velocities_;
  std::vector<Spin> spins_;
  std::vector<Work> work_;
};

}  // namespace

std::vector<double> settle_joint_velocities(const SettledStep& at, std::span<const double> multipliers,
                                            BlockVector& velocities) {
  Settling settling(at, multipliers, velocities);
  for (int k = 0; k < at.most_sweeps && settling.sweep() > at.tolerance; ++k) {
  }
  return settling.finish();
}

}  // namespace pliant
