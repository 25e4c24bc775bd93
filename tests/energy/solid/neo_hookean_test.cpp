#include "pliant/energy/solid/neo_hookean.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct NeoHookeanCase {
  using Law = solid::NeoHookean;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {0.5, 5.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::neo_hookean(p[0], p[1]); }
  static Vec2 lame(const double* p) { return Vec2(p[0], p[1]); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(NeoHookean, LawTest, NeoHookeanCase);

TEST(NeoHookean, ReferenceValues) {
  expect_reference(solid::NeoHookean{}, std::array{1.0, 1.0}, 0.0542990, Vec3(0.5186013, 0.1823216, 0.1823216));
}

// Twist and flip of the first two stretches at (1.3, 0.8, 1.0) [Liu2018 18].
TEST(NeoHookean, ReferenceEigenvalues) {
  const double p[2] = {1, 1}, s[3] = {1.3, 0.8, 1.0};
  solid::PrincipalDerivatives<double> d;
  solid::NeoHookean::principal(p, s, d);
  EXPECT_NEAR(d.twist[2], 0.0761738, 1e-7);
  EXPECT_NEAR(d.flip[2], 1.9238262, 1e-7);
}

// Less volume always costs more, also through zero and beyond: the pressure along F = t 1 pushes back to rest.
TEST(NeoHookean, InvertedElementsArePushedBack) {
  double last = 0;
  for (double t = 0.99; t > -1.5; t -= 0.01) {
    const auto [psi, stress] = at(solid::NeoHookean{}, std::array{1.0, 5.0}, Vec3(1, 1, t).asDiagonal());
    EXPECT_GT(psi, last) << t;
    EXPECT_LT(stress(2, 2), 0) << t;
    last = psi;
  }
}

// Differences of the value across the place where ln J is continued see no jump.
TEST(NeoHookean, DerivativesConvergeAlsoInvertedAndAcrossTheSwitch) {
  Random random(12);
  std::vector<Mat3> gradients;
  for (const Vec3& s : {Vec3(1.2, 0.9, -0.3), Vec3(1.1, 1.0, 0.05), Vec3(1, 0.4, 0.3), Vec3(0.9, 0.8, -0.6)}) {
    gradients.push_back(turned(s, random));
  }
  const TetModel model = make_soup(gradients);
  const solid::HyperelasticTets<solid::NeoHookean> energy(model.elements, {}, NeoHookeanCase::parameters(4));
  expect_derivatives_converge(energy, model, 5e-4);
}

}  // namespace
}  // namespace pliant::checks
