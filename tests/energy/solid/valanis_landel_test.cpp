// The generic path with the curves of the classical materials equals their closed forms [Liu2018, table 5.5].
#include "pliant/energy/solid/valanis_landel.h"

#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

using solid::CurveValue;

constexpr double kMu = 0.7, kLambda = 2.3;  // Pa

struct CorotatedCurves {
  [[maybe_unused]] static constexpr std::string_view kName = "corotated curves";
  template <class T>
  CurveValue<T> a(T x) const {
    return {kMu * (x - 1.0) * (x - 1.0) + kLambda / 2 * (x * x - 6.0 * x + 3.0),
            2 * kMu * (x - 1.0) + kLambda * (x - 3.0), T(0.0 * x + (2 * kMu + kLambda))};
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return {kLambda * x, T(0.0 * x + kLambda), T(0.0 * x)};
  }
  template <class T>
  CurveValue<T> c(T x) const {
    return {T(0.0 * x), T(0.0 * x), T(0.0 * x)};
  }
};

struct StVenantKirchhoffCurves {
  [[maybe_unused]] static constexpr std::string_view kName = "st. venant-kirchhoff curves";
  template <class T>
  CurveValue<T> a(T x) const {
    const T q = x * x;
    return {kMu / 4 * (q - 1.0) * (q - 1.0) + kLambda / 8 * (q * q - 6.0 * q + 3.0),
            kMu * x * (q - 1.0) + kLambda / 2 * x * (q - 3.0), kMu * (3.0 * q - 1.0) + kLambda * 1.5 * (q - 1.0)};
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return {kLambda / 4 * x * x, kLambda / 2 * x, T(0.0 * x + kLambda / 2)};
  }
  template <class T>
  CurveValue<T> c(T x) const {
    return {T(0.0 * x), T(0.0 * x), T(0.0 * x)};
  }
};

struct NeoHookeanCurves {
  [[maybe_unused]] static constexpr std::string_view kName = "neo-hookean curves";
  template <class T>
  CurveValue<T> a(T x) const {
    return {kMu / 2 * (x * x - 1.0), kMu * x, T(0.0 * x + kMu)};
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return {T(0.0 * x), T(0.0 * x), T(0.0 * x)};
  }
  template <class T>
  CurveValue<T> c(T x) const {
    const auto l = solid::log_volume(x);
    return {(kLambda / 2 * l.value - kMu) * l.value, (kLambda * l.value - kMu) * l.first,
            kLambda * l.first * l.first + (kLambda * l.value - kMu) * l.second};
  }
};

constexpr double kC1 = 0.4, kC2 = 0.25, kBulk = 3.1;  // Pa

struct MooneyRivlinCurves {
  [[maybe_unused]] static constexpr std::string_view kName = "mooney-rivlin curves";
  template <class T>
  CurveValue<T> a(T x) const {
    return {kC1 * (x * x - 1.0), 2 * kC1 * x, T(0.0 * x + 2 * kC1)};
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return {kC2 * (x * x - 1.0), 2 * kC2 * x, T(0.0 * x + 2 * kC2)};
  }
  template <class T>
  CurveValue<T> c(T x) const {
    constexpr double pressure = 2 * (kC1 + 2 * kC2), lambda = kBulk - 4.0 / 3.0 * (kC1 + kC2) - 4 * kC2;
    const auto l = solid::log_volume(x);
    return {(lambda / 2 * l.value - pressure) * l.value, (lambda * l.value - pressure) * l.first,
            lambda * l.first * l.first + (lambda * l.value - pressure) * l.second};
  }
};

struct PolynomialCurves {
  [[maybe_unused]] static constexpr std::string_view kName = "polynomial curves";
  template <class T>
  CurveValue<T> a(T x) const {
    const T e = x - 1.0;
    return {kMu * e * e * e * e, 4 * kMu * e * e * e, 12 * kMu * e * e};
  }
  template <class T>
  CurveValue<T> b(T x) const {
    return {T(0.0 * x), T(0.0 * x), T(0.0 * x)};
  }
  template <class T>
  CurveValue<T> c(T x) const {
    return {T(0.0 * x), T(0.0 * x), T(0.0 * x)};
  }
};

void expect_equal(const solid::PrincipalDerivatives<double>& expected,
                  const solid::PrincipalDerivatives<double>& actual, const Vec3& s) {
  const auto expect_near = [&](double x, double y, double tolerance) {
    EXPECT_NEAR(x, y, tolerance * (1 + std::abs(y))) << s.transpose();
  };
  expect_near(actual.density, expected.density, 1e-12);
  for (int i = 0; i < 3; ++i) {
    expect_near(actual.first[i], expected.first[i], 1e-12);
    // Divided differences lose digits where two stretches nearly meet.
    expect_near(actual.twist[i], expected.twist[i], 1e-10);
    expect_near(actual.flip[i], expected.flip[i], 1e-10);
  }
  for (int i = 0; i < 6; ++i) expect_near(actual.second[i], expected.second[i], 1e-12);
}

// Generic and closed form, as plain numbers and in lanes, at ordinary, equal, nearly equal and inverted stretches.
template <class Curves, class Law>
void expect_closed_form(const std::vector<double>& parameters) {
  const Vec3 states[] = {{1.3, 1.1, 0.8},        {2.1, 0.9, 0.4},         {1.2, 1.2, 0.7}, {0.9, 0.9, 0.9},
                         {1.3, 1.3 - 1e-7, 0.8}, {1.2, 1.0, 1.0 - 3e-6},  {1, 1, 1},       {1.2, 0.9, -0.4},
                         {1.1, 0.8, 0.8 - 1e-4}, {1.4, 1.4 - 2e-8, -0.3}, {1.2, 0.7, 0.0}, {3.0, 2.0, 1.5}};
  const solid::ValanisLandel<Curves> generic{};
  for (const Vec3& s : states) {
    solid::PrincipalDerivatives<double> closed, ours, one_lane;
    solid::PrincipalDerivatives<math::Lanes> lanes;
    Law::principal(parameters.data(), s.data(), closed);
    generic.principal(static_cast<const double*>(nullptr), s.data(), ours);
    expect_equal(closed, ours, s);
    const math::Lanes four[3] = {math::lanes_of(s[0]), math::lanes_of(s[1]), math::lanes_of(s[2])};
    generic.principal(static_cast<const math::Lanes*>(nullptr), four, lanes);
    one_lane.density = lanes.density[3];
    for (int i = 0; i < 3; ++i) one_lane.first[i] = lanes.first[i][3], one_lane.twist[i] = lanes.twist[i][3];
    for (int i = 0; i < 3; ++i) one_lane.flip[i] = lanes.flip[i][3];
    for (int i = 0; i < 6; ++i) one_lane.second[i] = lanes.second[i][3];
    expect_equal(closed, one_lane, s);
  }
}

TEST(ValanisLandel, CorotatedCurvesGiveTheClosedForm) {
  expect_closed_form<CorotatedCurves, solid::Corotated>({kMu, kLambda});
}

TEST(ValanisLandel, StVenantKirchhoffCurvesGiveTheClosedForm) {
  expect_closed_form<StVenantKirchhoffCurves, solid::StVenantKirchhoff>({kMu, kLambda});
}

TEST(ValanisLandel, NeoHookeanCurvesGiveTheClosedForm) {
  expect_closed_form<NeoHookeanCurves, solid::NeoHookean>({kMu, kLambda});
}

TEST(ValanisLandel, MooneyRivlinCurvesGiveTheClosedForm) {
  expect_closed_form<MooneyRivlinCurves, solid::MooneyRivlin>({kC1, kC2, kBulk});
}

TEST(ValanisLandel, PolynomialCurvesGiveTheClosedForm) {
  expect_closed_form<PolynomialCurves, solid::Polynomial>({kMu});
}

// Density and stress from F itself.
TEST(ValanisLandel, StressFromTheGradientEqualsTheClosedForm) {
  Random random(51);
  const double p[2] = {kMu, kLambda};
  for (int k = 0; k < 50; ++k) {
    double f[3][3], ours[3][3], closed[3][3];
    for (auto& row : f) {
      for (double& entry : row) entry = random.between(-1.5, 1.5);
    }
    const solid::ValanisLandel<StVenantKirchhoffCurves> generic{};
    const double psi = solid::StVenantKirchhoff::stress(p, f, closed);
    EXPECT_NEAR(generic.stress(static_cast<const double*>(nullptr), f, ours), psi, 1e-11 * (1 + psi));
    EXPECT_NEAR(generic.density(static_cast<const double*>(nullptr), f), psi, 1e-11 * (1 + psi));
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(ours[r][c], closed[r][c], 1e-11 * (1 + psi));
    }
  }
}

}  // namespace
}  // namespace pliant::checks
