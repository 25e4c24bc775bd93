// Whole runs into a folder: files, rows, frames, the last step, expectations, and above all resuming: with the same
// bits as a run that was never stopped, whatever stopped it.
#include "pliant/scene/run_scene.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "pliant/io/probes_csv.h"
#include "pliant/io/result_reader.h"
#include "pliant/parallel/parallel.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/run_checkpoint.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"

namespace pliant {
namespace {

using io::testing::TemporaryFolder;
using testing::SceneText;
using testing::touching;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Column `index` of probes.csv.
std::vector<double> column(const std::filesystem::path& folder, int index) {
  std::istringstream lines(text_of(folder / "probes.csv"));
  std::vector<double> values;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i <= index; ++i) std::getline(cells, cell, ',');
    values.push_back(std::stod(cell));
  }
  return values;
}

// A block that hangs from a moving pin, is pushed, and released: everything a state can hold.
SceneText busy(const std::string& integrator = "backward_euler", const std::string& end = "0.08") {
  const std::string face = "where: {box: {min: [-9, -9, -9], max: [-0.15, 9, 9]}}";
  const bool is_explicit = integrator == "symplectic_euler";
  SceneText text;
  text.time = "step: " + std::string(is_explicit ? "0.002" : "0.01") + ", end: " + (is_explicit ? "0.016" : end) +
              ", integrator: " + integrator;
  text.body = ", velocity: [0, 0.5, 0], angular_velocity: [0, 0, 90]";
  text.more = "pins:\n  - {body: block, " + face + ", motion: {rotate: {axis: [1, 0, 0], degrees_per_second: 200}}}\n" +
              "  - {body: block, where: {vertices: [23]}, axes: [y], from: 0.03, until: 0.06}\n" +
              "  - {body: block, where: {vertices: [3]}, stiffness: 40, from: 0.01}\n" +
              "loads:\n  - {body: block, where: {vertices: [11]}, force: [0, 0, 2], from: 0.02, ramp: 0.03}\n" +
              "probes:\n  - {name: tip, body: block, where: {vertices: [23]}, quantity: position}\n  - {name: e, "
              "quantity: energy}\n" +
              "  - {name: hold, body: block, " + face + ", quantity: pin_force}\n" +
              "output: {frames_per_second: 40}\nexpect:\n  - {probe: tip.x, at: always, above: -1}\n  - {probe: "
              "e.kinetic, at: 0.01, above: 0}\n";
  return text;
}

RunOptions into(const std::filesystem::path& folder) {
  RunOptions options;
  options.folder = folder;
  return options;
}
RunOptions resumed(const std::filesystem::path& folder) {
  RunOptions options = into(folder);
  options.mode = RunOptions::Mode::resume;
  return options;
}

State final_state(const Scene& scene, const std::filesystem::path& folder) {
  return read_checkpoint(folder / "checkpoint.bin", build(scene).model).state;
}

// Both folders hold the same run: rows, frames and final state, to the bit.
void expect_same_run(const Scene& scene, const std::filesystem::path& a, const std::filesystem::path& b,
                     const std::string& what) {
  EXPECT_EQ(text_of(a / "probes.csv"), text_of(b / "probes.csv")) << what;
  const io::ResultReader first(a), second(b);
  ASSERT_EQ(first.outline().times, second.outline().times) << what;
  for (int frame = 0; frame < first.frame_count(); ++frame)
    EXPECT_TRUE(first.positions(0, frame) == second.positions(0, frame)) << what;
  EXPECT_EQ(hash(final_state(scene, a)), hash(final_state(scene, b))) << what;
}

// --- What a run writes ---

TEST(RunScene, WritesItsFolder) {
  const TemporaryFolder folder;
  const Scene scene = busy().parse();
  std::vector<std::int64_t> progress;
  RunOptions options = into(folder / "out");
  options.on_progress = [&](const RunProgress& p) {
    progress.push_back(p.step);
    EXPECT_EQ(p.step_count, 8);
    EXPECT_TRUE(p.converged);
  };
  const RunSummary summary = run_scene(scene, options);
  EXPECT_EQ(summary.outcome, RunOutcome::done);
  for (const char* file : {"result.h5", "result.xdmf", "probes.csv", "scene.yaml", "summary.json", "checkpoint.bin"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / file)) << file;
  }
  EXPECT_EQ(summary.steps, 8);
  EXPECT_EQ(summary.seconds_simulated, 0.08);
  EXPECT_EQ(progress, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(summary.solver.method, "newton");
  EXPECT_EQ(summary.solver.linear, "cholesky");
  EXPECT_EQ(summary.solver.steps_not_converged, 0);
  EXPECT_NEAR(summary.bodies.at(0).mass, 6, 1e-12);
  EXPECT_EQ(summary.bodies[0].inverted, 0);
  EXPECT_TRUE(summary.expectations_hold());
  EXPECT_EQ(text_of(folder / "out" / "summary.json"), to_json(summary));
  // scene.yaml asks for the same run.
  EXPECT_TRUE(read_scene(folder / "out" / "scene.yaml") == scene);
  EXPECT_EQ(text_of(folder / "out" / "probes.csv").substr(0, 28), "step,time,tip.x,tip.y,tip.z,");
  EXPECT_EQ(column(folder / "out", 0), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

// convergence.csv says step by step what summary.json says of all.
TEST(RunScene, WorkOfTheStepsAddsUp) {
  const TemporaryFolder folder;
  const RunSummary summary = run_scene(busy().parse(), into(folder / "out"));
  const io::ProbeTable table = io::read_probes(folder / "out" / "convergence.csv");
  const auto sum_of = [&](const std::string& name) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    EXPECT_NE(found, table.columns.end()) << name;
    double sum = 0;
    for (const io::ProbeRow& row : table.rows)
      sum += row.values.at(static_cast<std::size_t>(found - table.columns.begin()));
    return sum;
  };
  EXPECT_EQ(sum_of("iterations"), static_cast<double>(summary.solver.iterations_total));
  EXPECT_GT(summary.stages.linear, 0);
  EXPECT_NEAR(sum_of("linear_seconds"), summary.stages.linear, 1e-9);
  EXPECT_GT(sum_of("linear_processor_seconds"), 0);
  const RunSummary::Stages& s = summary.stages;
  EXPECT_NEAR(sum_of("solve_seconds"), s.assemble + s.linear + s.line_search + s.contact + s.projection, 1e-9);
}

// A block that springs of contact cannot stop: the judge sees it in the floor, and every step has what contact was like.
SceneText sinking() {
  SceneText text = touching(
      "  - {name: floor, kind: obstacle, mesh: {box: {size: [2, 0.1, 2], cells: [1, 1, 1]}}, position: [0.01, -0.2, "
      "0.03]}\nsolver: {method: quasi_newton}\ncontact: {penalty: {stiffness: 1}}\n");
  text.time = "step: 0.01, end: 0.1";
  text.body = ", velocity: [0, -3, 0]";
  return text;
}

TEST(RunScene, SaysWhatTheJudgeFound) {
  const TemporaryFolder folder;
  RunOptions options = into(folder.path());
  options.verifies = true;
  Scene scene = sinking().parse();
  const RunSummary sunk = run_scene(scene, options);
  EXPECT_EQ(sunk.outcome, RunOutcome::done);
  EXPECT_EQ(sunk.contacts.judged, sunk.steps);
  EXPECT_GT(sunk.contacts.intersections, 0);
  EXPECT_NE(sunk.contacts.first_intersection.find("body 'block' and body 'floor' near"), std::string::npos)
      << sunk.contacts.first_intersection;
  scene.solver.method = scene::SolverMethod::newton;
  const RunSummary held = run_scene(scene, options);
  EXPECT_EQ(held.contacts.judged, held.steps);
  EXPECT_EQ(held.contacts.intersections, 0);
  // Nobody asked; nothing to judge.
  const RunSummary unasked = run_scene(scene, into(folder.path()));
  EXPECT_EQ(unasked.contacts.judged, 0);
  EXPECT_EQ(unasked.contacts.intersections, -1);
  scene.contact.method = scene::ContactMethod::none;
  const RunSummary alone = run_scene(scene, options);
  EXPECT_FALSE(alone.contacts.are_possible);
  EXPECT_EQ(alone.contacts.judged, 0);
  EXPECT_EQ(alone.contacts.intersections, -1);
}

// convergence.csv has of every step what the summary has of the worst, without a probe.
TEST(RunScene, EveryStepHasTheQualityOfItsContacts) {
  for (const char* method : {"newton", "quasi_newton", "projection"}) {
    const TemporaryFolder folder;
    Scene scene = sinking().parse();
    scene.solver.method = method == std::string("newton")         ? scene::SolverMethod::newton
                          : method == std::string("quasi_newton") ? scene::SolverMethod::quasi_newton
                                                                  : scene::SolverMethod::projection;
    scene.materials[0].model = scene::MaterialModel::corotated;
    const RunSummary summary = run_scene(scene, into(folder.path()));
    const io::ProbeTable table = io::read_probes(folder.path() / "convergence.csv");
    ASSERT_EQ(table.rows.size(), 11U) << method;
    const auto worst_of = [&](const std::string& name, bool is_least = false) {
      const auto found = std::find(table.columns.begin(), table.columns.end(), name);
      EXPECT_NE(found, table.columns.end()) << name;
      double worst = table.rows[0].values.at(static_cast<std::size_t>(found - table.columns.begin()));
      for (const io::ProbeRow& row : table.rows) {
        const double value = row.values.at(static_cast<std::size_t>(found - table.columns.begin()));
        worst = is_least ? std::min(worst, value) : std::max(worst, value);
      }
      return worst;
    };
    EXPECT_GT(summary.contacts.max, 0) << method;
    EXPECT_EQ(worst_of("contact_count"), static_cast<double>(summary.contacts.max)) << method;
    EXPECT_EQ(worst_of("smallest_gap", true), summary.contacts.smallest_gap) << method;
    EXPECT_EQ(worst_of("cone_violation"), summary.contacts.worst.cone_violation) << method;
    EXPECT_EQ(worst_of("relative_cone_violation"), summary.contacts.worst.relative_cone_violation) << method;
    EXPECT_EQ(worst_of("friction_angle"), summary.contacts.worst.friction_angle) << method;
    EXPECT_EQ(worst_of("complementarity"), summary.contacts.worst.complementarity) << method;
    EXPECT_GT(worst_of("complementarity"), 0) << method;
  }
}

// A result whose convergence.csv is of an earlier build is not mixed with a new one.
TEST(RunScene, ATableOfOtherColumnsIsNotContinued) {
  const TemporaryFolder folder;
  const Scene scene = busy().parse();
  (void)run_scene(scene, into(folder.path()));
  std::string table = text_of(folder / "convergence.csv");
  table.replace(table.find(",contact_count"), table.find('\n') - table.find(",contact_count"), "");
  std::ofstream(folder / "convergence.csv") << table;
  const std::string before = text_of(folder / "probes.csv");
  Scene longer = scene;
  longer.time.end = 0.1;
  EXPECT_INPUT_ERROR(run_scene(longer, resumed(folder.path())), "run again without --resume");
  EXPECT_EQ(text_of(folder / "convergence.csv"), table);
  EXPECT_EQ(text_of(folder / "probes.csv"), before);
}

// Grain k of an emitter is there from k/rate on: in the frames, and for count_inside, which sees no one before.
TEST(RunScene, GrainsAreThereFromTheirBirthOn) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(
      "pliant: 1\ntime: {step: 0.01, end: 0.2}\ngravity: [0, 0, 0]\nsolver: {method: projection}\nbodies:\n"
      "  - {name: stream, kind: particles, material: {radius: 0.01}, emitter: {rate: 25, velocity: [0, -1, 0], from: "
      "{box: {min: [0, 0, 0], max: [0.5, 0, 0]}}, until: 0.3}}\n"
      "probes: [{name: all, quantity: count_inside, body: stream, where: {box: {min: [-9, -9, -9], max: [9, 9, 9]}}}]\n"
      "output: {frames_per_second: 100}\n",
      "scene.yaml");
  (void)run_scene(scene, into(folder.path()));
  const io::ResultReader reader(folder.path());
  const std::vector<double> counted = column(folder.path(), 2);
  ASSERT_EQ(reader.frame_count(), 21);
  ASSERT_EQ(counted.size(), 21U);
  for (int frame = 0; frame <= 20; ++frame) {
    const std::vector<double> active = reader.field(0, "active", frame);
    ASSERT_EQ(active.size(), 8U);
    int born = 0;
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(active[static_cast<std::size_t>(k)], frame >= 4 * k ? 1 : 0) << k << " in frame " << frame;
      if (frame >= 4 * k) ++born;
      const double fallen = reader.positions(0, 0)[static_cast<std::size_t>(k)].y() -
                            reader.positions(0, frame)[static_cast<std::size_t>(k)].y();
      EXPECT_NEAR(fallen, 0.01 * std::max(0, frame - 4 * k), 1e-9);
    }
    EXPECT_EQ(counted[static_cast<std::size_t>(frame)], born);
  }
}

TEST(RunScene, TheLastStepIsShortenedToHitTheEnd) {
  const TemporaryFolder folder;
  SceneText text = busy("backward_euler", "0.035");
  const RunSummary summary = run_scene(text.parse(), into(folder.path()));
  EXPECT_EQ(summary.seconds_simulated, 0.035);
  const std::vector<double> times = column(folder.path(), 1);
  ASSERT_EQ(times.size(), 5U);
  EXPECT_EQ(times[3], 0.03);
  EXPECT_EQ(times[4], 0.035);
}

TEST(RunScene, FramesAreTheFirstStepsAtOrAfterTheirTimes) {
  const auto times_at = [](double fps) {
    const TemporaryFolder folder;
    Scene scene = SceneText{.time = "step: 0.01, end: 0.1"}.parse();
    scene.output.frames_per_second = fps;
    (void)run_scene(scene, into(folder.path()));
    return io::ResultReader(folder.path()).outline().times;
  };
  const auto expect_times = [&](double fps, const std::vector<double>& expected) {
    const std::vector<double> times = times_at(fps);
    ASSERT_EQ(times.size(), expected.size()) << fps;
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-15) << fps;
  };
  expect_times(30, {0, 0.04, 0.07, 0.1});
  expect_times(50, {0, 0.02, 0.04, 0.06, 0.08, 0.1});
  expect_times(1000, {0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1});
  expect_times(3, {0});
}

TEST(RunScene, FramesShowTheUsersVerticesInTheirOrder) {
  const TemporaryFolder folder;
  const Scene scene = busy().parse();
  (void)run_scene(scene, into(folder.path()));
  const io::ResultReader result(folder.path());
  EXPECT_EQ(result.outline().bodies.at(0).name, "block");
  EXPECT_LT((result.positions(0, 0)[23] - Vec3(0.15, 0.1, 0.05)).norm(), 1e-15);
  // The last frame, at t = 0.08 (the first step at or after 3/40), is the last row.
  EXPECT_EQ(result.positions(0, result.frame_count() - 1)[23][0], column(folder.path(), 2).back());
}

TEST(RunScene, FailedExpectationsShow) {
  const TemporaryFolder folder;
  SceneText text = busy();
  text.more += "  - {probe: tip.y, at: end, above: 100}\n";
  const RunSummary summary = run_scene(text.parse(), into(folder.path()));
  EXPECT_EQ(summary.outcome, RunOutcome::done);
  EXPECT_FALSE(summary.expectations_hold());
  EXPECT_TRUE(summary.expect.at(0).passed);
  EXPECT_FALSE(summary.expect.at(2).passed);
  EXPECT_EQ(summary.expect[2].value, column(folder.path(), 3).back());
}

TEST(RunScene, ABadSceneWritesNothing) {
  const TemporaryFolder folder;
  SceneText text;
  text.more = "pins:\n  - {body: block, where: {vertices: [99]}}\n";
  EXPECT_INPUT_ERROR(run_scene(text.parse(), into(folder / "out")), "vertex 99");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(RunScene, AFreshRunReplacesAnOldOne) {
  const TemporaryFolder folder;
  (void)run_scene(busy("backward_euler", "0.08").parse(), into(folder.path()));
  (void)run_scene(busy("backward_euler", "0.03").parse(), into(folder.path()));
  EXPECT_EQ(column(folder.path(), 0).size(), 4U);
  EXPECT_EQ(io::ResultReader(folder.path()).outline().times.back(), 0.03);
}

TEST(RunScene, SaysWhyItCannotGoOn) {
  const TemporaryFolder folder;
  Scene scene = busy("symplectic_euler").parse();
  scene.time.step = 0.05;
  scene.time.end = 20;
  scene.time.retries = 0;
  const RunSummary summary = run_scene(scene, into(folder.path()));
  EXPECT_EQ(summary.outcome, RunOutcome::could_not_go_on);
  EXPECT_NE(summary.failure.find("could not be taken even in parts of 0.05 s: not_finite at body 'block', vertex"),
            std::string::npos)
      << summary.failure;
  EXPECT_NE(text_of(folder / "summary.json").find("could_not_go_on"), std::string::npos);
  EXPECT_LT(summary.seconds_simulated, 20);
  EXPECT_EQ(column(folder.path(), 1).back(), summary.seconds_simulated);
}

// --- Contact forces per vertex ---

// Two boxes on each other on a floor. kind: of the boxes.
SceneText stack(const std::string& method, const std::string& kind, const std::string& fields = "contact_forces") {
  SceneText text = touching(
      "  - {name: upper, kind: " + kind +
      ", mesh: {box: {size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}, material: soft, position: [0.03, "
      "0.3525, 0.02]}\n"
      "  - {name: floor, kind: obstacle, mesh: {box: {size: [2, 0.1, 2], cells: [1, 1, 1]}}, position: "
      "[0, -0.05, 0]}\nsolver: {method: " +
      method +
      (method == "projection" ? ", projection: {iterations: 200}" : ", tolerance: 1.0e-6, max_iterations: 500") +
      "}\ncontact: {friction: 0.4, distance: 2.0e-3}\noutput: {frames_per_second: 5, fields: "
      "[positions, contacts, " +
      fields + "]}\n");
  text.body = ", kind: " + kind + ", position: [0, 0.1505, 0]";
  text.mesh = "{box: {size: [0.3, 0.3, 0.3], cells: [2, 2, 2]}}";
  text.material =
      kind == "rigid"
          ? "density: 1000"
          : "model: corotated, density: 1000, young: 3.0e5, poisson: 0.3, damping: {stiffness_proportional: 0.02}";
  text.time = "end: 1.6, step: 0.01";
  return text;
}

Vec3 sum_of(const io::ResultReader& result, int body, const std::string& field) {
  const std::vector<double> values = result.field(body, field, result.frame_count() - 1);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < values.size(); i += 3) sum += Vec3(values[i], values[i + 1], values[i + 2]);
  return sum;
}

// At rest they bear the weights, and what bodies do to each other cancels.
TEST(RunScene, ContactForcesPerVertexAddUpToWeights) {
  for (const auto& [method, kind] : std::vector<std::pair<std::string, std::string>>{{"newton", "solid"},
                                                                                     {"quasi_newton", "solid"},
                                                                                     {"projection", "solid"},
                                                                                     {"newton", "rigid"},
                                                                                     {"projection", "rigid"}}) {
    const std::string what = method + ", " + kind;
    const TemporaryFolder folder;
    ASSERT_EQ(run_scene(stack(method, kind).parse(), into(folder.path())).outcome, RunOutcome::done) << what;
    const io::ResultReader result(folder.path());
    const auto total = [&](int body) {
      return Vec3(sum_of(result, body, "normal_forces") + sum_of(result, body, "friction_forces"));
    };
    const double upper = 4 * 9.81, lower = 27 * 9.81;  // N
    EXPECT_LT((total(1) - Vec3(0, upper, 0)).norm(), 0.01 * upper) << what << ": " << total(1).transpose();
    EXPECT_LT((total(0) - Vec3(0, lower, 0)).norm(), 0.01 * lower) << what << ": " << total(0).transpose();
    EXPECT_LT((total(2) + Vec3(0, upper + lower, 0)).norm(), 0.01 * lower) << what << ": " << total(2).transpose();
    // Numbers of the file have 24 bits.
    EXPECT_LT((total(0) + total(1) + total(2)).norm(), 1e-5 * lower) << what;
    EXPECT_GT(sum_of(result, 1, "normal_forces")[1], 0.99 * upper) << what;
    EXPECT_TRUE(result.field(0, "normal_forces", 0) ==
                std::vector<double>(result.field(0, "normal_forces", 0).size(), 0))
        << what;
  }
}

TEST(RunScene, ContactForcesPerVertexAreThereWhenAskedFor) {
  const auto fields_of = [](const Scene& scene) {
    const TemporaryFolder folder;
    (void)run_scene(scene, into(folder.path()));
    return io::ResultReader(folder.path()).outline().bodies.at(0).revisions.at(0).fields.size();
  };
  Scene scene = stack("newton", "solid").parse();
  scene.time.end = 0.01;
  EXPECT_EQ(fields_of(scene), 2U);
  scene.contact.method = scene::ContactMethod::none;
  EXPECT_EQ(fields_of(scene), 0U);
  Scene without = stack("newton", "solid", "velocities").parse();
  without.time.end = 0.01;
  EXPECT_EQ(fields_of(without), 1U);
}

// Neither a fresh run nor a resumed one touches the files of a run that goes on.
TEST(RunScene, LeavesTheFolderOfARunningRunAlone) {
  const TemporaryFolder folder;
  Scene scene = busy().parse();
  (void)run_scene(scene, into(folder.path()));
  const std::vector<std::string> names = {"result.h5",      "probes.csv",   "convergence.csv",
                                          "checkpoint.bin", "summary.json", "scene.yaml"};
  std::vector<std::string> before;
  for (const std::string& name : names) before.push_back(text_of(folder / name));
  const std::int64_t frames = io::ResultReader(folder.path()).frame_count();
  const io::ResultWriter running = io::ResultWriter::reopen(folder.path(), frames);
  scene.time.end = 0.12;
  EXPECT_INPUT_ERROR((void)run_scene(scene, into(folder.path())), "another run is writing");
  EXPECT_INPUT_ERROR((void)run_scene(scene, resumed(folder.path())), "another run is writing");
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_TRUE(text_of(folder / names[i]) == before[i]) << names[i];
}

// Springs as soft as the default do not bear a foam ball that a plate presses together: it goes through.
TEST(RunScene, SaysThatSpringsGaveWayTooFar) {
  Scene scene = parse_scene(R"(
pliant: 1
time: {step: 0.01, end: 0.5}
solver: {method: quasi_newton}
bodies:
  - {name: ball, mesh: {sphere: {radius: 0.1, cells: 6}}, material: {model: corotated, young: 1.0e5, poisson: 0.3, density: 200}, position: [0, 0.11, 0]}
  - {name: floor, kind: obstacle, mesh: {plane: {}}}
  - {name: press, kind: obstacle, mesh: {box: {size: [0.4, 0.05, 0.4], cells: [1, 1, 1]}}, position: [0, 0.26, 0],
     motion: {move: {velocity: [0, -0.2, 0]}}}
)",
                            "press.yaml");
  const TemporaryFolder folder;
  const RunSummary soft = run_scene(scene, into(folder / "soft"));
  EXPECT_NE(soft.contacts.warning.find("raise contact.penalty.stiffness"), std::string::npos) << soft.contacts.warning;
  EXPECT_EQ(soft.notes.back(), soft.contacts.warning);
  scene.contact.penalty.stiffness = 5e7;
  const RunSummary stiff = run_scene(scene, into(folder / "stiff"));
  EXPECT_EQ(stiff.contacts.warning, "") << stiff.contacts.smallest_gap;
}

// Of tets; sheets and lines would show zeros that mean nothing.
TEST(RunScene, OnlySolidsHaveStress) {
  const Scene scene = parse_scene(R"(
pliant: 1
time: {step: 0.01, end: 0.02}
output: {fields: [stress]}
bodies:
  - {name: block, mesh: {box: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}, material: jelly}
  - {name: sheet, kind: cloth, mesh: {grid: {size: [0.2, 0.2], cells: [2, 2]}}, material: cotton, position: [0, 1, 0]}
  - {name: line, kind: rod, mesh: {strand: {length: 0.2, segments: 4}}, material: hair, position: [0, 2, 0]}
pins: [{body: block, where: {boundary: true}}]
)",
                                  "fields.yaml");
  const TemporaryFolder folder;
  (void)run_scene(scene, into(folder.path()));
  const io::ResultReader result(folder.path());
  const auto has_stress = [&](int body) {
    const auto& fields = result.outline().bodies.at(static_cast<std::size_t>(body)).revisions.at(0).fields;
    return std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.name == "stress"; });
  };
  EXPECT_TRUE(has_stress(0));
  EXPECT_FALSE(has_stress(1));
  EXPECT_FALSE(has_stress(2));
}

TEST(RunScene, ContactForcesPerVertexGoOnWithTheSameBits) {
  const TemporaryFolder folder;
  Scene scene = stack("newton", "solid").parse();
  scene.time.end = 0.3;
  scene.output.frames_per_second = 50;
  (void)run_scene(scene, into(folder / "whole"));
  std::atomic<bool> stop = false;
  RunOptions options = into(folder / "parts");
  options.interrupted = &stop;
  options.on_progress = [&](const RunProgress& p) { stop = p.step == 15; };
  EXPECT_EQ(run_scene(scene, options).outcome, RunOutcome::interrupted);
  // The frames of a result hold the same fields from the first to the last.
  Scene other = scene;
  other.output.fields.push_back(scene::OutputField::velocities);
  EXPECT_INPUT_ERROR(run_scene(other, resumed(folder / "parts")), "output.fields of body 'block' are not those");
  EXPECT_EQ(run_scene(scene, resumed(folder / "parts")).outcome, RunOutcome::done);
  const io::ResultReader whole(folder / "whole"), parts(folder / "parts");
  ASSERT_EQ(whole.frame_count(), parts.frame_count());
  double largest = 0;
  for (std::int64_t frame = 0; frame < whole.frame_count(); ++frame) {
    for (const char* field : {"normal_forces", "friction_forces"}) {
      const std::vector<double> values = whole.field(1, field, frame);
      EXPECT_EQ(values, parts.field(1, field, frame)) << field << " of frame " << frame;
      for (const double v : values) largest = std::max(largest, std::abs(v));
    }
  }
  EXPECT_GT(largest, 1);
}

// --- Resuming ---

TEST(RunScene, AnInterruptedRunGoesOnWithTheSameBits) {
  for (const char* integrator :
       {"backward_euler", "bdf2", "implicit_midpoint", "newmark", "symplectic_euler", "quasi_static"}) {
    const TemporaryFolder folder;
    const Scene scene = busy(integrator).parse();
    const RunSummary whole = run_scene(scene, into(folder / "whole"));
    ASSERT_EQ(whole.outcome, RunOutcome::done) << integrator;

    std::atomic<bool> interrupted = false;
    RunOptions options = into(folder / "parts");
    options.interrupted = &interrupted;
    options.on_progress = [&](const RunProgress& p) { interrupted = p.step == 3; };
    const RunSummary first = run_scene(scene, options);
    EXPECT_EQ(first.outcome, RunOutcome::interrupted);
    EXPECT_EQ(first.steps, 3);
    const RunSummary second = run_scene(scene, resumed(folder / "parts"));
    EXPECT_EQ(second.outcome, RunOutcome::done);
    expect_same_run(scene, folder / "whole", folder / "parts", integrator);
    EXPECT_EQ(second.steps, whole.steps);
    EXPECT_EQ(second.solver.iterations_total, whole.solver.iterations_total);
    EXPECT_EQ(second.energy_start, whole.energy_start);
    EXPECT_EQ(second.energy_end, whole.energy_end);
    for (std::size_t e = 0; e < whole.expect.size(); ++e) EXPECT_EQ(second.expect.at(e).value, whole.expect[e].value);
  }
}

// Cloth in the wind, a rod that is wound up, a twisted ring, curled strands on a turning ball, and a net.
std::string thin_bodies(const std::string& integrator) {
  return "pliant: 1\ncontact: {method: none}\ntime: {step: 0.005, end: 0.04, integrator: " + integrator +
         "}\nwind: {velocity: [2, 0, 1], drag: 1, lift: 0.5}\nmaterials:\n  wire: {model: elastic_rod, density: 1000, "
         "young: 1.0e7, shear: 4.0e6, section: {rectangle: [2.0e-3, 4.0e-3]}, viscosity: 10}\nbodies:\n"
         "  - {name: sheet, kind: cloth, mesh: {grid: {size: [0.3, 0.3], cells: [4, 4]}}, material: cotton}\n"
         "  - {name: wound, kind: rod, mesh: {strand: {length: 0.3, segments: 10}}, material: wire, position: [0, 1, "
         "0]}\n"
         "  - {name: ring, kind: rod, mesh: {strand: {helix: {radius: 0.1, pitch: 0, turns: 1, segments: 16}, closed: "
         "true, initial_twist: 1080}}, material: wire, position: [1, 0, 0], angular_velocity: [90, 0, 0]}\n"
         "  - {name: ball, kind: obstacle, mesh: {sphere: {radius: 0.1, subdivisions: 2}}, motion: {rotate: {axis: [0, "
         "1, 0], degrees_per_second: 300}}}\n"
         "  - {name: hair, kind: rod, mesh: {strands: {on: ball, count: 5, segments: 8, curl_radius: 3.0e-3}}, "
         "material: "
         "wire, rest: as_given}\n"
         "  - {name: net, kind: springs, mesh: {grid: {size: [0.3, 0.3], cells: [3, 3]}}, material: {model: springs, "
         "surface_density: 0.2, stretch_stiffness: 50}}\n"
         "pins:\n  - {body: sheet, where: {vertices: [0, 4]}}\n  - {body: wound, where: {vertices: [0, 1]}, motion: "
         "{rotate: {axis: [1, 0, 0], center: [0, 1, 0], degrees_per_second: 3000}}}\n"
         "probes:\n  - {name: tip, body: wound, where: {vertices: [10]}, quantity: position}\n  - {name: e, quantity: "
         "energy}\n";
}

TEST(RunScene, ThinBodiesGoOnWithTheSameBits) {
  for (const char* integrator : {"backward_euler", "bdf2", "implicit_midpoint", "newmark"}) {
    const TemporaryFolder folder;
    const Scene scene = parse_scene(thin_bodies(integrator), "scene.yaml");
    EXPECT_EQ(run_scene(scene, into(folder / "whole")).outcome, RunOutcome::done) << integrator;
    std::atomic<bool> stop = false;
    RunOptions options = into(folder / "parts");
    options.interrupted = &stop;
    options.on_progress = [&](const RunProgress& p) { stop = p.step == 4; };
    EXPECT_EQ(run_scene(scene, options).outcome, RunOutcome::interrupted) << integrator;
    EXPECT_EQ(run_scene(scene, resumed(folder / "parts")).outcome, RunOutcome::done) << integrator;
    expect_same_run(scene, folder / "whole", folder / "parts", integrator);
    EXPECT_TRUE(final_state(scene, folder / "whole") == final_state(scene, folder / "parts")) << integrator;
  }
}

TEST(RunScene, ContactsGoOnWithTheSameBits) {
  // A cloth that lies on a turning ball and is rubbed by it: the stretched springs of friction are part of the state.
  // The finer one, in longer steps, goes to another linear solver, whose choices must not outlive a step.
  for (const int cells : {6, 23}) {
    const std::string integrator = cells == 6 ? "newmark" : "backward_euler";
    const double step = cells == 6 ? 0.01 : 0.03;
    const TemporaryFolder folder;
    const Scene scene = parse_scene(
        fmt::format(
            "pliant: 1\ntime: {{step: {2}, end: {3}, integrator: {0}}}\ncontact: {{distance: 4.0e-3}}\nbodies:\n"
            "  - {{name: sheet, kind: cloth, mesh: {{grid: {{size: [0.3, 0.3], cells: [{1}, {1}]}}}}, material: "
            "cotton, position: [0, 0.103, 0]}}\n"
            "  - {{name: ball, kind: obstacle, mesh: {{sphere: {{radius: 0.1, subdivisions: 2}}}}, motion: "
            "{{rotate: {{axis: [0, 1, 0], degrees_per_second: 200}}}}}}\n"
            "probes:\n  - {{name: push, quantity: contact_force, bodies: [sheet, ball]}}\n",
            integrator, cells, step, 10 * step),
        "scene.yaml");
    const RunSummary whole = run_scene(scene, into(folder / "whole"));
    EXPECT_EQ(whole.outcome, RunOutcome::done) << integrator;
    EXPECT_EQ(whole.solver.linear, cells == 6 ? "cholesky" : "cholesky, pcg");
    EXPECT_GT(whole.contacts.max, 0) << integrator;
    std::atomic<bool> stop = false;
    RunOptions options = into(folder / "parts");
    options.interrupted = &stop;
    options.on_progress = [&](const RunProgress& p) { stop = p.step == 6; };
    EXPECT_EQ(run_scene(scene, options).outcome, RunOutcome::interrupted) << integrator;
    const RunSummary second = run_scene(scene, resumed(folder / "parts"));
    EXPECT_EQ(second.outcome, RunOutcome::done) << integrator;
    expect_same_run(scene, folder / "whole", folder / "parts", integrator);
    EXPECT_TRUE(final_state(scene, folder / "whole") == final_state(scene, folder / "parts")) << integrator;
    EXPECT_EQ(second.contacts.max, whole.contacts.max) << integrator;
    EXPECT_EQ(second.contacts.smallest_gap, whole.contacts.smallest_gap) << integrator;
  }
}

// Interrupted while two boxes sleep; a ball wakes them later.
TEST(RunScene, SleepersGoOnWithTheSameBits) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(
      "pliant: 1\ntime: {step: 0.01, end: 0.5}\nsolver: {method: projection, projection: {iteration: "
      "conjugate_residual, sleep_after: 0.1}}\nbodies:\n"
      "  - {name: floor, kind: obstacle, mesh: {plane: {}}}\n"
      "  - {name: box, kind: rigid, mesh: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}, material: {density: 500}, "
      "position: [0, 0.0501, 0], copies: {count: [1, 2, 1], spacing: [0.15, 0.1001, 0.15]}}\n"
      "  - {name: ball, kind: rigid, mesh: {sphere: {radius: 0.05}}, material: {density: 500}, position: [0.02, 1, "
      "0.01]}\nprobes:\n  - {name: ball, body: ball, quantity: mean_position}\n",
      "scene.yaml");
  EXPECT_EQ(run_scene(scene, into(folder / "whole")).outcome, RunOutcome::done);
  std::atomic<bool> stop = false;
  RunOptions options = into(folder / "parts");
  options.interrupted = &stop;
  options.on_progress = [&](const RunProgress& p) { stop = p.step == 30; };
  EXPECT_EQ(run_scene(scene, options).outcome, RunOutcome::interrupted);
  EXPECT_EQ(final_state(scene, folder / "parts").sleep.island, (std::vector<int>{0, 0, -1}));
  EXPECT_EQ(run_scene(scene, resumed(folder / "parts")).outcome, RunOutcome::done);
  expect_same_run(scene, folder / "whole", folder / "parts", "sleeping");
  EXPECT_TRUE(final_state(scene, folder / "whole") == final_state(scene, folder / "parts"));
  EXPECT_EQ(final_state(scene, folder / "whole").sleep.island[0], -1);
}

TEST(RunScene, AKilledRunGoesOnFromItsLastCheckpoint) {
  // Rows and frames after the checkpoint are dropped and made again.
  const TemporaryFolder folder;
  Scene scene = busy("bdf2").parse();
  scene.output.checkpoint_every = 0.03;
  (void)run_scene(scene, into(folder / "whole"));
  RunOptions options = into(folder / "parts");
  options.on_progress = [&](const RunProgress& p) {
    if (p.step == 5) throw std::runtime_error("killed");
  };
  EXPECT_THROW((void)run_scene(scene, options), std::runtime_error);
  EXPECT_EQ(column(folder / "parts", 0).size(), 6U);
  EXPECT_EQ(final_state(scene, folder / "parts").step_count, 3);
  EXPECT_EQ(run_scene(scene, resumed(folder / "parts")).outcome, RunOutcome::done);
  expect_same_run(scene, folder / "whole", folder / "parts", "killed");
}

TEST(RunScene, ALaterEndContinuesAFinishedRun) {
  const TemporaryFolder folder;
  const Scene shorter = busy("newmark", "0.05").parse(), longer = busy("newmark", "0.08").parse();
  (void)run_scene(longer, into(folder / "whole"));
  (void)run_scene(shorter, into(folder / "parts"));
  const RunSummary summary = run_scene(longer, resumed(folder / "parts"));
  EXPECT_EQ(summary.seconds_simulated, 0.08);
  expect_same_run(longer, folder / "whole", folder / "parts", "extended");
}

TEST(RunScene, ALaterEndAfterAShortenedStepCountsFromThere) {
  const TemporaryFolder folder;
  (void)run_scene(busy("backward_euler", "0.025").parse(), into(folder.path()));
  const RunSummary summary = run_scene(busy("backward_euler", "0.05").parse(), resumed(folder.path()));
  EXPECT_EQ(summary.seconds_simulated, 0.05);
  const std::vector<double> times = column(folder.path(), 1);
  ASSERT_EQ(times.size(), 7U);
  const double expected[] = {0, 0.01, 0.02, 0.025, 0.035, 0.045, 0.05};
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(times[k], expected[k], 1e-15);
}

TEST(RunScene, AnotherStepLengthCountsFromTheCheckpoint) {
  const TemporaryFolder folder;
  (void)run_scene(busy("bdf2", "0.03").parse(), into(folder.path()));
  Scene finer = busy("bdf2", "0.05").parse();
  finer.time.step = 0.005;
  (void)run_scene(finer, resumed(folder.path()));
  const std::vector<double> times = column(folder.path(), 1);
  ASSERT_EQ(times.size(), 8U);
  EXPECT_NEAR(times[4], 0.035, 1e-15);
  EXPECT_NEAR(times[7], 0.05, 1e-15);
}

TEST(RunScene, ResumingAFinishedRunChangesNothing) {
  const TemporaryFolder folder;
  const Scene scene = busy().parse();
  (void)run_scene(scene, into(folder.path()));
  const std::string rows = text_of(folder / "probes.csv");
  const RunSummary again = run_scene(scene, resumed(folder.path()));
  EXPECT_EQ(again.outcome, RunOutcome::done);
  EXPECT_EQ(again.steps, 8);
  EXPECT_EQ(text_of(folder / "probes.csv"), rows);
  EXPECT_TRUE(again.expectations_hold());
}

TEST(RunScene, AnotherSceneCannotResume) {
  const TemporaryFolder folder;
  const Scene scene = busy().parse();
  (void)run_scene(scene, into(folder.path()));
  const std::string rows = text_of(folder / "probes.csv");
  Scene heavier = scene;
  heavier.materials[0].density = 2000;
  EXPECT_INPUT_ERROR(run_scene(heavier, resumed(folder.path())),
                     "was made by another scene; only time, solver, output, view and expect may change");
  Scene pushed = scene;
  pushed.loads.clear();
  EXPECT_INPUT_ERROR(run_scene(pushed, resumed(folder.path())), "another scene");
  Scene shorter = scene;
  shorter.time.end = 0.5 * scene.time.end;
  EXPECT_INPUT_ERROR(run_scene(shorter, resumed(folder.path())), "has been run to t = ");
  EXPECT_EQ(text_of(folder / "probes.csv"), rows);
  EXPECT_INPUT_ERROR(run_scene(scene, resumed(folder / "nowhere")), "checkpoint.bin");
}

TEST(RunScene, ExpectationsMayChangeBetweenTheParts) {
  const TemporaryFolder folder;
  const Scene scene = busy("backward_euler", "0.05").parse();
  (void)run_scene(scene, into(folder.path()));
  // The list turned round, with new entries in front: all are judged by the whole run.
  Scene changed = busy("backward_euler", "0.08").parse();
  std::reverse(changed.expect.begin(), changed.expect.end());
  scene::Expectation added = changed.expect[0];
  added.at = scene::Moment::end;
  changed.expect.insert(changed.expect.begin(), added);
  added.at = scene::Moment::at_time;
  added.at_seconds = 0.02;
  changed.expect.push_back(added);
  const RunSummary summary = run_scene(changed, resumed(folder.path()));
  ASSERT_EQ(summary.expect.size(), 4U);
  const std::vector<double> kinetic = column(folder.path(), 5), x = column(folder.path(), 2);
  EXPECT_EQ(summary.expect[0].value, kinetic.back());
  EXPECT_EQ(summary.expect[1].value, kinetic[1]);  // at 0.01 s, in the first part
  EXPECT_EQ(summary.expect[2].value, *std::min_element(x.begin(), x.end()));
  EXPECT_EQ(summary.expect[3].value, kinetic[2]);  // at 0.02 s: asked for only in the second part
  EXPECT_TRUE(summary.expectations_hold());
}

// --- Threads and folders ---

TEST(RunScene, ThreadsDoNotChangeABit) {
  const TemporaryFolder folder;
  for (const char* linear : {"cholesky", "pcg", "multigrid"}) {
    SceneText text = busy();
    text.more += std::string("solver: {newton: {linear: ") + linear + "}}\n";
    const Scene scene = text.parse();
    const std::string name = linear;
    set_thread_count(1);
    (void)run_scene(scene, into(folder / (name + "1")));
    for (const int threads : {2, 3, 8}) {
      set_thread_count(threads);
      const std::string other = name + std::to_string(threads);
      EXPECT_EQ(run_scene(scene, into(folder / other)).threads, threads);
      expect_same_run(scene, folder / (name + "1"), folder / other, other);
    }
    set_thread_count(0);
  }
}

TEST(RunScene, DefaultFolder) {
  Scene scene;
  EXPECT_EQ(default_folder(scene, "scenes/drape.yaml"), std::filesystem::path("out/drape"));
  scene.output.folder = "here";
  EXPECT_EQ(default_folder(scene, "scenes/drape.yaml"), std::filesystem::path("here"));
}

}  // namespace
}  // namespace pliant
