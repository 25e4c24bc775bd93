// ResultReader: meshes come back as given, runs can be watched, and files that are no results are refused.
#include "pliant/io/result_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::append_frames;
using testing::difference;
using testing::same_bits;
using testing::small_scene;
using testing::TemporaryFolder;

TEST(ResultReader, ReturnsMeshesAsGiven) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  { ResultWriter writer(folder.path(), bodies); }
  const ResultReader reader(folder / "result.h5");
  for (int i = 0; i < static_cast<int>(bodies.size()); ++i) {
    const BodyMesh& expected = bodies[static_cast<std::size_t>(i)].mesh;
    const BodyMesh mesh = reader.mesh(i, 0);
    EXPECT_TRUE(same_bits(mesh.rest_positions, expected.rest_positions));
    EXPECT_EQ(mesh.cells, expected.cells);
    EXPECT_EQ(mesh.shape, expected.shape);
    EXPECT_TRUE(same_bits(mesh.texture, expected.texture));
    ASSERT_EQ(mesh.surface.has_value(), expected.surface.has_value());
    if (!mesh.surface) continue;
    EXPECT_TRUE(same_bits(mesh.surface->surface.vertices, expected.surface->surface.vertices));
    EXPECT_TRUE(same_bits(mesh.surface->surface.triangles, expected.surface->surface.triangles));
    EXPECT_TRUE(same_bits(mesh.surface->surface.texture, expected.surface->surface.texture));
    EXPECT_EQ(mesh.surface->tet, expected.surface->tet);
    EXPECT_TRUE(same_bits(mesh.surface->weights, expected.surface->weights));
  }
}

TEST(ResultReader, WatchesARunThatGoesOn) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 3);
  {
    const ResultReader early(folder.path());
    append_frames(writer, bodies, 3, 70);
    EXPECT_EQ(early.frame_count(), 3);
    for (int frame = 0; frame < 3; ++frame) EXPECT_EQ(difference(early, bodies, frame), "");
    const ResultReader late(folder.path());
    ASSERT_EQ(late.frame_count(), 70);
    for (int frame = 0; frame < 70; ++frame) EXPECT_EQ(difference(late, bodies, frame), "");
  }
  append_frames(writer, bodies, 70, 71);
  EXPECT_FALSE(std::filesystem::exists(folder / "result.h5.log"));
  writer.finish();
  EXPECT_EQ(ResultReader(folder.path()).frame_count(), 71);
}

TEST(ResultReader, RefusesWhatIsNoResult) {
  const TemporaryFolder folder;
  EXPECT_THROW(ResultReader(folder.path()), InputError);
  std::ofstream(folder / "result.h5") << "not an HDF5 file";
  EXPECT_THROW(ResultReader(folder.path()), InputError);
  std::ofstream(folder / "result.h5").close();
  EXPECT_THROW(ResultReader(folder.path()), InputError);
}

TEST(ResultReader, RefusesACutFile) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 4);
  writer.finish();
  const auto size = std::filesystem::file_size(folder / "result.h5");
  for (const auto kept : {size - 1, size / 2, size / 8}) {
    std::filesystem::resize_file(folder / "result.h5", kept);
    EXPECT_THROW(ResultReader(folder.path()), InputError) << kept;
  }
}

}  // namespace
}  // namespace pliant::io
