// Each defect is seen, and each repair does what it says.
#include "pliant/mesh/surface_repair.h"

#include <gtest/gtest.h>

#include "pliant/mesh/surface.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant::mesh {
namespace {

double volume_of(const TriangleMesh& surface) { return signed_volume(surface.vertices, surface.triangles); }

bool mentions(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& n) { return n.find(words) != std::string::npos; });
}

TEST(SurfaceDefects, CleanSurfacesAreWatertight) {
  EXPECT_TRUE(find_defects(shapes::make_cube(2)).watertight());
  EXPECT_TRUE(find_defects(shapes::read_bunny()).watertight());
  EXPECT_NEAR(volume_of(shapes::make_cube(2)), 8, 1e-12);
}

TEST(SurfaceDefects, EachKindIsCountedAndPlaced) {
  TriangleMesh open = shapes::make_cube(2);
  open.triangles.pop_back();
  const SurfaceDefects holes = find_defects(open);
  EXPECT_EQ(holes.open_edges, 3);
  EXPECT_NE(holes.describe().find("3 open edges; the first is the edge between vertices"), std::string::npos);

  TriangleMesh turned = shapes::make_cube(2);
  std::swap(turned.triangles[0][1], turned.triangles[0][2]);
  EXPECT_EQ(find_defects(turned).disagreeing_edges, 3);

  TriangleMesh crowded = shapes::make_cube(2);
  crowded.vertices.emplace_back(3, 3, 3);
  crowded.triangles.emplace_back(0, 1, 8);
  EXPECT_EQ(find_defects(crowded).crowded_edges, 1);
  EXPECT_EQ(find_defects(crowded).open_edges, 2);

  TriangleMesh degenerate = shapes::make_cube(2);
  degenerate.triangles.emplace_back(0, 0, 1);
  EXPECT_EQ(find_defects(degenerate).degenerate_triangles, 1);

  TriangleMesh inverted = shapes::make_cube(2);
  shapes::turn(inverted);
  EXPECT_FALSE(find_defects(inverted).watertight());
  EXPECT_NE(find_defects(inverted).describe().find("face inwards"), std::string::npos);
}

TEST(SurfaceRepair, SoupOfTrianglesBecomesWatertight) {
  // Every triangle with its own three vertices, slightly off, some turned, one doubled, one without area.
  const TriangleMesh sphere = shapes::make_sphere(1, 2);
  TriangleMesh soup;
  for (const Vec3i& t : sphere.triangles) {
    const int first = static_cast<int>(soup.vertices.size());
    for (int k = 0; k < 3; ++k) soup.vertices.emplace_back(sphere.vertices[t[k]] + 1e-9 * Vec3(k, -k, 0.5 * k));
    soup.triangles.emplace_back(first, first + 1, first + 2);
    if (first % 5 == 0) std::swap(soup.triangles.back()[1], soup.triangles.back()[2]);
  }
  soup.triangles.push_back(soup.triangles[3]);
  soup.triangles.emplace_back(4, 4, 5);
  soup.vertices.emplace_back(0, 0, 5);
  ASSERT_FALSE(find_defects(soup).watertight());
  const RepairedSurface repaired = repair_surface(soup);
  EXPECT_TRUE(find_defects(repaired.surface).watertight()) << find_defects(repaired.surface).describe();
  EXPECT_EQ(repaired.surface.vertices.size(), sphere.vertices.size());
  EXPECT_EQ(repaired.surface.triangles.size(), sphere.triangles.size());
  EXPECT_NEAR(volume_of(repaired.surface), volume_of(sphere), 1e-7);
  EXPECT_TRUE(mentions(repaired.notes, "vertices merged"));
  EXPECT_TRUE(mentions(repaired.notes, "1 triangle without area dropped"));
  EXPECT_TRUE(mentions(repaired.notes, "1 doubled triangle dropped"));
  EXPECT_TRUE(mentions(repaired.notes, "turned to agree"));
}

TEST(SurfaceRepair, FlapsWithoutThicknessVanish) {
  TriangleMesh cube = shapes::make_cube(2);
  cube.vertices.emplace_back(0, 0, 3);
  cube.triangles.emplace_back(4, 7, 8);
  cube.triangles.emplace_back(4, 8, 7);
  const RepairedSurface repaired = repair_surface(cube);
  EXPECT_EQ(repaired.surface.triangles.size(), 12U);
  EXPECT_EQ(repaired.surface.vertices.size(), 8U);
  EXPECT_TRUE(find_defects(repaired.surface).watertight());
}

TEST(SurfaceRepair, InsideOutPatchesTurnButCavitiesStay) {
  TriangleMesh solids = shapes::make_sphere(1, 2), cavity = shapes::make_sphere(0.5, 2),
               other = shapes::make_sphere(1, 2);
  shapes::turn(cavity);
  shapes::turn(other);
  for (Vec3& x : other.vertices) x[0] += 5;
  const double big = volume_of(solids), hollow = -volume_of(cavity);
  shapes::append(solids, cavity);
  shapes::append(solids, other);
  const RepairedSurface repaired = repair_surface(solids);
  EXPECT_NEAR(volume_of(repaired.surface), 2 * big - hollow, 1e-12);
  EXPECT_TRUE(mentions(repaired.notes, "1 inside-out patch turned"));
}

TEST(SurfaceRepair, DragonKeepsItsVolume) {
  const TriangleMesh dragon = shapes::read_dragon();
  const SurfaceDefects before = find_defects(dragon);
  EXPECT_EQ(before.crowded_edges, 803);
  EXPECT_EQ(before.open_edges, 0);
  const RepairedSurface repaired = repair_surface(dragon);
  EXPECT_LT(find_defects(repaired.surface).crowded_edges, 50);
  EXPECT_NEAR(volume_of(repaired.surface), volume_of(dragon), 1e-3 * volume_of(dragon));
}

}  // namespace
}  // namespace pliant::mesh
