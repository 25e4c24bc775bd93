// Loads of a scene: totals, how they are shared, torques, the sign of pressure, time, and loads without an area.
#include "pliant/scene/build_loads.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;
using pliant::testing::ThinScene;

const std::string kFace = "where: {box: {min: [-9, -9, -9], max: [-0.15, 9, 9]}}";  // x = −0.15, normal −x, 0.2 × 0.1 m

// Forces on all blocks at a time [N].
struct Forces {
  BuiltScene built;
  BlockVector force;

  explicit Forces(const std::string& loads, double time = 1, const std::string& mesh = SceneText{}.mesh)
      : built(build_scene(loads, mesh)) {
    Controls controls;
    for (const LoadCurve& load : built.model.loads) controls.load_values.push_back(load.at(time));
    force.resize(built.state.positions.size());
    Accumulator out;
    out.gradient = &force;
    for (std::size_t e = 0; e < built.model.energies.size(); ++e) {
      if (built.model.roles[e] == EnergyRole::load) {
        built.model.energies[e]->evaluate({built.state.positions, built.state.positions, 0, controls}, out);
      }
    }
    sparse::scale(force, -1);
  }
  static BuiltScene build_scene(const std::string& loads, const std::string& mesh) {
    SceneText text;
    text.mesh = mesh;
    text.more = "gravity: [0, 0, 0]\nloads:\n  - {body: block, " + loads + "}\n";
    return build(text.parse());
  }
  [[nodiscard]] Vec3 total() const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < force.size(); ++i) sum += force[i];
    return sum;
  }
  [[nodiscard]] Vec3 moment_about(const Vec3& centre) const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < force.size(); ++i) sum += (built.state.positions[i] - centre).cross(Vec3(force[i]));
    return sum;
  }
  [[nodiscard]] int loaded() const {
    int count = 0;
    for (int i = 0; i < force.size(); ++i) count += force[i].norm() > 0 ? 1 : 0;
    return count;
  }
  // Force on the user's vertex.
  [[nodiscard]] Vec3 on(int vertex) const { return force[built.model.bodies[0].block_of_vertex[vertex]]; }
};

TEST(BuildLoads, AForceIsATotalSharedByAreaOnAFace) {
  const Forces forces(kFace + ", force: [1, 2, -3]");
  EXPECT_LT((forces.total() - Vec3(1, 2, -3)).norm(), 1e-14);
  EXPECT_EQ(forces.loaded(), 6);
  // By area the resultant goes through the middle of the face.
  EXPECT_LT(forces.moment_about(Vec3(-0.15, 0, 0)).norm(), 1e-14);
}

TEST(BuildLoads, SingleVerticesShareByMassAndAllGetTheirShare) {
  const Forces one("where: {vertices: [5]}, force: [0, -4, 0]");
  EXPECT_LT((one.on(5) - Vec3(0, -4, 0)).norm(), 1e-14);
  const Forces several("where: {vertices: [0, 5, 18]}, force: [0, -4, 0]");
  EXPECT_EQ(several.loaded(), 3);
  const auto mass = [&](int v) {
    return several.built.model.inertia.masses()[several.built.model.bodies[0].block_of_vertex[v]];
  };
  EXPECT_NEAR(several.on(0)[1] * mass(5), several.on(5)[1] * mass(0), 1e-12);
  EXPECT_NEAR(several.total()[1], -4, 1e-14);
  // The whole body, inner vertices included: an acceleration.
  const Forces all("where: {all: true}, force: [0, -4, 0]", 1, "{box: {cells: [3, 3, 3]}}");
  EXPECT_EQ(all.loaded(), 64);
  for (int v = 0; v < 64; ++v) {
    const double m = all.built.model.inertia.masses()[all.built.model.bodies[0].block_of_vertex[v]];
    EXPECT_NEAR(all.on(v)[1], -4 * m / 1000, 1e-12);
  }
  // A face and one vertex besides: that one is not forgotten.
  const Forces mixed("where: {vertices: [0, 4, 8, 12, 16, 20, 3]}, force: [1, 0, 0]");
  EXPECT_EQ(mixed.loaded(), 7);
  EXPECT_NEAR(mixed.total()[0], 1, 1e-14);
}

TEST(BuildLoads, ATorqueIsAMomentWithoutAForce) {
  const Forces forces(kFace + ", torque: [0.5, -0.2, 0.1]");
  EXPECT_LT(forces.total().norm(), 1e-13);
  EXPECT_LT((forces.moment_about(Vec3(4, 5, 6)) - Vec3(0.5, -0.2, 0.1)).norm(), 1e-12);
}

// On a rod a torque acts on edges: along it on their twists, across it as couples.
TEST(BuildLoads, ATorqueOnARodActsOnItsEdges) {
  const auto loaded = [](const std::string& load) {
    return ThinScene{.kind = "rod",
                     .mesh = "{strand: {length: 1, segments: 4}}",
                     .material = "model: elastic_rod, young: 1.0e6, shear: 4.0e5, section: {circle: 1.0e-3}",
                     .more = "loads:\n  - {body: thing, " + load + "}\n"}
        .built();
  };
  const BuiltScene built = loaded("where: {vertices: [2, 3, 4]}, torque: [0.6, 0, 0.2]");
  BlockVector gradient = pliant::testing::evaluate(built, built.state.positions, built.state.positions, 0, 1).gradient;
  for (const auto& [block, torque] : {std::pair{1, 0.0}, {3, 0.0}, {5, 0.3}, {7, 0.3}})
    EXPECT_NEAR(-gradient[block][0], torque, 1e-12);
  Vec3 moment = Vec3::Zero(), force = Vec3::Zero();
  for (int i = 0; i < 9; i += 2) {
    force -= Vec3(gradient[i]);
    moment -= Vec3(built.state.positions[i]).cross(Vec3(gradient[i]));
  }
  EXPECT_LT(force.norm(), 1e-12);
  EXPECT_LT((moment - Vec3(0, 0, 0.2)).norm(), 1e-12);
  EXPECT_INPUT_ERROR(loaded("where: {vertices: [0, 2]}, torque: [1, 0, 0]"),
                     "scene.yaml:9: a torque on a rod acts on its edges, and the selection holds no edge of 'thing'");
}

// Pressure on cloth: a closed sheet swells as a whole, an open one is pushed along its normals.
TEST(BuildLoads, PressureOnCloth) {
  const auto force = [](const std::string& mesh) {
    const BuiltScene built = ThinScene{.mesh = mesh, .more = "loads:\n  - {body: thing, pressure: 50}\n"}.built();
    const BlockVector gradient =
        pliant::testing::evaluate(built, built.state.positions, built.state.positions, 0, 1).gradient;
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < gradient.size(); ++i) sum -= Vec3(gradient[i]);
    return sum;
  };
  EXPECT_LT((force("{grid: {size: [2, 0.5], cells: [3, 2]}}") - Vec3(0, 50, 0)).norm(), 1e-12);
  EXPECT_LT(force("{sphere: {radius: 0.3, subdivisions: 1}}").norm(), 1e-12);
}

TEST(BuildLoads, TractionIsAForcePerArea) {
  const Forces forces(kFace + ", traction: [100, 0, 50]");
  EXPECT_LT((forces.total() - 0.02 * Vec3(100, 0, 50)).norm(), 1e-13);
}

TEST(BuildLoads, PressureActsAlongTheOutwardNormal) {
  // A patch: positive pulls outwards, along −x at this face; negative presses.
  EXPECT_LT((Forces(kFace + ", pressure: 200").total() - Vec3(-4, 0, 0)).norm(), 1e-13);
  EXPECT_LT((Forces(kFace + ", pressure: -200").total() - Vec3(4, 0, 0)).norm(), 1e-13);
  // Closed: no resultant, every vertex is pulled outwards.
  const Forces closed("where: {boundary: true}, pressure: 200");
  EXPECT_LT(closed.total().norm(), 1e-12);
  for (int i = 0; i < closed.force.size(); ++i) EXPECT_GT(closed.force[i].dot(closed.built.state.positions[i]), 0);
}

TEST(BuildLoads, PressureMakesABodySwellOrShrink) {
  for (const double pressure : {1000.0, -1000.0}) {
    SceneText text{.time = "end: 1, integrator: quasi_static"};
    text.more = "gravity: [0, 0, 0]\npins:\n  - {body: block, " + kFace +
                ", axes: [x]}\n  - {body: block, where: {vertices: [0]}}\n" +
                "  - {body: block, where: {vertices: [8]}, axes: [z]}\nloads:\n  - {body: block, where: {boundary: "
                "true}, pressure: " +
                std::to_string(pressure) + "}\n";
    BuiltScene built = build(text.parse());
    Simulation simulation(std::move(built.model), std::move(built.state), built.options);
    ASSERT_TRUE(simulation.advance(0.1).reached);
    const int corner = simulation.model().bodies[0].block_of_vertex[23];
    const Vec3 x = simulation.state().positions[corner], before(0.15, 0.1, 0.05);
    EXPECT_GT(pressure * (x[0] - before[0]), 0);
  }
}

TEST(BuildLoads, TimeRampsAndKeyframes) {
  const std::string ramp = kFace + ", force: [8, 0, 0], from: 1, ramp: 0.5, until: 2";
  EXPECT_EQ(Forces(ramp, 0.9).total(), Vec3::Zero());
  EXPECT_NEAR(Forces(ramp, 1.25).total()[0], 4, 1e-13);
  EXPECT_NEAR(Forces(ramp, 2).total()[0], 8, 1e-13);
  EXPECT_EQ(Forces(ramp, 2.1).total(), Vec3::Zero());
  const std::string keyed = kFace + ", pressure: [{t: 0, value: 0}, {t: 2, value: 400}]";
  EXPECT_NEAR(Forces(keyed, 1).total()[0], -4, 1e-13);
}

TEST(BuildLoads, PressureAndTractionNeedAnArea) {
  for (const char* load : {"pressure: 5", "traction: [1, 0, 0]"}) {
    EXPECT_INPUT_ERROR(Forces(std::string("where: {vertices: [0, 23]}, ") + load),
                       "the selection covers no surface triangle of body 'block'; traction and pressure need an area");
  }
}

}  // namespace
}  // namespace pliant::scene
