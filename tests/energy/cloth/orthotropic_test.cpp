#include <Eigen/LU>

#include "pliant/energy/cloth/orthotropic.h"

#include "pliant/energy/cloth/edge_membrane.h"
#include "tests/energy/cloth/sheet_model.h"
#include "tests/support/dense_algebra.h"

namespace pliant::cloth {
namespace {

constexpr OrthotropicModuli kDenim{.young_warp = 800, .young_weft = 300, .poisson = 0.4, .shear = 60};

// Stress over strain in the axes warp, weft, tensor shear: the stiffness of linear orthotropic plane stress.
TEST(Orthotropic, CoefficientsGiveTheStiffnessOfPlaneStress) {
  const OrthotropicCoefficients c = coefficients(kDenim);
  const double d = 1 - 0.4 * 0.4 * 300 / 800;
  EXPECT_NEAR(2 * c.mu + c.lambda + 2 * c.alpha + 2 * c.beta, 800 / d, 1e-11);  // warp, warp
  EXPECT_NEAR(2 * c.mu + c.lambda, 300 / d, 1e-11);                             // weft, weft
  EXPECT_NEAR(c.lambda + c.alpha, 0.4 * 300 / d, 1e-11);
  EXPECT_NEAR(2 * c.mu, 2 * 60, 1e-12);

  // Pulled along the warp, it contracts by Poisson's ratio.
  Mat2 stiffness;
  stiffness << 800 / d, 0.4 * 300 / d, 0.4 * 300 / d, 300 / d;
  const Vec2 strain = stiffness.inverse() * Vec2(1, 0);
  EXPECT_NEAR(strain.x(), 1.0 / 800, 1e-16);
  EXPECT_NEAR(-strain.y() / strain.x(), 0.4, 1e-13);
}

TEST(Orthotropic, EqualDirectionsAreIsotropic) {
  const double young = 500, poisson = 0.3;
  const OrthotropicCoefficients a = coefficients(OrthotropicModuli{young, young, poisson, young / (2 * (1 + poisson))});
  const OrthotropicCoefficients b = coefficients(IsotropicModuli{young, poisson});
  EXPECT_NEAR(a.lambda, b.lambda, 1e-11);
  EXPECT_NEAR(a.mu, b.mu, 1e-11);
  EXPECT_NEAR(a.alpha, 0, 1e-11);
  EXPECT_NEAR(a.beta, 0, 1e-11);
  EXPECT_EQ(b.alpha, 0);
  EXPECT_EQ(b.beta, 0);
  const OrthotropicModuli same{young, young, poisson, young / (2 * (1 + poisson))};
  for (const double angle : {0.0, 0.3, 1.0}) EXPECT_NEAR(directional_modulus(same, angle), young, 1e-10);
}

// Definite exactly where the stiffness matrix is.
TEST(Orthotropic, DefinitenessIsThatOfTheStiffness) {
  for (const double poisson : {-1.7, -1.6, -0.5, 0.0, 0.5, 1.6, 1.7}) {
    for (const double shear : {-1.0, 60.0}) {
      const OrthotropicModuli moduli{800, 300, poisson, shear};
      const OrthotropicCoefficients c = coefficients(moduli);
      const double warp = 2 * c.mu + c.lambda + 2 * c.alpha + 2 * c.beta, weft = 2 * c.mu + c.lambda;
      const double mixed = c.lambda + c.alpha;
      const bool definite = c.mu > 0 && warp > 0 && warp * weft > mixed * mixed;
      EXPECT_EQ(is_positive_definite(moduli), definite) << poisson << " " << shear;
    }
  }
  EXPECT_TRUE(is_positive_definite(IsotropicModuli{1, 0.99}));
  EXPECT_FALSE(is_positive_definite(IsotropicModuli{1, 1}));
  EXPECT_FALSE(is_positive_definite(IsotropicModuli{1, -1}));
  EXPECT_FALSE(is_positive_definite(IsotropicModuli{0, 0.3}));
}

// Strain along the pull of a triangle that carries a small uniaxial stress, found by Newton's method on its corners.
double strain_under_pull(const cloth_checks::Sheet& flat, const OrthotropicModuli& moduli, const Vec2& pull,
                         double stress) {
  cloth_checks::Sheet s = flat;
  const std::vector<OrthotropicCoefficients> parameters{coefficients(moduli)};
  const auto energy = cloth_checks::attached(EdgeMembrane<StVenantKirchhoff>(s.sheet, parameters), s.model);
  s.lay_flat();
  // Dead forces A P b_i of the stress P = σ pull pullᵀ; b_i of the reference frame.
  const std::array<Vec2, 3> x = s.corners(0);
  Mat2 edges;
  edges << x[1] - x[0], x[2] - x[0];
  const Mat2 from = edges.inverse().transpose();  // columns b_1, b_2
  Eigen::VectorXd load = Eigen::VectorXd::Zero(9);
  const Vec3i& v = s.sheet.triangles[0];
  for (int i = 0; i < 3; ++i) {
    const Vec2 b = i == 0 ? Vec2(-from.col(0) - from.col(1)) : Vec2(from.col(i - 1));
    load.segment<2>(3 * v[i]) = s.sheet.rest[0].area * stress * pull.dot(b) * pull;
  }
  for (int iteration = 0; iteration < 4; ++iteration) {
    const checks::Evaluation e = checks::evaluate(energy, s.model);
    const Eigen::VectorXd step = test::pseudo_inverse(checks::dense(e.hessian)) * (load - checks::flat(e.gradient));
    for (int c = 0; c < 3; ++c) s.model.now[c] += step.segment<3>(3 * c);
  }
  const Mat32 f = cloth_checks::gradient_of_triangle(x, {s.model.now[v[0]], s.model.now[v[1]], s.model.now[v[2]]});
  return 0.5 * ((f * pull).squaredNorm() - 1);
}

TEST(Orthotropic, DirectionalModulusIsMeasured) {
  checks::Random random(6);
  const double stress = 1e-4;  // strains of 1e-6 and less
  for (const double angle : {0.0, 0.2, 0.6, M_PI / 4, 1.0, 1.3, M_PI / 2}) {
    const cloth_checks::LoneTriangle lone = cloth_checks::make_triangle(random, Mat2::Identity());
    const Vec2 a = lone.s.warp, pull = std::cos(angle) * a + std::sin(angle) * Vec2(-a.y(), a.x());
    // The mean of pull and push is free of the second order.
    const double strain =
        0.5 * (strain_under_pull(lone.s, kDenim, pull, stress) - strain_under_pull(lone.s, kDenim, pull, -stress));
    EXPECT_NEAR(stress / strain / directional_modulus(kDenim, angle), 1, 1e-6) << angle;
  }
  EXPECT_NEAR(directional_modulus(kDenim, 0), 800, 1e-10);
  EXPECT_NEAR(directional_modulus(kDenim, M_PI / 2), 300, 1e-10);
}

}  // namespace
}  // namespace pliant::cloth
