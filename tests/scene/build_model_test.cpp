// From a scene to model and start state: masses, placement, velocities, starts, the surface map, options, and the
// combinations that cannot be.
#include "pliant/scene/build_model.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "pliant/io/checkpoint.h"
#include "pliant/scene/run_checkpoint.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant {
namespace {

using testing::SceneText;
using testing::ThinScene;

double total(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

// Nothing has unknowns: every method has nothing to do, and does it.
TEST(BuildModel, ObstaclesAloneAreAScene) {
  for (const char* method : {"newton", "quasi_newton", "projection"}) {
    BuiltScene built = build(parse_scene(std::string("pliant: 1\ntime: {end: 1}\nsolver: {method: ") + method +
                                             "}\nbodies:\n  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n",
                                         "scene.yaml"));
    Simulation simulation(std::move(built.model), std::move(built.state), built.options);
    const AdvanceReport report = simulation.advance(0.01);
    EXPECT_TRUE(report.reached) << method;
    EXPECT_TRUE(is_success(report.steps.at(0).solve.status)) << method;
  }
}

TEST(BuildModel, MassIsDensityTimesVolume) {
  const BuiltScene built =
      build(SceneText{.body = ", scale: 2, copies: {count: [2, 1, 1], spacing: [3, 0, 0]}"}.parse());
  EXPECT_NEAR(total(built.model.inertia.masses()), 2 * 1000 * 8 * 0.3 * 0.2 * 0.1, 1e-9);
  EXPECT_EQ(built.model.layout.body_count(), 2);
  EXPECT_EQ(built.model.bodies[1].name, "block.1");
}

TEST(BuildModel, BlocksAreAPermutationOfTheUsersVertices) {
  const BuiltScene built = build(SceneText{.body = ", copies: {count: [2, 1, 1], spacing: [3, 0, 0]}"}.parse());
  for (int b = 0; b < 2; ++b) {
    const ModelBody& body = built.model.bodies[b];
    for (std::size_t v = 0; v < body.block_of_vertex.size(); ++v) {
      const int block = body.block_of_vertex[v];
      EXPECT_EQ(built.model.layout.locate(block).body, b);
      EXPECT_EQ(body.vertex_of_block[block - built.model.layout.first_block(b)], static_cast<int>(v));
      EXPECT_EQ(Vec3(built.state.positions[block]), body.rest.vertices[v]);
    }
  }
  EXPECT_EQ(built.model.describe_block(built.model.bodies[1].block_of_vertex[7]), "body 'block.1', vertex 7");
}

TEST(BuildModel, VelocitiesIncludeSpinAboutTheCentreOfMass) {
  const BuiltScene built =
      build(SceneText{.body = ", position: [3, 1, 0], velocity: [1, 2, 3], angular_velocity: [0, 180, 0]"}.parse());
  const double omega = std::numbers::pi;
  for (int i = 0; i < built.state.positions.size(); ++i) {
    const Vec3 arm = built.state.positions[i] - Vec3(3, 1, 0);
    const Vec3 expected = Vec3(1, 2, 3) + omega * Vec3(arm[2], 0, -arm[0]);
    EXPECT_LT((built.state.velocities[i] - expected).norm(), 1e-12);
  }
}

TEST(BuildModel, ScatterStaysInTheBoxAndComesFromTheSeed) {
  const SceneText text{.body = ", position: [1, 0, 0], start: {scatter: true}"};
  const BuiltScene built = build(text.parse()), again = build(text.parse());
  SceneText other = text;
  other.more = "seed: 9\n";
  EXPECT_TRUE(built.state == again.state);
  EXPECT_FALSE(built.state == build(other.parse()).state);
  double moved = 0;
  for (int i = 0; i < built.state.positions.size(); ++i) {
    const Vec3 x = built.state.positions[i] - Vec3(1, 0, 0);
    EXPECT_TRUE((x.cwiseAbs().array() <= Vec3(0.15, 0.1, 0.05).array() + 1e-12).all());
    moved += (built.state.positions[i] - built.model.bodies[0].rest.vertices[built.model.bodies[0].vertex_of_block[i]])
                 .norm();
  }
  EXPECT_GT(moved, 0.5);
}

TEST(BuildModel, StartsFromASavedState) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = build(SceneText{}.parse());
  RunCheckpoint saved;
  saved.state = built.state;
  for (int i = 0; i < saved.state.positions.size(); ++i) {
    saved.state.positions[i] += Vec3(0.1 * i, 0, 1);
    saved.state.velocities[i] = Vec3(0, i, 0);
  }
  write_checkpoint(folder / "state.bin", built.model, saved);
  Scene scene = SceneText{}.parse();
  scene.bodies[0].source = {"scene.yaml:6"};
  scene.bodies[0].start = scene::StateStart{{"state.bin", folder / "state.bin"}};
  const BuiltScene started = build(scene);
  EXPECT_TRUE(started.state.positions == saved.state.positions);
  EXPECT_TRUE(started.state.velocities == saved.state.velocities);

  // Another body, another mesh, no file.
  Scene renamed = scene;
  renamed.bodies[0].name = "bar";
  EXPECT_INPUT_ERROR(build(renamed), "scene.yaml:6: 'state.bin' holds no body named 'bar'");
  Scene finer = scene;
  finer.bodies[0].mesh.shape = scene::BoxMesh{};
  EXPECT_INPUT_ERROR(build(finer), "body 'block' has 125 vertices here and 24 in 'state.bin'");
  Scene missing = scene;
  missing.bodies[0].start = scene::StateStart{{"no.bin", folder / "no.bin"}};
  EXPECT_INPUT_ERROR(build(missing), "no.bin");
}

TEST(BuildModel, TheSurfaceIsTheBoundaryOrTheGivenOne) {
  SceneText text;
  text.more =
      "  - {name: ball, position: [3, 0, 0], mesh: {sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: "
      "0.5}}, "
      "material: soft}\n";
  const BuiltScene built = build(text.parse());
  const SurfaceMap& surface = built.model.surface;
  ASSERT_EQ(surface.first_point.size(), 3U);
  EXPECT_EQ(surface.first_point[1], 24);
  EXPECT_EQ(surface.first_point[2], static_cast<int>(surface.points.size()));
  EXPECT_EQ(surface.first_triangle[1], 2 * 2 * (3 * 2 + 3 * 1 + 2 * 1));
  EXPECT_EQ(surface.first_triangle[2], static_cast<int>(surface.triangles.size()));
  const std::vector<Vec3> x = surface.evaluate(built.state.positions);
  // Volumes inside either part of the surface, by the divergence theorem.
  double volume[2] = {0, 0};
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
    const Vec3i& c = surface.triangles[t];
    volume[t < surface.first_triangle[1] ? 0 : 1] += x[c[0]].dot(x[c[1]].cross(x[c[2]])) / 6;
  }
  EXPECT_NEAR(volume[0], 0.006, 1e-15);
  EXPECT_GT(volume[1], 3.5);
  EXPECT_LT(volume[1], 4.0 / 3 * std::numbers::pi);
}

TEST(BuildModel, OptionsFollowTheScene) {
  SceneText text;
  text.time = "end: 1, integrator: newmark, newmark: {beta: 0.3, gamma: 0.6}, retries: 2";
  text.more =
      "solver: {tolerance: 1.0e-4, max_iterations: 7, newton: {linear: pcg, hessian: exact, iterations: 3}, "
      "linear: {tolerance: 1.0e-5, max_iterations: 11}}\ngravity: [0, 0, -2]\ndrag: 0.5\n";
  const BuiltScene built = build(text.parse());
  EXPECT_EQ(built.options.integrator.kind, IntegratorKind::newmark);
  EXPECT_EQ(built.options.integrator.newmark_beta, 0.3);
  EXPECT_EQ(built.options.integrator.newmark_gamma, 0.6);
  EXPECT_EQ(built.options.retries, 2);
  EXPECT_EQ(built.options.newton.tolerance, 1e-4);
  EXPECT_EQ(built.options.newton.max_iterations, 7);
  EXPECT_EQ(built.options.newton.linear, solver::NewtonLinear::pcg);
  EXPECT_EQ(built.options.newton.hessian, HessianKind::exact);
  EXPECT_EQ(built.options.newton.iterations, 3);
  EXPECT_EQ(built.options.newton.linear_tolerance, 1e-5);
  EXPECT_EQ(built.options.newton.linear_max_iterations, 11);
  EXPECT_EQ(built.model.gravity, Vec3(0, 0, -2));
  EXPECT_EQ(built.model.drag, 0.5);
  EXPECT_NEAR(built.model.diagonal, Vec3(0.3, 0.2, 0.1).norm(), 1e-14);
  for (const auto& [name, kind] : {std::pair{"backward_euler", IntegratorKind::backward_euler},
                                   {"bdf2", IntegratorKind::bdf2},
                                   {"implicit_midpoint", IntegratorKind::implicit_midpoint},
                                   {"symplectic_euler", IntegratorKind::symplectic_euler},
                                   {"quasi_static", IntegratorKind::quasi_static}}) {
    const std::string time = std::string("end: 1, integrator: ") + name;
    EXPECT_EQ(build(SceneText{.time = time}.parse()).options.integrator.kind, kind) << name;
  }
}

TEST(BuildModel, RefusesCombinationsThatCannotBe) {
  SceneText warped;
  warped.more = "solver: {newton: {hessian: warped}}\n";
  EXPECT_INPUT_ERROR(build(warped.parse()),
                     "warped exists for the corotated model only, and body 'block' is made of another");
  warped.material = "model: corotated";
  EXPECT_NO_THROW((void)build(warped.parse()));
  const SceneText consistent{.time = "end: 1, integrator: symplectic_euler",
                             .material = "model: neo_hookean, mass: consistent"};
  EXPECT_INPUT_ERROR(build(consistent.parse()), "symplectic_euler needs lumped masses");
  Scene extrapolated = SceneText{.material = "model: linear"}.parse();
  extrapolated.materials[0].extrapolate_below = 0.5;
  EXPECT_INPUT_ERROR(build(extrapolated), "extrapolate_below needs a law of the stretches");
}

// What only solids have would be expected to act in thin bodies.
// Rigid bodies know backward Euler, and newmark where projection turns them.
TEST(BuildModel, RigidBodiesTurnByTwoIntegrators) {
  const auto scene_with = [](const std::string& integrator, const std::string& method) {
    return parse_scene(
        "pliant: 1\ntime: {end: 1, integrator: " + integrator + "}\nsolver: {method: " + method +
            "}\ncontact: {method: none}\nbodies: [{name: box, kind: rigid, mesh: {box: {size: [1, 1, 1]}}, material: "
            "{density: 500}}]\n",
        "rigid.yaml");
  };
  EXPECT_EQ(build(scene_with("newmark", "projection")).model.rigids.size(), 1U);
  for (const auto& [integrator, method] : {std::pair("newmark", "newton"),
                                           {"implicit_midpoint", "projection"},
                                           {"bdf2", "projection"},
                                           {"symplectic_euler", "newton"}}) {
    const Scene scene = scene_with(integrator, method);
    EXPECT_INPUT_ERROR((void)build(scene), "newmark under solver.method: projection");
  }
}

TEST(BuildModel, KeysOfSolidsAreRefusedInThinBodies) {
  const std::string wire = "model: elastic_rod, young: 1.0e6, shear: 4.0e5, section: {circle: 1.0e-3}";
  const std::string net = "model: springs, stretch_stiffness: 1, surface_density: 1";
  const struct {
    std::string kind, mesh, material;
  } cases[] = {
      {"cloth", "{grid: {}}", ThinScene{}.material}, {"rod", "{strand: {}}", wire}, {"springs", "{grid: {}}", net}};
  for (const auto& [kind, mesh, material] : cases) {
    ThinScene text{.kind = kind, .mesh = mesh, .material = material};
    EXPECT_NO_THROW((void)text.built()) << kind;
    text.more = "solver: {newton: {hessian: warped}}\n";
    EXPECT_INPUT_ERROR(text.built(),
                       "scene.yaml:7: solver.newton.hessian: warped exists for solids of the corotated "
                       "model only, and body 'thing' is of kind " +
                           kind);
    text.more = "";
    for (const char* key : {"fibre: {stiffness: 3}", "extrapolate_below: 0.5", "mass: consistent"}) {
      text.material = material + ", " + key;
      const std::string name = std::string(key).substr(0, std::string(key).find(": {"));
      EXPECT_INPUT_ERROR(text.built(), "scene.yaml:5: " + name.substr(0, name.find(": 0")) +
                                           " acts in solids only, and body 'thing' of material 'stuff' is of kind " +
                                           kind);
    }
  }
}

// Laws that solids and cloth share can have the key; cloth has no volume.
TEST(BuildModel, VolumeTermsAreRefusedInCloth) {
  ThinScene text;
  EXPECT_NO_THROW((void)text.built());
  text.material += ", volume: {stiffness: 3}";
  EXPECT_INPUT_ERROR(text.built(),
                     "scene.yaml:5: volume acts in solids only, and body 'thing' of material 'stuff' is of kind cloth");
}

TEST(BuildModel, KeysOfClothAreRefusedInSolids) {
  const std::string stuff = "model: neo_hookean, young: 1.0e5, poisson: 0.3";
  ThinScene text{.kind = "solid", .mesh = "{box: {cells: [1, 1, 1]}}", .material = stuff};
  EXPECT_NO_THROW((void)text.built());
  for (const char* key : {"thickness: 0.1", "surface_density: 1", "bending: {ratio: 2}"}) {
    text.material = stuff + ", " + key;
    const std::string name = std::string(key).substr(0, std::string(key).find(':'));
    EXPECT_INPUT_ERROR(
        text.built(), "scene.yaml:5: " + name + " acts in cloth only, and body 'thing' of material 'stuff' is a solid");
  }
}

// --- Starts of rods ---

const std::string kRods =
    "  - {name: ring, kind: rod, mesh: {strand: {helix: {radius: 0.2, pitch: 0, turns: 1, segments: "
    "7}, closed: true, initial_twist: 720}}, material: stuff";

ThinScene two_rods(const std::string& start) {
  return {.kind = "rod",
          .mesh = "{strand: {length: 0.5, segments: 6, initial_twist: 90}}",
          .material =
              "model: elastic_rod, density: 1000, young: 1.0e6, shear: 4.0e5, section: {ellipse: [5.0e-3, "
              "8.0e-3]}",
          .body = start,
          .more = kRods + start + "}\n",
          .gravity = "[0, -9.81, 0]"};
}

void expect_frames_at_positions(const BuiltScene& built) {
  const State& state = built.state;
  const RodTopology& rods = built.model.rods;
  for (std::size_t e = 0; e < rods.edges.size(); ++e) {
    EXPECT_NEAR(state.rod_frames.directors[e].norm(), 1, 1e-14);
    EXPECT_NEAR(state.rod_frames.directors[e].dot(tangent(rods.edges[e], state.positions)), 0, 1e-13) << e;
  }
  for (std::size_t j = 0; j < rods.joints.size(); ++j) {
    const auto [before, after] = rods.joints[j];
    const double near = state.rod_frames.reference_twist[j];
    EXPECT_NEAR(reference_twist(tangent(rods.edges[before], state.positions), state.rod_frames.directors[before],
                                tangent(rods.edges[after], state.positions), state.rod_frames.directors[after], near),
                near, 1e-12);
  }
}

// Scattered rods have frames that fit where their vertices are, and no more twist than was asked for.
TEST(BuildModel, ScatteredRodsHaveFramesOfTheirOwn) {
  const BuiltScene built = two_rods(", start: {scatter: true}").built(), rest = two_rods("").built();
  EXPECT_FALSE(built.state.positions == rest.state.positions);
  expect_frames_at_positions(rest);
  expect_frames_at_positions(built);
  for (const RodEdge& edge : built.model.rods.edges)
    EXPECT_EQ(built.state.positions[edge.twist][0], rest.state.positions[edge.twist][0]);
  for (int j = 0; j < 5 + 6; ++j) EXPECT_NEAR(built.state.rod_frames.reference_twist[j], 0, 1e-12);
  // It can be simulated; a coil has a box in which no three vertices are in line.
  ThinScene coil = two_rods(", start: {scatter: true}");
  coil.mesh = "{strand: {helix: {radius: 0.1, pitch: 0.1, turns: 2, segments: 20}}}";
  coil.more = "";
  BuiltScene scattered = coil.built();
  Simulation simulation(std::move(scattered.model), scattered.state, scattered.options);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(simulation.advance(1e-3).reached);
}

// A rod goes on from a saved state as if never stopped, however much it is wound, in a scene with other bodies too.
TEST(BuildModel, RodsStartFromASavedStateWithTheirTwist) {
  const io::testing::TemporaryFolder folder;
  BuiltScene built = two_rods(", angular_velocity: [90, 200, 0], velocity: [0, 1, 0]").built();
  Simulation simulation(std::move(built.model), built.state, built.options);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(simulation.advance(0.01).reached);
  RunCheckpoint saved;
  saved.state = simulation.state();
  write_checkpoint(folder / "state.bin", simulation.model(), saved);

  Scene scene = two_rods("").parse();
  for (scene::Body& body : scene.bodies) body.start = scene::StateStart{{"state.bin", folder / "state.bin"}};
  const BuiltScene again = build(scene);
  EXPECT_TRUE(again.state.positions == saved.state.positions);
  EXPECT_TRUE(again.state.velocities == saved.state.velocities);
  EXPECT_TRUE(again.state.rod_frames == saved.state.rod_frames);
  expect_frames_at_positions(again);
  // The other way round, and the first one anew.
  std::swap(scene.bodies[0], scene.bodies[1]);
  scene.bodies[1].start = scene::RestStart{};
  const BuiltScene swapped = build(scene);
  expect_frames_at_positions(swapped);
  for (int e = 0; e < 7; ++e) {
    EXPECT_EQ(swapped.state.rod_frames.directors[e], saved.state.rod_frames.directors[6 + e]);
    EXPECT_EQ(swapped.state.rod_frames.reference_twist[e], saved.state.rod_frames.reference_twist[5 + e]);
    EXPECT_EQ(swapped.state.positions[swapped.model.rods.edges[e].twist][0],
              saved.state.positions[simulation.model().rods.edges[6 + e].twist][0]);
  }
}

TEST(BuildModel, AnotherRodIsNoSavedState) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = two_rods("").built();
  RunCheckpoint saved;
  saved.state = built.state;
  write_checkpoint(folder / "state.bin", built.model, saved);
  // Seven vertices in a row instead of a ring.
  Scene scene = two_rods("").parse();
  std::get<scene::StrandMesh>(scene.bodies[1].mesh.shape) = {scene::StraightLine{1, 6, Vec3::UnitX()}, false, 0};
  scene.bodies[1].start = scene::StateStart{{"state.bin", folder / "state.bin"}};
  EXPECT_INPUT_ERROR(build(scene), "scene.yaml:8: 'state.bin' holds no rod named 'ring' with as many edges and joints");
}

TEST(BuildModel, BandedIsForOpenRodsAlone) {
  ThinScene text = two_rods("");
  text.more = "solver: {newton: {linear: banded}}\n";
  EXPECT_EQ(text.built().options.newton.linear, solver::NewtonLinear::banded);
  text.more = kRods + "}\n" + text.more;
  EXPECT_INPUT_ERROR(text.built(),
                     "scene.yaml:1: solver.newton.linear: banded is for scenes of open rods alone; use auto");
}

TEST(BuildModel, SolversWithoutContactSaySo) {
  ThinScene text;
  text.more =
      "  - {name: wall, kind: obstacle, mesh: {box: {}}}\nsolver: {method: quasi_newton, quasi_newton: {then_newton: "
      "true}}\n";
  text.touches = true;
  const BuiltScene built = text.built();
  ASSERT_EQ(built.notes.size(), 1U);
  EXPECT_NE(built.notes[0].find("bodies pass through each other"), std::string::npos);
  EXPECT_EQ(built.model.contact, nullptr);
  EXPECT_GT(built.model.diagonal, 1.7);  // the box around everything
}

TEST(BuildModel, IntegratorsThatDoNotDampSaySoWithContact) {
  ThinScene text;
  text.more = "  - {name: wall, kind: obstacle, mesh: {box: {}}, position: [0, -2, 0]}\n";
  text.touches = true;
  Scene scene = text.parse();
  const auto says = [&](scene::Integrator integrator, double gamma) {
    scene.time.integrator = integrator;
    scene.time.newmark.gamma = gamma;
    const std::vector<std::string> notes = build(scene).notes;
    return std::any_of(notes.begin(), notes.end(),
                       [](const std::string& note) { return note.find("does not damp") != std::string::npos; });
  };
  EXPECT_FALSE(says(scene::Integrator::backward_euler, 0.5));
  EXPECT_TRUE(says(scene::Integrator::implicit_midpoint, 0.5));
  EXPECT_TRUE(says(scene::Integrator::newmark, 0.5));
  EXPECT_FALSE(says(scene::Integrator::newmark, 0.6));
  scene.contact.method = scene::ContactMethod::none;
  EXPECT_FALSE(says(scene::Integrator::newmark, 0.5));
}

TEST(BuildModel, MaterialsOfNoBodyAreNamed) {
  ThinScene text;
  Scene scene = text.parse();
  EXPECT_TRUE(build(scene).notes.empty());
  scene.materials.push_back(scene.materials[0]);
  scene.materials.back().name = "stufff";
  const std::vector<std::string> notes = build(scene).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "material 'stufff' is of no body");
}

TEST(BuildModel, NotesNameTheBody) {
  const BuiltScene built =
      build(SceneText{.mesh = "{sphere: {radius: 1, subdivisions: 1}, tetrahedralize: {cell_size: 0.5}}"}.parse());
  ASSERT_FALSE(built.notes.empty());
  EXPECT_EQ(built.notes[0].rfind("block: ", 0), 0U);
}

}  // namespace
}  // namespace pliant
