// A run that is killed loses nothing that was finished, and a resumed run has the bits of one that was never stopped:
// kill -9 at random moments, Ctrl-C, and any number of threads, through the program a user starts.
#ifdef PLIANT_HAS_CLI
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "pliant/io/result_reader.h"
#include "tests/support/places.h"
#include "tests/validation/command_line.h"

namespace pliant::validation::kill_resume_test {
namespace {

using Arguments = std::vector<std::string>;

std::string scene(const std::string& name) {
  return test::source_folder().string() + "/tests/validation/scenes/" + name;
}

Arguments run(const std::string& folder, const Arguments& more = {}) {
  Arguments arguments{"run", scene("swinging_block.yaml"), "-o", folder, "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}
Arguments resume(const std::string& folder) { return run(folder, {"--resume"}); }

std::int64_t complete_rows(const std::filesystem::path& folder) {
  const std::string text = text_of(folder / "probes.csv");
  return std::max<std::int64_t>(0, std::count(text.begin(), text.end(), '\n') - 1);
}

// All frames of `part`, to the bit those of `whole`; returns their number.
std::int64_t expect_same_frames(const io::ResultReader& whole, const std::filesystem::path& part,
                                const std::string& what) {
  const io::ResultReader result(part);
  EXPECT_LE(result.frame_count(), whole.frame_count()) << what;
  for (std::int64_t frame = 0; frame < std::min(result.frame_count(), whole.frame_count()); ++frame) {
    EXPECT_EQ(result.outline().times[frame], whole.outline().times[frame]) << what;
    EXPECT_TRUE(result.positions(0, frame) == whole.positions(0, frame)) << what << ", frame " << frame;
  }
  return result.frame_count();
}

// What a killed run left: with as many frames per second as steps there is a frame for every row.
void expect_finished_frames(const io::ResultReader& whole, const std::filesystem::path& folder,
                            const std::string& what) {
  const std::int64_t rows = complete_rows(folder);
  if (rows == 0) return;  // killed before it wrote anything
  EXPECT_GE(expect_same_frames(whole, folder, what), rows) << what;
  EXPECT_EQ(text_of(folder / "probes.csv").substr(0, 20), "step,time,tip.x,tip.") << what;
}

void sleep_seconds(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Waits until the run has written this many rows, at most ten seconds: the moment does not depend on the machine's
// speed.
void await_rows(const std::filesystem::path& folder, std::int64_t rows) {
  for (int wait = 0; wait < 10000 && complete_rows(folder) < rows; ++wait) sleep_seconds(0.001);
}

TEST(KillResume, KilledAtRandomMoments) {
  const Workplace place;
  ASSERT_EQ(place.pliant(run("whole")).code, 0);
  const io::ResultReader whole(place / "whole");
  ASSERT_EQ(whole.frame_count(), 101);

  // Ten runs, each killed twice: on its way, and again while it is resumed. A moment is a number of rows, and up to
  // three steps' time after it.
  std::mt19937 random(20);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int killed = 0, resumed_in_the_middle = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const std::string folder = "part" + std::to_string(trial);
    for (const bool is_resumed : {false, true}) {
      const std::int64_t done = complete_rows(place / folder);
      Child child = place.start(is_resumed && place.has(folder + "/checkpoint.bin") ? resume(folder) : run(folder));
      // Every fourth moment is before or at the first step: files are just being made.
      const bool is_early = (trial + (is_resumed ? 1 : 0)) % 4 == 0;
      if (!is_early)
        await_rows(place / folder, done + static_cast<std::int64_t>(share(random) * static_cast<double>(90 - done)));
      sleep_seconds(share(random) * 0.02);
      child.send(SIGKILL);
      killed += child.wait().signal == SIGKILL ? 1 : 0;
      expect_finished_frames(whole, place / folder, folder);
    }
    const std::int64_t rows = complete_rows(place / folder);
    resumed_in_the_middle += rows > 1 && rows < 101 ? 1 : 0;
    const Ending ending = place.pliant(place.has(folder + "/checkpoint.bin") ? resume(folder) : run(folder));
    ASSERT_EQ(ending.code, 0) << ending.err;
    EXPECT_EQ(expect_same_frames(whole, place / folder, folder), whole.frame_count());
    EXPECT_EQ(text_of(place / folder / "probes.csv"), text_of(place / "whole" / "probes.csv")) << folder;
  }
  // The moments were not all before the first step or after the last.
  EXPECT_GE(killed, 15);
  EXPECT_GE(resumed_in_the_middle, 4);
}

TEST(KillResume, InterruptedAndResumed) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;
    ASSERT_EQ(place.pliant(run("whole")).code, 0);
    const io::ResultReader whole(place / "whole");
    // Interrupt once a few steps are done.
    Child child = place.start(run("part"));
    await_rows(place / "part", 5);
    child.send(signal);
    const Ending ending = child.wait();
    EXPECT_EQ(ending.code, 130);
    EXPECT_NE(ending.out.find("interrupted at t = "), std::string::npos) << ending.out;
    EXPECT_NE(ending.out.find("--resume"), std::string::npos) << ending.out;
    expect_finished_frames(whole, place / "part", "interrupted");
    EXPECT_LT(complete_rows(place / "part"), 101);
    EXPECT_NE(text_of(place / "part" / "summary.json").find("\"outcome\": \"interrupted\""), std::string::npos);

    ASSERT_EQ(place.pliant(resume("part")).code, 0);
    EXPECT_EQ(expect_same_frames(whole, place / "part", "resumed"), whole.frame_count());
    EXPECT_EQ(text_of(place / "part" / "probes.csv"), text_of(place / "whole" / "probes.csv"));
  }
}

TEST(KillResume, ThreadsDoNotChangeABit) {
  const Workplace place;
  for (const char* linear : {"cholesky", "pcg", "multigrid"}) {
    const auto run_with = [&](const std::string& threads) {
      const std::string folder = linear + threads;
      // 4459 vertices: above the 4096 of one piece, so that sums are split too.
      const Ending ending =
          place.pliant({"run", scene("swinging_block.yaml"), "-o", folder, "--threads", threads, "--set",
                        "time.end=0.015", "--set", "bodies.block.mesh.box={size: [1.5, 0.1, 0.1], cells: [90, 6, 6]}",
                        "--set", std::string("solver.newton.linear=") + linear});
      EXPECT_EQ(ending.code, 0) << ending.err;
      return folder;
    };
    const std::string one = run_with("1");
    const io::ResultReader whole(place / one);
    ASSERT_EQ(complete_rows(place / one), 4);
    for (const char* threads : {"2", "3", "8"}) {
      const std::string other = run_with(threads);
      EXPECT_EQ(text_of(place / other / "probes.csv"), text_of(place / one / "probes.csv"))
          << linear << ", " << threads << " threads";
      EXPECT_EQ(expect_same_frames(whole, place / other, other), whole.frame_count());
    }
  }
}

}  // namespace
}  // namespace pliant::validation::kill_resume_test
#endif
