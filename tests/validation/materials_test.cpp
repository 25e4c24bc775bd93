// Material laws through their public functions: reference values, linearisation at rest, and damping that leaves
// rotations alone. [validation.md 3]
#include <array>
#include <cmath>

#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/spline.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "tests/validation/scene_case.h"

namespace pliant::validation::materials_test {
namespace {

struct Response {
  double density;  // J/m³
  Mat3 stress;     // first Piola-Kirchhoff, Pa
};

template <class Law>
Response respond(const Law& law, const double* parameters, const Mat3& gradient) {
  double f[3][3], p[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) f[r][c] = gradient(r, c);
  }
  Response response;
  response.density = law.stress(parameters, f, p);
  EXPECT_NEAR(law.density(parameters, f), response.density, 1e-12 * (1 + std::abs(response.density)));
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) response.stress(r, c) = p[r][c];
  }
  return response;
}

// --- Reference values [Liu2018 18]: F = diag(1.2, 1, 1), all moduli 1 ---

template <class Law>
void expect_reference(const Law& law, double density, const Vec3& stress) {
  const double parameters[2] = {1, 1};
  const Response response = respond(law, parameters, Vec3(1.2, 1, 1).asDiagonal());
  EXPECT_NEAR(response.density, density, 1e-7) << Law::kName;
  EXPECT_LE((response.stress - Mat3(stress.asDiagonal())).cwiseAbs().maxCoeff(), 1e-7) << Law::kName;
}

TEST(MaterialLaws, ReferenceValues) {
  expect_reference(solid::Corotated{}, 0.06, Vec3(0.6, 0.2, 0.2));
  expect_reference(solid::StVenantKirchhoff{}, 0.0726, Vec3(0.792, 0.22, 0.22));
  expect_reference(solid::NeoHookean{}, 0.0542990, Vec3(0.5186013, 0.1823216, 0.1823216));
  expect_reference(solid::Arap{}, 0.02, Vec3(0.2, 0, 0));
  expect_reference(solid::Polynomial{}, 0.0016, Vec3(0.032, 0, 0));
}

TEST(MaterialLaws, ReferenceEigenvalues) {
  const double parameters[2] = {1, 1}, stretches[3] = {1.3, 0.8, 1.0};
  solid::PrincipalDerivatives<double> d;
  solid::NeoHookean{}.principal(parameters, stretches, d);
  EXPECT_NEAR(d.twist[2], 0.0761738, 1e-7);
  EXPECT_NEAR(d.flip[2], 1.9238262, 1e-7);
}

// --- Linearisation at rest: P(I + εG) → ε (μ (G + Gᵀ) + λ tr G I) ---

constexpr double kMu = 3.7, kLambda = 5.3;

Mat3 some_strain() {
  Mat3 g;
  g << 0.7, 0.4, -0.3,  //
      -0.2, -0.5, 0.6,  //
      0.1, 0.8, 0.3;
  return g;
}
Mat3 hooke(double mu, double lambda, const Mat3& g) {
  return mu * (g + g.transpose()) + lambda * g.trace() * Mat3::Identity();
}

// dP/dε at rest: central differences with errors ε² and (2ε)² combined, which leaves ε⁴.
template <class Law>
Mat3 stiffness_along(const Law& law, const double* parameters, const Mat3& g) {
  const auto slope = [&](double e) -> Mat3 {
    const Mat3 rest = Mat3::Identity();
    return (respond(law, parameters, rest + e * g).stress - respond(law, parameters, rest - e * g).stress) / (2 * e);
  };
  const double e = 1e-3;
  return (4 * slope(e) - slope(2 * e)) / 3;
}

template <class Law>
void expect_hooke(const Law& law, const std::vector<double>& parameters, double mu, double lambda) {
  const Mat3 g = some_strain(), expected = hooke(mu, lambda, g);
  EXPECT_LE(respond(law, parameters.data(), Mat3::Identity()).stress.norm(), 1e-12) << Law::kName;
  const double error = (stiffness_along(law, parameters.data(), g) - expected).norm() / expected.norm();
  record(std::string(Law::kName), error);
  EXPECT_LE(error, 1e-9) << Law::kName;
}

TEST(MaterialLaws, LinearisationIsHookesLaw) {
  const std::vector<double> lame = {kMu, kLambda};
  expect_hooke(solid::NeoHookean{}, lame, kMu, kLambda);
  expect_hooke(solid::StableNeoHookean{}, lame, kMu, kLambda);
  expect_hooke(solid::Corotated{}, lame, kMu, kLambda);
  expect_hooke(solid::StVenantKirchhoff{}, lame, kMu, kLambda);
  expect_hooke(solid::Linear{}, lame, kMu, kLambda);
  // c₁ + c₂ = μ/2, bulk modulus = λ + 2μ/3
  expect_hooke(solid::MooneyRivlin{}, {0.35 * kMu, 0.15 * kMu, kLambda + 2 * kMu / 3}, kMu, kLambda);
  expect_hooke(solid::Arap{}, {2 * kMu}, kMu, 0);  // μ = k/2, λ = 0
}

// No stiffness at rest: P = 4 μ Σ ε³ gᵢ³ along the axes of the strain.
TEST(MaterialLaws, PolynomialHasItsOwnExpansion) {
  const double mu = kMu;
  EXPECT_LE(stiffness_along(solid::Polynomial{}, &mu, some_strain()).norm(), 1e-4 * mu);
  const Vec3 g(0.7, -0.5, 0.3);
  for (const double e : {1e-1, 1e-2, 1e-3}) {
    const Mat3 expected = (4 * mu * e * e * e * g.array().cube()).matrix().asDiagonal();
    const Mat3 gradient = Mat3::Identity() + e * Mat3(g.asDiagonal());
    const Mat3 stress = respond(solid::Polynomial{}, &mu, gradient).stress;
    EXPECT_LE((stress - expected).norm(), 1e-9 * expected.norm()) << e;
  }
}

// --- Splines through points of the curves of other laws ---

struct Curves {
  const char* name;
  double (*a)(double s);  // a', b', c' [Pa]; null = no such term
  double (*b)(double x);
  double (*c)(double j);
};

constexpr double kC1 = 0.35 * kMu, kC2 = 0.15 * kMu;

const Curves kFits[] = {
    {"neo_hookean", [](double s) { return kMu * s; }, nullptr,
     [](double j) { return (kLambda * std::log(j) - kMu) / j; }},
    {"corotated", [](double s) { return 2 * kMu * (s - 1) + kLambda * (s - 3); }, [](double) { return kLambda; },
     nullptr},
    {"st_venant_kirchhoff", [](double s) { return kMu * s * (s * s - 1) + kLambda / 2 * (s * s * s - 3 * s); },
     [](double x) { return kLambda / 2 * x; }, nullptr},
    {"mooney_rivlin", [](double s) { return 2 * kC1 * s; }, [](double x) { return 2 * kC2 * x; },
     [](double j) { return ((kLambda - 4 * kC2) * std::log(j) - 2 * (kC1 + 2 * kC2)) / j; }},
};

solid::StressCurve fit(double (*curve)(double), double spacing) {
  if (curve == nullptr) return {};
  std::vector<Vec2> points;
  const int half = static_cast<int>(std::lround(0.4 / spacing));
  for (int i = -half; i <= half; ++i) points.emplace_back(1 + i * spacing, curve(1 + i * spacing));
  return solid::StressCurve(points);
}

// Error of a fitted spline's stiffness at rest.
double fit_error(const Curves& curves, double spacing) {
  const solid::Spline spline{{fit(curves.a, spacing), fit(curves.b, spacing), fit(curves.c, spacing)}};
  EXPECT_LE(respond(spline, nullptr, Mat3::Identity()).stress.norm(), 1e-12 * kMu) << curves.name;
  const double rest[3] = {1, 1, 1};
  solid::PrincipalDerivatives<double> d;
  spline.principal<double>(nullptr, rest, d);
  // Ψ_01 = λ, Ψ_00 = λ + 2μ, flip = 2μ
  return std::max({std::abs(d.second[5] / kLambda - 1), std::abs(d.second[0] / (kLambda + 2 * kMu) - 1),
                   std::abs(d.flip[0] / (2 * kMu) - 1)});
}

// A monotone cubic knows slopes to second order in the distance of its points.
TEST(MaterialLaws, FittedSplinesTendToHookesLaw) {
  for (const Curves& curves : kFits) {
    const double coarse = fit_error(curves, 0.02), fine = fit_error(curves, 0.01);
    record(curves.name, fine);
    EXPECT_LE(fine, 1e-3) << curves.name;
    EXPECT_LE(fine, 0.3 * coarse + 1e-12) << curves.name;
  }
}

// --- Damping and rotation ---

// Angle by which the block has turned about y [rad], and its angular momentum about y [kg m²/s], about the centre.
struct Spin {
  double angle = 0, momentum = 0;
};

// Follows the direction from the block's first vertex to its last one, so that whole turns are counted.
class SpinFollower {
 public:
  void follow(const SceneCase& block) {
    const Vec3 arm = block.position(0, 0) - block.position(0, static_cast<int>(block.body(0).rest.vertices.size()) - 1);
    const double angle = std::atan2(arm.x(), arm.z());
    if (!is_first_) turned_ += std::remainder(angle - last_, 2 * M_PI);
    is_first_ = false;
    last_ = angle;
  }
  [[nodiscard]] double turned() const { return turned_; }

 private:
  bool is_first_ = true;
  double last_ = 0, turned_ = 0;
};

Spin spin(const std::string& integrator, double damping) {
  SceneCase block("damped_spin.yaml", {"time.integrator=" + integrator,
                                       fmt::format("materials.block.damping.stiffness_proportional={}", damping)});
  SpinFollower follower;
  follower.follow(block);
  block.run([&] { follower.follow(block); });
  const Simulation& simulation = block.simulation();
  Spin result{follower.turned(), 0};
  for (int i = 0; i < simulation.state().positions.size(); ++i) {
    const Vec3 x = simulation.state().positions[i], v = simulation.state().velocities[i];
    result.momentum += simulation.model().inertia.masses()[i] * (x.z() * v.x() - x.x() * v.z());
  }
  return result;
}

class DampedSpin : public ::testing::TestWithParam<const char*> {};

// Two turns with and without damping of 0.1 s, enough to stop every vibration within a step. What differs is the
// vibration that the spin itself starts: without damping it goes on, and the block is longer or shorter by up to the
// 3e-4 that centrifugal force stretches it, which changes its rate of turning.
TEST_P(DampedSpin, IsNotSlowed) {
  const Spin damped = spin(GetParam(), 0.1), undamped = spin(GetParam(), 0);
  record("angle_ratio", damped.angle / undamped.angle);
  record("momentum_ratio", damped.momentum / undamped.momentum);
  EXPECT_GT(undamped.angle, M_PI);
  EXPECT_NEAR(damped.angle / undamped.angle, 1, 1e-3);
  EXPECT_NEAR(damped.momentum / undamped.momentum, 1, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Integrators, DampedSpin,
                         ::testing::Values("backward_euler", "bdf2", "implicit_midpoint", "newmark"),
                         [](const auto& test) { return std::string(test.param); });

// The damping is there: it keeps the spinning block from vibrating.
TEST(DampedSpinVibration, IsDamped) {
  const auto elastic_range = [](double damping) {
    SceneCase block("damped_spin.yaml", {"time.integrator=newmark",
                                         fmt::format("materials.block.damping.stiffness_proportional={}", damping)});
    double low = 1e9, high = 0;
    block.run([&] {
      if (block.simulation().state().time < 1) return;
      low = std::min(low, block.value("energy.elastic"));
      high = std::max(high, block.value("energy.elastic"));
    });
    return high - low;
  };
  EXPECT_LT(elastic_range(0.1), 0.01 * elastic_range(0));
}

}  // namespace
}  // namespace pliant::validation::materials_test
