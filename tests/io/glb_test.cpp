// Binary glTF: what an independent reader (VTK) shows at the time of a kept frame is the frame.
#include "pliant/io/glb.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <limits>

#include "pliant/input_error.h"
#include "pliant/io/write_error.h"
#include "tests/io/poured_result.h"
#include "tests/io/result_scene.h"
#include "tests/support/places.h"

namespace pliant::io {
namespace {

using testing::make_frame;
using testing::small_scene;
using testing::TemporaryFolder;

constexpr int kGlbFrames = testing::CutResult::kFrames, kGlbCutAt = testing::CutResult::kCutAt;

// How a body is shown: so many glTF vertices, whose mean it is, for each of its points.
constexpr int kGlbRing = 8, kGlbSphere = 42;

class GlbExportTest : public ::testing::Test, protected testing::CutResult {
 protected:
  // What check_glb.py expects: per node and frame the time and the points, nothing in frames that do not show it.
  void write_expected(DrawnResult& result, const std::vector<int>& frames, int per_particle) {
    std::ofstream text(folder / "expected.json");
    text << std::setprecision(17) << "{";
    const std::vector<std::pair<std::string, int>> nodes = {
        {"jelly", 0}, {"sheet", 1}, {"sheet.1", 1}, {"hair <&> \\\"1\\\"", 2}, {"brick", 3}, {"grains", 4}};
    for (const auto& [name, body] : nodes) {
      const int group = body == 2 ? kGlbRing : body == 4 ? per_particle : 1;
      text << (body == 0 ? "" : ",\n") << '"' << name << "\": {\"group\": " << group << ", \"radius\": [";
      const std::vector<double>& radius = bodies[static_cast<std::size_t>(body)].mesh.radius;
      for (std::size_t i = 0; i < radius.size(); ++i) text << (i == 0 ? "" : ", ") << radius[i];
      text << "], \"frames\": [";
      for (const int frame : frames) {
        const bool is_shown = body != 1 || (name == "sheet") == (frame < kGlbCutAt);
        text << (frame == frames[0] ? "" : ",\n") << "{\"time\": " << frame / 60.0 << ", \"points\": [";
        const std::vector<Vec3> points = is_shown ? result.vertices(body, frame) : std::vector<Vec3>();
        for (std::size_t i = 0; i < points.size(); ++i)
          text << (i == 0 ? "" : ", ") << '[' << points[i][0] << ", " << points[i][1] << ", " << points[i][2] << ']';
        text << "]}";
      }
      text << "]}";
    }
    text << "}\n";
  }

  // 0: content; 77: a reader is not installed.
  int check(const std::string& mode) {
    const std::string command = "/usr/bin/python3 '" + test::source_folder().string() + "/tests/io/check_glb.py' " +
                                mode + " '" + (folder / "out.glb").string() + "' '" +
                                (folder / "expected.json").string() + "'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(GlbExportTest, FollowsTheSpecification) {
  DrawnResult result(folder / "run");
  const GlbReport report = write_glb(result, folder / "out.glb");
  EXPECT_EQ(report.frame_count, kGlbFrames);
  EXPECT_EQ(report.kept_frame_count, kGlbFrames);
  write_expected(result, {0, 1, 2, 3, 4, 5, 6}, kGlbSphere);
  const int status = check("layout");
  if (status == 77) GTEST_SKIP() << "python3-numpy is not installed";
  EXPECT_EQ(status, 0);
}

TEST_F(GlbExportTest, ShowsEveryFrameInVtk) {
  DrawnResult result(folder / "run");
  (void)write_glb(result, folder / "out.glb");
  write_expected(result, {0, 1, 2, 3, 4, 5, 6}, kGlbSphere);
  const int status = check("vtk");
  if (status == 77) GTEST_SKIP() << "python3-vtk9 is not installed";
  EXPECT_EQ(status, 0);
}

TEST_F(GlbExportTest, KeepsSomeFramesExactly) {
  DrawnResult result(folder / "run");
  const GlbReport report = write_glb(result, folder / "out.glb", {.max_targets = 3, .sphere_limit = 3});
  EXPECT_EQ(report.frame_count, kGlbFrames);
  // The jelly keeps 0, 3, 6; the sheet 0, 2, 3 before the cut and 4, 5, 6 after it.
  EXPECT_EQ(report.kept_frame_count, 6);
  // Frames 0, 3 and 6 are kept of every body; four grains are more than three, so they are points.
  write_expected(result, {0, 3, 6}, 1);
  const int status = check("layout");
  if (status == 77) GTEST_SKIP() << "python3-numpy is not installed";
  EXPECT_EQ(status, 0);
}

// The check itself must notice a wrong place.
TEST_F(GlbExportTest, TheCheckNoticesAWrongFrame) {
  DrawnResult result(folder / "run");
  (void)write_glb(result, folder / "out.glb", {.max_targets = 2});
  write_expected(result, {0, 2, 6}, kGlbSphere);  // frame 2 is not kept: the jelly mixes it of 0 and 6
  for (const std::string mode : {"layout", "vtk"}) {
    const int status = check(mode + " quiet");
    EXPECT_TRUE(status == 1 || status == 77) << mode << ": " << status;
  }
}

TEST_F(GlbExportTest, LeavesOutWhatIsEmptyAndStill) {
  auto still = small_scene();
  still.resize(2);
  still[0].mesh = point_mesh({});
  const TemporaryFolder other;
  {
    ResultWriter writer(other / "run", still);
    for (int number = 0; number < 3; ++number) {
      auto stored = make_frame(still, 0);
      stored.frame.time = number;
      writer.append(stored.frame);
    }
    writer.finish();
  }
  DrawnResult result(other / "run");
  const GlbReport report = write_glb(result, other / "out.glb");
  EXPECT_EQ(report.kept_frame_count, 3);
  const std::string bytes = testing::content(other / "out.glb");
  EXPECT_EQ(bytes.find("\"targets\""), std::string::npos);
  EXPECT_EQ(bytes.find("\"animations\""), std::string::npos);
  EXPECT_EQ(bytes.find("jelly"), std::string::npos);
  EXPECT_NE(bytes.find("sheet"), std::string::npos);
}

// In the first frame one of three grains is born: as points, the others are where it is; as spheres, they have no size.
TEST_F(GlbExportTest, UnbornGrainsAreNotSeen) {
  const testing::PouredResult poured;
  DrawnResult result(poured.folder / "run");
  (void)write_glb(result, poured.folder / "points.glb", {.sphere_limit = 2});
  const std::string points = testing::content(poured.folder / "points.glb");
  EXPECT_NE(points.find("\"max\":[1.0,2.0,3.0],\"min\":[1.0,2.0,3.0]"), std::string::npos) << points.substr(0, 4000);
  (void)write_glb(result, poured.folder / "spheres.glb");
  const std::string spheres = testing::content(poured.folder / "spheres.glb");
  EXPECT_NE(spheres.find("\"max\":[4.0,8.0,6.0],\"min\":[-7.0,1.875,-9.0]"), std::string::npos)
      << spheres.substr(0, 4000);
}

TEST_F(GlbExportTest, RefusesWhatItCannotShow) {
  DrawnResult result(folder / "run");
  EXPECT_THROW((void)write_glb(result, folder / "out.glb", {.max_targets = 1}), InputError);
  EXPECT_THROW((void)write_glb(result, folder / "missing" / "out.glb"), WriteError);
  {
    ResultWriter writer(folder / "broken", bodies);
    auto stored = make_frame(bodies, 0);
    stored.positions[1][5][0] = std::numeric_limits<double>::quiet_NaN();
    writer.append(stored.frame);
    writer.finish();
  }
  DrawnResult broken(folder / "broken");
  EXPECT_THROW((void)write_glb(broken, folder / "broken.glb"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "broken.glb"));
  EXPECT_FALSE(std::filesystem::exists(folder / "broken.glb.partial"));
  { ResultWriter writer(folder / "empty", bodies); }
  DrawnResult empty(folder / "empty");
  EXPECT_THROW((void)write_glb(empty, folder / "empty.glb"), InputError);
}

}  // namespace
}  // namespace pliant::io
