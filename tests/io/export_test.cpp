// Export: the right surface of every body, in every frame, readable by our own readers.
#include "pliant/io/export.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "pliant/input_error.h"
#include "pliant/io/obj.h"
#include "pliant/io/ply.h"
#include "tests/io/result_scene.h"
#include "tests/support/places.h"

namespace pliant::io {
namespace {

using testing::append_frames;
using testing::make_frame;
using testing::small_scene;
using testing::TemporaryFolder;

constexpr int kFrames = 3;

class Export : public ::testing::Test {
 protected:
  Export() {
    ResultWriter writer(folder / "run", bodies);
    append_frames(writer, bodies, 0, kFrames);
    writer.finish();
  }
  TemporaryFolder folder;
  std::vector<BodyDescription> bodies = small_scene();
};

// jelly: 3 vertices and 1 triangle of its skin; sheet: 40 and 38; hair: 3; brick: 5 and the 6 boundary faces;
// grains: 4.
constexpr std::size_t kVertices = 3 + 40 + 3 + 5 + 4;
constexpr std::size_t kTriangles = 1 + 38 + 0 + 6 + 0;

void expect_frame(const TriangleMesh& mesh, const std::vector<BodyDescription>& bodies, int number) {
  ASSERT_EQ(mesh.vertices.size(), kVertices);
  ASSERT_EQ(mesh.triangles.size(), kTriangles);
  const auto frame = make_frame(bodies, number);
  // The skin follows its tet.
  const std::vector<Vec3>& jelly = frame.positions[0];
  const Vec4 weights = bodies[0].mesh.surface->weights[1];
  const Vec3 expected = weights[0] * jelly[0] + weights[1] * jelly[1] + weights[2] * jelly[2] + weights[3] * jelly[3];
  EXPECT_LT((mesh.vertices[1] - expected).norm(), 1e-14);
  // The sheet is itself; the brick is where its pose puts it; triangles of later bodies start after earlier vertices.
  EXPECT_EQ(mesh.vertices[3 + 17], frame.positions[1][17]);
  EXPECT_EQ(mesh.triangles[1], Vec3i(3, 4, 5));
  EXPECT_EQ(mesh.vertices[46 + 4], frame.frame.bodies[3].pose.apply(bodies[3].mesh.rest_positions[4]));
  EXPECT_GE(mesh.triangles[39].minCoeff(), 46);
  EXPECT_LT(mesh.triangles[44].maxCoeff(), 51);
}

TEST_F(Export, WritesObjSequences) {
  const ExportReport report = export_result(folder / "run", ExportFormat::obj, folder / "out");
  EXPECT_EQ(report.frame_count, kFrames);
  EXPECT_EQ(report.file_count, kFrames);
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::string name = "frame_000" + std::to_string(frame) + ".obj";
    std::ifstream stream(folder / "out" / name);
    ASSERT_TRUE(stream);
    expect_frame(read_obj(stream, name), bodies, frame);
  }
  // Rods and grains as lines and points, counted from one, after 43 and 51 vertices.
  std::ifstream stream(folder / "out" / "frame_0000.obj");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("\nl 44 45\nl 45 46\np 52\np 53\np 54\np 55\n"), std::string::npos);
}

TEST_F(Export, WritesPlySequences) {
  EXPECT_EQ(export_result(folder / "run", ExportFormat::ply, folder / "out").file_count, kFrames);
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::string name = "frame_000" + std::to_string(frame) + ".ply";
    std::ifstream stream(folder / "out" / name, std::ios::binary);
    ASSERT_TRUE(stream);
    expect_frame(read_ply(stream, name), bodies, frame);
  }
}

TEST_F(Export, WritesPointCachesPerBodyAndRevision) {
  const BodyMesh cut = small_scene(53)[1].mesh;
  {
    ResultWriter writer = ResultWriter::reopen(folder / "run", kFrames);
    writer.add_revision(1, cut);
    auto later = bodies;
    later[1].mesh = cut;
    append_frames(writer, later, kFrames, kFrames + 2);
    writer.finish();
  }
  EXPECT_EQ(export_result(folder / "run", ExportFormat::pc2, folder / "out").file_count, 2 * 6);
  const auto size = [&](const char* name) { return std::filesystem::file_size(folder / "out" / name); };
  EXPECT_EQ(size("sheet.pc2"), 32u + 40 * 12 * kFrames);
  EXPECT_EQ(size("sheet.1.pc2"), 32u + 53 * 12 * 2);
  EXPECT_EQ(size("jelly.pc2"), 32u + 3 * 12 * (kFrames + 2));
  std::ifstream stream(folder / "out" / "sheet.obj");
  EXPECT_EQ(read_obj(stream, "sheet.obj").vertices.at(17), make_frame(bodies, 0).positions[1][17]);
}

TEST_F(Export, ReadsRunsThatWereNotFinished) {
  {
    ResultWriter writer = ResultWriter::reopen(folder / "run", 1);
    append_frames(writer, bodies, 1, 2);
  }
  EXPECT_EQ(export_result(folder / "run", ExportFormat::ply, folder / "out").frame_count, 2);
}

TEST_F(Export, WritesSingleFilesForUsdAndGltf) {
  for (const char* name : {"usda", "glb"}) {
    const std::filesystem::path file = folder / (std::string("out.") + name);
    const ExportReport report = export_result(folder / "run", export_format_from(name), file);
    EXPECT_EQ(report.file_count, 1);
    EXPECT_EQ(report.kept_frames, report.frame_count);
    EXPECT_GT(std::filesystem::file_size(file), 1000U);
  }
}

TEST_F(Export, VtkReadsTheSequences) {
  ASSERT_EQ(export_result(folder / "run", ExportFormat::obj, folder / "obj").frame_count, kFrames);
  ASSERT_EQ(export_result(folder / "run", ExportFormat::ply, folder / "ply").frame_count, kFrames);
  const std::string command = "/usr/bin/python3 '" + test::source_folder().string() + "/tests/io/check_export.py' '" +
                              (folder / "run" / "result.h5").string() + "' '" + (folder / "obj").string() + "' '" +
                              (folder / "ply").string() + "'";
  const int status = WEXITSTATUS(std::system(command.c_str()));
  if (status == 77) GTEST_SKIP() << "python3-vtk9 or python3-h5py is not installed";
  EXPECT_EQ(status, 0);
}

TEST(ExportFormat, UnknownNamesAreRefused) {
  EXPECT_EQ(export_format_from("pc2"), ExportFormat::pc2);
  EXPECT_THROW((void)export_format_from("fbx"), InputError);
}

}  // namespace
}  // namespace pliant::io
