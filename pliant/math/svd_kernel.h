// Signed singular value decomposition inside element kernels, for T = double or Lanes (four matrices at a time).
//
//   3×3:  F = U diag(s) Vᵀ,  U and V rotations,  s0 ≥ s1 ≥ |s2|,  s2 has the sign of det F    signed_svd
//   3×2:  F = U diag(s) Vᵀ,  U orthonormal columns, V a rotation,  s0 ≥ s1 ≥ 0                 thin_svd
//
// Any finite matrix: inverted, singular, zero, equal stretches, entries from 1e-300 to 1e300. Residual and
// orthogonality are a few rounding units of ‖F‖. Arrays are [row][column]; column k of u and v belongs to s[k].
//
// How: no iteration, so four matrices never wait for the slowest of them.
//   1. v, the isolated eigenvector of FᵀF (symmetric_eigen.h). Forming FᵀF costs no accuracy here: its rounding errors
//      turn v by ε‖F‖²/gap, which changes F v by ε‖F‖ when v belongs to the largest stretch, and when it belongs to
//      the smallest the other two are within a factor √2 of each other.
//   2. The other two directions by one Jacobi rotation of the columns of B = F [w0 w1] themselves, because FᵀF has
//      lost stretches below √ε‖F‖.
//   3. U by Gram–Schmidt on the columns of B in descending order; the last is a cross product, so its stretch u2·b2
//      carries the sign of det F. Columns that vanish are replaced in a rarely taken branch.
// Why not cyclic Jacobi on FᵀF: each of its rotations waits for the one before, and with clustered stretches (every
// element near rest) it needs a stopping rule that knows the gaps.
#pragma once

#include "pliant/math/elementary.h"
#include "pliant/math/symmetric_eigen.h"

namespace pliant::math {

template <class T>
struct SvdLanes {
  T u[3][3], s[3], v[3][3];
};

template <class T>
struct ThinSvdLanes {
  T u[3][2], s[2], v[2][2];
};

// Squared norms between which the kernels work on F itself; outside, on F times a power of two.
inline constexpr double kSvdSmallestSquare = 1e-60;
inline constexpr double kSvdLargestSquare = 1e60;

// The degenerate part of Gram–Schmidt: u0, u1 orthonormal, u1 along b1 as far as b1 says anything.
// u0 is normalised where the stretch s0 > 0, b1 is already cleared of u0; frame: three orthonormal vectors to fall back
// on.
template <class T>
[[gnu::noinline]] void repair_columns(T s0, const T b1[3], const T frame[3][3], T u0[3], T u1[3]) {
  // A zero matrix has no direction at all: take the frame's.
  for (int i = 0; i < 3; ++i) u0[i] = select(s0 > constant<T>(0.0), u0[i], frame[0][i]);

  // b1 blown up to unit size and cleared once more; what is then left is either of unit size or noise.
  const T scale = inverse_power_of_two(max(abs(b1[0]), max(abs(b1[1]), abs(b1[2]))));
  T across[3][3];
  const T* source[3] = {b1, frame[1], frame[2]};
  T length_squared[3];
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) across[k][i] = k == 0 ? source[k][i] * scale : source[k][i];
    const T along = dot(u0, across[k]);
    for (int i = 0; i < 3; ++i) across[k][i] = across[k][i] - along * u0[i];
    length_squared[k] = dot(across[k], across[k]);
  }
  // Two orthonormal vectors together keep at least half of their squared lengths, so a third is left of the one chosen.
  // The first is preferred, so that a zero matrix has U = V.
  const auto take_b = length_squared[0] > constant<T>(0.1);
  const auto take_first = length_squared[1] > 0.5 * length_squared[2];
  for (int i = 0; i < 3; ++i) u1[i] = select(take_b, across[0][i], select(take_first, across[1][i], across[2][i]));

  // Twice is enough for orthogonality to rounding; the sign makes the stretch u1·b1 positive.
  for (int pass = 0; pass < 2; ++pass) {
    const T along = dot(u0, u1);
    for (int i = 0; i < 3; ++i) u1[i] = u1[i] - along * u0[i];
    const T length = sqrt(dot(u1, u1));
    const T inverse_length = 1.0 / select(dot(u1, b1) < constant<T>(0.0), -length, length);
    for (int i = 0; i < 3; ++i) u1[i] = u1[i] * inverse_length;
  }
}

// u0, u1 orthonormal and s0 = |b0|, s1 = u1·b1, for |b0| ≥ |b1| nearly orthogonal.
template <class T>
void orthonormalize(const T b0[3], T b1[3], const T frame[3][3], T u0[3], T u1[3], T s[2]) {
  s[0] = sqrt(dot(b0, b0));
  const T inverse_s0 = 1.0 / s[0];
  for (int i = 0; i < 3; ++i) u0[i] = b0[i] * inverse_s0;
  const T along = dot(u0, b1);
  for (int i = 0; i < 3; ++i) b1[i] = b1[i] - along * u0[i];
  s[1] = sqrt(dot(b1, b1));
  const T inverse_s1 = 1.0 / s[1];
  for (int i = 0; i < 3; ++i) u1[i] = b1[i] * inverse_s1;

  // Below this ratio b1 is of the size of the rounding errors of b0: its direction needs care.
  const auto sound = s[1] > 1e-15 * s[0];
  if (!all(sound)) [[unlikely]] {
    T repaired_u0[3] = {u0[0], u0[1], u0[2]}, repaired_u1[3];
    repair_columns(s[0], b1, frame, repaired_u0, repaired_u1);
    for (int i = 0; i < 3; ++i) {
      u0[i] = select(sound, u0[i], repaired_u0[i]);
      u1[i] = select(sound, u1[i], repaired_u1[i]);
    }
    s[1] = select(sound, s[1], max(dot(u1, b1), constant<T>(0.0)));
  }
}

// --- 3×3 ---

template <class T>
void signed_svd_in_range(const T f[3][3], SvdLanes<T>& svd) {
  // The isolated right singular vector.
  Symmetric3<T> a;
  a.xx = f[0][0] * f[0][0] + (f[1][0] * f[1][0] + f[2][0] * f[2][0]);
  a.yy = f[0][1] * f[0][1] + (f[1][1] * f[1][1] + f[2][1] * f[2][1]);
  a.zz = f[0][2] * f[0][2] + (f[1][2] * f[1][2] + f[2][2] * f[2][2]);
  a.xy = f[0][0] * f[0][1] + (f[1][0] * f[1][1] + f[2][0] * f[2][1]);
  a.xz = f[0][0] * f[0][2] + (f[1][0] * f[1][2] + f[2][0] * f[2][2]);
  a.yz = f[0][1] * f[0][2] + (f[1][1] * f[1][2] + f[2][1] * f[2][2]);
  const IsolatedEigenvector<T> isolated = isolated_eigenvector(a);
  const T* v = isolated.direction;

  // The other two: rotate the images of any two directions across v until they are orthogonal.
  T w0[3], w1[3], fv[3], fw0[3], fw1[3];
  complete_basis(v, w0, w1);
  for (int i = 0; i < 3; ++i) {
    fv[i] = dot(f[i], v);
    fw0[i] = dot(f[i], w0);
    fw1[i] = dot(f[i], w1);
  }
  const PlaneRotation<T> rotation = diagonalizing_rotation(dot(fw0, fw0), dot(fw1, fw1), dot(fw0, fw1));
  rotation.apply(w0, w1);
  rotation.apply(fw0, fw1);

  // Descending order: (v, w0, w1) or (w0, w1, v), both of determinant one.
  const auto v_first = isolated.side >= constant<T>(0.0);
  T columns[3][3], images[3][3];
  for (int i = 0; i < 3; ++i) {
    columns[0][i] = select(v_first, v[i], w0[i]);
    columns[1][i] = select(v_first, w0[i], w1[i]);
    columns[2][i] = select(v_first, w1[i], v[i]);
    images[0][i] = select(v_first, fv[i], fw0[i]);
    images[1][i] = select(v_first, fw0[i], fw1[i]);
    images[2][i] = select(v_first, fw1[i], fv[i]);
  }

  // Left singular vectors and stretches.
  T u[3][3], s[3];
  orthonormalize(images[0], images[1], columns, u[0], u[1], s);
  cross(u[0], u[1], u[2]);
  s[2] = dot(u[2], images[2]);
  // Equal stretches may come out of order by a rounding unit.
  s[1] = max(s[1], abs(s[2]));
  s[0] = max(s[0], s[1]);
  for (int k = 0; k < 3; ++k) {
    svd.s[k] = s[k];
    for (int i = 0; i < 3; ++i) svd.u[i][k] = u[k][i], svd.v[i][k] = columns[k][i];
  }
}

// Very large, very small and zero matrices: scaled to unit size by a power of two per lane.
template <class T>
[[gnu::noinline]] void signed_svd_out_of_range(const T f[3][3], SvdLanes<T>& svd) {
  T largest = constant<T>(0.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = max(largest, abs(f[i][j]));
  const T scale = inverse_power_of_two(largest);
  T scaled[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) scaled[i][j] = f[i][j] * scale;
  signed_svd_in_range(scaled, svd);
  for (T& s : svd.s) s = s / scale;
}

template <class T>
void signed_svd(const T f[3][3], SvdLanes<T>& svd) {
  const T square = dot(f[0], f[0]) + dot(f[1], f[1]) + dot(f[2], f[2]);
  const auto in_range = both(square > constant<T>(kSvdSmallestSquare), square < constant<T>(kSvdLargestSquare));
  if (all(in_range)) [[likely]]
    signed_svd_in_range(f, svd);
  else
    signed_svd_out_of_range(f, svd);
}

// --- 3×2 ---

template <class T>
void thin_svd(const T f[3][2], ThinSvdLanes<T>& svd) {
  // Unit size by a power of two: cheap beside the rest.
  T largest = constant<T>(0.0);
  for (int i = 0; i < 3; ++i) largest = max(largest, max(abs(f[i][0]), abs(f[i][1])));
  const T scale = inverse_power_of_two(largest);
  T b0[3], b1[3];
  for (int i = 0; i < 3; ++i) b0[i] = f[i][0] * scale, b1[i] = f[i][1] * scale;

  // One rotation makes the columns orthogonal, the longer first.
  const PlaneRotation<T> rotation = diagonalizing_rotation(dot(b0, b0), dot(b1, b1), dot(b0, b1));
  rotation.apply(b0, b1);

  const T zero = constant<T>(0.0), one = constant<T>(1.0);
  const T axes[3][3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  T u0[3], u1[3], s[2];
  orthonormalize(b0, b1, axes, u0, u1, s);
  svd.s[0] = max(s[0], s[1]) / scale;
  svd.s[1] = s[1] / scale;
  svd.v[0][0] = rotation.c, svd.v[0][1] = -rotation.s;
  svd.v[1][0] = rotation.s, svd.v[1][1] = rotation.c;
  for (int i = 0; i < 3; ++i) svd.u[i][0] = u0[i], svd.u[i][1] = u1[i];
}

}  // namespace pliant::math
