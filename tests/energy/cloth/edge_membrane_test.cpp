#include "pliant/energy/cloth/edge_membrane.h"

#include "pliant/energy/cloth/edge_membrane_kernels.h"
#include "tests/energy/cloth/sheet_model.h"
#include "tests/energy/weight_checks.h"

namespace pliant::cloth {
namespace {

using namespace checks;
using namespace cloth_checks;
using Membrane = EdgeMembrane<StVenantKirchhoff>;

constexpr OrthotropicModuli kWool{.young_warp = 900, .young_weft = 350, .poisson = 0.3, .shear = 45};

std::vector<OrthotropicCoefficients> wool(const Sheet& s) {
  Random random(17);
  std::vector<OrthotropicCoefficients> all;
  for (int t = 0; t < s.triangle_count(); ++t) all.push_back(coefficients(kWool).times(random.between(0.5, 2)));
  return all;
}

// St. Venant-Kirchhoff's density as a function of the invariants.
struct QuadraticDensity {
  static constexpr std::string_view kName = "quadratic";
  using Parameters = OrthotropicCoefficients;
  static double energy(const Parameters& p, const double j[3]) {
    return 0.5 * p.lambda * j[0] * j[0] + p.mu * j[1] + p.alpha * j[0] * j[2] + p.beta * j[2] * j[2];
  }
  static InvariantDerivatives derivatives(const Parameters& p, const double j[3]) {
    return {energy(p, j),
            {p.lambda * j[0] + p.alpha * j[2], p.mu, p.alpha * j[0] + 2 * p.beta * j[2]},
            {p.lambda, 0, 2 * p.beta, 0, p.alpha, 0}};
  }
};

// Fung's exponential law: ψ = c/2 (e^Q − 1), Q = a J1² + b J2 + d J3² + e J2 J3; stiffens as skin does.
struct FungDensity {
  static constexpr std::string_view kName = "fung";
  struct Parameters {
    double c, a, b, d, e;
  };
  template <class T>
  static T exponent(const Parameters& p, const T j[3]) {
    return p.a * j[0] * j[0] + p.b * j[1] + p.d * j[2] * j[2] + p.e * j[1] * j[2];
  }
  static double energy(const Parameters& p, const double j[3]) { return 0.5 * p.c * std::expm1(exponent(p, j)); }
  static InvariantDerivatives derivatives(const Parameters& p, const double j[3]) {
    const double q[3] = {2 * p.a * j[0], p.b + p.e * j[2], 2 * p.d * j[2] + p.e * j[1]};
    const double f = 0.5 * p.c * std::exp(exponent(p, j));
    return {energy(p, j),
            {f * q[0], f * q[1], f * q[2]},
            {f * (q[0] * q[0] + 2 * p.a), f * q[1] * q[1], f * (q[2] * q[2] + 2 * p.d), f * q[0] * q[1],
             f * q[0] * q[2], f * (q[1] * q[2] + p.e)}};
  }
};

struct WideInvariants {
  Wide j[3];
  WideInvariants(const Sheet& s, int t, const WideVector& x) {
    using Mat = Eigen::Matrix<Wide, 2, 2>;
    const Mat strain = (wide_gram(s, t, x) - Mat::Identity()) / 2;
    const Eigen::Matrix<Wide, 2, 1> a = s.warp.cast<Wide>().normalized();
    j[0] = strain.trace(), j[1] = (strain * strain).trace(), j[2] = a.dot(strain * a);
  }
};

TEST(EdgeMembrane, InvariantsAreThoseOfTheDeformationGradient) {
  Random random(31);
  for (int trial = 0; trial < 50; ++trial) {
    const LoneTriangle lone = make_triangle(random, random_stretch(random));
    const Vec3i& v = lone.s.sheet.triangles[0];
    double s[3], j[3];
    for (int i = 0; i < 3; ++i) {
      const double now = (lone.s.model.now[v[(i + 2) % 3]] - lone.s.model.now[v[(i + 1) % 3]]).squaredNorm();
      s[i] = 0.5 * (now - lone.s.sheet.rest[0].squared_length[i]);
    }
    StrainInvariants(lone.s.sheet.rest[0]).evaluate(s, j);
    const WideInvariants expected(lone.s, 0, wide(lone.s.model.now));
    const double scale = lone.s.sheet.rest[0].squared_length[0] / lone.s.sheet.rest[0].area + 1;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(j[i], static_cast<double>(expected.j[i]), 1e-13 * scale);
  }
}

// Three ways to the same number: lengths, ψ(F), and the natural invariants of the threads.
TEST(EdgeMembrane, EnergyIsDensityTimesArea) {
  Random random(32);
  const OrthotropicCoefficients c = coefficients(kWool);
  const double d = 1 - kWool.poisson * kWool.poisson * kWool.young_weft / kWool.young_warp;
  for (int trial = 0; trial < 50; ++trial) {
    LoneTriangle lone = make_triangle(random, random_stretch(random));
    const Membrane energy = attached(Membrane(lone.s.sheet, std::vector{c}), lone.s.model);
    const double ours = value_of(energy, lone.s.model), area = lone.s.sheet.rest[0].area;
    const Mat2 strain = 0.5 * (lone.f.transpose() * lone.f - Mat2::Identity());
    const Vec2 warp = lone.s.warp, weft(-warp.y(), warp.x());
    const double j1 = strain.trace(), j2 = (strain * strain).trace(), j3 = warp.dot(strain * warp);
    const double density = 0.5 * c.lambda * j1 * j1 + c.mu * j2 + c.alpha * j1 * j3 + c.beta * j3 * j3;
    EXPECT_NEAR(ours, area * density, 1e-11 * ours);
    const double l1 = j3, l2 = weft.dot(strain * weft), l3 = std::pow(warp.dot(strain * weft), 2);
    const double natural =
        0.5 / d *
            (kWool.young_warp * l1 * l1 + kWool.young_weft * l2 * l2 + 2 * kWool.poisson * kWool.young_weft * l1 * l2) +
        2 * kWool.shear * l3;
    EXPECT_NEAR(ours, area * natural, 1e-11 * ours);
  }
}

TEST(EdgeMembrane, DerivativesEqualThoseInExtendedPrecision) {
  Random random(33);
  for (int trial = 0; trial < 4; ++trial) {
    LoneTriangle lone = make_triangle(random, random_stretch(random));
    const OrthotropicCoefficients c = coefficients(kWool);
    const Membrane energy = attached(Membrane(lone.s.sheet, std::vector{c}), lone.s.model);
    const WideEnergy plain = [&](const WideVector& x) {
      const WideInvariants i(lone.s, 0, x);
      return lone.s.sheet.rest[0].area *
             (0.5L * c.lambda * i.j[0] * i.j[0] + c.mu * i.j[1] + c.alpha * i.j[0] * i.j[2] + c.beta * i.j[2] * i.j[2]);
    };
    const Evaluation ours = evaluate(energy, lone.s.model);
    const WideVector x = wide(lone.s.model.now);
    // Quartic in the positions: the stencils are exact.
    expect_close(wide_gradient(plain, x, 0.01L), flat(ours.gradient), 1e-12);
    expect_close(wide_hessian(plain, x, 0.01L), dense(ours.hessian), 1e-12);
  }
}

TEST(EdgeMembrane, PassesTheChecksOfEveryEnergy) {
  Sheet s = make_sheet();
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  expect_derivatives_converge(energy, s.model, 1e-3);
  expect_views_agree(energy, s.model);
  expect_adds(energy, s.model);
  expect_no_net_force(energy, s.model);
  expect_no_net_torque(energy, s.model);
  expect_rotation_invariant(energy, s.model);
  expect_projected_is_semidefinite(energy, s.model);
}

TEST(EdgeMembrane, SameBitsForAnyThreadCount) {
  Sheet s = make_sheet({40, 30});
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  expect_same_bits_for_any_thread_count(energy, s.model);
}

TEST(EdgeMembrane, RigidMotionOfTheRestStateIsFree) {
  Sheet s = make_sheet();
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  const double loaded = flat(gradient_of(energy, s.model)).norm(), strained = value_of(energy, s.model);
  s.lay_flat();
  move(s.model, Random(3).rotation(), Vec3(1, 2, 3));
  EXPECT_LE(value_of(energy, s.model), 1e-20 * strained);
  EXPECT_LE(flat(gradient_of(energy, s.model)).norm(), 1e-11 * loaded);
}

// A rotation turns the forces: H (ω × x) = ω × g.
TEST(EdgeMembrane, HessianTurnsForces) {
  Sheet s = make_sheet();
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  const Evaluation e = evaluate(energy, s.model);
  const Vec3 axis(0.3, -0.7, 0.5);
  BlockVector turn(s.model.now.size()), turned(s.model.now.size());
  for (int v = 0; v < turn.size(); ++v) {
    turn[v] = axis.cross(Vec3(s.model.now[v]));
    turned[v] = axis.cross(Vec3(e.gradient[v]));
  }
  expect_close(flat(turned), Eigen::VectorXd(dense(e.hessian) * flat(turn)), 1e-12, dense(e.hessian).norm());
}

TEST(EdgeMembrane, DiagonalBlocksAreSymmetric) {
  Sheet s = make_sheet();
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  const Evaluation e = evaluate(energy, s.model, HessianKind::projected);
  for (int v = 0; v < s.model.now.size(); ++v) {
    const Mat3 block = e.hessian.block(s.model.pattern->diagonal_slot(v));
    EXPECT_EQ((block - block.transpose()).norm(), 0);
  }
}

// The weights after projection are those of the nearest semi-definite Σ r_i L_i, found by a dense eigenvalue solver.
TEST(EdgeMembrane, ProjectedEdgeWeightsAreTheNearest) {
  Random random(34);
  const auto laplacian = [](const double r[3]) {
    Mat3 m = Mat3::Zero();
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      m(j, j) += r[i], m(k, k) += r[i], m(j, k) -= r[i], m(k, j) -= r[i];
    }
    return m;
  };
  int changed = 0, vanished = 0;
  for (int trial = 0; trial < 200; ++trial) {
    double r[3] = {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    const Mat3 before = laplacian(r);
    const Mat3 expected = math::project_psd(before);
    project_edge_weights(r);
    expect_close(expected, laplacian(r), 1e-13, 1);
    changed += (laplacian(r) - before).norm() > 0 ? 1 : 0;
    vanished += laplacian(r).norm() == 0 ? 1 : 0;
  }
  EXPECT_GT(changed, 50);
  EXPECT_GT(vanished, 10);
  EXPECT_GT(200 - changed, 10);
  double equal[3] = {-2, -2, -2}, zero[3] = {0, 0, 0};
  project_edge_weights(equal);
  project_edge_weights(zero);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(equal[i], 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(zero[i], 0);
}

TEST(EdgeMembrane, ProjectionLeavesTensionAndTamesCompression) {
  Random random(35);
  for (int trial = 0; trial < 10; ++trial) {
    for (const double stretch : {1.3, 0.7, 0.0}) {
      LoneTriangle lone = make_triangle(random, stretch * Mat2::Identity());
      const Membrane energy =
          attached(Membrane(lone.s.sheet, std::vector{coefficients(IsotropicModuli{500, 0.3})}), lone.s.model);
      const Eigen::MatrixXd exact = dense(evaluate(energy, lone.s.model).hessian);
      const Eigen::MatrixXd projected = dense(evaluate(energy, lone.s.model, HessianKind::projected).hessian);
      EXPECT_TRUE(projected.allFinite());
      EXPECT_GE(smallest_eigenvalue(projected), -1e-12 * exact.norm());
      if (stretch > 1) {
        EXPECT_EQ((projected - exact).norm(), 0);
      } else {
        EXPECT_LT(smallest_eigenvalue(exact), -0.01 * exact.norm());
      }
    }
  }
}

// --- The hook for other laws ---

TEST(EdgeMembrane, QuadraticDensityThroughTheHookIsTheMatrixPath) {
  Sheet s = make_sheet();
  const Membrane matrix = attached(Membrane(s.sheet, wool(s)), s.model);
  const auto hook = attached(EdgeMembrane<InvariantLaw<QuadraticDensity>>(s.sheet, wool(s)), s.model);
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    const Evaluation a = evaluate(matrix, s.model, kind), b = evaluate(hook, s.model, kind);
    EXPECT_NEAR(a.value, b.value, 1e-12 * a.value);
    expect_close(flat(a.gradient), flat(b.gradient), 1e-12);
    expect_close(dense(a.hessian), dense(b.hessian), 1e-12);
  }
}

TEST(EdgeMembrane, AnotherLawThroughTheHook) {
  using Fung = EdgeMembrane<InvariantLaw<FungDensity>>;
  const FungDensity::Parameters skin{20, 0.7, 3, 2, 0.9};
  Sheet s = make_sheet();
  const Fung energy = attached(Fung(s.sheet, std::vector(s.sheet.triangles.size(), skin)), s.model);
  EXPECT_EQ(energy.name(), "fung");
  expect_derivatives_converge(energy, s.model, 1e-3);
  expect_views_agree(energy, s.model);
  expect_no_net_force(energy, s.model);
  expect_no_net_torque(energy, s.model);
  expect_rotation_invariant(energy, s.model);
  expect_projected_is_semidefinite(energy, s.model);

  Random random(36);
  LoneTriangle lone = make_triangle(random, random_stretch(random));
  const Fung single = attached(Fung(lone.s.sheet, std::vector{skin}), lone.s.model);
  const WideEnergy plain = [&](const WideVector& x) {
    const WideInvariants i(lone.s, 0, x);
    return lone.s.sheet.rest[0].area * 0.5L * skin.c * std::expm1(FungDensity::exponent(skin, i.j));
  };
  const Evaluation ours = evaluate(single, lone.s.model);
  expect_close(wide_gradient(plain, wide(lone.s.model.now), 1e-4L), flat(ours.gradient), 1e-10);
  expect_close(wide_hessian(plain, wide(lone.s.model.now), 1e-3L), dense(ours.hessian), 1e-8);
}

// --- Animated rest states ---

std::vector<double> lengths_of(const Sheet& s, const BlockVector& x) {
  std::vector<double> lengths;
  for (const Vec3i& t : s.sheet.triangles) {
    for (int i = 0; i < 3; ++i) lengths.push_back((x[t[(i + 2) % 3]] - x[t[(i + 1) % 3]]).norm());
  }
  return lengths;
}

TEST(EdgeMembrane, AnimatedRestStateWithItsOwnLengthsIsTheOrdinaryOne) {
  Sheet s = make_sheet();
  const Membrane fixed = attached(Membrane(s.sheet, wool(s)), s.model);
  s.sheet.animated = 0;
  const Membrane animated = attached(Membrane(s.sheet, wool(s)), s.model);
  BlockVector flat_sheet(s.model.now.size());
  for (int v = 0; v < flat_sheet.size(); ++v) flat_sheet[v] = s.model.rest[v];
  s.model.controls.rest_lengths = {lengths_of(s, flat_sheet)};
  const Evaluation a = evaluate(fixed, s.model), b = evaluate(animated, s.model);
  EXPECT_NEAR(a.value, b.value, 1e-11 * a.value);
  expect_close(flat(a.gradient), flat(b.gradient), 1e-11);
  expect_close(dense(a.hessian), dense(b.hessian), 1e-11);
  EXPECT_NEAR(value_of(animated, s.model), b.value, 1e-14 * b.value);
}

// The kinematic surface is where the cloth is: no stress. Halfway between, there is.
TEST(EdgeMembrane, ClothOnItsKinematicSurfaceIsFreeOfStress) {
  Sheet s = make_sheet();
  s.sheet.animated = 0;
  const Membrane energy = attached(Membrane(s.sheet, wool(s)), s.model);
  const std::vector<double> kinematic = lengths_of(s, s.model.now);
  const auto force_at = [&](double weight) {
    std::vector<double> lengths;
    for (int t = 0; t < s.triangle_count(); ++t) {
      const std::array<double, 3> own{kinematic[3 * t], kinematic[3 * t + 1], kinematic[3 * t + 2]};
      const TriangleRest rest = blend(s.sheet.rest[t], own, weight).value();
      for (const double squared : rest.squared_length) lengths.push_back(std::sqrt(squared));
    }
    s.model.controls.rest_lengths = {lengths};
    return flat(gradient_of(energy, s.model)).norm();
  };
  const double stiff = force_at(0);
  EXPECT_LE(force_at(1), 1e-13 * stiff);
  EXPECT_GT(force_at(0.5), 0.1 * stiff);
  force_at(0.5);
  expect_derivatives_converge(energy, s.model, 1e-3);
  expect_projected_is_semidefinite(energy, s.model);
}

// --- The constant stand-in of the Hessian ---

TEST(EdgeMembrane, WeightsOfOtherLawsAreFitted) {
  Sheet s = make_sheet();
  const Membrane matrix = attached(Membrane(s.sheet, wool(s)), s.model);
  const auto hook = attached(EdgeMembrane<InvariantLaw<QuadraticDensity>>(s.sheet, wool(s)), s.model);
  expect_close(weights(matrix, s.model), weights(hook, s.model), 1e-12, 1);

  // Fung's law along warp (J1 = J3 = E, J2 = E²) and weft (J3 = 0): f = dψ/ds by differences, a sum over midpoints.
  const FungDensity::Parameters skin{20, 0.7, 3, 2, 0.9};
  const auto fung =
      attached(EdgeMembrane<InvariantLaw<FungDensity>>(s.sheet, std::vector(s.sheet.triangles.size(), skin)), s.model);
  expect_good_weights(fung, s.model);
  constexpr int kCount = 20000;
  double k = 0;
  for (const double warp : {1.0, 0.0}) {
    const auto density = [&](long double stretch) {
      const long double strain = 0.5L * (stretch * stretch - 1), j[3] = {strain, strain * strain, warp * strain};
      return 0.5L * skin.c * std::expm1(FungDensity::exponent(skin, j));
    };
    for (int i = 0; i < kCount; ++i) {
      const double stretch = 0.5 + (i + 0.5) / kCount;
      k += 0.5 * 12 * (stretch - 1) * static_cast<double>(slope([&](Wide t) { return density(stretch + t); }, 1e-3L)) /
           kCount;
    }
  }
  const Eigen::MatrixXd l = weights(fung, s.model), per_unit = l / k;
  const OrthotropicCoefficients one{.lambda = 0, .mu = 0.5 / 1.075};
  const Membrane unit = attached(Membrane(s.sheet, std::vector(s.sheet.triangles.size(), one)), s.model);
  expect_close(weights(unit, s.model), per_unit, 1e-7, 1);
}

}  // namespace
}  // namespace pliant::cloth
