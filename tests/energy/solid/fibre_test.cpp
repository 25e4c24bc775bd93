#include "pliant/energy/solid/fibre.h"

#include <Eigen/LU>

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

struct FibreModel {
  TetModel model;
  std::vector<Vec3> directions;
  std::vector<double> stiffness;

  explicit FibreModel(TetModel m) : model(std::move(m)) {
    Random random(81);
    for (std::size_t t = 0; t < model.tets.size(); ++t) {
      directions.push_back(random.vector().normalized());
      stiffness.push_back(random.between(0.5, 3));
    }
  }
  [[nodiscard]] solid::Fibre energy() const { return {model.elements, directions, stiffness}; }
};

TEST(Fibre, EqualsTheScalarOracle) {
  const FibreModel m(make_bent_box({3, 2, 2}, 0.3));
  expect_assembled_equals_oracle(m.energy(), m.model,
                                 [&](int t) { return oracle::fibre(m.stiffness[t], m.directions[t]); });
}

TEST(Fibre, DerivativesConvergeToFiniteDifferences) {
  const FibreModel m(make_bent_box({2, 1, 2}));
  expect_derivatives_converge(m.energy(), m.model);
  expect_views_agree(m.energy(), m.model);
  expect_adds(m.energy(), m.model);
}

TEST(Fibre, RigidMotionsAreFree) {
  const FibreModel m(make_bent_box({2, 2, 1}));
  expect_no_net_force(m.energy(), m.model);
  expect_no_net_torque(m.energy(), m.model);
  expect_rotation_invariant(m.energy(), m.model);
  TetModel rest = m.model;
  rest.now = rest.before;
  move(rest, Random(3).rotation(), Vec3(1, 2, 3));
  EXPECT_NEAR(value_of(m.energy(), rest), 0, 1e-14);
  EXPECT_LE(flat(gradient_of(m.energy(), rest)).norm(), 1e-12);
}

TEST(Fibre, ProjectedHessianIsSemidefiniteUnderCompression) {
  FibreModel m(make_bent_box({2, 2, 1}));
  for (int v = 0; v < m.model.now.size(); ++v) m.model.now[v] *= 0.4;
  expect_projected_is_semidefinite(m.energy(), m.model);
}

// `warped` exists for the corotated law; beside it a fibre must not make the matrix indefinite.
TEST(Fibre, WarpedIsProjected) {
  FibreModel m(make_bent_box({2, 2, 1}));
  for (int v = 0; v < m.model.now.size(); ++v) m.model.now[v] *= 0.4;
  const Eigen::MatrixXd warped = dense(evaluate(m.energy(), m.model, HessianKind::warped).hessian);
  EXPECT_EQ(warped, dense(evaluate(m.energy(), m.model, HessianKind::projected).hessian));
  EXPECT_NE(warped, dense(evaluate(m.energy(), m.model, HessianKind::exact).hessian));
}

// Stretch along the fibre costs κ/2 (s − 1)² V, across it nothing; zero directions carry no fibre.
TEST(Fibre, OnlyTheFibreDirectionResists) {
  TetModel model = make_soup({Vec3(1.3, 1, 1).asDiagonal()});
  Mat3 edges;
  for (int i = 0; i < 3; ++i) edges.col(i) = model.rest[i + 1] - model.rest[0];
  const double volume = std::abs(edges.determinant()) / 6;
  const auto value_along = [&](const Vec3& d) {
    return value_of(solid::Fibre(model.elements, std::vector<Vec3>{d}, std::vector<double>{2.0}), model);
  };
  EXPECT_NEAR(value_along(Vec3::UnitX()), volume * 0.09, 1e-13);
  EXPECT_NEAR(value_along(Vec3::UnitY()), 0, 1e-13);
}

// A direction of zero means no fibre: no force and no stiffness.
TEST(Fibre, ZeroDirectionsCarryNoForce) {
  FibreModel m(make_bent_box({1, 1, 1}));
  for (Vec3& d : m.directions) d.setZero();
  const Evaluation result = evaluate(m.energy(), m.model);
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(flat(result.gradient).norm(), 0);
  EXPECT_EQ(dense(result.hessian).norm(), 0);
}

TEST(Fibre, CollapsedFibresStayFinite) {
  const TetModel model = make_soup({Mat3::Zero(), Vec3(0, 1, 1).asDiagonal()});
  const solid::Fibre energy(model.elements, std::vector<Vec3>(2, Vec3::UnitX()), std::vector<double>(2, 1.0));
  const Evaluation result = evaluate(energy, model, HessianKind::projected);
  EXPECT_TRUE(std::isfinite(result.value));
  EXPECT_TRUE(flat(result.gradient).allFinite());
  EXPECT_TRUE(dense(result.hessian).allFinite());
}

TEST(Fibre, SameBitsForAnyThreadCount) {
  const FibreModel m(make_bent_box({10, 8, 8}));
  expect_same_bits_for_any_thread_count(m.energy(), m.model);
}

}  // namespace
}  // namespace pliant::checks
