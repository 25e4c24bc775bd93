#include "pliant/energy/cloth/membrane_elements.h"

#include "tests/energy/cloth/sheet_model.h"

namespace pliant::cloth {
namespace {

TEST(MembraneElements, SortsCornersAndKeepsTheRestState) {
  const cloth_checks::Sheet s = cloth_checks::make_sheet({7, 5});
  const MembraneElements elements(s.sheet);
  ASSERT_EQ(elements.count(), s.triangle_count());
  std::vector<int> seen(s.sheet.triangles.size(), 0);
  for (int e = 0; e < elements.count(); ++e) {
    const std::array<int, 3>& c = elements.batch()[e];
    EXPECT_LT(c[0], c[1]);
    EXPECT_LT(c[1], c[2]);
    if (e > 0) {
      EXPECT_LT(elements.batch()[e - 1], c);
    }
    ++seen[elements.source(e)];
    for (int i = 0; i < 3; ++i) {
      const Vec2 edge = s.uv[c[(i + 2) % 3]] - s.uv[c[(i + 1) % 3]];
      EXPECT_NEAR(elements.rest(e).squared_length[i], edge.squaredNorm(), 1e-15);
      EXPECT_NEAR(std::abs(elements.rest(e).weft(i)), std::abs(s.warp.x() * edge.y() - s.warp.y() * edge.x()), 1e-14);
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), s.triangle_count());
}

TEST(MembraneElements, AnimatedLengthsBelongToTheTrianglesOfTheSheet) {
  cloth_checks::Sheet s = cloth_checks::make_sheet({5, 4});
  s.sheet.animated = 1;
  const MembraneElements elements(s.sheet);
  ASSERT_TRUE(elements.is_animated());
  Controls controls;
  controls.rest_lengths.resize(2);
  for (int t = 0; t < s.triangle_count(); ++t) {
    for (int i = 0; i < 3; ++i) {
      const std::array<Vec2, 3> x = s.corners(t);
      controls.rest_lengths[1].push_back(2 * (x[(i + 2) % 3] - x[(i + 1) % 3]).norm());
    }
  }
  for (int e = 0; e < elements.count(); ++e) {
    const TriangleRest now = elements.animated_rest(e, controls);
    EXPECT_NEAR(now.area, 4 * elements.rest(e).area, 1e-14);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(now.squared_length[i], 4 * elements.rest(e).squared_length[i], 1e-14);
      EXPECT_NEAR(now.weft(i), 4 * elements.rest(e).weft(i), 1e-13);
    }
  }
}

}  // namespace
}  // namespace pliant::cloth
