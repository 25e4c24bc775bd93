#include "pliant/configuration/rigid_frames.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
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

// Below this angle, rad, the midpoint rule errs by less than 1e-12 rad.
constexpr double kSmallTurn = 1e-4;
// Of the largest: moments of inertia that differ by less are those of a ball.
constexpr double kSameInertia = 1e-12;
// |AᵀA − 1| below which A is a rotation to rounding, and one step to the nearest is exact to rounding.
constexpr double kRotation = 1e-15, kNearRotation = 1e-9;

// What was made as a rotation is one up to rounding: a single step of A (3 − AᵀA)/2 errs by 3/8 |AᵀA − 1|².
Mat3 nearest_rotation(const Mat3& axes) {
  const Mat3 product = axes.transpose() * axes;
  const double error = (product - Mat3::Identity()).squaredNorm();
  if (!(error < kNearRotation * kNearRotation && axes.col(0).cross(axes.col(1)).dot(axes.col(2)) > 0))
    return math::polar_rotation(axes);
  if (error < kRotation * kRotation) return axes;
  return axes * (1.5 * Mat3::Identity() - 0.5 * product);
}

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
  return nearest_rotation(axes_of(frame, positions));
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
  return inertia.llt().solve(momentum);
}

void set_angular_velocity(const RigidFrame& frame, const Vec3& omega, const BlockVector& positions,
                          BlockVector& velocities) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = positions[frame.axis(i)];
    velocities[frame.axis(i)] = omega.cross(axis);
  }
}

Mat3 turned_freely(const RigidFrame& frame, const Mat3& rotation, const Vec3& momentum, double time) {
  const Vec3 inertia = frame.inertia(), omega_now = rate_of_turning(inertia, rotation, momentum);
  const double angle = omega_now.norm() * std::abs(time);
  const bool is_ball = inertia.maxCoeff() - inertia.minCoeff() <= kSameInertia * inertia.maxCoeff();
  if (is_ball || angle < kSmallTurn) {
    // ω stays, or is that of the middle.
    const Mat3 middle = is_ball ? rotation : Mat3(math::rotation_from_vector(0.5 * time * omega_now) * rotation);
    return nearest_rotation(math::rotation_from_vector(time * rate_of_turning(inertia, middle, momentum)) * rotation);
  }
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
  return nearest_rotation(r);
}

}  // namespace pliant
