// What can touch, from scenes: parts, thicknesses, rules of pairs, the contact distance, and bad starts.
#include "pliant/scene/build_contact.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/build_model.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using testing::SceneText;

const std::string kFloor = "  - {name: floor, kind: obstacle, mesh: {plane: {}}, position: [0, -1, 0]}\n";

SceneText touching(const std::string& more) { return testing::touching(kFloor + more); }

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
  EXPECT_EQ(response("solver: {method: quasi_newton, quasi_newton: {then_newton: true}}\n"), ContactMethod::none);
  const auto refusal = [&](const std::string& more) {
    return testing::error_of([&] { (void)response(more + "contact: {method: penalty}\n"); });
  };
  EXPECT_EQ(response("solver: {method: projection}\n"), ContactMethod::projected);
  for (const char* method : {"", "solver: {method: projection}\n"}) {
    EXPECT_NE(
        refusal(method).find("contact.method: penalty is for solver.method quasi_newton, and this scene is solved "
                             "by another method; use contact.method: auto"),
        std::string::npos)
        << refusal(method);
  }
  const auto wrong = [&](const std::string& more) { return testing::error_of([&] { (void)response(more); }); };
  EXPECT_NE(wrong("contact: {method: projected}\n").find("is for solver.method projection"), std::string::npos);
  // A response that was asked for is never dropped in silence.
  const std::string barrier = "contact: {method: barrier}\n";
  EXPECT_NE(wrong("solver: {method: projection}\n" + barrier).find("auto, which is projected here"), std::string::npos);
  EXPECT_NE(
      wrong(quasi_newton + barrier).find("is for solver.method newton; use contact.method: auto, which is penalty"),
      std::string::npos);
  EXPECT_NE(wrong("solver: {method: quasi_newton, quasi_newton: {then_newton: true}}\n" + barrier).find("then_newton"),
            std::string::npos);
  SceneText unsolved = touching(barrier);
  unsolved.time += ", integrator: symplectic_euler";
  EXPECT_INPUT_ERROR(contact_response(unsolved.parse()), "symplectic_euler solves nothing");
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
            }).find("analytic is for obstacles whose mesh is a sphere or a capsule"),
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

// Half of a pair's distance is each body's; a pair's own entry wins; who says nothing has that of the scene.
TEST(BuildContact, DistanceIsThePairsOwnOrTheMeanOfTheBodies) {
  const std::string other =
      "  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1]}}, material: soft, position: [1, 0, 0], contact: "
      "{distance: "
      "0.001}}\n";
  SceneText text = touching(other + "contact: {distance: 0.004}\n");
  text.body = ", contact: {distance: 0.01}";
  const BuiltScene built = build(text.parse());
  const auto distance = [](const BuiltScene& scene, int a, int b) {
    return scene.model.contact->reach(a, b, scene.options.contact.distance).distance;
  };
  EXPECT_DOUBLE_EQ(distance(built, 0, 0), 0.01);
  EXPECT_DOUBLE_EQ(distance(built, 0, 1), 0.0055);
  EXPECT_DOUBLE_EQ(distance(built, 1, 0), 0.0055);
  EXPECT_DOUBLE_EQ(distance(built, 0, 2), 0.007);
  EXPECT_DOUBLE_EQ(distance(built, 1, 2), 0.0025);
  text.more = kFloor + other + "contact: {distance: 0.004, pairs: [{bodies: [floor, block], distance: 0.02}]}\n";
  EXPECT_EQ(distance(build(text.parse()), 0, 2), 0.02);
  EXPECT_DOUBLE_EQ(distance(build(text.parse()), 1, 2), 0.0025);
  // What begins to push from farther away than edges are long is noted, whoever says so.
  text.body = ", contact: {distance: 0.3}";
  const std::vector<std::string> notes = build(text.parse()).notes;
  EXPECT_NE(std::find_if(notes.begin(), notes.end(),
                         [](const std::string& note) {
                           return note.find("contact.distance of body 'block', 0.3 m, is longer") != std::string::npos;
                         }),
            notes.end());
}

// The forces follow: two blocks at rest on a floor, each as far above it as its own distance lets it.
TEST(BuildContact, ABodysDistanceIsHowFarAboveTheFloorItRests) {
  for (const char* method : {"newton", "quasi_newton"}) {
    SceneText text = touching(
        "  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}, material: soft, "
        "position: [1, -0.88, 0], contact: {distance: 0.02}}\nsolver: {method: " +
        std::string(method) + "}\ncontact: {distance: 0.002}\n");
    text.body = ", position: [0, -0.88, 0]";
    BuiltScene built = build(text.parse());
    Simulation simulation(std::move(built.model), std::move(built.state), built.options);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(simulation.advance(0.01).reached);
    double highest[2] = {-9, -9}, reach[2] = {0, 0};
    for (const contact::ContactForce& f : simulation.contact_forces()) {
      const int body = f.first_body == 2 ? f.second_body : f.first_body;
      highest[body] = std::max(highest[body], f.gap);
      reach[body] = f.distance;
    }
    EXPECT_DOUBLE_EQ(reach[0], 0.002) << method;
    EXPECT_DOUBLE_EQ(reach[1], 0.011) << method;
    EXPECT_GT(highest[1], 2 * highest[0]) << method;
  }
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

// Parts of one body that are nearer than the contact distance at rest do not push each other, however long it is.
TEST(BuildContact, ADistanceBeyondABodysSizeLeavesItAtRest) {
  SceneText text = touching("gravity: [0, 0, 0]\ncontact: {distance: 0.5}\n");
  text.more.replace(text.more.find("-1, 0]"), 6, "-9, 0]");
  BuiltScene built = build(text.parse());
  ASSERT_FALSE(built.notes.empty());
  EXPECT_NE(built.notes.back().find("contact.distance, 0.5 m, is longer than the shortest edge"), std::string::npos);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  const BlockVector start = simulation.state().positions;
  for (int i = 1; i <= 5; ++i) ASSERT_TRUE(simulation.advance(0.01, 0.01 * i, [] {}).reached);
  EXPECT_EQ(simulation.contact_summary().count, 0);
  for (int i = 0; i < start.size(); ++i) EXPECT_NEAR((simulation.state().positions[i] - start[i]).norm(), 0, 1e-12);
  text.more.replace(text.more.find("0.5}"), 4, "0.05}");
  for (const std::string& note : build(text.parse()).notes) EXPECT_EQ(note.find("shortest edge"), std::string::npos);
}

TEST(BuildContact, CoincidentVerticesAreATouch) {
  // Two blocks that share a face, vertex by vertex.
  SceneText text = touching(
      "  - {name: other, mesh: {box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}, material: soft, position: [0.3, 0, "
      "0]}\n");
  EXPECT_INPUT_ERROR(build(text.parse()), "body 'block' and body 'other' near (0.15,");
  EXPECT_INPUT_ERROR(build(text.parse()), "Move them apart");
}

// Surfaces from files: what no normal can be found for is refused where it stands; a soup of triangles is no cloth, but an
// obstacle.
class ContactFiles : public ::testing::Test {
 protected:
  [[nodiscard]] Scene scene_with(const std::string& body, const std::string& obj) const {
    std::ofstream(folder_ / "mesh.obj") << obj;
    SceneText text = touching("");
    text.body = ", position: [0.5, 1, 0.5]";
    text.more = body;
    std::ofstream(folder_ / "scene.yaml") << text.text();
    return read_scene(folder_ / "scene.yaml");
  }

  io::testing::TemporaryFolder folder_;
};

const std::string kObstacle = "  - {name: table, kind: obstacle, mesh: {file: mesh.obj}}\n";
const std::string kSoup = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 4 6 5\n";

TEST_F(ContactFiles, TrianglesWithoutAreaAreNamed) {
  const std::string line = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.5 0 0\nf 1 3 2\nf 1 4 2\n";
  EXPECT_INPUT_ERROR(build(scene_with(kObstacle, line)), "triangle 1 (vertices 0, 3, 1) is degenerate: area 0 m²");
}

TEST_F(ContactFiles, ASoupOfTrianglesTouchesItselfAsCloth) {
  const std::string cloth =
      "  - {name: rag, kind: cloth, mesh: {file: mesh.obj}, material: {model: st_venant_kirchhoff, young: 1.0e5, "
      "poisson: "
      "0.3, thickness: 1.0e-3, density: 300}}\n";
  EXPECT_INPUT_ERROR(build(scene_with(cloth, kSoup)), "body 'rag' and itself near");
  EXPECT_INPUT_ERROR(build(scene_with(cloth, kSoup)), "Repair the mesh");
}

TEST_F(ContactFiles, ASoupOfTrianglesBearsWhatFallsOnIt) {
  Scene scene = scene_with(kObstacle, kSoup);
  scene.bodies[0].position = Vec3(0.5, 0.11, 0.5);
  BuiltScene built = build(scene);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (int i = 1; i <= 30; ++i) ASSERT_TRUE(simulation.advance(0.01, 0.01 * i, [] {}).reached);
  double lowest = 1;
  for (int i = 0; i < simulation.state().positions.size(); ++i)
    lowest = std::min(lowest, simulation.state().positions[i][1]);
  EXPECT_GT(lowest, 0);
  EXPECT_LT(lowest, 0.01);
  EXPECT_GT(simulation.contact_summary().count, 0);
}

TEST(BuildContact, PairsHaveTheirOwnThicknessAndDistance) {
  SceneText text =
      touching("contact: {distance: 0.01, pairs: [{bodies: [block, floor], thickness: 0.03, distance: 0.02}]}\n");
  text.body = ", contact: {thickness: 0.5}";
  const BuiltScene built = build(text.parse());
  const contact::PairReach reach = built.model.contact->reach(1, 0, built.options.contact.distance);
  EXPECT_EQ(reach.offset, 0.03);
  EXPECT_EQ(reach.distance, 0.02);
  EXPECT_EQ(built.model.contact->reach(0, 0, 0.01).offset, 1);
}

TEST(BuildContact, RoundObstaclesAreTheirAxis) {
  SceneText text = touching("");
  text.more =
      "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.2}}, scale: 2, position: [3, 0, 0], contact: {shape: "
      "analytic, thickness: 0.01}}\n"
      "  - {name: bar, kind: obstacle, mesh: {capsule: {radius: 0.1, height: 1}}, rotation: {axis: [0, 0, 1], degrees: "
      "90}, position: [-3, 0, 0], contact: {shape: analytic}}\n"
      "contact: {pairs: [{bodies: [block, ball], thickness: 0.03}]}\n";
  const BuiltScene built = build(text.parse());
  const contact::ContactSurface& s = *built.model.contact;
  ASSERT_EQ(s.points.size() - s.first_obstacle_point, 3U);
  const Vec3* places = &s.rest_points[static_cast<std::size_t>(s.first_obstacle_point)];
  EXPECT_LT((places[0] - Vec3(3, 0, 0)).norm(), 1e-12);
  EXPECT_LT((places[1] - Vec3(-2.5, 0, 0)).norm(), 1e-12);
  EXPECT_LT((places[2] - Vec3(-3.5, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(s.thickness[1], 0.41, 1e-15);
  EXPECT_NEAR(s.thickness[2], 0.1, 1e-15);
  EXPECT_NEAR(s.reach(0, 1, 0.01).offset, 0.43, 1e-15);  // a pair's thickness comes on top of the radius
  // The mesh is drawn and judged: all of it within the sphere.
  const Obstacle& ball = built.model.obstacles[0];
  EXPECT_GT(ball.mesh.triangles.size(), 100U);
  for (const Vec3& x : ball.mesh.vertices) EXPECT_NEAR((x - Vec3(3, 0, 0)).norm(), 0.4, 1e-12);
}

TEST(BuildContact, OnlyRoundObstaclesThatDoNotTurnAreAnalytic) {
  SceneText text = touching("");
  text.more = "  - {name: table, kind: obstacle, mesh: {box: {}}, position: [3, 0, 0], contact: {shape: analytic}}\n";
  EXPECT_INPUT_ERROR(build(text.parse()),
                     "analytic of the obstacle 'table' needs a sphere or a capsule under contact.method barrier");
  text.more =
      "  - {name: table, kind: obstacle, mesh: {cylinder: {}}, position: [3, 0, 0], contact: {shape: analytic}}\n";
  EXPECT_INPUT_ERROR(build(text.parse()),
                     "bodies.table.contact.shape: analytic is for obstacles whose mesh is a sphere");
  text.more =
      "  - {name: ball, kind: obstacle, mesh: {sphere: {}}, position: [3, 0, 0], contact: {shape: analytic}, motion: "
      "{rotate: {axis: [0, 1, 0], center: [3, 0, 0], degrees_per_second: 5}}}\n";
  EXPECT_INPUT_ERROR(build(text.parse()), "the obstacle 'ball' turns, and friction would not feel it");
  text.more.replace(text.more.find("{rotate"), std::string::npos, "{move: {velocity: [0, 1, 0]}}}\n");
  EXPECT_TRUE(build(text.parse()).model.obstacles[0].round.has_value());
}

}  // namespace
}  // namespace pliant
