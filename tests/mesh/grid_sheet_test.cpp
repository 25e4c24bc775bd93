// Sheets: vertex rule, orientation, area, texture, symmetry, and each refused argument.
#include "pliant/mesh/grid_sheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/mesh/mesh_quality.h"
#include "pliant/mesh/surface.h"
#include "tests/mesh/error_sentence.h"
#include "tests/mesh/mirror_image.h"

namespace pliant {
namespace {

constexpr GridPattern kPatterns[] = {GridPattern::diagonal, GridPattern::alternating, GridPattern::cross,
                                     GridPattern::equilateral, GridPattern::irregular};

TEST(GridSheet, VertexIndexFollowsTheDocumentedRule) {
  for (const GridPattern pattern : {GridPattern::diagonal, GridPattern::alternating, GridPattern::cross}) {
    const TriangleMesh sheet = make_grid({.size = {3.0, 2.0}, .cells = {6, 4}, .pattern = pattern});
    for (int j = 0; j <= 4; ++j)
      for (int i = 0; i <= 6; ++i)
        EXPECT_LT((sheet.vertices[j * 7 + i] - Vec3(-1.5 + 0.5 * i, 0, -1.0 + 0.5 * j)).norm(), 1e-15);
  }
  const TriangleMesh cross = make_grid({.size = {3.0, 2.0}, .cells = {6, 4}, .pattern = GridPattern::cross});
  EXPECT_LT((cross.vertices[7 * 5 + 2 * 6 + 1] - Vec3(-1.5 + 0.5 * 1.5, 0, -1.0 + 0.5 * 2.5)).norm(), 1e-15);
}

TEST(GridSheet, EquilateralRowsStartAsDocumented) {
  const TriangleMesh sheet = make_grid({.size = {4.0, 3.0}, .cells = {4, 3}, .pattern = GridPattern::equilateral});
  for (int j = 0; j <= 3; ++j) {
    const Vec3& first = sheet.vertices[j * 5 + j / 2];
    EXPECT_DOUBLE_EQ(first.x(), -2.0);
    EXPECT_DOUBLE_EQ(first.z(), -1.5 + j);
  }
  EXPECT_EQ(sheet.vertices.size(), 5u + 6u + 5u + 6u);
}

TEST(GridSheet, TrianglesFaceUpAndTileTheRectangle) {
  for (const GridPattern pattern : kPatterns) {
    for (const std::array<int, 2> cells : {std::array{1, 1}, std::array{5, 4}, std::array{2, 7}}) {
      const TriangleMesh sheet = make_grid({.size = {1.3, 0.7}, .cells = cells, .pattern = pattern});
      double area = 0;
      for (const Vec3& a : area_vectors(sheet.vertices, sheet.triangles)) {
        EXPECT_GT(a.y(), 0);
        area += a.y();
      }
      EXPECT_NEAR(area, 1.3 * 0.7, 1e-14);
      const SurfaceTopology topology = inspect_surface(sheet);
      EXPECT_TRUE(topology.manifold());
      EXPECT_TRUE(topology.oriented());
      EXPECT_EQ(topology.component_count, 1);
      EXPECT_EQ(topology.euler_characteristic(), 1);
      EXPECT_TRUE(topology.unreferenced_vertices.empty());
      double border = 0;
      for (const auto& [a, b] : topology.boundary_edges) border += (sheet.vertices[a] - sheet.vertices[b]).norm();
      EXPECT_NEAR(border, 2 * (1.3 + 0.7), 1e-13);
    }
  }
}

TEST(GridSheet, TextureIsTheFlatSheetSeenFromAbove) {
  for (const GridPattern pattern : kPatterns) {
    const TriangleMesh sheet = make_grid({.size = {1.3, 0.7}, .cells = {4, 3}, .pattern = pattern});
    ASSERT_EQ(sheet.texture.size(), sheet.vertices.size());
    for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
      EXPECT_DOUBLE_EQ(sheet.texture[v].x(), sheet.vertices[v].x() + 0.65);
      EXPECT_DOUBLE_EQ(sheet.texture[v].y(), 0.35 - sheet.vertices[v].z());
    }
    // Counter-clockwise in space is counter-clockwise in the texture.
    for (const Vec3i& t : sheet.triangles) {
      const Vec2 a = sheet.texture[t[1]] - sheet.texture[t[0]], b = sheet.texture[t[2]] - sheet.texture[t[0]];
      EXPECT_GT(a.x() * b.y() - a.y() * b.x(), 0);
    }
  }
}

TEST(GridSheet, EvenCountsAreMirrorSymmetricExceptDiagonal) {
  const auto symmetric = [](GridPattern pattern, int axis) {
    const TriangleMesh sheet = make_grid({.size = {1.0, 0.3}, .cells = {6, 4}, .pattern = pattern});
    return is_mirror_symmetric(sheet.vertices, sheet.triangles, axis);
  };
  for (const int axis : {0, 2}) {
    EXPECT_TRUE(symmetric(GridPattern::alternating, axis));
    EXPECT_TRUE(symmetric(GridPattern::cross, axis));
    EXPECT_TRUE(symmetric(GridPattern::equilateral, axis));
    EXPECT_FALSE(symmetric(GridPattern::diagonal, axis));
  }
}

TEST(GridSheet, EquilateralRowsMakeNearlyEqualSides) {
  const Vec2 size(1.0, 1.0);
  const int rows = equilateral_rows(size, 80);
  EXPECT_EQ(rows, 92);  // 80 · 2/√3 = 92.38
  const TriangleMesh sheet = make_grid({.size = size, .cells = {80, rows}, .pattern = GridPattern::equilateral});
  // Away from the two borders every corner is close to 60°.
  TriangleMesh inner = sheet;
  std::erase_if(inner.triangles, [&](const Vec3i& t) {
    return std::any_of(t.begin(), t.end(),
                       [&](int v) { return std::abs(std::abs(sheet.vertices[v].x()) - 0.5) < 1e-12; });
  });
  EXPECT_GT(inner.triangles.size(), sheet.triangles.size() * 9 / 10);
  const AngleRange angles = corner_angles(inner);
  EXPECT_GT(angles.smallest * 180 / std::numbers::pi, 59);
  EXPECT_LT(angles.largest * 180 / std::numbers::pi, 61);
}

TEST(GridSheet, IrregularRepeatsItsSeedAndKeepsTheBorder) {
  const GridOptions options{.cells = {20, 20}, .pattern = GridPattern::irregular, .seed = 7, .jitter = 0.249};
  const TriangleMesh sheet = make_grid(options);
  EXPECT_EQ(sheet.vertices, make_grid(options).vertices);
  GridOptions other = options;
  other.seed = 8;
  EXPECT_NE(sheet.vertices, make_grid(other).vertices);

  GridOptions regular = options;
  regular.pattern = GridPattern::alternating;
  const TriangleMesh straight = make_grid(regular);
  int moved = 0;
  double mean_shift = 0;
  for (int j = 0; j <= 20; ++j) {
    for (int i = 0; i <= 20; ++i) {
      const Vec3 shift = sheet.vertices[j * 21 + i] - straight.vertices[j * 21 + i];
      const bool border = i == 0 || j == 0 || i == 20 || j == 20;
      EXPECT_EQ(shift.norm() > 0, !border);
      EXPECT_LE(shift.cwiseAbs().maxCoeff(), 0.249 / 20 + 1e-15);
      moved += shift.norm() > 0;
      mean_shift += shift.x() / (19 * 19);
    }
  }
  EXPECT_EQ(moved, 19 * 19);
  EXPECT_LT(std::abs(mean_shift),
            0.249 / 20 / 5);  // shifts go both ways: spread/√361 is far below a fifth of the reach
  for (const Vec3& a : area_vectors(sheet.vertices, sheet.triangles)) EXPECT_GT(a.y(), 0);
}

TEST(GridSheet, RefusedArgumentsAreNamed) {
  const auto sentence = [](const GridOptions& options) {
    return error_sentence([&] { return make_grid(options, "s.yaml:3"); });
  };
  EXPECT_EQ(sentence({.size = {-1.0, 1.0}}), "s.yaml:3: grid: size along x is -1; give a finite number above 0.");
  EXPECT_EQ(sentence({.size = {1.0, 0.0}}), "s.yaml:3: grid: size along z is 0; give a finite number above 0.");
  EXPECT_EQ(sentence({.size = {1.0, std::numeric_limits<double>::infinity()}}),
            "s.yaml:3: grid: size along z is inf; give a finite number above 0.");
  EXPECT_EQ(sentence({.cells = {0, 1}}), "s.yaml:3: grid: cells along x is 0; give a whole number from 1 to 50000000.");
  EXPECT_EQ(sentence({.cells = {1, -2}}),
            "s.yaml:3: grid: cells along z is -2; give a whole number from 1 to 50000000.");
  EXPECT_EQ(sentence({.cells = {10000, 10000}}),
            "s.yaml:3: grid: cells would make 1e+08 cells; give values that make at most 50000000.");
  EXPECT_EQ(sentence({.jitter = 0.25}),
            "s.yaml:3: grid: jitter is 0.25; give a number from 0 to below 0.25, so that no triangle turns over.");
}

}  // namespace
}  // namespace pliant
