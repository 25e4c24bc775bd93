// The integrators by themselves: on a motion of constant acceleration a, w (x⁺ − q̃) = θ a, and velocities are exact,
// for every scheme of second order and any change of the step.
#include "pliant/dynamics/time_integrator.h"

#include <gtest/gtest.h>

#include "pliant/assert.h"

namespace pliant {
namespace {

const Vec3 kPlace(1, -2, 0.3), kSpeed(0.5, 3, -1), kAcceleration(0.2, -9.81, 4);

Vec3 position(double t) { return kPlace + t * kSpeed + 0.5 * t * t * kAcceleration; }
Vec3 velocity(double t) { return kSpeed + t * kAcceleration; }

BlockVector one(const Vec3& value) {
  BlockVector v(1);
  v[0] = value;
  return v;
}

State state_at(double t, double previous_step) {
  State state;
  state.positions = one(position(t));
  state.velocities = one(velocity(t));
  state.accelerations = one(kAcceleration);
  state.previous_positions = one(position(t - previous_step));
  state.previous_velocities = one(velocity(t - previous_step));
  state.previous_step = previous_step;
  return state;
}

TEST(TimeIntegrator, SecondOrderSchemesAreExactForConstantAcceleration) {
  for (const IntegratorKind kind : {IntegratorKind::bdf2, IntegratorKind::implicit_midpoint, IntegratorKind::newmark}) {
    for (const double ratio : {0.5, 1.0, 1.7}) {
      const double t = 0.4, h = 0.1;
      const auto integrator = make_integrator({.kind = kind});
      State state = state_at(t, h / ratio);
      const StepWeights weights = integrator->weights(state, h);
      BlockVector target(1);
      integrator->predict(state, h, target);
      const Vec3 end = position(t + h);
      EXPECT_LT((weights.inertia * (end - target[0]) - weights.theta * kAcceleration).norm(), 1e-10);
      state.positions = one(end);
      integrator->finish(one(position(t)), target, h, state);
      EXPECT_LT((state.velocities[0] - velocity(t + h)).norm(), 1e-12);
      if (kind == IntegratorKind::newmark) {
        EXPECT_LT((state.accelerations[0] - kAcceleration).norm(), 1e-10);
      }
      if (kind == IntegratorKind::bdf2) {
        EXPECT_EQ(Vec3(state.previous_positions[0]), position(t));
        EXPECT_EQ(Vec3(state.previous_velocities[0]), velocity(t));
      }
    }
  }
}

// A force of contact, here f/m = a beside nothing else, goes h²/2 a far and gives h a; the next step knows nothing of it.
TEST(TimeIntegrator, ContactIsApartFromTheHistory) {
  const double h = 0.1;
  for (const IntegratorOptions options : {IntegratorOptions{.kind = IntegratorKind::implicit_midpoint},
                                          {.kind = IntegratorKind::newmark},
                                          {.kind = IntegratorKind::newmark, .newmark_beta = 0.3, .newmark_gamma = 0.55},
                                          {.kind = IntegratorKind::newmark, .newmark_beta = 0.5, .newmark_gamma = 1}}) {
    const auto integrator = make_integrator(options);
    State state = state_at(0, h);
    state.accelerations = one(Vec3::Zero());
    const StepWeights weights = integrator->weights(state, h);
    BlockVector target(1);
    integrator->predict(state, h, target);
    const Vec3 pushed = weights.contact * kAcceleration;  // −M⁻¹ ∇C
    state.positions = one(target[0] + pushed / weights.inertia);
    integrator->finish(one(kPlace), target, h, state);
    EXPECT_EQ(integrator->has_contact_apart(), options.kind == IntegratorKind::newmark);
    if (integrator->has_contact_apart()) {
      integrator->set_contact_apart(one(pushed), h, state);
      EXPECT_LT(state.accelerations[0].norm(), 1e-12);
    }
    EXPECT_LT((state.positions[0] - position(h)).norm(), 1e-12);
    EXPECT_LT((state.velocities[0] - velocity(h)).norm(), 1e-12);
  }
}

TEST(TimeIntegrator, WeightsAreThoseOfTheTable) {
  const double h = 0.02;
  const State state = state_at(1, h);
  EXPECT_NEAR(make_integrator({})->weights(state, h).inertia, 1 / (h * h), 1e-9);
  EXPECT_NEAR(make_integrator({.kind = IntegratorKind::bdf2})->weights(state, h).inertia, 9 / (4 * h * h), 1e-9);
  EXPECT_NEAR(make_integrator({.kind = IntegratorKind::newmark})->weights(state, h).inertia, 4 / (h * h), 1e-9);
  EXPECT_EQ(make_integrator({.kind = IntegratorKind::quasi_static})->weights(state, h).inertia, 0);
  EXPECT_EQ(make_integrator({.kind = IntegratorKind::implicit_midpoint})->weights(state, h).theta, 0.5);
}

TEST(TimeIntegrator, BackwardEulerAndTheFirstStepOfBdf2AreTheSame) {
  const double h = 0.1;
  State euler = state_at(0, h), bdf2 = euler;
  bdf2.previous_positions = bdf2.previous_velocities = {};
  bdf2.previous_step = 0;
  const auto a = make_integrator({}), b = make_integrator({.kind = IntegratorKind::bdf2});
  BlockVector target_a(1), target_b(1);
  a->predict(euler, h, target_a);
  b->predict(bdf2, h, target_b);
  EXPECT_TRUE(target_a == target_b);
  EXPECT_LT((target_a[0] - (kPlace + h * kSpeed)).norm(), 1e-15);
  EXPECT_EQ(a->weights(euler, h).inertia, b->weights(bdf2, h).inertia);
  const BlockVector before = euler.positions;
  euler.positions = bdf2.positions = one(Vec3(1, 1, 1));
  a->finish(before, target_a, h, euler);
  b->finish(before, target_b, h, bdf2);
  EXPECT_TRUE(euler.velocities == bdf2.velocities);
  EXPECT_LT((euler.velocities[0] - (Vec3(1, 1, 1) - kPlace) / h).norm(), 1e-13);
}

TEST(TimeIntegrator, QuasiStaticStopsEverything) {
  State state = state_at(0, 0.1);
  make_integrator({.kind = IntegratorKind::quasi_static})->finish(state.positions, state.positions, 0.1, state);
  EXPECT_EQ(Vec3(state.velocities[0]), Vec3::Zero());
}

TEST(TimeIntegrator, SymplecticEulerSolvesNothing) {
  EXPECT_THROW((void)make_integrator({.kind = IntegratorKind::symplectic_euler}), InternalError);
}

}  // namespace
}  // namespace pliant
