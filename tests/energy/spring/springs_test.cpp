#include "pliant/energy/spring/springs.h"

#include "tests/energy/energy_checks.h"
#include "tests/energy/weight_checks.h"
#include "tests/support/dense_algebra.h"

namespace pliant::spring {
namespace {

using namespace checks;

struct Net {
  TetModel model;  // without tets
  std::vector<Spring> springs;

  [[nodiscard]] Springs energy() {
    Springs made(springs, model.now.size());
    sparse::PatternBuilder builder(model.now.size());
    made.couple(builder);
    model.pattern = builder.build();
    made.find_slots(*model.pattern);
    return made;
  }
};

// Points in a cube, each tied to some with a higher or lower number; `now` is `before` moved by up to `motion`.
Net make_net(int count, double motion = 0.1) {
  Random random(61);
  Net net;
  net.model.now.resize(count), net.model.before.resize(count);
  for (int v = 0; v < count; ++v) {
    net.model.before[v] = random.vector();
    net.model.now[v] = net.model.before[v] + random.vector(motion);
  }
  for (int v = 0; v < count; ++v) {
    for (const int step : {1, 5}) {
      const int other = (v + step) % count;
      net.springs.push_back({v, other, random.between(0.5, 1.5), random.between(1, 50), random.between(0, 0.3)});
    }
  }
  return net;
}

// Two points at distance `length` along an oblique direction; unit stiffness and rest length.
Net make_pair(double length, double rest_length = 1, double viscosity = 0) {
  Net net;
  net.model.now.resize(2), net.model.before.resize(2);
  net.model.now[1] = length * Vec3(1, 2, 2) / 3;
  net.springs = {{1, 0, rest_length, 1, viscosity}};
  return net;
}

TEST(Springs, PassTheChecksOfEveryEnergy) {
  Net net = make_net(12);
  const Springs energy = net.energy();
  expect_derivatives_converge(energy, net.model);
  expect_views_agree(energy, net.model);
  expect_adds(energy, net.model);
  expect_no_net_force(energy, net.model);
  expect_no_net_torque(energy, net.model);
  expect_rotation_invariant(energy, net.model);
  expect_projected_is_semidefinite(energy, net.model);
  Net large = make_net(3000);
  const Springs many = large.energy();
  expect_same_bits_for_any_thread_count(many, large.model);
}

TEST(Springs, ForceIsHookes) {
  for (const double length : {0.5, 1.0, 3.0}) {
    Net net = make_pair(length);
    const BlockVector g = gradient_of(net.energy(), net.model);
    EXPECT_LE((g[1] - (length - 1) * Vec3(1, 2, 2) / 3).norm(), 1e-15);
    EXPECT_NEAR(value_of(net.energy(), net.model), 0.5 * (length - 1) * (length - 1), 1e-15);
  }
}

// Eigenvalues of the pair: 2k along, 2k (1 − l₀/l) twice across, 0 three times.
TEST(Springs, CompressedSpringsBuckleUnlessProjected) {
  Net net = make_pair(0.4);
  const Springs energy = net.energy();
  const auto eigenvalues = [&](HessianKind kind) {
    const Eigen::MatrixXd h = dense(evaluate(energy, net.model, kind).hessian);
    return test::eigenvalues(h);
  };
  Eigen::VectorXd exact(6), projected(6);
  exact << -3, -3, 0, 0, 0, 2;
  projected << 0, 0, 0, 0, 0, 2;
  EXPECT_LE((eigenvalues(HessianKind::exact) - exact).norm(), 1e-13);
  EXPECT_LE((eigenvalues(HessianKind::projected) - projected).norm(), 1e-13);
}

// A point between two springs of rest length √2, anchors at distance 1 on either side: E = k (√(1+x²) − √2)².
TEST(Springs, TwoSpringsWithTwoMinima) {
  Net net;
  net.model.now.resize(3), net.model.before.resize(3);
  net.model.now[0] = Vec3(0, -1, 0), net.model.now[2] = Vec3(0, 1, 0);
  net.springs = {{0, 1, std::sqrt(2.0), 1, 0}, {1, 2, std::sqrt(2.0), 1, 0}};
  const Springs energy = net.energy();
  const Evaluation middle = evaluate(energy, net.model);
  EXPECT_NEAR(middle.value, 3 - 2 * std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(dense(middle.hessian)(3, 3), 2 * (1 - std::sqrt(2.0)), 1e-14);
  net.model.now[1] = Vec3(1, 0, 0);
  const Evaluation minimum = evaluate(energy, net.model);
  EXPECT_NEAR(minimum.value, 0, 1e-30);
  EXPECT_LE(Vec3(minimum.gradient[1]).norm(), 1e-15);
}

// Between the two minima the exact Hessian is negative: plain Newton steps climb to the maximum at 0. Projected Hessians
// lead away from it, to ±1.
TEST(Springs, NewtonClimbsBetweenTwoMinimaUnlessProjected) {
  for (const double start : {0.05, 0.3, -0.3}) {
    for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
      Net net;
      net.model.now.resize(3), net.model.before.resize(3);
      net.model.now[0] = Vec3(0, -1, 0), net.model.now[2] = Vec3(0, 1, 0);
      net.springs = {{0, 1, std::sqrt(2.0), 1, 0}, {1, 2, std::sqrt(2.0), 1, 0}};
      const Springs energy = net.energy();
      double x = start;
      for (int k = 0; k < 60; ++k) {
        net.model.now[1] = Vec3(x, 0, 0);
        const Evaluation e = evaluate(energy, net.model, kind);
        const double slope = Vec3(e.gradient[1])[0], curvature = dense(e.hessian)(3, 3);
        if (curvature == 0) break;
        x -= slope / curvature;
      }
      EXPECT_NEAR(x, kind == HessianKind::exact ? 0 : std::copysign(1, start), 1e-9) << start;
    }
  }
}

TEST(Springs, ZeroLengthIsFinite) {
  for (const double rest : {1.0, 0.0}) {
    for (const double length : {0.0, 1e-300, 1e-12}) {
      Net net = make_pair(length, rest, 0.1);
      const Springs energy = net.energy();
      for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
        const Evaluation e = evaluate(energy, net.model, kind);
        EXPECT_TRUE(std::isfinite(e.value) && flat(e.gradient).allFinite() && dense(e.hessian).allFinite());
        EXPECT_NEAR(Vec3(e.gradient[0]).norm(), rest, 1e-9);  // it pushes with k l₀ in some direction
      }
    }
  }
  // Without rest length it is a spring to a point: isotropic everywhere.
  Net net = make_pair(0, 0);
  const Springs energy = net.energy();
  expect_close(Mat3::Identity(), Mat3(evaluate(energy, net.model).hessian.block(0)), 1e-15);
}

// Rate of length 3 m/s, c = 2 N·s/m: 6 N against the motion; across the spring nothing.
TEST(Springs, DashpotResistsTheRateOfLength) {
  Net net = make_pair(1, 1, 2);
  net.model.step = 0.01;
  const Vec3 along = Vec3(1, 2, 2) / 3;
  net.model.before[1] = along;
  net.model.now[1] = 1.03 * along;
  net.springs[0].rest_length = 1.03;
  const Springs energy = net.energy();
  EXPECT_LE((gradient_of(energy, net.model)[1] - 6 * along).norm(), 1e-11);
  net.model.step = 0;
  EXPECT_EQ(flat(gradient_of(energy, net.model)).norm(), 0);
}

TEST(Springs, DashpotDoesNotSlowRotationAnywhereInAStep) {
  Net net = make_net(12, 0);
  for (Spring& spring : net.springs) spring.stiffness = 0, spring.viscosity += 0.1;
  const Springs energy = net.energy();
  TetModel& m = net.model;
  move(m, Random(7).rotation(), Vec3(5, -1, 2));
  const double size = 1 / m.step;  // c × (a metre per step)
  EXPECT_LE(flat(gradient_of(energy, m)).norm(), 1e-12 * size);
  BlockVector velocity(m.now.size());
  sparse::combine(velocity, 1 / m.step, m.now, -1 / m.step, m.before);
  const auto force_at = [&](double theta, const BlockVector* v) {
    BlockVector middle(m.now.size()), gradient(m.now.size());
    sparse::combine(middle, theta, m.now, 1 - theta, m.before);
    Accumulator out;
    out.gradient = &gradient;
    energy.evaluate({middle, m.before, theta * m.step, m.controls, theta, v}, out);
    return flat(gradient).norm();
  };
  for (const double theta : {0.5, 0.7}) {
    EXPECT_LE(force_at(theta, &velocity), 1e-11 * size);
    EXPECT_GT(force_at(theta, nullptr), 1e-2 * size);
  }
}

// --- Four at a time against one at a time ---

// The formulas of springs.h, spring by spring.
struct PlainSprings {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;

  PlainSprings(const std::vector<Spring>& springs, const Configuration& q, HessianKind kind)
      : gradient(Eigen::VectorXd::Zero(3 * q.now.size())),
        hessian(Eigen::MatrixXd::Zero(3 * q.now.size(), 3 * q.now.size())) {
    for (const Spring& spring : springs) {
      const int a = spring.first, b = spring.second;
      const double dashpot = q.step > 0 ? spring.viscosity / q.step : 0;
      double before_squared = (q.before[b] - q.before[a]).squaredNorm();
      if (q.theta < 1 && q.velocity != nullptr) {
        const Vec3 change = q.step / q.theta * ((*q.velocity)[b] - (*q.velocity)[a]);
        before_squared = std::max(0.0, before_squared - q.theta * (1 - q.theta) * change.squaredNorm());
      }
      const double before = std::sqrt(before_squared), length = (q.now[b] - q.now[a]).norm();
      const Vec3 u = (q.now[b] - q.now[a]) / length;
      value += 0.5 * spring.stiffness * std::pow(length - spring.rest_length, 2) +
               0.5 * dashpot * std::pow(length - before, 2);
      const double tension = spring.stiffness * (length - spring.rest_length) + dashpot * (length - before);
      gradient.segment<3>(3 * b) += tension * u;
      gradient.segment<3>(3 * a) -= tension * u;
      double across = tension / length;
      if (kind != HessianKind::exact) across = std::max(across, 0.0);
      const Mat3 along = u * u.transpose();
      const Mat3 block = (spring.stiffness + dashpot) * along + across * (Mat3::Identity() - along);
      hessian.block<3, 3>(3 * a, 3 * a) += block;
      hessian.block<3, 3>(3 * b, 3 * b) += block;
      hessian.block<3, 3>(3 * a, 3 * b) -= block;
      hessian.block<3, 3>(3 * b, 3 * a) -= block;
    }
  }
};

// Counts that leave lanes of the last group, or of the last chunk, unused; dashpots nowhere, on some springs, on all.
TEST(Springs, LanesAgreeWithOneSpringAtATime) {
  Net whole = make_net(60);
  for (int v = 0; v < 60; ++v) {
    for (int step = 7; step < 24; ++step) whole.springs.push_back({v, (v + step) % 60, 1.1, 10.0 + v, 0.2});
  }
  BlockVector velocity(whole.model.now.size());
  Random random(5);
  for (int i = 0; i < velocity.size(); ++i) velocity[i] = random.vector(3);
  for (const std::size_t count : {1, 2, 3, 4, 5, 127, 1024, 1030}) {
    for (const int viscous : {0, 1, 3}) {
      Net net = whole;
      net.springs.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        if (viscous == 0 || i % static_cast<std::size_t>(viscous) != 0) net.springs[i].viscosity = 0;
      }
      const Springs energy = net.energy();
      TetModel& m = net.model;
      for (const double theta : {1.0, 0.5}) {
        const Configuration q{m.now, m.before, theta * m.step, m.controls, theta, &velocity};
        for (const HessianKind kind : {HessianKind::exact, HessianKind::projected}) {
          const PlainSprings plain(net.springs, q, kind);
          double value = 0;
          BlockVector gradient(m.now.size());
          sparse::SymmetricBlockMatrix hessian(m.pattern);
          Accumulator out{&value, &gradient, &hessian, kind};
          energy.evaluate(q, out);
          EXPECT_NEAR(value, plain.value, 1e-13 * plain.value) << count;
          EXPECT_LE((flat(gradient) - plain.gradient).norm(), 1e-13 * plain.gradient.norm()) << count;
          EXPECT_LE((dense(hessian) - plain.hessian).norm(), 1e-13 * plain.hessian.norm()) << count;
        }
      }
    }
  }
}

// --- The constant stand-in of the Hessian ---

// Along its axis the Hessian of a spring is k + c/h, whatever its length.
TEST(Springs, WeightsAreExactAlongTheAxis) {
  for (const double length : {0.7, 1.0, 1.6}) {
    Net net = make_pair(length, 1, 2);
    net.model.step = 0.01;
    net.model.before[1] = net.model.now[1];
    const Springs energy = net.energy();
    const Eigen::MatrixXd l = weights(energy, net.model), h = dense(evaluate(energy, net.model).hessian);
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6);
    u.head<3>() = Vec3(1, 2, 2) / 3;
    EXPECT_NEAR(u.dot(h * u), 201, 1e-10);
    EXPECT_NEAR(l(0, 0), 201, 1e-10);
    EXPECT_EQ(l(0, 1), -l(0, 0));
    EXPECT_EQ(l(1, 1), l(0, 0));
    net.model.step = 0;
    EXPECT_EQ(weights(energy, net.model)(0, 0), 1);
  }
}

// ∇E = L x − J p with p = l₀ u [Liu2018, eq. 5.1], and L is never softer than the Hessian.
TEST(Springs, GradientIsThatOfTheProjection) {
  Net net = make_net(12, 0.5);
  net.model.step = 0;
  const Springs energy = net.energy();
  const Eigen::MatrixXd l = on_coordinates(weights(energy, net.model));
  Eigen::VectorXd expected = l * flat(net.model.now);
  for (const Spring& spring : net.springs) {
    const Vec3 d = net.model.now[spring.second] - net.model.now[spring.first];
    const Vec3 pull = spring.stiffness * spring.rest_length * d.normalized();
    expected.segment<3>(3 * spring.second) -= pull;
    expected.segment<3>(3 * spring.first) += pull;
  }
  EXPECT_LE((flat(gradient_of(energy, net.model)) - expected).norm(), 1e-12 * expected.norm());
  EXPECT_GE(least_eigenvalue(l - dense(evaluate(energy, net.model).hessian)), -1e-12 * l.norm());
  expect_good_weights(energy, net.model);
}

}  // namespace
}  // namespace pliant::spring
