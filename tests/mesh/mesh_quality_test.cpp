// Angles of shapes whose angles are known, down to nearly flat ones.
#include "pliant/mesh/mesh_quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/mesh/grid_sheet.h"

namespace pliant {
namespace {

using std::numbers::pi;

TEST(MeshQuality, RegularTet) {
  const TetMesh tet{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, {{0, 1, 2, 3}}};
  const AngleRange angles = dihedral_angles(tet);
  EXPECT_NEAR(angles.smallest, std::acos(1.0 / 3), 1e-15);
  EXPECT_NEAR(angles.largest, std::acos(1.0 / 3), 1e-15);
}

TEST(MeshQuality, CornerTet) {
  const TetMesh tet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  EXPECT_NEAR(dihedral_angles(tet).smallest, std::acos(1 / std::sqrt(3.0)), 1e-15);
  EXPECT_NEAR(dihedral_angles(tet).largest, pi / 2, 1e-15);
}

TEST(MeshQuality, NearlyFlatTetKeepsItsDigits) {
  // Apex at height e above the middle of a triangle with inradius ρ: base angles atan(e/ρ).
  const double e = 1e-9, inradius = 0.5;
  const TetMesh tet{{{1, 0, 0}, {-0.5, std::sqrt(0.75), 0}, {-0.5, -std::sqrt(0.75), 0}, {0, 0, e}}, {{0, 1, 2, 3}}};
  EXPECT_NEAR(dihedral_angles(tet).smallest, e / inradius, 1e-6 * e);
  EXPECT_GT(dihedral_angles(tet).largest, pi - 1e-8);
}

TEST(MeshQuality, TriangleCorners) {
  const AngleRange angles = corner_angles(make_grid({.size = {std::sqrt(3.0), 1.0}, .cells = {1, 1}}));
  EXPECT_NEAR(angles.smallest, pi / 6, 1e-15);
  EXPECT_NEAR(angles.largest, pi / 2, 1e-15);
}

TEST(MeshQuality, EmptyMeshes) {
  EXPECT_EQ(dihedral_angles({}).largest, 0);
  EXPECT_EQ(corner_angles({}).smallest, 0);
}

}  // namespace
}  // namespace pliant
