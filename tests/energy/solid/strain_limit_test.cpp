#include "pliant/energy/solid/strain_limit.h"

#include <Eigen/Geometry>

#include "pliant/energy/solid/arap.h"
#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

using solid::StrainLimit;

// Limits that coincide: no kinks, and stiff at rest.
struct ClosedLimits {
  using Law = StrainLimit;
  static Law law() { return {}; }
  static std::vector<std::vector<double>> parameters(int count) {
    return random_moduli(count, {{0.5, 2.0}, {1, 1}, {1, 1}});
  }
  static oracle::LawPointer oracle(const double* p) { return oracle::corotated(p[0] / 2, 0); }
  static Vec2 lame(const double* p) { return Vec2(p[0] / 2, 0); }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(ClosedStrainLimit, LawTest, ClosedLimits);

// --- Open limits: what the suite asks of laws, away from the kinks ---

using OpenLimits = solid::HyperelasticTets<StrainLimit>;

std::vector<std::vector<double>> open_parameters(int count) {
  return random_moduli(count, {{0.5, 2.0}, {0.83, 0.87}, {1.13, 1.17}});
}

oracle::LawPointer open_oracle(double k, double min, double max) {
  const auto outside = [=](const Vec3& s) { return Vec3(s - s.cwiseMax(min).cwiseMin(max)); };
  return oracle::of_stretches(
      {[=](const Vec3& s) { return k / 2 * outside(s).squaredNorm(); },
       [=](const Vec3& s) { return Vec3(k * outside(s)); },
       [=](const Vec3& s) { return Mat3(Vec3(k * (outside(s).array() != 0).cast<double>()).asDiagonal()); }});
}

oracle::LawOf open_oracles(int count) {
  return [p = open_parameters(count)](int t) { return open_oracle(p[0][t], p[1][t], p[2][t]); };
}

TEST(StrainLimit, EqualsTheScalarOracle) {
  const TetModel soup = make_soup(gradients_of_all_classes());
  const OpenLimits energy(soup.elements, {}, open_parameters(soup.tet_count()));
  expect_soup_equals_oracle(energy, soup, open_oracles(soup.tet_count()), 2);
  const TetModel box = make_bent_box({3, 2, 3}, 0.3);
  expect_assembled_equals_oracle(OpenLimits(box.elements, {}, open_parameters(box.tet_count())), box,
                                 open_oracles(box.tet_count()));
}

// Every stretch at least 0.02 away from both limits, one of them within and two beyond in turn.
TEST(StrainLimit, DerivativesConvergeToFiniteDifferences) {
  Random random(12);
  std::vector<Mat3> gradients;
  for (const Vec3& s : {Vec3(1.3, 1.0, 0.7), Vec3(1.25, 1.21, 1.05), Vec3(0.95, 0.6, -0.3), Vec3(1.05, 0.78, 0.7),
                        Vec3(1.4, 1.3, 0.5), Vec3(1.06, 1.0, 0.93)}) {
    gradients.push_back(turned(s, random));
  }
  const TetModel soup = make_soup(gradients);
  const OpenLimits energy(soup.elements, {}, open_parameters(soup.tet_count()));
  expect_derivatives_converge(energy, soup, 1e-3);
  expect_views_agree(energy, soup);
  expect_adds(energy, soup);
}

TEST(StrainLimit, RigidMotionsAreFree) {
  const TetModel model = make_bent_box({2, 2, 1}, 0.3);
  const OpenLimits energy(model.elements, {}, open_parameters(model.tet_count()));
  expect_no_net_force(energy, model);
  expect_no_net_torque(energy, model);
  expect_rotation_invariant(energy, model);
}

TEST(StrainLimit, ProjectedHessianIsSemidefinite) {
  Random random(8);
  std::vector<Mat3> gradients = gradients_of_all_classes();
  gradients.push_back(Mat3::Zero());
  // On the limits themselves, and states without a stable derivative.
  for (const Vec3& s : {Vec3(1.15, 1.15, 0.85), Vec3(1, 0, 0), Vec3(1, 1, -1), Vec3(1, 0.5, -0.5), Vec3(1e-9, 0, 0)})
    gradients.push_back(turned(s, random));
  const TetModel soup = make_soup(gradients, 9);
  std::vector<std::vector<double>> parameters{std::vector<double>(soup.tet_count(), 2),
                                              std::vector<double>(soup.tet_count(), 0.85),
                                              std::vector<double>(soup.tet_count(), 1.15)};
  expect_projected_is_semidefinite(OpenLimits(soup.elements, {}, parameters), soup);
  parameters[1].assign(soup.tet_count(), 0);  // no lower limit but that of inversion
  const OpenLimits energy(soup.elements, {}, parameters);
  expect_projected_is_semidefinite(energy, soup);
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected, HessianKind::warped}) {
    const Evaluation result = evaluate(energy, soup, kind);
    EXPECT_TRUE(std::isfinite(result.value));
    EXPECT_TRUE(flat(result.gradient).allFinite());
    EXPECT_TRUE(dense(result.hessian).allFinite());
  }
}

TEST(StrainLimit, SameBitsForAnyThreadCount) {
  const TetModel model = make_bent_box({10, 8, 8}, 0.3);
  expect_same_bits_for_any_thread_count(OpenLimits(model.elements, {}, open_parameters(model.tet_count())), model);
}

// --- What it means ---

Vec3 clamped(const Vec3& s, double min, double max) {
  const double p[3] = {1, min, max}, stretches[3] = {s[0], s[1], s[2]};
  double t[3];
  StrainLimit::nearest(p, stretches, t);
  return Vec3(t[0], t[1], t[2]);
}

TEST(StrainLimit, ReferenceValues) {
  EXPECT_EQ(clamped(Vec3(1.3, 0.7, 1.0), 0.9, 1.1), Vec3(1.1, 0.9, 1.0));
  expect_reference(StrainLimit{}, std::array{1.0, 0.9, 1.1}, 0.005, Vec3(0.1, 0, 0));
  expect_reference(StrainLimit{}, std::array{1.0, 1.0, 1.0}, 0.02, Vec3(0.2, 0, 0));  // ARAP
}

// Nothing within the limits, to the last bit of k (s − t).
TEST(StrainLimit, StretchesWithinTheLimitsAreFree) {
  Random random(5);
  const TetModel soup = make_soup({turned(Vec3(1.12, 1.0, 0.88), random), Mat3::Identity()});
  const OpenLimits energy(soup.elements, {}, open_parameters(2));
  const Evaluation result = evaluate(energy, soup);
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(flat(result.gradient).norm(), 0);
  EXPECT_EQ(dense(result.hessian).norm(), 0);
}

// No deformation gradient whose stretches are within the limits is nearer.
TEST(StrainLimit, IsTheDistanceToTheNearestAdmissibleGradient) {
  Random random(31);
  for (const Vec3& s : {Vec3(1.4, 0.8, -0.3), Vec3(1.3, 1.2, 1.15), Vec3(1.0, 0.6, 0.5)}) {
    const Mat3 f = turned(s, random);
    const auto [psi, stress] = at(StrainLimit{}, std::array{2.0, 0.9, 1.1}, f);
    const Mat3 nearest = f - stress / 2;
    EXPECT_NEAR(psi, stress.squaredNorm() / 4, 1e-13);
    const Vec3 stretches = oracle::signed_svd(nearest).s;
    EXPECT_GE(stretches.minCoeff(), 0.9 - 1e-14);
    EXPECT_LE(stretches.maxCoeff(), 1.1 + 1e-14);
    const oracle::Svd frame = oracle::signed_svd(nearest);
    for (int k = 0; k < 2000; ++k) {
      // Any member, and members near the nearest.
      Vec3 t = Vec3::Constant(1) + random.vector(0.1);
      const Mat3 wild = turned(t, random);
      EXPECT_LE(psi, (f - wild).squaredNorm());
      const Mat3 turn = Eigen::AngleAxisd(random.between(0, 0.1), random.vector().normalized()).toRotationMatrix();
      t = (frame.s + random.vector(0.02)).cwiseMax(0.9).cwiseMin(1.1);
      EXPECT_LE(psi, (f - turn * frame.u * t.asDiagonal() * frame.v.transpose()).squaredNorm() + 1e-14);
    }
  }
}

TEST(StrainLimit, EqualLimitsOfOneAreArap) {
  const TetModel model = make_bent_box({3, 2, 2}, 0.3);
  const std::vector<double> one(model.tet_count(), 1);
  const std::vector<std::vector<double>> k{std::vector<double>(model.tet_count(), 7)};
  const OpenLimits limits(model.elements, {}, std::vector{k[0], one, one});
  const solid::HyperelasticTets<solid::Arap> arap(model.elements, {}, k);
  for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
    const Evaluation a = evaluate(limits, model, kind), b = evaluate(arap, model, kind);
    EXPECT_NEAR(a.value, b.value, 1e-13 * b.value);
    expect_close(flat(b.gradient), flat(a.gradient), 1e-12, flat(b.gradient).norm());
    expect_close(dense(b.hessian), dense(a.hessian), 1e-10, dense(b.hessian).norm());
  }
}

// Beyond a limit the force is that of a spring of stiffness k: P = k (s − max).
TEST(StrainLimit, StiffnessBeyondTheLimitIsK) {
  for (const double s : {1.2, 1.5, 3.0}) {
    const Mat3 stress = at(StrainLimit{}, std::array{40.0, 0.9, 1.1}, Vec3(s, 1, 1).asDiagonal()).second;
    EXPECT_NEAR(stress(0, 0), 40 * (s - 1.1), 1e-12);
    EXPECT_NEAR(stress.norm(), std::abs(stress(0, 0)), 1e-12);
  }
}

// Results show the stress of the law that the term stands beside.
TEST(StrainLimit, HasNoShareInTheStressOfResults) {
  const TetModel model = make_bent_box({1, 1, 1}, 0.3);
  const OpenLimits energy(model.elements, {}, open_parameters(model.tet_count()));
  int visits = 0;
  energy.visit_stress(model.now, [&](const solid::ElementStress&) { ++visits; });
  EXPECT_EQ(visits, 0);
}

}  // namespace
}  // namespace pliant::checks
