// Projection of a symmetric matrix onto the positive semi-definite ones: eigenvalues below zero become zero.
//
//   A = W diag(λ) Wᵀ  →  W diag(max(λ, 0)) Wᵀ, the nearest semi-definite matrix in the Frobenius norm.
//
// project_psd_3x3   in element kernels, T = double or Lanes; matrices that are already definite are left untouched, bit
// for bit project_psd       any size, for tests and for elements without a closed form
//
// Positive leading minors (Sylvester) are the quick test: most elements pass it and need no eigenvectors.
#pragma once

#include "pliant/math/symmetric_eigen.h"
#include "pliant/math/types.h"

namespace pliant::math {

// Which lanes are positive definite.
template <class T>
auto has_positive_minors(const Symmetric3<T>& a) {
  const T zero = constant<T>(0.0);
  const T minor = a.xx * a.yy - a.xy * a.xy;
  const T determinant = a.zz * minor - (a.xx * (a.yz * a.yz) + a.yy * (a.xz * a.xz) - 2.0 * (a.xy * (a.xz * a.yz)));
  return both(a.xx > zero, both(minor > zero, determinant > zero));
}

// W diag(max(λ, 0)) Wᵀ
template <class T>
[[gnu::noinline]] Symmetric3<T> clamp_eigenvalues(const Symmetric3<T>& a) {
  const SymmetricEigen3<T> eigen = symmetric_eigen(a);
  T clamped[3];
  for (int k = 0; k < 3; ++k) clamped[k] = max(eigen.values[k], constant<T>(0.0));
  const auto entry = [&](int i, int j) {
    const T* w = eigen.vectors[i];
    const T* z = eigen.vectors[j];
    return clamped[0] * (w[0] * z[0]) + (clamped[1] * (w[1] * z[1]) + clamped[2] * (w[2] * z[2]));
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

template <class T>
void project_psd_3x3(Symmetric3<T>& a) {
  const auto definite = has_positive_minors(a);
  if (all(definite)) return;
  const Symmetric3<T> clamped = clamp_eigenvalues(a);
  a.xx = select(definite, a.xx, clamped.xx);
  a.yy = select(definite, a.yy, clamped.yy);
  a.zz = select(definite, a.zz, clamped.zz);
  a.xy = select(definite, a.xy, clamped.xy);
  a.xz = select(definite, a.xz, clamped.xz);
  a.yz = select(definite, a.yz, clamped.yz);
}

// The same on a full array; only the upper triangle is read.
template <class T>
void project_psd_3x3(T a[3][3]) {
  Symmetric3<T> symmetric{a[0][0], a[1][1], a[2][2], a[0][1], a[0][2], a[1][2]};
  project_psd_3x3(symmetric);
  a[0][0] = symmetric.xx, a[1][1] = symmetric.yy, a[2][2] = symmetric.zz;
  a[0][1] = a[1][0] = symmetric.xy;
  a[0][2] = a[2][0] = symmetric.xz;
  a[1][2] = a[2][1] = symmetric.yz;
}

// Any size; the lower triangle is read. Slow (a full eigenvalue solve).
[[nodiscard]] Eigen::MatrixXd project_psd(const Eigen::MatrixXd& a);

}  // namespace pliant::math
