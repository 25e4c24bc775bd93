#include "pliant/dynamics/time_integrator.h"

#include "pliant/assert.h"

namespace pliant {
namespace {

using sparse::add_scaled;
using sparse::combine;

class BackwardEuler final : public TimeIntegrator {
 public:
  [[nodiscard]] StepWeights weights(const State&, double step) const override { return {1 / (step * step), 1}; }
  void predict(const State& state, double step, BlockVector& target) const override {
    combine(target, 1, state.positions, step, state.velocities);
  }
  void finish(const BlockVector& before, const BlockVector&, double step, State& state) const override {
    combine(state.velocities, 1 / step, state.positions, -1 / step, before);
  }
};

class Bdf2 final : public TimeIntegrator {
 public:
  [[nodiscard]] StepWeights weights(const State& state, double step) const override {
    const double beta = Coefficients(state, step).beta;
    return {1 / (beta * beta * step * step), 1};
  }
  void predict(const State& state, double step, BlockVector& target) const override {
    const Coefficients c(state, step);
    combine(target, c.alpha1, state.positions, c.beta * step * c.alpha1, state.velocities);
    if (c.alpha2 == 0) return;
    add_scaled(target, -c.alpha2, state.previous_positions);
    add_scaled(target, -c.alpha2 * c.beta * step, state.previous_velocities);
  }
  void finish(const BlockVector& before, const BlockVector&, double step, State& state) const override {
    const Coefficients c(state, step);
    const BlockVector velocities = state.velocities;
    const double rate = 1 / (c.beta * step);
    combine(state.velocities, rate, state.positions, -rate * c.alpha1, before);
    if (c.alpha2 != 0) add_scaled(state.velocities, rate * c.alpha2, state.previous_positions);
    state.previous_positions = before;
    state.previous_velocities = velocities;
  }

 private:
  struct Coefficients {
    double alpha1 = 1, alpha2 = 0, beta = 1;  // backward Euler, when there is no history
    Coefficients(const State& state, double step) {
      if (state.previous_positions.size() == 0) return;
      const double ratio = step / state.previous_step;
      alpha1 = (1 + ratio) * (1 + ratio) / (1 + 2 * ratio);
      alpha2 = ratio * ratio / (1 + 2 * ratio);
      beta = (1 + ratio) / (1 + 2 * ratio);
    }
  };
};

class ImplicitMidpoint final : public TimeIntegrator {
 public:
  [[nodiscard]] StepWeights weights(const State&, double step) const override { return {1 / (step * step), 0.5, 0.5}; }
  void predict(const State& state, double step, BlockVector& target) const override {
    combine(target, 1, state.positions, step, state.velocities);
  }
  void finish(const BlockVector& before, const BlockVector&, double step, State& state) const override {
    combine(state.velocities, -1, state.velocities, 2 / step, state.positions);
    add_scaled(state.velocities, -2 / step, before);
  }
};

class Newmark final : public TimeIntegrator {
 public:
  Newmark(double beta, double gamma) : beta_(beta), gamma_(gamma) {}
  [[nodiscard]] StepWeights weights(const State&, double step) const override {
    return {1 / (beta_ * step * step), 1, 1 / (2 * beta_)};
  }
  void predict(const State& state, double step, BlockVector& target) const override {
    PLIANT_ASSERT(state.accelerations.size() == state.positions.size(),
                  "the simulation computes the first acceleration");
    combine(target, 1, state.positions, step, state.velocities);
    add_scaled(target, step * step * (0.5 - beta_), state.accelerations);
  }
  void finish(const BlockVector&, const BlockVector& target, double step, State& state) const override {
    add_scaled(state.velocities, step * (1 - gamma_), state.accelerations);
    const double rate = 1 / (beta_ * step * step);
    combine(state.accelerations, rate, state.positions, -rate, target);
    add_scaled(state.velocities, step * gamma_, state.accelerations);
  }
  [[nodiscard]] bool has_contact_apart() const override { return true; }
  // finish() gave velocities h γ of it; f/m is 2β of it.
  void set_contact_apart(const BlockVector& acceleration, double step, State& state) const override {
    add_scaled(state.velocities, step * (2 * beta_ - gamma_), acceleration);
    add_scaled(state.accelerations, -1, acceleration);
  }

 private:
  double beta_, gamma_;
};

class QuasiStatic final : public TimeIntegrator {
 public:
  [[nodiscard]] StepWeights weights(const State&, double) const override { return {0, 1}; }
  void predict(const State& state, double, BlockVector& target) const override { target = state.positions; }
  void finish(const BlockVector&, const BlockVector&, double, State& state) const override {
    sparse::set_zero(state.velocities);
  }
};

}  // namespace

std::unique_ptr<TimeIntegrator> make_integrator(const IntegratorOptions& options) {
  switch (options.kind) {
    case IntegratorKind::backward_euler:
      return std::make_unique<BackwardEuler>();
    case IntegratorKind::bdf2:
      return std::make_unique<Bdf2>();
    case IntegratorKind::implicit_midpoint:
      return std::make_unique<ImplicitMidpoint>();
    case IntegratorKind::newmark:
      return std::make_unique<Newmark>(options.newmark_beta, options.newmark_gamma);
    case IntegratorKind::quasi_static:
      return std::make_unique<QuasiStatic>();
    case IntegratorKind::symplectic_euler:
      break;
  }
  PLIANT_ASSERT(false, "symplectic Euler solves no step problem");
  return nullptr;
}

}  // namespace pliant
