// Edges: each once, counted against Euler's formula, and their mean length.
#include "pliant/mesh/edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/round_surfaces.h"

namespace pliant {
namespace {

TEST(Edges, SortedUniqueAndAsManyAsEulerSays) {
  const TriangleMesh sphere = make_sphere_surface({.subdivisions = 2});
  const std::vector<Edge> edges = mesh_edges(sphere);
  EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
  EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
  for (const auto& [a, b] : edges) EXPECT_LT(a, b);
  EXPECT_EQ(edges.size(), sphere.vertices.size() + sphere.triangles.size() - 2);  // V − E + F = 2
}

TEST(Edges, FiveTetsHaveTwelveEdgesAndSixDiagonals) {
  const TetMesh cube = make_box({.size = {1.0, 1.0, 1.0}});
  EXPECT_EQ(mesh_edges(cube).size(), 18u);
  EXPECT_NEAR(mean_edge_length(cube), (12 + 6 * std::sqrt(2.0)) / 18, 1e-15);
}

TEST(Edges, MeanLengthOfASquareCell) {
  EXPECT_NEAR(mean_edge_length(make_grid({.size = {2.0, 2.0}, .cells = {1, 1}})), (8 + std::sqrt(8.0)) / 5, 1e-15);
  EXPECT_EQ(mean_edge_length(TriangleMesh{}), 0);
}

}  // namespace
}  // namespace pliant
