// Constant stand-ins of the Hessians of solids, membranes and attachments; hinges, rods and springs in their own tests.
#include <Eigen/LU>

#include "pliant/energy/weighted.h"

#include "pliant/energy/attachment/grip.h"
#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/energy/cloth/edge_membrane.h"
#include "pliant/energy/cloth/membrane_damping.h"
#include "pliant/energy/cloth/stretch_membrane.h"
#include "pliant/energy/solid/arap.h"
#include "pliant/energy/solid/extrapolation.h"
#include "pliant/energy/solid/linear.h"
#include "pliant/energy/solid/mooney_rivlin.h"
#include "pliant/energy/solid/neo_hookean.h"
#include "pliant/energy/solid/polynomial.h"
#include "pliant/energy/solid/spline.h"
#include "pliant/energy/solid/st_venant_kirchhoff.h"
#include "pliant/energy/solid/stable_neo_hookean.h"
#include "pliant/energy/solid/strain_limit.h"
#include "pliant/energy/solid/strain_rate_damping.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "tests/energy/cloth/sheet_model.h"
#include "tests/energy/weight_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::checks {
namespace {

using cloth_checks::attached;
using cloth_checks::make_sheet;
using cloth_checks::Sheet;
using solid::HyperelasticOptions;
using solid::HyperelasticTets;

// --- Solids ---

// The tet e1, e2, e3, 0: D = I, V = 1/6.
TetModel unit_tet() {
  TetModel model;
  model.rest = model.moved = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), Vec3::Zero()};
  model.tets = {Vec4i(0, 1, 2, 3)};
  model.finish();
  return model;
}

template <class Law>
HyperelasticTets<Law> uniform(const TetModel& model, const std::vector<double>& parameters, Law law = {},
                              HyperelasticOptions options = {}) {
  std::vector<std::vector<double>> lists;
  for (const double p : parameters) lists.emplace_back(model.tet_count(), p);
  return HyperelasticTets<Law>(model.elements, law, lists, options);
}

// k of a law, read off the unit tet.
template <class Law>
double stiffness_of(const std::vector<double>& parameters, Law law = {}, HyperelasticOptions options = {}) {
  const TetModel model = unit_tet();
  return 6 * weights(uniform(model, parameters, law, options), model)(0, 0);
}

// 12 ∫ (s − 1) f ds by midpoints.
template <class Force>
double fine_sum(const Force& force, int count = 200000) {
  long double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double s = 0.5 + (i + 0.5) / count;
    sum += (s - 1) * force(s);
  }
  return static_cast<double>(12 * sum / count);
}

template <class Law>
double fine_stiffness(const std::vector<double>& parameters, const Law& law = {}) {
  return fine_sum([&](double s) {
    const double stretches[3] = {s, 1, 1};
    solid::PrincipalDerivatives<double> d;
    law.principal(parameters.data(), stretches, d);
    return d.first[0];
  });
}

solid::Spline drawn_spline() {
  const std::vector<Vec2> a{{0.4, -30}, {0.7, -8}, {0.93, -1}, {1, 0}, {1.13, 3}, {1.31, 4}, {1.7, 30}};
  const std::vector<Vec2> b{{0.6, -3}, {1, 0}, {1.4, 2}}, c{{0.5, -40}, {0.88, -6}, {1, 0}, {1.22, 9}, {2, 20}};
  return {{solid::StressCurve(a), solid::StressCurve(b), solid::StressCurve(c)}};
}

TEST(Weighted, UnitTet) {
  const TetModel model = unit_tet();
  Eigen::Matrix4d expected;
  expected << 1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1, -1, -1, -1, -1, 3;
  expect_close(expected * 12 / 6, weights(uniform<solid::Arap>(model, {12}), model), 1e-14);
}

// Coefficients of μ and λ over 0.5 ≤ s ≤ 1.5.
TEST(Weighted, StiffnessOfLawsIsThatOfTheirIntegrals) {
  const auto expect_pair = [](const std::function<double(std::vector<double>)>& k, double of_mu, double of_lambda,
                              double tolerance) {
    EXPECT_NEAR(k({1, 0}), of_mu, tolerance);
    EXPECT_NEAR(k({1, 1}), of_mu + of_lambda, tolerance);
    EXPECT_NEAR(k({3, 50}), 3 * of_mu + 50 * of_lambda, 50 * tolerance);
  };
  expect_pair([](auto p) { return stiffness_of<solid::Corotated>(p); }, 2, 1, 1e-13);
  expect_pair([](auto p) { return stiffness_of<solid::Linear>(p); }, 2, 1, 1e-13);
  expect_pair([](auto p) { return stiffness_of<solid::StVenantKirchhoff>(p); }, 2.15, 1.075, 1e-13);
  expect_pair([](auto p) { return stiffness_of<solid::NeoHookean>(p); }, 2.18335, 1.35356, 5e-6);
  const auto volume_moment = [](double s) { return s * std::log(s) - s - 0.5 * std::pow(std::log(s), 2); };
  expect_pair([](auto p) { return stiffness_of<solid::NeoHookean>(p); }, 12 * (13.0 / 12 - 2 + std::log(3)),
              12 * (volume_moment(1.5) - volume_moment(0.5)), 1e-13);
  EXPECT_NEAR(stiffness_of<solid::Polynomial>({1}), 0.6, 1e-14);
  EXPECT_NEAR(stiffness_of<solid::Arap>({5}), 5, 1e-14);
  // Distances to sets: k, also where a fit would see less.
  EXPECT_NEAR(stiffness_of<solid::StrainLimit>({5, 0.4, 1.6}), 5, 1e-14);
  EXPECT_NEAR(stiffness_of<solid::VolumePreservation>({5}), 5, 1e-14);
}

TEST(Weighted, StiffnessEqualsAFineSum) {
  EXPECT_NEAR(stiffness_of<solid::MooneyRivlin>({3, 2, 70}), fine_stiffness<solid::MooneyRivlin>({3, 2, 70}), 1e-7);
  EXPECT_NEAR(stiffness_of<solid::StableNeoHookean>({3, 50}), fine_stiffness<solid::StableNeoHookean>({3, 50}), 1e-7);
  const solid::Spline spline = drawn_spline();
  const double k = stiffness_of<solid::Spline>({}, spline);
  EXPECT_GT(k, 50);
  EXPECT_NEAR(k, fine_stiffness<solid::Spline>({}, spline), 1e-7);
}

TEST(Weighted, StiffnessSeesTheContinuationBelowAThreshold) {
  const std::vector<double> p{3, 50};
  const double expected = fine_sum([&](double s) {
    const double stretches[3] = {s, 1, 1};
    solid::PrincipalDerivatives<double> d;
    if (s < 0.8) {
      solid::extrapolate(solid::NeoHookean{}, p.data(), stretches, 0.8, d);
    } else {
      solid::NeoHookean::principal(p.data(), stretches, d);
    }
    return d.first[0];
  });
  const double continued = stiffness_of<solid::NeoHookean>(p, {}, {.extrapolate_below = 0.8});
  EXPECT_NEAR(continued, expected, 1e-6);
  EXPECT_GT(std::abs(continued - stiffness_of<solid::NeoHookean>(p)), 0.1);
  EXPECT_EQ(stiffness_of<solid::NeoHookean>(p, {}, {.extrapolate_below = 0.3}), stiffness_of<solid::NeoHookean>(p));
}

Mat3 gradient_of_tet(const TetModel& model, const Vec4i& tet, double& volume) {
  Mat3 rest, now;
  for (int i = 0; i < 3; ++i) {
    rest.col(i) = model.rest[tet[i + 1]] - model.rest[tet[0]];
    now.col(i) = model.now[tet[i + 1]] - model.now[tet[0]];
  }
  volume = std::abs(rest.determinant()) / 6;
  return now * rest.inverse();
}

double square(const Eigen::MatrixXd& l, const TetModel& model) {
  const Eigen::VectorXd x = flat(model.now);
  return x.dot(on_coordinates(l) * x);
}

// xᵀ L x = Σ V k ‖F‖², each tet with its own parameters.
TEST(Weighted, WeighsTheSquareOfDeformationGradients) {
  const TetModel model = make_bent_box({3, 2, 2});
  Random random(3);
  std::vector<std::vector<double>> parameters(2);
  double expected = 0;
  for (const Vec4i& tet : model.tets) {
    for (auto& list : parameters) list.push_back(random.between(1, 9));
    double volume = 0;
    const Mat3 f = gradient_of_tet(model, tet, volume);
    expected += volume * (2 * parameters[0].back() + parameters[1].back()) * f.squaredNorm();
  }
  const HyperelasticTets<solid::Corotated> energy(model.elements, {}, parameters);
  EXPECT_NEAR(square(weights(energy, model), model), expected, 1e-13 * expected);
}

TEST(Weighted, SolidsAreSemidefiniteAndBlindForTranslations) {
  const TetModel model = make_bent_box({2, 2, 2});
  expect_good_weights(uniform<solid::Arap>(model, {3}), model);
  expect_good_weights(uniform<solid::Corotated>(model, {3, 50}), model);
  expect_good_weights(uniform<solid::Linear>(model, {3, 50}), model);
  expect_good_weights(uniform<solid::StVenantKirchhoff>(model, {3, 50}), model);
  expect_good_weights(uniform<solid::NeoHookean>(model, {3, 50}), model);
  expect_good_weights(uniform<solid::StableNeoHookean>(model, {3, 50}), model);
  expect_good_weights(uniform<solid::MooneyRivlin>(model, {3, 2, 50}), model);
  expect_good_weights(uniform<solid::Polynomial>(model, {3}), model);
  expect_good_weights(uniform<solid::StrainLimit>(model, {3, 0.9, 1.1}), model);
  expect_good_weights(uniform<solid::VolumePreservation>(model, {3}), model);
  expect_good_weights(uniform<solid::Spline>(model, {}, drawn_spline()), model);
}

TEST(Weighted, SolidsOfManyChunksHaveTheSameBits) {
  const TetModel model = make_bent_box({7, 7, 7});  // several chunks
  Random random(8);
  std::vector<std::vector<double>> parameters(2);
  for (int t = 0; t < model.tet_count(); ++t) {
    for (auto& list : parameters) list.push_back(std::floor(random.between(1, 4)));  // neighbours often alike
  }
  const HyperelasticTets<solid::NeoHookean> energy(model.elements, {}, parameters);
  ASSERT_GT(model.elements->chunk_count(), 2);
  const auto values = [&] {
    sparse::SymmetricScalarMatrix l(model.pattern);
    energy.add_weights(model.controls, model.step, l);
    return std::vector<double>(l.values().begin(), l.values().end());
  };
  const std::vector<double> reference = values();
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    EXPECT_EQ(values(), reference) << threads;
  }
  set_thread_count(0);
}

TEST(Weighted, DoesNotDependOnHowABodyIsTurned) {
  TetModel model = make_bent_box({2, 1, 1}), turned = model;
  const Mat3 rotation = Random(4).rotation();
  for (Vec3& x : turned.rest) x = rotation * x + Vec3(1, 2, 3);
  turned.finish();
  const Eigen::MatrixXd l = weights(uniform<solid::NeoHookean>(model, {3, 50}), model);
  expect_close(l, weights(uniform<solid::NeoHookean>(turned, {3, 50}), turned), 1e-12, l.norm());
}

// ∇E = L x − J p with the rotations p nearest to the deformation gradients [Liu2018, ch. 6].
TEST(Weighted, ArapGradientIsThatOfTheProjection) {
  const TetModel model = make_bent_box({2, 2, 2}, 0.35);  // some tets are inverted
  const double k = 7;
  const HyperelasticTets<solid::Arap> energy = uniform<solid::Arap>(model, {k});
  Eigen::VectorXd expected = on_coordinates(weights(energy, model)) * flat(model.now);
  for (const Vec4i& tet : model.tets) {
    double volume = 0;
    const test::Svd svd = test::jacobi_svd(gradient_of_tet(model, tet, volume));
    const Vec3 signs(1, 1, (svd.u * svd.v.transpose()).determinant() > 0 ? 1 : -1);
    const Mat3 rotation = svd.u * signs.asDiagonal() * svd.v.transpose();
    Mat3 rest;
    for (int i = 0; i < 3; ++i) rest.col(i) = model.rest[tet[i + 1]] - model.rest[tet[0]];
    const Mat3 pull = k * volume * rotation * rest.inverse().transpose();
    for (int i = 0; i < 3; ++i) {
      expected.segment<3>(3 * tet[i + 1]) -= pull.col(i);
      expected.segment<3>(3 * tet[0]) += pull.col(i);
    }
  }
  EXPECT_LE((flat(gradient_of(energy, model)) - expected).norm(), 1e-12 * expected.norm());
}

// A distance to a set lies below the distance to any point of it: L − H is semi-definite, everywhere.
TEST(Weighted, DistancesAreNeverStifferThanTheirWeights) {
  for (const double noise : {0.0, 0.06, 0.35}) {
    const TetModel model = make_bent_box({2, 1, 1}, noise);
    const auto expect_softer = [&](const auto& energy) {
      const Eigen::MatrixXd l = on_coordinates(weights(energy, model)), h = dense(evaluate(energy, model).hessian);
      EXPECT_GE(least_eigenvalue(l - h), -1e-12 * l.norm()) << energy.name();
    };
    expect_softer(uniform<solid::Arap>(model, {7}));
    expect_softer(uniform<solid::StrainLimit>(model, {7, 0.93, 1.04}));
    expect_softer(uniform<solid::VolumePreservation>(model, {7}));
  }
}

// At rest, for displacements with a symmetric gradient S: uᵀ H u = V k ‖S‖² = uᵀ L u.
TEST(Weighted, ArapIsExactForStrainsAtRest) {
  TetModel model = make_bent_box({2, 1, 1});
  Mat3 strain;
  strain << 1, 0.3, -0.2, 0.3, -0.5, 0.7, -0.2, 0.7, 0.4;
  Eigen::VectorXd u(3 * model.now.size());
  for (int v = 0; v < model.now.size(); ++v) {
    model.now[v] = model.rest[v];
    u.segment<3>(3 * v) = strain * model.rest[v];
  }
  const HyperelasticTets<solid::Arap> energy = uniform<solid::Arap>(model, {7});
  const double exact = u.dot(dense(evaluate(energy, model).hessian) * u);
  EXPECT_GT(exact, 1);
  EXPECT_NEAR(u.dot(on_coordinates(weights(energy, model)) * u), exact, 1e-11 * exact);
}

// At rest, for a stretch along one axis, the weights of Hooke's law and of damping are their Hessians.
TEST(Weighted, OneStretchOfHookesLawAndOfDampingIsExact) {
  TetModel model = make_bent_box({2, 1, 1});
  model.step = 0.02;
  Eigen::VectorXd u(3 * model.now.size());
  const Vec3 axis = Vec3(2, -1, 2) / 3;
  for (int v = 0; v < model.now.size(); ++v) {
    model.now[v] = model.before[v] = model.rest[v];
    u.segment<3>(3 * v) = axis * axis.dot(model.rest[v]);
  }
  const auto expect_exact = [&](const auto& energy) {
    const double exact = u.dot(dense(evaluate(energy, model).hessian) * u);
    EXPECT_GT(exact, 1);
    EXPECT_NEAR(u.dot(on_coordinates(weights(energy, model)) * u), exact, 1e-11 * exact);
  };
  const std::vector<double> mu(model.tet_count(), 0.3), lambda(model.tet_count(), 2);
  const solid::StrainRateDamping damping(model.elements, mu, lambda);
  expect_exact(damping);
  expect_exact(uniform<solid::Corotated>(model, {3, 50}));
  expect_exact(uniform<solid::Linear>(model, {3, 50}));
  expect_good_weights(damping, model);
  model.step = 0;
  EXPECT_EQ(weights(damping, model).norm(), 0);
}

// --- Membranes ---

// Σ A ‖F‖² [m²]
double weighed_gradients(const Sheet& s) {
  double sum = 0;
  for (int t = 0; t < s.triangle_count(); ++t) {
    const Vec3i& v = s.sheet.triangles[t];
    const Mat32 f =
        cloth_checks::gradient_of_triangle(s.corners(t), {s.model.now[v[0]], s.model.now[v[1]], s.model.now[v[2]]});
    sum += s.sheet.rest[t].area * f.squaredNorm();
  }
  return sum;
}

template <class E>
double stiffness_of_sheet(const E& energy, const Sheet& s) {
  expect_good_weights(energy, s.model);
  return square(weights(energy, s.model), s.model) / weighed_gradients(s);
}

TEST(Weighted, StiffnessOfMembranes) {
  Sheet s = make_sheet();
  const cloth::LameParameters lame{40, 25};
  const auto uniform_sheet = [&]<class Law>(Law, const typename Law::Parameters& p) {
    return stiffness_of_sheet(
        attached(cloth::StretchMembrane<Law>(s.sheet, std::vector(s.triangle_count(), p)), s.model), s);
  };
  EXPECT_NEAR(uniform_sheet(cloth::Corotated{}, lame), 2 * 25 + 40, 1e-10);
  const auto volume_moment = [](double x) { return x * std::log(x) - x - 0.5 * std::pow(std::log(x), 2); };
  EXPECT_NEAR(uniform_sheet(cloth::NeoHookean{}, lame),
              25 * 12 * (13.0 / 12 - 2 + std::log(3)) + 40 * 12 * (volume_moment(1.5) - volume_moment(0.5)), 1e-10);
  EXPECT_NEAR(uniform_sheet(cloth::StrainLimit{}, {.min = 0.9, .max = 1.1, .stiffness = 60}), 60, 1e-10);
}

TEST(Weighted, StiffnessOfWovenClothIsTheMeanOfWarpAndWeft) {
  Sheet s = make_sheet();
  const cloth::OrthotropicCoefficients c =
      coefficients(cloth::OrthotropicModuli{.young_warp = 900, .young_weft = 350, .poisson = 0.3, .shear = 45});
  const auto energy =
      attached(cloth::EdgeMembrane<cloth::StVenantKirchhoff>(s.sheet, std::vector(s.triangle_count(), c)), s.model);
  // For small strains the moduli of stretches with the other one held are Y/(1 − ν² Y_weft/Y_warp).
  const double held = 1 - 0.09 * 350 / 900;
  EXPECT_NEAR(stiffness_of_sheet(energy, s), 1.075 * 0.5 * (900 + 350) / held, 1e-9);
}

// Stretches along warp and weft of a sheet at rest: the mean of both exact Hessians.
TEST(Weighted, MembraneDampingIsExactAtRest) {
  Sheet s = make_sheet();
  s.model.step = 0.02;
  s.lay_flat();
  for (int v = 0; v < s.model.now.size(); ++v) s.model.before[v] = s.model.now[v];
  const cloth::OrthotropicCoefficients c =
      coefficients(cloth::OrthotropicModuli{.young_warp = 9, .young_weft = 3.5, .poisson = 0.3, .shear = 0.45});
  const auto energy = attached(cloth::MembraneDamping(s.sheet, std::vector(s.triangle_count(), c)), s.model);
  const Eigen::MatrixXd h = dense(evaluate(energy, s.model).hessian), l = on_coordinates(weights(energy, s.model));
  double exact = 0, ours = 0;
  for (const Vec2& d : {s.warp, Vec2(-s.warp.y(), s.warp.x())}) {
    Eigen::VectorXd u = Eigen::VectorXd::Zero(h.rows());
    for (int v = 0; v < s.model.now.size(); ++v) u.segment<2>(3 * v) = d * d.dot(s.uv[v]);
    exact += u.dot(h * u);
    ours += u.dot(l * u);
  }
  EXPECT_NEAR(ours, exact, 1e-12 * exact);
  expect_good_weights(energy, s.model);
  s.model.step = 0;
  EXPECT_EQ(weights(energy, s.model).norm(), 0);
}

// ∇E = L x − J p with the deformation gradients p nearest within the limits.
TEST(Weighted, StrainLimitGradientIsThatOfTheProjection) {
  Sheet s = make_sheet({4, 3}, 0.02);
  const double k = 60, low = 0.95, high = 1.05;
  const auto energy =
      attached(cloth::StretchMembrane<cloth::StrainLimit>(
                   s.sheet, std::vector(s.triangle_count(), cloth::StrainLimit::Parameters{low, high, k})),
               s.model);
  Eigen::VectorXd expected = on_coordinates(weights(energy, s.model)) * flat(s.model.now);
  for (int t = 0; t < s.triangle_count(); ++t) {
    const Vec3i& v = s.sheet.triangles[t];
    const std::array<Vec2, 3> rest = s.corners(t);
    const Mat32 f = cloth_checks::gradient_of_triangle(rest, {s.model.now[v[0]], s.model.now[v[1]], s.model.now[v[2]]});
    Mat2 edges;
    edges << rest[1] - rest[0], rest[2] - rest[0];
    const Mat32 pull = k * s.sheet.rest[t].area * cloth::clamp_stretches(f, low, high) * edges.inverse().transpose();
    for (int i = 0; i < 2; ++i) {
      expected.segment<3>(3 * v[i + 1]) -= pull.col(i);
      expected.segment<3>(3 * v[0]) += pull.col(i);
    }
  }
  const Eigen::VectorXd gradient = flat(gradient_of(energy, s.model));
  EXPECT_GT(gradient.norm(), 1e-2);
  EXPECT_LE((gradient - expected).norm(), 1e-12 * flat(s.model.now).norm() * k);
}

// A factor is kept while the rest state changes: it is made from the one a cloth has by itself.
TEST(Weighted, AnimationLeavesWeightsAlone) {
  Sheet s = make_sheet();
  const std::vector<cloth::OrthotropicCoefficients> c(s.triangle_count(),
                                                      coefficients(cloth::OrthotropicModuli{900, 350, 0.3, 45}));
  using Membrane = cloth::EdgeMembrane<cloth::StVenantKirchhoff>;
  const Eigen::MatrixXd fixed = weights(attached(Membrane(s.sheet, c), s.model), s.model);
  s.sheet.animated = 0;
  const Membrane animated = attached(Membrane(s.sheet, c), s.model);
  s.model.controls.rest_lengths.emplace_back();
  for (const cloth::TriangleRest& rest : s.sheet.rest) {
    for (const double squared : rest.squared_length)
      s.model.controls.rest_lengths[0].push_back(1.3 * std::sqrt(squared));
  }
  expect_close(fixed, weights(animated, s.model), 1e-10, fixed.norm());
  expect_good_weights(animated, s.model);
}

// --- Attachments ---

TEST(Weighted, PinsAndGripsAreOnTheDiagonal) {
  TetModel model = make_bent_box({1, 1, 1});
  model.controls.soft_pin_targets = {Vec3(0.3, -0.2, 0.9), Vec3(1, 0, 0)};
  model.controls.soft_pin_active = {1, 0};
  model.controls.grips = {{6, Vec3::Zero(), 4}, {1, Vec3::Zero(), 3}};
  const SoftPin pins({{.block = 3, .target_index = 0, .control = 0, .stiffness = 5},
                      {.block = 2, .target_index = 1, .control = 1, .stiffness = 8}});
  const Grip grip;
  expect_close(dense(evaluate(pins, model).hessian), on_coordinates(weights(pins, model)), 1e-14);
  expect_close(dense(evaluate(grip, model).hessian), on_coordinates(weights(grip, model)), 1e-14);
  EXPECT_EQ(weights(pins, model)(3, 3), 5);
  model.controls.soft_pin_active = {1, 1};
  EXPECT_EQ(weights(pins, model)(2, 2), 8);
}

}  // namespace
}  // namespace pliant::checks
