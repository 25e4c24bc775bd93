// A block between sliding plates, sides free: force and width at stretch l follow from scalar equations, solved here
// without any part of the library. [validation.md 1: within 1e-6]
//
//   neo-Hookean            μ (w² − 1) + λ ln(l w²) = 0,       P = μ l + (λ ln(l w²) − μ)/l        0.6 … 2
//   St. Venant-Kirchhoff   w² = 1 − ν (l² − 1),               P = Y l (l² − 1)/2                  0.7 … 2
//   corotated, linear      w  = 1 − ν (l − 1),                P = Y (l − 1)                       0.6 … 2
//   w  width of the deformed block, P  force per rest area [Pa]
#include <cmath>

#include "tests/validation/scene_case.h"

namespace pliant::validation::uniaxial_test {
namespace {

constexpr double kYoung = 1e5, kPoisson = 0.3;  // as in the scene
constexpr double kMu = kYoung / (2 * (1 + kPoisson));
constexpr double kLambda = kYoung * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson));

struct Uniaxial {
  double width, stress;
};

Uniaxial neo_hookean(double l) {
  double low = 0.01, high = 3;  // the equation's left side grows with w
  for (int i = 0; i < 200; ++i) {
    const double w = 0.5 * (low + high);
    (kMu * (w * w - 1) + kLambda * std::log(l * w * w) > 0 ? high : low) = w;
  }
  return {low, kMu * l + (kLambda * std::log(l * low * low) - kMu) / l};
}
Uniaxial st_venant_kirchhoff(double l) { return {std::sqrt(1 - kPoisson * (l * l - 1)), kYoung * l * (l * l - 1) / 2}; }
Uniaxial hooke(double l) { return {1 - kPoisson * (l - 1), kYoung * (l - 1)}; }

struct Law {
  const char* model;
  double shortest;  // stretch
  Uniaxial (*solve)(double l);
};

class UniaxialStretch : public ::testing::TestWithParam<Law> {};

TEST_P(UniaxialStretch, FollowsTheScalarEquations) {
  const Law& law = GetParam();
  double worst_force = 0, worst_width = 0;
  for (const double last : {law.shortest, 2.0}) {
    SceneCase block("uniaxial.yaml", {std::string("materials.block.model=") + law.model,
                                      fmt::format("pins.1.motion.move.velocity=[{}, 0, 0]", last - 1)});
    int steps = 0;
    block.run([&] {
      const double l = 1 + (last - 1) * block.simulation().state().time;
      const Uniaxial expected = law.solve(l);
      worst_force = std::max(worst_force, std::abs(block.value("pull.x") / expected.stress - 1));
      for (const char* side : {"far.y", "far.z"}) {
        worst_width = std::max(worst_width, std::abs(block.value(side) / expected.width - 1));
      }
      ++steps;
    });
    ASSERT_EQ(steps, 10);
  }
  record("force_error", worst_force);
  record("width_error", worst_width);
  EXPECT_LE(worst_force, 1e-6);
  EXPECT_LE(worst_width, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Laws, UniaxialStretch,
                         ::testing::Values(Law{"neo_hookean", 0.6, neo_hookean},
                                           Law{"st_venant_kirchhoff", 0.7, st_venant_kirchhoff},
                                           Law{"corotated", 0.6, hooke}, Law{"linear", 0.6, hooke}),
                         [](const auto& test) { return std::string(test.param.model); });

}  // namespace
}  // namespace pliant::validation::uniaxial_test
