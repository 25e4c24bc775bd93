// Opened meshes: which vertices are doubled, that the result is a manifold, and that nothing else changes.
#include "pliant/mesh/tear.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/mesh/box_mesh.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/mass_properties.h"
#include "pliant/mesh/surface.h"

namespace pliant {
namespace {

TriangleMesh sheet(int cells) { return make_grid({{1, 1}, {cells, cells}, GridPattern::diagonal}); }

Vec3 centre(const auto& element, const std::vector<Vec3>& x) {
  Vec3 sum = Vec3::Zero();
  for (const int v : element) sum += x[v] / static_cast<double>(element.size());
  return sum;
}

// Every face between an element above and one below a plane.
template <class Element>
MeshOpening opening_along(const std::vector<Element>& elements, const std::vector<Vec3>& x, const Vec3& normal,
                          double height) {
  MeshOpening opening;
  const std::vector<Element> across = across_faces<Element>(elements);
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    for (const int other : across[e]) {
      if (other > e &&
          (centre(elements[e], x).dot(normal) > height) != (centre(elements[other], x).dot(normal) > height))
        opening.faces.push_back({e, other});
    }
  }
  return opening;
}

std::vector<Vec3> with_copies(std::vector<Vec3> x, const OpenedMesh& opened) {
  for (const int v : opened.source) x.push_back(Vec3(x[v]));
  return x;
}

TEST(Tear, NeighboursAcrossFacesAreMutual) {
  const TetMesh box = make_box({Vec3(1, 1, 1), {2, 2, 2}});
  const std::vector<Vec4i> across = across_faces<Vec4i>(box.tets);
  int inner = 0, outer = 0;
  for (int e = 0; e < static_cast<int>(box.tets.size()); ++e) {
    for (int c = 0; c < 4; ++c) {
      const int other = across[e][c];
      if (other < 0) {
        ++outer;
        continue;
      }
      ++inner;
      int shared = 0;
      for (const int v : box.tets[e]) shared += (box.tets[other].array() == v).any() && v != box.tets[e][c];
      EXPECT_EQ(shared, 3);
      EXPECT_TRUE((across[other].array() == e).any());
    }
  }
  EXPECT_EQ(outer, static_cast<int>(boundary_triangles(box).size()));
  EXPECT_EQ(inner + outer, 4 * static_cast<int>(box.tets.size()));
}

TEST(Tear, ACutThroughASheetMakesTwoPieces) {
  TriangleMesh mesh = sheet(4);
  const std::vector<Vec3i> before = mesh.triangles;
  const OpenedMesh opened = open_mesh(mesh.triangles, static_cast<int>(mesh.vertices.size()),
                                      opening_along(before, mesh.vertices, {1, 0, 0}, 0));
  mesh.vertices = with_copies(mesh.vertices, opened);
  EXPECT_EQ(opened.source.size(), 5u);  // the line of vertices in the middle
  for (const int v : opened.source) EXPECT_NEAR(mesh.vertices[v][0], 0, 1e-12);
  EXPECT_TRUE(opened.removed.empty());
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_EQ(topology.component_count, 2);
  EXPECT_TRUE(topology.non_manifold_edges.empty());
  EXPECT_TRUE(topology.non_manifold_vertices.empty());
  for (std::size_t t = 0; t < before.size(); ++t)
    EXPECT_EQ(centre(before[t], mesh.vertices), centre(mesh.triangles[t], mesh.vertices));
}

// Two edges from an inner vertex open: a slit whose ends stay closed.
TEST(Tear, PartingAnInnerVertexOpensASlit) {
  TriangleMesh mesh = sheet(4);
  const int middle = 12;
  std::vector<int> around;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    if ((mesh.triangles[t].array() == middle).any()) around.push_back(t);
  }
  const std::vector<Vec3i> across = across_faces<Vec3i>(mesh.triangles);
  const MeshOpening opening = part_vertex<Vec3i>(mesh.triangles, across, around, mesh.vertices, middle, Vec3(1, 0, 0));
  EXPECT_EQ(opening.faces.size(), 2u);
  const OpenedMesh opened = open_mesh(mesh.triangles, static_cast<int>(mesh.vertices.size()), opening);
  EXPECT_EQ(opened.source, std::vector<int>{middle});
  mesh.vertices = with_copies(mesh.vertices, opened);
  const SurfaceTopology topology = inspect_surface(mesh);
  EXPECT_EQ(topology.component_count, 1);
  EXPECT_EQ(topology.boundary_edges.size(), 16u + 4u);
  EXPECT_TRUE(topology.non_manifold_vertices.empty());
}

std::vector<int> elements_at(const auto& elements, int vertex) {
  std::vector<int> around;
  for (int e = 0; e < static_cast<int>(elements.size()); ++e) {
    if ((elements[e].array() == vertex).any()) around.push_back(e);
  }
  return around;
}

// The faces around a vertex of a solid open: inside, a slit that nobody sees from outside; at the surface, a notch.
TEST(Tear, PartingAVertexOfASolidOpensTheFacesAroundIt) {
  for (const bool is_inner : {true, false}) {
    TetMesh box = make_box({Vec3(1, 1, 1), {4, 4, 4}});
    const Vec3 place(0, is_inner ? 0 : 0.5, 0);
    int vertex = 0;
    for (int v = 0; v < static_cast<int>(box.vertices.size()); ++v) {
      if ((box.vertices[v] - place).norm() < 1e-9) vertex = v;
    }
    const std::vector<int> around = elements_at(box.tets, vertex);
    const std::vector<Vec4i> across = across_faces<Vec4i>(box.tets), before = box.tets;
    const Vec3 normal = Vec3(1, 0.1, 0.2).normalized();
    const MeshOpening opening = part_vertex<Vec4i>(box.tets, across, around, box.vertices, vertex, normal);
    ASSERT_FALSE(opening.empty());
    EXPECT_TRUE(opening.removed.empty());
    const auto height = [&](int tet) { return (centre(before[tet], box.vertices) - place).dot(normal); };
    for (const auto& [one, other] : opening.faces) {
      EXPECT_TRUE((before[one].array() == vertex).any() && (before[other].array() == vertex).any());
      EXPECT_LT(height(one) * height(other), 0);
    }
    const std::size_t vertices = box.vertices.size();
    const OpenedMesh opened = open_mesh(box.tets, static_cast<int>(vertices), opening);
    EXPECT_TRUE(opened.removed.empty());
    EXPECT_NE(std::find(opened.source.begin(), opened.source.end(), vertex), opened.source.end());
    box.vertices = with_copies(box.vertices, opened);
    // Whoever has the copy lies on the other side.
    const auto copy =
        static_cast<int>(vertices) +
        static_cast<int>(std::find(opened.source.begin(), opened.source.end(), vertex) - opened.source.begin());
    const std::vector<int> kept = elements_at(box.tets, vertex), moved = elements_at(box.tets, copy);
    EXPECT_EQ(kept.size() + moved.size(), around.size());
    for (const int a : kept) {
      for (const int b : moved) EXPECT_LT(height(a) * height(b), 0);
    }
    const SurfaceTopology topology = inspect_surface(boundary_surface(box).surface);
    EXPECT_EQ(topology.component_count, is_inner ? 2 : 1);
    EXPECT_TRUE(topology.boundary_edges.empty());
    EXPECT_TRUE(topology.non_manifold_edges.empty());
    EXPECT_TRUE(topology.non_manifold_vertices.empty());
  }
}

TEST(Tear, AVertexOfASolidWithAllElementsOnOneSideIsNotParted) {
  const TetMesh box = make_box({Vec3(1, 1, 1), {2, 2, 2}});
  const std::vector<Vec4i> across = across_faces<Vec4i>(box.tets);
  const Vec3 inwards = -box.vertices[0].normalized();
  EXPECT_TRUE(part_vertex<Vec4i>(box.tets, across, elements_at(box.tets, 0), box.vertices, 0, inwards).empty());
}

TEST(Tear, AVertexWithAllElementsOnOneSideIsNotParted) {
  const TriangleMesh mesh = sheet(2);
  const std::vector<Vec3i> across = across_faces<Vec3i>(mesh.triangles);
  std::vector<int> around;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    if ((mesh.triangles[t].array() == 0).any()) around.push_back(t);
  }
  EXPECT_TRUE(part_vertex<Vec3i>(mesh.triangles, across, around, mesh.vertices, 0, Vec3(1, 0, 0)).empty());
}

// Removing the triangles left and right of a vertex leaves two fans that would touch in a point.
TEST(Tear, RemovalLeavesNoPointContacts) {
  TriangleMesh mesh = sheet(4);
  const int middle = 12;
  MeshOpening opening;
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    const Vec3i& v = mesh.triangles[t];
    if ((v.array() == middle).any() && std::abs(centre(v, mesh.vertices)[2]) < 0.1) opening.removed.push_back(t);
  }
  ASSERT_GE(opening.removed.size(), 2u);
  const OpenedMesh opened = open_mesh(mesh.triangles, static_cast<int>(mesh.vertices.size()), opening);
  EXPECT_EQ(opened.removed, opening.removed);
  mesh.vertices = with_copies(mesh.vertices, opened);
  EXPECT_TRUE(inspect_surface(mesh).non_manifold_vertices.empty());
}

TEST(Tear, ElementsThatAreTakenOutLeaveTheirVertices) {
  TriangleMesh mesh = sheet(1);
  const OpenedMesh opened = open_mesh(mesh.triangles, 4, {{}, {0, 1}});
  EXPECT_TRUE(mesh.triangles.empty());
  EXPECT_TRUE(opened.source.empty());
  EXPECT_EQ(opened.removed, (std::vector<int>{0, 1}));
}

TEST(Tear, ACutThroughABoxMakesTwoClosedSurfaces) {
  for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(1, 2, -1), Vec3(0.2, 1, 0.4)}) {
    TetMesh box = make_box({Vec3(2, 1, 1), {6, 3, 3}});
    const double volume = 2;
    const OpenedMesh opened = open_mesh(box.tets, static_cast<int>(box.vertices.size()),
                                        opening_along(box.tets, box.vertices, normal.normalized(), 0.05));
    box.vertices = with_copies(box.vertices, opened);
    double left = 0;
    for (const double v : tet_volumes(box)) left += v;
    EXPECT_TRUE(opened.removed.empty()) << normal.transpose();
    EXPECT_NEAR(left, volume, 1e-12);
    const BoundarySurface boundary = boundary_surface(box);
    const SurfaceTopology topology = inspect_surface(boundary.surface);
    EXPECT_GE(topology.component_count, 2) << normal.transpose();
    EXPECT_TRUE(topology.boundary_edges.empty());
    EXPECT_TRUE(topology.non_manifold_edges.empty()) << normal.transpose();
    EXPECT_TRUE(topology.non_manifold_vertices.empty()) << normal.transpose();
  }
}

// Random removal again and again: the surface stays closed and a manifold, and no vertex is lost.
TEST(Tear, BoxesStayManifoldsWhileTetsAreTakenOut) {
  TetMesh box = make_box({Vec3(1, 1, 1), {4, 4, 4}});
  unsigned random = 7;
  for (int round = 0; round < 12; ++round) {
    MeshOpening opening;
    for (int k = 0; k < 9; ++k) {
      random = random * 1664525u + 1013904223u;
      const int tet = static_cast<int>((random >> 8) % box.tets.size());
      if (std::find(opening.removed.begin(), opening.removed.end(), tet) == opening.removed.end())
        opening.removed.push_back(tet);
    }
    const std::size_t tets = box.tets.size(), vertices = box.vertices.size();
    const OpenedMesh opened = open_mesh(box.tets, static_cast<int>(vertices), opening);
    box.vertices = with_copies(box.vertices, opened);
    EXPECT_EQ(opened.kept.size() + opened.removed.size(), tets);
    EXPECT_GE(opened.removed.size(), opening.removed.size());
    EXPECT_EQ(opened.kept.size(), box.tets.size());
    const SurfaceTopology topology = inspect_surface(boundary_surface(box).surface);
    EXPECT_TRUE(topology.boundary_edges.empty());
    EXPECT_TRUE(topology.non_manifold_edges.empty()) << round;
    EXPECT_TRUE(topology.non_manifold_vertices.empty()) << round;
  }
}

// Vertices that nobody has touched keep even their defects: two triangles that met in a point still do.
TEST(Tear, DefectsElsewhereStay) {
  std::vector<Vec3i> triangles = {{0, 1, 2}, {2, 3, 4}, {5, 6, 7}, {5, 7, 8}};
  const OpenedMesh opened = open_mesh(triangles, 9, {{{2, 3}}, {}});
  EXPECT_EQ(opened.source.size(), 2u);
  EXPECT_EQ(triangles[0][2], triangles[1][0]);
}

}  // namespace
}  // namespace pliant
