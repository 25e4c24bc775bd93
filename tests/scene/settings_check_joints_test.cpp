// Every mistake in a joint has a sentence with a remedy.
#include <gtest/gtest.h>

#include "pliant/scene/settings_check.h"
#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;

SceneText joined(const std::string& joint) {
  SceneText text;
  text.more =
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1]}}, material: soft, position: [0, 1, 0]}\n"
      "  - {name: lid, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1]}}, material: soft, position: [0, 2, 0]}\n"
      "  - {name: many, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1]}}, material: soft, position: [0, 3, 0], "
      "copies: {count: [2, 1, 1], spacing: [1, 0, 0]}}\n"
      "  - {name: wall, kind: obstacle, mesh: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 4, 0]}\n"
      "joints:\n  - {name: j, at: [0, 1, 0], " +
      joint + "}\n";
  return text;
}

void expect_said(const std::string& joint, const std::string& sentence) {
  EXPECT_INPUT_ERROR(joined(joint).parse(), sentence);
}

TEST(SettingsCheckJoints, AcceptsWhatIsRight) {
  for (const char* joint :
       {"type: ball, bodies: [box, lid]", "type: ball, bodies: [box]", "type: ball, bodies: [block, box]",
        "type: ball, bodies: [box, wall], axis: [0, 1, 0], limits: {upper: 30}",
        "type: hinge, bodies: [box, many.1], axis: [0, 1, 0], limits: {lower: -360, upper: 360}, motor: {speed: 90, "
        "max_torque: 3}",
        "type: slider, bodies: [box, lid], axis: [0, 2, 0], motor: {position: 0.5, stiffness: 100, max_force: 5}",
        "type: universal, bodies: [box, lid], axis: [0, 1, 0], second_axis: [1, 0, 0]",
        "type: fixed, bodies: [box, block], breaking_force: 5, compliance: 1.0e-4, damping: 0.01",
        "type: distance, bodies: [box, lid], to: [0, 2, 0], length: 1.5",
        "type: distance, bodies: [box], to: [0, 2, 0], limits: {upper: 1.5}"}) {
    EXPECT_EQ(pliant::testing::error_of([&] { static_cast<void>(joined(joint).parse()); }), "") << joint;
  }
}

TEST(SettingsCheckJoints, Bodies) {
  expect_said("type: ball, bodies: [boxx, lid]", "there is no body named 'boxx'; did you mean 'box'?");
  expect_said("type: ball, bodies: [box, box]", "'box' cannot be joined to itself");
  expect_said("type: ball, bodies: []", "must name two bodies, or one to join it to the world, got 0");
  expect_said("type: ball, bodies: [box, lid, wall]", "got 3");
  expect_said("type: ball, bodies: [wall, box]",
              "'wall' is an obstacle, which nothing can pull; name the body that moves first");
  expect_said("type: ball, bodies: [box, many]", "'many' has 2 copies; name one of them, such as 'many.0'");
  expect_said("type: hinge, bodies: [box, block], axis: [1, 0, 0]",
              "'block' is of kind solid, whose points have no axes; use ball, fixed or distance");
  expect_said("type: ball, bodies: [box, block], axis: [1, 0, 0], limits: {upper: 30}",
              "the cone of a ball needs axes");
  expect_said("type: ball, bodies: [box, lid], vertex: 3", "vertex is of deformable bodies");
}

TEST(SettingsCheckJoints, AxesAndLimits) {
  expect_said("type: hinge, bodies: [box]", "axis");
  expect_said("type: universal, bodies: [box], axis: [0, 1, 0]", "second_axis");
  expect_said("type: universal, bodies: [box], axis: [0, 1, 0], second_axis: [0, 1, 1]",
              "must be perpendicular to axis");
  expect_said("type: fixed, bodies: [box], axis: [0, 1, 0]", "is not used here");
  expect_said("type: fixed, bodies: [box], limits: {lower: 1}", "limits are of hinge, slider, ball and distance");
  expect_said("type: hinge, bodies: [box], axis: [0, 1, 0], limits: {}", "limits needs lower, upper, or both");
  expect_said("type: hinge, bodies: [box], axis: [0, 1, 0], limits: {lower: 9, upper: 3}", "lower must be at most");
  expect_said("type: hinge, bodies: [box], axis: [0, 1, 0], limits: {lower: 10}",
              "must contain what holds at t = 0, which is 0");
  expect_said("type: ball, bodies: [box], axis: [0, 1, 0], limits: {lower: 1}", "an upper limit only");
  expect_said("type: ball, bodies: [box], limits: {upper: 10}", "needs axis, the direction of its middle");
  expect_said("type: distance, bodies: [box, lid], to: [0, 2, 0], length: 1, limits: {upper: 2}", "not both");
  expect_said("type: distance, bodies: [box, lid]", "a distance of 0 is a ball");
}

TEST(SettingsCheckJoints, Motors) {
  expect_said("type: ball, bodies: [box], motor: {speed: 3}", "motor is of hinge and slider, and this is ball");
  const std::string hinge = "type: hinge, bodies: [box], axis: [0, 1, 0], motor: ";
  expect_said(hinge + "{}", "needs speed or position, and one of them only");
  expect_said(hinge + "{speed: 3, position: 4, stiffness: 2}", "one of them only");
  expect_said(hinge + "{position: 4}", "stiffness");
  expect_said(hinge + "{speed: 4, max_force: 4}", "a hinge has max_torque");
  SceneText text = joined("type: ball, bodies: [box]");
  text.time += ", integrator: symplectic_euler";
  EXPECT_INPUT_ERROR(text.parse(), "joints are stiff and need an implicit integrator");
}

}  // namespace
}  // namespace pliant::scene
