#include "pliant/solver/quasi_newton/quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/math/lanes.h"
#include "pliant/parallel/parallel.h"
#include "pliant/solver/residual.h"
#include "pliant/solver/stopwatch.h"

namespace pliant::solver {
namespace {

constexpr double kShortening = 0.5;       // β of the line search
constexpr double kEnough = 0.03;          // γ: share of the promised decrease that is enough
constexpr int kMostTrials = 30;           // of a line search
constexpr int kMostHiddenTrials = 10;     // of one that rounding hides from g
constexpr int kHiddenPatience = 50;       // iterations that rounding hides from g without a smaller residual
constexpr double kFlatPair = 1e-12;       // pairs with t·s ≤ this |s| |t| say nothing about curvature
constexpr double kValueRounding = 1e-14;  // of g, relative to the sum of its parts' magnitudes
constexpr double kNearRounding = 1e-11;   // of the same: where trials may fail by rounding alone
// Blocks that a thread works on at a time, all vectors of a pass together: 16 KB per vector, so that what a pass reads
// again stays in the first cache. Also the unit of its sums.
constexpr int kPiece = 512;

// --- Vector arithmetic on a piece [begin, end) of the blocks ---

double dot(const BlockVector& x, const BlockVector& y, int begin, int end) {
  const double *px = x.data(), *py = y.data();
  math::Lanes sum[4] = {};  // more than one, so that additions need not wait for each other
  int i = begin;
  for (; i + 3 < end; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += math::load(px + 4 * (i + k)) * math::load(py + 4 * (i + k));
  }
  for (; i < end; ++i) sum[0] += math::load(px + 4 * i) * math::load(py + 4 * i);
  return math::sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// y += factor x
void add_scaled(BlockVector& y, double factor, const BlockVector& x, int begin, int end) {
  const double* px = x.data();
  double* py = y.data();
  for (int i = 4 * begin; i < 4 * end; i += 4) math::store(py + i, math::load(py + i) + factor * math::load(px + i));
}

void negate(BlockVector& y, const BlockVector& x, int begin, int end) {
  const double* px = x.data();
  double* py = y.data();
  for (int i = 4 * begin; i < 4 * end; i += 4) math::store(py + i, -math::load(px + i));
}

// z = x + y
void add(BlockVector& z, const BlockVector& x, const BlockVector& y, int begin, int end) {
  const double *px = x.data(), *py = y.data();
  double* pz = z.data();
  for (int i = 4 * begin; i < 4 * end; i += 4) math::store(pz + i, math::load(px + i) + math::load(py + i));
}

// z = x − y
void subtract(BlockVector& z, const BlockVector& x, const BlockVector& y, int begin, int end) {
  const double *px = x.data(), *py = y.data();
  double* pz = z.data();
  for (int i = 4 * begin; i < 4 * end; i += 4) math::store(pz + i, math::load(px + i) - math::load(py + i));
}

// Several sums of a pass: row by row what each piece contributes, added in the order of the pieces.
class Sums {
 public:
  Sums(std::vector<double>& storage, int block_count, int width)
      : storage_(storage), width_(static_cast<std::size_t>(width)) {
    storage_.assign(width_ * static_cast<std::size_t>((block_count + kPiece - 1) / kPiece), 0.0);
  }
  double* of_piece(int begin) { return storage_.data() + width_ * static_cast<std::size_t>(begin / kPiece); }
  [[nodiscard]] double total(int which) const {
    double sum = 0;
    for (std::size_t k = static_cast<std::size_t>(which); k < storage_.size(); k += width_) sum += storage_[k];
    return sum;
  }

 private:
  std::vector<double>& storage_;
  std::size_t width_;
};

}  // namespace

// --- One solve ---

class QuasiNewton::Iteration {
 public:
  Iteration(QuasiNewton& owner, const StepProblem& problem, BlockVector& q)
      : own_(owner), problem_(problem), objective_(problem), q_(q) {}

  SolveReport run();

 private:
  SolveStatus iterate(int most);
  void start_at(const BlockVector& from);
  bool is_above_second_start();
  [[nodiscard]] bool is_finite() const { return std::isfinite(value_.total) && sparse::all_finite(own_.gradient_); }
  SolveReport not_finite();
  // Value and gradient, the latter without its held part.
  Objective::Value evaluate(const BlockVector& q, BlockVector& gradient);
  void find_direction();
  void add_changes();
  void subtract_steps();
  // Who judges a trial: g, or, where rounding hides its changes, the slopes at both ends.
  enum class Judge { value, slopes };
  bool search();
  bool search(Judge judge);
  void remember();
  // --- Contact by springs ---
  void begin_contact();
  // Finds contacts anew at q: g and its gradient change with them.
  void renew_contacts();
  void shorten_history(int created, int count);
  // Where steps are limited: goes from `before` towards q, as far as nothing is met.
  void approach();
  // Moves pins and obstacles on, as far as nothing is met. Nothing to do when they have arrived.
  void advance_scripts();
  [[nodiscard]] bool is_limited() const { return problem_.penalty != nullptr && problem_.penalty->is_limited(); }
  [[nodiscard]] bool has_arrived() const { return progress_ == 1 && !has_pins_ahead_; }
  SolveReport finish(SolveStatus status);
  // Whether the last direction promised less than the rounding of g.
  [[nodiscard]] bool is_hidden() const { return -slope_ <= kValueRounding * value_.magnitude; }
  // Whether rounding hides what the shortest step of a search would promise.
  [[nodiscard]] bool is_worn_out() const {
    return -slope_ * std::pow(kShortening, kMostTrials - 1) <= kValueRounding * value_.magnitude;
  }
  // Its place in the ring of pairs: age 0 is the newest.
  [[nodiscard]] std::size_t place(int age) const {
    const int size = static_cast<int>(own_.pairs_.size());
    return static_cast<std::size_t>((newest_ - age + 2 * size) % size);
  }
  [[nodiscard]] Pair& pair(int age) { return own_.pairs_[place(age)]; }

  QuasiNewton& own_;
  const StepProblem& problem_;
  Objective objective_;
  BlockVector& q_;
  SolveReport report_;
  Objective::Value value_, trial_value_;
  double slope_ = 0;
  double force_scale_ = 1;            // N, of residuals
  int pair_count_ = 0, newest_ = -1;  // of own_.pairs_, a ring
  double progress_ = 1;               // of obstacles on their way
  bool has_pins_ahead_ = false;       // some pin is not yet where its script wants it
};

SolveReport QuasiNewton::solve(const StepProblem& problem, BlockVector& q) {
  SolveReport report;
  {
    const Stopwatch watch(report.seconds.linear);
    if (!matrix_.prepare(problem)) {
      report.status = SolveStatus::linear_solve_failed;
      return report;
    }
  }
  const int blocks = problem.before.size();
  if (gradient_.size() != blocks) {
    for (BlockVector* v : {&gradient_, &direction_, &trial_, &trial_gradient_, &work_}) v->resize(blocks);
    const std::size_t history = static_cast<std::size_t>(options_.history);
    pairs_.assign(history, {BlockVector(blocks), BlockVector(blocks), 0, 0, std::vector<double>(history)});
    shares_.resize(history);
  }
  const double factoring = report.seconds.linear;
  report = Iteration(*this, problem, q).run();
  report.seconds.linear += factoring;
  return report;
}

SolveReport QuasiNewton::Iteration::run() {
  const QuasiNewtonOptions& options = own_.options_;
  const bool has_second_start = problem_.inertia_weight != 0;
  begin_contact();
  start_at(has_second_start ? problem_.inertial_target : problem_.before);
  if (!is_finite() && has_second_start) start_at(problem_.before);
  if (!is_finite()) return not_finite();
  const int most = options.iterations.value_or(options.max_iterations);
  SolveStatus status = iterate(most);
  const bool has_run_out = status == SolveStatus::budgeted || status == SolveStatus::iteration_limit;
  if (has_run_out && options.bounded && has_second_start && is_above_second_start()) {
    start_at(problem_.before);
    status = iterate(most);
  }
  const Residual residual = measure_residual(problem_, own_.gradient_, force_scale_);
  report_.worst_block = residual.worst_block;
  return finish(status);
}

SolveReport QuasiNewton::Iteration::finish(SolveStatus status) {
  // A run that went on from here would let pins and obstacles jump the rest of their way, through whatever stands in it.
  report_.status = has_arrived() ? status : SolveStatus::blocked;
  if (problem_.penalty != nullptr) {
    problem_.penalty->look(q_, progress_);
    report_.contacts = problem_.penalty->summary();
  }
  return report_;
}

SolveStatus QuasiNewton::Iteration::iterate(int most) {
  const QuasiNewtonOptions& options = own_.options_;
  double least_residual = std::numeric_limits<double>::infinity();
  int idle = 0;  // iterations since
  for (int done = 0;; ++done, ++report_.iterations) {
    if (!has_arrived()) advance_scripts();
    force_scale_ = force_scale_of(problem_, q_);
    report_.residual = relative_residual(problem_, own_.gradient_, force_scale_);
    if (report_.residual <= options.tolerance && has_arrived()) return SolveStatus::converged;
    if (done >= (has_arrived() ? most : options.max_iterations))
      return options.iterations ? SolveStatus::budgeted : SolveStatus::iteration_limit;
    if (report_.residual < least_residual) {
      least_residual = report_.residual;
      idle = 0;
    } else if (is_hidden() && ++idle > kHiddenPatience) {
      return SolveStatus::stalled;
    }
    find_direction();
    bool has_moved = search();
    if (!has_moved && pair_count_ > 0) {  // the history misleads
      pair_count_ = 0;
      find_direction();
      has_moved = search();
    }
    if (!has_moved) return is_worn_out() ? SolveStatus::stalled : SolveStatus::line_search_failed;
    remember();
    renew_contacts();
  }
}

void QuasiNewton::Iteration::start_at(const BlockVector& from) {
  const Stopwatch watch(report_.seconds.assemble);
  q_ = from;
  place_held(problem_.controls, q_);
  if (is_limited()) approach();
  if (problem_.penalty != nullptr) problem_.penalty->find(q_, progress_);
  value_ = evaluate(q_, own_.gradient_);
  pair_count_ = 0;
}

// Steps start where inertia alone leads: few iterations then keep the motion. But few iterations from a bad start may
// end above g(before), and such steps gain energy: they are taken once more from the last configuration, from which g
// only falls. Under backward Euler, and while nothing scripted moves, no step then ends with more energy than it began
// with, whatever the budget.
bool QuasiNewton::Iteration::is_above_second_start() {
  const Stopwatch watch(report_.seconds.assemble);
  own_.trial_ = problem_.before;
  place_held(problem_.controls, own_.trial_);
  const double other = objective_.value(own_.trial_, progress_).total;
  return std::isfinite(other) && value_.total > other;
}

SolveReport QuasiNewton::Iteration::not_finite() {
  const Objective::NotFinite culprit = objective_.find_not_finite(q_);
  report_.not_finite_in = culprit.energy;
  report_.worst_block = culprit.block;
  report_.status = SolveStatus::not_finite;
  return report_;
}

Objective::Value QuasiNewton::Iteration::evaluate(const BlockVector& q, BlockVector& gradient) {
  const Objective::Value value = objective_.evaluate(q, gradient, nullptr, HessianKind::projected, progress_);
  problem_.controls.filter.apply(gradient);
  return value;
}

// d = −S H S ∇g by the two loops of L-BFGS; −S A⁻¹ S ∇g where that would not descend.
//
//   first loop, newest pair first    aⱼ = −sⱼ·w / (tⱼ·sⱼ),        w ← w + aⱼ tⱼ         from w = −∇g
//   then                             d = A⁻¹ w
//   second loop, oldest pair first   bⱼ = aⱼ + tⱼ·d / (tⱼ·sⱼ),    d ← d − bⱼ sⱼ
//
// Done so, every pair costs four passes over vectors, one after the other. But −sⱼ·w = sⱼ·∇g − Σ a_k (t_k·sⱼ) over the
// newer pairs k, and tⱼ·d follows likewise from tⱼ·A⁻¹w: with the scalar products that `remember` has found the loops
// run over numbers alone. One pass makes w, one finds all tⱼ·A⁻¹w, one makes d.
void QuasiNewton::Iteration::find_direction() {
  const Stopwatch watch(report_.seconds.linear);
  for (;;) {
    add_changes();
    own_.matrix_.solve(own_.work_, own_.direction_);
    ++report_.linear_iterations;
    problem_.controls.filter.apply(own_.direction_);
    subtract_steps();
    if (slope_ < 0 || pair_count_ == 0) return;
    pair_count_ = 0;  // the history misleads
  }
}

// The first loop.
void QuasiNewton::Iteration::add_changes() {
  std::vector<double>& shares = own_.shares_;
  for (int age = 0; age < pair_count_; ++age) {
    double along = pair(age).along;
    for (int newer = 0; newer < age; ++newer) along -= shares[newer] * pair(newer).overlaps[place(age)];
    shares[age] = along / pair(age).product;
  }
  parallel_for(q_.size(), kPiece, [&](int begin, int end) {
    negate(own_.work_, own_.gradient_, begin, end);
    for (int age = 0; age < pair_count_; ++age) add_scaled(own_.work_, shares[age], pair(age).change, begin, end);
  });
}

// The second loop, the slope of g along d, and the point that a full step leads to.
void QuasiNewton::Iteration::subtract_steps() {
  BlockVector& d = own_.direction_;
  std::vector<double>& shares = own_.shares_;
  if (pair_count_ > 0) {
    Sums sums(own_.sums_, d.size(), pair_count_);
    parallel_for(d.size(), kPiece, [&](int begin, int end) {
      for (int age = 0; age < pair_count_; ++age) sums.of_piece(begin)[age] = dot(pair(age).change, d, begin, end);
    });
    for (int age = pair_count_ - 1; age >= 0; --age) {
      double rise = sums.total(age);  // tⱼ·d
      for (int older = age + 1; older < pair_count_; ++older) rise -= shares[older] * pair(age).overlaps[place(older)];
      shares[age] += rise / pair(age).product;  // bⱼ in the place of aⱼ
    }
  }
  Sums slope(own_.sums_, d.size(), 1);
  parallel_for(d.size(), kPiece, [&](int begin, int end) {
    for (int age = pair_count_ - 1; age >= 0; --age) add_scaled(d, -shares[age], pair(age).step, begin, end);
    *slope.of_piece(begin) = dot(own_.gradient_, d, begin, end);
    add(own_.trial_, q_, d, begin, end);
  });
  slope_ = slope.total(0);
}

// The first trial is nearly always taken, so its gradient is found along with its value. It is already where the
// direction was found.
bool QuasiNewton::Iteration::search() {
  const Stopwatch watch(report_.seconds.line_search);
  if (!(slope_ < 0)) return false;
  if (is_hidden()) return search(Judge::slopes);
  if (search(Judge::value)) return true;
  // Short steps promise less than the whole, and may be hidden when it is not.
  return -slope_ <= kNearRounding * value_.magnitude && search(Judge::slopes);
}

// g cannot judge promises below its rounding; slopes can: by the trapezoidal rule g changes by α (slope + slope at the
// end)/2.
bool QuasiNewton::Iteration::search(Judge judge) {
  const bool hidden = judge == Judge::slopes;
  double alpha = 1;
  if (is_limited()) alpha = problem_.penalty->largest_step(q_, own_.direction_, progress_, 0);
  if (!(alpha > 0)) return false;
  for (int trial = 0; trial < (hidden ? kMostHiddenTrials : kMostTrials); ++trial, alpha *= kShortening) {
    // What promises less than the rounding of g would pass by not moving at all, again and again.
    if (!hidden && trial > 0 && -alpha * slope_ <= kValueRounding * value_.magnitude) return false;
    const bool needs_gradient = hidden || trial == 0;
    if (trial > 0 || alpha < 1 || hidden) sparse::combine(own_.trial_, 1, q_, alpha, own_.direction_);
    trial_value_ =
        needs_gradient ? evaluate(own_.trial_, own_.trial_gradient_) : objective_.value(own_.trial_, progress_);
    ++report_.line_search_trials;
    const bool enough = hidden ? sparse::dot(own_.trial_gradient_, own_.direction_) <= (2 * kEnough - 1) * slope_
                               : trial_value_.total <= value_.total + kEnough * alpha * slope_;
    if (!enough) continue;
    if (!needs_gradient) trial_value_ = evaluate(own_.trial_, own_.trial_gradient_);
    return sparse::all_finite(own_.trial_gradient_);
  }
  return false;
}

// Makes the trial the current point, its step and change of gradient the newest pair, and finds in the same pass all
// scalar products that the next direction needs.
void QuasiNewton::Iteration::remember() {
  if (const int size = static_cast<int>(own_.pairs_.size()); size > 0) {
    const int next = (newest_ + 1) % size;
    Pair& made = own_.pairs_[static_cast<std::size_t>(next)];
    pair_count_ = std::min(size - 1, pair_count_);  // it overwrites the oldest
    const BlockVector& gradient = own_.trial_gradient_;
    Sums sums(own_.sums_, q_.size(), 4 + 2 * pair_count_);
    parallel_for(q_.size(), kPiece, [&](int begin, int end) {
      subtract(made.step, own_.trial_, q_, begin, end);
      subtract(made.change, gradient, own_.gradient_, begin, end);
      double* sum = sums.of_piece(begin);
      *sum++ = dot(made.step, made.change, begin, end);
      *sum++ = dot(made.step, gradient, begin, end);
      *sum++ = dot(made.step, made.step, begin, end);
      *sum++ = dot(made.change, made.change, begin, end);
      for (int age = 0; age < pair_count_; ++age) {
        *sum++ = dot(pair(age).step, made.change, begin, end);
        *sum++ = dot(pair(age).step, gradient, begin, end);
      }
    });
    problem_.controls.filter.apply(made.step);  // against rounding that the history would carry on
    made.product = sums.total(0);
    made.along = sums.total(1);
    for (int age = 0; age < pair_count_; ++age) {
      made.overlaps[place(age)] = sums.total(4 + 2 * age);
      pair(age).along = sums.total(5 + 2 * age);
    }
    if (made.product > kFlatPair * std::sqrt(sums.total(2) * sums.total(3))) {
      newest_ = next;
      ++pair_count_;
    }
  }
  std::swap(q_, own_.trial_);
  std::swap(own_.gradient_, own_.trial_gradient_);
  value_ = trial_value_;
}

// --- Contact by springs ---

void QuasiNewton::Iteration::begin_contact() {
  if (problem_.penalty == nullptr) return;
  const Stopwatch watch(report_.seconds.contact);
  problem_.penalty->begin_step({problem_.before, problem_.controls, problem_.contact_pressure, *problem_.stick});
}

// The terms of a line search are frozen. At the point that it has led to they are found anew, with the normal forces of
// friction: their old share of g and ∇g is exchanged for the new one.
void QuasiNewton::Iteration::renew_contacts() {
  if (problem_.penalty == nullptr) return;
  const Stopwatch watch(report_.seconds.contact);
  contact::PenaltyContact& contact = *problem_.penalty;
  BlockVector& change = own_.work_;
  sparse::set_zero(change);
  contact.look(q_, progress_);
  const double old_value = contact.value();
  contact.add_gradient(change);
  sparse::scale(change, -1);
  const contact::PenaltyContact::Change terms = contact.find(q_, progress_);
  contact.add_gradient(change);
  problem_.controls.filter.apply(change);
  value_.total += contact.value() - old_value;
  sparse::add_scaled(own_.gradient_, 1, change);
  shorten_history(terms.created, terms.count);
  for (int age = 0; age < pair_count_; ++age) pair(age).along += sparse::dot(pair(age).step, change);
}

// What the history knows about curvature was found without the new contacts: of its pairs as large a part is forgotten,
// the oldest first, as of the contacts are new [Liu2018, sec. 7.3].
void QuasiNewton::Iteration::shorten_history(int created, int count) {
  if (created == 0) return;
  const int size = static_cast<int>(own_.pairs_.size());
  pair_count_ = std::min(pair_count_, size * (count - created) / count);
}

void QuasiNewton::Iteration::approach() {
  const Stopwatch watch(report_.seconds.contact);
  contact::PenaltyContact& contact = *problem_.penalty;
  progress_ = contact.has_moving_obstacles() ? 0 : 1;
  sparse::combine(own_.direction_, 1, q_, -1, problem_.before);
  const double free = contact.largest_step(problem_.before, own_.direction_, progress_, 1 - progress_);
  has_pins_ahead_ = false;
  if (free == 1) {
    progress_ = 1;
    return;
  }
  progress_ += free * (1 - progress_);
  sparse::combine(q_, 1, problem_.before, free, own_.direction_);
  for (const HeldBlock& held : problem_.controls.held) {
    if (problem_.before[held.block] != held.target) has_pins_ahead_ = true;
  }
}

void QuasiNewton::Iteration::advance_scripts() {
  const Stopwatch watch(report_.seconds.contact);
  contact::PenaltyContact& contact = *problem_.penalty;
  own_.trial_ = q_;
  place_held(problem_.controls, own_.trial_);
  sparse::combine(own_.direction_, 1, own_.trial_, -1, q_);
  const double free = contact.largest_step(q_, own_.direction_, progress_, 1 - progress_);
  if (free == 1) {
    std::swap(q_, own_.trial_);
    progress_ = 1;
    has_pins_ahead_ = false;
  } else {
    sparse::add_scaled(q_, free, own_.direction_);
    progress_ += free * (1 - progress_);
  }
  contact.find(q_, progress_);
  value_ = evaluate(q_, own_.gradient_);
  pair_count_ = 0;
}

}  // namespace pliant::solver
