#include "pliant/energy/solid/spline.h"

#include "pliant/energy/solid/neo_hookean.h"
#include "tests/energy/solid/law_checks.h"

namespace pliant::checks {
namespace {

// --- One curve ---

std::vector<Vec2> sample(double low, double high, int count, const std::function<double(double)>& f) {
  std::vector<Vec2> points;
  for (int k = 0; k < count; ++k) {
    const double x = low + (high - low) * k / (count - 1);
    points.emplace_back(x, f(x));
  }
  return points;
}

TEST(StressCurve, PassesThroughItsPointsAndIsSmooth) {
  const std::vector<Vec2> points{{0.5, -2}, {0.8, -0.5}, {1, 0}, {1.3, 0.4}, {2, 3}};
  const solid::StressCurve curve(points);
  for (const Vec2& point : points) {
    EXPECT_NEAR(curve(point.x()).first, point.y(), 1e-14);
    // The curve and its slope do not jump at a control point.
    const auto left = curve(point.x() - 1e-9), right = curve(point.x() + 1e-9);
    EXPECT_NEAR(left.value, right.value, 1e-8);
    EXPECT_NEAR(left.first, right.first, 1e-7);
    EXPECT_NEAR(left.second, right.second, 1e-6);
  }
}

TEST(StressCurve, ValueIsTheIntegralFromOneAndSecondTheSlope) {
  const std::vector<Vec2> points{{0.5, -2}, {0.8, -0.5}, {1.1, 0.1}, {1.3, 0.4}, {2, 3}};
  const solid::StressCurve curve(points);
  EXPECT_NEAR(curve(1.0).value, 0, 1e-15);
  for (double x = 0.2; x < 2.4; x += 0.0371) {
    const double h = 1e-5;
    EXPECT_NEAR((curve(x + h).value - curve(x - h).value) / (2 * h), curve(x).first, 1e-8);
    EXPECT_NEAR((curve(x + h).first - curve(x - h).first) / (2 * h), curve(x).second, 1e-3);
  }
}

TEST(StressCurve, RisingPointsGiveARisingCurve) {
  const std::vector<Vec2> points{{0.5, -8}, {0.8, -0.1}, {1, 0}, {1.05, 2}, {1.1, 2.01}, {2, 9}};
  const solid::StressCurve curve(points);
  for (double x = 0; x < 3; x += 0.001) EXPECT_GE(curve(x + 0.001).first, curve(x).first - 1e-12) << x;
}

TEST(StressCurve, IsStraightOutside) {
  const std::vector<Vec2> points{{0.5, -2}, {1, 0}, {2, 3}};
  const solid::StressCurve curve(points);
  EXPECT_EQ(curve(-3.0).second, curve(0.4).second);
  EXPECT_EQ(curve(2.1).second, curve(9.0).second);
  EXPECT_NEAR(curve(3.0).first - curve(2.0).first, curve(2.5).second, 1e-12);
}

TEST(StressCurve, WithoutPointsIsZero) {
  const solid::StressCurve curve;
  EXPECT_EQ(curve(1.7).value, 0);
  EXPECT_EQ(curve(math::lanes_of(1.7)).first[2], 0);
}

// --- The law ---

// Modified neo-Hookean curves with all three parts, stress free at rest.
solid::Spline edited_law() {
  const std::vector<Vec2> a = sample(0.3, 2.2, 12, [](double x) { return x * (x < 1 ? 1.2 : 1); });
  const std::vector<Vec2> b = sample(0.2, 3, 7, [](double x) { return 0.3 * (x - 1); });
  std::vector<Vec2> c = sample(0.2, 3, 9, [](double x) { return (2 * std::log(x) - 1) / x; });
  const double rest =
      solid::StressCurve(a)(1.0).first + 2 * solid::StressCurve(b)(1.0).first + solid::StressCurve(c)(1.0).first;
  for (Vec2& point : c) point.y() -= rest;
  return {{solid::StressCurve(a), solid::StressCurve(b), solid::StressCurve(c)}};
}

// The same law from its curves, with the plain eigensystem.
oracle::OfStretches plain(const solid::Spline& law) {
  const auto a = [law](double x) { return law.curves.a(x); };
  const auto b = [law](double x) { return law.curves.b(x); };
  const auto c = [law](double x) { return law.curves.c(x); };
  return {[=](const Vec3& s) {
            double psi = c(s.prod()).value;
            for (int i = 0; i < 3; ++i) psi += a(s[i]).value + b(s[i] * s[(i + 1) % 3]).value;
            return psi;
          },
          [=](const Vec3& s) {
            Vec3 g;
            for (int i = 0; i < 3; ++i) {
              const double y = s[(i + 1) % 3], z = s[(i + 2) % 3];
              g[i] = a(s[i]).first + y * b(s[i] * y).first + z * b(s[i] * z).first + y * z * c(s.prod()).first;
            }
            return g;
          },
          [=](const Vec3& s) {
            Mat3 h;
            for (int i = 0; i < 3; ++i) {
              const double y = s[(i + 1) % 3], z = s[(i + 2) % 3];
              const auto by = b(s[i] * y), cj = c(s.prod());
              h(i, i) = a(s[i]).second + y * y * by.second + z * z * b(s[i] * z).second + y * y * z * z * cj.second;
              h(i, (i + 1) % 3) = by.first + s[i] * y * by.second + z * cj.first + s[i] * y * z * z * cj.second;
              h((i + 1) % 3, i) = h(i, (i + 1) % 3);
            }
            return h;
          }};
}

struct SplineCase {
  using Law = solid::Spline;
  static const Law& law() {
    static const Law edited = edited_law();
    return edited;
  }
  static std::vector<std::vector<double>> parameters(int) { return {}; }
  static oracle::LawPointer oracle(const double*) { return oracle::of_stretches(plain(law())); }
  // Ψ_ij at rest = 2μ δ_ij + λ: from the curves' values and slopes at 1.
  static Vec2 lame(const double*) {
    const Mat3 h = plain(law()).second(Vec3::Ones());
    return Vec2(0.5 * (h(0, 0) - h(0, 1)), h(0, 1));
  }
  static constexpr bool kTurns = true;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Spline, LawTest, SplineCase);

// Fitted to a neo-Hookean solid ever more finely, the rest stiffness tends to that solid's.
TEST(Spline, FittedToNeoHookeanLinearisesToItsLameParameters) {
  const double mu = 0.8, lambda = 3;
  double last = 1e30;
  for (const int count : {9, 17, 33, 65}) {
    const solid::StressCurve a(sample(0.5, 1.5, count, [&](double x) { return mu * x; }));
    const solid::StressCurve c(sample(0.5, 1.5, count, [&](double x) { return (lambda * std::log(x) - mu) / x; }));
    const solid::Spline law{{a, solid::StressCurve(), c}};
    const double s[3] = {1, 1, 1};
    solid::PrincipalDerivatives<double> d;
    law.principal(static_cast<const double*>(nullptr), s, d);
    EXPECT_NEAR(d.first[0], 0, 1e-12);
    const double error = std::abs(d.second[0] - d.second[3] - 2 * mu) + std::abs(d.second[3] - lambda);
    EXPECT_LT(error, last / 3);  // the slopes of the fit are second-order accurate
    last = error;
  }
  EXPECT_LT(last, 1e-2);
}

}  // namespace
}  // namespace pliant::checks
