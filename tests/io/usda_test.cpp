// USD as text: a reader written from the published grammar finds every body where the result has it, in every frame.
#include "pliant/io/usda.h"

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

using testing::append_frames;
using testing::content;
using testing::make_frame;
using testing::small_scene;
using testing::TemporaryFolder;

constexpr int kUsdaFrames = testing::CutResult::kFrames, kUsdaCutAt = testing::CutResult::kCutAt;

struct UsdaExpectation {
  std::string prim, type, name;
  int body = 0, first = 0, end = kUsdaFrames;
};
const std::vector<UsdaExpectation> kUsdaPrims = {
    {"jelly", "Mesh", "jelly", 0},
    {"sheet", "Mesh", "sheet", 1, 0, kUsdaCutAt},
    {"sheet_1", "Mesh", "sheet", 1, kUsdaCutAt, kUsdaFrames},
    {"hair______1_", "BasisCurves", "hair <&> \\\"1\\\"", 2},
    {"brick", "Mesh", "brick", 3},
    {"grains", "Points", "grains", 4},
};

class UsdaExportTest : public ::testing::Test, protected testing::CutResult {
 protected:
  // shift: moves the expected points, m.
  void write_expected(DrawnResult& result, double shift) {
    std::ofstream text(folder / "expected.json");
    text << std::setprecision(17) << "{\"rate\": 60, \"prims\": {";
    for (const UsdaExpectation& prim : kUsdaPrims) {
      text << (prim.body == 0 ? "" : ",\n") << '"' << prim.prim << "\": {\"type\": \"" << prim.type
           << "\", \"shows\": \"" << prim.name << "\", \"frames\": [";
      for (int frame = 0; frame < kUsdaFrames; ++frame) {
        const bool is_shown = frame >= prim.first && frame < prim.end;
        const std::vector<Vec3> points = is_shown ? result.vertices(prim.body, frame) : std::vector<Vec3>();
        text << (frame == 0 ? "" : ",\n") << "{\"time\": " << frame / 60.0 << ", \"points\": [";
        for (std::size_t i = 0; i < points.size(); ++i)
          text << (i == 0 ? "" : ", ") << '[' << points[i][0] + shift << ", " << points[i][1] << ", " << points[i][2]
               << ']';
        text << "]}";
      }
      text << "]}";
    }
    text << "}}\n";
  }

  // 0: content; 77: what the script needs is not installed.
  int check(const std::string& options = "") {
    const std::string command = "/usr/bin/python3 '" + test::source_folder().string() + "/tests/io/check_usda.py' '" +
                                (folder / "out.usda").string() + "' '" + (folder / "expected.json").string() + "' " +
                                options;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(UsdaExportTest, ShowsEveryFrame) {
  DrawnResult result(folder / "run");
  write_usda(result, folder / "out.usda");
  write_expected(result, 0);
  const int status = check();
  if (status == 77) GTEST_SKIP() << "python3-numpy is not installed";
  EXPECT_EQ(status, 0);
}

TEST_F(UsdaExportTest, TheCheckNoticesWrongPlacesAndWrongGrammar) {
  DrawnResult result(folder / "run");
  write_usda(result, folder / "out.usda");
  write_expected(result, 1e-5);
  const int status = check("quiet");
  if (status == 77) GTEST_SKIP() << "python3-numpy is not installed";
  EXPECT_EQ(status, 1);
  write_expected(result, 0);
  const std::string text = content(folder / "out.usda");
  const std::vector<std::pair<std::string, std::string>> mistakes = {{"upAxis = ", "upAxis "},
                                                                     {"def Mesh \"brick\"", "def Mesh \"2brick\""},
                                                                     {"\"inherited\"", "inherited"},
                                                                     {"uniform bool doubleSided = 1\n", ""}};
  for (const auto& [right, wrong] : mistakes) {
    std::string changed = text;
    const std::size_t place = changed.find(right);
    ASSERT_NE(place, std::string::npos) << right;
    changed.replace(place, right.size(), wrong);
    std::ofstream(folder / "out.usda") << changed;
    EXPECT_EQ(check("quiet"), 1) << right;
  }
}

// A body at rest has two samples, and times that are no multiples of a frame are kept.
TEST_F(UsdaExportTest, WritesFewSamplesOfWhatRests) {
  auto one = small_scene();
  one = {one[4]};
  const TemporaryFolder other;
  {
    ResultWriter writer(other / "run", one);
    for (const double time : {0.0, 0.25, 0.375, 0.5, 1.0}) {
      auto stored = make_frame(one, time < 1 ? 0 : 1);
      stored.frame.time = time;
      writer.append(stored.frame);
    }
    writer.finish();
  }
  DrawnResult result(other / "run");
  write_usda(result, other / "out.usda");
  const std::string text = content(other / "out.usda");
  EXPECT_NE(text.find("timeCodesPerSecond = 4\n"), std::string::npos);
  EXPECT_NE(text.find("endTimeCode = 4\n"), std::string::npos);
  const std::string samples = text.substr(text.find("points.timeSamples"), text.find("extent.timeSamples"));
  for (const char* written : {"\n            0: [", "\n            2: [", "\n            4: ["})
    EXPECT_NE(samples.find(written), std::string::npos) << written;
  for (const char* left_out : {"\n            1: [", "\n            1.5: ["})
    EXPECT_EQ(samples.find(left_out), std::string::npos) << left_out;
}

// As many points and widths as grains are born.
TEST_F(UsdaExportTest, UnbornGrainsAreLeftOut) {
  const testing::PouredResult poured;
  DrawnResult result(poured.folder / "run");
  write_usda(result, poured.folder / "out.usda");
  const std::string text = content(poured.folder / "out.usda");
  for (const char* written : {"0: [(1, 2, 3)]", "1: [(1, 1, 3), (4, 5, 6)]", "2: [(1, 0, 3), (4, 5, 6), (-7, 8, -9)]",
                              "0: [0.25]", "1: [0.25, 0.5]", "2: [0.25, 0.5, 1]"})
    EXPECT_NE(text.find(written), std::string::npos) << written << " in\n" << text;
}

TEST_F(UsdaExportTest, NamesAreValidAndUnique) {
  const auto scene = small_scene();
  std::vector<BodyDescription> named(5, scene[4]);
  const std::vector<std::string> names = {"a b", "a_b", "7", "materials", "größe \\"};
  for (std::size_t i = 0; i < names.size(); ++i) named[i].name = names[i];
  const TemporaryFolder other;
  {
    ResultWriter writer(other / "run", named);
    append_frames(writer, named, 0, 1);
    writer.finish();
  }
  DrawnResult result(other / "run");
  write_usda(result, other / "out.usda");
  const std::string text = content(other / "out.usda");
  for (const char* prim : {"a_b", "a_b_1", "_7", "materials_1", "gr____e__"})
    EXPECT_NE(text.find("def Points \"" + std::string(prim) + "\" ("), std::string::npos) << prim;
  EXPECT_NE(text.find("displayName = \"größe \\\\\""), std::string::npos);
  EXPECT_NE(text.find("timeCodesPerSecond = 24\n"), std::string::npos);  // a single frame has no rate
}

TEST_F(UsdaExportTest, RefusesWhatItCannotShow) {
  DrawnResult result(folder / "run");
  EXPECT_THROW(write_usda(result, folder / "missing" / "out.usda"), WriteError);
  {
    ResultWriter writer(folder / "broken", bodies);
    auto stored = make_frame(bodies, 0);
    stored.positions[1][5][0] = std::numeric_limits<double>::quiet_NaN();
    writer.append(stored.frame);
    writer.finish();
  }
  DrawnResult broken(folder / "broken");
  EXPECT_THROW(write_usda(broken, folder / "broken.usda"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "broken.usda"));
  EXPECT_FALSE(std::filesystem::exists(folder / "broken.usda.partial"));
  { ResultWriter writer(folder / "empty", bodies); }
  DrawnResult empty(folder / "empty");
  EXPECT_THROW(write_usda(empty, folder / "empty.usda"), InputError);
}

TEST(CurvesOfSegments, FollowsRodsBranchesAndRings) {
  using Curves = std::vector<std::vector<int>>;
  EXPECT_EQ(curves_of_segments({}), Curves());
  // Two rods, one with its segments and their corners out of order.
  const std::vector<int> rods = {2, 1, 0, 1, 5, 4};
  EXPECT_EQ(curves_of_segments(rods), (Curves{{2, 1, 0}, {5, 4}}));
  // Three arms that meet in 0, one of them of two segments.
  const std::vector<int> star = {0, 1, 0, 2, 3, 0, 3, 4};
  EXPECT_EQ(curves_of_segments(star), (Curves{{0, 1}, {0, 2}, {0, 3, 4}}));
  const std::vector<int> ring = {0, 1, 1, 2, 2, 0};
  EXPECT_EQ(curves_of_segments(ring), (Curves{{0, 1, 2, 0}}));
  const std::vector<int> point_like = {3, 3};
  EXPECT_EQ(curves_of_segments(point_like), (Curves{{3, 3}}));
}

}  // namespace
}  // namespace pliant::io
