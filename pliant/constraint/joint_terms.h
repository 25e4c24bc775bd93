// Parts of a joint's energy, as functions of vectors that are linear in the blocks: anchors and axes of rigid bodies are.
//
//   z = Σ w_b q_b + constant          a point [m], a unit axis, or the difference of two
//
// A scalar c of up to three such vectors has a value, a gradient and a Hessian in them; a law φ(c) [J] of its own makes
// it an energy:  ∇E = φ' ∇c,  ∇²E = φ'' ∇c ∇cᵀ + φ' ∇²c.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "pliant/math/types.h"

namespace pliant::constraint {

// A joint touches at most four blocks on each side.
inline constexpr int kMostJointBlocks = 8;
using JointWeights = Eigen::Matrix<double, kMostJointBlocks, 1>;

struct LinearVector {
  JointWeights weight = JointWeights::Zero();  // per block of the joint
  Vec3 now = Vec3::Zero(), before = Vec3::Zero();

  LinearVector operator-(const LinearVector& o) const { return {weight - o.weight, now - o.now, before - o.before}; }
};

using TermGradient = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 9, 1>;
using TermHessian = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 9, 9>;

struct JointScalar {
  std::array<const LinearVector*, 3> of{};
  int count = 0;  // of vectors
  double value = 0, before = 0;
  TermGradient gradient;
  TermHessian hessian;

  void resize(int vectors) {
    count = vectors;
    gradient.setZero(3 * vectors);
    hessian.setZero(3 * vectors, 3 * vectors);
  }
};

// c = y·z
inline JointScalar product_of(const LinearVector& y, const LinearVector& z) {
  JointScalar c;
  c.resize(2);
  c.of = {&y, &z, nullptr};
  c.value = y.now.dot(z.now);
  c.before = y.before.dot(z.before);
  c.gradient << z.now, y.now;
  c.hessian.block<3, 3>(0, 3).setIdentity();
  c.hessian.block<3, 3>(3, 0).setIdentity();
  return c;
}

// c = f(|z|) with slope f' and curvature f''; without a direction there is no slope across.
inline JointScalar radial(const LinearVector& z, double slope, double curvature) {
  JointScalar c;
  c.resize(1);
  c.of = {&z, nullptr, nullptr};
  const double length = z.now.norm();
  const Vec3 n = length > 0 ? Vec3(z.now / length) : Vec3(Vec3::UnitY());
  c.gradient = slope * n;
  const double across = length > 0 ? slope / length : 0;
  c.hessian = (curvature - across) * n * n.transpose() + across * Mat3::Identity();
  return c;
}

// c = |z|
inline JointScalar length_of(const LinearVector& z) {
  JointScalar c = radial(z, 1, 0);
  c.value = z.now.norm();
  c.before = z.before.norm();
  return c;
}

// The angle between two unit vectors whose difference is z: c = 2 asin(|z|/2).
inline JointScalar cone_angle(const LinearVector& z) {
  constexpr double kMost = 0.999999;  // against each other, where the slope has no bound
  const auto half = [](const Vec3& v) { return std::fmin(0.5 * v.norm(), kMost); };
  const double s = half(z.now), cosine = std::sqrt(1 - s * s);
  JointScalar c = radial(z, 1 / cosine, 0.5 * s / (cosine * cosine * cosine));
  c.value = 2 * std::asin(s);
  c.before = 2 * std::asin(half(z.before));
  return c;
}

// How far `arm` has turned from `across` towards `ahead`: c = atan2(arm·ahead, arm·across), of all angles the nearest to `near`.
inline JointScalar hinge_angle(const LinearVector& arm, const LinearVector& across, const LinearVector& ahead,
                               double near) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const auto angle = [near](const Vec3& a, const Vec3& b, const Vec3& d) {
    const double plain = std::atan2(a.dot(d), a.dot(b));
    return plain + kTurn * std::round((near - plain) / kTurn);
  };
  JointScalar out;
  out.resize(3);
  out.of = {&arm, &across, &ahead};
  out.value = angle(arm.now, across.now, ahead.now);
  out.before = angle(arm.before, across.before, ahead.before);

  // θ(s, c) and its derivatives
  const double c = arm.now.dot(across.now), s = arm.now.dot(ahead.now), r = s * s + c * c;
  if (r == 0) return out;  // the axis stands across the plane: no angle
  const double by_c = -s / r, by_s = c / r;
  const double cc = 2 * s * c / (r * r), sc = (s * s - c * c) / (r * r);
  Eigen::Matrix<double, 9, 1> dc, ds;
  dc << across.now, arm.now, Vec3::Zero();
  ds << ahead.now, Vec3::Zero(), arm.now;
  out.gradient = by_c * dc + by_s * ds;
  out.hessian = cc * (dc * dc.transpose() - ds * ds.transpose()) + sc * (dc * ds.transpose() + ds * dc.transpose());
  for (int i = 0; i < 3; ++i) {
    out.hessian(i, 3 + i) += by_c;
    out.hessian(3 + i, i) += by_c;
    out.hessian(i, 6 + i) += by_s;
    out.hessian(6 + i, i) += by_s;
  }
  return out;
}

// φ(c), φ', φ''
struct JointLaw {
  double value = 0, slope = 0, curvature = 0;  // J, N or N·m, N/m or N·m/rad
};

// ½ k c² + ρ k/(2 h) (c − c_b)²; h = 0: no rates
inline JointLaw spring_law(double c, double before, double stiffness, double damping, double step) {
  const double rate = step > 0 ? damping * stiffness / step : 0, change = c - before;
  return {0.5 * stiffness * c * c + 0.5 * rate * change * change, stiffness * c + rate * change, stiffness + rate};
}

// ½ k c² below zero, nothing above
inline JointLaw limit_law(double c, double stiffness) {
  return c < 0 ? JointLaw{0.5 * stiffness * c * c, stiffness * c, stiffness} : JointLaw{};
}

// A spring that gives at most `bound`: ½ k c² while k |c| ≤ bound, then bound (|c| − bound/(2k))
inline JointLaw bounded_law(double c, double stiffness, double bound) {
  if (stiffness * std::abs(c) <= bound) return {0.5 * stiffness * c * c, stiffness * c, stiffness};
  return {bound * (std::abs(c) - 0.5 * bound / stiffness), std::copysign(bound, c), 0};
}

}  // namespace pliant::constraint
