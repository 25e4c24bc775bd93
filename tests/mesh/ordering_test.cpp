// The Hilbert order is a curve: on a lattice every step goes to a neighbour. Renumbered meshes are the same meshes.
#include "pliant/mesh/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "pliant/assert.h"
#include "pliant/mesh/ball_mesh.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/edges.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/surface.h"

namespace pliant {
namespace {

std::vector<Vec3> shuffled_lattice(int n, unsigned seed) {
  std::vector<Vec3> points;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) points.emplace_back(i, j, k);
  std::mt19937 random(seed);
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random() % i]);
  return points;
}

double mean_span(const std::vector<Edge>& edges) {
  double sum = 0;
  for (const auto& [a, b] : edges) sum += std::abs(a - b);
  return sum / static_cast<double>(edges.size());
}

TEST(Ordering, EveryStepOnALatticeGoesToANeighbour) {
  for (const int n : {2, 4, 8, 16}) {
    const std::vector<Vec3> points = shuffled_lattice(n, 3);
    const std::vector<int> order = hilbert_order(points);
    ASSERT_EQ(order.size(), points.size());
    for (std::size_t i = 1; i < order.size(); ++i)
      ASSERT_DOUBLE_EQ((points[order[i]] - points[order[i - 1]]).norm(), 1.0) << "n " << n << ", step " << i;
  }
}

TEST(Ordering, OrderOfPlacesDoesNotDependOnTheGivenNumbering) {
  const std::vector<Vec3> a = shuffled_lattice(5, 1), b = shuffled_lattice(5, 2);
  const std::vector<int> order_a = hilbert_order(a), order_b = hilbert_order(b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[order_a[i]], b[order_b[i]]);
}

TEST(Ordering, SpecialInputs) {
  EXPECT_TRUE(hilbert_order({}).empty());
  const std::vector<Vec3> same(4, Vec3(1, 2, 3));
  EXPECT_EQ(hilbert_order(same), (std::vector<int>{0, 1, 2, 3}));
  const std::vector<Vec3> line{{3, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}};
  std::vector<int> order = hilbert_order(line);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  const std::vector<Vec3> broken{{0, 0, 0}, {std::nan(""), 0, 0}};
  EXPECT_THROW(static_cast<void>(hilbert_order(broken)), InternalError);
}

TEST(Ordering, NeighboursComeTogether) {
  const TetMesh box = make_box({.cells = {16, 16, 16}});
  std::vector<int> shuffle(box.vertices.size());
  std::iota(shuffle.begin(), shuffle.end(), 0);
  std::mt19937 random(5);
  for (std::size_t i = shuffle.size(); i > 1; --i) std::swap(shuffle[i - 1], shuffle[random() % i]);
  const TetMesh scattered = renumber(box, shuffle);
  const TetMesh compact = renumber(scattered, hilbert_order(scattered.vertices));
  // A random numbering puts the ends of an edge a third of the mesh apart.
  EXPECT_LT(mean_span(mesh_edges(compact)), mean_span(mesh_edges(scattered)) / 5);
}

TEST(Ordering, RenumberedTetsAreTheSameTets) {
  const TetMesh ball = make_ball({.cells = 8});
  const std::vector<int> order = hilbert_order(ball.vertices);
  const TetMesh result = renumber(ball, order);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(result.vertices[i], ball.vertices[order[i]]);

  // Going back gives every tet with its own vertex order.
  const auto less = [](const Vec4i& a, const Vec4i& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::vector<Vec4i> back = result.tets, original = ball.tets;
  for (Vec4i& tet : back)
    for (int c = 0; c < 4; ++c) tet[c] = order[tet[c]];
  std::sort(back.begin(), back.end(), less);
  std::sort(original.begin(), original.end(), less);
  EXPECT_EQ(back, original);

  for (const double volume : tet_volumes(result)) EXPECT_GT(volume, 0);
  EXPECT_TRUE(std::is_sorted(result.tets.begin(), result.tets.end(),
                             [](const Vec4i& a, const Vec4i& b) { return a.minCoeff() < b.minCoeff(); }));
}

TEST(Ordering, RenumberedSheetKeepsTextureAndOrientation) {
  const TriangleMesh sheet = make_grid({.cells = {5, 7}});
  const TriangleMesh result = renumber(sheet, hilbert_order(sheet.vertices));
  for (std::size_t v = 0; v < result.vertices.size(); ++v)
    EXPECT_DOUBLE_EQ(result.texture[v].x(), result.vertices[v].x() + 0.5);
  for (const Vec3& a : area_vectors(result.vertices, result.triangles)) EXPECT_GT(a.y(), 0);
  EXPECT_NEAR(surface_area(result.vertices, result.triangles), 1, 1e-14);
}

TEST(Ordering, InverseUndoes) {
  const std::vector<int> order{2, 0, 3, 1};
  EXPECT_EQ(inverse_order(order), (std::vector<int>{1, 3, 0, 2}));
  EXPECT_THROW(static_cast<void>(inverse_order(std::vector<int>{0, 0})), InternalError);
  EXPECT_THROW(static_cast<void>(inverse_order(std::vector<int>{0, 2})), InternalError);
}

}  // namespace
}  // namespace pliant
