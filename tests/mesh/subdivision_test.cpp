// Subdivided sheets: counts of Euler's formula, the same surface and texture, the same side up.
#include "pliant/mesh/subdivision.h"

#include <gtest/gtest.h>

#include "pliant/mesh/edges.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/mesh_check.h"

namespace pliant {
namespace {

Vec3 doubled_area(const TriangleMesh& mesh, const Vec3i& t) {
  return (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]);
}

TEST(Subdivision, CutsEveryTriangleInFourAlike) {
  const TriangleMesh sheet = make_grid({{1, 2}, {3, 5}, GridPattern::alternating}, "sheet");
  const TriangleMesh finer = subdivided(sheet);
  ASSERT_NO_THROW(check_triangle_mesh(finer, "finer"));
  EXPECT_EQ(finer.triangles.size(), 4 * sheet.triangles.size());
  // V' = V + E, with E from V − E + F = 1.
  EXPECT_EQ(finer.vertices.size(), 2 * sheet.vertices.size() + sheet.triangles.size() - 1);
  for (std::size_t t = 0; t < finer.triangles.size(); ++t) {
    const Vec3 whole = doubled_area(sheet, sheet.triangles[t / 4]);
    EXPECT_LT((doubled_area(finer, finer.triangles[t]) - 0.25 * whole).norm(), 1e-15);
  }
  for (std::size_t v = 0; v < sheet.vertices.size(); ++v) EXPECT_EQ(finer.vertices[v], sheet.vertices[v]);
}

TEST(Subdivision, TextureIsLinear) {
  TriangleMesh sheet = make_grid({{1, 2}, {3, 5}, GridPattern::diagonal}, "sheet");
  const auto place = [](const Vec3& x) { return Vec2(3 * x.x() - x.z(), 0.5 * x.z() + 7); };
  sheet.texture.clear();
  for (const Vec3& x : sheet.vertices) sheet.texture.push_back(place(x));
  for (const Vec3i& t : sheet.triangles)
    sheet.corner_texture.push_back({sheet.texture[t[0]], sheet.texture[t[1]], sheet.texture[t[2]]});
  const TriangleMesh finer = subdivided(subdivided(sheet));
  ASSERT_EQ(finer.texture.size(), finer.vertices.size());
  ASSERT_EQ(finer.corner_texture.size(), finer.triangles.size());
  for (std::size_t v = 0; v < finer.vertices.size(); ++v)
    EXPECT_LT((finer.texture[v] - place(finer.vertices[v])).norm(), 1e-14);
  for (std::size_t t = 0; t < finer.triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_LT((finer.corner_texture[t][c] - place(finer.vertices[finer.triangles[t][static_cast<int>(c)]])).norm(),
                1e-14);
  }
}

}  // namespace
}  // namespace pliant
