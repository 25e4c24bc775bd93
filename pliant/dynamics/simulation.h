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

#include "pliant/contact/contact_quality.h"
#include "pliant/dynamics/model.h"
#include "pliant/dynamics/sleeping.h"
#include "pliant/dynamics/time_integrator.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/newton/newton.h"
#include "pliant/solver/projection/pressed_surfaces.h"
#include "pliant/solver/projection/projection.h"
#include "pliant/solver/quasi_newton/quasi_newton.h"
#include "pliant/solver/step_solver.h"

namespace pliant {

// Who solves a step. then_newton: Newton starts where the quasi-Newton iterations end.
enum class StepMethod { newton, quasi_newton, quasi_newton_then_newton, projection };

// What a solver with a constant matrix does about it when the model is torn:
//   refactor     factors the torn model's matrix at once
//   keep         goes on with the first model's: no cost, more iterations
//   background   goes on with an earlier one while the new one is factored beside the time steps. It is taken up after a
//                fixed number of steps, ready or not, so that results do not depend on how fast it was
// HandOver always does the first.
enum class AfterTears { refactor, keep, background };

struct SimulationOptions {
  IntegratorOptions integrator;
  StepMethod method = StepMethod::newton;
  solver::NewtonOptions newton;
  solver::QuasiNewtonOptions quasi_newton;
  solver::ProjectionOptions projection;
  AfterTears after_tears = AfterTears::background;
  int background_steps = 4;  // after so many steps a factor from the background is taken up, at most twice as many
  contact::ContactOptions contact;  // barriers under newton, springs under quasi_newton
  contact::PenaltyOptions penalty;  // springs
  contact::ProjectedOptions projected;
  SleepOptions sleep;  // under projection, with contact
  int retries = 6;     // how often a failing step is halved: down to 1/64
};

struct StepReport {
  double time = 0;  // s, at the end of the step
  double step = 0;  // s
  solver::SolveReport solve;
  contact::ContactQuality contact_quality;
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

  // Goes on with a model of another topology (a tear, a cut); its block b comes from block source[b] of the present one.
  void replace_model(Model next, const std::vector<int>& source) {
    replace_model(std::move(next), source, state_.step_count);
  }
  // The same for a run that is taken up again, in which this happened after `since` steps; restore() follows.
  void replace_model(Model next, const std::vector<int>& source, std::int64_t since);
  // Goes on from another state of the present model.
  void restore(State state);

  // What hands pull at from the next step on.
  void set_grips(std::vector<GrippedBlock> grips) { controls_.grips = std::move(grips); }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const SimulationOptions& options() const { return options_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const solver::StepSolver* solver() const { return solver_.get(); }  // null: symplectic Euler

  [[nodiscard]] EnergyBalance energies();
  // What acts between bodies at the end of the last step.
  [[nodiscard]] std::vector<contact::ContactForce> contact_forces() const;
  [[nodiscard]] contact::ContactSummary contact_summary() const;
  [[nodiscard]] const contact::ContactQuality& contact_quality() const { return contact_quality_; }
  // Null where nothing touches.
  [[nodiscard]] const contact::ContactRecord* contact() const { return record(); }
  // Force that pins exert on points and centres of bodies in the last step [N]; zero before the first and after a change of model.
  [[nodiscard]] BlockVector pin_forces();

 private:
  StepReport step(double step, double end_time);
  void begin_step(double step, double end_time);
  void predict(double step);
  void set_pin_targets(double begin, double acting, double end);
  void hold_unborn(double begin);
  [[nodiscard]] int parts_for_pressure(double step, double end_time) const;
  [[nodiscard]] solver::StepProblem make_step_problem(double step) const;
  [[nodiscard]] solver::SolveReport explicit_step(double step);
  void finish_step(double step, double end_time, const solver::SolveReport& solve);
  void compute_first_acceleration(double step);
  void set_apart(double step, const solver::SolveReport& solve);
  [[nodiscard]] std::vector<Vec3> load_torques(double begin, double step);
  [[nodiscard]] std::vector<double> settle_joints(double step, const solver::SolveReport& solve);
  [[nodiscard]] bool is_turned_apart() const;
  [[nodiscard]] BlockVector contact_gradient() const;
  void add_soft_pin_forces(BlockVector& forces) const;
  void take_joints_by_their_pulls(BlockVector& gradient) const;
  void set_clamp_targets(const ScriptedPin& pin, const RigidTransform& motion, bool sets_in);
  void find_lasting_pins();
  [[nodiscard]] double first_contact_pressure(double step) const;
  [[nodiscard]] double first_spring_pressure(double step) const;
  [[nodiscard]] contact::ContactRecord* record() const {
    if (barrier_) return barrier_.get();
    if (penalty_) return penalty_.get();
    return projected_.get();
  }
  void choose_matrix(solver::StepProblem& problem);
  void forces_at(const BlockVector& now, const RodFrames& frames, const BlockVector& before, double step,
                 BlockVector& gradient) const;

  // A model that was replaced, while its matrix is still in use.
  struct PastModel {
    std::int64_t since = 0;  // steps that had been taken when it came
    Model model;
    std::vector<int> row_of_block;  // per block of the present model
  };

  Model model_;
  std::int64_t model_since_ = 0;
  std::vector<std::unique_ptr<PastModel>> past_;  // oldest first
  State state_;
  SimulationOptions options_;
  std::unique_ptr<TimeIntegrator> integrator_;          // null: symplectic Euler
  std::unique_ptr<solver::StepSolver> solver_;          // null: symplectic Euler
  std::unique_ptr<contact::ContactPotential> barrier_;  // at most one of the three
  std::unique_ptr<contact::PenaltyContact> penalty_;
  std::unique_ptr<contact::ProjectedContact> projected_;
  Sleeping sleeping_;
  contact::ContactQuality contact_quality_;  // of the last step
  // Of the current or last step.
  Controls controls_;
  StepWeights weights_;
  double last_step_ = 0;
  int part_count_ = 1;  // of the nominal step
  solver::LastingPins lasting_;
  std::vector<solver::PressedSurface> pressed_;  // under projection
  BlockVector before_, velocity_before_, predicted_, now_;
  RodFrames frames_before_;
  std::vector<RigidFrame> frames_;  // of rigid bodies
  BlockVector joint_pulls_;         // N, of solvers that hold joints by forces
  std::vector<Vec3> load_torques_;  // N m, of loads in the middle of the step, per rigid body, where they act apart
};

}  // namespace pliant
