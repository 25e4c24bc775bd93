#include "pliant/configuration/rigid_frames.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/math/polar.h"
#include "pliant/math/rotation.h"

namespace pliant {
namespace {

// The axes as columns, in units of their length.
Mat3 axes_of(const RigidFrame& frame, const BlockVector& positions) {
  Mat3 axes;
  for (int i = 0; i < 3; ++i) axes.col(i) = positions[frame.axis(i)] / frame.length;
  return axes;
}

// I(R)⁻¹ L
Vec3 rate_of_turning(const Vec3& inertia, const Mat3& rotation, const Vec3& momentum) {
  return rotation * (rotation.transpose() * momentum).cwiseQuotient(inertia);
}

// How far a body turns in one part of turned_freely, rad, and how many parts there are at most. The energy of the example
// t_handle, whose parts are 0.02 rad, stays within 3e-9 through four flips.
constexpr double kLongestTurn = 0.025, kMostParts = 4000;

}  // namespace

MappedPoint RigidFrame::point(const Vec3& xi) const {
  return {{centre, axis(0), axis(1), axis(2)}, {1, xi[0] / length, xi[1] / length, xi[2] / length}, 4};
}

RigidFrame rigid_frame(int centre, double mass, const Vec3& inertia) {
  RigidFrame frame;
  frame.centre = centre;
  frame.mass = mass;
  frame.length = std::sqrt(0.5 * inertia.sum() / mass);
  // ∫ρ ξᵢ² dV = (Iⱼ + Iₖ − Iᵢ)/2
  const Vec3 second = Vec3::Constant(0.5 * inertia.sum()) - inertia;
  frame.axis_mass = (second / (frame.length * frame.length)).cwiseMax(kLeastAxisMass * mass);
  return frame;
}

Mat3 rotation_of(const RigidFrame& frame, const BlockVector& positions) {
  return math::polar_rotation(axes_of(frame, positions));
}

void set_rotation(const RigidFrame& frame, const Mat3& rotation, BlockVector& positions) {
  for (int i = 0; i < 3; ++i) positions[frame.axis(i)] = frame.length * rotation.col(i);
}

double strain_of(const RigidFrame& frame, const BlockVector& positions) {
  const Mat3 axes = axes_of(frame, positions);
  return 0.5 * (axes.transpose() * axes - Mat3::Identity()).norm();
}

Vec3 angular_momentum(const RigidFrame& frame, const BlockVector& positions, const BlockVector& velocities) {
  Vec3 momentum = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = positions[frame.axis(i)], rate = velocities[frame.axis(i)];
    momentum += frame.axis_mass[i] * axis.cross(rate);
  }
  return momentum;
}

Vec3 angular_velocity(const RigidFrame& frame, const BlockVector& positions, const Vec3& momentum) {
  Mat3 inertia = Mat3::Zero();
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = positions[frame.axis(i)];
    inertia += frame.axis_mass[i] * (axis.squaredNorm() * Mat3::Identity() - axis * axis.transpose());
  }
  return inertia.partialPivLu().solve(momentum);
}

void set_angular_velocity(const RigidFrame& frame, const Vec3& omega, const BlockVector& positions,
                          BlockVector& velocities) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = positions[frame.axis(i)];
    velocities[frame.axis(i)] = omega.cross(axis);
  }
}

Mat3 turned_freely(const RigidFrame& frame, const Mat3& rotation, const Vec3& momentum, double time) {
  const Vec3 inertia = frame.inertia();
  const double angle = rate_of_turning(inertia, rotation, momentum).norm() * std::abs(time);
  const int parts = static_cast<int>(std::clamp(std::ceil(angle / kLongestTurn), 1.0, kMostParts));
  const double h = time / parts;
  // Runge and Kutta's scheme on rotation vectors that start at zero: Ṙ = [ω]× R becomes θ̇ = J⁻¹(θ) ω, so that R stays a
  // rotation to rounding. With R' = exp(θ) R the left Jacobian's inverse is the right one's at −θ.
  Mat3 r = rotation;
  for (int part = 0; part < parts; ++part) {
    const auto rate = [&](const Vec3& theta) -> Vec3 {
      const Vec3 omega = rate_of_turning(inertia, math::rotation_from_vector(theta) * r, momentum);
      return math::inverse_right_jacobian(-theta) * omega;
    };
    const Vec3 k1 = rate(Vec3::Zero()), k2 = rate(0.5 * h * k1), k3 = rate(0.5 * h * k2), k4 = rate(h * k3);
    r = math::rotation_from_vector(h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)) * r;
  }
  return math::polar_rotation(r);
}

}  // namespace pliant
