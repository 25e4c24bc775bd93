// A model in motion: takes steps, retries those that fail, and says what happened.
//
//   Simulation simulation(std::move(model), state, options);
//   while (simulation.state().time < end) { const AdvanceReport report = simulation.advance(0.01); … }
//
// advance() covers a nominal step; where a solve cannot go on it is repeated in halves, quarters, … (docs/step.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/dynamics/model.h"
#include "pliant/dynamics/time_integrator.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "pliant/solver/step_solver.h"

namespace pliant {

// Who solves a step. then_newton: Newton starts where the quasi-Newton iterations end.
enum class StepMethod { newton, quasi_newton, quasi_newton_then_newton };

struct SimulationOptions {
  IntegratorOptions integrator;
  StepMethod method = StepMethod::newton;
  solver::NewtonOptions newton;
  solver::QuasiNewtonOptions quasi_newton;
  int retries = 6;  // how often a failing step is halved: down to 1/64
};

struct StepReport {
  double time = 0;  // s, at the end of the step
  double step = 0;  // s
  solver::SolveReport solve;
};

struct AdvanceReport {
  std::vector<StepReport> steps;  // accepted ones: one, or more after a retry
  int retries = 0;                // failed attempts
  bool reached = true;            // false: could not go on; the state is that of the last accepted step
  StepReport failure;             // the last failed attempt, when there was one
  std::string failed_at;          // "body 'bar', vertex 12"
};

// A step that was solved but not taken.
struct StepTrial {
  solver::SolveReport solve;
  double objective = 0;   // J, g where the solve ended
  BlockVector positions;  // m, there
};

// Energies of a state [J].
struct EnergyBalance {
  double kinetic = 0, elastic = 0, gravity = 0, contact = 0;
  [[nodiscard]] double total() const { return kinetic + elastic + gravity + contact; }
};

class Simulation {
 public:
  Simulation(Model model, State state, const SimulationOptions& options);

  // Moves on by `step` seconds. `end_time` is the time afterwards, given so that rounding does not pile up. on_accepted
  // is called after every accepted step, of which there are several when a retry has split this one.
  [[nodiscard]] AdvanceReport advance(double step, double end_time, parallel::FunctionRef<void()> on_accepted);
  [[nodiscard]] AdvanceReport advance(double step) {
    return advance(step, state_.time + step, [] {});
  }

  // Solves the next step by another solver without taking it.
  [[nodiscard]] StepTrial try_step(double step, solver::StepSolver& solver);

  // What hands pull at from the next step on.
  void set_grips(std::vector<GrippedBlock> grips) { controls_.grips = std::move(grips); }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const SimulationOptions& options() const { return options_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const solver::StepSolver* solver() const { return solver_.get(); }  // null: symplectic Euler

  [[nodiscard]] EnergyBalance energies();
  // Force that pins exert on each block in the last step [N]; zero before the first.
  [[nodiscard]] BlockVector pin_forces();

 private:
  StepReport step(double step, double end_time);
  void begin_step(double step, double end_time);
  void set_pin_targets(double begin, double acting, double end);
  [[nodiscard]] solver::StepProblem make_step_problem(double step) const;
  [[nodiscard]] solver::SolveReport explicit_step(double step);
  void finish_step(double step, double end_time);
  void compute_first_acceleration(double step);
  void add_soft_pin_forces(BlockVector& forces) const;
  void set_clamp_targets(const ScriptedPin& pin, const RigidTransform& motion, bool sets_in);
  void forces_at(const BlockVector& now, const RodFrames& frames, const BlockVector& before, double step,
                 BlockVector& gradient) const;

  Model model_;
  State state_;
  SimulationOptions options_;
  std::unique_ptr<TimeIntegrator> integrator_;  // null: symplectic Euler
  std::unique_ptr<solver::StepSolver> solver_;  // null: symplectic Euler
  // Of the current or last step.
  Controls controls_;
  StepWeights weights_;
  double last_step_ = 0;
  BlockVector before_, velocity_before_, predicted_, now_;
  RodFrames frames_before_;
};

}  // namespace pliant
