// A material law continued below a volume ratio ε, so that crushed and inverted elements get finite, restoring forces.
//
// For stretches s with J = s₀s₁s₂ < ε, the straight line from the rest state r = (1,1,1) to s meets J = ε first at
// q = r + t e, e = s − r. Beyond q the energy is its second-order Taylor polynomial along that line:
//
//   Ψ_ext(s) = Ψ(q) + Ψ'(q)·δ + ½ δᵀ Ψ''(q) δ,     δ = s − q = (1 − t) e          [Verschoor2019, D.71-D.72]
//
// C¹ at the switch. Its derivatives need third and fourth ones of Ψ, and those of t: second-order dual numbers give
// them exactly for any law (for neo-Hookean the gradient has a closed form, with which a test compares).
#pragma once

#include "pliant/energy/solid/hyperelastic_law.h"
#include "pliant/math/second_order_dual.h"

namespace pliant::solid {

// Twist and flip eigenvalues by their definition, with the limit where two stretches meet.
inline void divide_pairs(const double s[3], PrincipalDerivatives<double>& d) {
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double difference = s[i] - s[j], sum = s[i] + s[j];
    // Below 1e-5 the quotient loses more digits than the limit ½(Ψ_ii + Ψ_jj) − Ψ_ij, which errs by O(difference²).
    d.flip[k] = std::abs(difference) > 1e-5 ? (d.first[i] - d.first[j]) / difference
                                            : 0.5 * (d.second[i] + d.second[j]) - d.second[3 + k];
    d.twist[k] = (d.first[i] + d.first[j]) / math::max(sum, 1e-9);
  }
}

// The smallest t in (0, 1) with (1 + t e₀)(1 + t e₁)(1 + t e₂) = ε, given that t = 1 is already below ε < 1.
inline double first_crossing(const double e[3], double epsilon) {
  const auto volume = [&](double t) { return (1 + t * e[0]) * (1 + t * e[1]) * (1 + t * e[2]); };
  // J(t) is a cubic: between its stationary points it is monotone, so the first interval whose end is below ε holds it.
  const double c1 = e[0] + e[1] + e[2], c2 = e[0] * e[1] + e[1] * e[2] + e[0] * e[2], c3 = e[0] * e[1] * e[2];
  double low = 0, high = 1;
  const double discriminant = c2 * c2 - 3 * c1 * c3;
  if (discriminant > 0 && c3 != 0) {
    const double root = std::sqrt(discriminant);
    const double t1 = (-c2 - root) / (3 * c3), t2 = (-c2 + root) / (3 * c3);
    for (const double t : {math::min(t1, t2), math::max(t1, t2)}) {
      if (t > low && t < high) {
        if (volume(t) < epsilon)
          high = t;
        else
          low = t;
      }
    }
  }
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (volume(middle) < epsilon ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// All principal derivatives of Ψ_ext at stretches s with s₀s₁s₂ < epsilon.
template <IsotropicLaw Law>
void extrapolate(const Law& law, const double* parameters, const double s[3], double epsilon,
                 PrincipalDerivatives<double>& d) {
  using Dual = math::SecondOrderDual;
  Dual e[3], q[3], p[Law::kParameterCount > 0 ? Law::kParameterCount : 1];
  for (int i = 0; i < 3; ++i) e[i] = Dual::variable(s[i] - 1, i);
  for (int i = 0; i < Law::kParameterCount; ++i) p[i] = Dual(parameters[i]);

  // t and its derivatives: two Newton steps in dual numbers from the converged root add one order of derivative each.
  const double direction[3] = {e[0].value, e[1].value, e[2].value};
  Dual t(first_crossing(direction, epsilon));
  for (int i = 0; i < 3; ++i) {
    const Dual a = 1.0 + t * e[0], b = 1.0 + t * e[1], c = 1.0 + t * e[2];
    t = t - (a * b * c - epsilon) / (e[0] * b * c + a * e[1] * c + a * b * e[2]);
  }

  // Taylor polynomial of Ψ at q.
  for (int i = 0; i < 3; ++i) q[i] = 1.0 + t * e[i];
  PrincipalDerivatives<Dual> at_q;
  law.principal(p, q, at_q);
  const Dual rest = 1.0 - t;
  Dual psi = at_q.density;
  for (int i = 0; i < 3; ++i) {
    psi += rest * e[i] * at_q.first[i] + 0.5 * rest * rest * e[i] * e[i] * at_q.second[i];
    psi += rest * rest * e[(i + 1) % 3] * e[(i + 2) % 3] * at_q.second[3 + i];
  }

  d.density = psi.value;
  for (int i = 0; i < 3; ++i) {
    d.first[i] = psi.gradient[i];
    d.second[i] = psi.hessian[i][i];
    d.second[3 + i] = psi.hessian[(i + 1) % 3][(i + 2) % 3];
  }
  divide_pairs(s, d);
}

}  // namespace pliant::solid
