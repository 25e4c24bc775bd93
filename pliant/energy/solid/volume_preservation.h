// A spring against changes of volume: distance of F to the gradients of determinant one, added to any material.
//
//   Ψ = k/2 min_{det G = 1} ‖F − G‖²                 k stiffness [Pa]                       [Liu2018, sec. 6.2]
//
// At rest it is Hooke's law with λ = k/3, μ = 0. Inverted elements are pulled back out: the stretches are signed, and
// the nearest ones are all positive.
//
// The nearest stretches t of s₀ ≥ s₁ ≥ |s₂| satisfy, with a Lagrange multiplier η,
//   t₀ t₁ t₂ = 1,   t_i (t_i − s_i) = η   for all i.
// Deviation: the reference linearises the first (SQP). We take z = t₂ as the unknown, which gives η = z (z − s₂),
// t_i = (s_i + √(s_i² + 4η))/2 for i = 0, 1, and one equation φ(z) = z t₀ t₁ − 1 = 0. φ(0) < 0 ≤ φ(max(1, s₂)), and
// roots where φ rises are minima of the distance. There is one, except where all three stretches are near 2 or larger:
// then the nearest G squeezes one direction only and SQP ends at a saddle, t = (1, 1, 1) for s = (2.5, 2.5, 2.5). Where
// two roots are possible both are found, and the nearer one counts; Ψ has a kink where they are equally near.
//
// In principal stretches, c_i = t_i (2t_i − s_i) and N = c₀c₁ + c₀c₂ + c₁c₂ (positive at minima):
//   ∂t_i/∂s_i = t_i² (c_j + c_k)/N,   ∂t_i/∂s_j = −t_i t_j c_k/N,   flip_k = k η/(t_i t_j + η),  twist_k = k η/(η − t_i t_j)
#pragma once

#include "pliant/energy/solid/corotated.h"
#include "pliant/energy/solid/distance_law.h"
#include "pliant/energy/solid/hyperelastic_tets.h"

namespace pliant::solid {

struct VolumePreservation : DistanceLaw<VolumePreservation> {
  static constexpr std::string_view kName = "volume_preservation";
  static constexpr int kParameterCount = 1;  // k [Pa]
  static constexpr SolidStrain kSoftStrain = SolidStrain::volume;

  template <class T>
  static void nearest(const T*, const T s[3], T t[3]) {
    const T one = math::constant<T>(1);
    t[2] = squeeze(s, math::max(one, s[2]));
    with_squeeze(s, t);
    if (!math::any(s[2] > kFoldFrom)) return;
    // From below: s₀ s₁ is more than t₀ t₁ at any root below s₂.
    T other[3];
    other[2] = squeeze(s, T(one / (math::max(s[0], one) * math::max(s[1], one))));
    with_squeeze(s, other);
    const auto nearer = half_square(one, s, other) < half_square(one, s, t);
    for (int i = 0; i < 3; ++i) t[i] = math::select(nearer, other[i], t[i]);
  }

  template <class T>
  static void principal(const T p[1], const T s[3], PrincipalDerivatives<T>& d) {
    // Of N and of divisors that vanish with the sum of two stretches, or where two minima meet.
    const T smallest = math::constant<T>(1e-9);
    T t[3], c[3];
    nearest(p, s, t);
    d.density = half_square(p[0], s, t);
    for (int i = 0; i < 3; ++i) {
      d.first[i] = p[0] * (s[i] - t[i]);
      c[i] = t[i] * (2.0 * t[i] - s[i]);
    }
    const T eta = t[2] * (t[2] - s[2]);
    const T per_n = p[0] / math::max(T(c[0] * c[1] + c[2] * (c[0] + c[1])), smallest);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      d.second[i] = p[0] - per_n * t[i] * t[i] * (c[j] + c[k]);
      d.second[3 + i] = per_n * t[j] * t[k] * c[i];
      d.flip[i] = p[0] * eta / math::max(T(t[j] * t[k] + eta), smallest);
      d.twist[i] = twist_quotient<T>(d.first[j] + d.first[k], s[j] + s[k]);
    }
  }

 private:
  // Two minima were found from s₂ = 1.79 on, s = (1.89, 1.79, 1.79), in a search of all s on a grid of 0.005.
  static constexpr double kFoldFrom = 1.7;
  static constexpr int kMostIterations = 80;  // Newton takes 4 to 7; all would be bisections

  // t₀ and t₁ from t₂ = z.
  template <class T>
  static void with_squeeze(const T s[3], T t[3]) {
    const T eta = t[2] * (t[2] - s[2]), zero = math::constant<T>(0);
    for (int i = 0; i < 2; ++i) t[i] = 0.5 * (s[i] + math::sqrt(math::max(T(s[i] * s[i] + 4.0 * eta), zero)));
  }

  // A root z of φ at which it rises, by Newton from `start`, kept within the interval that φ's signs allow.
  template <class T>
  static T squeeze(const T s[3], T start) {
    const T zero = math::constant<T>(0), tiny = math::constant<T>(1e-300);
    T low = zero, high = math::max(math::constant<T>(1), s[2]), z = start;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      const T eta = z * (z - s[2]), slope = 2.0 * z - s[2];  // η and ∂η/∂z
      T t[2], turn[2];
      for (int i = 0; i < 2; ++i) {
        const T root = math::sqrt(math::max(T(s[i] * s[i] + 4.0 * eta), zero));
        t[i] = 0.5 * (s[i] + root);
        turn[i] = slope / math::max(root, tiny);
      }
      const T phi = z * t[0] * t[1] - 1.0;
      const T rise = t[0] * t[1] + z * (turn[0] * t[1] + turn[1] * t[0]);
      high = math::select(phi > zero, z, high);
      low = math::select(phi > zero, low, z);
      const T newton = z - phi / math::max(rise, tiny);
      const auto inside = math::both(rise > zero, math::both(newton >= low, newton <= high));
      const T next = math::select(inside, newton, T(0.5 * (low + high)));
      const T change = math::abs(next - z);
      z = next;
      if (math::all(change <= 4e-16 * z)) break;
    }
    return z;
  }
};

extern template class HyperelasticTets<VolumePreservation>;

}  // namespace pliant::solid
