#include "pliant/energy/solid/strain_rate_damping.h"

#include "tests/energy/energy_checks.h"

namespace pliant::checks {
namespace {

struct DampedModel {
  TetModel model;
  std::vector<double> mu, lambda;

  // `before` is the bent shape, `now` the same with every vertex moved by up to `motion` metres.
  explicit DampedModel(TetModel m, double motion = 0.05) : model(std::move(m)) {
    Random random(91);
    model.before = model.now;
    for (int v = 0; v < model.now.size(); ++v) model.now[v] += random.vector(motion);
    for (std::size_t t = 0; t < model.tets.size(); ++t) {
      mu.push_back(random.between(0.5, 2));
      lambda.push_back(random.between(0.5, 4));
    }
  }
  [[nodiscard]] solid::StrainRateDamping energy() const { return {model.elements, mu, lambda}; }
};

TEST(StrainRateDamping, DerivativesConvergeToFiniteDifferences) {
  const DampedModel m(make_bent_box({2, 1, 2}));
  expect_derivatives_converge(m.energy(), m.model);
  expect_views_agree(m.energy(), m.model);
  expect_adds(m.energy(), m.model);
}

// D from its definition, tet by tet.
TEST(StrainRateDamping, ValueIsTheDefinition) {
  const DampedModel m(make_bent_box({2, 2, 1}));
  double expected = 0;
  for (std::size_t t = 0; t < m.model.tets.size(); ++t) {
    std::array<Vec3, 4> rest, now, before;
    for (int c = 0; c < 4; ++c) {
      const int v = m.model.tets[t][c];
      rest[c] = m.model.rest[v], now[c] = m.model.now[v], before[c] = m.model.before[v];
    }
    const oracle::Element a(rest, now), b(rest, before);
    const Mat3 change = oracle::green_strain(a.f) - oracle::green_strain(b.f);
    expected +=
        a.volume / m.model.step * (m.mu[t] * change.squaredNorm() + m.lambda[t] / 2 * std::pow(change.trace(), 2));
  }
  EXPECT_NEAR(value_of(m.energy(), m.model), expected, 1e-11 * expected);
}

// before and now differ by a large rotation and a shift: nothing is damped.
TEST(StrainRateDamping, RigidMotionIsNotSlowed) {
  DampedModel m(make_bent_box({2, 2, 1}));
  const double loaded = flat(gradient_of(m.energy(), m.model)).norm();
  m.model.now = m.model.before;
  move(m.model, Random(7).rotation(), Vec3(5, -1, 2));
  EXPECT_LE(flat(gradient_of(m.energy(), m.model)).norm(), 1e-11 * loaded);
  EXPECT_NEAR(value_of(m.energy(), m.model), 0, 1e-12);
}

// An integrator that takes forces in the middle of a step shows points on their chords, as if a turning body were
// compressed: the rate must be that of the whole step.
TEST(StrainRateDamping, RotationIsNotSlowedAtTheMiddleOfAStep) {
  DampedModel m(make_bent_box({2, 2, 1}));
  const solid::StrainRateDamping energy = m.energy();
  const double loaded = flat(gradient_of(energy, m.model)).norm();
  m.model.now = m.model.before;
  move(m.model, Random(7).rotation(), Vec3(5, -1, 2));
  const auto force_at = [&](double theta, const BlockVector* velocity) {
    BlockVector middle(m.model.now.size()), gradient(m.model.now.size());
    sparse::combine(middle, theta, m.model.now, 1 - theta, m.model.before);
    Accumulator out;
    out.gradient = &gradient;
    energy.evaluate({middle, m.model.before, theta * m.model.step, m.model.controls, theta, velocity}, out);
    return flat(gradient).norm();
  };
  BlockVector velocity(m.model.now.size());
  sparse::combine(velocity, 1 / m.model.step, m.model.now, -1 / m.model.step, m.model.before);
  for (const double theta : {0.5, 0.7}) {
    EXPECT_LE(force_at(theta, &velocity), 1e-10 * loaded);
    EXPECT_GT(force_at(theta, nullptr), 1e-3 * loaded);
  }
}

// The force takes energy out of the motion: f·(now − before) < 0 for small steps of any kind.
TEST(StrainRateDamping, Dissipates) {
  for (const double motion : {1e-4, 1e-3, 1e-2}) {
    const DampedModel m(make_bent_box({2, 2, 1}), motion);
    const Eigen::VectorXd force = -flat(gradient_of(m.energy(), m.model));
    EXPECT_LT(force.dot(flat(m.model.now) - flat(m.model.before)), 0);
  }
}

TEST(StrainRateDamping, HasNoNetForceOrTorque) {
  const DampedModel m(make_bent_box({2, 2, 1}));
  expect_no_net_force(m.energy(), m.model);
  expect_no_net_torque(m.energy(), m.model);
  expect_rotation_invariant(m.energy(), m.model);
}

// At rest its Hessian is Rayleigh's: the linear stiffness with the viscous moduli, over the step.
TEST(StrainRateDamping, IsStiffnessProportionalAtRest) {
  DampedModel m(make_bent_box({2, 1, 1}));
  for (std::size_t v = 0; v < m.model.rest.size(); ++v) {
    m.model.now[static_cast<int>(v)] = m.model.rest[v];
    m.model.before[static_cast<int>(v)] = m.model.rest[v];
  }
  const oracle::Total linear = oracle::assemble(
      {m.model.tets, m.model.rest, m.model.rest}, [&](int t) { return oracle::linear(m.mu[t], m.lambda[t]); },
      oracle::Kind::exact);
  const Eigen::MatrixXd expected = Eigen::MatrixXd(linear.hessian) / m.model.step;
  expect_close(expected, dense(evaluate(m.energy(), m.model, HessianKind::projected).hessian), 1e-12);
}

TEST(StrainRateDamping, ProjectedHessianIsSemidefinite) {
  const DampedModel m(make_bent_box({2, 2, 1}), 0.4);
  expect_projected_is_semidefinite(m.energy(), m.model);
}

TEST(StrainRateDamping, QuasiStaticProblemsAreNotDamped) {
  DampedModel m(make_bent_box({1, 1, 1}));
  m.model.step = 0;
  const Evaluation result = evaluate(m.energy(), m.model);
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(flat(result.gradient).norm(), 0);
  EXPECT_EQ(dense(result.hessian).norm(), 0);
}

TEST(StrainRateDamping, SameBitsForAnyThreadCount) {
  const DampedModel m(make_bent_box({10, 8, 8}));
  expect_same_bits_for_any_thread_count(m.energy(), m.model);
}

}  // namespace
}  // namespace pliant::checks
