// Checkpoints of runs: everything comes back to the bit; other models and damaged files are refused.
#include "pliant/scene/run_checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "pliant/scene/build_model.h"
#include "tests/io/result_scene.h"
#include "tests/scene/small_scene.h"
#include "tests/scene/thin_scene.h"

namespace pliant {
namespace {

using testing::SceneText;

BlockVector wave(int count, double phase) {
  BlockVector x(count);
  for (int i = 0; i < count; ++i) x[i] = Vec3(std::sin(i + phase), std::cos(3 * i), -0.0);
  return x;
}

RunCheckpoint full_checkpoint(int blocks) {
  RunCheckpoint c;
  c.origin.scene_text = "pliant: 1\n# ünïcode\n";
  c.origin.tears = {{7, 3, {{0, {{{1, 4}, {2, 9}}, {}}}, {1, {{}, {5}}}}}, {9, 3, {{1, {{}, {0, 2}}}}}};
  c.state.time = 0.1 + 0.2;
  c.state.step_count = 12345678901;
  c.state.positions = wave(blocks, 0.1);
  c.state.velocities = wave(blocks, 0.2);
  c.state.accelerations = wave(blocks, 0.3);
  c.state.previous_positions = wave(blocks, 0.4);
  c.state.previous_velocities = wave(blocks, 0.5);
  c.state.previous_step = 0.01 / 3;
  c.state.pin_since = {0.1, -INFINITY, 1.0 / 3};
  c.state.pin_anchors = {Vec3(1, 2, 3), Vec3(1.0 / 3, 0, -1)};
  c.position = {7, 3, 8, 4, 0.25, 2};
  RunSummary& s = c.summary;
  s.steps = 9;
  s.wall_seconds = 1.25;
  s.cpu_seconds = 2.5;
  s.stages.assemble = 0.1;
  s.stages.linear = 0.2;
  s.stages.line_search = 0.3;
  s.stages.output = 0.4;
  s.solver.iterations_total = 20;
  s.solver.linear_iterations_total = 30;
  s.solver.line_search_trials_total = 40;
  s.solver.iterations_max = 5;
  s.solver.steps_not_converged = 1;
  s.solver.steps_budgeted = 2;
  s.solver.retries = 3;
  s.solver.residual_worst = 1e-7;
  s.solver.residual_worst_at = "t = 1 s, body 'block', vertex 3";
  s.energy_start = 12;
  return c;
}

TEST(RunCheckpoint, EverythingComesBackToTheBit) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = build(SceneText{.body = ", copies: {count: [2, 1, 1], spacing: [1, 0, 0]}"}.parse());
  const RunCheckpoint written = full_checkpoint(built.model.layout.block_count());
  write_checkpoint(folder / "c.bin", built.model, written);
  const RunCheckpoint read = read_checkpoint(folder / "c.bin", built.model);
  EXPECT_EQ(read.origin.scene_text, written.origin.scene_text);
  ASSERT_EQ(read.origin.tears.size(), 2U);
  for (std::size_t e = 0; e < 2; ++e) {
    const TearEvent &a = read.origin.tears[e], &b = written.origin.tears[e];
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.frames, b.frames);
    ASSERT_EQ(a.tears.size(), b.tears.size());
    for (std::size_t t = 0; t < a.tears.size(); ++t) {
      EXPECT_EQ(a.tears[t].body, b.tears[t].body);
      EXPECT_EQ(a.tears[t].opening.faces, b.tears[t].opening.faces);
      EXPECT_EQ(a.tears[t].opening.removed, b.tears[t].opening.removed);
    }
  }
  EXPECT_TRUE(read.state == written.state);
  EXPECT_EQ(hash(read.state), hash(written.state));
  EXPECT_EQ(read.position.nominal_step, 7);
  EXPECT_EQ(read.position.frames, 3);
  EXPECT_EQ(read.position.rows, 8);
  EXPECT_EQ(read.position.next_frame, 4);
  EXPECT_EQ(read.position.origin_time, 0.25);
  EXPECT_EQ(read.position.origin_step, 2);
  EXPECT_EQ(to_json(read.summary), to_json(written.summary));
}

// Rods: frames, twists and spins come back, and padding stays zero.
TEST(RunCheckpoint, RodsComeBackToTheBit) {
  const io::testing::TemporaryFolder folder;
  testing::ThinScene text{.kind = "rod",
                          .mesh = "{strand: {segments: 4}}",
                          .material = "model: elastic_rod, young: 1.0e6, shear: 4.0e5, section: {circle: 1.0e-3}"};
  text.more =
      "  - {name: block, mesh: {box: {cells: [1, 1, 1]}}}\n"
      "  - {name: ring, kind: rod, mesh: {strand: {helix: {pitch: 0, turns: 1, segments: 5}, closed: true}}, "
      "material: stuff}\n";
  const BuiltScene built = text.built();
  RunCheckpoint written;
  written.state = built.state;
  int number = 0;
  for (int i = 0; i < written.state.positions.size(); ++i) {
    if (built.model.layout.kind(i) == BlockKind::rod_twist) {
      written.state.positions[i][0] = 20 * std::sin(++number);
      written.state.velocities[i][0] = std::cos(number) / 3;
    } else {
      written.state.positions[i] += Vec3(std::sin(i), std::cos(3 * i), -0.0);
    }
  }
  for (Vec3& d : written.state.rod_frames.directors) {
    ++number;
    d = Vec3(std::sin(number), std::cos(number), -0.0);
  }
  for (double& m : written.state.rod_frames.reference_twist) m = 10 * std::sin(++number);
  write_checkpoint(folder / "c.bin", built.model, written);
  const RunCheckpoint read = read_checkpoint(folder / "c.bin", built.model);
  EXPECT_TRUE(read.state == written.state);
  EXPECT_EQ(hash(read.state), hash(written.state));

  // A rod that was open is another rod.
  testing::ThinScene open = text;
  open.more.replace(open.more.find("closed: true"), 12, "closed: false");
  open.more.replace(open.more.find("segments: 5"), 11, "segments: 4");
  EXPECT_INPUT_ERROR(read_checkpoint(folder / "c.bin", open.built().model), "the checkpoint has another rod 'ring'");
}

// Zero stands for "not chosen yet"; less than that, or no number at all, would let the barrier pull or end in NaN.
TEST(RunCheckpoint, PressureIsANumberAndNotNegative) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = build(SceneText{}.parse());
  RunCheckpoint written;
  written.state = built.state;
  for (const double bad :
       {-1.0, -1e-300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    written.state.contact_pressure = bad;
    write_checkpoint(folder / "c.bin", built.model, written);
    EXPECT_INPUT_ERROR(read_checkpoint(folder / "c.bin", built.model),
                       "contact_pressure in the checkpoint must be one finite number, at least 0 Pa");
  }
  for (const double good : {0.0, 1e4}) {
    written.state.contact_pressure = good;
    write_checkpoint(folder / "c.bin", built.model, written);
    EXPECT_EQ(read_checkpoint(folder / "c.bin", built.model).state.contact_pressure, good);
  }
}

TEST(RunCheckpoint, EmptyHistoryStaysEmpty) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = build(SceneText{}.parse());
  RunCheckpoint written;
  written.state = built.state;
  write_checkpoint(folder / "c.bin", built.model, written);
  EXPECT_TRUE(read_checkpoint(folder / "c.bin", built.model).state == built.state);
}

TEST(RunCheckpoint, OtherModelsAndMissingFilesAreRefused) {
  const io::testing::TemporaryFolder folder;
  const BuiltScene built = build(SceneText{}.parse()),
                   finer = build(SceneText{.mesh = "{box: {cells: [4, 4, 4]}}"}.parse());
  write_checkpoint(folder / "c.bin", built.model, full_checkpoint(built.model.layout.block_count()));
  EXPECT_INPUT_ERROR(read_checkpoint(folder / "c.bin", finer.model),
                     "the checkpoint has another mesh for body 'block'");
  EXPECT_INPUT_ERROR(read_checkpoint(folder / "none.bin", built.model), "none.bin");
  const auto size = std::filesystem::file_size(folder / "c.bin");
  std::filesystem::resize_file(folder / "c.bin", size - 5);
  EXPECT_INPUT_ERROR(read_checkpoint(folder / "c.bin", built.model), "c.bin");
}

}  // namespace
}  // namespace pliant
