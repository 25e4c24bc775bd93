// Keys of meshes: what each shape reads, its defaults and ranges, and lines of rods.
#include <gtest/gtest.h>

#include "tests/scene/small_scene.h"

namespace pliant::scene {
namespace {

MeshSource mesh_of(const std::string& kind, const std::string& mesh, const std::string& material = "") {
  const std::string text =
      "pliant: 1\ntime: {end: 1}\nbodies:\n  - {name: head, kind: obstacle, mesh: {sphere: {}}}\n  - "
      "{name: a, kind: " +
      kind + ", mesh: " + mesh + (material.empty() ? "" : ", material: " + material) + "}\n";
  return parse_scene(text, "scene.yaml").body("a").mesh;
}

TEST(SchemaMesh, ShapesHaveDefaults) {
  EXPECT_EQ(std::get<BoxMesh>(mesh_of("solid", "{box: {}}").shape), BoxMesh{});
  EXPECT_EQ(std::get<TubeMesh>(mesh_of("cloth", "{tube: {}}", "cotton").shape), TubeMesh{});
  EXPECT_EQ(std::get<GridMesh>(mesh_of("cloth", "{grid: {}}", "cotton").shape), GridMesh{});
  const auto strand = std::get<StrandMesh>(mesh_of("rod", "{strand: {}}", "hair").shape);
  EXPECT_EQ(strand, StrandMesh{});
  EXPECT_EQ(std::get<StraightLine>(strand.line).segments, 20);
  EXPECT_EQ(std::get<StrandsMesh>(mesh_of("rod", "{strands: {on: head}}", "hair").shape).count, 100);
}

TEST(SchemaMesh, TubesAndGridsReadTheirKeys) {
  const auto tube = std::get<TubeMesh>(
      mesh_of("cloth", "{tube: {radius: 0.2, top_radius: 0.3, height: 2, segments: 9, rows: 4}}", "cotton").shape);
  EXPECT_EQ(tube, (TubeMesh{0.2, 0.3, 2, 9, 4}));
  const auto grid = std::get<GridMesh>(
      mesh_of("cloth", "{grid: {size: [2, 3], cells: [4, 5], pattern: equilateral}}", "cotton").shape);
  EXPECT_EQ(grid, (GridMesh{Vec2(2, 3), Eigen::Vector2i(4, 5), GridPattern::equilateral}));
}

TEST(SchemaMesh, LinesAreToldApartByTheirKeys) {
  const auto line = [](const std::string& keys) {
    return std::get<StrandMesh>(mesh_of("rod", "{strand: {" + keys + "}}", "hair").shape);
  };
  EXPECT_EQ(std::get<StraightLine>(line("direction: [0, 2, 0]").line).direction, Vec3(0, 2, 0));
  EXPECT_EQ(std::get<HelixLine>(line("helix: {turns: 2.5}").line).turns, 2.5);
  EXPECT_EQ(std::get<PointLine>(line("points: [[0, 0, 0], [1, 2, 3]]").line).points.at(1), Vec3(1, 2, 3));
  EXPECT_TRUE(line("points: [[0, 0, 0], [1, 2, 3], [2, 0, 0]], closed: true").closed);
  EXPECT_EQ(line("length: 2, initial_twist: 45").initial_twist, 45);
  EXPECT_INPUT_ERROR(line("length: 2, helix: {}"), "exclude each other");
  EXPECT_INPUT_ERROR(line("points: [[0, 0], [1, 2]]"), "scene.yaml:5");
  EXPECT_INPUT_ERROR(line("file: none.txt"), "'none.txt' does not exist");
}

TEST(SchemaMesh, StrandsReadWhereTheyGrow) {
  const auto strands = std::get<StrandsMesh>(
      mesh_of("rod",
              "{strands: {on: head, count: 7, length: 0.2, segments: 5, curl_radius: 0.01, curl_pitch: 0.02, where: "
              "{sphere: {center: [0, 1, 0], radius: 0.9}}}}",
              "hair")
          .shape);
  EXPECT_EQ(strands, (StrandsMesh{"head", 7, 0.2, 5, 0.01, 0.02, SphereSelection{Vec3(0, 1, 0), 0.9}}));
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strands: {}}", "hair"), "strands.on' is missing");
}

TEST(SchemaMesh, RangesAreNamed) {
  EXPECT_INPUT_ERROR(mesh_of("cloth", "{tube: {top_radius: 0}}", "cotton"), "mesh.tube.top_radius must be above 0 m");
  EXPECT_INPUT_ERROR(mesh_of("cloth", "{tube: {segments: 2}}", "cotton"), "tube.segments must be");
  EXPECT_INPUT_ERROR(mesh_of("cloth", "{grid: {cells: [0, 3]}}", "cotton"), "grid.cells");
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strand: {segments: 0}}", "hair"), "strand.segments must be");
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strand: {direction: [0, 0, 0]}}", "hair"), "direction must not be zero");
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strand: {helix: {turns: 0}}}", "hair"), "helix.turns must be above 0");
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strands: {on: head, segments: 1}}", "hair"), "strands.segments must be");
  EXPECT_INPUT_ERROR(mesh_of("rod", "{strands: {on: head, curl_pitch: 0}}", "hair"), "curl_pitch must be above 0 m");
}

TEST(SchemaMesh, TetrahedralizeIsForClosedSurfaces) {
  EXPECT_INPUT_ERROR(mesh_of("cloth", "{tube: {}, tetrahedralize: {}}", "cotton"), "tetrahedralize is not used here");
  EXPECT_EQ(mesh_of("solid", "{torus: {}, tetrahedralize: {cell_size: 0.1}}").tetrahedralize.cell_size, 0.1);
}

}  // namespace
}  // namespace pliant::scene
