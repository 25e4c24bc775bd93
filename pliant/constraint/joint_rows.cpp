#include "pliant/constraint/joint_rows.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/math/rotation.h"

namespace pliant::constraint {
namespace {

// cos²(α/2) of axes that point against each other is 0: rows are taken as if they were this far from it.
constexpr double kLeastCosine = 1e-6;

// The joint as it stands in the world.
struct Placed {
  std::array<Vec3, 2> arm;   // m, from the centres to the anchors
  std::array<Mat3, 2> axes;  // u, v
  Vec3 gap;                  // m, x_a − x_b
  double length = 0;         // m, |gap|, or what its ends had on average
};

Placed place_joint(const Joint& joint, const std::array<SidePose, 2>& pose) {
  Placed p;
  for (int s = 0; s < 2; ++s) {
    p.arm[s] = pose[s].rotation * joint.side[s].anchor;
    p.axes[s] = pose[s].rotation * joint.side[s].axes;
  }
  p.gap = pose[0].centre + p.arm[0] - pose[1].centre - p.arm[1];
  p.length = p.gap.norm();
  return p;
}

// In the middle of the way from before to now.
Placed place_between(const Joint& joint, const std::array<SidePose, 2>& before, const std::array<SidePose, 2>& now) {
  const Placed start = place_joint(joint, before), end = place_joint(joint, now);
  Placed p;
  for (int s = 0; s < 2; ++s) {
    const Vec3 turn = math::vector_from_rotation(now[s].rotation * before[s].rotation.transpose());
    p.arm[s] = math::right_jacobian(-turn) * start.arm[s];
    p.axes[s] = math::rotation_from_vector(0.5 * turn) * start.axes[s];
  }
  p.gap = 0.5 * (start.gap + end.gap);
  p.length = 0.5 * (start.length + end.length);
  return p;
}

JointRow& next_row(JointRows& out) {
  JointRow& row = out.row[out.count++];
  row = JointRow{};
  return row;
}

// A point side does not turn, however a row's formula reads.
void finish_row(const Joint& joint, double compliance, JointRow& row) {
  row.compliance = compliance;
  row.damping = joint.damping;
  for (int s = 0; s < 2; ++s) {
    if (joint.side[s].kind == SideKind::point) row.torque[s].setZero();
  }
}

// c = n·(x_a − x_b) with a direction that does not move.
void set_gap(const Placed& p, const Vec3& n, JointRow& row) {
  row.value = n.dot(p.gap);
  row.force = {n, -n};
  row.torque = {p.arm[0].cross(n), -p.arm[1].cross(n)};
}

// c = n·(x_a − x_b) with a direction that side b carries.
void set_carried_gap(const Placed& p, const Vec3& n, JointRow& row) {
  set_gap(p, n, row);
  row.torque[1] += n.cross(p.gap);
}

void add_anchor_rows(const Joint& joint, const Placed& p, JointRows& out) {
  for (int k = 0; k < 3; ++k) {
    JointRow& row = next_row(out);
    set_gap(p, Vec3::Unit(k), row);
    finish_row(joint, joint.compliance, row);
  }
}

void add_hinge_rows(const Joint& joint, const Placed& p, JointRows& out) {
  const Vec3 u = p.axes[0].col(0), v = p.axes[1].col(0);
  const double half = std::max(0.5 * (1 + u.dot(v)), kLeastCosine);  // cos²(α/2)
  const double scale = 1 / std::sqrt(half);
  const Vec3 turn = u.cross(v);  // d(u·v) = turn·(dφ_a − dφ_b)
  for (int k = 1; k < 3; ++k) {
    const Vec3 w = p.axes[1].col(k);
    JointRow& row = next_row(out);
    row.value = scale * w.dot(u);
    row.torque[0] = scale * u.cross(w) - (0.25 * row.value / half) * turn;
    row.torque[1] = -row.torque[0];
    finish_row(joint, joint.angular_compliance, row);
  }
}

// All three turns.
void add_lock_rows(const Joint& joint, const Placed& p, JointRows& out) {
  math::Quaternion q = math::quaternion_from_rotation(p.axes[1].transpose() * p.axes[0]);
  if (q.w() < 0) q.coeffs() *= -1;
  for (int k = 0; k < 3; ++k) {
    JointRow& row = next_row(out);
    row.value = 2 * q.vec()[k];
    row.torque[0] = p.axes[1] * (q.w() * Vec3::Unit(k) + q.vec().cross(Vec3::Unit(k)));
    row.torque[1] = -row.torque[0];
    finish_row(joint, joint.angular_compliance, row);
  }
}

void add_slider_rows(const Joint& joint, const Placed& p, JointRows& out) {
  add_lock_rows(joint, p, out);
  for (int k = 1; k < 3; ++k) {
    JointRow& row = next_row(out);
    set_carried_gap(p, p.axes[1].col(k), row);
    finish_row(joint, joint.compliance, row);
  }
}

void add_universal_row(const Joint& joint, const Placed& p, JointRows& out) {
  const Vec3 u = p.axes[0].col(0), v = p.axes[1].col(1);
  JointRow& row = next_row(out);
  row.value = u.dot(v);
  row.torque = {u.cross(v), v.cross(u)};
  finish_row(joint, joint.angular_compliance, row);
}

double nearest_angle(double angle, double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((near - angle) / kTurn);
}

// The coordinate and its derivatives as a row that is zero before.
void set_coordinate(const Joint& joint, const Placed& p, double near, JointRow& row) {
  const Vec3 u = p.axes[0].col(0), v = p.axes[1].col(0);
  switch (joint.kind) {
    case JointKind::hinge: {
      // How far u₁ has turned from v₁ towards v₂.
      const Vec3 arm = p.axes[0].col(1), across = p.axes[1].col(1), ahead = p.axes[1].col(2);
      const double c = arm.dot(across), s = arm.dot(ahead);
      row.value = nearest_angle(std::atan2(s, c), near);
      row.torque[0] = arm.cross(c * ahead - s * across) / std::max(c * c + s * s, kLeastCosine);
      row.torque[1] = -row.torque[0];
      break;
    }
    case JointKind::slider:
      set_carried_gap(p, v, row);
      break;
    case JointKind::ball: {
      const Vec3 turn = v.cross(u);
      const double sine = turn.norm();
      row.value = std::atan2(sine, u.dot(v));
      if (sine > 0) row.torque[0] = turn / sine;
      row.torque[1] = -row.torque[0];
      break;
    }
    case JointKind::distance: {
      // Anchors that coincide may be parted in any direction.
      set_gap(p, p.length > 0 ? Vec3(p.gap / p.length) : Vec3(Vec3::UnitY()), row);
      row.value = p.length;
      break;
    }
    case JointKind::universal:
    case JointKind::fixed:
      row.value = 0;
  }
}

void add_limit_rows(const Joint& joint, const JointRow& coordinate, JointRows& out) {
  if (joint.has_lower()) {
    JointRow& row = next_row(out);
    row = coordinate;
    row.value = coordinate.value - joint.lower;
    row.kind = RowKind::lower_limit;
    finish_row(joint, 0, row);
    row.damping = 0;  // otherwise a limit would be felt before it is reached
  }
  if (joint.has_upper()) {
    JointRow& row = next_row(out);
    row.value = joint.upper - coordinate.value;
    for (int s = 0; s < 2; ++s) {
      row.force[s] = -coordinate.force[s];
      row.torque[s] = -coordinate.torque[s];
    }
    row.kind = RowKind::lower_limit;
    finish_row(joint, 0, row);
    row.damping = 0;  // otherwise a limit would be felt before it is reached
  }
}

void add_motor_row(const Joint& joint, const JointRow& coordinate, const JointStart& start, JointRows& out) {
  const JointMotor& motor = joint.motor;
  if (motor.kind == MotorKind::none) return;
  JointRow& row = next_row(out);
  row = coordinate;
  const bool is_speed = motor.kind == MotorKind::speed;
  row.value -= is_speed ? start.coordinate + start.step * motor.target : motor.target;
  row.kind = RowKind::motor;
  row.bound = motor.bound;
  finish_row(joint, is_speed ? 0 : 1 / motor.stiffness, row);
  row.damping = 0;
}

void evaluate_placed(const Joint& joint, const Placed& p, const JointStart& start, JointRows& out) {
  out.count = 0;
  JointRow coordinate;
  set_coordinate(joint, p, start.coordinate, coordinate);
  out.coordinate = coordinate.value;

  // What the kind takes away.
  if (joint.kind != JointKind::slider && joint.kind != JointKind::distance) add_anchor_rows(joint, p, out);
  if (joint.kind == JointKind::hinge) add_hinge_rows(joint, p, out);
  if (joint.kind == JointKind::slider) add_slider_rows(joint, p, out);
  if (joint.kind == JointKind::universal) add_universal_row(joint, p, out);
  if (joint.kind == JointKind::fixed && joint.has_axes()) add_lock_rows(joint, p, out);
  if (joint.kind == JointKind::distance && !joint.has_limits()) {
    JointRow& row = next_row(out);
    row = coordinate;
    row.value -= joint.length;
    finish_row(joint, joint.compliance, row);
  }

  // What acts on the coordinate that is left.
  add_limit_rows(joint, coordinate, out);
  add_motor_row(joint, coordinate, start, out);
}

}  // namespace

void evaluate(const Joint& joint, const std::array<SidePose, 2>& pose, const JointStart& start, JointRows& out) {
  evaluate_placed(joint, place_joint(joint, pose), start, out);
}

void evaluate_over(const Joint& joint, const std::array<SidePose, 2>& before, const std::array<SidePose, 2>& now,
                   const JointStart& start, JointRows& out) {
  evaluate_placed(joint, place_between(joint, before, now), start, out);
  JointRows end;
  evaluate(joint, now, start, end);
  for (int r = 0; r < out.count; ++r) out.row[r].value = end.row[r].value;
  out.coordinate = end.coordinate;
}

double joint_coordinate(const Joint& joint, const std::array<SidePose, 2>& pose, double near) {
  JointRow row;
  set_coordinate(joint, place_joint(joint, pose), near, row);
  return row.value;
}

double anchor_gap(const JointRows& rows) {
  double squared = 0;
  for (int i = 0; i < rows.count; ++i) {
    const JointRow& row = rows.row[i];
    if (row.kind == RowKind::bilateral && !row.force[0].isZero(0)) squared += row.value * row.value;
  }
  return std::sqrt(squared);
}

double anchor_force(const JointRows& rows, const double* multipliers) {
  Vec3 force = Vec3::Zero();
  for (int i = 0; i < rows.count; ++i) force += multipliers[i] * rows.row[i].force[0];
  return force.norm();
}

}  // namespace pliant::constraint
