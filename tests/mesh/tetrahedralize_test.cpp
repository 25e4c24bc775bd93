// From surface to solid: validity, accuracy, speed, and the sentences for what cannot be meshed.
#include "pliant/mesh/tetrahedralize.h"

#include <gtest/gtest.h>

#include "pliant/input_error.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant {
namespace {

double volume_of(const TriangleMesh& surface) { return signed_volume(surface.vertices, surface.triangles); }

using Method = TetrahedralizeOptions::Method;

void expect_valid(const TetrahedralizeResult& solid) {
  const shapes::BoundaryReport report = shapes::check_boundary(solid.mesh);
  EXPECT_EQ(report.bad_edges, 0);
  EXPECT_EQ(report.bad_vertices, 0);
  EXPECT_EQ(report.crowded_faces, 0);
  EXPECT_GT(shapes::smallest_volume(solid.mesh), 0);
  EXPECT_GE(solid.min_dihedral_degrees, 9.31);
  EXPECT_LE(solid.max_dihedral_degrees, 161.65);
}

// Largest distance from a boundary vertex or boundary triangle's centre to the surface.
double boundary_distance(const TetMesh& mesh, const TriangleMesh& surface) {
  const mesh::SignedDistance distance(surface);
  double farthest = 0;
  for (const mesh::BoundaryTriangle& b : mesh::find_boundary(mesh)) {
    const Vec3 &x = mesh.vertices[b.vertices[0]], &y = mesh.vertices[b.vertices[1]], &z = mesh.vertices[b.vertices[2]];
    for (const Vec3& p : {x, Vec3((x + y + z) / 3)}) farthest = std::max(farthest, distance.closest_point(p).distance);
  }
  return farthest;
}

std::string error_of(const TriangleMesh& surface, const TetrahedralizeOptions& options) {
  try {
    (void)tetrahedralize(surface, options, "scene.yaml:7");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::vector<std::string>& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& n) { return n.find(words) != std::string::npos; });
}

TEST(Tetrahedralize, SphereVolumeConvergesWithSecondOrder) {
  const TriangleMesh sphere = shapes::make_sphere(1, 5);
  const double exact = volume_of(sphere);
  double errors[2];
  int i = 0;
  for (const double cell_size : {0.26, 0.13}) {
    const TetrahedralizeResult solid = tetrahedralize(sphere, {.cell_size = cell_size}, "sphere");
    expect_valid(solid);
    EXPECT_EQ(shapes::check_boundary(solid.mesh).euler_number, 2);
    EXPECT_LT(boundary_distance(solid.mesh, sphere), 0.25 * cell_size * cell_size);
    for (const Vec4& w : solid.embedded.weights) EXPECT_GT(w.minCoeff(), -0.3);
    EXPECT_TRUE(solid.notes.empty());
    errors[i++] = exact - shapes::volume(solid.mesh);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.4);
}

TEST(Tetrahedralize, CubeOnAndOffTheLattice) {
  // On the lattice all boundary points are lattice points: the volume is exact. Off it, edges may lose a little.
  const TetrahedralizeResult on = tetrahedralize(shapes::make_cube(1), {.cell_size = 0.1}, "cube");
  expect_valid(on);
  EXPECT_NEAR(shapes::volume(on.mesh), 1, 1e-9);
  EXPECT_EQ(shapes::check_boundary(on.mesh).euler_number, 2);
  for (const double cell_size : {0.093, 0.107, 0.15, 0.19}) {
    const TetrahedralizeResult off = tetrahedralize(shapes::make_cube(1), {.cell_size = cell_size}, "cube");
    expect_valid(off);
    EXPECT_NEAR(shapes::volume(off.mesh), 1, 12 * cell_size * cell_size * 0.25);
    EXPECT_EQ(shapes::check_boundary(off.mesh).euler_number, 2);
  }
}

TEST(Tetrahedralize, BunnyIsValidAndAccurate) {
  const TriangleMesh bunny = shapes::read_bunny();
  const TetrahedralizeResult solid = tetrahedralize(bunny, {.cell_size = 0.36}, "bunny.obj");
  EXPECT_GT(solid.mesh.tets.size(), 45000U);
  RecordProperty("min_dihedral_degrees", std::to_string(solid.min_dihedral_degrees));
  RecordProperty("max_dihedral_degrees", std::to_string(solid.max_dihedral_degrees));
  expect_valid(solid);
  EXPECT_EQ(shapes::check_boundary(solid.mesh).euler_number, 2);
  EXPECT_NEAR(shapes::volume(solid.mesh), 194.288, 0.01 * 194.288);
  EXPECT_LT(boundary_distance(solid.mesh, bunny), 0.5 * 0.36);
  // The surface is carried vertex by vertex; only the tips of the ears are extrapolated far.
  ASSERT_EQ(solid.embedded.weights.size(), bunny.vertices.size());
  int far = 0;
  for (const Vec4& w : solid.embedded.weights) {
    EXPECT_NEAR(w.sum(), 1, 1e-12);
    EXPECT_GT(w.minCoeff(), -5);
    far += w.minCoeff() < -0.5 ? 1 : 0;
  }
  EXPECT_LT(far, 0.05 * static_cast<double>(bunny.vertices.size()));
}

TEST(Tetrahedralize, DefaultCellSizeIsAThirtiethOfTheDiagonal) {
  const TetrahedralizeResult solid = tetrahedralize(shapes::make_cube(2), {}, "cube");
  EXPECT_NEAR(solid.cell_size, 2 * std::sqrt(3.0) / 30, 1e-12);
}

TEST(Tetrahedralize, VoxelsEncloseTheBunny) {
  const TriangleMesh bunny = shapes::read_bunny();
  const TetrahedralizeResult solid = tetrahedralize(bunny, {.cell_size = 0.6, .method = Method::voxels}, "bunny.obj");
  expect_valid(solid);
  EXPECT_NEAR(solid.min_dihedral_degrees, 45, 1e-6);
  EXPECT_NEAR(solid.max_dihedral_degrees, 90, 1e-6);
  EXPECT_GT(shapes::volume(solid.mesh), 194.288);
  for (const Vec4& w : solid.embedded.weights) EXPECT_GE(w.minCoeff(), -1e-9);
}

TEST(Tetrahedralize, DragonNeedsRepairAndWorksWithIt) {
  const TriangleMesh dragon = shapes::read_dragon();
  const std::string error = error_of(dragon, {});
  EXPECT_NE(
      error.find(
          "scene.yaml:7: the surface is not watertight: 803 edges shared by more than two triangles; the first is"),
      std::string::npos)
      << error;
  EXPECT_NE(error.find("repair: true"), std::string::npos);

  for (const Method method : {Method::conforming, Method::voxels}) {
    const TetrahedralizeResult solid =
        tetrahedralize(dragon, {.cell_size = 0.005, .method = method, .repair = true}, "dragon");
    expect_valid(solid);
    EXPECT_TRUE(mentions(solid.notes, "repair: 780 doubled triangles dropped"));
    EXPECT_EQ(solid.embedded.weights.size(), dragon.vertices.size());
    if (method == Method::conforming) {
      EXPECT_NEAR(shapes::volume(solid.mesh), 4.693e-4, 0.03 * 4.693e-4);
    }
  }
}

TEST(Tetrahedralize, HolesAreToleratedByRepair) {
  TriangleMesh open = shapes::make_sphere(1, 4);
  std::erase_if(open.triangles, [&](const Vec3i& t) { return open.vertices[t[0]][2] > 0.97; });
  EXPECT_NE(error_of(open, {}).find("open edges"), std::string::npos);
  const TetrahedralizeResult solid = tetrahedralize(open, {.cell_size = 0.15, .repair = true}, "open");
  expect_valid(solid);
  EXPECT_EQ(shapes::check_boundary(solid.mesh).euler_number, 2);
  EXPECT_NEAR(shapes::volume(solid.mesh), 4.18, 0.1);
  EXPECT_TRUE(mentions(solid.notes, "winding number"));
}

TEST(Tetrahedralize, HollowSphereKeepsItsCavity) {
  TriangleMesh shell = shapes::make_sphere(1, 4), inner = shapes::make_sphere(0.5, 4);
  shapes::turn(inner);
  shapes::append(shell, inner);
  const TetrahedralizeResult solid = tetrahedralize(shell, {.cell_size = 0.12}, "shell");
  expect_valid(solid);
  EXPECT_EQ(shapes::check_boundary(solid.mesh).euler_number, 4);
  EXPECT_NEAR(shapes::volume(solid.mesh), volume_of(shell), 0.02 * volume_of(shell));
}

TEST(Tetrahedralize, LostFeaturesAndPartsAreReported) {
  // Two balls and a needle much thinner than a cell.
  TriangleMesh surface = shapes::make_sphere(1, 3), second = shapes::make_sphere(0.7, 3), needle = shapes::make_cube(1);
  for (Vec3& x : second.vertices) x[0] += 4;
  for (Vec3& x : needle.vertices) x = Vec3(0.02 * x[0] + 0.05, 2.5 + 2 * x[1], 0.02 * x[2] + 0.05);
  shapes::append(surface, second);
  shapes::append(surface, needle);
  const TetrahedralizeResult solid = tetrahedralize(surface, {.cell_size = 0.3}, "balls");
  expect_valid(solid);
  EXPECT_TRUE(mentions(solid.notes, "2 separate parts"));
  EXPECT_TRUE(mentions(solid.notes, "8 of 524 surface vertices lie more than half a cell outside")) << solid.notes[0];
}

TEST(Tetrahedralize, BadInputGetsASentence) {
  EXPECT_NE(error_of({}, {}).find("no triangles"), std::string::npos);
  TriangleMesh wrong_index = shapes::make_cube(1);
  wrong_index.triangles[4][1] = 8;
  EXPECT_NE(error_of(wrong_index, {}).find("triangle 4"), std::string::npos);
  TriangleMesh not_finite = shapes::make_cube(1);
  not_finite.vertices[3][0] = std::nan("");
  EXPECT_NE(error_of(not_finite, {}).find("vertex 3"), std::string::npos);
  TriangleMesh inverted = shapes::make_cube(1);
  shapes::turn(inverted);
  EXPECT_NE(error_of(inverted, {}).find("face inwards"), std::string::npos);
  EXPECT_EQ(error_of(inverted, {.cell_size = 0.2, .repair = true}), "");
  EXPECT_NE(error_of(shapes::make_sphere(0.1, 2), {.cell_size = 1}).find("too large"), std::string::npos);
}

TEST(Tetrahedralize, TooManyCellsNamesASizeThatWorks) {
  const std::string error = error_of(shapes::make_cube(1), {.cell_size = 1e-4});
  const std::string before = "use cell_size ";
  ASSERT_NE(error.find(before), std::string::npos) << error;
  const double size = std::stod(error.substr(error.find(before) + before.size()));
  const double cells_along = std::ceil(1 / size) + 3;
  EXPECT_LE(std::pow(cells_along, 3), mesh::kMaxCells);
  EXPECT_GT(std::pow(cells_along, 3), 0.7 * mesh::kMaxCells);
}

}  // namespace
}  // namespace pliant
