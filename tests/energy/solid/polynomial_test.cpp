#include "pliant/energy/solid/polynomial.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct PolynomialCase {
  using Law = solid::Polynomial;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) { return random_moduli(count, {{0.5, 2.0}}); }
  static oracle::LawPointer oracle(const double* p) { return oracle::polynomial(p[0]); }
  static Vec2 lame(const double*) { return Vec2(0, 0); }  // small deformations are free
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Polynomial, LawTest, PolynomialCase);

TEST(Polynomial, ReferenceValues) { expect_reference(solid::Polynomial{}, std::array{1.0}, 0.0016, Vec3(0.032, 0, 0)); }

// Its own expansion at rest: Ψ = μ Σ λ_i(ε)⁴ + O(ε⁵), the eigenvalues of the small strain.
TEST(Polynomial, ExpansionAtRestIsTheFourthPowerOfStrain) {
  Random random(41);
  Mat3 strain;
  for (int c = 0; c < 3; ++c) strain.col(c) = random.vector();
  strain = (strain + strain.transpose()).eval();
  const double quartic = (strain * strain * strain * strain).trace();
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double size = k == 0 ? 1e-2 : 5e-3;
    const double psi = at(solid::Polynomial{}, std::array{3.0}, Mat3::Identity() + size * strain).first;
    error[k] = std::abs(psi / std::pow(size, 4) - 3 * quartic);
  }
  EXPECT_LE(error[1], 1e-9 * quartic);  // F is symmetric here, so the expansion ends with the fourth power
  EXPECT_LE(error[0], 1e-9 * quartic);
}

}  // namespace
}  // namespace pliant::checks
