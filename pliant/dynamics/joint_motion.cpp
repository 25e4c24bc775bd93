#include "pliant/dynamics/joint_motion.h"

#include "pliant/constraint/joint_energy.h"
#include "pliant/math/rotation.h"

namespace pliant {
namespace {

void set_poses(const Model& model, double time, std::vector<ScriptedPose>& poses) {
  poses.clear();
  for (const Obstacle& obstacle : model.obstacles) {
    const RigidTransform place = obstacle.motion.at(time);
    ScriptedPose& pose = poses.emplace_back();
    pose.rotation = place.rotation;
    pose.translation = place.translation;
    if (obstacle.motion.is_still()) continue;
    const RigidTransform earlier = obstacle.motion.at(time - kScriptMoment),
                         later = obstacle.motion.at(time + kScriptMoment);
    pose.velocity = (later.translation - earlier.translation) / (2 * kScriptMoment);
    pose.angular_velocity =
        math::vector_from_rotation(later.rotation * earlier.rotation.transpose()) / (2 * kScriptMoment);
  }
}

}  // namespace

std::array<constraint::SidePose, 2> joint_poses(const Model& model, const constraint::Joint& joint,
                                                const BlockVector& positions, double time) {
  std::array<constraint::SidePose, 2> poses;
  for (int s = 0; s < 2; ++s) {
    const constraint::JointSide& side = joint.side[s];
    if (side.kind == constraint::SideKind::point) poses[s].centre = side.point.evaluate(positions);
    if (side.kind == constraint::SideKind::rigid) {
      const RigidFrame& frame = model.rigids[static_cast<std::size_t>(side.rigid)].frame;
      // By the anchor, not by the centre: what newton leaves of strain in the axes must not look like a gap.
      const Mat3 rotation = rotation_of(frame, positions);
      poses[s] = {side.point.evaluate(positions) - rotation * side.anchor, rotation};
    }
    if (side.kind == constraint::SideKind::world && side.obstacle >= 0) {
      const RigidTransform place = model.obstacles[static_cast<std::size_t>(side.obstacle)].motion.at(time);
      poses[s] = {place.translation, place.rotation};
    }
  }
  return poses;
}

void resize_memory(const Model& model, JointMemory& memory) {
  memory.coordinates.resize(model.joints.size(), 0);
  memory.forces.resize(model.joints.size(), 0);
  memory.broken.resize(model.joints.size(), 0);
}

void set_joint_controls(const Model& model, const JointMemory& memory, double begin, double end, Controls& controls) {
  if (model.joints.empty() && model.pieces.empty()) return;
  controls.joints = memory;
  set_poses(model, begin, controls.obstacle_poses_before);
  set_poses(model, end, controls.obstacle_poses);
}

void remember_joints(const Model& model, const Configuration& q, std::span<const double> forces, JointMemory& memory) {
  if (model.joints.empty()) return;
  for (const auto& energy : model.energies) {
    if (const auto* joints = dynamic_cast<const constraint::JointEnergy*>(energy.get()))
      joints->remember(q, forces, memory);
  }
}

}  // namespace pliant
