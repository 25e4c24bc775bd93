// The resolved scene: it reads back as the same scene, to the last bit, and holds every default.
#include "pliant/scene/writer.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/scene/reader.h"
#include "pliant/scene/settings_check.h"

namespace pliant {
namespace {

const char* const kEverything = R"(
pliant: 1
title: "Tricky: 'quotes', \"more\", \t tab, # hash, ünïcode, null"
seed: 2147483647
time: {step: 0.1, end: 3.3333333333333335, integrator: newmark, newmark: {beta: 0.30000000000000004, gamma: 0.6}, retries: 2}
gravity: [1.0e-300, -9.81, 0.1]
drag: 0.7
wind: {velocity: [1, 2, 3]}
solver: {tolerance: 1.0e-9, newton: {linear: pcg, hessian: exact, iterations: 3}, linear: {deterministic: false}}
materials:
  "yes": {model: mooney_rivlin, c1: 1, c2: 2, bulk: 3, extrapolate_below: 0.7}
  "a b": {model: spline, a: [[0.5, -10], [0.9, -1], [1.1, 1], [2, 20]], mass: consistent}
  poly: {model: polynomial, mu: 0.3333333333333333, fibre: {direction: [0, 1, 1], stiffness: 12}, strain_limit: {min: 0.7, max: 1.3, stiffness: 5.5}, volume: {stiffness: 0.1}}
bodies:
  - name: one
    mesh: {sphere: {radius: 0.25, subdivisions: 3}, tetrahedralize: {cell_size: 0.05, method: voxels, repair: true}}
    material: {model: arap, stiffness: 77, damping: {stiffness_proportional: 0.01}}
    rotation: {axis: [1, 1, 1], degrees: 33}
    contact: {friction: 0.1, thickness: 0.001, self: false}
    start: {scatter: true}
  - {name: "true", mesh: {torus: {radius: 1, tube: 0.25}}, material: "yes", rotation: [{quaternion: [0.5, 0.5, 0.5, 0.5]}, {axis: [0, 1, 0], degrees: 5}]}
  - {name: "3", mesh: {capsule: {}}, material: "a b", copies: {count: [2, 2, 2], spacing: [3, 3, 3]}}
  - {name: four, mesh: {cylinder: {segments: 12}}, material: poly}
  - {name: five, mesh: {box: {cells: [1, 2, 3]}}, material: cork}
pins:
  - {body: one, where: {vertices: [5, 7]}, axes: [y], from: 0.5, until: 1.5}
  - {body: "3.1", where: {sphere: {center: [0, 1, 0], radius: 0.2}}, direction: [0, 1, 1], stiffness: 55.5}
  - {body: four, where: {boundary: true}, motion: {keyframes: [{t: 0}, {t: 2, position: [0, 1, 0], rotation: {axis: [0, 0, 1], degrees: 90}}]}}
loads:
  - {body: one, force: [0, 0, 1], ramp: 0.5}
  - {body: one, torque: [{t: 0.5, value: [0, 0, 1]}]}
  - {body: five, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}, pressure: [{t: 0, value: 0}, {t: 1, value: 10}], until: 2}
  - {body: five, traction: [1, 2, 3]}
contact: {method: none, friction: 0.5, distance: 0.001, pairs: [{bodies: [one, five], enabled: false}]}
probes:
  - {name: tip, body: one, where: {vertices: [1, 2]}, quantity: velocity}
  - {name: energy, quantity: energy}
output: {frames_per_second: 24, folder: "out: here", checkpoint_every: 0.5, fields: [positions]}
view: {camera: {from: [1, 2, 3], degrees: 50}}
expect:
  - {probe: tip.2.y, at: 1.25, between: [-1, 1]}
  - {probe: energy.total, at: always, below: 1.0e9}
)";

TEST(Writer, ReadsBackAsTheSameScene) {
  const Scene scene = parse_scene(kEverything, "scene.yaml");
  const std::string text = write_scene(scene);
  const Scene again = parse_scene(text, "resolved.yaml");
  EXPECT_EQ(scene, again) << text;
  EXPECT_EQ(write_scene(again), text);
  EXPECT_EQ(again.title, "Tricky: 'quotes', \"more\", \t tab, # hash, ünïcode, null");
}

TEST(Writer, ThinBodiesReadBackAsTheSameScene) {
  const Scene scene = parse_scene(R"(
pliant: 1
time: {end: 1}
wind: {velocity: [1, 2, 3], air_density: 1.1, drag: 0.3, lift: 0.1}
solver: {newton: {linear: banded}}
materials:
  weave: {model: orthotropic_st_venant_kirchhoff, thickness: 1.0e-3, young_warp: 3, young_weft: 2, shear: 1, poisson: 0.1, warp_direction: [1, 2], bending: {model: willmore, stiffness: 0.1, ratio: 0.3, rest: as_given, viscosity: 0.01}, strain_limit: {min: 0.8, max: 1.2, stiffness: 7}}
  wire: {model: elastic_rod, young: 3, shear: 1, section: {ellipse: [1.0e-3, 2.0e-3]}, viscosity: 5}
  net: {model: springs, stretch_stiffness: 3, shear_stiffness: 2, bend_stiffness: 1, surface_density: 0.1, damping: {stiffness_proportional: 0.1}}
bodies:
  - {name: sheet, kind: cloth, mesh: {tube: {top_radius: 0.3, rows: 3}}, material: weave, uv: 0.25, animated_rest: {keyframes: [{t: 0, mesh: {tube: {rows: 3}}}, {t: 2, mesh: {tube: {rows: 3, height: 2}}}], weight: [{t: 0, value: 0}, {t: 1, value: 1}]}}
  - {name: flat, kind: cloth, mesh: {grid: {pattern: cross}}, material: cotton, uv: ignore}
  - {name: curl, kind: rod, mesh: {strand: {helix: {turns: 3}, initial_twist: 30}}, material: wire, up: [1, 1, 0], rest: {curvature: [0.1, 0.2], twist: 0.3}}
  - {name: ring, kind: rod, mesh: {strand: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], closed: true}}, material: hair, rest: as_given}
  - {name: net, kind: springs, mesh: {grid: {}}, material: net}
  - {name: head, kind: obstacle, mesh: {sphere: {subdivisions: 2}}, motion: {rotate: {degrees_per_second: 30}}}
  - {name: hair, kind: rod, mesh: {strands: {on: head, curl_radius: 0.01, where: {box: {min: [0, 0, 0], max: [1, 1, 1]}}}}, material: hair}
pins: [{body: curl, where: {vertices: [0, 1]}, twist: free}]
)",
                                  "scene.yaml");
  const std::string text = write_scene(scene);
  const Scene again = parse_scene(text, "resolved.yaml");
  EXPECT_EQ(scene, again) << text;
  EXPECT_EQ(write_scene(again), text);
  Scene other = scene;
  std::get<scene::StrandsMesh>(other.bodies[6].mesh.shape).curl_pitch *= 1.5;
  EXPECT_NE(scene, other);
  EXPECT_NE(scene, parse_scene(write_scene(other), "resolved.yaml"));
}

TEST(Writer, EqualityNoticesEveryChange) {
  const Scene scene = parse_scene(kEverything, "scene.yaml");
  Scene other = scene;
  other.pins[2].source.place = "elsewhere";
  EXPECT_EQ(scene, other);  // the place does not count
  other.time.end = std::nextafter(other.time.end, 10.0);
  EXPECT_NE(scene, other);
  EXPECT_NE(scene, parse_scene(write_scene(other), "resolved.yaml"));
}

TEST(Writer, WritesDefaults) {
  const std::string text = write_scene(parse_scene("pliant: 1\ntime: {end: 1}\n", "scene.yaml"));
  EXPECT_NE(text.find("integrator: backward_euler"), std::string::npos) << text;
  EXPECT_NE(text.find("gravity: [0, -9.81, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("max_iterations: 2000"), std::string::npos) << text;
  EXPECT_NE(text.find("friction_cone: cylinder"), std::string::npos) << text;
  EXPECT_EQ(text.find("grid"), std::string::npos) << text;  // not built
}

TEST(Writer, AbsolutePathsReadFromAnywhere) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("pliant_writer_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.obj") << "v 0 0 0\n";
  const std::string text = "pliant: 1\ntime: {end: 1}\nbodies: [{name: a, mesh: {file: a.obj}}]\n";
  const Scene scene = parse_scene(text, "scene.yaml", {.folder = folder, .overrides = {}});
  EXPECT_EQ(parse_scene(write_scene(scene), "again.yaml", {.folder = folder, .overrides = {}}), scene);
  const Scene moved = parse_scene(write_scene(scene, PathForm::absolute), "moved.yaml");
  EXPECT_EQ(std::get<scene::FileMesh>(moved.bodies[0].mesh.shape).file.resolved, folder / "a.obj");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pliant
