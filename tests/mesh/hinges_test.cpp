#include "pliant/mesh/hinges.h"

#include <gtest/gtest.h>

#include "pliant/mesh/edges.h"
#include "pliant/mesh/grid_sheet.h"

namespace pliant {
namespace {

using Triangles = std::vector<std::array<int, 3>>;

// Everything that the header promises of a list of hinges.
void expect_consistent(const Triangles& triangles, const SheetHinges& found) {
  for (int h = 0; h < static_cast<int>(found.hinges.size()); ++h) {
    const Hinge& hinge = found.hinges[h];
    const auto& [x0, x1, x2, x3] = hinge.vertex;
    EXPECT_LT(hinge.triangle[0], hinge.triangle[1]);
    const auto& t = triangles[hinge.triangle[0]];
    const auto& u = triangles[hinge.triangle[1]];
    const int i = hinge.local_edge[0], j = hinge.local_edge[1];
    EXPECT_EQ((std::array{t[i], t[(i + 1) % 3], t[(i + 2) % 3]}), (std::array{x0, x1, x2}));
    EXPECT_EQ((std::array{u[j], u[(j + 1) % 3], u[(j + 2) % 3]}), (std::array{x3, x2, x1}));
    for (int side = 0; side < 2; ++side) {
      EXPECT_EQ(found.of_triangle[hinge.triangle[side]][hinge.local_edge[side]], h);
      EXPECT_EQ(found.side_of_triangle[hinge.triangle[side]][hinge.local_edge[side]], side);
    }
  }
  std::size_t entries = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      entries += found.of_triangle[t][i] >= 0;
      EXPECT_EQ(found.of_triangle[t][i] < 0, found.side_of_triangle[t][i] < 0);
    }
  }
  EXPECT_EQ(entries, 2 * found.hinges.size());
}

Triangles plain(const TriangleMesh& mesh) {
  Triangles result;
  for (const Vec3i& t : mesh.triangles) result.push_back({t[0], t[1], t[2]});
  return result;
}

TEST(Hinges, OnePairOfTriangles) {
  const Triangles triangles = {{7, 4, 5}, {5, 4, 9}};
  const SheetHinges found = find_hinges(triangles);
  ASSERT_EQ(found.hinges.size(), 1u);
  EXPECT_EQ(found.hinges[0].vertex, (std::array{7, 4, 5, 9}));
  EXPECT_EQ(found.hinges[0].local_edge, (std::array{0, 2}));
  EXPECT_EQ(found.of_triangle[0], (std::array{0, -1, -1}));
  EXPECT_EQ(found.of_triangle[1], (std::array{-1, -1, 0}));
  EXPECT_EQ(found.side_of_triangle[1], (std::array{-1, -1, 1}));
  EXPECT_TRUE(found.faulty_edges.empty());
}

// Hinges = edges − border edges, for every pattern of sheets.
TEST(Hinges, SheetsHaveOneForEveryInnerEdge) {
  for (const GridPattern pattern : {GridPattern::diagonal, GridPattern::alternating, GridPattern::cross,
                                    GridPattern::equilateral, GridPattern::irregular}) {
    const TriangleMesh mesh = make_grid({.cells = {7, 5}, .pattern = pattern});
    const SheetHinges found = find_hinges(mesh.triangles);
    expect_consistent(plain(mesh), found);
    EXPECT_TRUE(found.faulty_edges.empty());
    // 3 F = 2 inner + border, E = inner + border
    EXPECT_EQ(found.hinges.size(), 3 * mesh.triangles.size() - mesh_edges(mesh).size());
  }
}

TEST(Hinges, ClosedSurfacesHaveNoBorder) {
  const Triangles tetrahedron = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  const SheetHinges found = find_hinges(tetrahedron);
  expect_consistent(tetrahedron, found);
  EXPECT_EQ(found.hinges.size(), 6u);
}

TEST(Hinges, ThreeTrianglesAtAnEdgeAreReported) {
  const Triangles triangles = {{0, 1, 2}, {3, 2, 1}, {4, 2, 1}, {2, 3, 5}};
  const SheetHinges found = find_hinges(triangles);
  expect_consistent(triangles, found);
  ASSERT_EQ(found.hinges.size(), 1u);  // the edge 2-3 of the last triangle
  ASSERT_EQ(found.faulty_edges.size(), 1u);
  EXPECT_EQ(found.faulty_edges[0].fault, EdgeFault::non_manifold);
  EXPECT_EQ(found.faulty_edges[0].vertex, (std::array{1, 2}));
  EXPECT_EQ(found.faulty_edges[0].triangles, (std::vector{0, 1, 2}));
}

TEST(Hinges, MisorientedNeighboursAreReported) {
  const SheetHinges found = find_hinges(Triangles{{0, 1, 2}, {3, 1, 2}});
  EXPECT_TRUE(found.hinges.empty());
  ASSERT_EQ(found.faulty_edges.size(), 1u);
  EXPECT_EQ(found.faulty_edges[0].fault, EdgeFault::misoriented);
  EXPECT_EQ(found.faulty_edges[0].triangles, (std::vector{0, 1}));
}

TEST(Hinges, TrianglesOnTheSameCornersAreReported) {
  const SheetHinges found = find_hinges(Triangles{{0, 1, 2}, {0, 2, 1}});
  EXPECT_TRUE(found.hinges.empty());
  ASSERT_EQ(found.faulty_edges.size(), 3u);
  for (const FaultyEdge& edge : found.faulty_edges) EXPECT_EQ(edge.fault, EdgeFault::doubled);
}

TEST(Hinges, NothingComesOfNothing) {
  const SheetHinges found = find_hinges(Triangles{});
  EXPECT_TRUE(found.hinges.empty() && found.of_triangle.empty() && found.faulty_edges.empty());
}

}  // namespace
}  // namespace pliant
