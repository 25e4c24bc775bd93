#include "pliant/solver/projection/projection.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "pliant/contact/projected_contact.h"
#include "pliant/energy/compliant.h"
#include "pliant/math/rotation.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/joint_batch.h"
#include "pliant/solver/projection/lane_batch.h"
#include "pliant/solver/projection/link_batch.h"
#include "pliant/solver/projection/losses.h"
#include "pliant/solver/projection/pressed_surfaces.h"
#include "pliant/solver/projection/starting_forces.h"
#include "pliant/solver/projection/target_batch.h"
#include "pliant/solver/residual.h"
#include "pliant/solver/stopwatch.h"

namespace pliant::solver {

namespace {

// Directions are taken anew while that changes things less than so much of what it did before.
constexpr double kLessTurn = 0.95;
// How far at a time: where tension is high against mass, the whole way would go too far.
constexpr double kTurnPart = 0.5;
// rad: gaps err by half its square times a lever arm, 5e-7 of it.
constexpr double kLinearTurn = 1e-3;

std::vector<SoftTet> tets_with(SolidStrain strain, const SoftElements& soft) {
  std::vector<SoftTet> chosen;
  std::copy_if(soft.tets.begin(), soft.tets.end(), std::back_inserter(chosen),
               [&](const SoftTet& tet) { return tet.strain == strain; });
  return chosen;
}

std::vector<SoftHinge> hinges_with(HingeMeasure measure, const SoftElements& soft) {
  std::vector<SoftHinge> chosen;
  std::copy_if(soft.hinges.begin(), soft.hinges.end(), std::back_inserter(chosen),
               [&](const SoftHinge& hinge) { return hinge.measure == measure; });
  return chosen;
}

// Per block, whether any element holds on to it.
std::vector<unsigned char> find_soft_blocks(const SoftElements& soft, int block_count) {
  std::vector<unsigned char> is_soft(static_cast<std::size_t>(block_count), 0);
  const auto mark = [&](const auto& elements) {
    for (const auto& element : elements) {
      for (const int block : element.block) is_soft[static_cast<std::size_t>(block)] = 1;
    }
  };
  mark(soft.links);
  mark(soft.triangles);
  mark(soft.tets);
  mark(soft.hinges);
  return is_soft;
}

// Those go on with what they did before: another change between two iterations throws them off.
bool has_momentum(ProjectionIteration iteration) {
  return iteration == ProjectionIteration::improved_jacobi || iteration == ProjectionIteration::accelerated_jacobi;
}

bool is_turn_held(const StepProblem& problem, std::size_t rigid) {
  return problem.controls.filter.held_directions(problem.rigids[rigid].axis(0)) == 3;
}

// 1/s², of what turns rigid bodies.
double turning_weight(const StepProblem& problem) {
  return problem.apart_weight > 0 ? problem.apart_weight : problem.inertia_weight;
}

// N m, of loads. push: their gradient where inertia leads [N].
Vec3 torque_of_loads(const StepProblem& problem, std::size_t rigid, const BlockVector& push) {
  if (problem.apart_weight > 0) return problem.load_torques.empty() ? Vec3(Vec3::Zero()) : problem.load_torques[rigid];
  Vec3 torque = Vec3::Zero();
  for (int a = 0; a < 3; ++a) {
    const int axis = problem.rigids[rigid].axis(a);
    torque -= problem.inertial_target[axis].cross(Vec3(push[axis]));
  }
  return torque;
}

}  // namespace

class Projection::Core {
 public:
  virtual ~Core() = default;
  [[nodiscard]] virtual SolveReport solve(const StepProblem& problem, BlockVector& q) = 0;
};

template <class Real>
class Projection::CoreOf final : public Core {
 public:
  explicit CoreOf(const ProjectionOptions& options) : options_(options), contacts_(options.cone) {}

  SolveReport solve(const StepProblem& problem, BlockVector& q) override {
    if (problem.pattern != built_for_) build(problem);
    SolveReport report;
    predict(problem);
    if (problem.projected != nullptr) {
      const Stopwatch watch(report.seconds.contact);
      contacts_.set_pairs(problem.projected->find(contact_step(problem)), options_.is_warm ? problem.forces : nullptr,
                          target_.size());
    }
    begin(problem, report);
    solve_once(problem, report, q);
    for (int look = 1; look <= options_.looks && meets_more(problem, report, q); ++look) solve_once(problem, report, q);
    if (problem.projected != nullptr && report.status != SolveStatus::not_finite) {
      const Stopwatch watch(report.seconds.contact);
      (void)problem.projected->keep_apart(contact_step(problem), q);
    }
    report.turning_impulses = turning_impulses(problem);
    if (!problem.joints.empty()) report_joints(problem, report);
    if (problem.projected != nullptr) {
      problem.projected->finish(contacts_.outcomes(), contacts_.memory());
      report.contacts = problem.projected->summary();
    }
    return report;
  }

 private:
  void build(const StepProblem& problem);
  [[nodiscard]] contact::ProjectedStep contact_step(const StepProblem& problem) const {
    return {problem.before, target_, *problem.velocity, problem.controls, problem.step};
  }
  void solve_once(const StepProblem& problem, SolveReport& report, BlockVector& q);
  bool meets_more(const StepProblem& problem, SolveReport& report, const BlockVector& q);
  template <class Kernel>
  void add_batches(const std::vector<typename Kernel::Element>& elements, int block_count);
  void predict(const StepProblem& problem);
  void set_turner(const StepProblem& problem, std::size_t k, const BlockVector& push);
  void set_turners(const StepProblem& problem, const BlockVector& push);
  void write_rotations(const StepProblem& problem, BlockVector& q) const;
  void begin(const StepProblem& problem, SolveReport& report);
  void iterate(const StepProblem& problem, SolveReport& report);
  void sweep(const StepProblem& problem, double omega);
  void follow_rotations();
  void place_partly_held(const StepProblem& problem);
  void take_present_directions(const StepProblem& problem);
  void balance_pressed(const StepProblem& problem);
  void write_back(const StepProblem& problem, BlockVector& q) const;
  [[nodiscard]] std::vector<Vec3> turning_impulses(const StepProblem& problem) const;
  void report_joints(const StepProblem& problem, SolveReport& report);
  [[nodiscard]] Residual change_since(const StepProblem& problem, const Places<Real>& earlier) const;

  ProjectionOptions options_;
  std::shared_ptr<const sparse::BlockPattern> built_for_;
  std::vector<const Compliant*> compliant_;
  std::vector<const Energy*> loads_;
  std::vector<std::unique_ptr<Batch<Real>>> batches_;  // of soft elements, made once
  TargetBatch<Real> targets_;                          // soft pins and hands
  JointBatch<Real> joints_;
  ContactBatch<Real> contacts_;
  std::vector<Batch<Real>*> active_;  // of the step
  DualIteration<Real> dual_;
  SurfaceAcceleration<Real> pressed_;  // of surfaces under pressure
  BlockVector target_;                 // m, q̃ with loads
  BlockVector load_;                   // N
  Movers<Real> movers_;
  Places<Real> earlier_;
};

// --- Once per model ---

// Elements of one kind and one damping are a batch.
template <class Real>
template <class Kernel>
void Projection::CoreOf<Real>::add_batches(const std::vector<typename Kernel::Element>& elements, int block_count) {
  using BatchOf = std::conditional_t<std::is_same_v<Kernel, LinkKernel>, LinkBatch<Real>, LaneBatch<Kernel, Real>>;
  std::map<std::pair<bool, double>, std::vector<typename Kernel::Element>> alike;
  for (const auto& element : elements) alike[{element.is_rate, element.damping}].push_back(element);
  for (const auto& [kind, chosen] : alike) {
    const auto [is_rate, damping] = kind;
    if (options_.velocity_level) {
      batches_.push_back(std::make_unique<LaneBatch<Kernel, Real>>(chosen, block_count, is_rate, damping));
    } else {
      batches_.push_back(std::make_unique<BatchOf>(chosen, block_count, is_rate, damping));
    }
  }
}

template <class Real>
void Projection::CoreOf<Real>::build(const StepProblem& problem) {
  built_for_ = problem.pattern;
  batches_.clear();
  compliant_.clear();
  loads_.clear();
  SoftElements soft;
  for (const auto& energy : problem.energies) {
    const auto* compliant = dynamic_cast<const Compliant*>(energy.get());
    if (compliant == nullptr) {
      loads_.push_back(energy.get());
    } else {
      compliant_.push_back(compliant);
      (void)compliant->add_soft_elements(soft);
    }
  }
  merge_losses(soft);
  const int blocks = problem.before.size();
  contacts_.set_soft(find_soft_blocks(soft, blocks));
  add_batches<LinkKernel>(soft.links, blocks);
  add_batches<TriangleKernel>(soft.triangles, blocks);
  add_batches<TetKernel<SolidStrain::green>>(tets_with(SolidStrain::green, soft), blocks);
  add_batches<TetKernel<SolidStrain::polar>>(tets_with(SolidStrain::polar, soft), blocks);
  add_batches<TetKernel<SolidStrain::small>>(tets_with(SolidStrain::small, soft), blocks);
  add_batches<VolumeKernel>(tets_with(SolidStrain::volume, soft), blocks);
  add_batches<HingeKernel<HingeMeasure::angle>>(hinges_with(HingeMeasure::angle, soft), blocks);
  add_batches<HingeKernel<HingeMeasure::tangent>>(hinges_with(HingeMeasure::tangent, soft), blocks);
  add_batches<HingeKernel<HingeMeasure::sine>>(hinges_with(HingeMeasure::sine, soft), blocks);
  pressed_.set_batches(batches_, find_pressed_surfaces(problem.energies, blocks), blocks);
}

// --- A step ---

// A budget of iterations with the contacts that are known, from where things are.
template <class Real>
void Projection::CoreOf<Real>::solve_once(const StepProblem& problem, SolveReport& report, BlockVector& q) {
  const Stopwatch watch(report.seconds.projection);
  iterate(problem, report);
  balance_pressed(problem);
  refresh_rotations(movers_.turners);
  if (problem.projected != nullptr) {
    contacts_.follow(movers_);
    contacts_.finish(movers_);
  }
  write_back(problem, q);
}

// Contacts were looked for on the way to the target. What is pulled elsewhere, as a cloth is by the part of it that a fast body
// takes along, may go through something on its way there: then those contacts are added, and the iteration goes on with
// another budget.
template <class Real>
bool Projection::CoreOf<Real>::meets_more(const StepProblem& problem, SolveReport& report, const BlockVector& q) {
  if (problem.projected == nullptr || report.status == SolveStatus::not_finite) return false;
  const Stopwatch watch(report.seconds.contact);
  const std::span<const contact::MetPair> met = problem.projected->find_more(contact_step(problem), q);
  // What was turned by more than half a turn, besides what loads did, would not be stopped: from the target again, without
  // the forces of contact that did it.
  const bool any_spins = std::any_of(movers_.turners.begin(), movers_.turners.end(), [](const Turner& turner) {
    return (turner.gained - turner.loaded).norm() > kMostTurnFound;
  });
  if (met.empty() && !any_spins) return false;
  if (any_spins) {
    contacts_.start_over(met, options_.is_warm);
    predict(problem);
    begin(problem, report);
  } else {
    contacts_.take_up(met, movers_);
  }
  return true;
}

// q̃ and what loads add to it: q̃ − ∇E_loads(q̃)/(w m).
template <class Real>
void Projection::CoreOf<Real>::predict(const StepProblem& problem) {
  const BlockVector& inertial = problem.inertial_target;
  target_ = inertial;
  load_.resize(inertial.size());
  sparse::set_zero(load_);
  const Configuration there{inertial, problem.before,   problem.step,  problem.controls,
                            1,        problem.velocity, problem.frames};
  Accumulator out;
  out.gradient = &load_;
  for (const Energy* load : loads_) load->evaluate(there, out);
  const std::span<const double> masses = problem.inertia.masses();
  movers_.points.resize(static_cast<std::size_t>(inertial.size()));
  for (int b = 0; b < inertial.size(); ++b) {
    const double mass = masses[static_cast<std::size_t>(b)];
    target_[b] -= 1 / (problem.inertia_weight * mass) * load_[b];
    movers_.points[b].w = static_cast<Real>(1 / mass);
  }
  place_held(problem.controls, target_);
  set_turners(problem, load_);
  for (const HeldBlock& held : problem.controls.held) {
    if (problem.controls.filter.held_directions(held.block) == 3) movers_.points[held.block].w = 0;
  }
  for (int b = 0; b < target_.size(); ++b) {
    movers_.points[b].put(target_[b]);
  }
}

// A rotation at the target: inertia's own, turned by what loads on the axes do.
template <class Real>
void Projection::CoreOf<Real>::set_turner(const StepProblem& problem, std::size_t k, const BlockVector& push) {
  const RigidFrame& frame = problem.rigids[k];
  Turner& turner = movers_.turners[k];
  turner.centre = frame.centre;
  turner.turned.setZero();
  turner.gained.setZero();
  const bool is_held = is_turn_held(problem, k);
  turner.rotation = rotation_of(frame, is_held ? target_ : problem.inertial_target);
  turner.before = rotation_of(frame, problem.before);
  turner.inverse.setZero();
  turner.loaded.setZero();
  turner.free = {};
  if (is_held) return;
  if (problem.apart_weight > 0)
    turner.free = {&frame, angular_momentum(frame, problem.before, *problem.velocity), problem.step};
  turner.metric = problem.apart_weight > 0 ? math::half_way(turner.before, turner.rotation) : turner.rotation;
  turner.inverse = turner.metric * frame.inertia().cwiseInverse().asDiagonal() * turner.metric.transpose();
  turner.turn(torque_of_loads(problem, k, push) / turning_weight(problem));
  turner.loaded = turner.turned;
}

template <class Real>
void Projection::CoreOf<Real>::set_turners(const StepProblem& problem, const BlockVector& push) {
  const int count = static_cast<int>(problem.rigids.size());
  movers_.turners.resize(problem.rigids.size());
  parallel_for(count, kTurnersAtATime, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) set_turner(problem, static_cast<std::size_t>(k), push);
  });
  refresh_rotations(movers_.turners);
  write_rotations(problem, target_);
}

template <class Real>
void Projection::CoreOf<Real>::write_rotations(const StepProblem& problem, BlockVector& q) const {
  parallel_for(static_cast<int>(problem.rigids.size()), kTurnersAtATime, [&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      if (!is_turn_held(problem, k)) set_rotation(problem.rigids[k], movers_.turners[k].rotation, q);
    }
  });
}

template <class Real>
void Projection::CoreOf<Real>::begin(const StepProblem& problem, SolveReport& report) {
  const Stopwatch watch(report.seconds.projection);
  std::vector<SoftTarget> targets;
  for (const Compliant* compliant : compliant_) compliant->add_targets(problem.controls, targets);
  targets_.set_targets(std::move(targets), problem.rigids);
  active_.clear();
  for (const auto& batch : batches_) active_.push_back(batch.get());
  active_.push_back(&targets_);
  if (!problem.joints.empty()) {
    joints_.set_joints(problem.joints, problem.rigids, target_.size());
    active_.push_back(&joints_);
  }
  if (problem.projected != nullptr) active_.push_back(&contacts_);
  const ProjectionStep step{problem.step,     problem.inertia_weight,  problem.before,
                            problem.controls, options_.velocity_level, problem.apart_weight};
  for (Batch<Real>* batch : active_) batch->begin(step, movers_);
  pressed_.begin();
}

// Points that are held along some directions only keep their mass; what constraints did to those directions is undone.
template <class Real>
void Projection::CoreOf<Real>::place_partly_held(const StepProblem& problem) {
  for (const HeldBlock& held : problem.controls.held) {
    if (problem.controls.filter.held_directions(held.block) == 3) continue;
    const Mat3 free = problem.controls.filter.projector(held.block);
    Mover<Real>& point = movers_.points[held.block];
    const Vec3 place = free * point.position() + (Mat3::Identity() - free) * held.target;
    point.put(place);
  }
}

template <class Real>
void Projection::CoreOf<Real>::sweep(const StepProblem& problem, double omega) {
  for (Batch<Real>* batch : active_) batch->relax(omega, movers_);
  pressed_.accelerate(movers_);
  place_partly_held(problem);
  follow_rotations();
}

// Rotations are linear until one has added up to something that can be seen.
template <class Real>
void Projection::CoreOf<Real>::follow_rotations() {
  if (options_.velocity_level) return;
  double most = 0;
  for (const Turner& turner : movers_.turners) {
    most = std::max(most, turner.turned.squaredNorm());
    // Else the last refresh would be seen: bodies do not turn by the sum of what turned them.
    if (turner.free.frame != nullptr && !turner.turned.isZero(0)) most = 1;
  }
  if (most < kLinearTurn * kLinearTurn) return;
  // All that turned at all: leaving up to a milliradian to each body, a heap gained 3e-6 of its energy in a step.
  refresh_rotations(movers_.turners);
  for (Batch<Real>* batch : active_) batch->follow(movers_);
}

// The largest speed that things gained since, relative to the step's.
template <class Real>
Residual Projection::CoreOf<Real>::change_since(const StepProblem& problem, const Places<Real>& earlier) const {
  Residual worst{0, -1};
  const double scale = 1 / (problem.step * problem.speed_scale);
  for (std::size_t b = 0; b < movers_.points.size(); ++b) {
    const double change = scale * (movers_.points[b].position() - earlier.points[b].position()).norm();
    if (!(change <= worst.relative)) worst = {change, static_cast<int>(b)};
  }
  for (std::size_t k = 0; k < movers_.turners.size(); ++k) {
    const RigidFrame& frame = problem.rigids[k];
    const Turner& now = movers_.turners[k];
    const Orientation& then = earlier.turns[k];
    const double change = scale * frame.length *
                          ((now.turned - then.turned).norm() + (now.rotation - then.rotation).norm() * std::sqrt(0.5));
    if (!(change <= worst.relative)) worst = {change, frame.axis(0)};
  }
  return worst;
}

template <class Real>
void Projection::CoreOf<Real>::iterate(const StepProblem& problem, SolveReport& report) {
  const bool is_dual =
      options_.iteration != ProjectionIteration::gauss_seidel && options_.iteration != ProjectionIteration::sor;
  const double omega = options_.iteration == ProjectionIteration::sor ? options_.relaxation : 1;
  const int limit = options_.iterations ? sweeps_of_part(*options_.iterations, problem.parts) : options_.max_iterations;
  if (is_dual || !options_.iterations)
    dual_.begin(options_.iteration, options_.iterations ? limit : 0, active_, movers_);
  double last_turn = std::numeric_limits<double>::infinity();
  report.status = options_.iterations ? SolveStatus::budgeted : SolveStatus::iteration_limit;
  for (int k = 0; k < limit; ++k) {
    const bool looks = !options_.iterations || k + 1 == limit;
    if (looks) earlier_.note(movers_);
    if (is_dual) {
      dual_.iterate(active_, movers_);
      if (!has_momentum(options_.iteration)) pressed_.accelerate(movers_);
      place_partly_held(problem);
      follow_rotations();
    } else {
      sweep(problem, omega);
    }
    ++report.iterations;
    if (!looks) continue;
    const Residual change = change_since(problem, earlier_);
    report.residual = change.relative;
    report.worst_block = change.worst_block;
    if (!std::isfinite(change.relative)) {
      report.status = SolveStatus::not_finite;
      report.not_finite_in = "constraints";
      return;
    }
    if (options_.iterations || change.relative > options_.tolerance) continue;
    report.status = SolveStatus::converged;
    // On to the directions of where things are now, as long as that changes less and less.
    earlier_.note(movers_);
    take_present_directions(problem);
    const double turn = change_since(problem, earlier_).relative;
    const bool is_done = turn <= options_.tolerance;
    if (!is_done && !(turn < kLessTurn * last_turn)) {
      earlier_.put_back(movers_);
      return;
    }
    joints_.redirect(kTurnPart);
    if (is_done) return;
    last_turn = turn;
    report.status = SolveStatus::iteration_limit;
  }
}

// q ← q̃ + W J(q)ᵀ Λ. What was added up came along the directions of each iteration; the implicit step has those of its end.
template <class Real>
void Projection::CoreOf<Real>::take_present_directions(const StepProblem& problem) {
  const Impulses& response = dual_.response_to_multipliers(active_, movers_);
  for (int b = 0; b < target_.size(); ++b) {
    if (movers_.points[b].w == 0) continue;
    const Vec3 there = target_[b] + response.force[static_cast<std::size_t>(b)];
    const Vec3 place = movers_.points[b].position() + kTurnPart * (there - movers_.points[b].position());
    movers_.points[b].put(place);
  }
  if (problem.apart_weight > 0) {
    for (std::size_t k = 0; k < movers_.turners.size(); ++k) {
      Turner& turner = movers_.turners[k];
      turner.turned += kTurnPart * (turner.loaded + response.torque[k] - turner.gained - turner.turned);
    }
  }
  place_partly_held(problem);
}

// Free surfaces under pressure have the angular momentum that loads, contacts and joints gave them (pressed_surfaces.h).
template <class Real>
void Projection::CoreOf<Real>::balance_pressed(const StepProblem& problem) {
  if (pressed_.is_empty()) return;
  std::vector<int> held;
  for (const HeldBlock& block : problem.controls.held) held.push_back(block.block);
  for (const SoftTarget& target : targets_.targets()) held.push_back(target.block);
  Impulses given = no_impulses(movers_);
  if (problem.projected != nullptr) {
    std::vector<double> rows(static_cast<std::size_t>(contacts_.row_count()), 0);
    contacts_.linearise(movers_, rows);
    contacts_.write_multipliers(rows);
    contacts_.pull_back(rows, given);
  }
  if (!problem.joints.empty()) joints_.add_pushes(given);
  pressed_.balance({problem.inertial_target, target_, given.force, held}, movers_);
}

template <class Real>
void Projection::CoreOf<Real>::write_back(const StepProblem& problem, BlockVector& q) const {
  q.resize(target_.size());
  for (int b = 0; b < q.size(); ++b) q[b] = movers_.points[b].w == 0 ? Vec3(target_[b]) : movers_.points[b].position();
  write_rotations(problem, q);
}

// What acts apart is told by itself, for velocities.
template <class Real>
void Projection::CoreOf<Real>::report_joints(const StepProblem& problem, SolveReport& report) {
  report.joint_forces = joints_.anchor_forces(movers_);
  Impulses given = no_impulses(movers_);
  joints_.add_pushes(given);
  report.joint_pulls.resize(target_.size());
  for (int b = 0; b < target_.size(); ++b) report.joint_pulls[b] = problem.inertia_weight * given.force[b];
  if (problem.apart_weight > 0) report.joint_multipliers = joints_.multipliers();
}

// Bodies turned by I⁻¹ times what pushed them.
template <class Real>
std::vector<Vec3> Projection::CoreOf<Real>::turning_impulses(const StepProblem& problem) const {
  std::vector<Vec3> impulses;
  impulses.reserve(problem.rigids.size());
  for (std::size_t k = 0; k < problem.rigids.size(); ++k) {
    const Turner& turner = movers_.turners[k];
    const Vec3 gained = turner.gained + turner.turned;
    if (gained.isZero(0)) {
      impulses.emplace_back(Vec3::Zero());
      continue;
    }
    const Vec3 along = problem.rigids[k].inertia().cwiseProduct(turner.metric.transpose() * gained);
    impulses.emplace_back(turning_weight(problem) * problem.step * (turner.metric * along));
  }
  return impulses;
}

// --- The face ---

Projection::Projection(const ProjectionOptions& options) : options_(options) {
  if (options.precision == ProjectionPrecision::float_precision) {
    core_ = std::make_unique<CoreOf<float>>(options);
  } else {
    core_ = std::make_unique<CoreOf<double>>(options);
  }
}

Projection::~Projection() = default;

SolveReport Projection::solve(const StepProblem& problem, BlockVector& q) { return core_->solve(problem, q); }

std::string Projection::linear_name() const {
  constexpr const char* kNames[] = {"gauss_seidel",       "sor",   "jacobi", "improved_jacobi", "accelerated_jacobi",
                                    "conjugate_residual", "minres"};
  return kNames[static_cast<int>(options_.iteration)];
}

std::string not_projectable(std::span<const std::unique_ptr<Energy>> energies, std::span<const unsigned char> is_load) {
  for (std::size_t e = 0; e < energies.size(); ++e) {
    if (is_load[e] != 0) continue;
    const auto* compliant = dynamic_cast<const Compliant*>(energies[e].get());
    SoftElements ignored;
    if (compliant == nullptr || !compliant->add_soft_elements(ignored)) return energies[e]->name();
  }
  return {};
}

}  // namespace pliant::solver
