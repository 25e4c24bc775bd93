#include <Eigen/LU>

#include "pliant/energy/cloth/stretch_membrane.h"

#include "pliant/energy/cloth/edge_membrane.h"
#include "tests/energy/cloth/sheet_model.h"
#include "tests/support/dense_algebra.h"

namespace pliant::cloth {
namespace {

using namespace checks;
using namespace cloth_checks;

constexpr IsotropicModuli kRubber{.young = 400, .poisson = 0.35};
constexpr StrainLimit::Parameters kLimits{.min = 0.95, .max = 1.05, .stiffness = 700};

template <class Law>
typename Law::Parameters stretch_parameters() {
  if constexpr (std::is_same_v<Law, StrainLimit>) {
    return kLimits;
  } else {
    return lame_parameters(kRubber);
  }
}

// The laws once more, in extended precision, from s1² + s2² and s1 s2.
template <class Law>
Wide wide_density(Wide s1, Wide s2) {
  const auto p = stretch_parameters<Law>();
  if constexpr (std::is_same_v<Law, StrainLimit>) {
    const Wide a = s1 - std::clamp<Wide>(s1, p.min, p.max), b = s2 - std::clamp<Wide>(s2, p.min, p.max);
    return 0.5L * p.stiffness * (a * a + b * b);
  } else if constexpr (std::is_same_v<Law, Corotated>) {
    return p.mu * ((s1 - 1) * (s1 - 1) + (s2 - 1) * (s2 - 1)) + 0.5L * p.lambda * (s1 + s2 - 2) * (s1 + s2 - 2);
  } else {
    const Wide log_area = std::log(s1 * s2);
    return 0.5L * p.mu * (s1 * s1 + s2 * s2 - 2) - p.mu * log_area + 0.5L * p.lambda * log_area * log_area;
  }
}

template <class Law>
class StretchMembraneOf : public ::testing::Test {};
using StretchLaws = ::testing::Types<NeoHookean, Corotated, StrainLimit>;
TYPED_TEST_SUITE(StretchMembraneOf, StretchLaws);

template <class Law>
StretchMembrane<Law> make_energy(Sheet& s) {
  const std::vector<typename Law::Parameters> parameters(s.sheet.triangles.size(), stretch_parameters<Law>());
  return attached(StretchMembrane<Law>(s.sheet, parameters), s.model);
}

Mat2 turned_stretch(Random& random, double s1, double s2) {
  const double a = random.between(0, 6), c = std::cos(a), s = std::sin(a);
  Mat2 v;
  v << c, -s, s, c;
  return Vec2(s1, s2).asDiagonal() * v.transpose();
}

TYPED_TEST(StretchMembraneOf, DerivativesEqualThoseInExtendedPrecision) {
  Random random(51);
  // Off the limits 0.95 and 1.05 by more than the stencil, tension, compression and both.
  const Vec2 stretches[] = {{1.4, 1.2}, {1.3, 0.7}, {0.8, 0.6}, {1.2, 1.0}, {1.01, 0.98}, {1.0, 0.5}};
  for (const Vec2& stretch : stretches) {
    LoneTriangle lone = make_triangle(random, turned_stretch(random, stretch[0], stretch[1]));
    const auto energy = make_energy<TypeParam>(lone.s);
    const WideEnergy plain = [&](const WideVector& x) {
      const Eigen::Matrix<Wide, 2, 2> c = wide_gram(lone.s, 0, x);
      const Wide j = std::sqrt(c.determinant()), sum = std::sqrt(c.trace() + 2 * j);
      const Wide difference = std::sqrt(std::max<Wide>(c.trace() - 2 * j, 0));
      return lone.s.sheet.rest[0].area * wide_density<TypeParam>((sum + difference) / 2, (sum - difference) / 2);
    };
    const Evaluation ours = evaluate(energy, lone.s.model);
    const WideVector x = wide(lone.s.model.now);
    EXPECT_NEAR(ours.value, static_cast<double>(plain(x)), 1e-12 * (ours.value + 1));
    expect_close(wide_gradient(plain, x, 1e-4L), flat(ours.gradient), 1e-10, 1);
    expect_close(wide_hessian(plain, x, 3e-4L), dense(ours.hessian), 1e-8, 1);
  }
}

TYPED_TEST(StretchMembraneOf, PassesTheChecksOfEveryEnergy) {
  Sheet s = make_sheet();
  const auto energy = make_energy<TypeParam>(s);
  if constexpr (!std::is_same_v<TypeParam, StrainLimit>) {  // whose force has kinks at the limits
    expect_derivatives_converge(energy, s.model, 5e-4);
  }
  expect_views_agree(energy, s.model);
  expect_adds(energy, s.model);
  expect_no_net_force(energy, s.model);
  expect_no_net_torque(energy, s.model);
  expect_rotation_invariant(energy, s.model);
  expect_projected_is_semidefinite(energy, s.model);
  Sheet large = make_sheet({40, 30});
  expect_same_bits_for_any_thread_count(make_energy<TypeParam>(large), large.model);
}

// The projection is the nearest in the space of F: V G Vᵀ clamped, with G the element matrix there.
TYPED_TEST(StretchMembraneOf, ProjectionIsTheNearestInTheSpaceOfTheGradient) {
  Random random(52);
  for (const Vec2& stretch : {Vec2(1.4, 1.2), Vec2(1.3, 0.7), Vec2(0.8, 0.6), Vec2(1.2, 1.0), Vec2(0.7, 0.2)}) {
    LoneTriangle lone = make_triangle(random, turned_stretch(random, stretch[0], stretch[1]));
    const auto energy = make_energy<TypeParam>(lone.s);
    // vec(F) = J x, so H = Jᵀ A J and A = (J⁺)ᵀ H J⁺.
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(6, 9);
    for (int column = 0; column < 9; ++column) {
      std::array<Vec3, 3> x{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
      for (int corner = 0; corner < 3; ++corner) {
        if (lone.s.sheet.triangles[0][corner] == column / 3) x[corner] = Vec3::Unit(column % 3);
      }
      const Mat32 f = gradient_of_triangle(lone.s.corners(0), x);
      j.col(column) << f.col(0), f.col(1);
    }
    const Eigen::MatrixXd inverse = test::pseudo_inverse(j);
    const Eigen::MatrixXd exact = dense(evaluate(energy, lone.s.model).hessian);
    const test::Eigensystem eigen = test::eigensystem(inverse.transpose() * exact * inverse);
    const Eigen::MatrixXd clamped = eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.transpose();
    const Eigen::MatrixXd projected = dense(evaluate(energy, lone.s.model, HessianKind::projected).hessian);
    expect_close(j.transpose() * clamped * j, projected, 1e-10, 1e-3 * exact.norm());
  }
}

TYPED_TEST(StretchMembraneOf, CollapsedTrianglesAreFinite) {
  Random random(53);
  for (const Vec2& stretch : {Vec2(1, 0), Vec2(0, 0), Vec2(1, 1e-12), Vec2(1e-9, 1e-9), Vec2(1, 1), Vec2(0.5, 0.5),
                              Vec2(1e-200, 0), Vec2(1.05, 0.95), Vec2(1e3, 0)}) {
    LoneTriangle lone = make_triangle(random, turned_stretch(random, stretch[0], stretch[1]));
    const auto energy = make_energy<TypeParam>(lone.s);
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
      const Evaluation e = evaluate(energy, lone.s.model, kind);
      EXPECT_TRUE(std::isfinite(e.value));
      EXPECT_NEAR(value_of(energy, lone.s.model), e.value, 1e-12 * (e.value + 1));
      EXPECT_TRUE(flat(gradient_of(energy, lone.s.model)).allFinite()) << stretch.transpose();
      EXPECT_TRUE(flat(e.gradient).allFinite()) << stretch.transpose();
      EXPECT_TRUE(dense(e.hessian).allFinite()) << stretch.transpose();
      if (kind == HessianKind::projected) {
        EXPECT_GE(smallest_eigenvalue(dense(e.hessian)), -1e-10 * dense(e.hessian).norm());
      }
    }
  }
  // All three corners in one point, exactly.
  LoneTriangle lone = make_triangle(random, Mat2::Identity());
  for (int v = 0; v < 3; ++v) lone.s.model.now[v] = Vec3(1, 2, 3);
  const Evaluation e = evaluate(make_energy<TypeParam>(lone.s), lone.s.model);
  EXPECT_TRUE(std::isfinite(e.value) && flat(e.gradient).allFinite() && dense(e.hessian).allFinite());
}

// Equal stretches have no principal directions: the derivatives are those of the neighbourhood all the same.
// Without a Hessian triangles are worked out four at a time, with one one by one. The sheets end in groups of 1 to 4.
TYPED_TEST(StretchMembraneOf, FourAtATimeAgreeWithOneByOne) {
  Random random(54);
  for (const int columns : {4, 5, 6, 8}) {
    Sheet s = make_sheet({columns, 3});
    // Some triangles flattened to a line, one to a point.
    const Vec3i lines = s.sheet.triangles[1], point = s.sheet.triangles.back();
    s.model.now[lines[2]] = 0.5 * (s.model.now[lines[0]] + s.model.now[lines[1]]);
    s.model.now[point[1]] = s.model.now[point[0]];
    s.model.now[point[2]] = s.model.now[point[0]];
    std::vector<typename TypeParam::Parameters> parameters(s.sheet.triangles.size(), stretch_parameters<TypeParam>());
    for (auto& p : parameters) {
      if constexpr (std::is_same_v<TypeParam, StrainLimit>) {
        p.stiffness *= random.between(0.5, 2);
      } else {
        p.mu *= random.between(0.5, 2), p.lambda *= random.between(0.5, 2);
      }
    }
    const auto energy = attached(StretchMembrane<TypeParam>(s.sheet, parameters), s.model);
    const Evaluation plain = evaluate(energy, s.model);
    EXPECT_NEAR(value_of(energy, s.model), plain.value, 1e-13 * plain.value);
    expect_close(flat(plain.gradient), flat(gradient_of(energy, s.model)), 1e-11, 1e-3 * flat(plain.gradient).norm());
  }
}

TYPED_TEST(StretchMembraneOf, EqualStretchesAreOrdinary) {
  Random random(54);
  for (const double stretch : {1.3, 0.7}) {
    LoneTriangle lone = make_triangle(random, stretch * Mat2::Identity());
    const auto energy = make_energy<TypeParam>(lone.s);
    expect_derivatives_converge(energy, lone.s.model, 1e-3);
  }
}

TYPED_TEST(StretchMembraneOf, AnimatedRestState) {
  Sheet s = make_sheet();
  const auto fixed = make_energy<TypeParam>(s);
  s.sheet.animated = 0;
  const auto animated = make_energy<TypeParam>(s);
  auto& lengths = s.model.controls.rest_lengths.emplace_back();
  for (const TriangleRest& rest : s.sheet.rest) {
    for (const double squared : rest.squared_length) lengths.push_back(std::sqrt(squared));
  }
  const Evaluation a = evaluate(fixed, s.model), b = evaluate(animated, s.model);
  EXPECT_NEAR(a.value, b.value, 1e-11 * a.value);
  expect_close(flat(a.gradient), flat(b.gradient), 1e-10);
  expect_close(dense(a.hessian), dense(b.hessian), 1e-10);

  // Rest lengths of the shape that it has: no force.
  lengths.clear();
  for (const Vec3i& t : s.sheet.triangles) {
    for (int i = 0; i < 3; ++i) {
      lengths.push_back((s.model.now[t[(i + 2) % 3]] - s.model.now[t[(i + 1) % 3]]).norm());
    }
  }
  EXPECT_LE(flat(gradient_of(animated, s.model)).norm(), 1e-11 * flat(a.gradient).norm());
}

// Near rest every isotropic law is Hooke's: the same Hessian as St. Venant-Kirchhoff's.
TEST(StretchMembrane, LinearisationAtRestIsHooke) {
  Sheet s = make_sheet();
  s.lay_flat();
  const std::vector<OrthotropicCoefficients> sheet(s.sheet.triangles.size(), coefficients(kRubber));
  const auto hooke = attached(EdgeMembrane<StVenantKirchhoff>(s.sheet, sheet), s.model);
  const Eigen::MatrixXd expected = dense(evaluate(hooke, s.model).hessian);
  expect_close(expected, dense(evaluate(make_energy<NeoHookean>(s), s.model).hessian), 1e-10);
  expect_close(expected, dense(evaluate(make_energy<Corotated>(s), s.model).hessian), 1e-10);
}

// A strip that is free at its sides: force and width against the closed solution of dψ/ds2 = 0.
TEST(StretchMembrane, NeoHookeanUniaxialStretch) {
  const LameParameters p = lame_parameters(kRubber);
  for (const double s1 : {0.8, 1.2, 2.0}) {
    double s2 = 1;  // μ (s2² − 1) + λ ln(s1 s2) = 0
    for (int i = 0; i < 50; ++i) {
      s2 -= (p.mu * (s2 * s2 - 1) + p.lambda * std::log(s1 * s2)) / (2 * p.mu * s2 + p.lambda / s2);
    }
    const StretchDerivatives d = NeoHookean::derivatives(p, s1, s2);
    EXPECT_NEAR(d.first[1], 0, 1e-10);
    EXPECT_EQ(s1 > 1, d.first[0] > 0);
  }
  // Small stretch: Young's modulus and Poisson's ratio.
  const double e = 1e-6;
  const StretchDerivatives d = NeoHookean::derivatives(p, 1 + e, 1 - kRubber.poisson * e);
  EXPECT_NEAR(d.first[0] / e, kRubber.young, 1e-3);
  EXPECT_NEAR(d.first[1] / e, 0, 1e-3);
}

TEST(StretchMembrane, ClampedGradientIsTheNearestWithinTheLimits) {
  Random random(55);
  for (int trial = 0; trial < 50; ++trial) {
    Mat32 f;
    f << random.vector(1.5), random.vector(1.5);
    if (trial == 0) f.setZero();
    if (trial == 1) f.col(1) = 2 * f.col(0);
    const Mat32 p = clamp_stretches(f, 0.8, 1.2);
    const Vec2 stretches = test::singular_values(f), clamped = stretches.cwiseMax(0.8).cwiseMin(1.2);
    const Vec2 ours = test::singular_values(p);
    EXPECT_LE((ours - clamped).norm(), 1e-13);
    EXPECT_NEAR((f - p).norm(), (stretches - clamped).norm(), 1e-13);  // none is nearer
  }
}

// ψ = k/2 ‖F − G‖² and P = k (F − G) with G the clamped gradient.
TEST(StretchMembrane, StrainLimitIsTheDistanceToTheLimits) {
  Random random(56);
  for (int trial = 0; trial < 20; ++trial) {
    LoneTriangle lone = make_triangle(random, random_stretch(random));
    const auto energy = make_energy<StrainLimit>(lone.s);
    const Mat32 away = lone.f - clamp_stretches(lone.f, kLimits.min, kLimits.max);
    const double area = lone.s.sheet.rest[0].area;
    EXPECT_NEAR(value_of(energy, lone.s.model), area * 0.5 * kLimits.stiffness * away.squaredNorm(), 1e-10);
    const BlockVector gradient = gradient_of(energy, lone.s.model);
    const std::array<Vec2, 3> x = lone.s.corners(0);
    Mat2 edges;
    edges << x[1] - x[0], x[2] - x[0];
    const Mat32 pull = area * kLimits.stiffness * away * edges.inverse().transpose();  // columns: corners 1, 2
    const Vec3i& v = lone.s.sheet.triangles[0];
    expect_close(pull.col(0), Vec3(gradient[v[1]]), 1e-10, kLimits.stiffness);
    expect_close(pull.col(1), Vec3(gradient[v[2]]), 1e-10, kLimits.stiffness);
  }
}

// Limits that coincide at 1: as-rigid-as-possible, which is corotated elasticity with λ = 0 and 2μ = k.
TEST(StretchMembrane, CoincidingLimitsAreRigid) {
  Sheet s = make_sheet();
  const std::vector<StrainLimit::Parameters> limits(s.sheet.triangles.size(), {1, 1, 700});
  const std::vector<LameParameters> lame(s.sheet.triangles.size(), {0, 350});
  const auto a = attached(StretchMembrane<StrainLimit>(s.sheet, limits), s.model);
  const auto b = attached(StretchMembrane<Corotated>(s.sheet, lame), s.model);
  const Evaluation limit = evaluate(a, s.model), rigid = evaluate(b, s.model);
  EXPECT_NEAR(limit.value, rigid.value, 1e-12 * rigid.value);
  expect_close(flat(rigid.gradient), flat(limit.gradient), 1e-12);
  expect_close(dense(rigid.hessian), dense(limit.hessian), 1e-11);
  // Within limits nothing happens.
  s.lay_flat();
  const auto wide_limits = make_energy<StrainLimit>(s);
  EXPECT_EQ(value_of(wide_limits, s.model), 0);
  EXPECT_EQ(dense(evaluate(wide_limits, s.model).hessian).norm(), 0);
}

}  // namespace
}  // namespace pliant::cloth
