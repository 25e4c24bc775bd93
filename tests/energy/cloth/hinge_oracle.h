// Hinge bending written hinge by hinge from the printed formulas [Tamstorf2016, eqs. 5.4 to 5.6], in any precision:
// what pliant/energy/cloth/hinge_bending must reproduce, and the baseline of its benchmark. Nothing is shared with it.
//
// Stencil: edge e0 = x2 − x1, T = (x0, x1, x2), T~ = (x3, x2, x1). Per triangle, n normal, m_i = ê_i × n, α_i angles,
// h_i altitudes, ω_ij = 1/(h_i h_j), M_i = n m_iᵀ, N_0 = M_0/|e0|², S(B) = B + Bᵀ:
//   P_ij = ω_ij cos α_(3−i) M_jᵀ,  Q_j = ω_0j M_j
//   H00 = −S(Q0)   H11 = S(P11) − N0   H22 = S(P22) − N0   H10 = P10 − Q1   H20 = P20 − Q2   H12 = P12 + P21ᵀ + N0
// and the same with tildes, x3 in the place of x0. Two slips of the print are corrected: the cosine in P_ij is the one
// at the other end of the edge, and Q~ takes ω~.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "pliant/energy/cloth/hinge_bending.h"

namespace pliant::oracle {

template <class T>
using Vector = Eigen::Matrix<T, 3, 1>;
template <class T>
using Matrix = Eigen::Matrix<T, 3, 3>;
template <class T>
using Stencil = std::array<Vector<T>, 4>;

// --- The angle ---

template <class T>
struct AngleDerivatives {
  T angle;
  std::array<Vector<T>, 4> gradient;
  std::array<Matrix<T>, 10> hessian;  // pair_index<4>(i, j), i ≤ j
};

template <class T>
T angle_of(const Stencil<T>& x) {
  const Vector<T> e = x[2] - x[1];
  const Vector<T> n = e.cross(x[0] - x[2]).normalized(), far = e.cross(x[1] - x[3]).normalized();
  return std::atan2(n.cross(far).dot(e) / e.norm(), n.dot(far));
}

// One triangle of the hinge, `tip` opposite the edge a → b or b → a; the labels 1, 2 stand for x1, x2 in both.
template <class T>
struct HalfHinge {
  Vector<T> normal;
  T cosine1, cosine2;           // at x1, x2
  T height0, height1, height2;  // 1/altitude from tip, x1, x2
  Matrix<T> m0, m1, m2;         // M_i
  T edge_squared;

  HalfHinge(const Vector<T>& tip, const Vector<T>& x1, const Vector<T>& x2, T turn) {
    const Vector<T> e0 = x2 - x1, e1 = tip - x2, e2 = x1 - tip;
    const Vector<T> area = e0.cross(e1);
    const T doubled = area.norm(), l0 = e0.norm(), l1 = e1.norm(), l2 = e2.norm();
    normal = area * (turn / doubled);
    cosine1 = -e0.dot(e2) / (l0 * l2);
    cosine2 = -e0.dot(e1) / (l0 * l1);
    height0 = l0 / doubled;
    height1 = l1 / doubled;
    height2 = l2 / doubled;
    m0 = normal * (turn / l0 * e0.cross(normal)).transpose();
    m1 = normal * (turn / l1 * e1.cross(normal)).transpose();
    m2 = normal * (turn / l2 * e2.cross(normal)).transpose();
    edge_squared = l0 * l0;
  }
};

template <class T>
AngleDerivatives<T> angle_derivatives(const Stencil<T>& x) {
  AngleDerivatives<T> result;
  result.angle = angle_of(x);
  for (Matrix<T>& block : result.hessian) block.setZero();
  const HalfHinge<T> halves[2] = {{x[0], x[1], x[2], T(1)}, {x[3], x[1], x[2], T(-1)}};
  result.gradient[0] = -halves[0].height0 * halves[0].normal;
  result.gradient[3] = -halves[1].height0 * halves[1].normal;
  result.gradient[1].setZero();
  result.gradient[2].setZero();
  for (int side = 0; side < 2; ++side) {
    const HalfHinge<T>& t = halves[side];
    result.gradient[1] += t.cosine2 * t.height1 * t.normal;
    result.gradient[2] += t.cosine1 * t.height2 * t.normal;
    const Matrix<T> p11 = t.height1 * t.height1 * t.cosine2 * t.m1.transpose();
    const Matrix<T> p22 = t.height2 * t.height2 * t.cosine1 * t.m2.transpose();
    const Matrix<T> p10 = t.height1 * t.height0 * t.cosine2 * t.m0.transpose();
    const Matrix<T> p20 = t.height2 * t.height0 * t.cosine1 * t.m0.transpose();
    const Matrix<T> p12 = t.height1 * t.height2 * t.cosine2 * t.m2.transpose();
    const Matrix<T> p21 = t.height1 * t.height2 * t.cosine1 * t.m1.transpose();
    const Matrix<T> q0 = t.height0 * t.height0 * t.m0;
    const Matrix<T> q1 = t.height0 * t.height1 * t.m1, q2 = t.height0 * t.height2 * t.m2;
    const Matrix<T> n0 = t.m0 / t.edge_squared;
    const Matrix<T> h10 = p10 - q1, h20 = p20 - q2;
    result.hessian[pair_index<4>(side == 0 ? 0 : 3, side == 0 ? 0 : 3)] -= q0 + q0.transpose();
    result.hessian[pair_index<4>(1, 1)] += p11 + p11.transpose() - n0;
    result.hessian[pair_index<4>(2, 2)] += p22 + p22.transpose() - n0;
    result.hessian[pair_index<4>(1, 2)] += p12 + p21.transpose() + n0;
    if (side == 0) {
      result.hessian[pair_index<4>(0, 1)] = h10.transpose();
      result.hessian[pair_index<4>(0, 2)] = h20.transpose();
    } else {
      result.hessian[pair_index<4>(1, 3)] = h10;
      result.hessian[pair_index<4>(2, 3)] = h20;
    }
  }
  return result;
}

// --- The laws ---

template <class T>
struct LawValue {
  T value, first, second;
};

// ψ/K and its derivatives by the angle, straight from trigonometric functions.
template <class T>
LawValue<T> law_of(cloth::HingeLaw law, T angle, T rest) {
  using std::cos, std::sin, std::tan;
  const T d = angle - rest;
  switch (law) {
    case cloth::HingeLaw::tan: {
      const T t = tan(angle / 2), f = 2 * t - 2 * tan(rest / 2), slope = 1 + t * t;
      return {f * f, 2 * f * slope, 2 * (slope * slope + f * t * slope)};
    }
    case cloth::HingeLaw::angle:
      return {d * d, 2 * d, T(2)};
    case cloth::HingeLaw::willmore:
      return {4 * sin(d / 2) * sin(d / 2), 2 * sin(d), 2 * cos(d)};
    case cloth::HingeLaw::bridson:
      break;
  }
  return {8 * (cos(rest / 2) - cos(angle / 2)) - 4 * d * sin(rest / 2), 4 * (sin(angle / 2) - sin(rest / 2)),
          2 * cos(angle / 2)};
}

// --- One hinge ---

template <class T>
struct HingeResult {
  T value;
  std::array<Vector<T>, 4> gradient;
  std::array<Matrix<T>, 10> hessian;
};

// ψ of the hinge with the given parameters; viscous part when step > 0.
template <class T>
LawValue<T> energy_of(cloth::HingeLaw law, const cloth::HingeParameters& p, T angle, T angle_before, T step) {
  const T shape = 3 * T(p.rest_edge_length) * T(p.rest_edge_length) / T(p.rest_area);
  const T k = T(p.stiffness) / 6 * shape, k_v = step > 0 ? T(p.viscosity) / 6 * shape / step : T(0);
  LawValue<T> sum = law_of<T>(law, angle, p.rest_angle);
  sum = {k * sum.value, k * sum.first, k * sum.second};
  if (k_v == 0) return sum;
  const LawValue<T> loss = law_of<T>(law, angle, angle_before);
  return {sum.value + k_v * loss.value, sum.first + k_v * loss.first, sum.second + k_v * loss.second};
}

template <class T>
HingeResult<T> evaluate_hinge(cloth::HingeLaw law, const cloth::HingeParameters& p, const Stencil<T>& now,
                              const Stencil<T>& before, T step) {
  HingeResult<T> result;
  const AngleDerivatives<T> angle = angle_derivatives(now);
  const LawValue<T> psi =
      energy_of<T>(law, p, angle.angle, p.viscosity > 0 && step > 0 ? angle_of(before) : T(0), step);
  result.value = psi.value;
  for (int i = 0; i < 4; ++i) {
    result.gradient[i] = psi.first * angle.gradient[i];
    for (int j = i; j < 4; ++j) {
      result.hessian[pair_index<4>(i, j)] = psi.first * angle.hessian[pair_index<4>(i, j)] +
                                            psi.second * angle.gradient[i] * angle.gradient[j].transpose();
    }
  }
  return result;
}

}  // namespace pliant::oracle
