#include "pliant/energy/solid/mooney_rivlin.h"

#include "pliant/energy/solid/neo_hookean.h"
#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct MooneyRivlinCase {
  using Law = solid::MooneyRivlin;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.3, 1.0}, {0.05, 0.4}, {6.0, 20.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::mooney_rivlin(p[0], p[1], p[2]); }
  // μ = 2 (c₁ + c₂), λ = κ − 2μ/3
  static Vec2 lame(const double* p) {
    const double mu = 2 * (p[0] + p[1]);
    return Vec2(mu, p[2] - 2 * mu / 3);
  }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(MooneyRivlin, LawTest, MooneyRivlinCase);

// Without c₂ it is the neo-Hookean solid with μ = 2c₁ and λ = κ − 2μ/3.
TEST(MooneyRivlin, WithoutTheSecondModulusIsNeoHookean) {
  for (const Mat3& f : gradients_of_all_classes()) {
    const auto [psi, stress] = at(solid::MooneyRivlin{}, std::array{0.6, 0.0, 4.0}, f);
    const auto [psi_neo, stress_neo] = at(solid::NeoHookean{}, std::array{1.2, 4.0 - 0.8}, f);
    EXPECT_NEAR(psi, psi_neo, 1e-12 * (1 + std::abs(psi_neo)));
    expect_close(stress_neo, stress, 1e-12, 1);
  }
}

}  // namespace
}  // namespace pliant::checks
