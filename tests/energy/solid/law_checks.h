// What every material law must satisfy, as one test suite that each law's test instantiates with a Case:
//
//   struct Case {
//     using Law = …;                                            // pliant::solid
//     static Law law();
//     static std::vector<std::vector<double>> parameters(int count);   // per parameter, per tet
//     static oracle::LawPointer oracle(const double* p);        // the plain version with the parameters of one tet
//     static Vec2 lame(const double* p);         // μ, λ of the linearisation at rest [Pa]
//     static constexpr bool kTurns = true;                      // invariant under rotation
//   };
#pragma once

#include <algorithm>

#include "pliant/energy/solid/hyperelastic_tets.h"
#include "pliant/math/svd_kernel.h"
#include "tests/energy/energy_checks.h"

namespace pliant::checks {

// One deformation gradient and the parameters of one tet, as plain numbers or the same in all lanes.
template <class Case, class T>
struct Arguments {
  static constexpr int kCount = Case::Law::kParameterCount;
  T f[3][3], p[kCount + 1];

  Arguments(const Mat3& gradient, const std::vector<std::vector<double>>& parameters, int tet) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) f[r][c] = math::constant<T>(gradient(r, c));
    }
    for (int k = 0; k < kCount; ++k) p[k] = math::constant<T>(parameters[k][tet]);
    p[kCount] = math::constant<T>(0);
  }
};

inline Mat3 to_matrix(const double m[3][3]) {
  Mat3 result;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) result(r, c) = m[r][c];
  }
  return result;
}

// All numbers of the principal derivatives, lane `lane`.
inline Eigen::Matrix<double, 16, 1> numbers(const solid::PrincipalDerivatives<double>& d) {
  Eigen::Matrix<double, 16, 1> n;
  n << d.density, d.first[0], d.first[1], d.first[2], d.second[0], d.second[1], d.second[2], d.second[3], d.second[4],
      d.second[5], d.twist[0], d.twist[1], d.twist[2], d.flip[0], d.flip[1], d.flip[2];
  return n;
}
inline Eigen::Matrix<double, 16, 1> numbers(const solid::PrincipalDerivatives<math::Lanes>& d, int lane) {
  Eigen::Matrix<double, 16, 1> n;
  n << d.density[lane], d.first[0][lane], d.first[1][lane], d.first[2][lane], d.second[0][lane], d.second[1][lane],
      d.second[2][lane], d.second[3][lane], d.second[4][lane], d.second[5][lane], d.twist[0][lane], d.twist[1][lane],
      d.twist[2][lane], d.flip[0][lane], d.flip[1][lane], d.flip[2][lane];
  return n;
}

template <class Case>
class LawTest : public ::testing::Test {
 public:
  using Parameters = std::vector<std::vector<double>>;

  static std::vector<double> parameters_of(const Parameters& parameters, int tet) {
    std::vector<double> p;
    for (const std::vector<double>& list : parameters) p.push_back(list[tet]);
    p.push_back(0);
    return p;
  }
  // A modulus to compare errors with [Pa].
  static double modulus(const Parameters& parameters) {
    double largest = 1;
    for (const std::vector<double>& list : parameters)
      largest = std::max(largest, *std::max_element(list.begin(), list.end()));
    return largest;
  }
  static solid::HyperelasticTets<typename Case::Law> make_energy(const TetModel& model) {
    return {model.elements, Case::law(), Case::parameters(model.tet_count())};
  }
  static oracle::LawOf oracle_of(const TetModel& model) {
    return [parameters = Case::parameters(model.tet_count())](int t) {
      return Case::oracle(parameters_of(parameters, t).data());
    };
  }
};

TYPED_TEST_SUITE_P(LawTest);

TYPED_TEST_P(LawTest, DensityStressAndPrincipalAgree) {
  const std::vector<Mat3> gradients = gradients_of_all_classes();
  const auto parameters = TypeParam::parameters(static_cast<int>(gradients.size()));
  const typename TypeParam::Law law = TypeParam::law();
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    const Arguments<TypeParam, double> a(gradients[t], parameters, static_cast<int>(t));
    const double scale = TestFixture::modulus(parameters);
    double stress[3][3];
    const double psi = law.stress(a.p, a.f, stress);
    EXPECT_NEAR(law.density(a.p, a.f), psi, 1e-12 * (std::abs(psi) + scale));
    if constexpr (solid::IsotropicLaw<typename TypeParam::Law>) {
      math::SvdLanes<double> svd;
      math::signed_svd(a.f, svd);
      solid::PrincipalDerivatives<double> d;
      law.principal(a.p, svd.s, d);
      EXPECT_NEAR(d.density, psi, 1e-12 * (std::abs(psi) + scale));
      const Mat3 from_stretches =
          to_matrix(svd.u) * Vec3(d.first[0], d.first[1], d.first[2]).asDiagonal() * to_matrix(svd.v).transpose();
      expect_close(from_stretches, to_matrix(stress), 1e-12, scale, "state " + std::to_string(t));
    }
  }
}

TYPED_TEST_P(LawTest, LanesEqualPlainNumbers) {
  const std::vector<Mat3> gradients = gradients_of_all_classes();
  const auto parameters = TypeParam::parameters(static_cast<int>(gradients.size()));
  const typename TypeParam::Law law = TypeParam::law();
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    const Arguments<TypeParam, double> plain(gradients[t], parameters, static_cast<int>(t));
    // Lane 2 holds the state; the others hold another one, which must not matter.
    Arguments<TypeParam, math::Lanes> lanes(gradients[(t + 5) % gradients.size()], parameters, static_cast<int>(t));
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) lanes.f[r][c][2] = plain.f[r][c];
    }
    const double scale = TestFixture::modulus(parameters);
    double stress[3][3], lane_stress[3][3];
    math::Lanes all_stress[3][3];
    const double psi = law.stress(plain.p, plain.f, stress);
    EXPECT_NEAR(law.stress(lanes.p, lanes.f, all_stress)[2], psi, 1e-12 * (std::abs(psi) + scale));
    EXPECT_NEAR(law.density(lanes.p, lanes.f)[2], psi, 1e-12 * (std::abs(psi) + scale));
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) lane_stress[r][c] = all_stress[r][c][2];
    }
    expect_close(to_matrix(stress), to_matrix(lane_stress), 1e-12, scale, "state " + std::to_string(t));
    if constexpr (solid::IsotropicLaw<typename TypeParam::Law>) {
      math::SvdLanes<double> svd;
      math::signed_svd(plain.f, svd);
      const math::Lanes s[3] = {math::lanes_of(svd.s[0]), math::lanes_of(svd.s[1]), math::lanes_of(svd.s[2])};
      solid::PrincipalDerivatives<double> d;
      solid::PrincipalDerivatives<math::Lanes> d_lanes;
      law.principal(plain.p, svd.s, d);
      law.principal(lanes.p, s, d_lanes);
      for (int lane = 0; lane < math::kLaneCount; ++lane) {
        expect_close(numbers(d), numbers(d_lanes, lane), 1e-12, scale, "state " + std::to_string(t));
      }
    }
  }
}

TYPED_TEST_P(LawTest, EqualsTheScalarOracle) {
  const TetModel soup = make_soup(gradients_of_all_classes());
  expect_soup_equals_oracle(TestFixture::make_energy(soup), soup, TestFixture::oracle_of(soup),
                            TestFixture::modulus(TypeParam::parameters(soup.tet_count())));
}

TYPED_TEST_P(LawTest, AssembledEqualsTheScalarOracle) {
  const TetModel model = make_bent_box({3, 2, 3}, 0.3);
  expect_assembled_equals_oracle(TestFixture::make_energy(model), model, TestFixture::oracle_of(model));
}

TYPED_TEST_P(LawTest, DerivativesConvergeToFiniteDifferences) {
  const TetModel model = make_bent_box({2, 1, 2});
  expect_derivatives_converge(TestFixture::make_energy(model), model);
}

TYPED_TEST_P(LawTest, ViewsAgreeAndAdd) {
  const TetModel model = make_bent_box({2, 2, 1});
  const auto energy = TestFixture::make_energy(model);
  expect_views_agree(energy, model);
  expect_adds(energy, model);
}

TYPED_TEST_P(LawTest, RigidMotionsAreFree) {
  TetModel model = make_bent_box({2, 2, 1});
  const auto energy = TestFixture::make_energy(model);
  expect_no_net_force(energy, model);
  if constexpr (TypeParam::kTurns) {
    expect_no_net_torque(energy, model);
    expect_rotation_invariant(energy, model);
  } else {
    const double here = value_of(energy, model);
    move(model, Mat3::Identity(), Vec3(3, -2, 1));
    EXPECT_NEAR(value_of(energy, model), here, 1e-11 * here);
  }
}

TYPED_TEST_P(LawTest, RestIsFreeOfEnergyAndForce) {
  TetModel model = make_bent_box({2, 2, 2});
  const auto energy = TestFixture::make_energy(model);
  const double loaded_value = value_of(energy, model), loaded_force = flat(gradient_of(energy, model)).norm();
  model.now = model.before;  // the rest positions
  if (TypeParam::kTurns) move(model, Random(5).rotation(), Vec3(1, 2, 3));
  EXPECT_NEAR(value_of(energy, model), 0, 1e-12 * loaded_value);
  EXPECT_LE(flat(gradient_of(energy, model)).norm(), 1e-11 * loaded_force);
}

TYPED_TEST_P(LawTest, ProjectedHessianIsSemidefinite) {
  const TetModel soup = make_soup(gradients_of_all_classes(), 9);
  expect_projected_is_semidefinite(TestFixture::make_energy(soup), soup);
  const TetModel crushed = make_bent_box({2, 2, 2}, 0.8);
  expect_projected_is_semidefinite(TestFixture::make_energy(crushed), crushed);
}

// States without a stable derivative (two stretches cancel, or all vanish) still give finite, semi-definite matrices.
TYPED_TEST_P(LawTest, SingularStatesStayFinite) {
  Random random(8);
  std::vector<Mat3> gradients{Mat3::Zero(), -Mat3::Identity()};
  for (const Vec3& s : {Vec3(1, 0, 0), Vec3(1, 1, -1), Vec3(1, 0.5, -0.5), Vec3(1e-9, 1e-9, -1e-9), Vec3(1e-3, 0, 0)}) {
    gradients.push_back(turned(s, random));
  }
  for (const Mat3& f : gradients) {
    const TetModel model = make_soup({f});
    const auto energy = TestFixture::make_energy(model);
    const Evaluation result = evaluate(energy, model, HessianKind::projected);
    EXPECT_TRUE(std::isfinite(result.value));
    EXPECT_TRUE(flat(result.gradient).allFinite());
    ASSERT_TRUE(dense(result.hessian).allFinite());
    expect_projected_is_semidefinite(energy, model);
  }
}

TYPED_TEST_P(LawTest, ProjectionLeavesDefiniteElementsAlone) {
  Random random(6);
  std::vector<Mat3> gradients = gradients_of_all_classes();
  for (int k = 0; k < 6; ++k) gradients.push_back(turned(Vec3(1.25, 1.2, 1.15) + random.vector(0.05), random));
  const TetModel soup = make_soup(gradients);
  expect_projection_leaves_definite_elements(TestFixture::make_energy(soup), soup, TestFixture::oracle_of(soup));
}

TYPED_TEST_P(LawTest, LinearisationAtRestIsHooke) {
  const TetModel soup = make_soup(std::vector<Mat3>(7, Mat3::Identity()), 4);
  const auto parameters = TypeParam::parameters(7);
  const Evaluation ours = evaluate(TestFixture::make_energy(soup), soup);
  for (int t = 0; t < 7; ++t) {
    const Vec2 lame = TypeParam::lame(TestFixture::parameters_of(parameters, t).data());
    const oracle::Element element = oracle::element_of(soup.mesh(), t);
    const oracle::ElementResult hooke =
        oracle::evaluate(*oracle::linear(lame[0], lame[1]), element, oracle::Kind::exact);
    const double scale = TestFixture::modulus(parameters) * element.volume * element.from.squaredNorm();
    expect_close(hooke.hessian, element_matrix(ours.hessian, t), 1e-12, scale);
  }
}

// The last group is filled up with copies of volume zero: any count of tets gives the sum over the tets.
TYPED_TEST_P(LawTest, FillingLanesAddNothing) {
  const std::vector<Mat3> all = gradients_of_all_classes();
  for (int count = 1; count <= 9; ++count) {
    const TetModel soup = make_soup({all.begin() + 3, all.begin() + 3 + count});
    expect_soup_equals_oracle(TestFixture::make_energy(soup), soup, TestFixture::oracle_of(soup),
                              TestFixture::modulus(TypeParam::parameters(count)));
  }
}

TYPED_TEST_P(LawTest, SameBitsForAnyThreadCount) {
  const TetModel model = make_bent_box({10, 8, 8}, 0.3);  // 3200 tets, 13 chunks
  expect_same_bits_for_any_thread_count(TestFixture::make_energy(model), model);
}

REGISTER_TYPED_TEST_SUITE_P(LawTest, DensityStressAndPrincipalAgree, LanesEqualPlainNumbers, EqualsTheScalarOracle,
                            AssembledEqualsTheScalarOracle, DerivativesConvergeToFiniteDifferences, ViewsAgreeAndAdd,
                            RigidMotionsAreFree, RestIsFreeOfEnergyAndForce, ProjectedHessianIsSemidefinite,
                            SingularStatesStayFinite, ProjectionLeavesDefiniteElementsAlone, LinearisationAtRestIsHooke,
                            FillingLanesAddNothing, SameBitsForAnyThreadCount);

// Random μ and λ per tet, of the size of one.
inline std::vector<std::vector<double>> random_moduli(int count, std::vector<Vec2> ranges) {
  Random random(17);
  std::vector<std::vector<double>> parameters(ranges.size(), std::vector<double>(count));
  for (int t = 0; t < count; ++t) {
    for (std::size_t k = 0; k < ranges.size(); ++k) parameters[k][t] = random.between(ranges[k][0], ranges[k][1]);
  }
  return parameters;
}

// Value and stress of a law at one deformation gradient.
template <class Law, std::size_t N>
std::pair<double, Mat3> at(const Law& law, const std::array<double, N>& parameters, const Mat3& gradient) {
  double f[3][3], stress[3][3];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) f[r][c] = gradient(r, c);
  }
  const double psi = law.stress(parameters.data(), f, stress);
  return {psi, to_matrix(stress)};
}

// The reference table of Liu2018 18: F = diag(1.2, 1, 1), parameters 1.
template <class Law, std::size_t N>
void expect_reference(const Law& law, const std::array<double, N>& parameters, double density, const Vec3& stress) {
  const auto [psi, p] = at(law, parameters, Vec3(1.2, 1, 1).asDiagonal());
  EXPECT_NEAR(psi, density, 1e-7);
  EXPECT_LE((p - Mat3(stress.asDiagonal())).cwiseAbs().maxCoeff(), 1e-7);
}

}  // namespace pliant::checks
