// Rigid bodies of a scene: mass, axes, points, shapes, placement, and what is refused.
#include "pliant/scene/build_rigid.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "pliant/input_error.h"
#include "pliant/math/rotation.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"

namespace pliant::scene {
namespace {

Scene scene_of(const std::string& body, const std::string& more = "") {
  return parse_scene("pliant: 1\ntime: {end: 1}\nbodies:\n  - {name: thing, kind: rigid, " + body + "}\n" + more,
                     "test");
}
BuiltScene built(const std::string& body, const std::string& more = "") { return build(scene_of(body, more)); }

std::string refusal(const std::string& body, const std::string& more = "") {
  try {
    (void)built(body, more);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(BuildRigid, BoxHasItsTextbookInertia) {
  const BuiltScene b = built("mesh: {box: {size: [0.2, 0.4, 0.6]}}, material: {density: 500}");
  ASSERT_EQ(b.model.rigids.size(), 1U);
  const RigidFrame& frame = b.model.rigids[0].frame;
  const double m = 500 * 0.048;
  EXPECT_NEAR(frame.mass, m, 1e-12);
  EXPECT_LE((frame.inertia() - m / 12 * Vec3(0.52, 0.4, 0.2)).norm(), 1e-12);
  EXPECT_EQ(b.model.layout.block_count(), 4);
  EXPECT_EQ(b.model.layout.kind(2), BlockKind::rigid_axis);
  EXPECT_NEAR(b.model.mass_of(b.model.bodies[0]), m, 1e-12);
}

// Placed by scale, rotation, position: the vertices of the frame are those of the mesh.
TEST(BuildRigid, PointsStandWhereTheMeshIsPlaced) {
  const BuiltScene b = built(
      "mesh: {torus: {radius: 0.3, tube: 0.1}}, material: steel, scale: 1.5, position: [1, 2, 3], "
      "rotation: {axis: [1, 2, 0], degrees: 40}, velocity: [1, 0, 0], angular_velocity: [0, 90, 180]");
  const ModelBody& body = b.model.bodies[0];
  const Vec3 omega = std::numbers::pi / 180 * Vec3(0, 90, 180);
  for (int v = 0; v < static_cast<int>(body.rest.vertices.size()); v += 7) {
    const Vec3 x = body.rest.vertices[v];
    EXPECT_LE((body.point(v).evaluate(b.state.positions) - x).norm(), 1e-14 * 8);
    const Vec3 velocity = Vec3(1, 0, 0) + omega.cross(x - Vec3(1, 2, 3));
    EXPECT_LE((body.point(v).evaluate(b.state.velocities) - velocity).norm(), 1e-13);
  }
}

TEST(BuildRigid, MassAndInertiaOfTheMaterial) {
  const std::string box = "mesh: {box: {size: [0.2, 0.4, 0.6]}}, ";
  EXPECT_NEAR(built(box + "material: {mass: 3}").model.rigids[0].frame.inertia()[0], 3.0 / 12 * 0.52, 1e-13);
  const RigidFrame given = built(box + "material: {mass: 3, inertia: [0.3, 0.4, 0.5]}").model.rigids[0].frame;
  EXPECT_LE((given.inertia() - Vec3(0.3, 0.4, 0.5)).norm(), 1e-14);
  // A full matrix about the mesh's axes, for a body that is turned.
  const BuiltScene full = built(box +
                                "rotation: {axis: [0, 0, 1], degrees: 30}, "
                                "material: {mass: 3, inertia: [0.3, 0.05, 0, 0.05, 0.4, 0, 0, 0, 0.5]}");
  const RigidBody& rigid = full.model.rigids[0];
  Mat3 expected;
  expected << 0.3, 0.05, 0, 0.05, 0.4, 0, 0, 0, 0.5;
  const Mat3 turn = math::rotation_from_axis_degrees(Vec3::UnitZ(), 30);
  const Mat3 found = rigid.rest_rotation * rigid.frame.inertia().asDiagonal() * rigid.rest_rotation.transpose();
  EXPECT_LE((found - turn * expected * turn.transpose()).norm(), 1e-14);
  EXPECT_NEAR(rigid.rest_rotation.determinant(), 1, 1e-14);
}

// The centre of mass need not be the mesh's: it turns and moves with the body, and is not scaled.
TEST(BuildRigid, CentreOfMassOfTheMaterial) {
  const std::string placed =
      "scale: 2, position: [1, 2, 3], rotation: {axis: [0, 0, 1], degrees: 90}, "
      "material: {mass: 3, inertia: [0.3, 0.4, 0.5], center_of_mass: [0.1, 0.02, -0.3]}";
  const BuiltScene b = built("mesh: {box: {size: [0.2, 0.4, 0.6]}}, " + placed);
  const RigidBody& rigid = b.model.rigids[0];
  EXPECT_LE((rigid.rest_centre - Vec3(0.98, 2.1, 2.7)).norm(), 1e-14);
  EXPECT_LE((b.state.positions[rigid.frame.centre] - rigid.rest_centre).norm(), 1e-14);
  const ModelBody& body = b.model.bodies[0];
  for (int v = 0; v < static_cast<int>(body.rest.vertices.size()); ++v)
    EXPECT_LE((body.point(v).evaluate(b.state.positions) - body.rest.vertices[v]).norm(), 1e-14);
  const RigidShape& shape = rigid.shape;
  EXPECT_LE((shape.rotation * Vec3(-0.1, -0.02, 0.3) - shape.centre).norm(), 1e-14);
  EXPECT_TRUE(has(refusal("mesh: {box: {}}, material: {mass: 3, center_of_mass: [0, 0, 0]}"),
                  "center_of_mass needs mass and inertia beside it"));
}

TEST(BuildRigid, GravityPullsAtTheCentreAlone) {
  const BuiltScene b = built("mesh: {sphere: {radius: 0.1}}, material: steel");
  BlockVector g(4);
  Accumulator out;
  out.gradient = &g;
  const Controls controls;
  for (std::size_t e = 0; e < b.model.energies.size(); ++e) {
    if (b.model.roles[e] == EnergyRole::gravity)
      b.model.energies[e]->evaluate({b.state.positions, b.state.positions, 0, controls}, out);
  }
  EXPECT_NEAR(g[0][1], 9.81 * b.model.rigids[0].frame.mass, 1e-10);
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(g[i].isZero(0));
}

TEST(BuildRigid, ShapesFollowTheGenerator) {
  const auto shape = [](const std::string& mesh, const std::string& more = "") {
    return built("mesh: {" + mesh + "}, scale: 2, position: [1, 0, 0], material: steel" + more).model.rigids[0].shape;
  };
  EXPECT_EQ(shape("sphere: {radius: 0.1}").kind, RigidShapeKind::sphere);
  EXPECT_NEAR(shape("sphere: {radius: 0.1}").radius, 0.2, 1e-15);
  const RigidShape box = shape("box: {size: [0.1, 0.2, 0.4]}");
  EXPECT_EQ(box.kind, RigidShapeKind::box);
  EXPECT_LE((box.half_size - Vec3(0.1, 0.2, 0.4)).norm(), 1e-15);
  EXPECT_LE(box.centre.norm(), 1e-14);
  EXPECT_EQ(shape("capsule: {radius: 0.1, height: 0.3}").kind, RigidShapeKind::capsule);
  EXPECT_NEAR(shape("capsule: {radius: 0.1, height: 0.3}").half_height, 0.3, 1e-15);
  EXPECT_EQ(shape("cylinder: {radius: 0.1, height: 0.3}").kind, RigidShapeKind::convex);
  EXPECT_EQ(shape("torus: {radius: 0.1, tube: 0.03}").kind, RigidShapeKind::mesh);
  EXPECT_EQ(shape("box: {size: [0.1, 0.2, 0.4]}", ", shape: convex").kind, RigidShapeKind::convex);
}

TEST(BuildRigid, SaysWhatIsWrong) {
  const std::string box = "mesh: {box: {size: [0.2, 0.4, 0.6]}}, ";
  EXPECT_TRUE(has(refusal("mesh: {grid: {}}, material: steel"), "no volume"));
  EXPECT_TRUE(has(refusal(box + "material: {inertia: [1, 1, 1]}"), "needs mass"));
  EXPECT_TRUE(has(refusal(box + "material: {mass: 1, inertia: [1, 1]}"), "three moments or nine"));
  EXPECT_TRUE(has(refusal(box + "material: {mass: 1, inertia: [1, 1, 3]}"), "sum of the others"));
  EXPECT_TRUE(has(refusal(box + "material: steel, shape: sphere"), "generator sphere"));
  EXPECT_TRUE(has(refusal(box + "material: steel, start: {scatter: true}"), "deform"));
  EXPECT_TRUE(has(refusal(box + "material: steel", "pins: [{body: thing, where: {vertices: [0]}}]"), "joint"));
  EXPECT_TRUE(has(refusal(box + "material: steel", "loads: [{body: thing, pressure: 3}]"), "traction"));
  Scene midpoint = scene_of(box + "material: steel");
  midpoint.time.integrator = Integrator::implicit_midpoint;
  EXPECT_THROW((void)build(midpoint), InputError);
  // Mass in kg is not for bodies that deform.
  EXPECT_THROW(
      (void)parse_scene("pliant: 1\ntime: {end: 1}\nbodies: [{name: a, mesh: {box: {}}, material: {mass: 2}}]", "test"),
      InputError);
}

TEST(BuildRigid, ForcesAndTorquesActOnTheBody) {
  const std::string box = "mesh: {box: {size: [0.2, 0.4, 0.6], cells: [1, 1, 1]}}, material: {density: 500}";
  const auto forces = [&](const std::string& load, Vec3& total, Vec3& torque) {
    const BuiltScene b = built(box, "loads: [{body: thing, " + load + "}]");
    BlockVector g(4);
    Accumulator out;
    out.gradient = &g;
    Controls controls;
    for (const LoadCurve& curve : b.model.loads) controls.load_values.push_back(curve.at(1));
    for (std::size_t e = 0; e < b.model.energies.size(); ++e) {
      if (b.model.roles[e] == EnergyRole::load)
        b.model.energies[e]->evaluate({b.state.positions, b.state.positions, 0, controls}, out);
    }
    total = -g[0];
    torque.setZero();
    for (int i = 1; i < 4; ++i) torque -= Vec3(b.state.positions[i]).cross(Vec3(g[i]));
  };
  Vec3 total, torque;
  forces("force: [1, 2, 3]", total, torque);
  EXPECT_LE((total - Vec3(1, 2, 3)).norm(), 1e-14);
  EXPECT_LE(torque.norm(), 1e-14);
  // On the face x = 0.1.
  forces("force: [1, 2, 3], where: {box: {min: [0.09, -1, -1], max: [1, 1, 1]}}", total, torque);
  EXPECT_LE((total - Vec3(1, 2, 3)).norm(), 1e-14);
  EXPECT_LE((torque - Vec3(0.1, 0, 0).cross(Vec3(1, 2, 3))).norm(), 1e-14);
  forces("traction: [1, 2, 3], where: {box: {min: [0.09, -1, -1], max: [1, 1, 1]}}", total, torque);
  EXPECT_LE((total - 0.24 * Vec3(1, 2, 3)).norm(), 1e-14);
  forces("torque: [0.1, -0.2, 0.3]", total, torque);
  EXPECT_LE(total.norm(), 0.0);
  EXPECT_LE((torque - Vec3(0.1, -0.2, 0.3)).norm(), 1e-14);
}

TEST(BuildRigid, ConvexMeansNoDents) {
  const std::vector<Vec3> tet{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_TRUE(is_convex(tet, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}));
  EXPECT_FALSE(is_convex(tet, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}));  // inside out
}

}  // namespace
}  // namespace pliant::scene
