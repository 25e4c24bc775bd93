#include "pliant/constraint/joint_energy.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/assert.h"
#include "pliant/energy/element_batch.h"
#include "pliant/math/psd.h"

namespace pliant::constraint {
namespace {

// Of the speed: by how much a motor falls short when it gives all it has. A smaller part makes the force jump where
// Newton cannot see it coming.
constexpr double kMotorSlip = 0.01;

// Adds a block to a joint's list, or finds it there.
int place_of(int block, std::array<int, kMostJointBlocks>& blocks, int& count) {
  for (int i = 0; i < count; ++i) {
    if (blocks[i] == block) return i;
  }
  blocks[count] = block;
  return count++;
}

bool is_broken(const Controls& controls, int joint) {
  return !controls.joints.broken.empty() && controls.joints.broken[joint] != 0;
}

bool acts_along_axis(const Joint& joint) {
  return joint.kind == JointKind::slider || joint.kind == JointKind::distance;
}

// Stiffness of the motor's spring, N/m or N·m/rad.
double motor_stiffness(const Joint& joint, double step) {
  const JointMotor& motor = joint.motor;
  const double rigid = joint.kind == JointKind::slider ? joint.rigid_stiffness : joint.rigid_angular_stiffness;
  if (motor.kind == MotorKind::position) return motor.stiffness;
  const double slip = kMotorSlip * std::abs(motor.target) * step;  // m or rad
  return slip > 0 ? std::min(rigid, motor.bound / slip) : rigid;
}

}  // namespace

struct JointEnergy::Stand {
  std::array<LinearVector, 2> anchor;
  std::array<std::array<LinearVector, 3>, 2> axis;
  LinearVector gap;   // x_a − x_b
  LinearVector tilt;  // u₀ − v₀
};

// Derivatives of one joint's energy in its own blocks.
struct JointEnergy::Part {
  static constexpr int kSize = 3 * kMostJointBlocks;
  HessianKind kind = HessianKind::exact;
  bool wants_hessian = false;
  double value = 0;
  Eigen::Matrix<double, 3, kMostJointBlocks> gradient = Eigen::Matrix<double, 3, kMostJointBlocks>::Zero();
  // ∇² = isotropic ⊗ 1 + hessian
  Eigen::Matrix<double, kMostJointBlocks, kMostJointBlocks> isotropic =
      Eigen::Matrix<double, kMostJointBlocks, kMostJointBlocks>::Zero();
  Eigen::Matrix<double, kSize, kSize> hessian;

  // ½ k |z|² with its rate
  void add_square(const LinearVector& z, double stiffness, double damping, double step) {
    const double rate = step > 0 ? damping * stiffness / step : 0;
    const Vec3 change = z.now - z.before;
    value += 0.5 * stiffness * z.now.squaredNorm() + 0.5 * rate * change.squaredNorm();
    gradient += (stiffness * z.now + rate * change) * z.weight.transpose();
    if (wants_hessian) isotropic += (stiffness + rate) * z.weight * z.weight.transpose();
  }
  void add(const JointScalar& c, const JointLaw& law) {
    value += law.value;
    if (law.slope == 0 && law.curvature == 0) return;
    for (int i = 0; i < c.count; ++i)
      gradient += law.slope * c.gradient.segment<3>(3 * i) * c.of[i]->weight.transpose();
    if (!wants_hessian) return;
    TermHessian h = law.curvature * c.gradient * c.gradient.transpose() + law.slope * c.hessian;
    if (kind != HessianKind::exact && law.slope != 0) h = math::project_psd(h);
    for (int i = 0; i < c.count; ++i) {
      for (int j = 0; j < c.count; ++j) {
        const Mat3 block = h.block<3, 3>(3 * i, 3 * j);
        for (int b = 0; b < kMostJointBlocks; ++b) {
          if (c.of[i]->weight[b] == 0) continue;
          for (int d = b; d < kMostJointBlocks; ++d)
            hessian.block<3, 3>(3 * b, 3 * d) += c.of[i]->weight[b] * c.of[j]->weight[d] * block;
        }
      }
    }
  }
};

JointEnergy::JointEnergy(std::vector<Joint> joints, std::span<const RigidFrame> frames)
    : joints_(std::move(joints)), elements_(joints_.size()) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    Element& e = elements_[j];
    for (int s = 0; s < 2; ++s) {
      const JointSide& side = joints_[j].side[s];
      for (int i = 0; i < side.point.count; ++i) e.side[s].local[i] = place_of(side.point.block[i], e.block, e.count);
      if (side.kind == SideKind::rigid) {
        PLIANT_ASSERT(side.point.count == 4, "the anchor of a rigid body is made of four blocks");
        e.side[s].length = frames[side.rigid].length;
      }
    }
  }
}

void JointEnergy::couple(sparse::PatternBuilder& builder) const {
  for (const Element& e : elements_) builder.couple(std::span(e.block.data(), static_cast<std::size_t>(e.count)));
}

void JointEnergy::find_slots(const sparse::BlockPattern& pattern) {
  for (Element& e : elements_) {
    for (int i = 0; i < e.count; ++i) {
      for (int j = i; j < e.count; ++j) {
        const int a = e.block[i], b = e.block[j];
        e.slot[pair_index<kMostJointBlocks>(i, j)] = a <= b ? pattern.slot(a, b) : ~pattern.slot(b, a);
      }
    }
  }
}

JointEnergy::Stand JointEnergy::stand(int joint, const Configuration& q) const {
  Stand out;
  for (int s = 0; s < 2; ++s) {
    const JointSide& side = joints_[joint].side[s];
    const Side& place = elements_[joint].side[s];
    LinearVector& anchor = out.anchor[s];
    if (side.kind == SideKind::world) {
      const ScriptedPose fixed;
      const bool is_carried = side.obstacle >= 0 && !q.controls.obstacle_poses.empty();
      const ScriptedPose& now = is_carried ? q.controls.obstacle_poses[side.obstacle] : fixed;
      const ScriptedPose& before = is_carried ? q.controls.obstacle_poses_before[side.obstacle] : fixed;
      anchor.now = now.rotation * side.anchor + now.translation;
      anchor.before = before.rotation * side.anchor + before.translation;
      for (int k = 0; k < 3; ++k) {
        out.axis[s][k].now = now.rotation * side.axes.col(k);
        out.axis[s][k].before = before.rotation * side.axes.col(k);
      }
      continue;
    }
    for (int i = 0; i < side.point.count; ++i) anchor.weight[place.local[i]] += side.point.weight[i];
    anchor.now = side.point.evaluate(q.now);
    anchor.before = side.point.evaluate(q.before);
    if (side.kind == SideKind::point) continue;
    for (int k = 0; k < 3; ++k) {
      LinearVector& axis = out.axis[s][k];
      for (int i = 0; i < 3; ++i) {
        const double weight = side.axes(i, k) / place.length;
        axis.weight[place.local[i + 1]] = weight;
        axis.now += weight * q.now[side.point.block[i + 1]];
        axis.before += weight * q.before[side.point.block[i + 1]];
      }
    }
  }
  out.gap = out.anchor[0] - out.anchor[1];
  out.tilt = out.axis[0][0] - out.axis[1][0];
  return out;
}

// What limits and motors act on.
JointScalar JointEnergy::coordinate(int joint, const Stand& s, const Configuration& q) const {
  const std::vector<double>& known = q.controls.joints.coordinates;
  switch (joints_[joint].kind) {
    case JointKind::hinge:
      return hinge_angle(s.axis[0][1], s.axis[1][1], s.axis[1][2], known.empty() ? 0 : known[joint]);
    case JointKind::slider:
      return product_of(s.gap, s.axis[1][0]);
    case JointKind::distance:
      return length_of(s.gap);
    case JointKind::ball:
      return cone_angle(s.tilt);
    case JointKind::universal:
    case JointKind::fixed:
      break;
  }
  return {};
}

// What the kind takes away.
void JointEnergy::add_holds(const Joint& joint, const Stand& s, double step, Part& part) const {
  const double k = joint.stiffness(), turning = joint.angular_stiffness();
  const auto add_scalar = [&](const JointScalar& c, double stiffness) {
    part.add(c, spring_law(c.value, c.before, stiffness, joint.damping, step));
  };
  const auto hold_axes = [&] {
    for (int i = 0; i < 3; ++i) part.add_square(s.axis[0][i] - s.axis[1][i], 0.5 * turning, joint.damping, step);
  };
  if (!acts_along_axis(joint)) part.add_square(s.gap, k, joint.damping, step);
  switch (joint.kind) {
    case JointKind::hinge:
      part.add_square(s.tilt, turning, joint.damping, step);
      break;
    case JointKind::universal:
      add_scalar(product_of(s.axis[0][0], s.axis[1][1]), turning);
      break;
    case JointKind::slider:
      hold_axes();
      add_scalar(product_of(s.gap, s.axis[1][1]), k);
      add_scalar(product_of(s.gap, s.axis[1][2]), k);
      break;
    case JointKind::fixed:
      if (joint.has_axes()) hold_axes();
      break;
    case JointKind::distance:
      if (!joint.has_limits()) {
        JointScalar c = length_of(s.gap);
        c.value -= joint.length;
        c.before -= joint.length;
        add_scalar(c, k);
      }
      break;
    case JointKind::ball:
      break;
  }
}

// Limits and motors.
void JointEnergy::add_coordinate(const Joint& joint, const JointScalar& c, double step, Part& part) const {
  const double stiffness = acts_along_axis(joint) ? joint.rigid_stiffness : joint.rigid_angular_stiffness;
  if (joint.has_lower()) {
    part.add(c, limit_law(c.value - joint.lower, stiffness));
  }
  if (joint.has_upper()) {
    JointLaw law = limit_law(joint.upper - c.value, stiffness);
    law.slope *= -1;
    part.add(c, law);
  }
  const JointMotor& motor = joint.motor;
  if (motor.kind == MotorKind::none || (motor.kind == MotorKind::speed && step == 0)) return;
  const double wanted = motor.kind == MotorKind::position ? motor.target : c.before + step * motor.target;
  part.add(c, bounded_law(c.value - wanted, motor_stiffness(joint, step), motor.bound));
}

void JointEnergy::evaluate(int j, const Configuration& q, Part& part) const {
  const Joint& joint = joints_[j];
  const Stand s = stand(j, q);
  if (part.wants_hessian) part.hessian.setZero();
  add_holds(joint, s, q.step, part);
  if (!joint.has_limits() && joint.motor.kind == MotorKind::none) return;
  add_coordinate(joint, coordinate(j, s, q), q.step, part);
}

void JointEnergy::scatter(int j, const Part& part, Accumulator& out) const {
  const Element& e = elements_[j];
  if (out.gradient != nullptr) {
    for (int i = 0; i < e.count; ++i) (*out.gradient)[e.block[i]] += part.gradient.col(i);
  }
  if (out.hessian == nullptr) return;
  for (int i = 0; i < e.count; ++i) {
    for (int k = i; k < e.count; ++k) {
      const Mat3 block = part.hessian.block<3, 3>(3 * i, 3 * k) + part.isotropic(i, k) * Mat3::Identity();
      add_block(*out.hessian, e.slot[pair_index<kMostJointBlocks>(i, k)], block);
    }
  }
}

void JointEnergy::evaluate(const Configuration& q, Accumulator& out) const {
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    if (is_broken(q.controls, j)) continue;
    Part part;
    part.kind = out.hessian_kind;
    part.wants_hessian = out.hessian != nullptr;
    evaluate(j, q, part);
    if (out.value != nullptr) *out.value += part.value;
    scatter(j, part, out);
  }
}

void JointEnergy::add_weights(const Controls& controls, double step, sparse::SymmetricScalarMatrix& out) const {
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    if (is_broken(controls, j)) continue;
    // Weights do not depend on places, so any will do.
    const Joint& joint = joints_[j];
    const Element& e = elements_[j];
    const BlockVector anywhere(out.row_count());
    const Stand s = stand(j, {anywhere, anywhere, step, controls});
    const double rate = step > 0 ? 1 + joint.damping / step : 1;
    const double k = rate * joint.stiffness(), turning = rate * joint.angular_stiffness();
    Part part;
    part.wants_hessian = true;
    part.add_square(s.gap, k, 0, 0);
    const int held = joint.kind == JointKind::hinge                                                            ? 1
                     : joint.has_axes() && (joint.kind == JointKind::slider || joint.kind == JointKind::fixed) ? 3
                                                                                                               : 0;
    for (int i = 0; i < held; ++i)
      part.add_square(s.axis[0][i] - s.axis[1][i], held == 1 ? turning : 0.5 * turning, 0, 0);
    for (int i = 0; i < e.count; ++i) {
      for (int d = i; d < e.count; ++d) out.add(e.block[i], e.block[d], part.isotropic(i, d));
    }
  }
}

void JointEnergy::remember(const Configuration& q, std::span<const double> forces, JointMemory& memory) const {
  for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
    const Joint& joint = joints_[j];
    const Stand s = stand(j, q);
    memory.coordinates[j] = coordinate(j, s, q).value;
    memory.forces[j] = 0;
    if (memory.broken[j] != 0) continue;
    memory.forces[j] = forces.empty() ? pull(j, q) : forces[j];
    if (memory.forces[j] > joint.breaking_force) memory.broken[j] = 1;
  }
}

// The pull on a side that can move: all of it goes through the blocks that carry the anchor.
double JointEnergy::pull(int j, const Configuration& q) const {
  const Joint& joint = joints_[j];
  Part part;
  evaluate(j, q, part);
  const int side = joint.side[0].kind != SideKind::world ? 0 : 1;
  const int blocks = joint.side[side].kind == SideKind::rigid ? 1 : joint.side[side].point.count;
  Vec3 force = Vec3::Zero();
  for (int i = 0; i < blocks; ++i) force += part.gradient.col(elements_[j].side[side].local[i]);
  return force.norm();
}

}  // namespace pliant::constraint
