// The reader: what a correct file means, its defaults, JSON, files, and the sentence for each kind of mistake.
#include "pliant/scene/reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "pliant/input_error.h"
#include "pliant/scene/writer.h"

namespace pliant {
namespace {

using namespace scene;

Scene parse(const std::string& text) { return parse_scene(text, "scene.yaml"); }

// What the error for this text says, with its place; empty when there is none.
std::string error_of(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_error(const std::string& text, const std::vector<std::string>& parts) {
  const std::string error = error_of(text);
  for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error << "\nlacks: " << part;
}

// A scene of one block, with lines added at the top level from line 5 and at the body from line 4.
const std::string kHead = "pliant: 1\ntime: {end: 1}\n";
const std::string kBlock = "bodies:\n  - {name: block, mesh: {box: {}}, material: rubber}\n";
std::string scene_with(const std::string& more) { return kHead + kBlock + more; }
std::string body_with(const std::string& more) {
  return kHead + "bodies:\n  - {name: block, mesh: {box: {}}, " + more + "}\n";
}
std::string material_with(const std::string& keys) {
  return kHead + "materials:\n  jelly: {" + keys + "}\nbodies:\n  - {name: block, mesh: {box: {}}, material: jelly}\n";
}

TEST(Reader, DefaultsAreThoseOfTheContract) {
  const Scene scene = parse(kHead);
  EXPECT_EQ(scene.time.step, 0.01);
  EXPECT_EQ(scene.time.end, 1.0);
  EXPECT_EQ(scene.time.integrator, Integrator::backward_euler);
  EXPECT_EQ(scene.time.newmark.beta, 0.25);
  EXPECT_EQ(scene.time.retries, 6);
  EXPECT_EQ(scene.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(scene.drag, 0.0);
  EXPECT_EQ(scene.solver.tolerance, 1e-6);
  EXPECT_EQ(scene.solver.max_iterations, 100);
  EXPECT_EQ(scene.solver.newton.linear, LinearMethod::automatic);
  EXPECT_FALSE(scene.solver.newton.iterations.has_value());
  EXPECT_EQ(scene.solver.linear.tolerance, 1e-8);
  EXPECT_TRUE(scene.solver.linear.deterministic);
  EXPECT_EQ(scene.contact.friction, 0.3);
  EXPECT_EQ(scene.output.frames_per_second, 60.0);
  EXPECT_EQ(scene.view.camera.degrees, 35.0);
  EXPECT_TRUE(scene.bodies.empty());
}

TEST(Reader, ReadsEveryPartOfABody) {
  const Scene scene = parse(kHead + R"(
materials:
  jelly: {model: stable_neo_hookean, density: 1050, young: 2.0e4, poisson: 0.4, damping: {stiffness_proportional: 0.002}}
bodies:
  - name: block
    kind: solid
    mesh: {box: {size: [1, 2, 3], cells: [4, 5, 6]}}
    material: jelly
    position: [0, 1.5, 0]
    rotation: [{axis: [0, 0, 1], degrees: 90}, {quaternion: [1, 0, 0, 0]}]
    scale: 2
    velocity: [1, 0, 0]
    angular_velocity: [0, 90, 0]
    contact: false
    copies: {count: [2, 1, 1], spacing: [3, 0, 0], jitter: 0.1, random_rotation: true}
    discretization: tets
    start: {scatter: true}
)");
  ASSERT_EQ(scene.bodies.size(), 1u);
  const Body& body = scene.bodies[0];
  EXPECT_EQ(body.source.place, "scene.yaml:7");
  const auto& box = std::get<BoxMesh>(body.mesh.shape);
  EXPECT_EQ(box.size, Vec3(1, 2, 3));
  EXPECT_EQ(box.cells, Vec3i(4, 5, 6));
  EXPECT_EQ(scene.material(body.material).young, 2e4);
  EXPECT_EQ(scene.material("jelly").model, MaterialModel::stable_neo_hookean);
  EXPECT_EQ(scene.material("jelly").damping.stiffness_proportional, 0.002);
  ASSERT_EQ(body.rotation.turns.size(), 2u);
  EXPECT_LT((rotation_matrix(body.rotation) * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_FALSE(body.contact.enabled);
  EXPECT_EQ(body.copies.count, Vec3i(2, 1, 1));
  EXPECT_TRUE(std::holds_alternative<ScatterStart>(body.start));
}

TEST(Reader, ReadsPinsLoadsProbesAndExpectations) {
  const Scene scene = parse(scene_with(R"(
pins:
  - {body: block, where: {box: {min: [-1, 0, 0], max: [0, 1, 1]}}, axes: [x, z], until: 0.5}
  - {body: block, where: {vertices: [0, 3]}, direction: [1, 1, 0], stiffness: 250, motion: {rotate: {axis: [0, 1, 0], degrees_per_second: 90}}}
  - {body: block, motion: {keyframes: [{t: 0}, {t: 1, position: [0, 1, 0], rotation: {axis: [1, 0, 0], degrees: 45}}]}, stiffness: hard}
loads:
  - {body: block, where: {sphere: {center: [0, 0, 0], radius: 0.5}}, force: [0, -1, 0], ramp: 0.1}
  - {body: block, where: {boundary: true}, pressure: [{t: 0, value: 0}, {t: 2, value: 100}]}
probes:
  - {name: tip, body: block, where: {vertices: [3]}, quantity: position}
  - {name: energy, quantity: energy}
expect:
  - {probe: tip.y, at: end, between: [0.1, 0.2]}
  - {probe: energy.total, at: always, above: -1}
  - {probe: tip.x, at: 0.5, below: 1}
)"));
  ASSERT_EQ(scene.pins.size(), 3u);
  EXPECT_EQ(std::get<BoxSelection>(scene.pins[0].where).max, Vec3(0, 1, 1));
  EXPECT_TRUE(scene.pins[0].axes.x && !scene.pins[0].axes.y && scene.pins[0].axes.z);
  EXPECT_EQ(scene.pins[0].until, 0.5);
  EXPECT_FALSE(scene.pins[0].stiffness.has_value());
  EXPECT_EQ(scene.pins[1].stiffness, 250.0);
  EXPECT_EQ(std::get<RotateMotion>(scene.pins[1].motion).degrees_per_second, 90.0);
  EXPECT_EQ(std::get<KeyframeMotion>(scene.pins[2].motion).keyframes[1].position, Vec3(0, 1, 0));
  EXPECT_TRUE(std::holds_alternative<AllSelection>(scene.pins[2].where));
  EXPECT_EQ(scene.loads[0].force->at(7.0), Vec3(0, -1, 0));
  EXPECT_FALSE(scene.loads[0].pressure.has_value());
  EXPECT_DOUBLE_EQ(scene.loads[1].pressure->at(0.5), 25.0);
  EXPECT_EQ(scene.loads[1].pressure->at(9.0), 100.0);
  EXPECT_EQ(scene.probes[1].quantity, Quantity::energy);
  EXPECT_EQ(scene.expect[0].between, Vec2(0.1, 0.2));
  EXPECT_EQ(scene.expect[1].at, Moment::always);
  EXPECT_EQ(scene.expect[2].at_seconds, 0.5);
}

TEST(Reader, JsonIsReadLikeYaml) {
  const Scene yaml = parse(scene_with("title: \"a \\\"b\\\"\"\n"));
  const Scene json = parse_scene(
      "{\n\t\"pliant\": 1,\n\t\"time\": {\"end\": 1.0e0},\n\t\"title\": \"a \\\"b\\\"\",\n\t\"bodies\": "
      "[\n\t\t{\"name\": "
      "\"block\", \"mesh\": {\"box\": {}}, \"material\": \"rubber\", \"contact\": true}\n\t]\n}\n",
      "scene.json");
  EXPECT_EQ(yaml, json);
}

TEST(Reader, PresetsAndInlineMaterialsBecomeMaterialsOfTheScene) {
  const Scene scene = parse(kHead +
                            "bodies:\n  - {name: a, mesh: {box: {}}, material: steel}\n"
                            "  - {name: b, mesh: {box: {}}, material: {model: arap, stiffness: 3000}}\n"
                            "  - {name: c, mesh: {box: {}}}\n");
  EXPECT_EQ(scene.material("steel").young, 2.1e11);
  EXPECT_EQ(scene.material(scene.bodies[1].material).stiffness, 3000.0);
  EXPECT_EQ(scene.material(scene.bodies[1].material).model, MaterialModel::arap);
  EXPECT_EQ(scene.bodies[2].material, "rubber");
  EXPECT_EQ(scene.materials.size(), 3u);
}

TEST(Reader, AliasesStandForWhatTheyRepeat) {
  const Scene scene = parse(kHead +
                            "bodies:\n  - {name: a, mesh: &cube {box: {size: [2, 2, 2]}}}\n"
                            "  - {name: b, mesh: *cube}\n");
  EXPECT_EQ(std::get<BoxMesh>(scene.bodies[1].mesh.shape).size, Vec3(2, 2, 2));
}

// ---- mistakes -------------------------------------------------------------------------------------------------------

TEST(ReaderErrors, UnknownKeyNamesPlaceAndNearestKey) {
  expect_error(material_with("densty: 3"),
               {"scene.yaml:4: ", "'densty'", "materials.jelly", "did you mean 'density'?"});
  expect_error(scene_with("gravty: [0, 0, 0]\n"), {"scene.yaml:5: unknown key 'gravty'", "'gravity'"});
  expect_error("pliant: 1\ntme: {end: 1}\n", {"scene.yaml:2: unknown key 'tme'", "'time'"});
  expect_error(scene_with("zzzzzzzzz: 1\n"), {"scene.yaml:5: unknown key 'zzzzzzzzz'", "known are", "bodies"});
  expect_error(body_with("mesh2: 1"), {"scene.yaml:4", "'mesh2' in bodies.block", "'mesh'"});
}

TEST(ReaderErrors, WrongTypesSayWhatIsExpected) {
  expect_error("pliant: 1\ntime: {end: abc}\n", {"scene.yaml:2: time.end: expected a number in s, got text 'abc'"});
  expect_error("pliant: 1\ntime: {end: 1 cm}\n", {"time.end", "'1 cm'", "SI units (s)"});
  expect_error("pliant: 1\ntime: {end: \"1\"}\n", {"time.end: expected a number"});
  expect_error("pliant: 1\ntime: [1]\n", {"scene.yaml:2: time: expected a map, got a list"});
  expect_error("pliant: 1\ntime:\n", {"'time.end' is missing"});
  expect_error(scene_with("gravity: 9.81\n"), {"gravity: expected a list of 3 numbers in m/s², got the number 9.81"});
  expect_error(scene_with("gravity: [0, 1]\n"), {"gravity: expected a list of 3 numbers", "got 2 entries"});
  expect_error(scene_with("seed: 1.5\n"), {"seed must be a whole number, got 1.5"});
  expect_error(scene_with("seed: 99999999999\n"), {"seed is too large"});
  expect_error(scene_with("pins: {body: block}\n"), {"pins: expected a list, got a map"});
  expect_error(scene_with("pins: [{body: block, stiffness: soft}]\n"), {"'hard' or a number in N/m, got text 'soft'"});
  expect_error(body_with("copies: {random_rotation: yes}"),
               {"random_rotation: expected true or false, got text 'yes'"});
  expect_error(body_with("start: somewhere"), {"bodies.block.start: expected 'rest'"});
  expect_error("- 1\n", {"scene.yaml:1: a scene is a map"});
}

TEST(ReaderErrors, RangesAreNamed) {
  expect_error("pliant: 1\ntime: {end: 1, step: -1}\n", {"scene.yaml:2: time.step must be above 0 s, got -1"});
  expect_error(material_with("density: 0"), {"materials.jelly.density must be above 0 kg/m³, got 0"});
  expect_error(material_with("poisson: 0.5"),
               {"scene.yaml:4: materials.jelly.poisson must be below 0.5 for a solid, got 0.5"});
  expect_error(material_with("poisson: 0.6"), {"poisson must be above -1 and at most 0.5, got 0.6"});
  expect_error(material_with("poisson: -1"), {"poisson must be above -1 and at most 0.5, got -1"});
  expect_error("pliant: 2\ntime: {end: 1}\n", {"pliant must be exactly 1, got 2"});
  expect_error(scene_with("gravity: [0, .nan, 0]\n"), {"gravity", "must be finite, got nan"});
  expect_error(scene_with("gravity: [0, -1.0e300, 0]\n"),
               {"gravity every component must be from -1e+06 to 1e+06 m/s²"});
  expect_error(scene_with("drag: 1.0e999\n"), {"drag must be finite"});
  expect_error(scene_with("drag: .inf\n"), {"drag must be finite"});
  expect_error(scene_with("drag: nan\n"), {"drag must be finite"});
  expect_error(scene_with("drag: \"1.0e-1\"\n"), {"drag: expected a number in 1/s", "remove the quotes"});
  expect_error(body_with("scale: 0"), {"bodies.block.scale must be above 0"});
  expect_error(body_with("rotation: {axis: [0, 0, 0], degrees: 3}"), {"rotation.axis must not be zero"});
  expect_error(scene_with("time2: 1\n"), {"'time2'"});
}

TEST(ReaderErrors, WordsOfAChoice) {
  expect_error("pliant: 1\ntime: {end: 1, integrator: backwards_euler}\n",
               {"time.integrator must be one of backward_euler | bdf2", "did you mean 'backward_euler'?"});
  expect_error(scene_with("pins: [{body: block, axes: [x, w]}]\n"), {"pins[0].axes must be one of x | y | z"});
  expect_error(scene_with("pins: [{body: block, axes: [x, x]}]\n"), {"lists 'x' twice"});
  expect_error(scene_with("pins: [{body: block, axes: []}]\n"), {"at least one of x, y, z"});
}

TEST(ReaderErrors, MissingKeys) {
  expect_error("time: {end: 1}\n", {"'pliant' is missing"});
  expect_error("pliant: 1\n", {"'time.end' is missing", "(s)"});
  expect_error(kHead + "bodies:\n  - {mesh: {box: {}}}\n", {"scene.yaml:4: the key 'bodies[0].name' is missing"});
  expect_error(kHead + "bodies:\n  - {name: a}\n", {"scene.yaml:4: bodies.a.mesh needs one of the keys box, sphere"});
  expect_error(kHead + "bodies:\n  - {name: a, mesh: {bx: {}}}\n", {"unknown key 'bx' in bodies.a.mesh", "'box'"});
  expect_error(material_with("model: arap"), {"'materials.jelly.stiffness' is missing"});
  expect_error(scene_with("loads: [{body: block}]\n"), {"needs one of the keys force, torque, traction or pressure"});
  expect_error(scene_with("expect: [{probe: a}]\n"), {"needs one of the keys above, below or between"});
  expect_error("", {"is empty"});
}

TEST(ReaderErrors, NamesMustExist) {
  expect_error(scene_with("pins:\n  - {body: blok}\n"), {"scene.yaml:6: pins.body", "'blok'", "did you mean 'block'?"});
  expect_error(scene_with("loads: [{body: x, force: [0, 0, 1]}]\n"), {"loads.body", "known are block"});
  expect_error(scene_with("probes: [{name: p, body: blick}]\n"), {"probes.p.body", "'block'"});
  expect_error(body_with("material: ruber"), {"scene.yaml:4", "'ruber'", "did you mean 'rubber'?"});
  expect_error(
      scene_with("probes: [{name: tip, body: block, where: {vertices: [1]}}]\nexpect: [{probe: top.y, above: 0}]\n"),
      {"scene.yaml:6", "'top'", "did you mean 'tip'?"});
  expect_error(scene_with("probes: [{name: tip, body: block}]\nexpect: [{probe: tip.q, above: 0}]\n"),
               {"must end in a component of position"});
  expect_error(
      scene_with("probes: [{name: tip, body: block, where: {vertices: [1, 2]}}]\nexpect: [{probe: tip.y, above: 0}]\n"),
      {"such as 'tip.1.y'"});
  expect_error(scene_with("contact: {pairs: [{bodies: [block, ball]}]}\n"), {"contact.pairs.bodies", "'ball'"});
  EXPECT_EQ(error_of(body_with("copies: {count: [3, 1, 1]}") + "pins: [{body: block.2}]\n"), "");
  expect_error(body_with("copies: {count: [3, 1, 1]}") + "pins: [{body: block.3}]\n", {"'block.3'"});
}

TEST(ReaderErrors, NamesMustBeUniqueAndUsable) {
  expect_error(kHead + "bodies:\n  - {name: a, mesh: {box: {}}}\n  - {name: a, mesh: {box: {}}}\n",
               {"scene.yaml:5: the name 'a' is already taken", "scene.yaml:4"});
  expect_error(kHead + "bodies: [{name: a.b, mesh: {box: {}}}]\n", {"'a.b'", "must not contain dots"});
  expect_error(kHead + "bodies: [{name: '', mesh: {box: {}}}]\n", {"must not be empty"});
  expect_error(scene_with("probes: [{name: e, quantity: energy}, {name: e, quantity: energy}]\n"),
               {"'e' is already taken"});
}

TEST(ReaderErrors, KeysThatExcludeEachOther) {
  expect_error(kHead + "bodies: [{name: a, mesh: {box: {}, sphere: {}}}]\n", {"exclude each other"});
  expect_error(scene_with("loads: [{body: block, force: [0, 0, 1], pressure: 3}]\n"), {"exclude each other"});
  expect_error(kHead + "bodies: [{name: a, mesh: {sphere: {cells: 4, subdivisions: 2}}}]\n", {"exclude each other"});
  expect_error(material_with("model: arap, stiffness: 3, young: 5"), {"young is not used here", "models neo_hookean"});
  expect_error(body_with("motion: {move: {velocity: [0, 0, 0]}}"), {"motion is not used here", "pins"});
  expect_error(scene_with("pins: [{body: block, axes: [x], direction: [1, 0, 0]}]\n"), {"axes is not used here"});
  expect_error(kHead + "bodies: [{name: a, mesh: {box: {}, tetrahedralize: {}}}]\n",
               {"tetrahedralize is not used here"});
  expect_error(kHead + "bodies: [{name: a, mesh: {grid: {}}}]\n", {"no volume"});
  expect_error(kHead + "bodies: [{name: a, mesh: {torus: {radius: 1, tube: 1}}}]\n", {"tube must be below radius"});
}

TEST(ReaderErrors, TimesAndBoundsInOrder) {
  expect_error(scene_with("pins: [{body: block, from: 2, until: 1}]\n"), {"until must be later"});
  expect_error(scene_with("loads: [{body: block, force: [{t: 1, value: [0, 0, 0]}, {t: 1, value: [0, 0, 1]}]}]\n"),
               {"increasing t, got 1 s after 1 s"});
  expect_error(scene_with("loads: [{body: block, force: []}]\n"), {"at least one keyframe"});
  expect_error(scene_with("pins: [{body: block, motion: {speed: 2}}]\n"), {"at least one keyframe"});
  expect_error(scene_with("pins: [{body: block, motion: {repeat: true, keyframes: [{t: 1}]}}]\n"),
               {"repeat needs at least two keyframes"});
  expect_error(
      scene_with("pins: [{body: block, motion: {repeat: true, keyframes: [{t: 0}, {t: 1, position: [0, 1, 0]}]}}]\n"),
      {"the last keyframe must have position and rotation of the first"});
  expect_error(scene_with("pins: [{body: block, where: {box: {min: [1, 0, 0], max: [0, 1, 1]}}}]\n"),
               {"min at most max"});
  expect_error(scene_with("pins: [{body: block, where: {vertices: [-1]}}]\n"), {"at least 0, got -1"});
  expect_error(scene_with("pins: [{body: block, where: {vertices: []}}]\n"), {"at least one vertex"});
  expect_error(scene_with("probes: [{name: e, quantity: energy}]\nexpect: [{probe: e.total, between: [2, 1]}]\n"),
               {"lower bound first"});
  expect_error(scene_with("probes: [{name: e, quantity: energy}]\nexpect: [{probe: e.total, at: 5, above: 1}]\n"),
               {"not be later than time.end"});
}

TEST(ReaderErrors, WhatIsNotBuiltYetSaysSo) {
  const std::vector<std::string> texts = {
      body_with("discretization: {grid: {cell: 0.1}}"),
      scene_with("contact: {method: adonis}\n"),
      scene_with("ties: [{bodies: [a, b]}]\n"),
  };
  for (const std::string& text : texts) expect_error(text, {"scene.yaml:", "not built yet in this version"});
  EXPECT_EQ(error_of(scene_with("joints: []\nties: []\nwind: {velocity: [1, 0, 0]}\ncontact: {method: none}\n")), "");
}

// Grains that fill a mesh, and grains of an emitter, which has none.
TEST(Reader, Particles) {
  const std::string sand = "materials: {sand: {density: 2500, radius: 2.0e-3, radius_spread: 0.2}}\n";
  const Scene filled =
      parse(kHead + sand + "bodies: [{name: a, kind: particles, mesh: {box: {}}, count: 30, material: sand}]\n");
  EXPECT_EQ(filled.bodies[0].kind, BodyKind::particles);
  EXPECT_EQ(filled.bodies[0].count, 30);
  EXPECT_EQ(filled.materials[0].radius, 2e-3);
  EXPECT_EQ(filled.materials[0].radius_spread, 0.2);
  const Scene poured =
      parse(kHead + sand +
            "bodies: [{name: a, kind: particles, material: sand, emitter: {rate: 100, until: 0.5, count: "
            "40, velocity: [0, -1, 0], from: {center: [0, 1, 0], radius: 0.1}}}]\n");
  const Emitter& emitter = poured.bodies[0].emitter.value();
  EXPECT_EQ(emitter.rate, 100);
  EXPECT_EQ(emitter.until, 0.5);
  EXPECT_EQ(emitter.count, 40);
  EXPECT_EQ(emitter.velocity, Vec3(0, -1, 0));
  EXPECT_EQ(std::get<RoundOpening>(emitter.from).radius, 0.1);
  for (const Scene& scene : {filled, poured}) EXPECT_EQ(parse(write_scene(scene)), scene);
}

TEST(ReaderErrors, OfParticles) {
  const auto body = [](const std::string& keys) {
    return kHead + "materials: {sand: {radius: 2.0e-3}, jelly: {}}\nbodies: [{name: a, " + keys + "}]\n";
  };
  const std::string from = "emitter: {rate: 9, from: {box: {min: [0, 0, 0], max: [1, 0, 1]}}}";
  expect_error(body("kind: particles, material: sand"), {"mesh"});
  expect_error(body("kind: particles, material: jelly, mesh: {box: {}}"), {"need a material with a radius"});
  expect_error(body("kind: particles, material: sand, mesh: {grid: {}}"), {"fill a closed mesh"});
  expect_error(body("kind: solid, material: sand, mesh: {box: {}}"), {"radius acts in particles only"});
  expect_error(body("kind: solid, material: jelly, mesh: {box: {}}, count: 3"), {"it belongs to kind particles"});
  expect_error(body("kind: particles, material: sand, mesh: {box: {}}, start: {scatter: true}"), {"into each other"});
  expect_error(body("kind: solid, material: jelly, mesh: {box: {}}, " + from), {"it belongs to kind particles"});
  expect_error(body("kind: particles, material: sand, mesh: {box: {}}, " + from), {"mesh", "without an emitter"});
  expect_error(body("kind: particles, material: sand, position: [1, 0, 0], " + from), {"position", "remove the key"});
  expect_error(body("kind: particles, material: sand, emitter: {from: {center: [0, 0, 0], radius: 1}}"), {"rate"});
  expect_error(body("kind: particles, material: sand, emitter: {rate: 1}"), {"from"});
  expect_error(
      body("kind: particles, material: sand, emitter: {rate: 1, from: {box: {min: [1, 0, 0], max: [0, 0, 0]}}}"),
      {"min at most max"});
}

// Rigid bodies and their keys; `mass` is a word or a number.
TEST(Reader, RigidBodies) {
  const Scene scene = parse(kHead +
                            "materials:\n"
                            "  heavy: {mass: 3, inertia: [0.1, 0.2, 0.25]}\n"
                            "  soft: {mass: consistent}\n"
                            "bodies:\n"
                            "  - {name: box, kind: rigid, mesh: {box: {}}, material: heavy, shape: convex}\n"
                            "  - {name: block, mesh: {box: {}}, material: soft}\n"
                            "probes: [{name: spin, quantity: angular_velocity, body: box}]\n");
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::rigid);
  EXPECT_EQ(scene.bodies[0].shape, RigidForm::convex);
  EXPECT_EQ(scene.material("heavy").total_mass, 3);
  EXPECT_EQ(scene.material("heavy").inertia, (std::vector<double>{0.1, 0.2, 0.25}));
  EXPECT_FALSE(scene.material("soft").total_mass.has_value());
  EXPECT_EQ(scene.material("soft").mass, MassForm::consistent);
  EXPECT_EQ(parse_scene(write_scene(scene, PathForm::absolute), "again"), scene);
  expect_error(body_with("shape: box"), {"kind rigid"});
  expect_error(scene_with("probes: [{name: c, quantity: pose, body: block}]\n"), {"rigid bodies", "solid"});
}

// Thin bodies and their keys.
TEST(Reader, ThinBodies) {
  const Scene scene =
      parse(kHead +
            "wind: {velocity: [1, 0, 2], drag: 0.5}\n"
            "materials:\n"
            "  net: {model: springs, stretch_stiffness: 30, bend_stiffness: 2, linear_density: 0.1}\n"
            "  wire: {model: elastic_rod, young: 1.0e9, shear: 4.0e8, section: {rectangle: [1.0e-3, "
            "2.0e-3]}, viscosity: 3}\n"
            "bodies:\n"
            "  - {name: sheet, kind: cloth, mesh: {grid: {}}, material: cotton, uv: 0.5}\n"
            "  - {name: ring, kind: rod, mesh: {strand: {helix: {pitch: 0, turns: 1}, closed: true, "
            "initial_twist: 720}}, material: wire, up: [0, 0, 1], rest: {curvature: [1, 2], twist: 3}}\n"
            "  - {name: chain, kind: springs, mesh: {strand: {points: [[0, 0, 0], [1, 0, 0]]}}, "
            "material: net}\n"
            "  - {name: head, kind: obstacle, mesh: {sphere: {}}, motion: {move: {velocity: [1, 0, 0]}}}\n"
            "  - {name: hair, kind: rod, mesh: {strands: {on: head, count: 7}}, material: hair}\n"
            "pins: [{body: ring, where: {vertices: [0, 1]}, twist: free}]\n");
  EXPECT_EQ(scene.wind.velocity, Vec3(1, 0, 2));
  EXPECT_EQ(scene.wind.drag, 0.5);
  EXPECT_EQ(scene.wind.air_density, 1.2);
  EXPECT_EQ(scene.body("sheet").uv.use, UvUse::metres);
  EXPECT_EQ(scene.body("sheet").uv.metres, 0.5);
  const auto& ring = std::get<StrandMesh>(scene.body("ring").mesh.shape);
  EXPECT_TRUE(ring.closed);
  EXPECT_EQ(ring.initial_twist, 720);
  EXPECT_EQ(std::get<HelixLine>(ring.line).pitch, 0);
  EXPECT_EQ(std::get<CurvedRest>(scene.body("ring").rest).curvature, Vec2(1, 2));
  EXPECT_EQ(std::get<CurvedRest>(scene.body("ring").rest).twist, 3);
  EXPECT_EQ(std::get<RectangleSection>(scene.material("wire").section).sides, Vec2(1e-3, 2e-3));
  EXPECT_EQ(scene.material("wire").viscosity, 3);
  EXPECT_EQ(scene.material("net").linear_density, 0.1);
  EXPECT_EQ(std::get<StrandsMesh>(scene.body("hair").mesh.shape).count, 7);
  EXPECT_EQ(scene.pins[0].twist, PinTwist::free);
}

TEST(ReaderErrors, KeysOfOtherKindsAreNotUsed) {
  expect_error(body_with("material: cotton"), {"scene.yaml:4", "a body of kind solid needs a model", "'cotton'"});
  expect_error(body_with("up: [0, 1, 0]"), {"bodies.block.up is not used here: it belongs to kind rod"});
  expect_error(body_with("uv: ignore"), {"bodies.block.uv is not used here: it belongs to kind cloth"});
  expect_error(body_with("kind: cloth, material: hair"), {"a body of kind cloth needs a model st_venant_kirchhoff"});
  expect_error(kHead + "bodies: [{name: a, mesh: {strand: {length: 1}}}]\n", {"strands have no volume"});
  expect_error(material_with("model: orthotropic_st_venant_kirchhoff"), {"'materials.jelly.young_warp' is missing"});
  expect_error(material_with("model: elastic_rod, young: 1, shear: 1"), {"materials.jelly", "section"});
  expect_error(material_with("model: elastic_rod, young: 1, shear: 1, section: {circle: 1}, poisson: 0.3"),
               {"poisson is not used here", "orthotropic_st_venant_kirchhoff"});
  expect_error(material_with("model: springs, stretch_stiffness: 1, thickness: 1"), {"thickness is not used here"});
  expect_error(material_with("young_warp: 3"), {"young_warp is not used here"});
  expect_error(material_with("strain_limit: {min: 0.9, max: 1.1}"),
               {"'materials.jelly.strain_limit.stiffness' is missing"});
  expect_error(material_with("strain_limit: {min: 1.05, stiffness: 1}"), {"strain_limit.min", "1.05", "from 0 to 1"});
  expect_error(material_with("strain_limit: {max: 0.95, stiffness: 1}"), {"strain_limit.max", "0.95", "at least 1"});
  expect_error(material_with("strain_limit: {stiffness: 0}"), {"strain_limit.stiffness", "above 0"});
  expect_error(material_with("volume: {}"), {"'materials.jelly.volume.stiffness' is missing"});
  expect_error(material_with("volume: {stiffness: -1}"), {"volume.stiffness", "above 0"});
  expect_error(material_with("volume: 3"), {"materials.jelly.volume"});
  expect_error(material_with("model: springs, stretch_stiffness: 1, strain_limit: {stiffness: 1}"),
               {"strain_limit is not used here: it belongs to models of solids and cloth"});
  expect_error(material_with("model: springs, stretch_stiffness: 1, volume: {stiffness: 1}"),
               {"volume is not used here: it belongs to models of solids"});
  expect_error(kHead + "bodies: [{name: a, kind: rod, mesh: {strand: {length: 1, points: [[0, 0, 0]]}}}]\n",
               {"exclude each other"});
}

TEST(ReaderErrors, YamlMistakes) {
  expect_error("pliant: 1\ntime: {end: 1\ngravity: [0\n", {"scene.yaml:", "not valid YAML"});
  expect_error("pliant: 1\npliant: 1\ntime: {end: 1}\n", {"scene.yaml:2: the key 'pliant' is given twice"});
  expect_error(kHead + "---\npliant: 1\n", {"more than one YAML document"});
  expect_error("pliant: !!int 1\n", {"tag"});
  expect_error("? [a]\n: 1\n", {"a key must be a word"});
  expect_error("a: &a [*a]\n", {"alias"});
  expect_error("a: *b\n", {"scene.yaml:1"});
}

TEST(ReaderErrors, HostileDocumentsAreBounded) {
  expect_error(std::string(200000, '['), {"nested more than 64 deep"});
  std::ostringstream blocks;
  blocks << "pliant: 1\ntime:";
  for (int depth = 1; depth <= 3000; ++depth)
    blocks << "\n" << std::string(static_cast<std::size_t>(depth), ' ') << "a:";
  expect_error(blocks.str(), {"deep"});
  // Each list repeats the one before ten times.
  std::ostringstream bomb;
  bomb << "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    bomb << "a" << i << ": &a" << i << " [";
    for (int k = 0; k < 10; ++k) bomb << (k == 0 ? "*a" : ", *a") << i - 1;
    bomb << "]\n";
  }
  expect_error(bomb.str(), {"more than 1000000 values"});
  std::ostringstream keys;
  for (int i = 0; i < 20000; ++i) keys << "k" << i << ": 1\n";
  expect_error(keys.str(), {"more than 10000 keys"});
}

// ---- files ----------------------------------------------------------------------------------------------------------

class ReaderFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("pliant_reader_test_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "meshes");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  std::filesystem::path folder_;
};

TEST_F(ReaderFiles, NamesAreRelativeToTheSceneFile) {
  write("meshes/cube.obj", "v 0 0 0\n");
  write("scene.yaml",
        kHead + "bodies:\n  - {name: a, mesh: {file: meshes/cube.obj, tetrahedralize: {cell_size: 0.1}}}\n");
  const Scene scene = read_scene(folder_ / "scene.yaml");
  const auto& file = std::get<FileMesh>(scene.bodies[0].mesh.shape).file;
  EXPECT_EQ(file.written, "meshes/cube.obj");
  EXPECT_EQ(file.resolved, folder_ / "meshes" / "cube.obj");
  EXPECT_EQ(scene.bodies[0].mesh.tetrahedralize.cell_size, 0.1);
}

TEST_F(ReaderFiles, MissingFilesAreErrorsWithAPlace) {
  write("scene.yaml", kHead + "bodies:\n  - {name: a, mesh: {file: meshes/none.obj}}\n");
  try {
    (void)read_scene(folder_ / "scene.yaml");
    FAIL() << "a missing mesh was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(error.place().find("scene.yaml:4"), std::string::npos) << error.place();
    EXPECT_NE(error.sentence().find("'meshes/none.obj' does not exist"), std::string::npos) << error.sentence();
  }
  EXPECT_THROW((void)read_scene(folder_ / "no.yaml"), InputError);
  EXPECT_THROW((void)read_scene(folder_), InputError);
}

TEST_F(ReaderFiles, SplineCurvesComeFromPointsOrAFile) {
  write("curve.txt", "# stretch, Pa\n0.5 -10\n0.9 -1\n\n1.1 1  # soft\n2 20\n");
  const std::string head =
      kHead + "materials:\n  m: {model: spline, a: [[0.5, -10], [0.9, -1], [1.1, 1], [2, 20]], b: ";
  const std::string tail = "}\nbodies: [{name: x, mesh: {box: {}}, material: m}]\n";
  write("scene.yaml", head + "{file: curve.txt}" + tail);
  const Scene scene = read_scene(folder_ / "scene.yaml");
  EXPECT_EQ(scene.material("m").a.points, scene.material("m").b.points);
  EXPECT_TRUE(scene.material("m").c.points.empty());

  write("curve.txt", "0.5 -10\n0.9 what\n");
  try {
    (void)read_scene(folder_ / "scene.yaml");
    FAIL() << "a broken curve was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "curve.txt:2");
  }
  expect_error(head + "[[0.5, 1], [1, 1]]" + tail, {"materials.m.b needs at least 4 points, got 2"});
  expect_error(head + "[[0.5, 1], [1, 1], [1, 2], [2, 2]]" + tail, {"strictly increasing stretch, got 1 after 1"});
}

}  // namespace
}  // namespace pliant
