// Solid balls: sound at every size, with angles that do not decay, and a volume that converges to the sphere's.
#include "pliant/mesh/ball_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/mesh_check.h"
#include "pliant/mesh/mesh_quality.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/error_sentence.h"
#include "tests/mesh/mirror_image.h"

namespace pliant {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

TEST(BallMesh, SoundWithSphericalBoundary) {
  for (const int cells : {2, 4, 6, 8, 14}) {
    const TetMesh ball = make_ball({.radius = 0.3, .cells = cells});
    ASSERT_NO_THROW(check_tet_mesh(ball, "ball"));
    const BoundarySurface boundary = boundary_surface(ball);
    for (const Vec3& x : boundary.surface.vertices) EXPECT_NEAR(x.norm(), 0.3, 1e-15);
    const SurfaceTopology topology = inspect_surface(boundary.surface);
    EXPECT_TRUE(topology.closed() && topology.manifold() && topology.oriented());
    EXPECT_EQ(topology.euler_characteristic(), 2);
    // An octahedron of edge m has 8m² surface triangles and its lattice (2m+1)(2m²+2m+3)/3 points.
    const int m = cells / 2;
    EXPECT_EQ(topology.triangle_count, 8 * m * m);
    EXPECT_EQ(static_cast<int>(ball.vertices.size()), (2 * m + 1) * (2 * m * m + 2 * m + 3) / 3);
    for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(is_mirror_symmetric(ball.vertices, ball.tets, axis));
  }
}

TEST(BallMesh, NoTetLiesWhollyOnTheBoundary) {
  const TetMesh ball = make_ball({.radius = 1.0, .cells = 10});
  for (const Vec4i& tet : ball.tets) {
    double innermost = 1;
    for (int c = 0; c < 4; ++c) innermost = std::min(innermost, ball.vertices[tet[c]].norm());
    EXPECT_LT(innermost, 1 - 1e-6);
  }
}

TEST(BallMesh, ShapesDoNotDecayUnderRefinement) {
  for (const int cells : {8, 16, 32, 48}) {
    const TetMesh ball = make_ball({.cells = cells});
    const AngleRange angles = dihedral_angles(ball);
    EXPECT_GT(angles.smallest, 19 * kDegree) << cells;
    EXPECT_LT(angles.largest, 120 * kDegree) << cells;
    const std::vector<double> volumes = tet_volumes(ball);
    const auto [smallest, largest] = std::minmax_element(volumes.begin(), volumes.end());
    EXPECT_LT(*largest / *smallest, 4.5) << cells;
  }
}

TEST(BallMesh, VolumeConvergesQuadratically) {
  const double exact = 4 * std::numbers::pi / 3;
  const auto error = [&](int cells) {
    return exact - mass_properties(make_ball({.radius = 1, .cells = cells}), 1).volume;
  };
  const double coarse = error(16), fine = error(32);
  EXPECT_GT(fine, 0);
  EXPECT_LT(fine / exact, 0.01);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
}

TEST(BallMesh, OddCountsAreRoundedUp) { EXPECT_EQ(make_ball({.cells = 7}).vertices, make_ball({.cells = 8}).vertices); }

TEST(BallMesh, RefusedArgumentsAreNamed) {
  EXPECT_EQ(error_sentence([] { return make_ball({.radius = 0}, "s.yaml:3"); }),
            "s.yaml:3: sphere: radius is 0; give a finite number above 0.");
  EXPECT_EQ(error_sentence([] { return make_ball({.cells = 1}); }),
            "sphere: cells is 1; give a whole number from 2 to 368.");
  EXPECT_EQ(error_sentence([] { return make_ball({.cells = 369}); }),
            "sphere: cells is 369; give a whole number from 2 to 368.");
}

}  // namespace
}  // namespace pliant
