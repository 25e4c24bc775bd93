// Thin bodies in motion: loss in bending, the same rest from every integrator, twist that only turns along, and runs of
// rods that are stopped and resumed. [validation.md 4]
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "pliant/parallel/parallel.h"
#include "pliant/scene/run_checkpoint.h"
#include "pliant/scene/run_scene.h"
#include "tests/io/result_scene.h"
#include "tests/validation/motion_measures.h"
#include "tests/validation/rod_measures.h"

namespace pliant::validation::thin_motion_test {
namespace {

using std::numbers::pi;

// --- Damped bending ---

struct Decay {
  double frequency = 0;  // Hz
  double rate = 0;       // 1/s, of the amplitude
};

// Free vibration of the strip of strip_bending.yaml, without weight, from rest in the first mode's shape (about).
Decay vibration(const std::string& loss) {
  const double step = 1.4e-3;  // s, 1/100 of the period
  SceneCase strip(
      read_case("strip_bending.yaml", {"bodies.strip.mesh.grid={size: [1, 0.2], cells: [20, 4], pattern: alternating}",
                                       "pins.0.where.box.max=[0.051, 1, 1]", "pins.1.where.box.min=[0.051, -1, -1]",
                                       fmt::format("time={{step: {}, end: {}, integrator: newmark}}", step, 500 * step),
                                       "gravity=[0, 0, 0]", loss, "expect=[]"}),
      [](const Model& model, State& state) {
        const ModelBody& body = model.bodies[0];
        for (std::size_t v = 0; v < body.rest.vertices.size(); ++v) {
          const double s = std::max(0.0, body.rest.vertices[v].x() - 0.025);
          state.velocities[body.block_of_vertex[v]] = Vec3(0, s > 0.03 ? 0.1 * s * s : 0, 0);
        }
      });
  std::vector<double> amplitude{0};
  strip.run([&] {
    amplitude.push_back(
        modal_amplitude(strip, 1, [](const Vec3& x) { return std::pow(std::max(0.0, x.x() - 0.025), 2); }));
  });
  // Largest values in the first and in the fifth period: four periods apart.
  const auto peak = [&](double from, double to) {
    double largest = 0;
    for (double n = from * static_cast<double>(amplitude.size()); n < to * static_cast<double>(amplitude.size()); ++n)
      largest = std::max(largest, std::abs(amplitude[static_cast<std::size_t>(n)]));
    return largest;
  };
  Decay decay{frequency_of(amplitude, step), 0};
  const double half_period = 0.5 / decay.frequency / (500 * step);  // of the run
  decay.rate = std::log(peak(0, half_period) / peak(8 * half_period, 9 * half_period)) / (4 / decay.frequency);
  return decay;
}

TEST(DampedBending, DecayIsThatOfTheViscosity) {
  // Viscosity β × stiffness damps a mode of angular frequency ω by β ω²/2 per second, whatever its shape.
  const Decay free = vibration("materials.foil.damping.stiffness_proportional=0");
  const double omega = 2 * pi * free.frequency;
  record("frequency", free.frequency);
  record("rate_undamped", free.rate);
  EXPECT_NEAR(free.rate, 0, 0.02);
  double last = free.rate;
  for (const double time : {2.5e-4, 1e-3}) {
    const Decay damped = vibration(fmt::format("materials.foil.damping.stiffness_proportional={}", time));
    record(fmt::format("rate_ratio_{}", time), damped.rate / (0.5 * time * omega * omega));
    EXPECT_GT(damped.rate, last);
    EXPECT_NEAR(damped.rate, 0.5 * time * omega * omega, 0.05 * 0.5 * time * omega * omega);
    last = damped.rate;
  }
}

// Of hinges alone: β is their viscosity over the rigidity D = 1667 N·m.
TEST(DampedBending, ViscosityOfHingesAlone) {
  for (const double viscosity : {0.5, 2.0}) {  // N·m·s
    const Decay damped = vibration(fmt::format("materials.foil.bending.viscosity={}", viscosity));
    const double expected = 0.5 * viscosity / (2e10 * 1e-6 / 12) * std::pow(2 * pi * damped.frequency, 2);
    record(fmt::format("rate_ratio_{}", viscosity), damped.rate / expected);
    EXPECT_NEAR(damped.rate, expected, 0.05 * expected);
  }
}

// --- The same rest ---

// Where a vertex of a scene ends, quasi-statically and after falling.
void expect_same_rest(const std::string& file, int vertex, const std::string& falling) {
  SceneCase still(file, {}), fallen(file, {falling, "solver.tolerance=1.0e-10"});
  still.run();
  fallen.run();
  const double size = still.simulation().model().diagonal;
  const double distance = (still.position(0, vertex) - fallen.position(0, vertex)).norm() / size;
  record(file, distance);
  EXPECT_GT((still.position(0, vertex) - still.body(0).rest.vertices[vertex]).norm(),
            1e-3 * size);  // something happened
  EXPECT_LT(distance, 1e-6);
}

TEST(ThinBodies, EveryIntegratorEndsAtTheSameRest) {
  expect_same_rest("rod_cantilever.yaml", 50, "time={step: 0.2, end: 12}");
  expect_same_rest("rod_cantilever.yaml", 50, "time={step: 0.2, end: 12, integrator: bdf2}");
  expect_same_rest("strip_bending.yaml", 50, "time={step: 0.2, end: 8}");
  expect_same_rest("catenary.yaml", 40, "time={step: 0.2, end: 24}");
}

// --- Twist turns along ---

// A rod with bends and twist whose ends are turned together keeps its twist and its energy.
TEST(RodTwist, IsKeptWhenPinsTurnTheRod) {
  const std::string turn = "motion: {rotate: {axis: [1, 2, 3], center: [0.3, 0.1, 0], degrees_per_second: 360}}";
  SceneCase rod("rod_twist.yaml", {"time={step: 0.05, end: 1.35, integrator: quasi_static}", "loads=[]", "expect=[]",
                                   "bodies.rod.mesh.strand={length: 1, segments: 40, initial_twist: 200}", "probes=[]",
                                   fmt::format("pins=[{{body: rod, where: {{vertices: [0, 1]}}, {}}}, "
                                               "{{body: rod, where: {{vertices: [39, 40]}}, {}}}]",
                                               turn, turn)});
  const double expected = 200 * pi / 180, length = 1 - 1.0 / 40;
  const double energy = 0.5 * 2e6 * pi * std::pow(4e-3, 4) / 2 * expected * expected / length;
  double twist_error = 0, energy_error = 0, uneven = 0;
  rod.run([&] {
    twist_error = std::max(twist_error, std::abs(total_twist(rod.simulation()) - expected));
    energy_error = std::max(energy_error, std::abs(rod.simulation().energies().elastic / energy - 1));
    for (std::size_t j = 0; j < 39; ++j)
      uneven = std::max(uneven, std::abs(joint_twist(rod.simulation(), j) - expected / 39));
  });
  record("twist_error", twist_error);
  record("energy_error", energy_error);
  record("uneven", uneven);
  EXPECT_LT(twist_error, 1e-9);
  EXPECT_LT(uneven, 1e-6);
  EXPECT_LT(energy_error, 1e-6);
  // It has turned: the far end is where a turn of 126° beyond a full one takes it.
  const Vec3 centre(0.3, 0.1, 0);
  const Eigen::AngleAxisd whole(1.35 * 2 * pi, Vec3(1, 2, 3).normalized());
  EXPECT_LT((rod.position(0, 20) - (centre + whole * (Vec3(0.5, 0, 0) - centre))).norm(), 1e-6);
}

// --- Stopped and resumed ---

// The twisted ring (frames, reference twists, angles) and the coiling rod, stopped after some steps and resumed: the
// same bits as without a stop.
TEST(RodResume, HasTheBitsOfARunWithoutAStop) {
  for (const auto& [file, end, stop] : {std::tuple{"ring.yaml", 1.0, 7}, std::tuple{"helix.yaml", 0.2, 11}}) {
    const Scene scene = read_case(file, {fmt::format("time.end={}", end), "expect=[]"});
    const io::testing::TemporaryFolder folder;
    RunOptions options;
    options.folder = folder / "whole";
    ASSERT_EQ(run_scene(scene, options).outcome, RunOutcome::done);

    std::atomic<bool> interrupted = false;
    options.folder = folder / "parts";
    options.interrupted = &interrupted;
    const int last_step = stop;
    options.on_progress = [&](const RunProgress& progress) { interrupted = progress.step == last_step; };
    ASSERT_EQ(run_scene(scene, options).outcome, RunOutcome::interrupted);
    options.mode = RunOptions::Mode::resume;
    options.on_progress = {};
    interrupted = false;
    ASSERT_EQ(run_scene(scene, options).outcome, RunOutcome::done);

    const auto final_hash = [&](const char* part) {
      return hash(read_checkpoint(folder / part / "checkpoint.bin", build(scene).model).state);
    };
    EXPECT_EQ(final_hash("whole"), final_hash("parts")) << file;
    EXPECT_EQ(io::testing::content(folder / "whole" / "probes.csv"),
              io::testing::content(folder / "parts" / "probes.csv"));
  }
}

// Thirty of them at once, so that the work is split: the same for one, two, three and eight threads.
TEST(RodResume, ThreadsDoNotChangeABit) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    SceneCase rod("helix.yaml", {"time.end=0.03", "bodies.rod.copies={count: [1, 1, 30], spacing: [0, 0, 1]}",
                                 "probes=[]", "expect=[]"});
    rod.run();
    hashes.push_back(hash(rod.simulation().state()));
  }
  set_thread_count(0);
  for (const std::uint64_t one : hashes) EXPECT_EQ(one, hashes[0]);
}

}  // namespace
}  // namespace pliant::validation::thin_motion_test
