// 3×3 matrices of T = double or Lanes, as plain arrays m[row][column]: for kernels that run on one or four elements.
#pragma once

namespace pliant::math {

// cof(F) = det(F) F⁻ᵀ; its columns are the cross products of the other two columns of F.
template <class T>
inline void cofactor(const T f[3][3], T c[3][3]) {
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[i][j] = f[i1][j1] * f[i2][j2] - f[i1][j2] * f[i2][j1];
    }
  }
}

// det F from F and its cofactors.
template <class T>
inline T determinant(const T f[3][3], const T c[3][3]) {
  return f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2];
}

template <class T>
inline T determinant(const T f[3][3]) {
  return f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) + f[0][1] * (f[1][2] * f[2][0] - f[1][0] * f[2][2]) +
         f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0]);
}

// Σ f_ij g_ij
template <class T>
inline T inner(const T f[3][3], const T g[3][3]) {
  return (f[0][0] * g[0][0] + f[0][1] * g[0][1] + f[0][2] * g[0][2]) +
         (f[1][0] * g[1][0] + f[1][1] * g[1][1] + f[1][2] * g[1][2]) +
         (f[2][0] * g[2][0] + f[2][1] * g[2][1] + f[2][2] * g[2][2]);
}

// a b
template <class T>
inline void multiply(const T a[3][3], const T b[3][3], T out[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  }
}

// a bᵀ
template <class T>
inline void multiply_transposed(const T a[3][3], const T b[3][3], T out[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2];
  }
}

// a b of symmetric matrices that commute, so that the product is symmetric too
template <class T>
inline void multiply_symmetric(const T a[3][3], const T b[3][3], T out[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
      out[j][i] = out[i][j];
    }
  }
}

// aᵀ a, symmetric
template <class T>
inline void gram(const T a[3][3], T out[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      out[i][j] = a[0][i] * a[0][j] + a[1][i] * a[1][j] + a[2][i] * a[2][j];
      out[j][i] = out[i][j];
    }
  }
}

}  // namespace pliant::math
