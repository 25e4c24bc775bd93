// Probes: names of columns, and values against states whose measures are known.
#include "pliant/scene/probe_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/scene/build_model.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant::scene {
namespace {

using pliant::testing::SceneText;

struct Probed {
  Scene scene;
  BuiltScene built;
  ProbeSet probes;
  Simulation simulation;

  explicit Probed(const SceneText& text)
      : scene(text.parse()),
        built(build(scene)),
        probes(scene, built.model, built.state),
        simulation(std::move(built.model), std::move(built.state), built.options) {}
  double value(const std::string& column) {
    const auto& columns = probes.columns();
    const auto found = std::find(columns.begin(), columns.end(), column);
    EXPECT_NE(found, columns.end()) << column;
    return probes.measure(simulation).at(found - columns.begin());
  }
};

SceneText with_probes(const std::string& probes) {
  SceneText text{.body = ", velocity: [1, 0, 0], angular_velocity: [0, 0, 90]"};
  text.more = "probes:\n" + probes;
  return text;
}

TEST(ProbeSet, ColumnsAreNamedAfterProbeVertexAndAxis) {
  Probed probed(
      with_probes("  - {name: corner, body: block, where: {vertices: [0]}, quantity: position}\n"
                  "  - {name: two, body: block, where: {vertices: [7, 3]}, quantity: velocity}\n"
                  "  - {name: middle, body: block, where: {all: true}, quantity: mean_position}\n"
                  "  - {name: stretch, body: block, where: {all: true}, quantity: stretch_max}\n"
                  "  - {name: squeeze, body: block, where: {all: true}, quantity: stretch_min}\n"
                  "  - {name: e, quantity: energy}\n"));
  const std::vector<std::string> expected = {"corner.x",  "corner.y",  "corner.z",  "two.7.x", "two.7.y",
                                             "two.7.z",   "two.3.x",   "two.3.y",   "two.3.z", "middle.x",
                                             "middle.y",  "middle.z",  "stretch",   "squeeze", "e.kinetic",
                                             "e.elastic", "e.gravity", "e.contact", "e.total"};
  EXPECT_EQ(probed.probes.columns(), expected);
  EXPECT_EQ(probed.probes.measure(probed.simulation).size(), expected.size());
}

TEST(ProbeSet, CopiesHaveColumnsOfTheirOwn) {
  SceneText text = with_probes("  - {name: p, body: block, where: {vertices: [0]}, quantity: mean_position}\n");
  text.body = ", copies: {count: [2, 1, 1], spacing: [3, 0, 0]}";
  Probed probed(text);
  ASSERT_EQ(probed.probes.columns().size(), 6U);
  EXPECT_EQ(probed.probes.columns()[3], "p.1.x");
  EXPECT_NEAR(probed.value("p.1.x") - probed.value("p.0.x"), 3, 1e-14);
}

TEST(ProbeSet, PositionsAndVelocities) {
  Probed probed(
      with_probes("  - {name: corner, body: block, where: {vertices: [0]}, quantity: position}\n"
                  "  - {name: speed, body: block, where: {vertices: [0]}, quantity: velocity}\n"
                  "  - {name: mean, body: block, where: {all: true}, quantity: mean_position}\n"
                  "  - {name: mean_speed, body: block, where: {all: true}, quantity: mean_velocity}\n"
                  "  - {name: low, body: block, where: {all: true}, quantity: min_position}\n"
                  "  - {name: high, body: block, where: {all: true}, quantity: max_position}\n"));
  EXPECT_NEAR(probed.value("corner.x"), -0.15, 1e-15);
  EXPECT_NEAR(probed.value("corner.y"), -0.1, 1e-15);
  const double omega = std::acos(-1.0) / 2;
  EXPECT_NEAR(probed.value("speed.x"), 1 + 0.1 * omega, 1e-14);
  EXPECT_NEAR(probed.value("speed.y"), -0.15 * omega, 1e-14);
  EXPECT_NEAR(probed.value("mean.x"), 0, 1e-15);
  EXPECT_NEAR(probed.value("mean_speed.x"), 1, 1e-14);
  EXPECT_NEAR(probed.value("low.z"), -0.05, 1e-15);
  EXPECT_NEAR(probed.value("high.x"), 0.15, 1e-15);
}

TEST(ProbeSet, EnergiesOfAKnownState) {
  Probed probed(with_probes("  - {name: e, quantity: energy}\n"));
  double kinetic = 0;
  for (int i = 0; i < probed.simulation.state().velocities.size(); ++i) {
    kinetic +=
        0.5 * probed.simulation.model().inertia.masses()[i] * probed.simulation.state().velocities[i].squaredNorm();
  }
  EXPECT_NEAR(probed.value("e.kinetic"), kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(probed.value("e.elastic"), 0, 1e-9);
  EXPECT_NEAR(probed.value("e.gravity"), 0, 1e-12);
  EXPECT_NEAR(probed.value("e.total"), kinetic, 1e-9);
}

TEST(ProbeSet, StretchAndVolumeOfALinearMap) {
  BuiltScene built = build(SceneText{}.parse());
  Mat3 map;
  map << 1.2, 0.3, 0, 0, 0.9, 0, 0.1, 0, 1.05;
  for (int i = 0; i < built.state.positions.size(); ++i)
    built.state.positions[i] = (map * built.state.positions[i]).eval();
  const double determinant = 1.2 * 0.9 * 1.05;
  EXPECT_NEAR(volume(built.model.bodies[0], built.state), 0.006 * determinant, 1e-15);
  // Largest singular value: root of the largest eigenvalue of FᵀF, by the power method.
  Vec3 v(1, 1, 1);
  for (int i = 0; i < 200; ++i) v = (map.transpose() * (map * v)).normalized();
  EXPECT_NEAR(largest_stretch(built.model.bodies[0], built.state), (map * v).norm(), 1e-12);
  // The smallest, from F⁻¹; with the sign of det F where the block is inside out.
  const Mat3 inverse = map.inverse();
  for (int i = 0; i < 200; ++i) v = (inverse.transpose() * (inverse * v)).normalized();
  const double smallest = 1 / (inverse * v).norm();
  EXPECT_LT(smallest, 0.9);
  EXPECT_NEAR(smallest_stretch(built.model.bodies[0], built.state), smallest, 1e-12);
  for (int i = 0; i < built.state.positions.size(); ++i) built.state.positions[i][1] *= -1;
  EXPECT_NEAR(smallest_stretch(built.model.bodies[0], built.state), -smallest, 1e-12);
}

TEST(ProbeSet, StretchesAreMeasured) {
  Probed probed(
      with_probes("  - {name: most, body: block, quantity: stretch_max}\n"
                  "  - {name: least, body: block, quantity: stretch_min}\n"));
  EXPECT_NEAR(probed.value("most"), 1, 1e-14);
  EXPECT_NEAR(probed.value("least"), 1, 1e-14);
  State state = probed.simulation.state();
  for (int i = 0; i < state.positions.size(); ++i) {
    const Vec3 moved = Vec3(1.25, 0.75, 1).cwiseProduct(Vec3(state.positions[i]));
    state.positions[i] = moved;
  }
  probed.simulation.restore(state);
  EXPECT_NEAR(probed.value("most"), 1.25, 1e-14);
  EXPECT_NEAR(probed.value("least"), 0.75, 1e-14);
}

TEST(ProbeSet, PinForceCarriesTheWeight) {
  SceneText text{.time = "end: 1, integrator: quasi_static"};
  const std::string end = "where: {box: {min: [-9, -9, -9], max: [-0.15, 9, 9]}}";
  text.more = "pins:\n  - {body: block, " + end + "}\nprobes:\n  - {name: hold, body: block, " + end +
              ", quantity: pin_force}\n";
  Probed probed(text);
  EXPECT_EQ(probed.value("hold.y"), 0);  // before the first step
  ASSERT_TRUE(probed.simulation.advance(0.1).reached);
  EXPECT_NEAR(probed.value("hold.y"), 6 * 9.81, 1e-3);
  EXPECT_NEAR(probed.value("hold.x"), 0, 1e-3);
}

TEST(ProbeSet, SurfaceVerticesAreMixesOfTheirTets) {
  SceneText text;
  text.mesh = "{sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: 0.5}}";
  text.more = "probes:\n  - {name: p, body: block, where: {vertices: [5]}, quantity: position}\n";
  Probed probed(text);
  const Vec3 x = probed.simulation.model().bodies[0].embedded->surface.vertices[5];
  EXPECT_NEAR(probed.value("p.y"), x[1], 1e-12);
}

// Grains put into cones of 20 and 35 degrees.
TEST(ProbeSet, HeapAngleIsTheSlopeOfACone) {
  const Scene scene = parse_scene(
      "pliant: 1\ntime: {step: 0.01, end: 1}\nsolver: {method: projection}\n"
      "bodies: [{name: sand, kind: particles, material: {radius: 0.01}, mesh: {box: {size: [0.3, 0.3, 0.3]}}, count: "
      "800}]\n"
      "probes: [{name: slope, body: sand, quantity: heap_angle}]\n",
      "heap.yaml");
  BuiltScene built = build(scene);
  const ProbeSet probes(scene, built.model, built.state);
  State heap = built.state;
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (const double degrees : {20.0, 35.0}) {
    const double height = std::tan(degrees * std::numbers::pi / 180);  // of a cone with the radius 1
    const int count = heap.positions.size();
    for (int i = 0; i < count; ++i) {
      // Evenly over the volume: by height, by distance from the axis, by angle.
      const double part = (i + 0.5) / count, golden = 0.6180339887 * i, across = 0.7548776662 * i;
      const double below = std::cbrt(1 - part), r = below * std::sqrt(across - std::floor(across));
      const double angle = 2 * std::numbers::pi * (golden - std::floor(golden));
      heap.positions[i] = Vec3(2 + r * std::cos(angle), 5 + height * (1 - below), -1 + r * std::sin(angle));
    }
    simulation.restore(heap);
    EXPECT_NEAR(probes.measure(simulation)[0], degrees, 0.02 * degrees);
  }
}

TEST(ProbeSet, AProbeThatSelectsNothingIsAnError) {
  const SceneText text = with_probes("  - {name: p, body: block, where: {vertices: [99]}, quantity: position}\n");
  EXPECT_INPUT_ERROR(Probed{text}, "vertex 99 does not exist");
}

// Thin bodies: stretches of triangles against their flat rest, of edges against their lengths; what a closed sheet holds.
TEST(ProbeSet, StretchAndVolumeOfThinBodies) {
  const auto measured = [](const pliant::testing::ThinScene& text, const Vec3& factors) {
    const BuiltScene built = text.built();
    State state = built.state;
    const ModelBody& body = built.model.bodies[0];
    for (const int block : body.block_of_vertex) state.positions[block] = state.positions[block].cwiseProduct(factors);
    return std::tuple{largest_stretch(body, state), volume(body, state), smallest_stretch(body, state)};
  };
  using pliant::testing::ThinScene;
  EXPECT_NEAR(std::get<0>(measured({}, Vec3(1.3, 1, 0.8))), 1.3, 1e-12);
  EXPECT_NEAR(std::get<2>(measured({}, Vec3(1.3, 1, 0.8))), 0.8, 1e-12);
  EXPECT_NEAR(std::get<0>(measured({.body = ", uv: 0.5"}, Vec3(1.3, 1, 0.8))), 2.6, 1e-12);
  const ThinScene ball{.mesh = "{sphere: {radius: 0.3, subdivisions: 4}}"};
  EXPECT_NEAR(std::get<1>(measured(ball, Vec3(1, 2, 1))), 2 * 4.0 / 3 * std::numbers::pi * 0.027, 0.002);
  const ThinScene rod{.kind = "rod",
                      .mesh = "{strand: {points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]]}}",
                      .material = "model: elastic_rod, young: 1.0e6, shear: 4.0e5, section: {circle: 1.0e-3}"};
  EXPECT_NEAR(std::get<0>(measured(rod, Vec3(1.1, 1.4, 1))), 1.4, 1e-14);
  EXPECT_NEAR(std::get<2>(measured(rod, Vec3(1.1, 1.4, 1))), 1.1, 1e-14);
  EXPECT_EQ(std::get<1>(measured(rod, Vec3(1.1, 1.4, 1))), 0);
}

}  // namespace
}  // namespace pliant::scene
