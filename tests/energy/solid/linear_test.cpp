#include "pliant/energy/solid/linear.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct LinearCase {
  using Law = solid::Linear;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {0.5, 5.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::linear(p[0], p[1]); }
  static Vec2 lame(const double* p) { return Vec2(p[0], p[1]); }
  static constexpr bool kTurns = false;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Linear, LawTest, LinearCase);

// F = diag(1.2, 1, 1) is at rest orientation: the same values as the corotated law's.
TEST(Linear, ReferenceValues) { expect_reference(solid::Linear{}, std::array{1.0, 1.0}, 0.06, Vec3(0.6, 0.2, 0.2)); }

// Simple shear γ gives the engineering shear stress G γ with G = μ.
TEST(Linear, ShearModulusIsMu) {
  Mat3 f = Mat3::Identity();
  f(0, 1) = 0.01;
  const auto [psi, stress] = at(solid::Linear{}, std::array{3.0, 7.0}, f);
  EXPECT_NEAR(stress(0, 1), 3.0 * 0.01, 1e-15);
  EXPECT_NEAR(stress(1, 0), 3.0 * 0.01, 1e-15);
  EXPECT_NEAR(psi, 0.5 * 3.0 * 0.01 * 0.01, 1e-15);
}

TEST(Linear, RotationsCostEnergy) {
  Mat3 quarter;  // a quarter turn about z
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  EXPECT_NEAR(at(solid::Linear{}, std::array{1.0, 0.0}, quarter).first, 2, 1e-14);
}

TEST(Linear, HessianDoesNotDependOnTheDeformation) {
  TetModel model = make_bent_box({2, 1, 1});
  const solid::HyperelasticTets<solid::Linear> energy(model.elements, {},
                                                      LinearCase::parameters(static_cast<int>(model.tets.size())));
  const Eigen::MatrixXd here = dense(evaluate(energy, model, HessianKind::projected).hessian);
  model.now = model.before;
  EXPECT_EQ((dense(evaluate(energy, model, HessianKind::exact).hessian) - here).norm(), 0);
}

}  // namespace
}  // namespace pliant::checks
