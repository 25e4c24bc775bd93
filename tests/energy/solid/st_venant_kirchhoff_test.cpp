#include "pliant/energy/solid/st_venant_kirchhoff.h"

#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

struct StVenantKirchhoffCase {
  using Law = solid::StVenantKirchhoff;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {0.5, 5.0}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::st_venant_kirchhoff(p[0], p[1]); }
  static Vec2 lame(const double* p) { return Vec2(p[0], p[1]); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(StVenantKirchhoff, LawTest, StVenantKirchhoffCase);

TEST(StVenantKirchhoff, ReferenceValues) {
  expect_reference(solid::StVenantKirchhoff{}, std::array{1.0, 1.0}, 0.0726, Vec3(0.792, 0.22, 0.22));
}

// The Green strain does not see reflections: a known weakness of the law.
TEST(StVenantKirchhoff, ReflectionsAreFree) {
  TetModel model = make_bent_box({2, 2, 1});
  const solid::HyperelasticTets<solid::StVenantKirchhoff> energy(
      model.elements, {}, StVenantKirchhoffCase::parameters(static_cast<int>(model.tets.size())));
  const double here = value_of(energy, model);
  const Mat3 mirror = Vec3(1, 1, -1).asDiagonal();
  move(model, Random(4).rotation() * mirror, Vec3(1, 0, 2));
  EXPECT_NEAR(value_of(energy, model), here, 1e-12 * here);
}

// Without lateral strain the force of a bar turns at stretch 1/√3.
TEST(StVenantKirchhoff, CompressionSoftensAtOneOverRootThree) {
  const double turn = 1 / std::sqrt(3.0), h = 1e-3;
  const auto force = [](double t) {
    return at(solid::StVenantKirchhoff{}, std::array{1.0, 1.0}, Vec3(1, 1, t).asDiagonal()).second(2, 2);
  };
  EXPECT_GT(force(turn - h), force(turn));
  EXPECT_GT(force(turn + h), force(turn));
}

}  // namespace
}  // namespace pliant::checks
