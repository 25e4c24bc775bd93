#include "pliant/energy/cloth/membrane_damping.h"

#include "tests/energy/cloth/sheet_model.h"

namespace pliant::cloth {
namespace {

using namespace checks;
using namespace cloth_checks;

constexpr OrthotropicModuli kViscous{.young_warp = 3, .young_weft = 2, .poisson = 0.2, .shear = 0.5};  // N·s/m

// `before` is the bent sheet, `now` the same with every vertex moved by up to `motion` metres.
struct DampedSheet {
  Sheet s;
  std::vector<OrthotropicCoefficients> viscous;
  MembraneDamping energy;

  explicit DampedSheet(double motion = 0.005, std::array<int, 2> cells = {4, 3})
      : s(make_sheet(cells)),
        viscous(s.sheet.triangles.size(), coefficients(kViscous)),
        energy(attached(MembraneDamping(s.sheet, viscous), s.model)) {
    Random random(41);
    s.model.before = s.model.now;
    for (int v = 0; v < s.model.now.size(); ++v) s.model.now[v] += random.vector(motion);
  }
};

TEST(MembraneDamping, PassesTheChecksOfEveryEnergy) {
  const DampedSheet d;
  expect_derivatives_converge(d.energy, d.s.model, 1e-3);
  expect_views_agree(d.energy, d.s.model);
  expect_adds(d.energy, d.s.model);
  expect_no_net_force(d.energy, d.s.model);
  expect_no_net_torque(d.energy, d.s.model);
  expect_rotation_invariant(d.energy, d.s.model);
  expect_projected_is_semidefinite(d.energy, d.s.model);
  expect_projected_is_semidefinite(DampedSheet(0.05).energy, DampedSheet(0.05).s.model);
  expect_same_bits_for_any_thread_count(DampedSheet(0.005, {40, 30}).energy, DampedSheet(0.005, {40, 30}).s.model);
}

// D = A/h ψ(ΔE), triangle by triangle.
TEST(MembraneDamping, ValueIsTheDefinition) {
  const DampedSheet d;
  const OrthotropicCoefficients c = coefficients(kViscous);
  double expected = 0;
  for (int t = 0; t < d.s.triangle_count(); ++t) {
    const Vec3i& v = d.s.sheet.triangles[t];
    const auto strain = [&](const BlockVector& x) {
      const Mat32 f = gradient_of_triangle(d.s.corners(t), {x[v[0]], x[v[1]], x[v[2]]});
      return Mat2(0.5 * (f.transpose() * f - Mat2::Identity()));
    };
    const Mat2 e = strain(d.s.model.now) - strain(d.s.model.before);
    const double j1 = e.trace(), j2 = (e * e).trace(), j3 = d.s.warp.dot(e * d.s.warp);
    expected += d.s.sheet.rest[t].area / d.s.model.step *
                (0.5 * c.lambda * j1 * j1 + c.mu * j2 + c.alpha * j1 * j3 + c.beta * j3 * j3);
  }
  EXPECT_NEAR(value_of(d.energy, d.s.model), expected, 1e-10 * expected);
}

TEST(MembraneDamping, RotationIsNotSlowedAnywhereInAStep) {
  DampedSheet d;
  TetModel& m = d.s.model;
  const double loaded = flat(gradient_of(d.energy, m)).norm();
  m.now = m.before;
  move(m, Random(7).rotation(), Vec3(0.5, -0.1, 0.2));
  EXPECT_LE(flat(gradient_of(d.energy, m)).norm(), 1e-10 * loaded);
  const auto force_at = [&](double theta, const BlockVector* velocity) {
    BlockVector middle(m.now.size()), gradient(m.now.size());
    sparse::combine(middle, theta, m.now, 1 - theta, m.before);
    Accumulator out;
    out.gradient = &gradient;
    d.energy.evaluate({middle, m.before, theta * m.step, m.controls, theta, velocity}, out);
    return flat(gradient).norm();
  };
  BlockVector velocity(m.now.size());
  sparse::combine(velocity, 1 / m.step, m.now, -1 / m.step, m.before);
  for (const double theta : {0.5, 0.7}) {
    EXPECT_LE(force_at(theta, &velocity), 1e-10 * loaded);
    EXPECT_GT(force_at(theta, nullptr), 1e-2 * loaded);
  }
}

TEST(MembraneDamping, Dissipates) {
  for (const double motion : {1e-5, 1e-4, 1e-3}) {
    const DampedSheet d(motion);
    const Eigen::VectorXd force = -flat(gradient_of(d.energy, d.s.model));
    EXPECT_LT(force.dot(flat(d.s.model.now) - flat(d.s.model.before)), 0);
  }
}

// At rest its Hessian is the membrane's stiffness with the viscous moduli, over the step.
TEST(MembraneDamping, IsStiffnessProportionalAtRest) {
  DampedSheet d;
  d.s.lay_flat();
  d.s.model.before = d.s.model.now;
  const auto membrane = attached(EdgeMembrane<StVenantKirchhoff>(d.s.sheet, d.viscous), d.s.model);
  const Eigen::MatrixXd expected = dense(evaluate(membrane, d.s.model).hessian) / d.s.model.step;
  expect_close(expected, dense(evaluate(d.energy, d.s.model).hessian), 1e-12);
}

TEST(MembraneDamping, QuasiStaticProblemsAreNotDamped) {
  DampedSheet d;
  d.s.model.step = 0;
  const Evaluation result = evaluate(d.energy, d.s.model);
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(flat(result.gradient).norm(), 0);
  EXPECT_EQ(dense(result.hessian).norm(), 0);
}

}  // namespace
}  // namespace pliant::cloth
