// How a step in time becomes a minimisation, and how velocities follow from its solution (docs/step.md).
//
//   scheme              w         θ   inertial target q̃                          after the solve
//   backward_euler      1/h²      1   x + h v                                     v = (x⁺ − x)/h
//   bdf2                1/(βh)²   1   α₁x − α₂x⁻ + βh (α₁v − α₂v⁻)                 v = (x⁺ − α₁x + α₂x⁻)/(βh)
//   implicit_midpoint   1/h²      ½   x + h v                                     v = 2(x⁺ − x)/h − v
//   newmark             1/(βh²)   1   x + h v + h²(½ − β) a                       a = (x⁺ − q̃)/(βh²), v += h((1−γ)a +
//   γa⁺) quasi_static        0         1   –                                           v = 0 symplectic_euler    no
//   solve      v⁺ = v + h M⁻¹f(x),  x⁺ = x + h v⁺
//
// Contact acts at the end of the step; c ∇C of it stands in ∇g, so that the way it makes is that of its force:
//
//   implicit_midpoint   c = θ        way h²/2 f/m, velocity h f/m, as for all forces
//   newmark             c = 1/(2β)   the same, apart from γ and the history: a is without contact
//
// (backward_euler goes h² f/m far, bdf2 β²h² f/m.) The force of an impact is gone in the next step. In Newmark's acceleration
// it acts there once more: a grain let go 0.2 m above a floor came back to 4.3 m. With contact beside it, way and velocity
// are those of midpoint, and for γ = 2β a convex C without friction does work −ΔC at most.
//
// Under newmark and projection joints are apart, too, whose rigid rows have a force for the start of the step and one for its end
// (dynamics/joint_velocities.h), and so is all that turns rigid bodies: R⁺ = F(L + h τ/2) R, L⁺ = L + h τ, F their free turning over
// a step, τ the torque of loads in its middle; joints add to τ as to f.
//
// bdf2 allows the step to change: with ρ = h/h⁻, β = (1+ρ)/(1+2ρ), α₁ = (1+ρ)²/(1+2ρ), α₂ = ρ²/(1+2ρ); its first step
// is backward Euler (one step of lower order does not lower the order of the whole).        [Hairer1993, III.5]
#pragma once

#include <memory>
#include <string>

#include "pliant/configuration/state.h"

namespace pliant {

enum class IntegratorKind { backward_euler, bdf2, implicit_midpoint, newmark, symplectic_euler, quasi_static };

struct IntegratorOptions {
  IntegratorKind kind = IntegratorKind::backward_euler;
  double newmark_beta = 0.25;
  double newmark_gamma = 0.5;
};

struct StepWeights {
  double inertia = 0;  // 1/s², w
  double theta = 1;
  double contact = 1;  // ∇C over the force of contact, c
};

class TimeIntegrator {
 public:
  virtual ~TimeIntegrator() = default;
  [[nodiscard]] virtual StepWeights weights(const State& state, double step) const = 0;
  // Where inertia alone would go [m].
  virtual void predict(const State& state, double step, BlockVector& target) const = 0;
  // Velocities and history from the accepted positions in state; `before` and `target` are those of the step.
  virtual void finish(const BlockVector& before, const BlockVector& target, double step, State& state) const = 0;
  // Whether what contact did must be told besides.
  [[nodiscard]] virtual bool has_contact_apart() const { return false; }
  // acceleration: −M⁻¹ ∇C at the end of the step [m/s²], after finish().
  virtual void set_contact_apart(const BlockVector& /*acceleration*/, double /*step*/, State&) const {}
};

// For every kind but symplectic_euler, which solves nothing.
[[nodiscard]] std::unique_ptr<TimeIntegrator> make_integrator(const IntegratorOptions& options);

}  // namespace pliant
