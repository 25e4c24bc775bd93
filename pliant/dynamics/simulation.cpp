#include "pliant/dynamics/simulation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pliant/assert.h"
#include "pliant/constraint/joint_energy.h"
#include "pliant/dynamics/joint_motion.h"
#include "pliant/dynamics/joint_velocities.h"
#include "pliant/dynamics/revision.h"
#include "pliant/dynamics/rigid_motion.h"
#include "pliant/energy/attachment/soft_pin.h"
#include "pliant/energy/load/point_loads.h"
#include "pliant/energy/weighted.h"
#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/quasi_newton/hand_over.h"
#include "pliant/sparse/symmetric_scalar_matrix.h"

namespace pliant {
namespace {

// State::pin_since of a pin that is off.
constexpr double kOff = -std::numeric_limits<double>::infinity();

// How much more than that the barrier bears at half a gap: folds press harder than what lies on them. Of 1, 10, 100 and
// 1000, 10 takes the fewest iterations on a draped cloth (20.1, 18.9, 24.8, 23.2 per step) and as few as any on a flag in
// the wind (8.6), whose creases 1 pinches to 1e-6 of the contact distance.
constexpr double kBarrierMargin = 10;
// The same for springs: a larger one is stiffer, and a matrix that does not know it needs more iterations.
constexpr double kSpringMargin = 10;
// Of a solid's own stiffness at its surface: what its springs have at least. Ten times as much and ten iterations are not
// enough for a block that lands, a tenth and a bunny that is squeezed sinks in by 4 % of its height.
constexpr double kSpringOfSolid = 0.1;
// A gap below this part of the contact distance asks for a stiffer barrier.
constexpr double kTooNear = 0.01;
// Parts of a step for the sake of light surfaces under pressure, at most. They are meant for a few dozen.
constexpr double kMostParts = 256;

// Whether a run may go on from a solve: its result is honest, even if the tolerance was not reached.
bool can_go_on(solver::SolveStatus status) {
  return is_success(status) || status == solver::SolveStatus::iteration_limit || status == solver::SolveStatus::stalled;
}

bool is_joint(const Energy& energy) { return dynamic_cast<const constraint::JointEnergy*>(&energy) != nullptr; }

// Holds a block as a pin asks and notes its target. A block may be held by several pins along different directions:
// each adds the part of its target that was still free, so where they overlap the first one wins.
void hold(const ScriptedPin& pin, const HeldBlock& wanted, std::vector<int>& place, Controls& controls) {
  const int block = wanted.block;
  const Mat3 free_before = controls.filter.projector(block);
  if (pin.holds_all) {
    controls.filter.hold(block);
  } else {
    for (const Vec3& direction : pin.directions) controls.filter.hold(block, direction);
  }
  if (place[block] < 0) {
    place[block] = static_cast<int>(controls.held.size());
    controls.held.push_back(wanted);
    return;
  }
  HeldBlock& kept = controls.held[place[block]];
  const Mat3 added = free_before - controls.filter.projector(block);
  kept.target += added * (wanted.target - kept.target);
  kept.velocity += added * (wanted.velocity - kept.velocity);
}

double fastest(const BlockVector& velocities, const DofLayout& layout) {
  return parallel_max(velocities.size(), 0, [&](int begin, int end) {
    double speed = 0;
    for (int i = begin; i < end; ++i) speed = std::max(speed, velocities[i].norm() * layout.length(i));
    return speed;
  });
}

}  // namespace

Simulation::Simulation(Model model, State state, const SimulationOptions& options)
    : model_(std::move(model)), options_(options) {
  PLIANT_ASSERT(
      model_.rigids.empty() || options_.integrator.kind == IntegratorKind::backward_euler || is_turned_apart(),
      "rigid bodies turn by the rule of backward Euler, or by impulses in the middle of the step");
  if (options_.integrator.kind != IntegratorKind::symplectic_euler) {
    integrator_ = make_integrator(options_.integrator);
    switch (options_.method) {
      case StepMethod::newton:
        solver_ = std::make_unique<solver::Newton>(options_.newton);
        break;
      case StepMethod::quasi_newton:
        solver_ = std::make_unique<solver::QuasiNewton>(options_.quasi_newton);
        break;
      case StepMethod::quasi_newton_then_newton:
        solver_ = std::make_unique<solver::HandOver>(options_.quasi_newton, options_.newton);
        break;
      case StepMethod::projection:
        solver_ = std::make_unique<solver::Projection>(options_.projection);
    }
  }
  restore(std::move(state));
}

void Simulation::restore(State state) {
  state_ = std::move(state);
  PLIANT_ASSERT(state_.positions.size() == model_.layout.block_count(), "the state belongs to the model");
  // History that this integrator does not keep would be stale if a later run took it up again.
  if (options_.integrator.kind != IntegratorKind::newmark) state_.accelerations = {};
  if (options_.integrator.kind != IntegratorKind::bdf2) state_.previous_positions = state_.previous_velocities = {};
  state_.pin_since.resize(model_.pins.size(), kOff);
  state_.pin_anchors.resize(model_.anchor_count(), Vec3::Zero());
  resize_memory(model_, state_.joints);
  const bool can_sleep = model_.contact && integrator_ && options_.method == StepMethod::projection;
  sleeping_ = Sleeping(model_, can_sleep ? options_.sleep : SleepOptions{});
  sleeping_.resize_memory(model_, state_.sleep);
  predicted_.resize(state_.positions.size());
  frames_.clear();
  for (const RigidBody& rigid : model_.rigids) frames_.push_back(rigid.frame);
  find_lasting_pins();
  pressed_.clear();
  if (integrator_ && options_.method == StepMethod::projection)
    pressed_ = solver::find_pressed_surfaces(model_.energies, model_.layout.block_count());
  barrier_ = nullptr;
  penalty_ = nullptr;
  projected_ = nullptr;
  contact_quality_ = {};
  joint_pulls_ = {};
  if (model_.contact && integrator_ && options_.method == StepMethod::newton)
    barrier_ = std::make_unique<contact::ContactPotential>(model_.contact, options_.contact);
  if (model_.contact && integrator_ && options_.method == StepMethod::quasi_newton)
    penalty_ = std::make_unique<contact::PenaltyContact>(model_.contact, options_.contact, options_.penalty);
  if (model_.contact && integrator_ && options_.method == StepMethod::projection)
    projected_ = std::make_unique<contact::ProjectedContact>(model_.contact, options_.contact, options_.projected,
                                                             frames_, model_.pieces);
  begin_step(0, state_.time);  // pins and loads of the first moment, for those who ask before the first step
}

// --- One step ---

StepReport Simulation::step(double step, double end_time) {
  StepReport report{end_time, step, {}, {}};
  begin_step(step, end_time);  // remember the last configuration, move scripted parts
  if (!integrator_) {
    report.solve = explicit_step(step);  // symplectic Euler has nothing to solve
    return report;
  }
  weights_ = integrator_->weights(state_, step);
  predict(step);  // where inertia alone would go
  if ((barrier_ || penalty_) && state_.contact_pressure == 0)
    state_.contact_pressure = penalty_ ? first_spring_pressure(step) : first_contact_pressure(step);
  solver::StepProblem problem = make_step_problem(step);  // references only, no work
  choose_matrix(problem);                                 // of a torn model, perhaps an earlier one
  now_ = before_;
  report.solve = solver_->solve(problem, now_);  // the one loop
  if (projected_ && can_go_on(report.solve.status) && sleeping_.wake_touched(projected_->found_forces(), state_))
    return this->step(step, end_time);  // as if they had been awake
  if (can_go_on(report.solve.status)) {
    finish_step(step, end_time, report.solve);  // positions, velocities, history, time
    const bool is_unweighted = projected_ && weights_.contact == 1;
    contact_quality_ = is_unweighted ? contact::contact_quality(projected_->found_forces())
                                     : contact::contact_quality(contact_forces());
    report.contact_quality = contact_quality_;
  }
  return report;
}

void Simulation::begin_step(double step, double end_time) {
  before_ = state_.positions;
  velocity_before_ = state_.velocities;
  frames_before_ = state_.rod_frames;
  last_step_ = step;
  // Hard pins arrive at the end of the step; loads and soft pins act at the time at which energies are evaluated.
  const double theta = options_.integrator.kind == IntegratorKind::implicit_midpoint ? 0.5 : 1.0;
  const double acting_time = end_time - (1 - theta) * step;
  set_pin_targets(end_time - step, acting_time, end_time);
  hold_unborn(end_time - step);
  if (record() != nullptr) {
    controls_.obstacle_before = model_.obstacle_points(end_time - step);
    controls_.obstacle_points = model_.obstacle_points(end_time);
  }
  sleeping_.begin_step(model_, end_time - step, end_time, state_, controls_);
  set_joint_controls(model_, state_.joints, end_time - step, acting_time, controls_);
  controls_.time = end_time;
  controls_.load_values.clear();
  for (const LoadCurve& load : model_.loads) controls_.load_values.push_back(load.at(acting_time));
  controls_.rest_lengths.clear();
  for (const RestAnimation& animation : model_.rest_animations)
    controls_.rest_lengths.push_back(animation.at(acting_time));
  const bool needs_acceleration =
      step > 0 && options_.integrator.kind == IntegratorKind::newmark && state_.accelerations.size() == 0;
  if (needs_acceleration) compute_first_acceleration(step);
}

void Simulation::predict(double step) {
  integrator_->predict(state_, step, predicted_);
  predict_turning(model_.rigids, state_.positions, state_.velocities, step, predicted_);
  load_torques_.clear();
  if (is_turned_apart()) load_torques_ = load_torques(state_.time, step);
}

// Joints, and all that turns rigid bodies, act in the middle of the step, apart from Newmark's acceleration.
bool Simulation::is_turned_apart() const {
  return options_.method == StepMethod::projection && options_.integrator.kind == IntegratorKind::newmark;
}

// N m, per rigid body, half way through the step that begins now, with the body half way round.
std::vector<Vec3> Simulation::load_torques(double begin, double step) {
  std::vector<Vec3> torques(model_.rigids.size(), Vec3::Zero());
  if (model_.rigids.empty() || model_.loads.empty()) return torques;
  BlockVector middle = state_.positions, gradient(middle.size());
  for (const RigidFrame& frame : frames_) {
    const Mat3 turn = math::half_way(rotation_of(frame, state_.positions), rotation_of(frame, predicted_));
    set_rotation(frame, turn, middle);
  }
  const std::vector<Vec3> at_end = controls_.load_values;
  for (std::size_t l = 0; l < model_.loads.size(); ++l)
    controls_.load_values[l] = model_.loads[l].at(begin + 0.5 * step);
  Accumulator out;
  out.gradient = &gradient;
  for (const auto& energy : model_.energies) {
    if (dynamic_cast<const PointLoads*>(energy.get()) != nullptr)
      energy->evaluate({middle, middle, step, controls_}, out);
  }
  controls_.load_values = at_end;
  for (std::size_t k = 0; k < torques.size(); ++k) {
    for (int i = 0; i < 3; ++i) {
      const int axis = frames_[k].axis(i);
      torques[k] -= Vec3(middle[axis]).cross(Vec3(gradient[axis]));
    }
  }
  return torques;
}

// Pins that are on during (begin, end): a pin that sets in remembers where and when, and moves from there.
void Simulation::set_pin_targets(double begin, double acting, double end) {
  controls_.filter = BlockFilter(model_.layout.block_count());
  controls_.held.clear();
  controls_.soft_pin_active.assign(model_.soft_pin_count, 0);
  controls_.soft_pin_targets.assign(model_.anchor_count(), Vec3::Zero());
  std::vector<int> place(model_.layout.block_count(), -1);  // of a block in controls_.held
  for (std::size_t p = 0; p < model_.pins.size(); ++p) {
    const ScriptedPin& pin = model_.pins[p];
    const bool active = begin >= pin.from - kTimeTolerance && begin < pin.until - kTimeTolerance;
    const bool sets_in = active && state_.pin_since[p] == kOff;
    // A released block falls, a caught one stops: accelerations start anew.
    if (sets_in || (!active && state_.pin_since[p] != kOff)) state_.accelerations = {};
    if (!active) {
      state_.pin_since[p] = kOff;
      continue;
    }
    if (sets_in) state_.pin_since[p] = state_.time;
    const bool is_soft = pin.soft_pin >= 0;
    const RigidTransform motion = pin.motion.between(state_.pin_since[p], is_soft ? acting : end);
    const bool is_fast = is_turned_apart() && !model_.joints.empty() && !pin.motion.is_still();
    const RigidTransform earlier = is_fast ? pin.motion.between(state_.pin_since[p], end - kScriptMoment) : motion;
    const RigidTransform later = is_fast ? pin.motion.between(state_.pin_since[p], end + kScriptMoment) : motion;
    for (std::size_t v = 0; v < pin.blocks.size(); ++v) {
      const int block = pin.blocks[v], anchor = pin.first_anchor + static_cast<int>(v);
      if (sets_in) state_.pin_anchors[anchor] = state_.positions[block];
      // An axis of a rigid body is a direction.
      const bool is_axis = model_.layout.kind(block) == BlockKind::rigid_axis;
      const Vec3& place_then = state_.pin_anchors[anchor];
      const auto place_at = [&](const RigidTransform& t) {
        return is_axis ? Vec3(t.rotation * place_then) : t * place_then;
      };
      const Vec3 target = place_at(motion);
      controls_.soft_pin_targets[anchor] = target;
      if (is_soft) continue;
      const Vec3 velocity = (place_at(later) - place_at(earlier)) / (2 * kScriptMoment);
      hold(pin, {block, target, velocity}, place, controls_);
    }
    if (is_soft) controls_.soft_pin_active[pin.soft_pin] = 1;
    if (!pin.edges.empty()) set_clamp_targets(pin, motion, sets_in);
  }
}

// Grains whose time has not come at the start of the step. Their velocity is kept for them (finish_step).
void Simulation::hold_unborn(double begin) {
  const std::size_t before = controls_.to_come.size();
  controls_.to_come.clear();
  for (auto birth = model_.births.rbegin(); birth != model_.births.rend(); ++birth) {
    if (birth->time <= begin + kTimeTolerance) break;
    controls_.to_come.push_back(birth->block);
    hold_still(birth->block, state_.positions[birth->block], controls_);
  }
  // What is born falls: accelerations start anew.
  if (controls_.to_come.size() < before) state_.accelerations = {};
}

void Simulation::find_lasting_pins() {
  lasting_.held.assign(static_cast<std::size_t>(model_.layout.block_count()), 0);
  lasting_.soft_pins.assign(static_cast<std::size_t>(model_.soft_pin_count), 0);
  for (const ScriptedPin& pin : model_.pins) {
    if (pin.from > 0 || pin.until != std::numeric_limits<double>::infinity()) continue;
    if (pin.soft_pin >= 0) {
      lasting_.soft_pins[static_cast<std::size_t>(pin.soft_pin)] = 1;
    } else if (pin.holds_all) {
      for (const int block : pin.blocks) lasting_.held[static_cast<std::size_t>(block)] = 1;
    }
  }
}

// A clamped edge keeps its material frame relative to the pin: the angle from the reference director, carried to the
// edge's place at the end of the step, to the material director that has turned with the pin.
void Simulation::set_clamp_targets(const ScriptedPin& pin, const RigidTransform& motion, bool sets_in) {
  for (std::size_t e = 0; e < pin.edges.size(); ++e) {
    const auto [index, from, to] = pin.edges[e];
    const RodEdge& edge = model_.rods.edges[index];
    const Vec3 tangent_now = tangent(edge, state_.positions), &director = state_.rod_frames.directors[index];
    const double theta = state_.positions[edge.twist][0];
    Vec3& anchor = state_.pin_anchors[pin.first_anchor + pin.blocks.size() + e];
    if (sets_in) anchor = std::cos(theta) * director + std::sin(theta) * tangent_now.cross(director);
    const Vec3* places = &state_.pin_anchors[pin.first_anchor];
    const Vec3 tangent_then = motion.rotation * (places[to] - places[from]).normalized();
    const Vec3 carried = parallel_transport(director, tangent_now, tangent_then), wanted = motion.rotation * anchor;
    const double angle = std::atan2(tangent_then.dot(carried.cross(wanted)), carried.dot(wanted));
    constexpr double kTurn = 2 * std::numbers::pi;
    const double target = angle + kTurn * std::round((theta - angle) / kTurn);
    if (controls_.filter.held_directions(edge.twist) > 0) continue;  // the first pin wins
    controls_.filter.hold(edge.twist, Vec3::UnitX());
    controls_.held.push_back({edge.twist, Vec3(target, 0, 0)});
  }
}

solver::StepProblem Simulation::make_step_problem(double step) const {
  // What speeds matter in this scene: falling for one step, the fastest vertex, a thousandth of the scene per second.
  const double speed =
      std::max({model_.gravity.norm() * step, fastest(state_.velocities, model_.layout), 1e-3 * model_.diagonal});
  return {step,
          weights_.inertia,
          weights_.theta,
          speed,
          before_,
          predicted_,
          model_.inertia,
          model_.energies,
          controls_,
          model_.layout,
          model_.pattern,
          &velocity_before_,
          &frames_before_,
          &lasting_,
          {},
          {},
          barrier_.get(),
          penalty_.get(),
          state_.contact_pressure,
          projected_.get(),
          frames_,
          model_.joints,
          &state_.forces,
          &state_.stick,
          is_turned_apart() ? 2 / (step * step) : 0,
          load_torques_,
          part_count_};
}

// The pressure that half closes a gap with a barrier, and wholly one with a spring: what stops the mass above a piece of surface within the
// contact distance and a step, or bears its weight; without inertia, its weight alone. Of the heaviest body, per area.
double Simulation::first_contact_pressure(double step) const {
  const contact::ContactSurface& s = *model_.contact;
  std::vector<double> mass(static_cast<std::size_t>(s.body_count()), 0), area(mass.size(), 0);
  for (int i = 0; i < s.first_obstacle_point; ++i) area[s.body_of_point[i]] += s.point_area[i];
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) mass[b] = model_.mass_of(model_.bodies[b]);
  double heaviest = 0;  // kg/m²
  for (std::size_t b = 0; b < mass.size(); ++b) {
    if (area[b] > 0) heaviest = std::max(heaviest, mass[b] / area[b]);
  }
  const double stopping = weights_.inertia != 0 ? options_.contact.distance / (step * step) : 0;  // m/s²
  const double pressure = (penalty_ ? kSpringMargin : kBarrierMargin) * heaviest * (model_.gravity.norm() + stopping);
  return pressure > 0 ? pressure : 1;
}

// Springs that are a fair part as stiff, per area, as solids are at their surface in the constant matrix: what is pressed
// into others then goes about as deep as it is pressed together itself. Thin bodies are not asked: their matrix is stiff along
// them and says nothing about the way across.
double Simulation::first_spring_pressure(double step) const {
  const double distance = options_.contact.distance;
  if (options_.penalty.stiffness > 0) return options_.penalty.stiffness * distance;
  const contact::ContactSurface& s = *model_.contact;
  sparse::SymmetricScalarMatrix weights(model_.pattern);
  weights.set_zero();
  for (const auto& energy : model_.energies) {
    if (const auto* weighted = dynamic_cast<const Weighted*>(energy.get()))
      weighted->add_weights(controls_, step, weights);
  }
  std::vector<double> stiffness(static_cast<std::size_t>(s.body_count()), 0), area(stiffness.size(), 0);  // N/m, m²
  for (int i = 0; i < s.first_obstacle_point; ++i) {
    const auto body = static_cast<std::size_t>(s.body_of_point[i]);
    if (model_.bodies[body].kind != BodyKind::solid) continue;
    area[body] += s.point_area[i];
    for (int k = 0; k < s.points[i].count; ++k) {
      const int slot = weights.pattern().diagonal_slot(s.points[i].block[k]);
      stiffness[body] += s.points[i].weight[k] * weights.values()[static_cast<std::size_t>(slot)];
    }
  }
  double pressure = first_contact_pressure(step);
  for (std::size_t b = 0; b < area.size(); ++b) {
    if (area[b] > 0) pressure = std::max(pressure, kSpringOfSolid * stiffness[b] / area[b] * distance);
  }
  return pressure;
}

void Simulation::finish_step(double step, double end_time, const solver::SolveReport& solve) {
  if (record() != nullptr) state_.stick = record()->memory_at(now_);
  if (projected_) state_.forces = projected_->force_memory();
  if (barrier_ && solve.contacts.nearest < kTooNear) state_.contact_pressure *= 2;
  std::swap(state_.positions, now_);
  integrator_->finish(before_, predicted_, step, state_);
  set_apart(step, solve);
  joint_pulls_ = solve.joint_pulls;
  transport(model_.rods, before_, state_.positions, state_.rod_frames);
  if (model_.drag > 0) sparse::scale(state_.velocities, 1 / (1 + model_.drag * step));
  // Held directions move by script: their velocity is what they did, and they have no acceleration of their own.
  for (const HeldBlock& held : controls_.held) {
    const Mat3 free = controls_.filter.projector(held.block);
    const Vec3 scripted = (state_.positions[held.block] - before_[held.block]) / step;
    const double moving = weights_.inertia != 0 ? 1 : 0;
    state_.velocities[held.block] =
        free * state_.velocities[held.block] + moving * (Mat3::Identity() - free) * scripted;
    if (state_.accelerations.size() > 0) {
      const Vec3 own = free * state_.accelerations[held.block];
      state_.accelerations[held.block] = own;
    }
  }
  const SolvedStep solved{before_,     velocity_before_,      predicted_, state_.positions, controls_.filter, step,
                          model_.drag, solve.turning_impulses};
  finish_turning(model_.rigids, solved, state_.velocities);
  const std::vector<double> joint_forces = settle_joints(step, solve);
  // As if they came along: what is born goes on with the velocity that it was given.
  for (const int block : controls_.to_come) {
    state_.velocities[block] = velocity_before_[block];
    if (state_.previous_positions.size() == 0) continue;
    state_.previous_positions[block] = state_.positions[block] - step * velocity_before_[block];
    state_.previous_velocities[block] = velocity_before_[block];
  }
  remember_joints(model_, {state_.positions, before_, step, controls_}, joint_forces, state_.joints);
  state_.time = end_time;
  state_.previous_step = step;
  ++state_.step_count;
  if (projected_) sleeping_.finish_step(model_, projected_->pairs(), projected_->found_forces(), step, state_);
}

// --- Tears ---

void Simulation::replace_model(Model next, const std::vector<int>& source, std::int64_t since) {
  State carried = carry_over(state_, model_, next, source);
  auto past = std::make_unique<PastModel>();
  past->since = model_since_;
  past->model = std::move(model_);
  past_.push_back(std::move(past));
  for (const auto& p : past_) {
    std::vector<int> rows;
    rows.reserve(source.size());
    for (const int block : source) rows.push_back(p->row_of_block.empty() ? block : p->row_of_block[block]);
    p->row_of_block = std::move(rows);
  }
  model_ = std::move(next);
  model_since_ = since;
  restore(std::move(carried));
}

// Which model's matrix the next step uses, and which one is made ready: it follows from when tears happened alone.
void Simulation::choose_matrix(solver::StepProblem& problem) {
  if (options_.method != StepMethod::quasi_newton || options_.after_tears == AfterTears::refactor) past_.clear();
  if (past_.empty()) return;
  const auto of = [](const PastModel& p) {
    return solver::MatrixModel{&p.model.inertia, p.model.energies, p.model.pattern, p.row_of_block};
  };
  if (options_.after_tears == AfterTears::keep) {
    past_.resize(1);
    problem.matrix = of(*past_.front());
    return;
  }
  // Index into past_ of the model that was there after so many steps; its size: the present one.
  const auto model_at = [&](std::int64_t step) {
    std::size_t index = model_since_ <= step ? past_.size() : past_.size() - 1;
    while (index > 0 && index < past_.size() && past_[index]->since > step) --index;
    return index;
  };
  // Periods of background_steps: what was there when the last one began is used, what was when this one began comes.
  const std::int64_t length = options_.background_steps, begin = state_.step_count / length * length;
  const std::size_t used = model_at(begin - length), coming = model_at(begin);
  if (coming != used)
    problem.next_matrix = coming < past_.size()
                              ? of(*past_[coming])
                              : solver::MatrixModel{&model_.inertia, model_.energies, model_.pattern, {}};
  if (used < past_.size()) problem.matrix = of(*past_[used]);
  past_.erase(past_.begin(), past_.begin() + static_cast<std::ptrdiff_t>(used));  // spans refer to what is on the heap
}

// --- Without a solve ---

// frames: of rods at `now`.
void Simulation::forces_at(const BlockVector& now, const RodFrames& frames, const BlockVector& before, double step,
                           BlockVector& gradient) const {
  sparse::set_zero(gradient);
  RodFrames frames_before = frames;
  transport(model_.rods, now, before, frames_before);
  const Configuration configuration{now, before, step, controls_, 1, &velocity_before_, &frames_before};
  Accumulator out;
  out.gradient = &gradient;
  for (const auto& energy : model_.energies) {
    if (!is_turned_apart() || !is_joint(*energy)) energy->evaluate(configuration, out);
  }
}

solver::SolveReport Simulation::explicit_step(double step) {
  solver::SolveReport report;
  BlockVector gradient(state_.positions.size());
  // Rates of strain look back over the last step's motion.
  sparse::combine(predicted_, 1, state_.positions, -step, state_.velocities);
  forces_at(state_.positions, state_.rod_frames, predicted_, step, gradient);
  controls_.filter.apply(gradient);
  const std::span<const double> masses = model_.inertia.masses();
  for (int i = 0; i < gradient.size(); ++i) state_.velocities[i] -= step / masses[i] * gradient[i];
  sparse::add_scaled(state_.positions, step, state_.velocities);
  if (model_.drag > 0) sparse::scale(state_.velocities, 1 / (1 + model_.drag * step));
  for (const HeldBlock& held : controls_.held) {
    const Mat3 free = controls_.filter.projector(held.block);
    const Vec3 scripted = (held.target - before_[held.block]) / step;
    const Vec3 velocity = free * state_.velocities[held.block] + (Mat3::Identity() - free) * scripted;
    state_.velocities[held.block] = velocity;
  }
  for (const int block : controls_.to_come) state_.velocities[block] = velocity_before_[block];
  place_held(controls_, state_.positions);
  transport(model_.rods, before_, state_.positions, state_.rod_frames);
  if (!sparse::all_finite(state_.positions)) {
    report.status = solver::SolveStatus::not_finite;
    report.not_finite_in = "symplectic_euler (the step is too long for the stiffness)";
    for (int i = 0; i < state_.positions.size() && report.worst_block < 0; ++i) {
      if (!state_.positions[i].allFinite()) report.worst_block = i;
    }
    return report;
  }
  state_.time += step;
  state_.previous_step = step;
  ++state_.step_count;
  return report;
}

// M a = f for the free directions. Rates of strain look back over a small part of a step: the chord of a turning body's
// motion over all of it would look like a strain.
void Simulation::compute_first_acceleration(double step) {
  BlockVector force(state_.positions.size());
  const double moment = 1e-4 * step;
  sparse::combine(predicted_, 1, state_.positions, -moment, state_.velocities);
  forces_at(state_.positions, state_.rod_frames, predicted_, moment, force);
  sparse::scale(force, -1);
  state_.accelerations.resize(state_.positions.size());
  model_.inertia.solve(force, controls_.filter, state_.accelerations);
  for (const RigidFrame& frame : frames_) {
    for (int i = 0; i < 3; ++i) state_.accelerations[frame.axis(i)].setZero();
  }
}

// ∇C at the end of the step just solved [N], with its weight.
BlockVector Simulation::contact_gradient() const {
  BlockVector gradient(state_.positions.size());
  if (barrier_) barrier_->add_gradient(gradient);
  if (penalty_) penalty_->add_gradient(gradient);
  if (!projected_) return gradient;
  const auto push = [&](const MappedPoint& point, const Vec3& force) {
    for (int j = 0; j < point.count; ++j) gradient[point.block[j]] -= point.weight[j] * force;
  };
  for (const contact::ContactForce& f : projected_->found_forces()) {
    std::array<bool, 2> is_borne{false, false};  // by points of the first body, of the second
    for (std::size_t k = 0; k < f.bearer.size(); ++k) {
      if (f.bearer[k] < 0) continue;
      is_borne[f.share[k] > 0 ? 0 : 1] = true;
      push(model_.contact->points[static_cast<std::size_t>(f.bearer[k])], f.share[k] * f.force);
    }
    // A rigid body that is met as a whole.
    const std::array<int, 2> bodies{f.first_body, f.second_body};
    for (std::size_t s = 0; s < 2; ++s) {
      const int rigid = bodies[s] < static_cast<int>(model_.bodies.size()) ? model_.bodies[bodies[s]].rigid : -1;
      if (rigid < 0 || is_borne[s]) continue;
      const RigidFrame& frame = model_.rigids[rigid].frame;
      const Vec3 arm = f.point - state_.positions[frame.centre];
      push(frame.point(rotation_of(frame, state_.positions).transpose() * arm), contact::kSides[s] * f.force);
    }
  }
  return gradient;
}

// What contact and joints did is no part of Newmark's acceleration; nor has turning one.
void Simulation::set_apart(double step, const solver::SolveReport& solve) {
  if (!integrator_->has_contact_apart()) return;
  const bool has_joints = solve.joint_pulls.size() > 0;
  if (record() != nullptr || has_joints) {
    BlockVector force(state_.positions.size()), acceleration(force.size());
    if (record() != nullptr) sparse::add_scaled(force, -1, contact_gradient());
    if (has_joints) sparse::add_scaled(force, 1, solve.joint_pulls);
    model_.inertia.solve(force, controls_.filter, acceleration);
    integrator_->set_contact_apart(acceleration, step, state_);
  }
  for (const RigidFrame& frame : frames_) {
    for (int i = 0; i < 3; ++i) state_.accelerations[frame.axis(i)].setZero();
  }
}

// Velocities that joints allow, where they acted apart. What pulls at their anchors is returned [N].
std::vector<double> Simulation::settle_joints(double step, const solver::SolveReport& solve) {
  if (solve.joint_multipliers.empty()) return solve.joint_forces;
  const double speed = std::max(model_.gravity.norm() * step, fastest(state_.velocities, model_.layout));
  const solver::ProjectionOptions& options = options_.projection;
  return settle_joint_velocities({model_.joints, frames_, model_.inertia, controls_, before_, state_.positions, step,
                                  options.iterations.value_or(options.max_iterations), options.tolerance * speed},
                                 solve.joint_multipliers, state_.velocities);
}

// --- Retries: loops around the step ---

AdvanceReport Simulation::advance(double step, double end_time, parallel::FunctionRef<void()> on_accepted) {
  AdvanceReport report;
  // Parts still to be done, the next one last; a failed part is replaced by its halves.
  struct Part {
    double step, end;
    int depth;
  };
  std::vector<Part> parts;
  part_count_ = parts_for_pressure(step, end_time);
  for (int k = 0; k < part_count_; ++k) parts.push_back({step / part_count_, end_time - k * (step / part_count_), 0});
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    const State last = state_;
    const StepReport attempt = this->step(part.step, part.end);
    if (can_go_on(attempt.solve.status)) {
      state_.time = part.end;
      report.steps.push_back(attempt);
      on_accepted();
      continue;
    }
    state_ = last;
    ++report.retries;
    report.failure = attempt;
    report.failed_at = model_.describe_block(attempt.solve.worst_block);
    if (part.depth == options_.retries) {
      report.reached = false;
      return report;
    }
    const double half = 0.5 * part.step;
    parts.push_back({half, part.end, part.depth + 1});
    parts.push_back({half, part.end - half, part.depth + 1});
  }
  return report;
}

// Light surfaces under pressure are stepped as finely as the load asks for (solver/projection/pressed_surfaces.h).
int Simulation::parts_for_pressure(double step, double end_time) const {
  double longest = step;  // s
  for (const solver::PressedSurface& surface : pressed_) {
    double pressure = 0;  // Pa
    for (const int load : surface.loads) pressure = std::max(pressure, std::abs(model_.loads[load].at(end_time).x()));
    longest = std::min(longest, solver::longest_step(surface, pressure, model_.inertia.masses(), state_.positions));
  }
  return longest < step ? static_cast<int>(std::ceil(std::min(step / longest, kMostParts))) : 1;
}

StepTrial Simulation::try_step(double step, solver::StepSolver& solver) {
  PLIANT_ASSERT(integrator_, "there is something to solve");
  const State start = state_;
  begin_step(step, state_.time + step);
  weights_ = integrator_->weights(state_, step);
  predict(step);
  solver::StepProblem problem = make_step_problem(step);
  // Each solver has a contact response of its own: what is common to all is the step without.
  problem.contact = nullptr;
  problem.penalty = nullptr;
  choose_matrix(problem);
  StepTrial trial;
  trial.positions = before_;
  trial.solve = solver.solve(problem, trial.positions);
  trial.objective = solver::Objective(problem).value(trial.positions).total;
  state_ = start;  // pins may have set in
  return trial;
}

// --- What others ask ---

// Contact's force has a weight in ∇g, to which C adds its gradient as it is (time_integrator.h).
std::vector<contact::ContactForce> Simulation::contact_forces() const {
  if (record() == nullptr || last_step_ == 0) return {};
  std::vector<contact::ContactForce> forces = record()->forces();
  for (contact::ContactForce& f : forces) {
    f.force /= weights_.contact;
    f.friction /= weights_.contact;
  }
  return forces;
}

contact::ContactSummary Simulation::contact_summary() const {
  if (record() == nullptr || last_step_ == 0) return {};
  contact::ContactSummary summary = record()->summary();
  summary.largest_force /= weights_.contact;
  return summary;
}

EnergyBalance Simulation::energies() {
  EnergyBalance balance;
  if (record() != nullptr && last_step_ > 0) balance.contact = record()->stored_energy() / weights_.contact;
  BlockVector momentum(state_.positions.size());
  model_.inertia.multiply(state_.velocities, momentum);
  balance.kinetic = 0.5 * sparse::dot(state_.velocities, momentum);
  const Configuration configuration{state_.positions, state_.positions, 0, controls_, 1, nullptr, &state_.rod_frames};
  for (std::size_t e = 0; e < model_.energies.size(); ++e) {
    double value = 0;
    Accumulator out;
    out.value = &value;
    // Projection holds joints by forces; the energy that stands for them elsewhere stores nothing.
    if (is_joint(*model_.energies[e]) && options_.method == StepMethod::projection) continue;
    if (model_.roles[e] == EnergyRole::elastic) {
      model_.energies[e]->evaluate(configuration, out);
      balance.elastic += value;
    } else if (model_.roles[e] == EnergyRole::gravity) {
      model_.energies[e]->evaluate(configuration, out);
      balance.gravity += value;
    }
  }
  return balance;
}

void Simulation::add_soft_pin_forces(BlockVector& forces) const {
  const double theta = integrator_ ? weights_.theta : 0;  // symplectic Euler takes forces at the start of the step
  BlockVector acting(forces.size()), gradient(forces.size());
  sparse::combine(acting, theta, state_.positions, 1 - theta, before_);
  const Configuration configuration{acting, before_, 0, controls_};
  Accumulator out;
  out.gradient = &gradient;
  for (const auto& energy : model_.energies) {
    if (dynamic_cast<const SoftPin*>(energy.get()) != nullptr) energy->evaluate(configuration, out);
  }
  sparse::add_scaled(forces, -1, gradient);
}

// Projection holds joints by forces. The energy that stands for them elsewhere has the stiffness of a rigid joint, so that what is
// left of a gap would read as a force.
void Simulation::take_joints_by_their_pulls(BlockVector& gradient) const {
  if (joint_pulls_.size() == 0) return;
  const double theta = weights_.theta;
  BlockVector acting(gradient.size()), of_energies(gradient.size());
  sparse::combine(acting, theta, state_.positions, 1 - theta, before_);
  const Configuration configuration{acting, before_, last_step_, controls_, theta, &velocity_before_, &frames_before_};
  Accumulator out;
  out.gradient = &of_energies;
  for (const auto& energy : model_.energies) {
    if (is_joint(*energy)) energy->evaluate(configuration, out);
  }
  sparse::add_scaled(gradient, -1, of_energies);
  sparse::add_scaled(gradient, -1 / weights_.contact, joint_pulls_);
}

BlockVector Simulation::pin_forces() {
  BlockVector forces(state_.positions.size());
  if (last_step_ == 0) return forces;  // no step of this model yet
  BlockVector gradient(state_.positions.size());
  add_soft_pin_forces(forces);
  if (controls_.held.empty()) return forces;
  if (!integrator_) {
    forces_at(before_, frames_before_, before_, 0, gradient);
  } else {
    // A held direction's force is what is left of ∇g; θ weighs it like every other force.
    const solver::StepProblem problem = make_step_problem(last_step_);
    static_cast<void>(solver::Objective(problem).evaluate(state_.positions, gradient, nullptr, HessianKind::projected));
    sparse::scale(gradient, 1 / weights_.theta);
    // Contact has its own weight, and under projection no part in ∇g.
    const double missing = 1 / weights_.contact - (projected_ ? 0 : 1 / weights_.theta);
    if (record() != nullptr && missing != 0) sparse::add_scaled(gradient, missing, contact_gradient());
    if (options_.method == StepMethod::projection) take_joints_by_their_pulls(gradient);
  }
  for (const HeldBlock& held : controls_.held) {
    forces[held.block] += (Mat3::Identity() - controls_.filter.projector(held.block)) * gradient[held.block];
  }
  return forces;
}

}  // namespace pliant
