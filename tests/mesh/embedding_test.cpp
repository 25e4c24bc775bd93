// Embedded surfaces follow affine maps of their tets exactly.
#include "pliant/mesh/embedding.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/mesh/tetrahedralize.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant {
namespace {

TEST(Embedding, WeightsAreBarycentricAlsoOutside) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  const Vec3 a(0, 0, 0), b(1, 0.1, 0), c(0.2, 1, 0.1), d(0.1, -0.2, 1);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 p(place(random), place(random), place(random));
    const Vec4 w = mesh::barycentric_weights(p, a, b, c, d);
    EXPECT_NEAR(w.sum(), 1, 1e-14);
    EXPECT_LT((w[0] * a + w[1] * b + w[2] * c + w[3] * d - p).norm(), 1e-14);
  }
}

TEST(Embedding, DistanceToTet) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0, 0, 1);
  EXPECT_EQ(mesh::distance_to_tet(Vec3(0.2, 0.2, 0.2), a, b, c, d), 0);
  EXPECT_NEAR(mesh::distance_to_tet(Vec3(0.2, 0.2, -0.5), a, b, c, d), 0.5, 1e-15);
  EXPECT_NEAR(mesh::distance_to_tet(Vec3(-3, -4, 0.5), a, b, c, d), 5, 1e-14);
  EXPECT_NEAR(mesh::distance_to_tet(Vec3(1, 1, 1), a, b, c, d), 2 / std::sqrt(3.0), 1e-14);
}

TEST(Embedding, AffineMapsAreReproduced) {
  const TriangleMesh surface = shapes::make_sphere(1, 3);
  for (const auto method : {TetrahedralizeOptions::Method::conforming, TetrahedralizeOptions::Method::voxels}) {
    const TetrahedralizeResult solid = tetrahedralize(surface, {.cell_size = 0.3, .method = method}, "sphere");
    const EmbeddedSurface embedded = embed(surface, solid.mesh);
    Mat3 map;
    map << 1.1, 0.4, -0.2, 0.3, 0.7, 0.5, -0.6, 0.1, 1.3;
    const Vec3 shift(3, -2, 1);
    std::vector<Vec3> moved;
    for (const Vec3& x : solid.mesh.vertices) moved.emplace_back(map * x + shift);
    const std::vector<Vec3> carried = evaluate(embedded, solid.mesh.tets, moved);
    ASSERT_EQ(carried.size(), surface.vertices.size());
    for (std::size_t v = 0; v < carried.size(); ++v) {
      EXPECT_LT((carried[v] - (map * surface.vertices[v] + shift)).norm(), 1e-12);
    }
  }
}

TEST(Embedding, PointsInsideGetTheTetThatContainsThem) {
  const TetrahedralizeResult solid = tetrahedralize(shapes::make_cube(2), {.cell_size = 0.4}, "cube");
  TriangleMesh cloud;
  std::mt19937 random(8);
  std::uniform_real_distribution<double> place(-0.99, 0.99);
  for (int i = 0; i < 500; ++i) cloud.vertices.emplace_back(place(random), place(random), place(random));
  const EmbeddedSurface embedded = embed(cloud, solid.mesh);
  int contained = 0;
  for (const Vec4& w : embedded.weights) contained += w.minCoeff() > -1e-12 ? 1 : 0;
  EXPECT_GE(contained, 490) << "all but those beyond a rounded edge of the cube";
  // A point outside goes to the nearest tet: the one behind the nearest boundary point.
  cloud.vertices = {Vec3(0.05, 0.1, 1.2)};
  const EmbeddedSurface outside = embed(cloud, solid.mesh);
  const Vec4i& tet = solid.mesh.tets[outside.tet[0]];
  const auto& x = solid.mesh.vertices;
  EXPECT_NEAR(mesh::distance_to_tet(cloud.vertices[0], x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]), 0.2, 1e-9);
}

}  // namespace
}  // namespace pliant
