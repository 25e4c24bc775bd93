// What readers promise about single cells: indices in range, distinct corners, positive volume.
#include "pliant/io/mesh_file_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

#include "pliant/input_error.h"

namespace pliant::io {
namespace {

TEST(MeshFileCells, EveryOrderOfCornersGivesPositiveVolume) {
  const TextScanner in("", "a", {});
  std::array<int, 4> order = {0, 1, 2, 3};
  int count = 0;
  do {
    TetMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    add_tet(in, Vec4i(order.data()), mesh);
    // Volume is positive exactly for the even orders of this tet, that is for an even number of inversions.
    const Vec4i& tet = mesh.tets[0];
    int inversions = 0;
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) inversions += tet[a] > tet[b];
    }
    EXPECT_EQ(inversions % 2, 0);
    ++count;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(count, 24);
}

TEST(MeshFileCells, FlatAndHugeTetsAreErrors) {
  const TextScanner in("", "a", {});
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-15}, {0, 0, 1e200}, {0, 1e200, 0}, {1e200, 0, 0}};
  EXPECT_THROW(add_tet(in, {0, 1, 2, 3}, mesh), InputError);
  EXPECT_THROW(add_tet(in, {0, 4, 5, 6}, mesh), InputError);
  mesh.vertices[3][2] = 1e-9;  // thin, but its orientation is certain
  EXPECT_NO_THROW(add_tet(in, {0, 1, 2, 3}, mesh));
}

TEST(MeshFileCells, IndicesAreChecked) {
  const TextScanner in("", "a", {});
  EXPECT_EQ(checked_index(in, 1, 1, 3), 0);
  EXPECT_EQ(checked_index(in, 3, 1, 3), 2);
  EXPECT_THROW(checked_index(in, 0, 1, 3), InputError);
  EXPECT_THROW(checked_index(in, 4, 1, 3), InputError);
  EXPECT_THROW(checked_index(in, std::numeric_limits<std::int64_t>::min(), 0, 3), InputError);
  EXPECT_THROW(checked_index(in, std::numeric_limits<std::int64_t>::max(), 0, 3), InputError);
  EXPECT_THROW(checked_index(in, 0, 0, 0), InputError);
}

TEST(MeshFileCells, AnnouncedCountsAreBoundedByTheFile) {
  const TextScanner in("0123456789", "a", {});
  EXPECT_EQ(believable_count(in, 3, 1), 3u);
  EXPECT_LE(believable_count(in, std::numeric_limits<std::int64_t>::max(), 5), 3u);
  EXPECT_EQ(believable_count(in, -1, 5), 0u);
}

}  // namespace
}  // namespace pliant::io
