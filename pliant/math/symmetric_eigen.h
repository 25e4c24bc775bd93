// Eigenvalues and eigenvectors of a symmetric 3×3 matrix, without iteration, for T = double or Lanes.
//
//   A = W diag(λ) Wᵀ,   λ0 ≥ λ1 ≥ λ2,   W a rotation; errors are a few rounding units of ‖A‖, also for equal
//   eigenvalues.
//
// Three steps [Eberly2014], each well conditioned:
//   1. B = (A − q 1)/p with q = tr A/3, p² = ‖A − q 1‖²/6 has the characteristic polynomial β³ − 3β − det B. Of its
//      three roots the one with the sign of det B is isolated: √3 ≤ |β| ≤ 2 and the others are at least √3 away.
//   2. Its eigenvector is any column of the adjugate of B − β 1 (rank one, (β−β')(β−β'') v vᵀ); the largest is taken.
//   3. In the plane across v one plane rotation diagonalises what is left.
// Deviation: β by a polynomial in det B/2 and one Newton step instead of trigonometric functions, and step 3 by a
// rotation, so that the eigenvectors are orthogonal by construction.
//
// Eigenvectors of nearly equal eigenvalues are as good as the matrix determines them; the range is ‖A‖ = 1e-140…1e140.
#pragma once

#include "pliant/math/lanes.h"

namespace pliant::math {

template <class T>
struct Symmetric3 {
  T xx, yy, zz, xy, xz, yz;
};

template <class T>
struct SymmetricEigen3 {
  T values[3];      // descending
  T vectors[3][3];  // [row][column]: column k belongs to values[k]
};

template <class T>
T dot(const T a[3], const T b[3]) {
  return a[0] * b[0] + (a[1] * b[1] + a[2] * b[2]);
}

template <class T>
void cross(const T a[3], const T b[3], T c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// --- Step 1: the isolated root ---

// β(d) = 2 cos(arccos(d)/3), the largest root of β³ − 3β − 2d, for 0 ≤ d ≤ 1.
template <class T>
T isolated_root(T d) {
  // Smooth on the whole interval (its singularity is at d = −1); this polynomial is within 4e-9, …
  const T d2 = d * d, d4 = d2 * d2;
  const T p01 = constant<T>(1.7320508111991304) + d * 0.33333274228899734;
  const T p23 = constant<T>(-0.096208882905866962) + d * 0.04920859358465821;
  const T p45 = constant<T>(-0.030214550322433507) + d * 0.018766661141410219;
  const T p67 = constant<T>(-0.0098593823448594942) + d * 0.0035297137462337969;
  const T start = (p01 + d2 * p23) + d4 * ((p45 + d2 * p67) - d4 * 0.00060570840290172537);
  // … and a Newton step squares that; the slope 3β² − 3 lies between 6 and 9.
  const T square = start * start;
  return start - (start * (square - 3.0) - 2.0 * d) / (3.0 * square - 3.0);
}

// --- Step 2: its eigenvector ---

template <class T>
struct IsolatedEigenvector {
  T direction[3];
  T side;  // ≥ 0: belongs to the largest eigenvalue, < 0: to the smallest
};

template <class T>
IsolatedEigenvector<T> isolated_eigenvector(const Symmetric3<T>& a) {
  // The normalised deviator B, from differences: subtracting the mean instead would leave a trace of rounding size, and
  // with it (√3, √3, 0) and the like, whose adjugate vanishes. The floor only matters for multiples of the identity,
  // where every direction will do.
  const T over_y = (a.xx - a.yy) * (1.0 / 3.0), over_z = (a.xx - a.zz) * (1.0 / 3.0);
  T xx = over_y + over_z, yy = over_z - 2.0 * over_y, zz = over_y - 2.0 * over_z;
  const T spread_squared =
      (xx * xx + yy * yy + zz * zz) * (1.0 / 6.0) + (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz) * (1.0 / 3.0);
  const T scale = 1.0 / sqrt(max(spread_squared, constant<T>(1e-290)));
  xx = xx * scale, yy = yy * scale, zz = zz * scale;
  const T xy = a.xy * scale, xz = a.xz * scale, yz = a.yz * scale;

  const T half_determinant = 0.5 * (xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz));
  const T root = copy_sign(isolated_root(abs(half_determinant)), half_determinant);
  xx = xx - root, yy = yy - root, zz = zz - root;

  // Columns of the adjugate; its diagonal is proportional to the squares of the eigenvector's entries.
  const T adj_xx = yy * zz - yz * yz, adj_yy = xx * zz - xz * xz, adj_zz = xx * yy - xy * xy;
  const T adj_xy = xz * yz - xy * zz, adj_xz = xy * yz - xz * yy, adj_yz = xy * xz - xx * yz;
  const auto take_y = adj_yy > adj_xx;
  const auto take_z = adj_zz > max(adj_xx, adj_yy);
  const T vx = select(take_z, adj_xz, select(take_y, adj_xy, adj_xx));
  const T vy = select(take_z, adj_yz, select(take_y, adj_yy, adj_xy));
  const T vz = select(take_z, adj_zz, select(take_y, adj_yz, adj_xz));
  const T inverse_length = 1.0 / sqrt(vx * vx + (vy * vy + vz * vz));
  return {{vx * inverse_length, vy * inverse_length, vz * inverse_length}, half_determinant};
}

// --- Step 3: the plane across it ---

// Unit vectors a, b with a × b = v, for a unit vector v [Duff2017].
template <class T>
void complete_basis(const T v[3], T a[3], T b[3]) {
  const T sign = copy_sign(constant<T>(1.0), v[2]);
  const T k = -1.0 / (sign + v[2]);
  const T xy = v[0] * v[1] * k;
  a[0] = 1.0 + sign * v[0] * v[0] * k;
  a[1] = sign * xy;
  a[2] = -sign * v[0];
  b[0] = xy;
  b[1] = sign + v[1] * v[1] * k;
  b[2] = -v[1];
}

template <class T>
struct PlaneRotation {
  T c, s;

  // (a, b) → (c a + s b, c b − s a)
  void apply(T a[3], T b[3]) const {
    for (int i = 0; i < 3; ++i) {
      const T rotated = c * a[i] + s * b[i];
      b[i] = c * b[i] - s * a[i];
      a[i] = rotated;
    }
  }
};

// Diagonalises [x z; z y] with the larger eigenvalue first: tan 2θ = 2z/(x − y).
template <class T>
PlaneRotation<T> diagonalizing_rotation(T x, T y, T z) {
  const T half = 0.5 * (x - y);
  // The floor turns a multiple of the identity into no rotation instead of 0/0.
  const T large = max(abs(half) + sqrt(half * half + z * z), constant<T>(1e-150));
  const T inverse_length = 1.0 / sqrt(large * large + z * z);
  const T big = large * inverse_length, small = z * inverse_length;
  const auto in_order = half >= constant<T>(0.0);
  return {select(in_order, big, small), select(in_order, small, big)};
}

// y = A x
template <class T>
void multiply(const Symmetric3<T>& a, const T x[3], T y[3]) {
  y[0] = a.xx * x[0] + (a.xy * x[1] + a.xz * x[2]);
  y[1] = a.xy * x[0] + (a.yy * x[1] + a.yz * x[2]);
  y[2] = a.xz * x[0] + (a.yz * x[1] + a.zz * x[2]);
}

template <class T>
SymmetricEigen3<T> symmetric_eigen(const Symmetric3<T>& a) {
  const IsolatedEigenvector<T> isolated = isolated_eigenvector(a);
  const T* v = isolated.direction;
  T w0[3], w1[3], av[3], aw0[3], aw1[3];
  complete_basis(v, w0, w1);
  multiply(a, v, av);
  multiply(a, w0, aw0);
  multiply(a, w1, aw1);
  const PlaneRotation<T> rotation = diagonalizing_rotation(dot(w0, aw0), dot(w1, aw1), dot(w0, aw1));
  rotation.apply(w0, w1);
  rotation.apply(aw0, aw1);

  // (v, w0, w1) or (w0, w1, v): both are rotations.
  const auto v_first = isolated.side >= constant<T>(0.0);
  const T along_v = dot(v, av), along_w0 = dot(w0, aw0), along_w1 = dot(w1, aw1);
  SymmetricEigen3<T> eigen;
  for (int i = 0; i < 3; ++i) {
    eigen.vectors[i][0] = select(v_first, v[i], w0[i]);
    eigen.vectors[i][1] = select(v_first, w0[i], w1[i]);
    eigen.vectors[i][2] = select(v_first, w1[i], v[i]);
  }
  // Equal eigenvalues may come out of order by a rounding unit.
  const T first = select(v_first, along_v, along_w0), second = select(v_first, along_w0, along_w1);
  const T third = select(v_first, along_w1, along_v);
  const T larger = max(first, second), smaller = min(first, second);
  eigen.values[0] = max(larger, third);
  eigen.values[1] = max(smaller, min(larger, third));
  eigen.values[2] = min(smaller, third);
  return eigen;
}

}  // namespace pliant::math
