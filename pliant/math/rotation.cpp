// See rotation.h for the formulas; here are the quotients near zero and the choices near π.
#include "pliant/math/rotation.h"

#include <cmath>
#include <numbers>

#include "pliant/assert.h"

namespace pliant::math {
namespace {

// Below this angle² the four-term series are exact to rounding (the next term is below 3e-17 of the first).
constexpr double kSeriesSquare = 0.01;

// sin t / t
double sine_quotient(double t2) {
  if (t2 < kSeriesSquare) return 1 - t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)));
  const double t = std::sqrt(t2);
  return std::sin(t) / t;
}

// cos t
double cosine(double t2) {
  if (t2 < kSeriesSquare) return 1 - t2 / 2 * (1 - t2 / 12 * (1 - t2 / 30 * (1 - t2 / 56)));
  return std::cos(std::sqrt(t2));
}

// (1 − cos t)/t² = ½ (sin(t/2)/(t/2))²: no cancellation at any angle.
double cosine_quotient(double t2) {
  const double half = sine_quotient(0.25 * t2);
  return 0.5 * half * half;
}

// (t − sin t)/t³
double cubic_quotient(double t2) {
  // A longer series and a wider range: t − sin t cancels early.
  if (t2 < 0.25)
    return (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72 * (1 - t2 / 110 * (1 - t2 / 156 * (1 - t2 / 210)))))) / 6;
  const double t = std::sqrt(t2);
  return (t - std::sin(t)) / (t2 * t);
}

}  // namespace

Mat3 skew(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Vec3 vector_of_skew(const Mat3& m) { return 0.5 * Vec3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)); }

Mat3 rotation_from_vector(const Vec3& omega) { return rotation_from_quaternion(quaternion_from_vector(omega)); }

Quaternion quaternion_from_vector(const Vec3& omega) {
  const double quarter_square = 0.25 * omega.squaredNorm();
  const Vec3 v = 0.5 * sine_quotient(quarter_square) * omega;
  return Quaternion(cosine(quarter_square), v.x(), v.y(), v.z());
}

Vec3 vector_from_rotation(const Mat3& rotation) { return vector_from_quaternion(quaternion_from_rotation(rotation)); }

Vec3 vector_from_quaternion(const Quaternion& q) {
  // q and −q are the same rotation; w ≥ 0 is the one with angle ≤ π.
  const double sign = q.w() < 0 ? -1 : 1;
  const double w = std::abs(q.w()), sine = q.vec().norm();
  // angle/sin(angle/2), from atan2 so that neither end loses digits; for a tiny sine the limit 2/w.
  const double factor = sine > 1e-150 ? 2 * std::atan2(sine, w) / sine : 2 / w;
  return sign * factor * q.vec();
}

Mat3 rotation_from_axis_angle(const Vec3& axis, double radians) {
  const double length = axis.stableNorm();
  PLIANT_ASSERT(length > 0 && std::isfinite(length), "a rotation axis must not be zero");
  return rotation_from_vector(axis / length * radians);
}

Mat3 rotation_from_axis_degrees(const Vec3& axis, double degrees) {
  const double length = axis.stableNorm();
  PLIANT_ASSERT(length > 0 && std::isfinite(length), "a rotation axis must not be zero");
  // Quarter turns come out exact about coordinate axes: people check their scenes by them.
  const double turns = degrees / 90;
  const double nearest = std::round(turns);
  const double rest = (turns - nearest) * (std::numbers::pi / 2);
  const int quarter = static_cast<int>(nearest - 4 * std::floor(nearest / 4));
  double c = std::cos(rest), s = std::sin(rest);
  for (int k = 0; k < quarter; ++k) {
    const double old_c = c;
    c = -s, s = old_c;
  }
  const Vec3 n = axis / length;
  return c * Mat3::Identity() + s * skew(n) + (1 - c) * n * n.transpose();
}

Mat3 rotation_from_quaternion(const Quaternion& q) { return q.toRotationMatrix(); }

Quaternion quaternion_from_rotation(const Mat3& r) {
  // Of 4w², 4x², 4y², 4z² the largest is divided by: at least 1.
  const double trace = r.trace();
  const double squares[4] = {1 + trace, 1 + 2 * r(0, 0) - trace, 1 + 2 * r(1, 1) - trace, 1 + 2 * r(2, 2) - trace};
  int largest = 0;
  for (int k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  const double wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1);
  const double xy = r(1, 0) + r(0, 1), xz = r(0, 2) + r(2, 0), yz = r(2, 1) + r(1, 2);
  Quaternion q;
  switch (largest) {
    case 0:
      q = Quaternion(squares[0], wx, wy, wz);
      break;
    case 1:
      q = Quaternion(wx, squares[1], xy, xz);
      break;
    case 2:
      q = Quaternion(wy, xy, squares[2], yz);
      break;
    default:
      q = Quaternion(wz, xz, yz, squares[3]);
      break;
  }
  q.normalize();
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  return q;
}

Mat3 right_jacobian(const Vec3& omega) {
  const double t2 = omega.squaredNorm();
  const Mat3 k = skew(omega);
  return Mat3::Identity() - cosine_quotient(t2) * k + cubic_quotient(t2) * (k * k);
}

Mat3 inverse_right_jacobian(const Vec3& omega) {
  // 1 + ½[ω]× + b [ω]×² with b = (1 − (t/2) cot(t/2))/t² = Σ |B₂ₙ| t²ⁿ⁻²/(2n)! (Bernoulli numbers). The numerator
  // cancels as t → 0, but b is multiplied by t² again; the series only has to keep 0/0 away.
  const double t2 = omega.squaredNorm();
  const Mat3 k = skew(omega);
  const double half = 0.5 * std::sqrt(t2);
  const double b = t2 < kSeriesSquare
                       ? 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 * (1.0 / 1209600 + t2 / 47900160)))
                       : (1 - half / std::tan(half)) / t2;
  return Mat3::Identity() + 0.5 * k + b * (k * k);
}

Quaternion slerp(const Quaternion& a, const Quaternion& b, double s) {
  const double cosine = a.coeffs().dot(b.coeffs());
  const double sign = cosine < 0 ? -1 : 1;
  // The angle from the chord, accurate for nearly equal rotations as well.
  const double angle = 2 * std::atan2((sign * b.coeffs() - a.coeffs()).norm(), (sign * b.coeffs() + a.coeffs()).norm());
  const double t2 = angle * angle, whole = sine_quotient(t2);
  const double from_a = (1 - s) * sine_quotient((1 - s) * (1 - s) * t2) / whole;
  const double from_b = s * sine_quotient(s * s * t2) / whole;
  Quaternion q;
  q.coeffs() = from_a * a.coeffs() + sign * from_b * b.coeffs();
  return q.normalized();
}

Mat3 half_way(const Mat3& a, const Mat3& b) {
  return rotation_from_vector(0.5 * vector_from_rotation(b * a.transpose())) * a;
}

}  // namespace pliant::math
