#include "pliant/energy/solid/stable_neo_hookean.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct StableNeoHookeanCase {
  using Law = solid::StableNeoHookean;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {0.5, 5.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::stable_neo_hookean(p[0], p[1]); }
  static Vec2 lame(const double* p) { return Vec2(p[0], p[1]); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(StableNeoHookean, LawTest, StableNeoHookeanCase);

// The energy grows without a wall through J = 0 and pushes an inverted element back.
TEST(StableNeoHookean, InvertedElementsArePushedBack) {
  double last = 0;
  for (double t = 0.99; t > -1.5; t -= 0.01) {
    const auto [psi, stress] = at(solid::StableNeoHookean{}, std::array{1.0, 5.0}, Vec3(1, 1, t).asDiagonal());
    EXPECT_GT(psi, last) << t;
    EXPECT_LT(stress(2, 2), 0) << t;
    last = psi;
  }
}

// Rest is the only minimum among uniform scalings; the published α keeps it stress free.
TEST(StableNeoHookean, RestIsStressFree) {
  const auto [psi, stress] = at(solid::StableNeoHookean{}, std::array{0.7, 12.0}, Mat3::Identity());
  EXPECT_NEAR(psi, 0, 1e-14);
  EXPECT_LE(stress.norm(), 1e-14 * 12);
}

}  // namespace
}  // namespace pliant::checks
