#include "pliant/solver/newton/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/linear/automatic.h"
#include "pliant/linear/banded.h"
#include "pliant/linear/cholesky.h"
#include "pliant/linear/multigrid/multigrid_cg.h"
#include "pliant/linear/pcg.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/line_search.h"
#include "pliant/solver/newton/turned_axes.h"
#include "pliant/solver/stopwatch.h"

namespace pliant::solver {
namespace {

// So many iterations without any progress are no accident.
constexpr int kPatience = 3;
// The exact Hessian is tried again after at most so many projected ones.
constexpr int kLongestProjectedRun = 4;
// An indefinite exact Hessian is shifted by multiples of the inertia in it: 1, 4, 16, 64. Beyond, projection is better.
constexpr double kMassShiftGrowth = 4, kLargestMassShift = 64;
// Pins and obstacles whose way is free for less than this part of what is left are blocked.
constexpr double kShortestFreeWay = 1e-3;
// Rounding error of g relative to the sum of its parts' magnitudes: a few units, times the depth of the sums.
constexpr double kValueNoise = 1e-14;
// Rounding of a force relative to stiffness × coordinates, and of g relative to stiffness × coordinates²: 16 units, for
// the sums over a vertex's tets.
constexpr double kRounding = 16 * 2.2e-16;
// With contact the pattern changes in every iteration, and the ordering of a factorisation with it: from this many blocks
// on conjugate gradients come first.
constexpr int kLargestContactSystem = 500;
// Accuracy of a direction from conjugate gradients: little far from the solution, more as the residual falls, after
// [Eisenstat1996, choice 2].
constexpr double kLeastAccuracy = 0.1, kMostAccuracy = 1e-3, kForcing = 0.5;
// The direction of a stiffened matrix may be too short: it is followed up to so many times its length while g falls.
constexpr double kLongestStretch = 16;
// A direction may be as long as the fastest point goes in so many steps.
constexpr double kWaysOfFastest = 2;
// So many tolerances away another iteration is all but sure.
constexpr double kFar = 100;
constexpr int kSlotGrain = 2048;  // blocks of a matrix per piece of a loop: 150 KB
// Diagonal shifts tried when a matrix is not positive definite, relative to its mean diagonal.
constexpr double kFirstShift = 1e-8, kShiftGrowth = 100, kLastShift = 1e2;

void add_to_diagonal(sparse::SymmetricBlockMatrix& matrix, double shift) {
  for (int i = 0; i < matrix.row_count(); ++i)
    matrix.block(matrix.pattern().diagonal_slot(i)).diagonal().array() += shift;
}

double trace(const sparse::SymmetricBlockMatrix& matrix) {
  double sum = 0;
  for (int i = 0; i < matrix.row_count(); ++i) sum += matrix.block(matrix.pattern().diagonal_slot(i)).trace();
  return sum;
}

// m
double longest_block(const BlockVector& q) {
  double longest = 0;
  for (int i = 0; i < q.size(); ++i) longest = std::max(longest, q[i].norm());
  return longest;
}

// m, how far a direction may take a point: as far as the scene reaches, or the fastest goes in kWaysOfFastest steps.
double longest_way(const StepProblem& problem) {
  const double fast = kWaysOfFastest * problem.speed_scale * problem.step;
  if (problem.before.size() == 0) return fast;  // a scene of obstacles alone
  Vec3 low = problem.before[0], high = low;
  for (int i = 1; i < problem.before.size(); ++i) {
    low = low.cwiseMin(problem.before[i]);
    high = high.cwiseMax(problem.before[i]);
  }
  return std::max((high - low).norm(), fast);
}

}  // namespace

// What one call of solve works on: the problem, the iterate and the report, with the solver's scratch.
class Newton::Iteration {
 public:
  Iteration(Newton& newton, const StepProblem& problem, BlockVector& q)
      : newton_(newton),
        problem_(problem),
        objective_(problem),
        axes_(first_axes(problem.layout)),
        longest_way_(longest_way(problem)),
        q_(q) {}

  SolveReport run();

 private:
  void choose_start();
  void evaluate();
  void begin_contact();
  // Distance left to the pins' targets as an increment; returns its squared norm [m²].
  double find_pin_step(BlockVector& step) const;
  // Squared way of pins and obstacles that is left [m²].
  double find_way_left();
  void measure();
  // Solves for the direction; false when no shift helped.
  bool find_direction(double pin_distance_squared);
  linear::LinearStatus solve_with_shifts();
  linear::LinearStatus factor_and_solve(HessianKind kind);
  // Matrix and right-hand side, neither shifted nor filtered.
  void assemble(HessianKind kind);
  void find_right_side();
  void add_inertia(double multiple);
  [[nodiscard]] HessianKind next_hessian_kind();
  void note_indefinite();
  void choose_accuracy();
  bool search(double pin_distance_squared);
  bool search_turning();
  bool take_full_step(double pin_distance_squared);
  // To longest_way_; sets stretch_.
  void limit_length(BlockVector& d);
  // The part of the way along d that meets nothing.
  double free_way(const BlockVector& d);
  // How far along d, at most stretch_, a step may go.
  double longest_step();
  bool renew_friction();
  SolveReport finish(SolveStatus status);
  [[nodiscard]] bool is_hidden() const;
  [[nodiscard]] bool has_stalled() const;
  [[nodiscard]] bool has_only_rounding_forces() const;
  // The status of a solve that g's rounding does not let go on.
  [[nodiscard]] SolveStatus exhausted() const {
    return has_only_rounding_forces() ? SolveStatus::converged_to_rounding : SolveStatus::stalled;
  }
  SolveStatus not_finite();

  Newton& newton_;
  const StepProblem& problem_;
  Objective objective_;
  std::vector<int> axes_;  // of rigid bodies (turned_axes.h)
  double longest_way_;     // m, of a direction
  BlockVector& q_;
  SolveReport report_;
  Objective::Value value_;  // at q
  double slope_ = 0;        // ∇g·d
  double curvature_ = 0;    // dᵀ ∇²g d
  double stretch_ = 1;      // how many times d a step may be at most
  double extent_ = 0;       // m, the largest coordinate when the last direction was found
  double cancelling_ = 0;   // J, rounding of g where its terms cancel: 16 ε tr H |q|², with the last direction's H
  double force_ = 0;        // the residual, not relative to forces that shrink with it
  double least_force_ = std::numeric_limits<double>::infinity();    // so far
  double least_promise_ = std::numeric_limits<double>::infinity();  // J, −∇g·d, so far
  double least_value_ = std::numeric_limits<double>::infinity();    // J, g, so far
  int idle_ = 0;                                                    // iterations since one of them fell
  double penalty_ = 0;                                              // κ, N/m
  HessianKind kind_ = HessianKind::projected;                       // of the matrix
  bool is_assembled_ = false;                                       // the matrix is that of the iterate
  bool took_full_step_ = false;                                     // by the last line search
  bool is_stiffened_ = false;  // the last direction's matrix has more in it than the exact Hessian
  // The exact Hessian was indefinite: so many projected ones follow before it is tried again, twice as many each time.
  int projected_ahead_ = 0, projected_run_ = 1;
  double mass_shift_ = 0;    // multiple of w M added to the exact Hessian; fades where it is not needed
  bool moved_pins_ = false;  // the last direction carried pins or obstacles towards their targets
  double progress_ = 1;      // of obstacles on their way
  double last_size_ = 0;     // N, of the last right-hand side
  int friction_left_ = 0;    // how often friction may still be renewed
  contact::ContactPotential::ObstacleShare obstacles_;
};

// --- The loop ---

SolveReport Newton::Iteration::run() {
  const NewtonOptions& options = newton_.options_;
  choose_start();
  for (;; ++report_.iterations) {
    evaluate();
    if (!std::isfinite(value_.total) || !sparse::all_finite(newton_.gradient_)) return finish(not_finite());
    measure();
    const double way_squared = find_way_left();
    if (options.iterations && report_.iterations >= *options.iterations) return finish(SolveStatus::budgeted);
    if (!options.iterations && way_squared == 0) {
      const bool is_small = report_.residual <= options.tolerance;
      const bool is_spent = report_.iterations > 0 && (has_only_rounding_forces() || has_stalled());
      // One iteration more would be at the tolerance: friction's forces need not wait for it.
      const bool is_close = is_small || (report_.iterations > 0 && report_.residual <= std::sqrt(options.tolerance));
      if ((is_close || is_spent) && renew_friction()) {
        --report_.iterations;
        continue;
      }
      if (is_small) return finish(SolveStatus::converged);
      if (is_spent) return finish(exhausted());
    }
    if (report_.iterations >= options.max_iterations) return finish(SolveStatus::iteration_limit);
    if (!find_direction(way_squared)) return finish(SolveStatus::linear_solve_failed);
    if (!search(way_squared)) {
      if (is_hidden() && renew_friction()) continue;
      return finish(is_hidden() ? exhausted() : SolveStatus::line_search_failed);
    }
  }
}

// Value and gradient; while the end is far, the next Hessian with them, which saves a sweep over the elements.
void Newton::Iteration::evaluate() {
  const NewtonOptions& options = newton_.options_;
  is_assembled_ = report_.iterations > 0 && !options.iterations && report_.residual > kFar * options.tolerance;
  if (is_assembled_) {
    kind_ = next_hessian_kind();
    assemble(kind_);
  } else {
    const Stopwatch watch(report_.seconds.assemble);
    value_ = objective_.evaluate(q_, newton_.gradient_, nullptr, options.hessian, progress_);
  }
}

SolveReport Newton::Iteration::finish(SolveStatus status) {
  // A run that went on from here would let obstacles jump the rest of their way, through whatever stands in it.
  const bool is_hopeless = status == SolveStatus::not_finite || status == SolveStatus::linear_solve_failed;
  const bool is_blocked = progress_ < 1 && !is_hopeless;
  report_.status = is_blocked ? SolveStatus::blocked : status;
  if (problem_.contact != nullptr) report_.contacts = problem_.contact->summary();
  return report_;
}

// Friction's forces and directions at the iterate. What was known about progress belonged to the old ones.
bool Newton::Iteration::renew_friction() {
  if (problem_.contact == nullptr || friction_left_ == 0) return false;
  --friction_left_;
  if (!problem_.contact->renew_friction()) return false;
  least_force_ = least_promise_ = least_value_ = std::numeric_limits<double>::infinity();
  idle_ = 0;
  return true;
}

// A fixed budget starts at `before` (linearly implicit Euler). Otherwise the better of `before` and the inertial target
// with its pins in place: the target is exact for free flight, `before` is better where elastic forces rule.
void Newton::Iteration::choose_start() {
  contact::ContactPotential* const contact = problem_.contact;
  if (contact != nullptr) {
    begin_contact();
    progress_ = contact->obstacle_way_squared() > 0 ? 0 : 1;
    friction_left_ = contact->friction_renewals();
  }
  if (newton_.options_.starts_at_given && contact == nullptr) return;
  q_ = problem_.before;
  if (newton_.options_.iterations || problem_.inertia_weight == 0) return;
  newton_.trial_ = problem_.inertial_target;
  place_held(problem_.controls, newton_.trial_);
  double progress = 1;
  if (contact != nullptr) {
    BlockVector& way = newton_.direction_;
    sparse::combine(way, 1, newton_.trial_, -1, q_);
    const double free = free_way(way);
    if (free < 1) sparse::combine(newton_.trial_, 1, q_, free, way);
    progress = free < 1 ? progress_ + free * (1 - progress_) : 1;
  }
  const Stopwatch watch(report_.seconds.line_search);
  const double at_target = objective_.value(newton_.trial_, progress).total;
  if (at_target > objective_.value(q_, progress_).total) return;
  q_ = newton_.trial_;
  progress_ = progress;
}

void Newton::Iteration::begin_contact() {
  const Stopwatch watch(report_.seconds.contact);
  contact::ContactStep step{problem_.before, problem_.controls, problem_.contact_pressure, *problem_.stick};
  if (problem_.inertia_weight != 0) {
    step.resolution = newton_.options_.tolerance * problem_.speed_scale * problem_.step;
    if (problem_.velocity != nullptr) {
      sparse::combine(newton_.direction_, problem_.step, *problem_.velocity, 0, *problem_.velocity);
      step.expected = &newton_.direction_;
    }
  }
  problem_.contact->begin_step(step);
}

double Newton::Iteration::free_way(const BlockVector& d) {
  if (problem_.contact == nullptr) return 1;
  const Stopwatch watch(report_.seconds.contact);
  return problem_.contact->largest_step(q_, d, progress_, 1 - progress_);
}

double Newton::Iteration::find_way_left() {
  const double obstacles =
      problem_.contact != nullptr ? (1 - progress_) * (1 - progress_) * problem_.contact->obstacle_way_squared() : 0;
  return find_pin_step(newton_.pin_step_) + obstacles;
}

double Newton::Iteration::find_pin_step(BlockVector& step) const {
  if (problem_.controls.held.empty()) return 0;
  sparse::set_zero(step);
  double squared = 0;
  for (const HeldBlock& held : problem_.controls.held) {
    const Mat3 free = problem_.controls.filter.projector(held.block);
    const Vec3 way = (Mat3::Identity() - free) * (held.target - q_[held.block]);
    // Below rounding of the coordinates a pin has arrived.
    if (way.norm() <= 4e-16 * (held.target.norm() + q_[held.block].norm())) continue;
    step[held.block] = way;
    squared += way.squaredNorm();
  }
  return squared;
}

void Newton::Iteration::measure() {
  const double force_scale = force_scale_of(problem_, q_);
  const Residual residual = measure_residual(problem_, newton_.gradient_, force_scale);
  force_ = residual.relative * force_scale;
  if (moved_pins_) least_force_ = least_promise_ = least_value_ = std::numeric_limits<double>::infinity();
  const double promise = report_.iterations == 0 ? std::numeric_limits<double>::infinity() : -slope_;
  const bool falls = value_.total < least_value_ - kValueNoise * value_.magnitude;
  idle_ = force_ < 0.99 * least_force_ || promise < 0.5 * least_promise_ || falls ? 0 : idle_ + 1;
  least_force_ = std::min(least_force_, force_);
  least_promise_ = std::min(least_promise_, promise);
  least_value_ = std::min(least_value_, value_.total);
  report_.residual = residual.relative;
  report_.worst_block = residual.worst_block;
}

// When steps promise less than rounding of g, and neither that promise nor the residual nor g itself has fallen for a
// while, nothing more is to be had. A residual that rises says little: a thin body that bends is stretched a little, which its
// stiffness along makes a large force, and the next step takes it away.
bool Newton::Iteration::has_stalled() const { return is_hidden() && idle_ >= kPatience; }

// Whether values of g cannot judge the last direction: it promises less than the rounding of a sum of energies that
// cancel, as those of a stiff body near rest do (differences of numbers as large as modulus × volume). A direction that
// carried pins says nothing: its slope may vanish by chance.
bool Newton::Iteration::is_hidden() const {
  return !moved_pins_ && -slope_ <= std::max(cancelling_, kValueNoise * value_.magnitude);
}

// Forces that the last digits of the coordinates explain: in every block ‖S ∇g‖ ≤ 16 ε tr(H_ii) |q|, with the last
// iterate's H. So ends a tolerance that double precision cannot reach, and a quasi-static body that nothing loads: all
// its forces are rounding, none small against the largest.
bool Newton::Iteration::has_only_rounding_forces() const {
  const sparse::SymmetricBlockMatrix& hessian = newton_.hessian_;
  for (int i = 0; i < q_.size(); ++i) {
    const double force = (problem_.controls.filter.projector(i) * newton_.gradient_[i]).norm();
    if (force > kRounding * hessian.block(hessian.pattern().diagonal_slot(i)).trace() * extent_) return false;
  }
  return true;
}

// --- The direction ---

void Newton::Iteration::assemble(HessianKind kind) {
  const Stopwatch watch(report_.seconds.assemble);
  contact::ContactPotential* const contact = problem_.contact;
  sparse::SymmetricBlockMatrix& energies = contact != nullptr ? newton_.without_contact_ : newton_.hessian_;
  value_ = objective_.evaluate(q_, newton_.gradient_, &energies, kind, progress_);
  if (contact == nullptr) return;
  newton_.join(*contact);
  // Projected again after the first iteration: the last step was cut, perhaps at the kinks of friction.
  const bool is_exact = kind == HessianKind::exact;
  contact->add_hessian(newton_.hessian_, is_exact, !is_exact && report_.iterations > 0);
}

// −S (∇g + ∇²g d_pin + what obstacles push)
void Newton::Iteration::find_right_side() {
  const Stopwatch watch(report_.seconds.linear, report_.seconds.linear_processor);
  BlockVector& rhs = newton_.right_side_;
  if (!problem_.controls.held.empty() || progress_ < 1) {
    newton_.hessian_.multiply(newton_.pin_step_, newton_.product_);
    if (progress_ < 1) obstacles_ = problem_.contact->add_obstacle_motion(progress_, newton_.product_);
    sparse::combine(rhs, -1, newton_.gradient_, -1, newton_.product_);
  } else {
    sparse::combine(rhs, -1, newton_.gradient_, 0, newton_.gradient_);
  }
  problem_.controls.filter.apply(rhs);
}

void Newton::Iteration::add_inertia(double multiple) {
  problem_.inertia.add_to(newton_.hessian_, multiple * problem_.inertia_weight);
}

// Projection makes far-away steps safe, but near a solution with compressed elements it costs the quadratic
// convergence: once full steps are accepted the exact Hessian is tried; where it proves indefinite, ever more rarely.
HessianKind Newton::Iteration::next_hessian_kind() {
  const HessianKind wanted = newton_.options_.hessian;
  if (wanted != HessianKind::projected || newton_.options_.iterations || !took_full_step_ || moved_pins_) return wanted;
  if (projected_ahead_ > 0) {
    --projected_ahead_;
    return wanted;
  }
  return HessianKind::exact;
}

void Newton::Iteration::note_indefinite() {
  projected_ahead_ = projected_run_;
  projected_run_ = std::min(2 * projected_run_, kLongestProjectedRun);
}

void Newton::Iteration::choose_accuracy() {
  if (!newton_.is_inexact_) return;
  const double size = std::sqrt(sparse::dot(newton_.right_side_, newton_.right_side_));
  const double fall = last_size_ > 0 ? size / last_size_ : 1;
  last_size_ = size;
  newton_.linear_->set_tolerance(std::clamp(kForcing * fall * fall, kMostAccuracy, kLeastAccuracy));
}

bool Newton::Iteration::find_direction(double way_squared) {
  mass_shift_ = mass_shift_ < 1 ? 0 : mass_shift_ / kMassShiftGrowth;
  if (!is_assembled_) {
    kind_ = next_hessian_kind();
    assemble(kind_);
  }
  if (solve_with_shifts() != linear::LinearStatus::solved) return false;

  extent_ = longest_block(q_);
  // Of the energies alone: barriers are stiff, but small numbers that do not cancel.
  const sparse::SymmetricBlockMatrix& energies =
      problem_.contact != nullptr ? newton_.without_contact_ : newton_.hessian_;
  cancelling_ = kRounding * trace(energies) * extent_ * extent_;
  BlockVector& d = newton_.direction_;
  problem_.controls.filter.apply(d);
  limit_length(d);
  // ∇g·d from the right-hand side: reactions at held blocks, times rounding of d there, would drown it.
  curvature_ = sparse::dot(d, newton_.right_side_);
  slope_ = -curvature_;
  if (way_squared > 0) {
    // (d + d_pin)ᵀ ∇²g (d + d_pin) and ∇g·(d + d_pin), with ∇²g d_pin of the right-hand side; obstacles likewise
    const double coupling = sparse::dot(d, newton_.product_);
    slope_ += sparse::dot(newton_.gradient_, newton_.pin_step_) - coupling + obstacles_.slope;
    curvature_ += 2 * coupling + sparse::dot(newton_.pin_step_, newton_.product_) + obstacles_.curvature;
    sparse::add_scaled(d, 1, newton_.pin_step_);
  }
  moved_pins_ = way_squared > 0;
  return sparse::all_finite(d) && (way_squared > 0 || slope_ <= 0);
}

// Without inertia a law that has no stiffness at rest, or a body that nothing holds, gives directions of any length, and so
// do conjugate gradients that hardly noticed an indefinite matrix; none needs to be longer than everything there is, or
// than the fastest goes in a step.
void Newton::Iteration::limit_length(BlockVector& d) {
  const double longest = longest_block(d);
  if (longest > longest_way_) sparse::scale(d, longest_way_ / longest);
  stretch_ = std::clamp(longest_way_ / longest, 1.0, kLongestStretch);
}

// An exact Hessian that is not positive definite gets more inertia, as if the
// step were shorter: near buckling that keeps what the Hessian knows, where projection would throw it away. If that is
// not enough it is replaced by the projected one, which is then shifted by growing multiples of the identity.
linear::LinearStatus Newton::Iteration::solve_with_shifts() {
  HessianKind kind = kind_;
  find_right_side();
  choose_accuracy();
  if (kind == HessianKind::exact && mass_shift_ > 0) add_inertia(mass_shift_);
  // A law without stiffness at rest leaves nothing to be relative to.
  const double mean = trace(newton_.hessian_) / std::max(1, 3 * newton_.hessian_.row_count());
  for (double shift = 0;;) {
    problem_.controls.filter.apply(newton_.hessian_);
    const linear::LinearStatus status = factor_and_solve(kind);
    is_stiffened_ = kind != HessianKind::exact || mass_shift_ > 0;
    if (status != linear::LinearStatus::not_positive_definite) return status;
    if (kind == HessianKind::exact && problem_.inertia_weight != 0 && mass_shift_ < kLargestMassShift) {
      const double more = std::max(1.0, kMassShiftGrowth * mass_shift_);
      add_inertia(more - mass_shift_);
      mass_shift_ = more;
    } else if (kind == HessianKind::exact) {
      kind = HessianKind::projected;
      mass_shift_ = 0;
      note_indefinite();
      assemble(kind);
      find_right_side();
    } else {
      const double more = shift == 0 ? kFirstShift : shift * kShiftGrowth;
      if (more > kLastShift) return status;
      add_to_diagonal(newton_.hessian_, (more - shift) * (mean > 0 ? mean : 1));
      shift = more;
    }
  }
}

// Of an exact Hessian every sign of a negative curvature counts: conjugate gradients cut short by one give directions
// of any length. Of a projected one it is rounding.
linear::LinearStatus Newton::Iteration::factor_and_solve(HessianKind kind) {
  const Stopwatch watch(report_.seconds.linear, report_.seconds.linear_processor);
  const linear::LinearStatus factored = newton_.linear_->factor(newton_.hessian_);
  if (factored != linear::LinearStatus::solved) return factored;
  const linear::LinearReport solved = newton_.linear_->solve(newton_.right_side_, newton_.direction_);
  report_.linear_iterations += solved.iterations;
  if (solved.status == linear::LinearStatus::not_finite) return solved.status;
  return kind == HessianKind::exact && solved.status == linear::LinearStatus::not_positive_definite
             ? solved.status
             : linear::LinearStatus::solved;
}

// --- The step length ---

// Part of d, at least 1.
double Newton::Iteration::longest_step() {
  sparse::combine(newton_.trial_, stretch_, newton_.direction_, 0, newton_.direction_);
  return std::max(1.0, stretch_ * free_way(newton_.trial_));
}

bool Newton::Iteration::search(double way_squared) {
  const BlockVector& d = newton_.direction_;
  BlockVector& trial = newton_.trial_;
  const double free = free_way(d);
  const auto progress_after = [&](double alpha) { return alpha >= 1 ? 1 : progress_ + alpha * (1 - progress_); };
  if (newton_.options_.iterations && *newton_.options_.iterations == 1) {
    sparse::add_scaled(q_, free, d);
    progress_ = progress_after(free);
    return true;
  }
  // Weight of the way that pins still have to go: enough for the merit's quadratic model to fall both at once (φ'(0) <
  // 0) and over the full step, by half of what g rises.
  double slope = slope_;
  if (way_squared > 0) {
    penalty_ = std::max(penalty_, 3 * (slope_ + std::max(0.0, curvature_)) / way_squared);
    slope -= penalty_ * way_squared;
  } else {
    penalty_ = 0;
  }
  const double away = 0.5 * penalty_ * way_squared;
  const auto merit = [&](double alpha) {
    const Stopwatch watch(report_.seconds.line_search);
    sparse::combine(trial, 1, q_, alpha, d);
    return objective_.value(trial, progress_after(alpha)).total + away * (1 - alpha) * (1 - alpha);
  };
  const double noise = kValueNoise * (value_.magnitude + away);
  if (is_hidden() && free == 1 && take_full_step(0)) return true;
  double first = free;
  if (!axes_.empty() && way_squared == 0) {
    if (search_turning()) return true;
    first = free_way(d);  // what it found was for another way
  }
  LineSearchResult result = backtrack(merit, value_.total + away, slope, noise, {.first = first});
  took_full_step_ = result.step == 1;
  if (took_full_step_ && is_stiffened_ && !moved_pins_ && is_nearly_straight(value_.total, slope, result))
    result = extend(merit, result, longest_step());
  report_.line_search_trials += result.trials;
  if (result.step == 0) return moved_pins_ && take_full_step(way_squared);
  sparse::combine(q_, 1, q_, result.step, d);
  progress_ = progress_after(result.step);
  return true;
}

// A search along ways that turn the axes of rigid bodies instead of lengthening them. Every trial is the end of a straight
// way of its own, which must be free. False: nothing was gained; the straight direction is what the slope belongs to.
bool Newton::Iteration::search_turning() {
  const BlockVector& d = newton_.direction_;
  BlockVector &trial = newton_.trial_, &way = newton_.product_;
  const auto follow = [&](double alpha) {
    sparse::combine(way, alpha, d, 0, d);
    turn_axes(axes_, q_, way);
    return free_way(way);
  };
  const auto merit = [&](double alpha) {
    if (follow(alpha) < 1) return std::numeric_limits<double>::infinity();
    const Stopwatch watch(report_.seconds.line_search);
    sparse::combine(trial, 1, q_, 1, way);
    return objective_.value(trial, progress_).total;
  };
  const double noise = kValueNoise * value_.magnitude;
  LineSearchResult result = backtrack(merit, value_.total, slope_, noise, {.first = follow(1)});
  took_full_step_ = result.step == 1;
  if (took_full_step_ && is_stiffened_ && is_nearly_straight(value_.total, slope_, result))
    result = extend(merit, result, stretch_);
  report_.line_search_trials += result.trials;
  if (result.step == 0) return false;
  (void)follow(result.step);  // contact knows what is near along the accepted way, not along the last trial's
  sparse::add_scaled(q_, 1, way);
  return true;
}

// Where values of g cannot judge a step. Either their rounding hides what it gains: the slope at the end of the full
// step is exact where the difference of two values is not. Or pins and obstacles must go on although g rises more than its
// quadratic model, as it does when something comes within the contact distance: they go alone, as far as the way is free.
bool Newton::Iteration::take_full_step(double way_squared) {
  const bool moves_pins = way_squared > 0;
  BlockVector &trial = newton_.trial_, &gradient = newton_.product_;
  const double free = moves_pins ? free_way(newton_.pin_step_) : 1;
  if (free < kShortestFreeWay) return false;
  const double progress = free == 1 ? 1 : progress_ + free * (1 - progress_);
  sparse::combine(trial, 1, q_, free, moves_pins ? newton_.pin_step_ : newton_.direction_);
  const Objective::Value value = objective_.evaluate(trial, gradient, nullptr, HessianKind::projected, progress);
  if (!std::isfinite(value.total) || !sparse::all_finite(gradient)) return false;
  problem_.controls.filter.apply(gradient);
  const bool is_flatter = std::abs(sparse::dot(gradient, newton_.direction_)) <= 0.5 * std::abs(slope_);
  if (!moves_pins && !is_flatter) return false;
  took_full_step_ = !moves_pins;
  std::swap(q_, trial);
  progress_ = progress;
  return true;
}

SolveStatus Newton::Iteration::not_finite() {
  const Objective::NotFinite culprit = objective_.find_not_finite(q_);
  report_.not_finite_in = culprit.energy;
  report_.worst_block = culprit.block;
  return SolveStatus::not_finite;
}

// --- Newton itself ---

Newton::Newton(const NewtonOptions& options) : options_(options) {}
Newton::~Newton() = default;

// Contacts couple what is far apart in a rod: no band is left then.
void Newton::choose_linear(const StepProblem& problem) {
  const bool has_contact = problem.contact != nullptr && problem.inertia_weight != 0;
  NewtonLinear chosen = options_.linear;
  if (chosen == NewtonLinear::automatic && problem.contact == nullptr &&
      linear::BandedCholesky::suits(*problem.pattern))
    chosen = NewtonLinear::banded;
  const linear::BlasThreads blas_threads =
      options_.deterministic_blas ? linear::BlasThreads::one : linear::BlasThreads::as_many_as_loops;
  is_inexact_ = chosen == NewtonLinear::automatic && has_contact;
  if (chosen == NewtonLinear::automatic) {
    linear::AutomaticSettings settings{.tolerance = options_.linear_tolerance,
                                       .max_iterations = options_.linear_max_iterations,
                                       .blas_threads = blas_threads};
    settings.keeps_pattern = problem.contact == nullptr;
    if (has_contact) settings.always_factored = kLargestContactSystem;
    // Without inertia a Hessian may be all but singular, or indefinite where conjugate gradients do not see it.
    if (problem.inertia_weight == 0) settings.always_factored = settings.largest_direct_system;
    linear_ = std::make_unique<linear::Automatic>(settings);
  } else if (chosen == NewtonLinear::cholesky) {
    linear_ = std::make_unique<linear::Cholesky>(blas_threads);
  } else if (chosen == NewtonLinear::banded) {
    linear_ = std::make_unique<linear::BandedCholesky>(problem.layout);
  } else if (chosen == NewtonLinear::multigrid) {
    linear_ = std::make_unique<linear::MultigridCg>(linear::MultigridSettings{
        .tolerance = options_.linear_tolerance, .max_iterations = options_.linear_max_iterations});
  } else {
    linear_ = std::make_unique<linear::Pcg>(
        linear::PcgSettings{.tolerance = options_.linear_tolerance, .max_iterations = options_.linear_max_iterations});
  }
}

void Newton::prepare(const StepProblem& problem) {
  const sparse::SymmetricBlockMatrix& energies = problem.contact != nullptr ? without_contact_ : hessian_;
  if (linear_ && energies.shared_pattern() == problem.pattern) return;
  const int blocks = problem.before.size();
  choose_linear(problem);
  linear_->analyze(problem.pattern);
  hessian_ = sparse::SymmetricBlockMatrix(problem.pattern);
  if (problem.contact != nullptr) without_contact_ = hessian_;
  joint_slot_.clear();
  for (BlockVector* v : {&gradient_, &direction_, &right_side_, &trial_, &pin_step_, &product_}) v->resize(blocks);
}

namespace {

bool is_same(const sparse::BlockPattern& a, const sparse::BlockPattern& b) {
  return std::equal(a.row_start().begin(), a.row_start().end(), b.row_start().begin(), b.row_start().end()) &&
         std::equal(a.column().begin(), a.column().end(), b.column().begin(), b.column().end());
}

}  // namespace

void Newton::join(contact::ContactPotential& contact) {
  const sparse::BlockPattern& own = without_contact_.pattern();
  if (std::exchange(is_first_join_, false) || !contact.fits(hessian_.pattern())) {
    sparse::PatternBuilder builder(own.row_count());
    builder.include(own);
    contact.couple(builder);
    const auto joint = builder.build();
    if (!is_same(*joint, hessian_.pattern())) {
      hessian_ = sparse::SymmetricBlockMatrix(joint);
      linear_->analyze(hessian_.shared_pattern());
      joint_slot_.clear();
    }
  }
  if (hessian_.shared_pattern() == without_contact_.shared_pattern()) {
    parallel_for(9 * own.slot_count(), 9 * kSlotGrain, [&](int begin, int end) {
      std::copy_n(without_contact_.values() + begin, end - begin, hessian_.values() + begin);
    });
    return;
  }
  if (joint_slot_.empty()) {
    for (int i = 0; i < own.row_count(); ++i) {
      for (int k = own.row_start()[i]; k < own.row_start()[i + 1]; ++k)
        joint_slot_.push_back(hessian_.pattern().slot(i, own.column()[k]));
    }
  }
  hessian_.set_zero();
  parallel_for(own.slot_count(), kSlotGrain, [&](int begin, int end) {
    for (std::size_t k = begin; k < static_cast<std::size_t>(end); ++k) {
      std::copy_n(without_contact_.values() + 9 * k, 9,
                  hessian_.values() + 9 * static_cast<std::size_t>(joint_slot_[k]));
    }
  });
}

SolveReport Newton::solve(const StepProblem& problem, BlockVector& q) {
  prepare(problem);
  is_first_join_ = true;
  linear_->begin_step({&q, &problem.layout, &problem.controls.filter});
  return Iteration(*this, problem, q).run();
}

std::string Newton::linear_name() const { return linear_ ? linear_->name() : "auto"; }

}  // namespace pliant::solver
