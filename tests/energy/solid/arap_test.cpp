#include "pliant/energy/solid/arap.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct ArapCase {
  using Law = solid::Arap;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) { return random_moduli(count, {{0.5, 2.0}}); }
  static oracle::LawPointer oracle(const double* p) { return oracle::corotated(p[0] / 2, 0); }
  static Vec2 lame(const double* p) { return Vec2(p[0] / 2, 0); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Arap, LawTest, ArapCase);

TEST(Arap, ReferenceValues) { expect_reference(solid::Arap{}, std::array{1.0}, 0.02, Vec3(0.2, 0, 0)); }

// The law is the distance to the nearest rotation: no other rotation is nearer.
TEST(Arap, IsTheDistanceToTheRotations) {
  Random random(31);
  const Mat3 f = turned(Vec3(1.4, 0.8, -0.3), random);
  const auto [psi, stress] = at(solid::Arap{}, std::array{2.0}, f);
  EXPECT_NEAR(psi, stress.squaredNorm() / 4, 1e-13);
  for (int k = 0; k < 200; ++k) EXPECT_LE(psi, (f - random.rotation()).squaredNorm());
}

}  // namespace
}  // namespace pliant::checks
