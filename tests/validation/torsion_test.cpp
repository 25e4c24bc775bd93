// Saint-Venant torsion of a square bar: M = 0.1406 G a⁴ θ/L, with θ between two sections far from both ends, where
// nothing hinders warping. [validation.md 1: within 3 % with 16 cells across]
#include <cmath>

#include "tests/validation/scene_case.h"

namespace pliant::validation::torsion_test {
namespace {

// Twist per metre over the middle half, relative to theory.
double twist_ratio(int cells) {
  SceneCase bar("torsion.yaml", {fmt::format("bodies.bar.mesh.box.cells=[{}, {}, {}]", cells, cells, 4 * cells)});
  bar.run();
  const auto angle = [&](const std::string& section) {
    return std::atan2(bar.value(section + ".y"), bar.value(section + ".x"));
  };
  const double moment = 140.6, shear_modulus = 1e6, distance = 2;  // N·m, Pa, m
  // What the clamp resists is what was applied.
  const BlockVector forces = bar.simulation().pin_forces();
  double reaction = 0;
  for (int i = 0; i < forces.size(); ++i) {
    const Vec3 x = bar.simulation().state().positions[i], f = forces[i];
    reaction += x.x() * f.y() - x.y() * f.x();
  }
  EXPECT_NEAR(reaction, -moment, 1e-4 * moment);
  return (angle("high") - angle("low")) / distance / (moment / (0.1406 * shear_modulus));
}

TEST(Torsion, SquareBarAgreesWithSaintVenant) {
  const double coarse = twist_ratio(8), ratio = twist_ratio(16);
  record("ratio_8", coarse);
  record("ratio_16", ratio);
  record("order", std::log2((1 - coarse) / (1 - ratio)));
  EXPECT_LT(coarse, ratio);  // from below
  EXPECT_NEAR(ratio, 1, 0.03);
  if (is_fine()) {
    const double finer = twist_ratio(24);
    record("ratio_24", finer);
    EXPECT_GT(finer, ratio);
    EXPECT_NEAR(finer, 1, 0.015);
  }
}

}  // namespace
}  // namespace pliant::validation::torsion_test
