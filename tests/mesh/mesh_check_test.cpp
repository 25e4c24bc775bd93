// Every fault a mesh file can have, planted one at a time, and the sentence it must produce.
#include "pliant/mesh/mesh_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/round_surfaces.h"
#include "tests/mesh/error_sentence.h"

namespace pliant {
namespace {

TetMesh two_tets() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}}; }

TriangleMesh two_triangles() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}, {1, 3, 2}}, {}}; }

std::string sentence(const TetMesh& mesh) {
  return error_sentence([&] { return check_tet_mesh(mesh, "a.msh"), 0; });
}
std::string sentence(const TriangleMesh& mesh) {
  return error_sentence([&] { return check_triangle_mesh(mesh, "a.obj"), 0; });
}

TEST(MeshCheck, SoundMeshesPass) {
  EXPECT_EQ(sentence(two_tets()), "no error");
  EXPECT_EQ(sentence(two_triangles()), "no error");
  EXPECT_EQ(sentence(make_box({.cells = {3, 3, 3}})), "no error");
  EXPECT_EQ(sentence(make_torus({})), "no error");
}

TEST(MeshCheck, Empty) {
  EXPECT_EQ(sentence(TetMesh{}), "a.msh: the mesh has no tets; give a mesh with at least one.");
  EXPECT_EQ(sentence(TriangleMesh{}), "a.obj: the mesh has no triangles; give a mesh with at least one.");
}

TEST(MeshCheck, CoordinatesNotFinite) {
  TetMesh tets = two_tets();
  tets.vertices[4].y() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sentence(tets),
            "a.msh: vertex 4 is at (1, inf, 1); correct the file so that all coordinates are finite numbers.");
  TriangleMesh triangles = two_triangles();
  triangles.vertices[2].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sentence(triangles),
            "a.obj: vertex 2 is at (nan, 1, 0); correct the file so that all coordinates are finite numbers.");
}

TEST(MeshCheck, IndexOutOfRange) {
  TetMesh tets = two_tets();
  tets.tets[1][3] = 5;
  EXPECT_EQ(sentence(tets),
            "a.msh: tet 1 (vertices 1, 2, 3, 5) uses vertex 5, but the mesh has vertices 0 to 4; correct the index (is "
            "the file counted from 1?).");
  TriangleMesh triangles = two_triangles();
  triangles.triangles[0][1] = -1;
  EXPECT_EQ(sentence(triangles),
            "a.obj: triangle 0 (vertices 0, -1, 2) uses vertex -1, but the mesh has vertices 0 to 3; correct the index "
            "(is the file counted from 1?).");
}

TEST(MeshCheck, VertexTwiceInAnElement) {
  TetMesh tets = two_tets();
  tets.tets[1][0] = 4;
  EXPECT_EQ(sentence(tets),
            "a.msh: tet 1 (vertices 4, 2, 3, 4) has vertex 4 twice; remove the tet or correct its vertices.");
  TriangleMesh triangles = two_triangles();
  triangles.triangles[1][0] = 3;
  EXPECT_EQ(sentence(triangles),
            "a.obj: triangle 1 (vertices 3, 3, 2) has vertex 3 twice; remove the triangle or correct its vertices.");
}

TEST(MeshCheck, Degenerate) {
  TetMesh tets = two_tets();
  tets.vertices[4] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  EXPECT_NE(sentence(tets).find("a.msh: tet 1 (vertices 1, 2, 3, 4) is flat: volume "), std::string::npos);
  EXPECT_NE(sentence(tets).find(" m³ with a longest edge of 1.41421 m; remove it or mesh the shape again."),
            std::string::npos);
  TriangleMesh triangles = two_triangles();
  triangles.vertices[3] = {0.5, 0.5, 0};
  EXPECT_EQ(sentence(triangles),
            "a.obj: triangle 1 (vertices 1, 3, 2) is degenerate: area 0 m² with a longest edge of 1.41421 m; remove it "
            "or merge its vertices.");
}

TEST(MeshCheck, DegeneracyIsRelativeToSize) {
  TetMesh tets = two_tets();
  for (Vec3& x : tets.vertices) x *= 1e-9;
  EXPECT_EQ(sentence(tets), "no error");
  tets = two_tets();
  tets.vertices[4] = Vec3(1, 1, 1) / 3 + Vec3(1, 1, 1) * 1e-9;  // thin, but far from 1e-12
  EXPECT_EQ(sentence(tets), "no error");
}

TEST(MeshCheck, Inverted) {
  TetMesh tets = two_tets();
  std::swap(tets.tets[1][2], tets.tets[1][3]);
  EXPECT_EQ(
      sentence(tets),
      "a.msh: tet 1 (vertices 1, 2, 4, 3) is inverted: volume -0.333333 m³; swap two of its vertices, or mesh the "
      "shape again if it overlaps its neighbours.");
  std::swap(tets.tets[0][2], tets.tets[0][3]);
  EXPECT_EQ(sentence(tets),
            "a.msh: tet 0 (vertices 0, 1, 3, 2) is inverted: volume -0.166667 m³; so are all others: swap two vertices "
            "of every tet.");
}

TEST(MeshCheck, UnusedVertex) {
  TetMesh tets = two_tets();
  tets.vertices.emplace_back(9, 9, 9);
  tets.vertices.emplace_back(8, 8, 8);
  EXPECT_EQ(sentence(tets),
            "a.msh: vertex 5 belongs to no tet and would have no mass (2 such in all); remove unused vertices from the "
            "mesh.");
  TriangleMesh triangles = two_triangles();
  triangles.vertices.insert(triangles.vertices.begin(), Vec3(9, 9, 9));
  for (Vec3i& t : triangles.triangles) t.array() += 1;
  EXPECT_EQ(
      sentence(triangles),
      "a.obj: vertex 0 belongs to no triangle and would have no mass (1 such in all); remove unused vertices from "
      "the mesh.");
}

TEST(MeshCheck, Texture) {
  TriangleMesh mesh = two_triangles();
  mesh.texture.resize(3, Vec2::Zero());
  EXPECT_EQ(sentence(mesh), "a.obj: the mesh has 3 texture coordinates for 4 vertices; give one per vertex, or none.");
  mesh.texture.resize(4, Vec2(std::nan(""), 0));
  EXPECT_EQ(sentence(mesh),
            "a.obj: the texture coordinates of vertex 3 are not finite; correct them or remove all texture "
            "coordinates.");
}

TEST(MeshCheck, TetsOnTheSameSideOfTheirFaceOverlap) {
  const auto overlap = [](const TetMesh& mesh) {
    return error_sentence([&] { return check_no_overlap(mesh, "a.msh"), 0; });
  };
  EXPECT_EQ(overlap(two_tets()), "no error");
  EXPECT_EQ(overlap(make_box({.cells = {3, 2, 2}})), "no error");
  // The second tet's own vertex pulled through the shared face; its corners in the order of positive volume.
  TetMesh folded = two_tets();
  folded.vertices[4] = Vec3(-1, -1, -1);
  EXPECT_EQ(overlap(folded), "no error");  // as long as the order says that its volume is negative
  std::swap(folded.tets[1][2], folded.tets[1][3]);
  EXPECT_EQ(sentence(folded), "no error");
  EXPECT_EQ(overlap(folded),
            "a.msh: tets 0 and 1 lie on the same side of the face they share (vertices 1, 2, 3) and overlap: one of "
            "them is inverted; mesh "
            "the shape again.");
  // A vertex in the middle of a box pulled out of it.
  TetMesh box = make_box({.cells = {2, 2, 2}});
  box.vertices[13] = Vec3(0, 2, 0);
  const std::vector<double> volumes = tet_volumes(box);
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    if (volumes[t] < 0) std::swap(box.tets[t][2], box.tets[t][3]);
  }
  EXPECT_NE(overlap(box).find("overlap"), std::string::npos);
  // The same tet twice.
  TetMesh twice = two_tets();
  twice.tets.push_back(twice.tets[0]);
  EXPECT_NE(overlap(twice).find("tets 0 and 2 lie on the same side"), std::string::npos);
}

TEST(MeshCheck, OrientFlipsOnlyWhenAllTetsAreNegative) {
  TetMesh mesh = make_box({.cells = {2, 2, 2}});
  const std::vector<double> volumes = tet_volumes(mesh);
  EXPECT_EQ(orient_tets(mesh), OrientRepair::nothing_to_do);
  for (Vec4i& tet : mesh.tets) std::swap(tet[0], tet[1]);
  EXPECT_EQ(orient_tets(mesh), OrientRepair::flipped_all);
  EXPECT_EQ(sentence(mesh), "no error");
  const std::vector<double> repaired = tet_volumes(mesh);
  for (std::size_t t = 0; t < volumes.size(); ++t) EXPECT_NEAR(repaired[t], volumes[t], 1e-16);

  // One positive tet among negative ones: left alone, and refused by the check.
  for (std::size_t t = 1; t < mesh.tets.size(); ++t) std::swap(mesh.tets[t][0], mesh.tets[t][1]);
  const std::vector<Vec4i> mixed = mesh.tets;
  EXPECT_EQ(orient_tets(mesh), OrientRepair::nothing_to_do);
  EXPECT_EQ(mesh.tets, mixed);
  EXPECT_NE(sentence(mesh).find("tet 1 "), std::string::npos);
}

TEST(MeshCheck, OrientLeavesBrokenIndicesAlone) {
  TetMesh mesh = two_tets();
  mesh.tets[0][0] = 77;
  EXPECT_EQ(orient_tets(mesh), OrientRepair::nothing_to_do);
  TetMesh empty;
  EXPECT_EQ(orient_tets(empty), OrientRepair::nothing_to_do);
}

}  // namespace
}  // namespace pliant
