// Voxel meshes: equal tets that enclose the surface.
#include "pliant/mesh/voxel_mesher.h"

#include <gtest/gtest.h>

#include "pliant/mesh/embedding.h"
#include "tests/mesh/tetrahedralize_shapes.h"

namespace pliant::mesh {
namespace {

CellGrid grid_over(const TriangleMesh& surface, double cell_size) {
  Box box;
  for (const Vec3& x : surface.vertices) box.include(x);
  CellGrid grid;
  grid.cell_size = cell_size;
  grid.cell_counts = ((box.high - box.low) / cell_size).array().ceil().cast<int>() + 3;
  grid.origin = 0.5 * (box.low + box.high) - 0.5 * cell_size * grid.cell_counts.cast<double>();
  return grid;
}

void expect_good(const TetMesh& mesh, double cell_size) {
  const double expected = std::pow(cell_size, 3) / 6;
  for (const Vec4i& t : mesh.tets) EXPECT_NEAR(shapes::tet_volume(mesh, t), expected, 1e-9 * expected);
  const shapes::BoundaryReport report = shapes::check_boundary(mesh);
  EXPECT_EQ(report.bad_edges + report.bad_vertices + report.crowded_faces, 0);
}

TEST(VoxelMesher, SphereAndBunnyAreEnclosedByEqualTets) {
  for (const auto& [surface, cell_size] :
       {std::pair(shapes::make_sphere(1, 3), 0.17), std::pair(shapes::read_bunny(), 0.6)}) {
    const VoxelMesh voxels = mesh_voxels(surface, SignedDistance(surface), grid_over(surface, cell_size));
    expect_good(voxels.mesh, cell_size);
    EXPECT_EQ(shapes::check_boundary(voxels.mesh).euler_number, 2);
    EXPECT_EQ(voxels.mesh.tets.size(), 6U * voxels.kept_cell_count);
    for (const Vec4& w : embed(surface, voxels.mesh).weights) EXPECT_GE(w.minCoeff(), -1e-9);
  }
}

TEST(VoxelMesher, CubeOffTheGridFillsTheCellsItTouches) {
  const TriangleMesh cube = shapes::make_cube(1);
  CellGrid grid;
  grid.cell_size = 0.25;
  grid.origin = Vec3::Constant(-0.9);  // cell borders at −0.65, −0.4, … 0.6: the cube spans 5 cells
  grid.cell_counts = Vec3i::Constant(8);
  const VoxelMesh voxels = mesh_voxels(cube, SignedDistance(cube), grid);
  EXPECT_EQ(voxels.kept_cell_count, 125);
  EXPECT_EQ(voxels.added_cell_count, 0);
}

TEST(VoxelMesher, PinchesAreFilled) {
  // Two small cubes in cells that share an edge only.
  TriangleMesh pair = shapes::make_cube(0.5), other = pair;
  for (Vec3& x : pair.vertices) x += Vec3::Constant(1.5);
  for (Vec3& x : other.vertices) x += Vec3(2.5, 2.5, 1.5);
  shapes::append(pair, other);
  CellGrid grid;
  grid.cell_counts = Vec3i(4, 4, 3);
  const VoxelMesh voxels = mesh_voxels(pair, SignedDistance(pair), grid);
  EXPECT_EQ(voxels.kept_cell_count, 3);
  EXPECT_EQ(voxels.added_cell_count, 1);
  expect_good(voxels.mesh, 1);
}

TEST(VoxelMesher, ThinSheetSurvives) {
  TriangleMesh sheet = shapes::make_cube(1);
  for (Vec3& x : sheet.vertices) x[2] *= 1e-3;
  const VoxelMesh voxels = mesh_voxels(sheet, SignedDistance(sheet), grid_over(sheet, 0.2));
  expect_good(voxels.mesh, 0.2);
  EXPECT_GE(voxels.kept_cell_count, 25);
}

}  // namespace
}  // namespace pliant::mesh
