// Boundaries and topology: each fault is planted in a sound mesh and must be the one reported.
#include "pliant/mesh/surface.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>
#include <numeric>

#include "pliant/assert.h"
#include "pliant/mesh/ball_mesh.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/round_surfaces.h"

namespace pliant {
namespace {

// A tetrahedron's four faces, seen from outside.
TriangleMesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}, {}};
}

void append(TriangleMesh& mesh, const TriangleMesh& other, const Vec3& shift) {
  const int start = static_cast<int>(mesh.vertices.size());
  for (const Vec3& x : other.vertices) mesh.vertices.push_back(x + shift);
  for (const Vec3i& t : other.triangles) mesh.triangles.push_back(t.array() + start);
}

TEST(Surface, BoundaryOfOneTetFacesOutwards) {
  const TetMesh tet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  const std::vector<Vec3i> expected{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  EXPECT_EQ(boundary_triangles(tet), expected);
  EXPECT_NEAR(signed_volume(tet.vertices, expected), 1.0 / 6, 1e-16);
}

TEST(Surface, BoundaryEnclosesTheVolumeOfTheTets) {
  for (const TetMesh& mesh : {make_box({.size = {1.0, 2.0, 3.0}, .cells = {3, 2, 4}}), make_ball({.cells = 6})}) {
    const std::vector<Vec3i> triangles = boundary_triangles(mesh);
    const std::vector<double> volumes = tet_volumes(mesh);
    const double volume = std::accumulate(volumes.begin(), volumes.end(), 0.0);
    EXPECT_NEAR(signed_volume(mesh.vertices, triangles), volume, 1e-13 * volume);
    for (const Vec3i& t : triangles) EXPECT_EQ(t.minCoeff(), t[0]);
  }
}

TEST(Surface, BoundaryVerticesPointBackToTheSolid) {
  const TetMesh box = make_box({.cells = {3, 3, 3}});
  const BoundarySurface boundary = boundary_surface(box);
  EXPECT_EQ(boundary.tet_vertex.size(), 64u - 8u);
  EXPECT_TRUE(std::is_sorted(boundary.tet_vertex.begin(), boundary.tet_vertex.end()));
  for (std::size_t v = 0; v < boundary.tet_vertex.size(); ++v)
    EXPECT_EQ(boundary.surface.vertices[v], box.vertices[boundary.tet_vertex[v]]);
  const std::vector<Vec3i> triangles = boundary_triangles(box);
  ASSERT_EQ(triangles.size(), boundary.surface.triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(boundary.tet_vertex[boundary.surface.triangles[t][c]], triangles[t][c]);
}

TEST(Surface, SoundTetrahedron) {
  const SurfaceTopology topology = inspect_surface(tetrahedron());
  EXPECT_TRUE(topology.closed() && topology.manifold() && topology.oriented());
  EXPECT_EQ(topology.euler_characteristic(), 2);
  EXPECT_EQ(topology.edge_count, 6);
  EXPECT_EQ(topology.component_count, 1);
}

TEST(Surface, HoleIsReportedByItsEdges) {
  TriangleMesh mesh = tetrahedron();
  mesh.triangles.erase(mesh.triangles.begin());
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_FALSE(topology.closed());
  EXPECT_TRUE(topology.manifold() && topology.oriented());
  EXPECT_EQ(topology.boundary_edges, (std::vector<Edge>{{1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(topology.euler_characteristic(), 1);
}

TEST(Surface, TurnedTriangleIsReportedByItsEdges) {
  TriangleMesh mesh = tetrahedron();
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_TRUE(topology.closed() && topology.manifold());
  EXPECT_FALSE(topology.oriented());
  EXPECT_EQ(topology.misoriented_edges, (std::vector<Edge>{{1, 2}, {1, 3}, {2, 3}}));
}

TEST(Surface, FinOnAnEdgeIsNotManifold) {
  TriangleMesh mesh = tetrahedron();
  mesh.vertices.emplace_back(2, 2, 2);
  mesh.triangles.emplace_back(1, 2, 4);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_FALSE(topology.closed());
  EXPECT_FALSE(topology.manifold());
  EXPECT_EQ(topology.non_manifold_edges, (std::vector<Edge>{{1, 2}}));
  EXPECT_EQ(topology.boundary_edges, (std::vector<Edge>{{1, 4}, {2, 4}}));
}

TEST(Surface, TouchingTipsAreNotManifold) {
  // Two tetrahedra share vertex 0 and nothing else.
  TriangleMesh mesh = tetrahedron();
  for (const Vec3& x : {Vec3(-1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, -1)}) mesh.vertices.push_back(x);
  for (const Vec3i& t : {Vec3i(4, 6, 5), Vec3i(0, 5, 6), Vec3i(0, 6, 4), Vec3i(0, 4, 5)}) mesh.triangles.push_back(t);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_TRUE(topology.closed() && topology.oriented());
  EXPECT_FALSE(topology.manifold());
  EXPECT_EQ(topology.non_manifold_vertices, std::vector<int>{0});
  EXPECT_EQ(topology.component_count, 1);
}

TEST(Surface, DegenerateDuplicateAndUnreferencedAreListed) {
  TriangleMesh mesh = tetrahedron();
  mesh.vertices.emplace_back(0.5, 0.0, 0.0);  // on the line from 0 to 1, used by a flat triangle only
  mesh.vertices.emplace_back(7, 7, 7);
  mesh.triangles.emplace_back(0, 4, 1);
  mesh.triangles.emplace_back(2, 2, 3);
  mesh.triangles.emplace_back(3, 2, 1);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_EQ(topology.degenerate_triangles, (std::vector<int>{4, 5}));
  EXPECT_EQ(topology.duplicate_triangles, std::vector<int>{6});
  EXPECT_EQ(topology.unreferenced_vertices, std::vector<int>{5});
  EXPECT_TRUE(topology.closed() && topology.manifold() && topology.oriented());
  EXPECT_EQ(topology.triangle_count, 4);
}

TEST(Surface, ComponentsAddUp) {
  TriangleMesh mesh = make_torus({.segments = 12});
  append(mesh, make_sphere_surface({.subdivisions = 1}), {3, 0, 0});
  append(mesh, make_grid({.cells = {3, 3}}), {6, 0, 0});
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_EQ(topology.component_count, 3);
  EXPECT_EQ(topology.euler_characteristic(), 0 + 2 + 1);
  EXPECT_EQ(topology.boundary_edges.size(), 12u);
}

TEST(Surface, MoebiusBandCannotBeOriented) {
  // Five triangles in a ring with a half twist.
  TriangleMesh mesh;
  for (int i = 0; i < 5; ++i) mesh.vertices.emplace_back(std::cos(1.2566 * i), std::sin(1.2566 * i), 0.1 * i * i);
  for (int i = 0; i < 5; ++i) mesh.triangles.emplace_back(i, (i + 1) % 5, (i + 2) % 5);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_TRUE(topology.manifold());
  EXPECT_FALSE(topology.oriented());
  EXPECT_EQ(topology.euler_characteristic(), 0);
  EXPECT_EQ(topology.boundary_edges.size(), 5u);
}

TEST(Surface, EmptyMeshIsNotClosed) {
  EXPECT_FALSE(inspect_surface(TriangleMesh{}).closed());
  EXPECT_EQ(signed_volume({}, {}), 0);
}

TEST(Surface, IndicesOutOfRangeAreOurMistake) {
  TriangleMesh mesh = tetrahedron();
  mesh.triangles[0][0] = 4;
  EXPECT_THROW(static_cast<void>(inspect_surface(mesh)), InternalError);
}

TEST(Surface, AreaVectorsOfAClosedSurfaceCancel) {
  const TriangleMesh capsule = make_capsule({.segments = 17});
  Vec3 sum = Vec3::Zero();
  for (const Vec3& a : area_vectors(capsule.vertices, capsule.triangles)) sum += a;
  EXPECT_LT(sum.norm(), 1e-14);
}

TEST(Surface, VertexAreasShareTheArea) {
  const TriangleMesh sheet = make_grid({.size = {1.0, 1.0}, .cells = {4, 4}, .pattern = GridPattern::cross});
  const std::vector<double> areas = vertex_areas(sheet.vertices, sheet.triangles);
  EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.0), 1.0, 1e-14);
  EXPECT_NEAR(surface_area(sheet.vertices, sheet.triangles), 1.0, 1e-14);
  EXPECT_NEAR(areas[0], 2.0 / 64 / 3, 1e-16);   // a corner: two of the 64 triangles
  EXPECT_NEAR(areas[12], 8.0 / 64 / 3, 1e-16);  // the middle: eight
  EXPECT_NEAR(areas[25], 4.0 / 64 / 3, 1e-16);  // a cell's middle: four
}

TEST(Surface, SignedVolumeIgnoresRigidMotionAndFollowsOrientation) {
  TriangleMesh torus = make_torus({.segments = 24});
  const double volume = signed_volume(torus.vertices, torus.triangles);
  const Eigen::Quaterniond rotation(Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()));
  for (Vec3& x : torus.vertices) x = rotation * x + Vec3(1e3, -2e3, 5e2);
  EXPECT_NEAR(signed_volume(torus.vertices, torus.triangles), volume, 1e-11 * volume);
  for (Vec3i& t : torus.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(signed_volume(torus.vertices, torus.triangles), -volume, 1e-11 * volume);
}

}  // namespace
}  // namespace pliant
