// render, plot, export and replay, as a user calls them.
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/io/result_reader.h"
#include "tests/validation/command_line.h"

namespace pliant::validation::looking_test {
namespace {

class Looking : public ::testing::Test {
 protected:
  Looking() {
    write_text(place_ / "scene.yaml",
               "pliant: 1\n"
               "time: {step: 0.01, end: 0.1}\n"
               "bodies: [{name: block, material: gelatin, mesh: {box: {size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}}]\n"
               "pins: [{body: block, where: {box: {min: [-0.16, -1, -1], max: [-0.14, 1, 1]}}}]\n"
               "probes: [{name: energy, quantity: energy}]\n"
               "output: {frames_per_second: 100, fields: [positions, contacts, velocities, stress]}\n");
  }
  void run(const std::vector<std::string>& more = {}, const std::string& folder = "out") {
    std::vector<std::string> arguments{"run", "scene.yaml", "-o", folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ending ending = place_.pliant(arguments);
    ASSERT_EQ(ending.code, 0) << ending.err;
  }
  // Ends with exit code 2 and one sentence that holds these words.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& words) {
    const Ending ending = place_.pliant(arguments);
    EXPECT_EQ(ending.code, 2) << words;
    EXPECT_NE(ending.err.find(words), std::string::npos) << ending.err;
    EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << ending.err;
  }

  Workplace place_;
};

TEST_F(Looking, PicturesOfOneFrameSeveralAndAll) {
  run();
  const std::string size = "64x48";
  ASSERT_EQ(place_.pliant({"render", "out", "-o", "a.png", "--size", size, "--samples", "1"}).code, 0);
  EXPECT_EQ(text_of(place_ / "a.png").substr(1, 3), "PNG");
  ASSERT_EQ(place_
                .pliant({"render", "out", "-o", "s.png", "--size", size, "--samples", "1", "--frame", "0,5,10",
                         "--colour", "stress", "--wireframe"})
                .code,
            0);
  EXPECT_TRUE(place_.has("s.png"));
  ASSERT_EQ(place_.pliant({"render", "out", "-o", "f.png", "--size", size, "--samples", "1", "--frame", "all"}).code,
            0);
  EXPECT_TRUE(place_.has("f_0000.png") && place_.has("f_0010.png") && !place_.has("f_0011.png"));
  // The same picture for any number of threads.
  for (const char* threads : {"1", "2"}) {
    ASSERT_EQ(
        place_
            .pliant({"render", "out", "-o", std::string("t") + threads + ".png", "--size", size, "--threads", threads})
            .code,
        0);
  }
  EXPECT_EQ(text_of(place_ / "t1.png"), text_of(place_ / "t2.png"));
}

TEST_F(Looking, VideosNeedFfmpegAndSaySo) {
  run();
  const std::string render = "\"$PLIANT\" render out --video v.mp4 --size 65x49 --samples 1 2>&1";
  const Ending without = place_.shell("PATH=/nonexistent; " + render);
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.out.find("--video needs ffmpeg"), std::string::npos) << without.out;
  EXPECT_FALSE(place_.has("v.mp4"));
  // ffmpeg is optional, for users and for this machine.
  if (place_.shell("command -v ffmpeg").code != 0) GTEST_SKIP() << "ffmpeg is not installed";
  const Ending with = place_.shell(render);
  EXPECT_EQ(with.code, 0) << with.out;
  EXPECT_EQ(text_of(place_ / "v.mp4").substr(4, 4), "ftyp");
  // 11 frames of an even size: sides are cut to what players accept.
  const Ending probed = place_.shell("ffprobe -v error -show_entries stream=width,height,nb_frames -of csv v.mp4");
  EXPECT_EQ(probed.out, "stream,64,48,11\n");
}

TEST_F(Looking, CurvesOfProbesAndOfTheSolver) {
  run();
  for (const char* what : {"energy", "energy.total", "residual", "iterations"}) {
    ASSERT_EQ(place_.pliant({"plot", "out", what, "-o", "p.svg"}).code, 0) << what;
    EXPECT_NE(text_of(place_ / "p.svg").find("</svg>"), std::string::npos);
  }
}

TEST_F(Looking, EveryExportIsThere) {
  run();
  for (const char* format : {"usda", "glb"}) {
    const Ending ending = place_.pliant({"export", "out", "--format", format});
    EXPECT_EQ(ending.code, 0) << ending.err;
    EXPECT_TRUE(place_.has(std::string("out/result.") + format));
  }
}

TEST_F(Looking, MistakesAreSaid) {
  run();
  expect_refused({"render", "out", "--frame", "11"}, "frames 0 to 10");
  expect_refused({"render", "out", "--frame", "first"}, "'first' is not a number");
  expect_refused({"render", "out", "--size", "big"}, "--size must be like 1280x720");
  expect_refused({"render", "out", "--size", "0x10"}, "0 × 10 pixels");
  expect_refused({"render", "out", "--colour", "heat"}, "speed, stretch");
  expect_refused({"render", "out", "--camera", "mine"}, "scene or fitted");
  expect_refused({"render", "out", "-o", "picture.jpg"}, "-o picture.jpg: pictures are PNG files");
  expect_refused({"plot", "out", "energy", "-o", "energy.png"}, "-o energy.png: curves are SVG files");
  expect_refused({"render", "nowhere"}, "no such file");
  expect_refused({"plot", "out", "enrgy"}, "energy");
  expect_refused({"plot", "nowhere", "energy"}, "no such file");
  expect_refused({"view", "nowhere"}, "no such file");
  expect_refused({"run", "scene.yaml", "-o", "other", "--replay", "none.csv"}, "no such file");
  write_text(place_ / "hand.csv", "step,body,vertex,x,y,z\n2,blok,0,0,0,0\n");
  expect_refused({"run", "scene.yaml", "-o", "other", "--replay", "hand.csv"}, "body 'blok'");
  EXPECT_FALSE(place_.has("other"));
}

// What a hand did is repeated to the bit, and differs from doing nothing.
TEST_F(Looking, AReplayedHandPullsTheSameWay) {
  write_text(place_ / "hand.csv", "step,body,vertex,x,y,z\n2,block,15,0.3,0.2,0\n6,,,,,\n");
  run({"--replay", "hand.csv"}, "first");
  EXPECT_EQ(text_of(place_ / "first/interaction.csv"), text_of(place_ / "hand.csv"));
  run({"--replay", "first/interaction.csv", "--threads", "1"}, "second");
  run({}, "alone");
  const io::ResultReader first(place_ / "first"), second(place_ / "second"), alone(place_ / "alone");
  ASSERT_EQ(first.frame_count(), 11);
  for (std::int64_t f = 0; f < 11; ++f) EXPECT_TRUE(first.positions(0, f) == second.positions(0, f)) << f;
  EXPECT_TRUE(first.positions(0, 2) == alone.positions(0, 2));
  EXPECT_GT((first.positions(0, 6)[15] - alone.positions(0, 6)[15]).norm(), 1e-3);
  EXPECT_FALSE(place_.has("alone/interaction.csv"));
}

TEST_F(Looking, StoredStressAndVelocitiesAreThere) {
  run();
  const io::ResultReader result(place_ / "out");
  const std::vector<double> stress = result.field(0, "stress", 10), velocity = result.field(0, "velocities", 10);
  EXPECT_EQ(stress.size(), 16U);
  EXPECT_EQ(velocity.size(), 48U);
  EXPECT_GT(*std::max_element(stress.begin(), stress.end()), 10);  // Pa: it sags under its weight
  for (const double s : result.field(0, "stress", 0)) EXPECT_NEAR(s, 0, 1e-6);
}

}  // namespace
}  // namespace pliant::validation::looking_test
