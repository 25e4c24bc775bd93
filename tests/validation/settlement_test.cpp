// A block between smooth walls under its own weight: strain along one axis only. [validation.md 1: within 1 %]
//   u(y) = ρ g (H y − y²/2)/(λ + 2μ),   at the top ρ g H²/(2 (λ + 2μ))
#include <cmath>

#include "tests/validation/scene_case.h"

namespace pliant::validation::settlement_test {
namespace {

constexpr double kDensity = 1800, kHeight = 2, kYoung = 1e7, kPoisson = 0.3;                  // as in the scene
constexpr double kModulus = kYoung * (1 - kPoisson) / ((1 + kPoisson) * (1 - 2 * kPoisson));  // λ + 2μ

TEST(Settlement, OwnWeightBetweenSmoothWalls) {
  const double top = kDensity * kGravity * kHeight * kHeight / (2 * kModulus);
  for (const char* law : {"corotated", "neo_hookean", "linear"}) {
    SceneCase block("settlement.yaml", {std::string("materials.soil.model=") + law});
    ASSERT_NO_FATAL_FAILURE(block.run());
    const double settlement = kHeight - block.value("top.y");
    record(std::string(law) + "_ratio", settlement / top);
    EXPECT_NEAR(settlement, top, 0.01 * top) << law;
    EXPECT_NEAR(block.value("floor.y"), kDensity * kGravity * kHeight, 1e-6 * kDensity * kGravity * kHeight);
    // Not only the top: every layer on the way, averaged over its vertices.
    const std::vector<Vec3>& rest = block.body(0).rest.vertices;
    for (const double y : {0.5, 1.0, 1.5}) {
      double sum = 0;
      int count = 0;
      for (std::size_t v = 0; v < rest.size(); ++v) {
        if (std::abs(rest[v].y() - y) > 1e-9) continue;
        sum += y - block.position(0, static_cast<int>(v)).y();
        ++count;
      }
      ASSERT_GT(count, 0);
      const double expected = kDensity * kGravity * (kHeight * y - y * y / 2) / kModulus;
      EXPECT_NEAR(sum / count, expected, 0.01 * expected) << law << " at " << y;
    }
  }
}

}  // namespace
}  // namespace pliant::validation::settlement_test
