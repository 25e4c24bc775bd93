// A block between sliding plates, sides free: force and width at stretch l follow from scalar equations, solved here
// without any part of the library. [validation.md 1 and 3: within 1e-6]
//
//   neo-Hookean            μ (w² − 1) + λ ln(l w²) = 0,       P = μ l + (λ ln(l w²) − μ)/l        0.6 … 2
//   St. Venant-Kirchhoff   w² = 1 − ν (l² − 1),               P = Y l (l² − 1)/2                  0.7 … 2
//   corotated, linear      w  = 1 − ν (l − 1),                P = Y (l − 1)                       0.6 … 2
//   the others             the stress across, of stretches (l, w, w), is zero at w                0.6 … 2
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

// Stresses at stretches (l, w, w): derivatives of Ψ by the first and the second of them [Pa].
struct Stresses {
  double along, across;
};

// Ψ = m/2 (I₁ − 3) + k/2 (J − α)² − m/2 ln(I₁ + 1), reparametrised to Y and ν at rest, α = 1 + ¾ m/k
Stresses stable_neo_hookean(double l, double w) {
  const double m = 4.0 / 3 * kMu, k = kLambda + 5.0 / 6 * kMu;
  const double shear = m * (1 - 1 / (l * l + 2 * w * w + 1)), pressure = k * (l * w * w - 1 - 0.75 * m / k);
  return {shear * l + pressure * w * w, shear * w + pressure * l * w};
}

// Ψ = c₁ (I₁ − 3) + c₂ (I₂ − 3) − 2 (c₁ + 2 c₂) ln J + Λ/2 (ln J)², Λ = κ − 4/3 (c₁ + c₂) − 4 c₂
constexpr double kC1 = 0.35 * kMu, kC2 = 0.15 * kMu, kBulk = kLambda + 2 * kMu / 3;
Stresses mooney_rivlin(double l, double w) {
  const double p = (kBulk - 4.0 / 3 * (kC1 + kC2) - 4 * kC2) * std::log(l * w * w) - 2 * (kC1 + 2 * kC2);
  return {2 * l * (kC1 + 2 * kC2 * w * w) + p / l, 2 * w * (kC1 + kC2 * (l * l + w * w)) + p / w};
}

// Ψ = k/2 Σ (s − 1)²
Stresses arap(double l, double w) { return {kYoung * (l - 1), kYoung * (w - 1)}; }

// Ψ = μ Σ (s − 1)⁴
constexpr double kQuartic = 1e5;
Stresses polynomial(double l, double w) {
  return {4 * kQuartic * std::pow(l - 1, 3), 4 * kQuartic * std::pow(w - 1, 3)};
}

// Ψ = Σ a(s) + Σ b(s s') + c(J), their derivatives lines through 0 at 1, of slopes that give Y and ν at rest
constexpr double kSlopeB = 0.3 * kLambda, kSlopeC = 0.7 * kLambda, kSlopeA = 2 * kMu - kSlopeB;
Stresses spline(double l, double w) {
  const double c = kSlopeC * (l * w * w - 1);
  return {kSlopeA * (l - 1) + 2 * kSlopeB * (l * w - 1) * w + c * w * w,
          kSlopeA * (w - 1) + kSlopeB * ((l * w - 1) * l + (w * w - 1) * w) + c * l * w};
}

template <Stresses (*law)(double, double)>
Uniaxial solved(double l) {
  double low = 0.2, high = 1.6;  // pulled inwards, pressed outwards
  for (int i = 0; i < 200; ++i) {
    const double w = 0.5 * (low + high);
    (law(l, w).across > 0 ? high : low) = w;
  }
  return {low, law(l, low).along};
}

struct Law {
  const char* model;
  double shortest;         // stretch
  std::string parameters;  // in the scene; empty: Y and ν, as there
  Uniaxial (*solve)(double l);
  double width_tolerance = 1e-6;
};

std::string line_through_rest(double slope) {
  std::string points;
  for (const double x : {0.2, 0.6, 0.9, 1.0, 1.3, 1.9, 2.5})
    points += fmt::format("{}[{}, {:.17g}]", points.empty() ? "" : ", ", x, slope * (x - 1));
  return "[" + points + "]";
}

std::vector<Law> laws() {
  return {{"neo_hookean", 0.6, "", neo_hookean},
          {"st_venant_kirchhoff", 0.7, "", st_venant_kirchhoff},
          {"corotated", 0.6, "", hooke},
          {"linear", 0.6, "", hooke},
          {"stable_neo_hookean", 0.6, "", solved<stable_neo_hookean>},
          {"mooney_rivlin", 0.6, fmt::format("c1: {:.17g}, c2: {:.17g}, bulk: {:.17g}", kC1, kC2, kBulk),
           solved<mooney_rivlin>},
          {"arap", 0.6, fmt::format("stiffness: {}", kYoung), solved<arap>},
          // Its sides have no stiffness at rest, 4 μ (w − 1)³: a width wrong by 1e-4 is a stress of 4e-12 μ.
          {"polynomial", 0.6, fmt::format("mu: {}", kQuartic), solved<polynomial>, 1e-4},
          {"spline", 0.6,
           fmt::format("a: {}, b: {}, c: {}", line_through_rest(kSlopeA), line_through_rest(kSlopeB),
                       line_through_rest(kSlopeC)),
           solved<spline>}};
}

class UniaxialStretch : public ::testing::TestWithParam<Law> {};

TEST_P(UniaxialStretch, FollowsTheScalarEquations) {
  const Law& law = GetParam();
  const std::string material = law.parameters.empty() ? fmt::format("materials.block.model={}", law.model)
                                                      : fmt::format("materials.block={{model: {}, density: 1000, {}}}",
                                                                    law.model, law.parameters);
  double worst_force = 0, worst_width = 0;
  for (const double last : {law.shortest, 2.0}) {
    SceneCase block("uniaxial.yaml", {material, fmt::format("pins.1.motion.move.velocity=[{}, 0, 0]", last - 1)});
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
  EXPECT_LE(worst_width, law.width_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Laws, UniaxialStretch, ::testing::ValuesIn(laws()),
                         [](const auto& test) { return std::string(test.param.model); });

}  // namespace
}  // namespace pliant::validation::uniaxial_test
