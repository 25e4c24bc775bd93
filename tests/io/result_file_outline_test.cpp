// The outline: matches what was written, and refuses results whose parts disagree.
#include "pliant/io/result_file_outline.h"

#include <gtest/gtest.h>

#include <functional>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::append_frames;
using testing::small_scene;
using testing::TemporaryFolder;

void write_result(const std::filesystem::path& folder, int frames) {
  const auto bodies = small_scene();
  ResultWriter writer(folder, bodies);
  append_frames(writer, bodies, 0, frames);
  writer.finish();
}

TEST(ResultFileOutline, MatchesWhatWasWritten) {
  const TemporaryFolder folder;
  write_result(folder.path(), 3);
  const auto bodies = small_scene();
  const ResultReader reader(folder.path());
  const ResultOutline& outline = reader.outline();
  ASSERT_EQ(outline.bodies.size(), bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    EXPECT_EQ(outline.bodies[i].name, bodies[i].name);
    EXPECT_EQ(outline.bodies[i].kind, bodies[i].kind);
    const RevisionOutline& revision = outline.bodies[i].revisions.at(0);
    EXPECT_EQ(revision.shape, bodies[i].mesh.shape);
    EXPECT_EQ(revision.motion, bodies[i].motion);
    EXPECT_EQ(revision.fields, bodies[i].fields);
    EXPECT_EQ(revision.vertex_count, static_cast<std::int64_t>(bodies[i].mesh.rest_positions.size()));
    EXPECT_EQ(revision.cell_count, static_cast<std::int64_t>(bodies[i].mesh.cell_count()));
  }
}

// Changes a good result with plain HDF5 and expects a sentence instead of a result.
void expect_refused(const std::function<void(hid_t)>& damage, const std::string& words) {
  const TemporaryFolder folder;
  write_result(folder.path(), 3);
  const hid_t file = H5Fopen((folder / "result.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  damage(file);
  H5Fclose(file);
  try {
    const ResultReader reader(folder.path());
    FAIL() << "no error: " << words;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

void resize(hid_t file, const char* name, std::vector<hsize_t> shape) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  ASSERT_GE(H5Dset_extent(dataset, shape.data()), 0);
  H5Dclose(dataset);
}

void set_number(hid_t file, const char* object, const char* name, std::int64_t value) {
  const hid_t owner = H5Oopen(file, object, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(owner, name, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &value), 0);
  H5Aclose(attribute);
  H5Oclose(owner);
}

TEST(ResultFileOutline, RefusesPartsThatDisagree) {
  expect_refused([](hid_t file) { resize(file, "bodies/sheet/revisions/0/positions", {2, 40, 3}); }, "sheet.positions");
  expect_refused(
      [](hid_t file) {
        resize(file, "bodies/sheet/revisions/0/velocities", {4, 40, 3});
      },
      "sheet.velocities");
  expect_refused([](hid_t file) { resize(file, "steps", {2}); }, "times and steps");
  expect_refused([](hid_t file) { H5Ldelete(file, "bodies/brick/revisions/0/cells", H5P_DEFAULT); }, "cells");
  expect_refused([](hid_t file) { H5Ldelete(file, "bodies/brick/revisions/0", H5P_DEFAULT); }, "has no mesh");
  expect_refused([](hid_t file) { H5Ldelete(file, "times", H5P_DEFAULT); }, "times");
  expect_refused([](hid_t file) { H5Adelete(file, "format"); }, "format");
  expect_refused([](hid_t file) { set_number(file, "/", "format_version", 99); }, "format version 99");
  expect_refused([](hid_t file) { set_number(file, "bodies/sheet", "index", 0); }, "numbered wrongly");
  expect_refused([](hid_t file) { H5Adelete_by_name(file, "bodies/sheet", "kind", H5P_DEFAULT); }, "kind");
}

}  // namespace
}  // namespace pliant::io
