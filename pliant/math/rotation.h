// Rotations in space as matrices, unit quaternions and rotation vectors ω = angle × unit axis [rad].
//
//   R = exp([ω]×) = 1 + (sin t/t) [ω]× + ((1 − cos t)/t²) [ω]×²,     t = |ω|                            (Rodrigues)
//   exp(ω + δ) = exp(ω) exp(Jr(ω) δ) + O(|δ|²),
//   Jr(ω) = 1 − ((1 − cos t)/t²) [ω]× + ((t − sin t)/t³) [ω]×²                          right Jacobian [Sola2018]
//
// All are smooth through t = 0 (series below the angle where the quotients lose digits) and the logarithms keep full
// accuracy up to and at t = π, where ω and −ω are the same rotation and either may be returned.
#pragma once

#include <Eigen/Geometry>

#include "pliant/math/types.h"

namespace pliant::math {

using Quaternion = Eigen::Quaterniond;

// [v]× with [v]× w = v × w.
[[nodiscard]] Mat3 skew(const Vec3& v);
// The v of a skew matrix; of a general one, that of its skew part.
[[nodiscard]] Vec3 vector_of_skew(const Mat3& m);

// --- Exponential map and its inverse; the returned vector has |ω| ≤ π ---
[[nodiscard]] Mat3 rotation_from_vector(const Vec3& omega);
[[nodiscard]] Quaternion quaternion_from_vector(const Vec3& omega);
[[nodiscard]] Vec3 vector_from_rotation(const Mat3& rotation);
[[nodiscard]] Vec3 vector_from_quaternion(const Quaternion& q);

// --- Other conversions ---
// axis: any length but zero; angle in radians or degrees, counter-clockwise seen against the axis.
[[nodiscard]] Mat3 rotation_from_axis_angle(const Vec3& axis, double radians);
[[nodiscard]] Mat3 rotation_from_axis_degrees(const Vec3& axis, double degrees);
[[nodiscard]] Mat3 rotation_from_quaternion(const Quaternion& q);  // |q| = 1
[[nodiscard]] Quaternion quaternion_from_rotation(const Mat3& rotation);

// --- Derivatives of the exponential map ---
[[nodiscard]] Mat3 right_jacobian(const Vec3& omega);
[[nodiscard]] Mat3 inverse_right_jacobian(const Vec3& omega);  // |ω| < 2π

// From a at s = 0 to b at s = 1 with constant angular speed, the short way round.
[[nodiscard]] Quaternion slerp(const Quaternion& a, const Quaternion& b, double s);
// Its middle.
[[nodiscard]] Mat3 half_way(const Mat3& a, const Mat3& b);

}  // namespace pliant::math
