// Frames of rigid bodies: masses, points, momentum, and turning without torque.
#include "pliant/configuration/rigid_frames.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "pliant/math/rotation.h"

namespace pliant {
namespace {

// A T-handle's moments: the middle one is along the handle.
const Vec3 kHandle(0.4e-3, 1.0e-3, 1.3e-3);  // kg m²

Mat3 some_rotation() { return math::rotation_from_vector(Vec3(0.7, -1.1, 0.4)); }

struct Body {
  RigidFrame frame;
  BlockVector positions{4}, velocities{4};

  Body(double mass, const Vec3& inertia, const Mat3& rotation) : frame(rigid_frame(0, mass, inertia)) {
    positions[0] = Vec3(1, 2, 3);
    set_rotation(frame, rotation, positions);
  }
};

double energy_of(const RigidFrame& frame, const Mat3& rotation, const Vec3& momentum) {
  const Vec3 own = rotation.transpose() * momentum;
  return 0.5 * own.dot(own.cwiseQuotient(frame.inertia()));
}

TEST(RigidFrames, MassesGiveMassAndInertia) {
  const RigidFrame frame = rigid_frame(8, 2.5, kHandle);
  EXPECT_EQ(frame.axis(2), 11);
  EXPECT_LE((frame.inertia() - kHandle).norm(), 1e-15 * kHandle.norm());
  EXPECT_NEAR(frame.axis_mass.sum(), 2.5, 1e-14);
  // A plate without thickness, I₃ = I₁ + I₂.
  const RigidFrame plate = rigid_frame(0, 1, Vec3(0.1, 0.2, 0.3));
  EXPECT_GT(plate.axis_mass.minCoeff(), 0);
  EXPECT_LE((plate.inertia() - Vec3(0.1, 0.2, 0.3)).norm(), 1e-7);
}

TEST(RigidFrames, KineticEnergyAndMomentumAreThoseOfTheBody) {
  Body body(2.5, kHandle, some_rotation());
  const Vec3 omega(3, -2, 5);
  set_angular_velocity(body.frame, omega, body.positions, body.velocities);
  const Mat3 r = some_rotation(), inertia = r * kHandle.asDiagonal() * r.transpose();
  const Vec3 momentum = angular_momentum(body.frame, body.positions, body.velocities);
  EXPECT_LE((momentum - inertia * omega).norm(), 1e-15 * momentum.norm() * 10);
  double kinetic = 0;
  for (int i = 0; i < 3; ++i)
    kinetic += 0.5 * body.frame.axis_mass[i] * body.velocities[body.frame.axis(i)].squaredNorm();
  EXPECT_NEAR(kinetic, 0.5 * omega.dot(inertia * omega), 1e-14 * kinetic);
}

TEST(RigidFrames, PointsMoveWithTheBody) {
  Body body(2.5, kHandle, some_rotation());
  const Vec3 xi(0.1, -0.03, 0.05), omega(3, -2, 5);
  const MappedPoint point = body.frame.point(xi);
  const Vec3 arm = some_rotation() * xi;
  EXPECT_LE((point.evaluate(body.positions) - (Vec3(1, 2, 3) + arm)).norm(), 1e-15 * 8);
  set_angular_velocity(body.frame, omega, body.positions, body.velocities);
  EXPECT_LE((point.evaluate(body.velocities) - omega.cross(arm)).norm(), 1e-15);
}

// Also of axes that a force has strained a little: what is given comes back to rounding.
TEST(RigidFrames, AngularVelocityKeepsTheMomentum) {
  Body body(2.5, kHandle, some_rotation());
  std::mt19937 engine(3);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      body.positions[body.frame.axis(i)][k] += 1e-3 * body.frame.length * (engine() / 4294967296.0 - 0.5);
  }
  EXPECT_NEAR(strain_of(body.frame, body.positions), 1e-3, 1e-3);
  const Vec3 given(0.02, -0.01, 0.03);
  set_angular_velocity(body.frame, angular_velocity(body.frame, body.positions, given), body.positions,
                       body.velocities);
  EXPECT_LE((angular_momentum(body.frame, body.positions, body.velocities) - given).norm(), 1e-14 * given.norm());
}

TEST(RigidFrames, RotationIsTheNearestOne) {
  Body body(2.5, kHandle, some_rotation());
  EXPECT_LE((rotation_of(body.frame, body.positions) - some_rotation()).norm(), 1e-14);
  EXPECT_LE(strain_of(body.frame, body.positions), 1e-14);
  for (int i = 0; i < 3; ++i) body.positions[body.frame.axis(i)] *= 1.1;
  EXPECT_LE((rotation_of(body.frame, body.positions) - some_rotation()).norm(), 1e-14);
}

// All moments alike: turns about L at constant speed.
TEST(RigidFrames, SphereTurnsAboutItsMomentum) {
  const RigidFrame sphere = rigid_frame(0, 3, Vec3::Constant(0.02));
  const Vec3 omega(1, -4, 2);
  const Mat3 turned = turned_freely(sphere, some_rotation(), 0.02 * omega, 1.7);
  EXPECT_LE((turned - math::rotation_from_vector(1.7 * omega) * some_rotation()).norm(), 1e-12);
}

// Two moments alike: the axis of symmetry goes round L with |L|/I₁ and the body spins about it with L·e₃ (1/I₃ − 1/I₁).
TEST(RigidFrames, TopPrecesses) {
  const Vec3 inertia(0.01, 0.01, 0.016);
  const RigidFrame top = rigid_frame(0, 1, inertia);
  const Vec3 momentum(0.03, 0.05, 0.2);
  const double time = 2.3;
  const double spin = momentum.dot(some_rotation().col(2)) * (1 / inertia[2] - 1 / inertia[0]);
  const Mat3 expected = math::rotation_from_vector(time / inertia[0] * momentum) * some_rotation() *
                        math::rotation_from_vector(Vec3(0, 0, spin * time));
  const Mat3 found = turned_freely(top, some_rotation(), momentum, time);
  EXPECT_LE((found - expected).norm(), 1e-6);
}

// Spun about its middle axis the handle flips, again and again, at the period of the Jacobi functions; energy stays.
TEST(RigidFrames, HandleFlipsInTime) {
  const RigidFrame handle = rigid_frame(0, 0.5, kHandle);
  const Vec3 omega(1e-2, 10, 0);
  const Vec3 momentum = kHandle.cwiseProduct(omega);
  // With I₁ < I₂ < I₃ and L² > 2 T I₂ (Landau and Lifshitz, § 37): the period of ω is 4 K(k)/rate. It turns over twice.
  const double twice_energy = omega.dot(momentum), squared = momentum.squaredNorm();
  const double i1 = kHandle[0], i2 = kHandle[1], i3 = kHandle[2];
  const bool is_above = squared > twice_energy * i2;
  const double a = is_above ? (i3 - i2) * (squared - twice_energy * i1) : (i2 - i1) * (twice_energy * i3 - squared);
  const double b = is_above ? (i2 - i1) * (twice_energy * i3 - squared) : (i3 - i2) * (squared - twice_energy * i1);
  const double rate = std::sqrt(a / (i1 * i2 * i3)), modulus = std::sqrt(b / a);
  const double period = 4 * std::comp_ellint_1(modulus) / rate;
  // ω along the middle axis changes sign after a quarter of the period from its largest value, at which it starts.
  Mat3 r = Mat3::Identity();
  const double h = 1e-3;
  double time = 0, first = 0, second = 0, last = 10;
  while (second == 0 && time < 3 * period) {
    r = turned_freely(handle, r, momentum, h);
    time += h;
    const double now = (r.transpose() * momentum)[1] / i2;
    if (now * last < 0) (first == 0 ? first : second) = time - h * now / (now - last);
    last = now;
    EXPECT_NEAR(energy_of(handle, r, momentum), 0.5 * twice_energy, 1e-9 * twice_energy);
  }
  EXPECT_NEAR(second - first, period / 2, 1e-5 * period);
  EXPECT_LE((r.transpose() * r - Mat3::Identity()).norm(), 1e-14);
}

// The scheme is of the fourth order in the length of its parts, which a longer call cuts itself.
TEST(RigidFrames, OneLongTurnIsManyShortOnes) {
  const RigidFrame handle = rigid_frame(0, 0.5, kHandle);
  const Vec3 momentum(4e-3, 9e-3, 2e-3);
  Mat3 r = some_rotation();
  for (int i = 0; i < 1000; ++i) r = turned_freely(handle, r, momentum, 1e-3);
  EXPECT_LE((turned_freely(handle, some_rotation(), momentum, 1) - r).norm(), 2e-6);
  EXPECT_LE((turned_freely(handle, turned_freely(handle, r, momentum, 0.3), momentum, -0.3) - r).norm(), 1e-6);
}

}  // namespace
}  // namespace pliant
