// Pins of a scene as they act: what is held, how it moves, from when until when, and how springs share their stiffness.
#include "pliant/scene/build_pins.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/scene/build_model.h"
#include "pliant/scene/selection.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;
using pliant::testing::ThinScene;

const std::string kEnd = "where: {box: {min: [-9, -9, -9], max: [-0.15, 9, 9]}}";

SceneText pinned(const std::string& keys) {
  SceneText text;
  text.more = "pins:\n  - {body: block, " + kEnd + keys + "}\n";
  return text;
}

TEST(BuildPins, HoldEverythingUnlessAxesOrADirectionAreGiven) {
  const auto pin_of = [](const std::string& keys) { return build(pinned(keys).parse()).model.pins.at(0); };
  EXPECT_TRUE(pin_of("").holds_all);
  EXPECT_EQ(pin_of("").blocks.size(), 6U);
  EXPECT_TRUE(pin_of(", axes: [z, x, y]").holds_all);
  const ScriptedPin axes = pin_of(", axes: [x, z]");
  EXPECT_FALSE(axes.holds_all);
  EXPECT_EQ(axes.directions, (std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitZ()}));
  const ScriptedPin oblique = pin_of(", direction: [0, 3, 4]");
  EXPECT_FALSE(oblique.holds_all);
  ASSERT_EQ(oblique.directions.size(), 1U);
  EXPECT_LT((oblique.directions[0] - Vec3(0, 0.6, 0.8)).norm(), 1e-15);
}

TEST(BuildPins, TimesAndAnchors) {
  SceneText text = pinned(", from: 0.2, until: 0.7");
  text.body = ", copies: {count: [2, 1, 1], spacing: [-3, 0, 0]}";
  const BuiltScene built = build(text.parse());
  ASSERT_EQ(built.model.pins.size(), 2U);  // one per copy; the second copy lies wholly inside the box
  EXPECT_EQ(built.model.pins[0].first_anchor, 0);
  EXPECT_EQ(built.model.pins[1].first_anchor, 6);
  EXPECT_EQ(built.model.pins[1].blocks.size(), 24U);
  EXPECT_EQ(built.model.anchor_count(), 30);
  EXPECT_EQ(built.model.pins[0].from, 0.2);
  EXPECT_EQ(built.model.pins[0].until, 0.7);
  EXPECT_TRUE(std::isinf(build(pinned("").parse()).model.pins[0].until));
}

TEST(BuildPins, MotionsAreThoseOfTheScene) {
  const Vec3 centre(1, 2, 3), x(2, 2, 3);
  EXPECT_LT((scripted_motion(MoveMotion{Vec3(1, 0, -1)}, centre).at(0.5) * x - Vec3(2.5, 2, 2.5)).norm(), 1e-15);
  // 90 degrees per second about an axis of any length through its own centre
  const Motion rotate = RotateMotion{Vec3(0, 5, 0), Vec3(1, 0, 3), 90};
  EXPECT_LT((scripted_motion(rotate, centre).at(1) * x - Vec3(1, 2, 2)).norm(), 1e-14);
  // Keyframes turn about the centre of what is pinned.
  Keyframe first, last;
  last.t = 2;
  last.position = Vec3(0, 1, 0);
  last.rotation.turns = {AxisRotation{Vec3::UnitZ(), 90}};
  const ScriptedMotion keyed = scripted_motion(KeyframeMotion{{first, last}}, centre);
  EXPECT_LT((keyed.at(2) * x - Vec3(1, 4, 3)).norm(), 1e-14);
  EXPECT_LT((keyed.at(1) * x - Vec3(1 + std::sqrt(0.5), 2.5 + std::sqrt(0.5), 3)).norm(), 1e-14);
  const ScriptedMotion fast = scripted_motion(KeyframeMotion{{first, last}, 4}, centre);
  EXPECT_LT((fast.at(0.25) * x - keyed.at(1) * x).norm(), 1e-14);
  EXPECT_LT((fast.at(3) * x - keyed.at(2) * x).norm(), 1e-14);
  Keyframe back;
  back.t = 4;
  const ScriptedMotion again = scripted_motion(KeyframeMotion{{first, last, back}, 4, true}, centre);
  EXPECT_LT((again.at(1.25) * x - fast.at(0.25) * x).norm(), 1e-14);
}

TEST(BuildPins, KeyframesTurnAboutTheCentreOfTheSelection) {
  const BuiltScene built =
      build(pinned(", motion: {keyframes: [{t: 0}, {t: 1, rotation: {axis: [1, 0, 0], degrees: 180}}]}").parse());
  const ScriptedPin& pin = built.model.pins[0];
  Vec3 centre = Vec3::Zero();
  for (const int b : pin.blocks) centre += built.state.positions[b] / 6;
  EXPECT_LT((pin.motion.at(1) * centre - centre).norm(), 1e-15);
}

TEST(BuildPins, SoftPinsShareTheirStiffnessByMass) {
  SceneText text = pinned(", stiffness: 300, axes: [y]");
  text.more += "gravity: [0, 0, 0]\n";
  BuiltScene built = build(text.parse());
  ASSERT_EQ(built.model.soft_pin_count, 1);
  EXPECT_EQ(built.model.pins[0].soft_pin, 0);
  // Shifting the body by u gives the energy k u_y²/2 and forces in proportion to the masses.
  Controls controls;
  controls.soft_pin_active = {1};
  for (const int b : built.model.pins[0].blocks) controls.soft_pin_targets.push_back(built.state.positions[b]);
  BlockVector shifted = built.state.positions, gradient(shifted.size());
  for (int i = 0; i < shifted.size(); ++i) shifted[i] += Vec3(0.3, 0.02, -0.1);
  double value = 0;
  Accumulator out;
  out.value = &value;
  out.gradient = &gradient;
  built.model.energies.back()->evaluate({shifted, shifted, 0, controls}, out);
  EXPECT_NEAR(value, 0.5 * 300 * 0.02 * 0.02, 1e-12);
  Vec3 force = Vec3::Zero();
  for (int i = 0; i < gradient.size(); ++i) force += gradient[i];
  EXPECT_LT((force - Vec3(0, 6, 0)).norm(), 1e-12);
  const int a = built.model.pins[0].blocks[0], b = built.model.pins[0].blocks[3];
  EXPECT_NEAR(gradient[a][1] * built.model.inertia.masses()[b], gradient[b][1] * built.model.inertia.masses()[a],
              1e-15);
}

// --- Rods ---

ThinScene pinned_rod(const std::string& pin) {
  return {.kind = "rod",
          .mesh = "{strand: {length: 1, segments: 4}}",
          .material = "model: elastic_rod, young: 1.0e6, shear: 4.0e5, section: {circle: 1.0e-3}",
          .more = "pins:\n  - {body: thing, " + pin + "}\n"};
}

// Edges whose both ends are held hard along all axes are clamped.
TEST(BuildPins, EdgesBetweenPinnedVerticesAreClamped) {
  const BuiltScene clamped = pinned_rod("where: {vertices: [3, 0, 1, 4]}").built();
  const ScriptedPin& pin = clamped.model.pins[0];
  EXPECT_EQ(pin.blocks, (std::vector<int>{0, 2, 6, 8}));
  ASSERT_EQ(pin.edges.size(), 2U);
  EXPECT_EQ(pin.edges[0].edge, 0);
  EXPECT_EQ(pin.edges[1].edge, 3);
  EXPECT_EQ(pin.blocks[pin.edges[1].from], clamped.model.rods.edges[3].from);
  EXPECT_EQ(pin.blocks[pin.edges[1].to], clamped.model.rods.edges[3].to);
  EXPECT_EQ(clamped.model.anchor_count(), 6);
  for (const char* free : {"where: {vertices: [0, 1]}, twist: free", "where: {vertices: [0, 2]}",
                           "where: {vertices: [0, 1]}, axes: [x, y]", "where: {vertices: [0, 1]}, stiffness: 30"}) {
    EXPECT_TRUE(pinned_rod(free).built().model.pins[0].edges.empty()) << free;
  }
  // The ends of a line are its boundary.
  EXPECT_EQ(pinned_rod("where: {boundary: true}").built().model.pins[0].blocks, (std::vector<int>{0, 8}));
}

// The first edge of each strand moves with the obstacle it grows on.
TEST(BuildPins, StrandsAreRootedInTheirObstacle) {
  ThinScene text = pinned_rod("where: {vertices: [0]}");
  text.more =
      "  - {name: head, kind: obstacle, mesh: {sphere: {radius: 0.1, subdivisions: 1}}, motion: {rotate: {axis: "
      "[0, 1, 0], degrees_per_second: 90}}}\n  - {name: hair, kind: rod, mesh: {strands: {on: head, count: 3, "
      "segments: 4}}, material: stuff}\n" +
      text.more;
  BuiltScene built = text.built();
  ASSERT_EQ(built.model.pins.size(), 2U);
  const ScriptedPin roots = built.model.pins[1];
  EXPECT_EQ(roots.first_anchor, 1);
  ASSERT_EQ(roots.blocks.size(), 6U);
  ASSERT_EQ(roots.edges.size(), 3U);
  const ModelBody hair = built.model.bodies[1];
  for (int s = 0; s < 3; ++s) {
    EXPECT_EQ(roots.blocks[2 * s], hair.block_of_vertex[5 * s]);
    EXPECT_EQ(roots.blocks[2 * s + 1], hair.block_of_vertex[5 * s + 1]);
    EXPECT_EQ(roots.edges[s].edge, hair.first_rod_edge + 4 * s);
  }
  const BlockVector start = built.state.positions;
  Simulation simulation(std::move(built.model), built.state, built.options);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(simulation.advance(0.01).reached);
  const Mat3 turn = Eigen::AngleAxisd(0.1 * std::numbers::pi / 2, Vec3::UnitY()).toRotationMatrix();
  for (const int block : roots.blocks)
    EXPECT_LT((simulation.state().positions[block] - turn * Vec3(start[block])).norm(), 1e-14);
}

TEST(BuildPins, AnEmptySelectionIsSaid) {
  SceneText text;
  text.more = "pins:\n  - {body: block, where: {box: {min: [5, 5, 5], max: [6, 6, 6]}}}\n";
  EXPECT_INPUT_ERROR(build(text.parse()), "scene.yaml:8: no vertex of body 'block' is selected");
}

TEST(BuildPins, SurfaceVerticesHoldTheCornersOfTheirTets) {
  SceneText text;
  text.mesh = "{sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: 0.5}}";
  text.more = "pins:\n  - {body: block, where: {vertices: [3]}}\n";
  const BuiltScene built = build(text.parse());
  EXPECT_EQ(built.model.pins[0].blocks.size(), 4U);
}

}  // namespace
}  // namespace pliant::scene
