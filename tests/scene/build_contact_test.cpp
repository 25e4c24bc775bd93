// What can touch, from scenes: parts, thicknesses, rules of pairs, the contact distance, and bad starts.
#include "pliant/scene/build_contact.h"

#include <gtest/gtest.h>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using testing::SceneText;

const std::string kFloor = "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -1, 0]}\n";

SceneText touching(const std::string& more) {
  SceneText text;
  text.touches = true;
  text.more = kFloor + more;
  return text;
}

TEST(BuildContact, IsOnUnlessSaidOtherwise) {
  const BuiltScene built = build(touching("").parse());
  ASSERT_NE(built.model.contact, nullptr);
  EXPECT_EQ(built.model.contact->body_names, (std::vector<std::string>{"block", "floor"}));
  EXPECT_EQ(built.model.contact->planes.size(), 1U);
  EXPECT_EQ(build(touching("contact: {method: none}\n").parse()).model.contact, nullptr);
  EXPECT_NE(build(touching("solver: {method: quasi_newton}\n").parse()).model.contact, nullptr);
}

TEST(BuildContact, TheSolverDecidesTheResponse) {
  using scene::contact_response;
  using scene::ContactMethod;
  const auto response = [](const std::string& more) { return contact_response(touching(more).parse()); };
  const std::string quasi_newton = "solver: {method: quasi_newton}\n";
  EXPECT_EQ(response(""), ContactMethod::barrier);
  EXPECT_EQ(response(quasi_newton), ContactMethod::penalty);
  EXPECT_EQ(response(quasi_newton + "contact: {method: penalty}\n"), ContactMethod::penalty);
  EXPECT_EQ(response(quasi_newton + "contact: {method: barrier}\n"), ContactMethod::none);
  EXPECT_EQ(response("solver: {method: quasi_newton, quasi_newton: {then_newton: true}}\n"), ContactMethod::none);
  const auto refusal = [&](const std::string& more) {
    return testing::error_of([&] { (void)response(more + "contact: {method: penalty}\n"); });
  };
  EXPECT_NE(refusal("").find("contact.method: penalty is for solver.method quasi_newton, and this scene is solved by "
                             "newton; use contact.method: auto, which is barrier here"),
            std::string::npos);
  EXPECT_NE(refusal("solver: {method: quasi_newton, quasi_newton: {then_newton: true}}\n").find("then_newton"),
            std::string::npos);
}

// Under penalty smooth obstacles are shapes, unless the scene wants their mesh, steps are limited, or they hold others.
TEST(BuildContact, SmoothObstaclesAreShapesUnderPenalty) {
  const std::string solver = "solver: {method: quasi_newton}\n";
  const auto shapes = [&](const std::string& obstacle, const std::string& more = "") {
    SceneText text;
    text.touches = true;
    text.more = "  - {name: thing, kind: obstacle, " + obstacle + "}\n" + solver + more;
    return build(text.parse()).model.contact->shapes.size();
  };
  const std::string place = ", position: [0, -2, 0]";
  EXPECT_EQ(shapes("mesh: {sphere: {}}" + place), 1U);
  EXPECT_EQ(shapes("mesh: {capsule: {}}" + place), 1U);
  EXPECT_EQ(shapes("mesh: {torus: {}}" + place), 1U);
  EXPECT_EQ(shapes("mesh: {box: {}}" + place), 0U);
  EXPECT_EQ(shapes("mesh: {box: {}}, contact: {shape: analytic}" + place), 1U);
  EXPECT_EQ(shapes("mesh: {sphere: {}}, contact: {shape: mesh}" + place), 0U);
  EXPECT_EQ(shapes("mesh: {sphere: {}}" + place, "contact: {penalty: {step_limit: true}}\n"), 0U);
  EXPECT_EQ(shapes("mesh: {sphere: {radius: 3}}"), 0U);  // the block is inside
  EXPECT_NE(testing::error_of([&] {
              (void)shapes("mesh: {cylinder: {}}, contact: {shape: analytic}" + place);
            }).find("needs a mesh made by sphere, box, capsule or torus"),
            std::string::npos);
}

TEST(BuildContact, ClosedBodiesHaveAnInsideUnlessTheyHoldOthers) {
  SceneText text = touching(
      "  - {name: wall, kind: obstacle, mesh: {box: {size: [1, 1, 1]}}, position: [0, 2, 0]}\n"
      "solver: {method: quasi_newton}\n");
  const BuiltScene built = build(text.parse());
  EXPECT_TRUE(built.model.contact->has_inside(0));   // block
  EXPECT_FALSE(built.model.contact->has_inside(1));  // floor, a half-space
  EXPECT_TRUE(built.model.contact->has_inside(2));   // wall
  text.more = "  - {name: room, kind: obstacle, mesh: {box: {size: [9, 9, 9]}}}\nsolver: {method: quasi_newton}\n";
  EXPECT_FALSE(build(text.parse()).model.contact->has_inside(1));
}

TEST(BuildContact, DistanceIsAThousandthOfTheSceneUnlessGiven) {
  const BuiltScene built = build(touching("").parse());
  EXPECT_DOUBLE_EQ(built.options.contact.distance, 1e-3 * built.model.diagonal);
  EXPECT_EQ(build(touching("contact: {distance: 0.02}\n").parse()).options.contact.distance, 0.02);
}

TEST(BuildContact, FrictionIsThePairsOwnOrTheGeometricMean) {
  SceneText text = touching("contact: {friction: 0.4}\n");
  text.body = ", contact: {friction: 0.9}";
  EXPECT_NEAR(build(text.parse()).model.contact->rule(0, 1).friction, 0.6, 1e-15);
  text.more = kFloor + "contact: {friction: 0.4, pairs: [{bodies: [floor, block], friction: 0.05}]}\n";
  const BuiltScene built = build(text.parse());
  EXPECT_EQ(built.model.contact->rule(0, 1).friction, 0.05);
  EXPECT_EQ(built.model.contact->rule(1, 0).friction, 0.05);
  EXPECT_EQ(built.model.contact->rule(0, 0).friction, 0.9);
}

TEST(BuildContact, BodiesAndPairsCanBeSwitchedOff) {
  SceneText text = touching("");
  text.body = ", contact: {self: false}";
  EXPECT_FALSE(build(text.parse()).model.contact->rule(0, 0).is_enabled);
  EXPECT_TRUE(build(text.parse()).model.contact->rule(0, 1).is_enabled);
  text.body = ", contact: false";
  EXPECT_FALSE(build(text.parse()).model.contact->rule(0, 1).is_enabled);
  text.body = "";
  text.more = kFloor + "contact: {pairs: [{bodies: [block, floor], enabled: false}]}\n";
  EXPECT_FALSE(build(text.parse()).model.contact->rule(1, 0).is_enabled);
}

TEST(BuildContact, WhatIntersectsAtTheStartIsNamed) {
  SceneText text =
      touching("  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1]}}, material: soft, position: [0.1, 0, 0]}\n");
  EXPECT_INPUT_ERROR(build(text.parse()), "body 'block' and body 'other' near");
  text.more += "contact: {initial_intersections: ignore}\n";
  const BuiltScene built = build(text.parse());
  EXPECT_FALSE(built.model.contact->rule(0, 1).is_enabled);
  EXPECT_TRUE(built.model.contact->rule(0, 2).is_enabled);
  EXPECT_NE(built.notes.back().find("contact between them is off"), std::string::npos);
}

TEST(BuildContact, WhatIsNearerThanItsThicknessIsNamed) {
  SceneText text = touching("");
  text.body = ", position: [0, -0.895, 0], contact: {thickness: 0.01}";  // 5 mm above the floor
  EXPECT_INPUT_ERROR(build(text.parse()), "nearer than their thicknesses");
  text.body = ", position: [0, -0.88, 0], contact: {thickness: 0.01}";
  EXPECT_NE(build(text.parse()).model.contact, nullptr);
}

TEST(BuildContact, PlanesDoNotTilt) {
  SceneText text = touching("");
  text.more =
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -1, 0], motion: {rotate: {axis: [0, 0, 1], "
      "center: [0, 0, 0], degrees_per_second: 5}}}\n";
  EXPECT_INPUT_ERROR(build(text.parse()), "the plane 'floor' may move and turn about its normal, but not tilt");
  text.more.replace(text.more.find("[0, 0, 1]"), 9, "[0, 1, 0]");
  EXPECT_EQ(build(text.parse()).model.contact->planes.size(), 1U);
}

// A chain of springs has no radius; it presses on a tenth of its segments' length.
TEST(BuildContact, LinesHaveAnAreaToPressOn) {
  SceneText text = touching("");
  text.more =
      "  - {name: chain, kind: springs, mesh: {strand: {length: 1, segments: 10}}, material: {model: springs, "
      "linear_density: 0.1, stretch_stiffness: 100}, position: [0, 1, 0]}\n" +
      kFloor;
  const BuiltScene built = build(text.parse());
  const contact::ContactSurface& s = *built.model.contact;
  double area = 0;
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    if (s.body_of_point[s.edges[e][0]] == 1) area += s.edge_area[e];
  }
  EXPECT_NEAR(area, 1 * 0.1 * 0.1, 1e-12);
}

}  // namespace
}  // namespace pliant
