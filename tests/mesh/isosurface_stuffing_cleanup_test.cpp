// Touching tets are parted, clean meshes stay as they are.
#include "pliant/mesh/isosurface_stuffing_cleanup.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant::mesh {
namespace {

// Tets of an n×n×n grid, six per cell, for the cells that keep(i, j, k) names.
template <class Keep>
TetMesh grid_of_tets(int n, Keep keep) {
  TetMesh mesh;
  const auto number = [n](const Vec3i& p) { return p[0] + (n + 1) * (p[1] + (n + 1) * p[2]); };
  for (int v = 0; v < (n + 1) * (n + 1) * (n + 1); ++v) {
    mesh.vertices.emplace_back(v % (n + 1), v / (n + 1) % (n + 1), v / (n + 1) / (n + 1));
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int c = 0; c < n * n * n; ++c) {
    const Vec3i cell(c % n, c / n % n, c / n / n);
    if (!keep(cell)) continue;
    for (int o = 0; o < 6; ++o) {
      const Vec3i first = cell + Vec3i::Unit(kOrders[o][0]), second = first + Vec3i::Unit(kOrders[o][1]);
      Vec4i tet(number(cell), number(first), number(second), number(cell + Vec3i::Ones()));
      if (o >= 3) std::swap(tet[1], tet[2]);
      mesh.tets.push_back(tet);
    }
  }
  return mesh;
}

void expect_manifold(const TetMesh& mesh) {
  const shapes::BoundaryReport report = shapes::check_boundary(mesh);
  EXPECT_EQ(report.bad_edges, 0);
  EXPECT_EQ(report.bad_vertices, 0);
  EXPECT_EQ(report.crowded_faces, 0);
}

TEST(ManifoldBoundary, CleanMeshStaysAsItIs) {
  TetMesh mesh = grid_of_tets(3, [](const Vec3i&) { return true; });
  const std::vector<Vec4i> before = mesh.tets;
  EXPECT_EQ(make_boundary_manifold(mesh), 0);
  EXPECT_EQ(mesh.tets, before);
  EXPECT_EQ(shapes::check_boundary(mesh).euler_number, 2);
  EXPECT_EQ(find_boundary(mesh).size(), 6U * 9U * 2U);
}

TEST(ManifoldBoundary, CellsTouchingInAnEdgeArePartedOrThinned) {
  TetMesh mesh = grid_of_tets(2, [](const Vec3i& c) { return c[2] == 0 && c[0] == c[1]; });
  ASSERT_GT(shapes::check_boundary(mesh).bad_edges, 0);
  EXPECT_GT(make_boundary_manifold(mesh), 0);
  EXPECT_GE(mesh.tets.size(), 6U);
  expect_manifold(mesh);
}

TEST(ManifoldBoundary, CellsTouchingInAVertexAreParted) {
  TetMesh mesh = grid_of_tets(2, [](const Vec3i& c) { return c == Vec3i(1, 0, 0) || c == Vec3i(0, 1, 1); });
  ASSERT_GT(shapes::check_boundary(mesh).bad_vertices, 0);
  EXPECT_GT(make_boundary_manifold(mesh), 0);
  expect_manifold(mesh);
  EXPECT_EQ(find_parts(mesh).count, 2);
}

TEST(ManifoldBoundary, CavitiesTouchingInAVertexAreOpened) {
  // Two empty cells inside a full block, corner to corner: their walls meet in one vertex.
  TetMesh mesh = grid_of_tets(4, [](const Vec3i& c) { return c != Vec3i(1, 1, 1) && c != Vec3i(2, 2, 2); });
  ASSERT_GT(shapes::check_boundary(mesh).bad_vertices, 0);
  const int removed = make_boundary_manifold(mesh);
  EXPECT_GT(removed, 0);
  EXPECT_LT(removed, 24);
  expect_manifold(mesh);
}

TEST(ManifoldBoundary, RandomCellsBecomeManifold) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const double filling : {0.2, 0.5, 0.8}) {
    TetMesh mesh = grid_of_tets(8, [&](const Vec3i&) { return uniform(random) < filling; });
    make_boundary_manifold(mesh);
    EXPECT_FALSE(mesh.tets.empty());
    expect_manifold(mesh);
  }
}

TEST(TetParts, AreCountedThroughFaces) {
  const TetMesh mesh = grid_of_tets(3, [](const Vec3i& c) { return c[0] != 1; });
  const Parts parts = find_parts(mesh);
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.part_of_tet.front(), 0);
  EXPECT_EQ(parts.part_of_tet.back(), 1);
}

}  // namespace
}  // namespace pliant::mesh
