#include "pliant/energy/solid/extrapolation.h"

#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

constexpr double kEpsilon = 0.7, kMu = 0.9, kLambda = 2.1;
const Vec3 kStates[] = {{.5, .6, .9}, {.3, .8, 1.1}, {-.2, .7, .9}, {-.4, -.1, .8}};  // [Verschoor2019 1.7]

template <class Law>
solid::PrincipalDerivatives<double> extrapolated(const Vec3& s, const std::vector<double>& p,
                                                 double epsilon = kEpsilon) {
  solid::PrincipalDerivatives<double> d;
  solid::extrapolate(Law{}, p.data(), s.data(), epsilon, d);
  return d;
}

TEST(Extrapolation, CrossingIsTheFirstRoot) {
  for (const Vec3& s : kStates) {
    const double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    const double t = solid::first_crossing(e, kEpsilon);
    const auto volume = [&](double r) { return (1 + r * e[0]) * (1 + r * e[1]) * (1 + r * e[2]); };
    EXPECT_NEAR(volume(t), kEpsilon, 1e-13);
    for (double r = 0; r < t - 1e-6; r += 1e-3) EXPECT_GT(volume(r), kEpsilon) << r;
  }
}

// A line that leaves, re-enters and leaves the region again: the first root counts.
TEST(Extrapolation, CrossingIsTheFirstOfThree) {
  const double e[3] = {-2.2, -2.6, 3.0};  // J(t) = (1 − 2.2t)(1 − 2.6t)(1 + 3t)
  const double t = solid::first_crossing(e, 0.9);
  const auto volume = [&](double r) { return (1 + r * e[0]) * (1 + r * e[1]) * (1 + r * e[2]); };
  EXPECT_NEAR(volume(t), 0.9, 1e-12);
  for (double r = 0; r < t - 1e-6; r += 1e-4) EXPECT_GT(volume(r), 0.9) << r;
}

// A closed form of the gradient, for neo-Hookean [Verschoor2019 1.7].
TEST(Extrapolation, GradientIsTheClosedForm) {
  for (const Vec3& stretches : kStates) {
    const Vec3 e = stretches - Vec3::Ones();
    const double t = solid::first_crossing(e.data(), kEpsilon);
    const Vec3 q = Vec3::Ones() + t * e, a = e.cwiseQuotient(q);
    const double s1 = a.sum(), s2 = a.squaredNorm(), s3 = a.array().cube().sum(), l = std::log(kEpsilon);
    const Vec3 g = kMu * q + (kLambda * l - kMu) * q.cwiseInverse();
    Mat3 h = kLambda * q.cwiseInverse() * q.cwiseInverse().transpose();
    for (int i = 0; i < 3; ++i) h(i, i) += kMu + (kMu - kLambda * l) / (q[i] * q[i]);
    const double t_eee = -3 * kLambda * s1 * s2 - 2 * (kMu - kLambda * l) * s3;
    const solid::PrincipalDerivatives<double> d = extrapolated<solid::NeoHookean>(stretches, {kMu, kLambda});
    for (int k = 0; k < 3; ++k) {
      const double t_k = (-kLambda * s2 - 2 * (kMu - kLambda * l) * a[k] * a[k] - 2 * kLambda * a[k] * s1) / q[k];
      const double closed = g[k] + (1 - t) * (h * e)[k] + 0.5 * (1 - t) * (1 - t) * t * (t_k - t_eee / (q[k] * s1));
      EXPECT_NEAR(d.first[k], closed, 1e-10 * (1 + std::abs(closed)));
    }
  }
}

template <class Law>
void expect_derivatives_converge_in_stretches(const std::vector<double>& p) {
  for (const Vec3& s : kStates) {
    const solid::PrincipalDerivatives<double> d = extrapolated<Law>(s, p);
    for (int i = 0; i < 3; ++i) {
      std::array<double, 4> first_error{}, second_error{};
      double h = 2e-3;
      for (int level = 0; level < 4; ++level, h /= 2) {
        const auto plus = extrapolated<Law>(s + h * Vec3::Unit(i), p),
                   minus = extrapolated<Law>(s - h * Vec3::Unit(i), p);
        first_error[level] = std::abs((plus.density - minus.density) / (2 * h) - d.first[i]);
        for (int j = 0; j < 3; ++j) {
          const double second = i == j ? d.second[i] : d.second[3 + (3 - i - j)];
          second_error[level] += std::abs((plus.first[j] - minus.first[j]) / (2 * h) - second);
        }
      }
      expect_second_order(first_error, 10, "first derivative");
      expect_second_order(second_error, 10, "second derivative");
    }
  }
}

TEST(Extrapolation, DerivativesConvergeToFiniteDifferences) {
  expect_derivatives_converge_in_stretches<solid::NeoHookean>({kMu, kLambda});
  expect_derivatives_converge_in_stretches<solid::StableNeoHookean>({kMu, kLambda});
  expect_derivatives_converge_in_stretches<solid::MooneyRivlin>({0.4, 0.1, 5.0});
  expect_derivatives_converge_in_stretches<solid::Corotated>({kMu, kLambda});
}

// Value and gradient agree at J = ε; the second derivative may jump.
TEST(Extrapolation, IsOnceContinuousAtTheSwitch) {
  const double p[2] = {kMu, kLambda};
  for (const Vec3& direction : {Vec3(0.9, 0.8, 1), Vec3(1.2, 0.7, 1), Vec3(0.5, 1.1, 1.05)}) {
    const Vec3 s = direction * std::cbrt((kEpsilon - 1e-9) / direction.prod());
    const solid::PrincipalDerivatives<double> below = extrapolated<solid::NeoHookean>(s, {kMu, kLambda});
    solid::PrincipalDerivatives<double> law;
    solid::NeoHookean::principal(p, s.data(), law);
    EXPECT_NEAR(below.density, law.density, 1e-12);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(below.first[i], law.first[i], 1e-7);
  }
}

TEST(Extrapolation, PairEigenvaluesAreTheQuotients) {
  for (const Vec3& s : kStates) {
    const solid::PrincipalDerivatives<double> d = extrapolated<solid::NeoHookean>(s, {kMu, kLambda});
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      EXPECT_NEAR(d.flip[k] * (s[i] - s[j]), d.first[i] - d.first[j], 1e-12);
      if (s[i] + s[j] > 1e-3) {
        EXPECT_NEAR(d.twist[k] * (s[i] + s[j]), d.first[i] + d.first[j], 1e-12);
      }
    }
  }
  // Equal stretches: the limit, approached from stretches that differ by little.
  const auto equal = extrapolated<solid::NeoHookean>({0.8, 0.8, 0.5}, {kMu, kLambda});
  const auto near = extrapolated<solid::NeoHookean>({0.8 + 1e-4, 0.8 - 1e-4, 0.5}, {kMu, kLambda});
  EXPECT_NEAR(equal.flip[2], near.flip[2], 1e-6);
}

// Through the energy itself: all views, derivatives, definiteness, on elements above, below and across the threshold.
TEST(Extrapolation, EnergyOfCrushedTets) {
  Random random(61);
  std::vector<Mat3> gradients;
  for (const Vec3& s :
       {Vec3(1.1, 1.0, 0.9), Vec3(.9, .6, .5), Vec3(1.1, .8, .3), Vec3(.9, .7, -.2), Vec3(1.2, 1.0, .95)}) {
    gradients.push_back(turned(s, random));
  }
  const TetModel model = make_soup(gradients);
  const std::vector<std::vector<double>> parameters{std::vector<double>(5, kMu), std::vector<double>(5, kLambda)};
  const solid::HyperelasticTets<solid::NeoHookean> energy(model.elements, {}, parameters,
                                                          {.extrapolate_below = kEpsilon});
  const solid::HyperelasticTets<solid::NeoHookean> law(model.elements, {}, parameters);
  EXPECT_GT(std::abs(value_of(energy, model) - value_of(law, model)), 1e-3);
  expect_derivatives_converge(energy, model, 1e-3);
  expect_views_agree(energy, model);
  expect_projected_is_semidefinite(energy, model);
  expect_rotation_invariant(energy, model);
  expect_no_net_force(energy, model);
  expect_no_net_torque(energy, model);
}

}  // namespace
}  // namespace pliant::checks
