// Bending of a clamped bar against Timoshenko's theory, u = F L³/(3 E I) + F L/(κ G A), and how far linear tets are too
// stiff: under-resolved bending at ν = 0, locking near incompressibility. [validation.md 1]
#include <cmath>

#include "tests/validation/scene_case.h"

namespace pliant::validation::cantilever_test {
namespace {

constexpr double kForce = 248.509, kLength = 10, kYoung = 1e7;  // N, m, Pa, as in the scene; the section is 1 m × 1 m

// Shear coefficient of a rectangle, 5/6 at ν = 0 [Cowper1966].
double timoshenko(double poisson) {
  const double inertia = 1.0 / 12, shear_modulus = kYoung / (2 * (1 + poisson));
  const double kappa = 10 * (1 + poisson) / (12 + 11 * poisson);
  return kForce * std::pow(kLength, 3) / (3 * kYoung * inertia) + kForce * kLength / (kappa * shear_modulus);
}

// Deflection of the tip over that of theory, with cubes of 1/cells m.
double ratio(int cells, double poisson) {
  SceneCase bar("cantilever.yaml", {fmt::format("bodies.bar.mesh.box.cells=[{}, {}, {}]", 10 * cells, cells, cells),
                                    fmt::format("materials.bar.poisson={}", poisson)});
  bar.run();
  return -bar.value("tip.y") / timoshenko(poisson);
}

TEST(Cantilever, ConvergesToTimoshenkoFromBelow) {
  ASSERT_NEAR(timoshenko(0), 0.01 * kLength, 1e-6);
  std::vector<int> meshes = {4, 8};
  if (is_fine()) meshes.push_back(16);
  double last = 0;
  for (const int cells : meshes) {
    const double now = ratio(cells, 0);
    record(fmt::format("ratio_{}", cells), now);
    EXPECT_LT(now, 1) << cells;
    if (last > 0) {
      const double order = std::log2((1 - last) / (1 - now));
      record(fmt::format("order_{}", cells), order);
      EXPECT_GT(order, 1.7) << cells;  // linear elements: 2, from below
    }
    last = now;
  }
  // The finest mesh must come within 2 %; for the coarser one what five tets per cell are known to give.
  if (is_fine()) {
    EXPECT_GE(last, 0.98);
  } else {
    EXPECT_NEAR(last, 0.97, 0.005);
  }
}

// Not a promise but a figure to know: near ν = ½ linear tets can hardly change shape without changing volume.
TEST(Cantilever, LocksNearIncompressibility) {
  std::vector<int> meshes = {4, 8};
  if (is_fine()) meshes.push_back(16);
  for (const int cells : meshes) {
    const double free = ratio(cells, 0), stiff = ratio(cells, 0.45), stiffer = ratio(cells, 0.49);
    record(fmt::format("poisson_0.45_ratio_{}", cells), stiff);
    record(fmt::format("poisson_0.49_ratio_{}", cells), stiffer);
    EXPECT_LT(stiff, free);
    EXPECT_LT(stiffer, stiff);
    EXPECT_GT(stiffer, 0.2);
  }
}

}  // namespace
}  // namespace pliant::validation::cantilever_test
