#include "pliant/solver/projection/joint_batch.h"

#include <algorithm>
#include <cmath>

#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {

using constraint::JointRow;
using constraint::RowKind;
using constraint::SideKind;

namespace {

// Of the largest diagonal entry: rows that say the same thing twice are told apart by it.
constexpr double kJointShift = 1e-12;

}  // namespace

template <class Real>
void JointBatch<Real>::set_joints(std::span<const constraint::Joint> joints, std::span<const RigidFrame> frames,
                                  int block_count) {
  joints_ = joints;
  frames_ = frames;
  work_.assign(joints.size(), Work{});
  parallel::TouchLists lists;
  for (const constraint::Joint& joint : joints) {
    for (const constraint::JointSide& side : joint.side) {
      if (side.kind == SideKind::rigid) lists.add(frames[static_cast<std::size_t>(side.rigid)].centre);
      for (int b = 0; side.kind == SideKind::point && b < side.point.count; ++b) lists.add(side.point.block[b]);
    }
    lists.end_item();
  }
  coloring_ = lists.color(block_count);
}

template <class Real>
std::array<constraint::SidePose, 2> JointBatch<Real>::poses(std::size_t j, const Movers<Real>& movers) const {
  std::array<constraint::SidePose, 2> pose = work_[j].fixed;
  for (std::size_t s = 0; s < 2; ++s) {
    const constraint::JointSide& side = joints_[j].side[s];
    if (side.kind == SideKind::rigid) {
      const Turner& turner = movers.turners[static_cast<std::size_t>(side.rigid)];
      pose[s] = {movers.points[turner.centre].position(), math::rotation_from_vector(turner.turned) * turner.rotation};
    } else if (side.kind == SideKind::point) {
      pose[s].centre.setZero();
      for (int b = 0; b < side.point.count; ++b)
        pose[s].centre += side.point.weight[b] * movers.points[side.point.block[b]].position();
    }
  }
  return pose;
}

template <class Real>
void JointBatch<Real>::evaluate(std::size_t j, const Movers<Real>& movers) {
  Work& work = work_[j];
  if (is_apart_) return evaluate_apart(j, movers);
  constraint::evaluate(joints_[j], poses(j, movers), work.start, work.rows);
}

template <class Real>
void JointBatch<Real>::evaluate_apart(std::size_t j, const Movers<Real>& movers) {
  Work& work = work_[j];
  const std::array<constraint::SidePose, 2> now = poses(j, movers);
  const constraint::JointRows& first = work.first;
  if (work.has_soft) {
    constraint::evaluate_over(joints_[j], work.origin, now, work.start, work.rows);
  } else {
    constraint::evaluate(joints_[j], now, work.start, work.rows);
  }
  for (int r = 0; r < first.count; ++r) {
    if (first.row[r].compliance > 0) continue;
    work.rows.row[r].force = first.row[r].force;
    work.rows.row[r].torque = first.row[r].torque;
  }
}

template <class Real>
void JointBatch<Real>::begin(const ProjectionStep& step, Movers<Real>&) {
  step_ = step.step;
  is_apart_ = step.apart_weight > 0;
  weight_ = is_apart_ ? step.apart_weight : step.weight;
  for (std::size_t j = 0; j < work_.size(); ++j) {
    Work& work = work_[j];
    work.is_broken = step.controls.joints.broken[j] != 0;
    work.start = {step.controls.joints.coordinates[j], step.step};
    work.multiplier.fill(0);
    work.force.fill(Vec3::Zero());
    work.torque.fill(Vec3::Zero());
    std::array<constraint::SidePose, 2>& before = work.origin;
    before = {};
    for (std::size_t s = 0; s < 2; ++s) {
      const constraint::JointSide& side = joints_[j].side[s];
      if (side.kind == SideKind::world && side.obstacle >= 0) {
        const auto o = static_cast<std::size_t>(side.obstacle);
        const ScriptedPose &was = step.controls.obstacle_poses_before[o], &is = step.controls.obstacle_poses[o];
        before[s] = {was.translation, was.rotation};
        work.fixed[s] = {is.translation, is.rotation};
      } else if (side.kind == SideKind::rigid) {
        const RigidFrame& frame = frames_[static_cast<std::size_t>(side.rigid)];
        before[s] = {step.before[frame.centre], rotation_of(frame, step.before)};
      } else if (side.kind == SideKind::point) {
        before[s].centre = side.point.evaluate(step.before);
      }
    }
    constraint::evaluate(joints_[j], before, work.start, work.first);
    work.rows = work.first;
    work.has_soft = std::any_of(work.first.row.begin(), work.first.row.begin() + work.first.count,
                                [](const JointRow& row) { return row.compliance > 0; });
  }
}

template <class Real>
double JointBatch<Real>::residual(const Work& work, int r) const {
  const JointRow& row = work.rows.row[r];
  const double before = work.first.row[r].value, value = share(row) * row.value + (1 - share(row)) * before;
  return (value + row.damping / step_ * (row.value - before)) / rate(row) + softness(row) * work.multiplier[r];
}

template <class Real>
double JointBatch<Real>::coupling(std::size_t j, int r, int s, const Movers<Real>& movers) const {
  const JointRow &first = work_[j].rows.row[r], &second = work_[j].rows.row[s];
  double sum = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const constraint::JointSide& side = joints_[j].side[k];
    const double along = first.force[k].dot(second.force[k]);
    if (side.kind == SideKind::rigid) {
      const Turner& turner = movers.turners[static_cast<std::size_t>(side.rigid)];
      sum += static_cast<double>(movers.points[turner.centre].w) * along +
             first.torque[k].dot(turner.inverse * second.torque[k]);
    } else if (side.kind == SideKind::point) {
      for (int b = 0; b < side.point.count; ++b)
        sum += side.point.weight[b] * side.point.weight[b] * static_cast<double>(movers.points[side.point.block[b]].w) *
               along;
    }
  }
  return sum;
}

template <class Real>
void JointBatch<Real>::push_side(std::size_t j, std::size_t k, const Vec3& force, const Vec3& torque,
                                 Movers<Real>& movers) const {
  const constraint::JointSide& side = joints_[j].side[k];
  if (side.kind == SideKind::rigid) {
    Turner& turner = movers.turners[static_cast<std::size_t>(side.rigid)];
    Mover<Real>& centre = movers.points[turner.centre];
    centre.move(static_cast<double>(centre.w) * force);
    turner.turn(torque);
  } else if (side.kind == SideKind::point) {
    for (int b = 0; b < side.point.count; ++b) {
      Mover<Real>& point = movers.points[side.point.block[b]];
      point.move(side.point.weight[b] * static_cast<double>(point.w) * force);
    }
  }
}

template <class Real>
void JointBatch<Real>::push(std::size_t j, int r, double change, Movers<Real>& movers) {
  const JointRow& row = work_[j].rows.row[r];
  for (std::size_t k = 0; k < 2; ++k) push_side(j, k, change * row.force[k], change * row.torque[k], movers);
  note_pushed(row, change, work_[j]);
}

template <class Real>
void JointBatch<Real>::note_pushed(const JointRow& row, double change, Work& work) const {
  for (std::size_t k = 0; k < 2; ++k) {
    work.force[k] += change * row.force[k];
    work.torque[k] += change * row.torque[k];
  }
}

template <class Real>
typename JointBatch<Real>::Turned JointBatch<Real>::lag(const Work& work) const {
  Turned lag;
  for (std::size_t k = 0; k < 2; ++k) {
    lag.force[k] = -work.force[k];
    lag.torque[k] = -work.torque[k];
    for (int r = 0; r < work.rows.count; ++r) {
      lag.force[k] += work.multiplier[r] * work.rows.row[r].force[k];
      lag.torque[k] += work.multiplier[r] * work.rows.row[r].torque[k];
    }
  }
  return lag;
}

template <class Real>
void JointBatch<Real>::redirect(double part) {
  for (Work& work : work_) {
    const Turned missing = lag(work);
    for (std::size_t k = 0; k < 2; ++k) {
      work.force[k] += part * missing.force[k];
      if (is_apart_) work.torque[k] += part * missing.torque[k];
    }
  }
}

template <class Real>
void JointBatch<Real>::add_to_side(std::size_t j, std::size_t k, const Vec3& force, const Vec3& torque,
                                   Impulses& out) const {
  const constraint::JointSide& side = joints_[j].side[k];
  if (side.kind == SideKind::rigid) {
    const auto rigid = static_cast<std::size_t>(side.rigid);
    out.force[static_cast<std::size_t>(out.centre[rigid])] += force;
    out.torque[rigid] += torque;
  }
  for (int b = 0; side.kind == SideKind::point && b < side.point.count; ++b)
    out.force[static_cast<std::size_t>(side.point.block[b])] += side.point.weight[b] * force;
}

template <class Real>
void JointBatch<Real>::add_pushes(Impulses& out) const {
  for (std::size_t j = 0; j < work_.size(); ++j) {
    for (std::size_t k = 0; k < 2; ++k) add_to_side(j, k, work_[j].force[k], work_[j].torque[k], out);
  }
}

template <class Real>
std::vector<double> JointBatch<Real>::multipliers() const {
  std::vector<double> out(static_cast<std::size_t>(row_count()));
  write_multipliers(out);
  for (double& multiplier : out) multiplier *= weight_;
  return out;
}

template <class Real>
double JointBatch<Real>::clamped(const JointRow& row, double multiplier) const {
  if (row.kind == RowKind::lower_limit) return std::max(multiplier, 0.0);
  if (row.kind == RowKind::motor) return std::clamp(multiplier, -row.bound / weight_, row.bound / weight_);
  return multiplier;
}

template <class Real>
void JointBatch<Real>::solve_held(std::size_t j, double omega, Movers<Real>& movers) {
  Work& work = work_[j];
  std::array<int, kMost> held{};
  int count = 0;
  for (int r = 0; r < work.rows.count; ++r) {
    if (work.rows.row[r].kind == RowKind::bilateral) held[count++] = r;
  }
  if (count == 0) return;
  Matrix system(count, count);
  Vector rhs(count);
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b <= a; ++b) system(a, b) = system(b, a) = coupling(j, held[a], held[b], movers);
    rhs[a] = -residual(work, held[a]);
  }
  for (int a = 0; a < count; ++a) system(a, a) += softness(work.rows.row[held[a]]) + kJointShift * system(a, a);
  const double largest = system.diagonal().maxCoeff();
  if (!(largest > 0)) return;
  const Vector change = omega * system.ldlt().solve(rhs);
  for (int a = 0; a < count; ++a) {
    work.multiplier[held[a]] += change[a];
    push(j, held[a], change[a], movers);
  }
}

template <class Real>
void JointBatch<Real>::solve_rest(std::size_t j, double omega, Movers<Real>& movers) {
  Work& work = work_[j];
  for (int r = 0; r < work.rows.count; ++r) {
    const JointRow& row = work.rows.row[r];
    if (row.kind == RowKind::bilateral) continue;
    evaluate(j, movers);
    const double diagonal = coupling(j, r, r, movers) + softness(row);
    if (!(diagonal > 0)) continue;
    const double next = clamped(row, work.multiplier[r] - omega * residual(work, r) / diagonal);
    push(j, r, next - work.multiplier[r], movers);
    work.multiplier[r] = next;
  }
}

template <class Real>
void JointBatch<Real>::take_present_directions(std::size_t j, Movers<Real>& movers) {
  Work& work = work_[j];
  const Turned missing = lag(work);
  for (std::size_t k = 0; k < 2; ++k) {
    push_side(j, k, missing.force[k], missing.torque[k], movers);
    work.force[k] += missing.force[k];
    work.torque[k] += missing.torque[k];
  }
  evaluate(j, movers);
}

template <class Real>
void JointBatch<Real>::relax(double omega, Movers<Real>& movers) {
  for (int colour = 0; colour < coloring_.color_count(); ++colour) {
    const int first = coloring_.color_start[colour], count = coloring_.color_start[colour + 1] - first;
    parallel_for(count, 8, [&](int begin, int end) {
      for (int k = first + begin; k < first + end; ++k) {
        const auto j = static_cast<std::size_t>(coloring_.items[k]);
        if (work_[j].is_broken) continue;
        evaluate(j, movers);
        if (is_apart_ && work_[j].has_soft) take_present_directions(j, movers);
        solve_held(j, omega, movers);
        solve_rest(j, omega, movers);
      }
    });
  }
}

// --- All rows at once ---

template <class Real>
void JointBatch<Real>::linearise(const Movers<Real>& movers, std::span<double> out) {
  inverse_.assign(static_cast<std::size_t>(row_count()), 0);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t j = 0; j < work_.size(); ++j) {
    if (work_[j].is_broken) continue;
    evaluate(j, movers);
    for (int r = 0; r < work_[j].rows.count; ++r) {
      const JointRow& row = work_[j].rows.row[r];
      const std::size_t place = kMost * j + static_cast<std::size_t>(r);
      const double diagonal = coupling(j, r, r, movers) + softness(row);
      out[place] = residual(work_[j], r);
      const bool is_idle = row.kind == RowKind::lower_limit && work_[j].multiplier[r] <= 0 && out[place] >= 0;
      inverse_[place] = diagonal > 0 && !is_idle ? 1 / diagonal : 0;
    }
  }
}

template <class Real>
void JointBatch<Real>::precondition(std::span<const double> r, std::span<double> z) const {
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = inverse_[i] * r[i];
}

template <class Real>
void JointBatch<Real>::pull_back(std::span<const double> d, Impulses& out) const {
  for (std::size_t j = 0; j < work_.size(); ++j) {
    if (work_[j].is_broken) continue;
    for (int r = 0; r < work_[j].rows.count; ++r) {
      const JointRow& row = work_[j].rows.row[r];
      const double size = d[kMost * j + static_cast<std::size_t>(r)];
      for (std::size_t k = 0; k < 2; ++k) add_to_side(j, k, size * row.force[k], size * row.torque[k], out);
    }
  }
}

template <class Real>
void JointBatch<Real>::multiply(const Impulses& y, std::span<const double> d, std::span<double> p) const {
  std::fill(p.begin(), p.end(), 0.0);
  for (std::size_t j = 0; j < work_.size(); ++j) {
    if (work_[j].is_broken) continue;
    for (int r = 0; r < work_[j].rows.count; ++r) {
      const JointRow& row = work_[j].rows.row[r];
      const std::size_t place = kMost * j + static_cast<std::size_t>(r);
      double change = 0;
      for (std::size_t k = 0; k < 2; ++k) {
        const constraint::JointSide& side = joints_[j].side[k];
        if (side.kind == SideKind::rigid) {
          const auto rigid = static_cast<std::size_t>(side.rigid);
          change += row.force[k].dot(y.force[y.centre[rigid]]) + row.torque[k].dot(y.torque[rigid]);
        }
        for (int b = 0; side.kind == SideKind::point && b < side.point.count; ++b)
          change += side.point.weight[b] * row.force[k].dot(y.force[side.point.block[b]]);
      }
      p[place] = change + softness(row) * d[place];
    }
  }
}

template <class Real>
void JointBatch<Real>::accept(std::span<double> change) {
  for (std::size_t j = 0; j < work_.size(); ++j) {
    for (int r = 0; r < work_[j].rows.count; ++r) {
      double& size = change[kMost * j + static_cast<std::size_t>(r)];
      const double next = clamped(work_[j].rows.row[r], work_[j].multiplier[r] + size);
      size = next - work_[j].multiplier[r];
      work_[j].multiplier[r] = next;
      note_pushed(work_[j].rows.row[r], size, work_[j]);
    }
  }
}

template <class Real>
void JointBatch<Real>::write_multipliers(std::span<double> out) const {
  for (std::size_t j = 0; j < work_.size(); ++j) std::copy_n(work_[j].multiplier.data(), kMost, &out[kMost * j]);
}

template <class Real>
std::vector<double> JointBatch<Real>::anchor_forces(const Movers<Real>& movers) {
  std::vector<double> forces(work_.size(), 0);
  for (std::size_t j = 0; j < work_.size(); ++j) {
    if (work_[j].is_broken) continue;
    evaluate(j, movers);
    std::array<double, kMost> force{};
    for (int r = 0; r < work_[j].rows.count; ++r) force[r] = weight_ * work_[j].multiplier[r];
    forces[j] = constraint::anchor_force(work_[j].rows, force.data());
  }
  return forces;
}

template class JointBatch<double>;
template class JointBatch<float>;

}  // namespace pliant::solver
