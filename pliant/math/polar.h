// The rotation nearest to a 3×3 matrix, without its singular vectors, for T = double or Lanes.
//
//   R = argmax over rotations of tr(RᵀF) = U Vᵀ of the signed SVD (svd_kernel.h),   λ = tr(RᵀF) = s0 + s1 + s2
//
// λ is the largest root of p(λ) = (λ² − I)² − 8Jλ − 4II with I = ‖F‖², J = det F, II = ‖cof F‖². Its other roots are
// ±s0 ± s1 ± s2 with two minus signs, all real, so Newton's method descends to λ from any upper bound [Theobald2005].
// With D = λ³ − Iλ − 2J = p'(λ)/4 = 2 (s0+s1)(s0+s2)(s1+s2),
//
//   R = ((λ² + I) F + 2λ cof F − 2 F FᵀF) / D,
//
// because on stretches (λ²+I) sᵢ + 2λ sⱼsₖ − 2sᵢ³ = 2 (sᵢ+sⱼ)(sᵢ+sₖ)(sⱼ+sₖ). An error of λ scales F's three directions
// unequally and turns none; one step R ← R(3 − RᵀR)/2 removes it.
// Where s1 + s2 is small R is ill-determined by these sums: such lanes (D < 1e-3 I^{3/2}) take the SVD.
// Deviation: start from sqrt(I + 2 sqrt(II + 2 sqrt(3I) max(J, 0))), exact for J = 0, instead of sqrt(3I).
#pragma once

#include "pliant/math/svd_kernel.h"
#include "pliant/math/types.h"

namespace pliant::math {

// What p needs of F, and F's cofactors.
template <class T>
struct PolarInvariants {
  T cofactor[3][3];
  T norm_squared, determinant, cofactor_squared;  // I, J, II
  T norm;                                         // sqrt(I)

  explicit PolarInvariants(const T f[3][3]) {
    cross(f[1], f[2], cofactor[0]);
    cross(f[2], f[0], cofactor[1]);
    cross(f[0], f[1], cofactor[2]);
    norm_squared = dot(f[0], f[0]) + (dot(f[1], f[1]) + dot(f[2], f[2]));
    determinant = dot(f[0], cofactor[0]);
    cofactor_squared = dot(cofactor[0], cofactor[0]) + (dot(cofactor[1], cofactor[1]) + dot(cofactor[2], cofactor[2]));
    norm = sqrt(norm_squared);
  }
};

template <class T>
struct StretchTrace {
  T value;        // λ
  T denominator;  // D
};

// λ by Newton's method. Lanes whose D comes out small or not finite are the caller's to replace.
template <class T>
StretchTrace<T> trace_by_newton(const PolarInvariants<T>& of_f) {
  const T i = of_f.norm_squared, j = of_f.determinant;
  const T from_volume = 2.0 * 1.7320508075688773 * of_f.norm * max(j, constant<T>(0.0));
  T value = sqrt(i + 2.0 * sqrt(of_f.cofactor_squared + from_volume));
  const T two_j = 2.0 * j, four_ii = 4.0 * of_f.cofactor_squared;
  T denominator = constant<T>(0.0);
  // Near rest one or two steps suffice, about five for large strains. Inverted elements with s1 near −s2 have two roots
  // close together: the steps first halve the distance, 14 in all where D is just above the limit of polar_is_sound.
  constexpr int kMaxSteps = 20;
  for (int step = 0; step < kMaxSteps; ++step) {
    const T excess = value * value - i;
    denominator = value * excess - two_j;
    const T change = 0.25 * (excess * excess - four_ii - 4.0 * (two_j * value)) / denominator;
    value = value - change;
    // Convergence is quadratic: after a relative change of 1e-8 the next one is below rounding.
    if (!any(abs(change) > 1e-8 * value)) break;
  }
  denominator = value * (value * value - i) - two_j;
  return {value, denominator};
}

// Lanes where the sums determine R: s1 + s2 not too small, and powers of F within the range of doubles.
template <class T>
auto polar_is_sound(const PolarInvariants<T>& of_f, const StretchTrace<T>& trace) {
  const T i = of_f.norm_squared;
  const auto in_range = both(i > constant<T>(kSvdSmallestSquare), i < constant<T>(kSvdLargestSquare));
  return both(trace.denominator > 1e-3 * i * of_f.norm, in_range);
}

template <class T>
[[gnu::noinline]] void polar_rotation_by_svd(const T f[3][3], T r[3][3]) {
  SvdLanes<T> svd;
  signed_svd(f, svd);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = dot(svd.u[i], svd.v[j]);
}

template <class T>
[[gnu::noinline]] T trace_of_stretch_by_svd(const T f[3][3]) {
  SvdLanes<T> svd;
  signed_svd(f, svd);
  return (svd.s[1] + svd.s[2]) + svd.s[0];
}

// λ = s0 + s1 + s2 alone, for energy values.
template <class T>
T trace_of_stretch(const T f[3][3]) {
  const PolarInvariants<T> of_f(f);
  const StretchTrace<T> trace = trace_by_newton(of_f);
  const auto sound = polar_is_sound(of_f, trace);
  if (all(sound)) [[likely]]
    return trace.value;
  return select(sound, trace.value, trace_of_stretch_by_svd(f));
}

template <class T>
void polar_rotation(const T f[3][3], T r[3][3]) {
  const PolarInvariants<T> of_f(f);
  const StretchTrace<T> trace = trace_by_newton(of_f);
  const T scale = 1.0 / trace.denominator;

  // R before the polish: rows of F times ((λ² + I) 1 − 2 FᵀF), plus 2λ cof F, all over D.
  T weight[3][3];
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b)
      weight[a][b] = weight[b][a] = (-2.0 * scale) * (f[0][a] * f[0][b] + (f[1][a] * f[1][b] + f[2][a] * f[2][b]));
  const T on_diagonal = (trace.value * trace.value + of_f.norm_squared) * scale;
  for (int a = 0; a < 3; ++a) weight[a][a] = weight[a][a] + on_diagonal;
  const T on_cofactor = 2.0 * trace.value * scale;
  T rough[3][3];
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) rough[a][b] = dot(f[a], weight[b]) + on_cofactor * of_f.cofactor[a][b];

  // R (3 − RᵀR)/2, written with rows: (3 − R Rᵀ)/2 R.
  for (int a = 0; a < 3; ++a) {
    T polish[3];
    for (int b = 0; b < 3; ++b) polish[b] = -0.5 * dot(rough[a], rough[b]);
    polish[a] = polish[a] + 1.5;
    for (int b = 0; b < 3; ++b) r[a][b] = polish[0] * rough[0][b] + (polish[1] * rough[1][b] + polish[2] * rough[2][b]);
  }

  const auto sound = polar_is_sound(of_f, trace);
  if (!all(sound)) [[unlikely]] {
    T by_svd[3][3];
    polar_rotation_by_svd(f, by_svd);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) r[a][b] = select(sound, r[a][b], by_svd[a][b]);
  }
}

// --- One matrix ---

[[nodiscard]] inline Mat3 polar_rotation(const Mat3& f) {
  double entries[3][3], r[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries[i][j] = f(i, j);
  polar_rotation(entries, r);
  Mat3 rotation;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) rotation(i, j) = r[i][j];
  return rotation;
}

[[nodiscard]] inline double trace_of_stretch(const Mat3& f) {
  double entries[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries[i][j] = f(i, j);
  return trace_of_stretch(entries);
}

}  // namespace pliant::math
