// XDMF: well-formed text whose references and slabs are those of the result.
#include "pliant/io/xdmf.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/io/result_scene.h"
#include "tests/support/places.h"

namespace pliant::io {
namespace {

using testing::append_frames;
using testing::small_scene;
using testing::TemporaryFolder;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Xdmf, NamesEveryBodyInEveryFrame) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 3);
  const std::string text = xdmf_text(writer.outline(), "result.h5");
  EXPECT_EQ(count(text, "CollectionType=\"Temporal\""), 5);
  EXPECT_EQ(count(text, "<Time Value="), 15);
  EXPECT_EQ(count(text, "GridType=\"Uniform\""), 15);
  EXPECT_EQ(count(text, "TopologyType=\"Tetrahedron\""), 6);
  EXPECT_EQ(count(text, "TopologyType=\"Polyline\""), 3);
  // The rod's name: its collection, and in each frame the grid, cells, points and not its four-component frames.
  EXPECT_EQ(count(text, "hair &lt;&amp;&gt; &quot;1&quot;"), 1 + 3 * 3);
  EXPECT_EQ(count(text, "2 0 0 1 1 1 1 40 3"), 2) << "sheet: positions and velocities of the last frame";
}

TEST(Xdmf, LeavesOutBodiesWithoutCells) {
  ResultOutline outline;
  outline.times = {0};
  outline.bodies = {{"empty", BodyKind::particles, {RevisionOutline{}}}};
  EXPECT_EQ(count(xdmf_text(outline, "result.h5"), "Uniform"), 0);
}

// The script reads every reference with h5py and compares shapes, types and cut-out rows.
TEST(Xdmf, ReferencesMatchTheData) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 3);
  writer.add_revision(1, small_scene(53)[1].mesh);
  auto cut = bodies;
  cut[1].mesh = small_scene(53)[1].mesh;
  append_frames(writer, cut, 3, 5);
  writer.finish();
  const std::string command = "/usr/bin/python3 '" + test::source_folder().string() +
                              "/tests/io/check_result.py' xdmf '" + folder.path().string() + "' 5";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace pliant::io
