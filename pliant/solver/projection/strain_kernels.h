// Values and gradients of soft constraints, for T = double or four elements side by side (math::Lanes).
//
// A kernel has kBlocks blocks and kRows rows and gives, at positions x:
//   c[row], gradient[row][block][axis]
// and it knows its compliance: the symmetric matrix K⁻¹ with E = ½ cᵀ K c.
#pragma once

#include <algorithm>
#include <cmath>

#include "pliant/energy/cloth/hinge_laws.h"
#include "pliant/energy/compliant.h"
#include "pliant/energy/solid/volume_preservation.h"
#include "pliant/math/lanes.h"
#include "pliant/math/polar.h"

namespace pliant::solver {

template <class T, int kRows, int kBlocks>
struct ConstraintValue {
  T c[kRows];
  T gradient[kRows][kBlocks][3];
};

// Entry (i, j) of a packed lower triangle.
constexpr int packed(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }
template <int kRows>
inline constexpr int kPacked = kRows*(kRows + 1) / 2;

template <class T>
inline void difference(const T a[3], const T b[3], T out[3]) {
  for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}
template <class T>
inline T inner3(const T a[3], const T b[3]) {
  return a[0] * b[0] + (a[1] * b[1] + a[2] * b[2]);
}
template <class T>
inline void cross3(const T a[3], const T b[3], T out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// c = |x₁ − x₀| − l. Ends that coincide are pushed apart along x.
struct LinkKernel {
  using Element = SoftLink;
  static constexpr int kBlocks = 2, kRows = 1;
  static constexpr int kRestCount = 1;  // l

  static void set_rest(const Element& element, double rest[kRestCount]) { rest[0] = element.rest; }
  static void set_compliance(const Element& element, double compliance[1]) { compliance[0] = 1 / element.stiffness; }
  template <class T>
  static void evaluate(const T rest[kRestCount], const T x[kBlocks][3], ConstraintValue<T, kRows, kBlocks>& out) {
    T d[3];
    difference(x[1], x[0], d);
    d[0] += math::constant<T>(1e-150);
    const T length = math::sqrt(inner3(d, d)), inverse = 1.0 / length;
    out.c[0] = length - rest[0];
    for (int a = 0; a < 3; ++a) {
      out.gradient[0][1][a] = inverse * d[a];
      out.gradient[0][0][a] = -out.gradient[0][1][a];
    }
  }
};

// c_i = ½ (|e_i|² − l_i²), e_i the edge opposite corner i: Green's strain of a triangle (energy/cloth/edge_membrane.h).
struct TriangleKernel {
  using Element = SoftTriangle;
  static constexpr int kBlocks = 3, kRows = 3;
  static constexpr int kRestCount = 3;  // l_i²

  static void set_rest(const Element& element, double rest[kRestCount]) {
    for (int i = 0; i < 3; ++i) rest[i] = element.squared_length[i];
  }
  // K⁻¹, packed.
  static void set_compliance(const Element& element, double compliance[kPacked<kRows>]) {
    const Mat3 inverse = element.stiffness.inverse();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) compliance[packed(i, j)] = inverse(i, j);
    }
  }
  template <class T>
  static void evaluate(const T rest[kRestCount], const T x[kBlocks][3], ConstraintValue<T, kRows, kBlocks>& out) {
    const T zero = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      T edge[3];
      difference(x[k], x[j], edge);
      out.c[i] = 0.5 * (inner3(edge, edge) - rest[i]);
      for (int a = 0; a < 3; ++a) {
        out.gradient[i][i][a] = zero;
        out.gradient[i][j][a] = -edge[a];
        out.gradient[i][k][a] = edge[a];
      }
    }
  }
};

// The rest of a tet: y_i, rows of its rest_inverse, one after another.
inline void set_tet_rest(const SoftTet& element, double rest[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < 3; ++a) rest[3 * i + a] = element.rest_inverse(i, a);
  }
}
// F = Σ (x_i − x_0) y_iᵀ, f[axis][column].
template <class T>
inline void deformation_gradient(const T rest[9], const T x[4][3], T f[3][3]) {
  T edge[3][3];
  for (int i = 0; i < 3; ++i) difference(x[i + 1], x[0], edge[i]);
  for (int r = 0; r < 3; ++r) {
    for (int a = 0; a < 3; ++a) f[r][a] = edge[0][r] * rest[a] + edge[1][r] * rest[3 + a] + edge[2][r] * rest[6 + a];
  }
}

// c = (ε_xx, ε_yy, ε_zz, γ_yz, γ_xz, γ_xy) of F:
//   green   ε = ½ (FᵀF − 1)          G = F
//   polar   ε = ½ (RᵀF + FᵀR) − 1    G = R, the nearest rotation, also of inverted elements; its own change gives no force
//   small   ε = ½ (F + Fᵀ) − 1       G = 1
//   ∂ε_ab/∂x_i = ½ (G_a y_ib + G_b y_ia),  γ = 2 ε_ab
template <SolidStrain kStrain>
struct TetKernel {
  using Element = SoftTet;
  static constexpr int kBlocks = 4, kRows = 6;
  static constexpr int kRestCount = 9;

  static void set_rest(const Element& element, double rest[kRestCount]) { set_tet_rest(element, rest); }
  // The normal part of K is V (2μ 1 + λ 1 1ᵀ), its inverse (1 − λ/(2μ + 3λ) 1 1ᵀ)/(2μV); the shear part V μ.
  static void set_compliance(const Element& element, double compliance[kPacked<kRows>]) {
    std::fill_n(compliance, kPacked<kRows>, 0.0);
    const double mu = element.mu, lambda = element.lambda, scale = 1 / (2 * mu * element.volume);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j)
        compliance[packed(i, j)] = scale * ((i == j ? 1 : 0) - lambda / (2 * mu + 3 * lambda));
      compliance[packed(3 + i, 3 + i)] = 2 * scale;
    }
  }
  template <class T>
  static void evaluate(const T rest[kRestCount], const T x[kBlocks][3], ConstraintValue<T, kRows, kBlocks>& out) {
    T f[3][3], g[3][3];  // [axis][column]
    deformation_gradient(rest, x, f);
    if constexpr (kStrain == SolidStrain::polar) {
      math::polar_rotation(f, g);
    } else {
      for (int r = 0; r < 3; ++r) {
        for (int a = 0; a < 3; ++a)
          g[r][a] = kStrain == SolidStrain::green ? f[r][a] : math::constant<T>(r == a ? 1 : 0);
      }
    }
    constexpr int kPair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    constexpr bool is_green = kStrain == SolidStrain::green;
    for (int a = 0; a < 3; ++a) {
      const T own = g[0][a] * f[0][a] + g[1][a] * f[1][a] + g[2][a] * f[2][a];
      out.c[a] = is_green ? 0.5 * (own - 1.0) : own - 1.0;
      const auto [p, q] = kPair[a];
      const T mixed = g[0][p] * f[0][q] + g[1][p] * f[1][q] + g[2][p] * f[2][q];
      const T other = g[0][q] * f[0][p] + g[1][q] * f[1][p] + g[2][q] * f[2][p];
      out.c[3 + a] = is_green ? mixed : mixed + other;
    }
    for (int row = 0; row < 6; ++row) {
      for (int r = 0; r < 3; ++r) {
        T sum = math::constant<T>(0);
        for (int i = 0; i < 3; ++i) {
          const T* y = rest + 3 * i;
          const T entry =
              row < 3 ? g[r][row] * y[row]
                      : g[r][kPair[row - 3][0]] * y[kPair[row - 3][1]] + g[r][kPair[row - 3][1]] * y[kPair[row - 3][0]];
          out.gradient[row][i + 1][r] = entry;
          sum += entry;
        }
        out.gradient[row][0][r] = -sum;
      }
    }
  }
};

// c = n·(s − t), s the stretches of F and t those of the nearest gradient of determinant one: how far it is, positive where
// the volume has grown. All t_i (t_i − s_i) are equal (energy/solid/volume_preservation.h), so s − t is along 1/t:
//   n_i = (1/t_i)/|1/t|,   ∂c/∂F = U diag(n) Vᵀ         without a jump where c = 0
struct VolumeKernel {
  using Element = SoftTet;
  static constexpr int kBlocks = 4, kRows = 1;
  static constexpr int kRestCount = 9;

  static void set_rest(const Element& element, double rest[kRestCount]) { set_tet_rest(element, rest); }
  static void set_compliance(const Element& element, double compliance[1]) {
    compliance[0] = 1 / (2 * element.mu * element.volume);
  }
  template <class T>
  static void evaluate(const T rest[kRestCount], const T x[kBlocks][3], ConstraintValue<T, kRows, kBlocks>& out) {
    T f[3][3], t[3], scaled[3][3], across[3][3];
    deformation_gradient(rest, x, f);
    math::SvdLanes<T> svd;
    math::signed_svd(f, svd);
    solid::VolumePreservation::nearest<T>(nullptr, svd.s, t);
    const T n[3] = {1.0 / t[0], 1.0 / t[1], 1.0 / t[2]};
    const T scale = 1.0 / math::sqrt(inner3(n, n));
    out.c[0] = math::constant<T>(0);
    for (int i = 0; i < 3; ++i) {
      out.c[0] += scale * n[i] * (svd.s[i] - t[i]);
      for (int r = 0; r < 3; ++r) scaled[r][i] = svd.u[r][i] * (scale * n[i]);
    }
    math::multiply_transposed(scaled, svd.v, across);
    for (int r = 0; r < 3; ++r) {
      T sum = math::constant<T>(0);
      for (int i = 0; i < 3; ++i) {
        const T entry = inner3(across[r], rest + 3 * i);
        out.gradient[0][i + 1][r] = entry;
        sum += entry;
      }
      out.gradient[0][0][r] = -sum;
    }
  }
};

// c = φ(θ) − φ(θ̄), θ the angle of a hinge as in energy/cloth/hinge_bending.h:
//   ∇θ = −n/h, (1 − f) n/h + (1 − f~) ñ/h~, f n/h + f~ ñ/h~, −ñ/h~     n, ñ unit normals; h, h~ heights of x0, x3 above the
//   edge e = x2 − x1; f, f~ where they stand on it
// φ = θ (angle), 2 tan(θ/2) (tan), 2 sin((θ − θ̄)/2) (willmore); stiffness 2K.
template <HingeMeasure kMeasure>
struct HingeKernel {
  using Element = SoftHinge;
  static constexpr int kBlocks = 4, kRows = 1;
  static constexpr int kRestCount = 2;  // sin(θ̄/2), cos(θ̄/2)

  static void set_rest(const Element& element, double rest[kRestCount]) {
    rest[0] = std::sin(0.5 * element.rest);
    rest[1] = std::cos(0.5 * element.rest);
  }
  static void set_compliance(const Element& element, double compliance[1]) { compliance[0] = 1 / element.stiffness; }

  template <class T>
  static void evaluate(const T rest[kRestCount], const T x[kBlocks][3], ConstraintValue<T, kRows, kBlocks>& out) {
    T e[3], to0[3], to3[3], n[3], m[3];  // m: the other normal
    difference(x[2], x[1], e);
    difference(x[0], x[1], to0);
    difference(x[3], x[1], to3);
    cross3(e, to0, n);  // of (x0, x1, x2), doubled area
    cross3(to3, e, m);  // of (x3, x2, x1)
    const T tiny = math::constant<T>(kTinyArea);
    const T e2 = inner3(e, e) + tiny, n2 = inner3(n, n) + tiny, m2 = inner3(m, m) + tiny, length = math::sqrt(e2);
    T sine, cosine, slope;  // of θ/2; φ'(θ)
    halves(n, m, n2, m2, e, sine, cosine);
    measure(sine, cosine, rest, out.c[0], slope);
    const T f0 = inner3(to0, e) / e2, f3 = inner3(to3, e) / e2;
    for (int a = 0; a < 3; ++a) {
      const T own = slope * length * n[a] / n2, other = slope * length * m[a] / m2;  // n̂/h, m̂/h~
      out.gradient[0][0][a] = -own;
      out.gradient[0][1][a] = (1.0 - f0) * own + (1.0 - f3) * other;
      out.gradient[0][2][a] = f0 * own + f3 * other;
      out.gradient[0][3][a] = -other;
    }
  }

  // What counts as rest where c is a rate and no difference of two functions of angles: the angle at x, before the step.
  template <class T>
  requires(kMeasure == HingeMeasure::sine) static void set_rest_at(const T x[kBlocks][3], T rest[kRestCount]) {
    T e[3], to0[3], to3[3], n[3], m[3];
    difference(x[2], x[1], e);
    difference(x[0], x[1], to0);
    difference(x[3], x[1], to3);
    cross3(e, to0, n);
    cross3(to3, e, m);
    const T tiny = math::constant<T>(kTinyArea);
    halves(n, m, inner3(n, n) + tiny, inner3(m, m) + tiny, e, rest[0], rest[1]);
  }

 private:
  static constexpr double kTinyArea = 1e-30;  // m⁴, of hinges without area

  // Half angles from the unit normals: |n̂ − m̂| = 2 |sin(θ/2)|, |n̂ + m̂| = 2 cos(θ/2).
  template <class T>
  static void halves(const T n[3], const T m[3], T n2, T m2, const T e[3], T& sine, T& cosine) {
    const T in = 1.0 / math::sqrt(n2), im = 1.0 / math::sqrt(m2);
    T sum[3], gap[3], turn[3];
    for (int a = 0; a < 3; ++a) {
      sum[a] = n[a] * in + m[a] * im;
      gap[a] = n[a] * in - m[a] * im;
    }
    cross3(n, m, turn);
    sine = math::copy_sign(0.5 * math::sqrt(inner3(gap, gap)), inner3(turn, e));
    cosine = 0.5 * math::sqrt(inner3(sum, sum));
  }
  template <class T>
  static void measure(T sine, T cosine, const T rest[kRestCount], T& c, T& slope) {
    if constexpr (kMeasure == HingeMeasure::angle) {
      c = cloth::angle_from_halves(sine, cosine) - cloth::angle_from_halves(rest[0], rest[1]);
      slope = math::constant<T>(1);
    } else if constexpr (kMeasure == HingeMeasure::tangent) {
      const T t = cloth::HingeTan::tangent(sine, cosine);
      c = 2.0 * (t - cloth::HingeTan::tangent(rest[0], rest[1]));
      slope = 1.0 + t * t;
    } else {
      c = 2.0 * (sine * rest[1] - cosine * rest[0]);
      slope = cosine * rest[1] + sine * rest[0];
    }
  }
};

}  // namespace pliant::solver
