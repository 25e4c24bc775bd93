#include "pliant/energy/solid/corotated.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct CorotatedCase {
  using Law = solid::Corotated;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {0.5, 5.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::corotated(p[0], p[1]); }
  static Vec2 lame(const double* p) { return Vec2(p[0], p[1]); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Corotated, LawTest, CorotatedCase);

TEST(Corotated, ReferenceValues) {
  expect_reference(solid::Corotated{}, std::array{1.0, 1.0}, 0.06, Vec3(0.6, 0.2, 0.2));
}

// The warped Hessian is R K Rᵀ with K the stiffness of the linear law and R the element's rotation [Verschoor2019
// D.46].
TEST(Corotated, WarpedHessianIsTheTurnedLinearStiffness) {
  const TetModel soup = make_soup(gradients_of_all_classes());
  const auto parameters = CorotatedCase::parameters(soup.tet_count());
  const solid::HyperelasticTets<solid::Corotated> energy(soup.elements, {}, parameters);
  const Evaluation ours = evaluate(energy, soup, HessianKind::warped);
  for (int t = 0; t < soup.tet_count(); ++t) {
    const oracle::Element element = oracle::element_of(soup.mesh(), t);
    const oracle::LawPointer linear = oracle::linear(parameters[0][t], parameters[1][t]);
    const oracle::Mat12 k = oracle::evaluate(*linear, element, oracle::Kind::exact).hessian;
    oracle::Mat12 turn = oracle::Mat12::Zero();
    for (int c = 0; c < 4; ++c) turn.block<3, 3>(3 * c, 3 * c) = oracle::rotation_of(element.f);
    expect_close(turn * k * turn.transpose(), element_matrix(ours.hessian, t), 1e-10, 0, "state " + std::to_string(t));
  }
}

// A mirrored element has energy and is driven back: the smallest stretch is pulled towards +1.
TEST(Corotated, InvertedElementsArePulledBack) {
  const auto [psi, stress] = at(solid::Corotated{}, std::array{1.0, 1.0}, Vec3(1.2, 1.1, -0.9).asDiagonal());
  EXPECT_GT(psi, 1);
  EXPECT_LT(stress(2, 2), -1);
}

}  // namespace
}  // namespace pliant::checks
