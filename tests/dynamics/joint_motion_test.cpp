// Joints from step to step: poses of obstacles, memory, breaking.
#include "pliant/dynamics/joint_motion.h"

#include <gtest/gtest.h>

#include "pliant/constraint/joint_energy.h"

namespace pliant {
namespace {

// A point that a spring of 100 N/m ties to an obstacle.
Model make_tied_point() {
  Model model;
  model.layout.add_body("point", 1);
  Obstacle hook;
  hook.name = "hook";
  hook.motion = ScriptedMotion(Move{Vec3(1, 0, 0)});
  model.obstacles.push_back(hook);
  constraint::Joint joint;
  joint.side[0].kind = constraint::SideKind::point;
  joint.side[0].point = MappedPoint::vertex(0);
  joint.side[1].obstacle = 0;
  joint.compliance = 0.01;
  joint.breaking_force = 30;
  model.joints.push_back(joint);
  model.energies.push_back(std::make_unique<constraint::JointEnergy>(model.joints, std::span<const RigidFrame>{}));
  model.roles.push_back(EnergyRole::elastic);
  return model;
}

TEST(JointMotion, FollowsScriptsAndBreaksForGood) {
  const Model model = make_tied_point();
  JointMemory memory;
  resize_memory(model, memory);
  ASSERT_EQ(memory.broken, std::vector<unsigned char>{0});
  const BlockVector still(1);
  Controls controls;

  set_joint_controls(model, memory, 0.1, 0.2, controls);
  EXPECT_NEAR((controls.obstacle_poses_before[0].translation - Vec3(0.1, 0, 0)).norm(), 0, 1e-15);
  remember_joints(model, {still, still, 0.1, controls}, {}, memory);
  EXPECT_NEAR(memory.forces[0], 20, 1e-12);
  EXPECT_EQ(memory.broken[0], 0);

  set_joint_controls(model, memory, 0.3, 0.4, controls);
  remember_joints(model, {still, still, 0.1, controls}, {}, memory);
  EXPECT_NEAR(memory.forces[0], 40, 1e-12);
  EXPECT_EQ(memory.broken[0], 1);

  set_joint_controls(model, memory, 0, 0.01, controls);
  remember_joints(model, {still, still, 0.01, controls}, {}, memory);
  EXPECT_EQ(memory.forces[0], 0);
  EXPECT_EQ(memory.broken[0], 1);
}

TEST(JointMotion, KnowsHowFastScriptsAre) {
  Model model = make_tied_point();
  JointMemory memory;
  resize_memory(model, memory);
  Controls controls;
  set_joint_controls(model, memory, 0.1, 0.2, controls);
  EXPECT_NEAR((controls.obstacle_poses[0].velocity - Vec3(1, 0, 0)).norm(), 0, 1e-9);
  EXPECT_TRUE(controls.obstacle_poses[0].angular_velocity.isZero(0));
  model.obstacles[0].motion = ScriptedMotion(Rotate{Vec3::UnitZ(), Vec3(1, 0, 0), 3});
  set_joint_controls(model, memory, 0.1, 0.2, controls);
  EXPECT_NEAR((controls.obstacle_poses[0].angular_velocity - Vec3(0, 0, 3)).norm(), 0, 1e-8);
  const Vec3 origin = controls.obstacle_poses[0].translation;
  EXPECT_NEAR((controls.obstacle_poses[0].velocity - Vec3(0, 0, 3).cross(origin - Vec3(1, 0, 0))).norm(), 0, 1e-8);
}

}  // namespace
}  // namespace pliant
