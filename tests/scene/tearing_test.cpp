// Tears and cuts of scenes: what gives way, what stays (mass, momentum, pins, probes), results with several meshes, and
// runs that are taken up again.
#include "pliant/scene/tearing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "pliant/io/probes_csv.h"
#include "pliant/io/result_reader.h"
#include "pliant/mesh/surface.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/run_scene.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using io::testing::TemporaryFolder;

// A strip pulled apart by its ends.
std::string strip(const std::string& by, const std::string& quasi_newton = "") {
  return R"(pliant: 1
time: {step: 0.01, end: 1.2}
gravity: [0, 0, 0]
drag: 4
solver: {method: quasi_newton, quasi_newton: {iterations: 15)" +
         quasi_newton + R"(}}
materials:
  thin: {model: st_venant_kirchhoff, young: 5.0e3, poisson: 0.2, thickness: 1.0e-3, surface_density: 0.2}
bodies:
  - {name: strip, kind: cloth, mesh: {grid: {size: [0.6, 0.2], cells: [20, 8], pattern: irregular}}, material: thin,
     tearing: {stretch: 1.2, by: )" +
         by + R"(}}
pins:
  - {body: strip, where: {box: {min: [-9, -9, -9], max: [-0.29, 9, 9]}}}
  - {body: strip, where: {box: {min: [0.29, -9, -9], max: [9, 9, 9]}},
     motion: {keyframes: [{t: 0}, {t: 0.7, position: [0.25, 0, 0]}]}}
probes:
  - {name: ends, body: strip, where: {vertices: [0, 20]}, quantity: position}
  - {name: pull, body: strip, where: {box: {min: [0.29, -9, -9], max: [9, 9, 9]}}, quantity: pin_force}
  - {name: most, body: strip, quantity: stretch_max}
output: {frames_per_second: 50}
)";
}

std::string block(const std::string& cut) {
  return "pliant: 1\ntime: {step: 0.01, end: 0.2}\nsolver: {method: quasi_newton}\nmaterials:\n  jelly: {model: "
         "stable_neo_hookean, density: 1000, young: 3.0e4, poisson: 0.4}\n"
         "bodies:\n  - {name: block, kind: solid, mesh: {box: {size: [0.4, 0.2, 0.2], cells: [6, 3, 3]}}, material: "
         "jelly, angular_velocity: [0, 0, 400]}\ncuts:\n  - {body: block, at: 0.05, " +
         cut +
         "}\nprobes:\n  - {name: e, quantity: energy}\n  - {name: v, body: block, quantity: volume}\n"
         "  - {name: ends, body: block, where: {vertices: [0, 6]}, quantity: position}\n";
}

RunOptions into(const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  return options;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int pieces(const std::filesystem::path& folder) {
  const io::ResultReader result(folder);
  const int last = static_cast<int>(result.outline().bodies.front().revisions.size()) - 1;
  const io::BodyMesh mesh = result.mesh(0, last);
  TriangleMesh surface{mesh.rest_positions, {}, {}, {}};
  if (mesh.shape == io::CellShape::tetrahedron) {
    TetMesh tets{mesh.rest_positions, {}};
    for (std::size_t c = 0; c < mesh.cells.size(); c += 4)
      tets.tets.emplace_back(mesh.cells[c], mesh.cells[c + 1], mesh.cells[c + 2], mesh.cells[c + 3]);
    surface = boundary_surface(tets).surface;
  } else {
    for (std::size_t c = 0; c < mesh.cells.size(); c += 3)
      surface.triangles.emplace_back(mesh.cells[c], mesh.cells[c + 1], mesh.cells[c + 2]);
  }
  const SurfaceTopology topology = inspect_surface(surface);
  EXPECT_TRUE(topology.non_manifold_edges.empty());
  EXPECT_TRUE(topology.non_manifold_vertices.empty());
  return topology.component_count;
}

TEST(Tearing, AStripThatIsPulledApartTears) {
  for (const char* by : {"splitting", "removal"}) {
    const TemporaryFolder folder;
    const Scene scene = parse_scene(strip(by), "scene.yaml");
    const RunSummary summary = run_scene(scene, into(folder / "out"));
    EXPECT_EQ(summary.outcome, RunOutcome::done);
    EXPECT_GT(summary.tears.events, 0);
    EXPECT_EQ(summary.tears.elements_removed > 0, std::string(by) == "removal");
    EXPECT_GE(pieces(folder / "out"), 2) << by;
    EXPECT_NEAR(summary.bodies.front().mass, 0.6 * 0.2 * 0.2, 1e-12) << by;  // nothing is lost
    // Torn through, the two parts pull no more.
    const auto rows = io::read_probes(folder / "out" / "probes.csv");
    double most = 0;
    for (const io::ProbeRow& row : rows.rows) most = std::max(most, row.values[6]);
    EXPECT_LT(std::abs(rows.rows.back().values[6]), 0.3 * most) << by;
  }
}

// A bar of jelly, pulled apart by its ends.
std::string bar(const std::string& by) {
  return R"(pliant: 1
time: {step: 0.01, end: 1}
gravity: [0, 0, 0]
drag: 4
solver: {method: quasi_newton, quasi_newton: {iterations: 20}}
materials:
  jelly: {model: stable_neo_hookean, density: 1000, young: 3.0e4, poisson: 0.4}
bodies:
  - {name: bar, kind: solid, mesh: {box: {size: [0.3, 0.1, 0.1], cells: [9, 3, 3]}}, material: jelly, tearing: {stretch: 1.5, by: )" +
         by + R"(}}
pins:
  - {body: bar, where: {box: {min: [-9, -9, -9], max: [-0.14, 9, 9]}}}
  - {body: bar, where: {box: {min: [0.14, -9, -9], max: [9, 9, 9]}},
     motion: {keyframes: [{t: 0}, {t: 0.8, position: [0.3, 0.02, 0]}]}}
probes:
  - {name: pull, body: bar, where: {box: {min: [0.14, -9, -9], max: [9, 9, 9]}}, quantity: pin_force}
  - {name: most, body: bar, quantity: stretch_max}
output: {frames_per_second: 20}
)";
}

// Where a solid gives way: the faces around one vertex of the tet that is stretched most, across its stretch.
TEST(Tearing, ASolidPartsAroundAVertexOfItsMostStretchedTet) {
  const Scene scene = parse_scene(bar("splitting"), "scene.yaml");
  std::vector<scene::PlacedBody> placed = scene::place_bodies(scene);
  BuiltScene built = build(scene, placed, 0);
  scene::Tearing tearing(scene, placed, built.model, built.state);
  const ModelBody& body = built.model.bodies.front();
  // Pulled along x, most in the middle: x → x + 0.6 · 0.05 · tanh(x/0.05), a stretch of 1.6 there.
  for (const int block : body.block_of_vertex) {
    double& x = built.state.positions[block][0];
    x += 0.6 * 0.05 * std::tanh(x / 0.05);
  }
  built.state.time = 0.01;
  std::vector<std::string> notes;
  const std::vector<scene::Tear> tears = tearing.find(built.model, built.state, 0, notes);
  ASSERT_EQ(tears.size(), 1u);
  const MeshOpening& opening = tears.front().opening;
  EXPECT_TRUE(opening.removed.empty());
  ASSERT_FALSE(opening.faces.empty());
  const auto& tets = body.rest.tets;
  const auto x_of = [&](int tet) {
    double sum = 0;
    for (const int v : tets[tet]) sum += body.rest.vertices[v][0] / 4;
    return sum;
  };
  for (const auto& [one, other] : opening.faces) {
    // Across the stretch, which is along x, in the middle third.
    EXPECT_GT(std::abs(x_of(one) - x_of(other)), 1e-3);
    EXPECT_LT(std::abs(x_of(one)), 0.05);
  }
  const scene::Tearing::Revision revision = tearing.apply(tears, built.model);
  EXPECT_GT(revision.vertices_added, 0);
  EXPECT_EQ(revision.elements_removed, 0);
  EXPECT_EQ(revision.built.model.bodies.front().rest.tets.size(), tets.size());
}

TEST(Tearing, ABarThatIsPulledApartTears) {
  for (const char* by : {"splitting", "removal"}) {
    const TemporaryFolder folder;
    const RunSummary summary = run_scene(parse_scene(bar(by), "scene.yaml"), into(folder / "out"));
    EXPECT_EQ(summary.outcome, RunOutcome::done);
    EXPECT_GT(summary.tears.events, 0) << by;
    EXPECT_GT(summary.tears.vertices_added + summary.tears.elements_removed, 0) << by;
    EXPECT_GE(pieces(folder / "out"), 2) << by;
    EXPECT_NEAR(summary.bodies.front().mass, 0.3 * 0.1 * 0.1 * 1000, 1e-9) << by;
    const auto rows = io::read_probes(folder / "out" / "probes.csv");
    double most = 0;
    for (const io::ProbeRow& row : rows.rows) most = std::max(most, row.values[0]);
    EXPECT_GT(most, 50) << by;  // it bore 30 kPa · 0.01 m² · 0.3 = 90 N and more before
    EXPECT_LT(std::abs(rows.rows.back().values[0]), 0.1 * most) << by;
  }
}

TEST(Tearing, WithoutALimitNothingTears) {
  const TemporaryFolder folder;
  std::string text = strip("splitting");
  const std::string key = ",\n     tearing: {stretch: 1.2, by: splitting}";
  text.replace(text.find(key), key.size(), "");
  const RunSummary summary = run_scene(parse_scene(text, "scene.yaml"), into(folder / "out"));
  EXPECT_EQ(summary.tears.events, 0);
  EXPECT_EQ(pieces(folder / "out"), 1);
}

// A cut does nothing at the moment it is made, and in the next step the parts move as the whole would have.
TEST(Tearing, ACutPartsABlockAndKeepsItsMotion) {
  const TemporaryFolder folder;
  (void)run_scene(parse_scene(block("point: [5, 0, 0]"), "scene.yaml"), into(folder / "uncut"));
  const auto uncut = io::read_probes(folder / "uncut" / "probes.csv");
  for (const std::string by : {"splitting", "removal"}) {
    const Scene scene = parse_scene(block("point: [0, -0.0123, 0], normal: [1, 0.2, 0.1], by: " + by), "scene.yaml");
    const RunSummary summary = run_scene(scene, into(folder / by));
    EXPECT_EQ(summary.tears.events, 1);
    EXPECT_EQ(pieces(folder / by), 2) << by;
    EXPECT_NEAR(summary.bodies.front().mass, 16, 1e-9) << by;
    const auto rows = io::read_probes(folder / by / "probes.csv");
    for (int row = 0; row <= 5; ++row) EXPECT_EQ(rows.rows[row].values, uncut.rows[row].values) << by;
    const double energy = uncut.rows[6].values[4], kinetic = uncut.rows[6].values[0];
    EXPECT_NEAR(rows.rows[6].values[4], energy, 0.01 * kinetic) << by;
    EXPECT_NE(rows.rows[6].values[4], energy) << by;
    // The pull of the other half is gone: the parts shrink towards their volume at rest.
    if (by == "splitting") {
      EXPECT_GT(rows.rows[6].values[5], 0.016);
      EXPECT_LT(rows.rows[6].values[5], uncut.rows[6].values[5]);
    }
  }
}

TEST(Tearing, MomentumIsCarriedOver) {
  const Scene scene = parse_scene(block("point: [0, 0, 0], normal: [1, 0.2, 0.1], by: removal"), "scene.yaml");
  std::vector<scene::PlacedBody> placed = scene::place_bodies(scene);
  BuiltScene built = build(scene, placed, 0);
  scene::Tearing tearing(scene, placed, built.model, built.state);
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(simulation.advance(0.01).reached);
  const auto momentum = [&] {
    std::array<Vec3, 2> sum = {Vec3::Zero(), Vec3::Zero()};
    const State& s = simulation.state();
    for (int i = 0; i < s.positions.size(); ++i) {
      const Vec3 p = simulation.model().inertia.masses()[static_cast<std::size_t>(i)] * s.velocities[i];
      sum[0] += p;
      sum[1] += Vec3(s.positions[i]).cross(p);
    }
    return sum;
  };
  const auto before = momentum();
  std::vector<std::string> notes;
  const std::vector<scene::Tear> tears = tearing.find(simulation.model(), simulation.state(), 0.045, notes);
  ASSERT_EQ(tears.size(), 1u);
  scene::Tearing::Revision revision = tearing.apply(tears, simulation.model());
  EXPECT_GT(revision.elements_removed, 0);
  EXPECT_EQ(revision.built.model.revision, 1);
  simulation.replace_model(std::move(revision.built.model), revision.source);
  const auto after = momentum();
  for (int k = 0; k < 2; ++k) EXPECT_LT((after[k] - before[k]).norm(), 1e-12 * before[k].norm());
}

TEST(Tearing, PartialCutsLeaveOnePiece) {
  const TemporaryFolder folder;
  const Scene scene =
      parse_scene(block("point: [0, 0, 0], normal: [1, 0, 0], where: {box: {min: [-9, -0.001, -9], max: [9, 9, 9]}}"),
                  "scene.yaml");
  const RunSummary summary = run_scene(scene, into(folder / "out"));
  EXPECT_GT(summary.tears.vertices_added, 0);
  EXPECT_EQ(pieces(folder / "out"), 1);
}

// Tears, frames and states do not depend on where a run was interrupted, on threads, or on how fast the background is.
TEST(Tearing, ResumedRunsHaveTheSameBits) {
  for (const char* after : {"refactor", "keep", "background"}) {
    const TemporaryFolder folder;
    const Scene scene = parse_scene(strip("splitting", std::string(", after_tears: ") + after), "scene.yaml");
    set_thread_count(1);
    const RunSummary whole = run_scene(scene, into(folder / "whole"));
    ASSERT_GT(whole.tears.events, 3) << after;
    set_thread_count(3);
    std::atomic<bool> stop = false;
    RunOptions options = into(folder / "parts");
    options.interrupted = &stop;
    RunSummary last;
    for (const std::int64_t at : {61, 66, 71, 90, 999}) {
      options.on_progress = [&stop, at](const RunProgress& p) { stop = p.step == at; };
      stop = false;
      last = run_scene(scene, options);
      options.mode = RunOptions::Mode::resume;
    }
    set_thread_count(0);
    EXPECT_EQ(last.outcome, RunOutcome::done);
    EXPECT_EQ(last.tears.events, whole.tears.events);
    EXPECT_EQ(bytes_of(folder / "whole" / "probes.csv"), bytes_of(folder / "parts" / "probes.csv")) << after;
    const io::ResultReader first(folder / "whole"), second(folder / "parts");
    ASSERT_EQ(first.outline().bodies[0].revisions.size(), second.outline().bodies[0].revisions.size()) << after;
    ASSERT_EQ(first.frame_count(), second.frame_count());
    for (int frame = 0; frame < first.frame_count(); ++frame)
      EXPECT_TRUE(first.positions(0, frame) == second.positions(0, frame)) << after << " frame " << frame;
  }
}

TEST(Tearing, NewtonTearsToo) {
  const TemporaryFolder folder;
  std::string text = strip("splitting");
  text.replace(text.find("method: quasi_newton, quasi_newton: {iterations: 15}"), 52, "method: newton");
  const RunSummary summary = run_scene(parse_scene(text, "scene.yaml"), into(folder / "out"));
  EXPECT_EQ(summary.outcome, RunOutcome::done);
  EXPECT_GT(summary.tears.events, 0);
  EXPECT_GE(pieces(folder / "out"), 2);
}

// --- Bad input ---

TEST(Tearing, WhatCannotBeTornIsSaid) {
  testing::SceneText text;
  text.body = ", tearing: {stretch: 0.9}";
  EXPECT_INPUT_ERROR(text.parse(), "stretch");
  text.body = ", tearing: {stretch: 1.5}";
  text.material += ", mass: consistent";
  EXPECT_INPUT_ERROR(text.parse(), "lumped");
  testing::SceneText rod;
  rod.more = "cuts:\n  - {body: bloc, at: 1}\n";
  EXPECT_INPUT_ERROR(rod.parse(), "block");
  rod.more = "cuts:\n  - {body: block}\n";
  EXPECT_INPUT_ERROR(rod.parse(), "at");
  testing::SceneText scan;
  scan.mesh = "{sphere: {radius: 0.1, subdivisions: 2}, tetrahedralize: {cell_size: 0.05}}";
  scan.body = ", tearing: {stretch: 1.5}";
  const TemporaryFolder folder;
  EXPECT_INPUT_ERROR(run_scene(scan.parse(), into(folder / "out")), "coarser tets");
}

TEST(Tearing, ACutThatMeetsNothingIsSaid) {
  const TemporaryFolder folder;
  const RunSummary summary = run_scene(parse_scene(block("point: [5, 0, 0]"), "scene.yaml"), into(folder / "out"));
  EXPECT_EQ(summary.tears.events, 0);
  ASSERT_FALSE(summary.notes.empty());
  EXPECT_NE(summary.notes.back().find("does not meet body 'block'"), std::string::npos);
}

}  // namespace
}  // namespace pliant
