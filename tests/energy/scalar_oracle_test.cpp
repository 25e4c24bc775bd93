// The oracle itself against finite differences: what others are compared with must be right.
#include <Eigen/LU>

#include "tests/energy/scalar_oracle.h"

#include "tests/energy/energy_checks.h"
#include "tests/energy/scalar_oracle_definitions.h"

namespace pliant::checks {
namespace {

void expect_derivatives(const oracle::Law& law) {
  Random random(101);
  for (const Vec3& s : {Vec3(1.3, 1.1, 0.8), Vec3(0.9, 0.7, 0.5), Vec3(1.2, 0.8, -0.3)}) {
    const Mat3 f = random.rotation() * s.asDiagonal() * random.rotation();
    Mat3 direction;
    for (int c = 0; c < 3; ++c) direction.col(c) = random.vector();
    std::array<double, 4> stress_error{}, change_error{};
    double h = 2e-3;
    for (int level = 0; level < 4; ++level, h /= 2) {
      const Mat3 plus = f + h * direction, minus = f - h * direction;
      stress_error[level] =
          std::abs((law.density(plus) - law.density(minus)) / (2 * h) - law.stress(f).cwiseProduct(direction).sum());
      change_error[level] = ((law.stress(plus) - law.stress(minus)) / (2 * h) - law.stress_change(f, direction)).norm();
    }
    expect_second_order(stress_error, 1, "stress");
    expect_second_order(change_error, 1, "change of stress");
  }
}

TEST(ScalarOracle, LawsAreConsistent) {
  expect_derivatives(*oracle::neo_hookean(0.8, 2.1));
  expect_derivatives(*oracle::stable_neo_hookean(0.8, 2.1));
  expect_derivatives(*oracle::corotated(0.8, 2.1));
  expect_derivatives(*oracle::st_venant_kirchhoff(0.8, 2.1));
  expect_derivatives(*oracle::linear(0.8, 2.1));
  expect_derivatives(*oracle::mooney_rivlin(0.4, 0.1, 3));
  expect_derivatives(*oracle::polynomial(0.8));
  expect_derivatives(*oracle::fibre(0.8, Vec3(0.6, 0, 0.8)));
}

TEST(ScalarOracle, SvdHasRotationsAndTheSignOfTheDeterminant) {
  Random random(102);
  for (int k = 0; k < 50; ++k) {
    Mat3 f;
    for (int c = 0; c < 3; ++c) f.col(c) = random.vector();
    const oracle::Svd svd = oracle::signed_svd(f);
    EXPECT_NEAR(svd.u.determinant(), 1, 1e-12);
    EXPECT_NEAR(svd.v.determinant(), 1, 1e-12);
    EXPECT_LE((svd.u * svd.s.asDiagonal() * svd.v.transpose() - f).norm(), 1e-13);
  }
}

TEST(ScalarOracle, GradientOfAffineMap) {
  const oracle::Element element({Vec3::Zero(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()},
                                {Vec3(1, 1, 1), Vec3(3, 1, 1), Vec3(1, 4, 1), Vec3(1, 1, 5)});
  EXPECT_LE((element.f - Mat3(Vec3(2, 3, 4).asDiagonal())).norm(), 1e-14);
  EXPECT_NEAR(element.volume, 1.0 / 6, 1e-15);
}

}  // namespace
}  // namespace pliant::checks
