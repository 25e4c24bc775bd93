// Joints of a scene in the model: anchors and axes in coordinates of the bodies, points of deformable ones, units.
#include "pliant/scene/build_joints.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "pliant/constraint/joint_rows.h"
#include "pliant/dynamics/joint_motion.h"
#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using constraint::SideKind;
using pliant::testing::SceneText;

// A soft block of 0.3 × 0.2 × 0.1 m around the origin, two rigid boxes beside it.
BuiltScene build_joined(const std::string& joints) {
  SceneText text;
  text.more =
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.3, 0.2, 0.1], cells: [1, 1, 1]}}, material: soft, position: "
      "[0.3, 0, 0], "
      "rotation: {axis: [1, 2, 3], degrees: 40}}\n"
      "  - {name: lid, kind: rigid, mesh: {box: {size: [0.1, 0.2, 0.4], cells: [1, 1, 1]}}, material: soft, position: "
      "[0.6, 0, 0]}\n"
      "  - {name: wall, kind: obstacle, mesh: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 4, 0], motion: {move: "
      "{velocity: [1, 0, 0]}}}\n"
      "joints:\n" +
      joints;
  return build(text.parse());
}

// Whatever the type and the bodies, a joint holds where the scene begins.
TEST(BuildJoints, HoldAtTheStart) {
  const BuiltScene built = build_joined(
      "  - {name: a, type: ball, bodies: [box, lid], at: [0.45, 0.02, 0]}\n"
      "  - {name: b, type: hinge, bodies: [box, lid], at: [0.45, 0.02, 0], axis: [1, 1, 0], limits: {lower: -90, "
      "upper: 45}}\n"
      "  - {name: c, type: slider, bodies: [box], at: [0.45, 0.02, 0], axis: [1, 1, 0], limits: {lower: -0.5}}\n"
      "  - {name: d, type: universal, bodies: [lid, box], at: [0.45, 0.02, 0], axis: [1, 1, 0], second_axis: [0, 0, "
      "2]}\n"
      "  - {name: e, type: fixed, bodies: [lid, wall], at: [0.45, 0.02, 0]}\n"
      "  - {name: f, type: distance, bodies: [lid, box], at: [0.6, 0, 0], to: [0.3, 0.4, 0]}\n"
      "  - {name: g, type: ball, bodies: [box, block], at: [0.152, 0.03, 0.01]}\n"
      "  - {name: h, type: fixed, bodies: [block], at: [0.0137, 0.0219, 0.0312]}\n");
  const Model& model = built.model;
  ASSERT_EQ(model.joints.size(), 8U);
  for (const constraint::Joint& joint : model.joints) {
    constraint::JointRows rows;
    evaluate(joint, joint_poses(model, joint, built.state.positions, 0), {}, rows);
    for (int r = 0; r < rows.count; ++r) {
      if (rows.row[r].kind == constraint::RowKind::bilateral) {
        EXPECT_NEAR(rows.row[r].value, 0, 1e-12) << joint.name;
      }
    }
    EXPECT_GT(joint.rigid_stiffness, 0);
  }
  EXPECT_NEAR(model.joints[1].lower, -std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(model.joints[2].lower, -0.5);
  EXPECT_EQ(model.joints[4].side[1].obstacle, 0);
  EXPECT_NEAR(model.joints[5].length, 0.5, 1e-12);
  EXPECT_EQ(model.joints[6].side[1].kind, SideKind::point);
  EXPECT_EQ(model.joints[6].side[1].point.count, 3);  // on the border
  EXPECT_EQ(model.joints[7].side[0].point.count, 4);  // inside
}

TEST(BuildJoints, MotorsComeInRadians) {
  const BuiltScene built = build_joined(
      "  - {name: a, type: hinge, bodies: [box], at: [0, 0, 0], axis: [1, 0, 0], motor: {speed: 180, max_torque: 4}}\n"
      "  - {name: b, type: slider, bodies: [lid], at: [0, 0, 0], axis: [1, 0, 0], motor: {position: 0.3, stiffness: "
      "7}}\n");
  EXPECT_NEAR(built.model.joints[0].motor.target, std::numbers::pi, 1e-15);
  EXPECT_EQ(built.model.joints[0].motor.bound, 4);
  EXPECT_EQ(built.model.joints[1].motor.kind, constraint::MotorKind::position);
  EXPECT_EQ(built.model.joints[1].motor.target, 0.3);
  EXPECT_EQ(built.model.joints[1].motor.stiffness, 7);
}

TEST(BuildJoints, VerticesAndFarPlaces) {
  const BuiltScene built = build_joined("  - {name: a, type: ball, bodies: [box, block], at: [9, 9, 9], vertex: 5}\n");
  const MappedPoint& point = built.model.joints[0].side[1].point;
  ASSERT_EQ(point.count, 1);
  EXPECT_EQ(point.block[0], built.model.bodies[0].block_of_vertex[5]);
  EXPECT_INPUT_ERROR(build_joined("  - {name: a, type: ball, bodies: [box, block], at: [9, 9, 9]}\n"),
                     "a long way for a body 0.374 m large; move the joint, or name a vertex");
  EXPECT_INPUT_ERROR(build_joined("  - {name: a, type: ball, bodies: [box, block], at: [9, 9, 9], vertex: 500}\n"),
                     "body 'block' has the vertices 0 to 23, got 500");
}

// Bodies that are joined do not touch each other unless the joint says so.
TEST(BuildJoints, JoinedBodiesPassThroughEachOther) {
  for (const bool touches : {false, true}) {
    SceneText text;
    text.touches = true;
    text.more =
        "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1]}}, material: soft, position: [0.5, 0, 0]}\n"
        "  - {name: lid, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1]}}, material: soft, position: [0.55, 0, 0]}\n"
        "joints:\n  - {name: a, type: ball, bodies: [box, lid], at: [0.5, 0, 0], contact: " +
        std::string(touches ? "true" : "false") + "}\n";
    const std::string said = pliant::testing::error_of([&] { static_cast<void>(build(text.parse())); });
    EXPECT_EQ(said.empty(), !touches) << said;
  }
}

}  // namespace
}  // namespace pliant::scene
