// Mass properties against closed forms, between the two ways of computing them, and under rigid motion.
#include "pliant/mesh/mass_properties.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/mesh/ball_mesh.h"
#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/round_surfaces.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/error_sentence.h"

namespace pliant {
namespace {

using std::numbers::pi;

TEST(MassProperties, UnitCubeHasASixthOfItsMass) {
  for (const int n : {1, 3}) {
    const MassProperties surface = mass_properties(make_box_surface({.cells = {n, n, n}}), 1000);
    const MassProperties tets = mass_properties(make_box({.cells = {n, n, n}}), 1000);
    for (const MassProperties& cube : {surface, tets}) {
      EXPECT_NEAR(cube.volume, 1, 1e-14);
      EXPECT_NEAR(cube.mass, 1000, 1e-11);
      EXPECT_LT(cube.center.norm(), 1e-14);
      EXPECT_LT((cube.inertia - Mat3::Identity() * 1000 / 6).norm(), 1e-11);
    }
  }
}

TEST(MassProperties, BoxFormula) {
  const double a = 1.0, b = 2.0, c = 0.5, mass = 3 * a * b * c;
  const MassProperties box = mass_properties(make_box_surface({.size = {a, b, c}, .cells = {2, 3, 1}}), 3);
  const Vec3 expected(b * b + c * c, a * a + c * c, a * a + b * b);
  EXPECT_LT((box.inertia - Mat3((mass / 12 * expected).asDiagonal())).norm(), 1e-14);
}

TEST(MassProperties, SphereLimit) {
  const auto error = [](const TriangleMesh& sphere) {
    const MassProperties body = mass_properties(sphere, 1);
    return std::abs(body.inertia(0, 0) / (0.4 * 4.0 / 3 * pi) - 1);
  };
  const double coarse = error(make_sphere_surface({.radius = 1, .subdivisions = 3}));
  const double fine = error(make_sphere_surface({.radius = 1, .subdivisions = 4}));
  EXPECT_LT(fine, 0.01);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1);
}

TEST(MassProperties, CylinderLimit) {
  const MassProperties body = mass_properties(make_cylinder({.radius = 0.5, .height = 2, .segments = 200}), 1);
  const double mass = pi * 0.25 * 2;
  EXPECT_NEAR(body.inertia(1, 1), mass * 0.25 / 2, 1e-3 * mass);
  EXPECT_NEAR(body.inertia(0, 0), mass * (3 * 0.25 + 4) / 12, 1e-3 * mass);
}

TEST(MassProperties, SurfaceAgreesWithTheTetsInside) {
  TetMesh ball = make_ball({.cells = 8});
  for (Vec3& x : ball.vertices) x = Vec3(x.x() + 0.3 * x.y() * x.y(), 2 * x.y(), x.z() + 0.2 * x.x());  // lopsided
  const MassProperties tets = mass_properties(ball, 700);
  const MassProperties surface = mass_properties(boundary_surface(ball).surface, 700);
  EXPECT_NEAR(surface.mass, tets.mass, 1e-12 * tets.mass);
  EXPECT_LT((surface.center - tets.center).norm(), 1e-14);
  EXPECT_LT((surface.inertia - tets.inertia).norm(), 1e-12 * tets.inertia.norm());
}

TEST(MassProperties, FollowRigidMotion) {
  TriangleMesh box = make_box_surface({.size = {1.0, 2.0, 0.5}});
  const MassProperties rest = mass_properties(box, 1);
  const Mat3 rotation = Eigen::AngleAxisd(0.8, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  const Vec3 shift(100, -50, 20);
  for (Vec3& x : box.vertices) x = rotation * x + shift;
  const MassProperties moved = mass_properties(box, 1);
  EXPECT_NEAR(moved.mass, rest.mass, 1e-13);
  EXPECT_LT((moved.center - shift).norm(), 1e-12);
  EXPECT_LT((moved.inertia - rotation * rest.inertia * rotation.transpose()).norm(), 1e-12);
}

TEST(MassProperties, ParallelAxisOfTwoBodies) {
  // Two unit cubes side by side are the box of 2×1×1.
  TriangleMesh pair = make_box_surface({});
  const TriangleMesh cube = pair;
  for (Vec3& x : pair.vertices) x.x() -= 0.5;
  for (const Vec3& x : cube.vertices) pair.vertices.push_back(x + Vec3(0.5, 0, 0));
  for (const Vec3i& t : cube.triangles) pair.triangles.push_back(t.array() + 8);
  const MassProperties two = mass_properties(pair, 1);
  const MassProperties one = mass_properties(make_box_surface({.size = {2.0, 1.0, 1.0}}), 1);
  EXPECT_LT((two.inertia - one.inertia).norm(), 1e-14);
}

TEST(MassProperties, LumpedMassesKeepMassAndCentre) {
  TetMesh ball = make_ball({.cells = 6});
  for (Vec3& x : ball.vertices) x += Vec3(1, 2, 3);
  const std::vector<double> masses = lumped_masses(ball, 500);
  const MassProperties body = mass_properties(ball, 500);
  EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), body.mass, 1e-12 * body.mass);
  Vec3 center = Vec3::Zero();
  for (std::size_t v = 0; v < masses.size(); ++v) {
    EXPECT_GT(masses[v], 0);
    center += masses[v] / body.mass * ball.vertices[v];
  }
  EXPECT_LT((center - body.center).norm(), 1e-13);
}

TEST(MassProperties, OneTetSharesItsMassEqually) {
  const TetMesh tet{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  EXPECT_DOUBLE_EQ(tet_volumes(tet)[0], 1.0 / 6);
  for (const double mass : lumped_masses(tet, 24)) EXPECT_DOUBLE_EQ(mass, 1.0);
  const TetMesh mirrored{tet.vertices, {{1, 0, 2, 3}}};
  EXPECT_DOUBLE_EQ(tet_volumes(mirrored)[0], -1.0 / 6);
}

TEST(MassProperties, RefusedSurfacesAreNamed) {
  const auto sentence = [](const TriangleMesh& mesh, double density) {
    return error_sentence([&] { return mass_properties(mesh, density, "s.yaml:3"); });
  };
  TriangleMesh cube = make_box_surface({});
  EXPECT_EQ(sentence(cube, 0), "s.yaml:3: density is 0 kg/m³; give a finite number above 0.");
  EXPECT_EQ(
      sentence(make_grid({.cells = {1, 1}}), 1),
      "s.yaml:3: the surface is not closed (4 edges with one triangle, 0 with more than two), so it has no volume; "
      "close its holes, or give mass and inertia.");
  for (Vec3i& t : cube.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(sentence(cube, 1),
            "s.yaml:3: the surface encloses a volume of -1 m³; reverse its triangles, so that they are "
            "counter-clockwise seen from outside.");
  std::swap(cube.triangles[0][0], cube.triangles[0][1]);
  EXPECT_NE(sentence(cube, 1).find(" face opposite sides; orient all triangles counter-clockwise seen from outside."),
            std::string::npos);
  EXPECT_EQ(error_sentence([] { return mass_properties(TetMesh{}, 1); }),
            "the mesh has no tets; give a mesh with at least one.");
}

}  // namespace
}  // namespace pliant
