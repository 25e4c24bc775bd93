// Boxes: numbering, volume, symmetry, and the surface as the solid's boundary.
#include "pliant/mesh/box_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>

#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/mesh_check.h"
#include "pliant/mesh/mesh_quality.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/error_sentence.h"
#include "tests/mesh/mirror_image.h"

namespace pliant {
namespace {

constexpr std::array<int, 3> kCounts[] = {{1, 1, 1}, {2, 1, 1}, {3, 4, 5}, {1, 2, 6}};

TEST(BoxMesh, VertexIndexFollowsTheDocumentedRule) {
  const TetMesh box = make_box({.size = {2.0, 3.0, 4.0}, .cells = {2, 3, 4}});
  ASSERT_EQ(box.vertices.size(), 3u * 4u * 5u);
  for (int k = 0; k <= 4; ++k)
    for (int j = 0; j <= 3; ++j)
      for (int i = 0; i <= 2; ++i)
        EXPECT_LT((box.vertices[(k * 4 + j) * 3 + i] - Vec3(i - 1.0, j - 1.5, k - 2.0)).norm(), 1e-15);
}

TEST(BoxMesh, FivePositiveTetsPerCellFillTheVolume) {
  for (const auto& cells : kCounts) {
    const TetMesh box = make_box({.size = {1.0, 2.0, 0.5}, .cells = cells});
    EXPECT_NO_THROW(check_tet_mesh(box, "box"));
    const std::size_t cell_count = static_cast<std::size_t>(cells[0]) * cells[1] * cells[2];
    EXPECT_EQ(box.tets.size(), 5 * cell_count);
    double sum = 0;
    for (const double volume : tet_volumes(box)) {
      // A third of the cell for the middle tet, a sixth for the others.
      const double share = volume * cell_count / 1.0;
      EXPECT_LT(std::min(std::abs(share - 1.0 / 3), std::abs(share - 1.0 / 6)), 1e-12);
      sum += volume;
    }
    EXPECT_NEAR(sum, 1.0, 1e-13);
  }
}

TEST(BoxMesh, CubeCellsHaveTheLatticeAngles) {
  const AngleRange angles = dihedral_angles(make_box({.cells = {2, 2, 2}}));
  EXPECT_NEAR(angles.smallest, std::acos(1 / std::sqrt(3.0)), 1e-14);
  EXPECT_NEAR(angles.largest, std::numbers::pi / 2, 1e-14);
}

TEST(BoxMesh, EvenCountsAreMirrorSymmetric) {
  const TetMesh even = make_box({.size = {1.0, 0.7, 0.3}, .cells = {4, 2, 6}});
  for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(is_mirror_symmetric(even.vertices, even.tets, axis));
  const TetMesh odd = make_box({.cells = {3, 2, 2}});
  EXPECT_FALSE(is_mirror_symmetric(odd.vertices, odd.tets, 0));
  EXPECT_TRUE(is_mirror_symmetric(odd.vertices, odd.tets, 1));
  EXPECT_TRUE(is_mirror_symmetric(odd.vertices, odd.tets, 2));
}

TEST(BoxMesh, TwoOddCountsLeaveHalfATurn) {
  const TetMesh box = make_box({.cells = {3, 2, 5}});
  EXPECT_TRUE(is_mirror_symmetric(box.vertices, box.tets, {0, 2}));
  EXPECT_FALSE(is_mirror_symmetric(box.vertices, box.tets, {0, 1}));
}

// Triangles as sets of rotated index triples: equal sets mean equal surfaces with equal orientation.
std::set<std::array<int, 3>> oriented_triangles(const TriangleMesh& mesh) {
  std::set<std::array<int, 3>> result;
  for (const Vec3i& t : mesh.triangles) {
    std::array<int, 3> v{t[0], t[1], t[2]};
    std::rotate(v.begin(), std::min_element(v.begin(), v.end()), v.end());
    result.insert(v);
  }
  return result;
}

TEST(BoxMesh, SurfaceIsTheBoundaryOfTheSolid) {
  for (const auto& cells : kCounts) {
    const BoxOptions options{.size = {1.0, 2.0, 0.5}, .cells = cells};
    const TriangleMesh surface = make_box_surface(options);
    const BoundarySurface boundary = boundary_surface(make_box(options));
    EXPECT_EQ(surface.vertices, boundary.surface.vertices);
    EXPECT_EQ(surface.triangles.size(), boundary.surface.triangles.size());
    EXPECT_EQ(oriented_triangles(surface), oriented_triangles(boundary.surface));
    const SurfaceTopology topology = inspect_surface(surface);
    EXPECT_TRUE(topology.closed() && topology.manifold() && topology.oriented());
    EXPECT_EQ(topology.euler_characteristic(), 2);
    EXPECT_NEAR(signed_volume(surface.vertices, surface.triangles), 1.0, 1e-14);
  }
}

TEST(BoxMesh, RefusedArgumentsAreNamed) {
  EXPECT_EQ(error_sentence([] {
              return make_box({.size = {1.0, 0.0, 1.0}}, "s.yaml:3");
            }),
            "s.yaml:3: box: size along y is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] {
              return make_box({.cells = {1, 1, 0}});
            }),
            "box: cells along z is 0; give a whole number from 1 to 50000000.");
  EXPECT_EQ(error_sentence([] {
              return make_box_surface({.cells = {1000, 1000, 1000}});
            }),
            "box: cells would make 1e+09 cells; give values that make at most 50000000.");
}

}  // namespace
}  // namespace pliant
