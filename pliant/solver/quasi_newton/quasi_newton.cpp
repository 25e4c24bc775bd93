#include "pliant/solver/quasi_newton/quasi_newton.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "pliant/solver/residual.h"

namespace pliant::solver {
namespace {

constexpr double kShortening = 0.5;       // β of the line search
constexpr double kEnough = 0.03;          // γ: share of the promised decrease that is enough
constexpr int kMostTrials = 30;           // of a line search
constexpr double kFlatPair = 1e-12;       // pairs with t·s ≤ this |s| |t| say nothing about curvature
constexpr double kValueRounding = 1e-14;  // of g, relative to the sum of its parts' magnitudes

using Clock = std::chrono::steady_clock;

class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_;
};

}  // namespace

// --- One solve ---

class QuasiNewton::Iteration {
 public:
  Iteration(QuasiNewton& owner, const StepProblem& problem, BlockVector& q)
      : own_(owner), problem_(problem), objective_(problem), q_(q) {}

  SolveReport run();

 private:
  void start();
  void measure();
  void find_direction();
  bool search();
  void remember();
  SolveReport end(SolveStatus status) {
    report_.status = status;
    return report_;
  }

  QuasiNewton& own_;
  const StepProblem& problem_;
  Objective objective_;
  BlockVector& q_;
  SolveReport report_;
  Objective::Value value_, trial_value_;
  double slope_ = 0;
  int pair_count_ = 0, newest_ = -1;  // of own_.pairs_, a ring
};

SolveReport QuasiNewton::solve(const StepProblem& problem, BlockVector& q) {
  SolveReport report;
  {
    const Timer watch(report.seconds.linear);
    if (!matrix_.prepare(problem)) {
      report.status = SolveStatus::linear_solve_failed;
      return report;
    }
  }
  const int blocks = problem.before.size();
  if (gradient_.size() != blocks) {
    for (BlockVector* v : {&gradient_, &direction_, &trial_, &trial_gradient_, &work_}) v->resize(blocks);
    pairs_.assign(static_cast<std::size_t>(options_.history), {BlockVector(blocks), BlockVector(blocks), 0});
  }
  const double factoring = report.seconds.linear;
  report = Iteration(*this, problem, q).run();
  report.seconds.linear += factoring;
  return report;
}

SolveReport QuasiNewton::Iteration::run() {
  start();
  if (!std::isfinite(value_.total) || !sparse::all_finite(own_.gradient_)) {
    const Objective::NotFinite culprit = objective_.find_not_finite(q_);
    report_.not_finite_in = culprit.energy;
    report_.worst_block = culprit.block;
    return end(SolveStatus::not_finite);
  }
  const std::optional<int>& budget = own_.options_.iterations;
  for (;; ++report_.iterations) {
    measure();
    if (report_.residual <= own_.options_.tolerance) return end(SolveStatus::converged);
    if (budget && report_.iterations >= *budget) return end(SolveStatus::budgeted);
    if (!budget && report_.iterations >= own_.options_.max_iterations) return end(SolveStatus::iteration_limit);
    find_direction();
    if (!search()) {
      // A promise below the rounding of g cannot be judged: nothing more is to be had this way.
      const bool is_hidden = -slope_ <= kValueRounding * value_.magnitude;
      return end(is_hidden ? SolveStatus::stalled : SolveStatus::line_search_failed);
    }
    remember();
  }
}

// Where inertia alone leads, with pins in place; where that has no finite energy, or without inertia, the last
// configuration.
void QuasiNewton::Iteration::start() {
  const Timer watch(report_.seconds.assemble);
  const auto with_pins = [&](const BlockVector& from) {
    q_ = from;
    for (const HeldBlock& held : problem_.controls.held) {
      const Mat3 free = problem_.controls.filter.projector(held.block);
      const Vec3 place = free * q_[held.block] + (Mat3::Identity() - free) * held.target;
      q_[held.block] = place;
    }
    value_ = objective_.evaluate(q_, own_.gradient_, nullptr, HessianKind::projected);
  };
  with_pins(problem_.inertia_weight == 0 ? problem_.before : problem_.inertial_target);
  if (problem_.inertia_weight != 0 && !std::isfinite(value_.total)) with_pins(problem_.before);
}

void QuasiNewton::Iteration::measure() {
  double force_scale = 1;
  if (problem_.inertia_weight == 0) {
    const double largest = largest_force(problem_, q_);
    force_scale = largest > 0 ? largest : 1;
  }
  const Residual residual = measure_residual(problem_, own_.gradient_, force_scale);
  report_.residual = residual.relative;
  report_.worst_block = residual.worst_block;
}

// d = −S H S ∇g by the two loops of L-BFGS; −S A⁻¹ S ∇g where that would not descend.
void QuasiNewton::Iteration::find_direction() {
  const Timer watch(report_.seconds.linear);
  BlockVector &d = own_.direction_, &work = own_.work_;
  const BlockFilter& filter = problem_.controls.filter;
  std::vector<Pair>& pairs = own_.pairs_;
  const int size = static_cast<int>(pairs.size());
  const auto pair = [&](int age) -> Pair& {
    return pairs[static_cast<std::size_t>((newest_ - age + 2 * size) % size)];
  };
  for (;;) {
    sparse::combine(work, 1, own_.gradient_, 0, own_.gradient_);
    filter.apply(work);
    std::vector<double> share(static_cast<std::size_t>(pair_count_));
    for (int age = 0; age < pair_count_; ++age) {
      share[static_cast<std::size_t>(age)] = sparse::dot(pair(age).step, work) / pair(age).product;
      sparse::add_scaled(work, -share[static_cast<std::size_t>(age)], pair(age).change);
    }
    own_.matrix_.solve(work, d);
    ++report_.linear_iterations;
    filter.apply(d);
    for (int age = pair_count_ - 1; age >= 0; --age) {
      const double part = sparse::dot(pair(age).change, d) / pair(age).product;
      sparse::add_scaled(d, share[static_cast<std::size_t>(age)] - part, pair(age).step);
    }
    sparse::scale(d, -1);
    filter.apply(d);  // against rounding that the history would carry on
    slope_ = sparse::dot(own_.gradient_, d);
    if (slope_ < 0 || pair_count_ == 0) return;
    pair_count_ = 0;  // the history misleads
  }
}

// The first trial is nearly always taken, so its gradient is found along with its value.
bool QuasiNewton::Iteration::search() {
  const Timer watch(report_.seconds.line_search);
  if (!(slope_ < 0)) return false;
  const double noise = kValueRounding * value_.magnitude;
  double alpha = 1;
  for (int trial = 0; trial < kMostTrials; ++trial, alpha *= kShortening) {
    sparse::combine(own_.trial_, 1, q_, alpha, own_.direction_);
    trial_value_ = trial == 0 ? objective_.evaluate(own_.trial_, own_.trial_gradient_, nullptr, HessianKind::projected)
                              : objective_.value(own_.trial_);
    ++report_.line_search_trials;
    bool enough = trial_value_.total <= value_.total + kEnough * alpha * slope_;
    if (!enough && -slope_ <= noise && trial == 0) {
      // g cannot judge so small a promise; the slope at the end of the step can.
      enough = std::abs(sparse::dot(own_.trial_gradient_, own_.direction_)) <= 0.5 * std::abs(slope_);
    }
    if (!enough) continue;
    if (trial > 0)
      trial_value_ = objective_.evaluate(own_.trial_, own_.trial_gradient_, nullptr, HessianKind::projected);
    return sparse::all_finite(own_.trial_gradient_);
  }
  return false;
}

void QuasiNewton::Iteration::remember() {
  std::vector<Pair>& pairs = own_.pairs_;
  if (!pairs.empty()) {
    const int size = static_cast<int>(pairs.size()), next = (newest_ + 1) % size;
    Pair& pair = pairs[static_cast<std::size_t>(next)];
    sparse::combine(pair.step, 1, own_.trial_, -1, q_);
    sparse::combine(pair.change, 1, own_.trial_gradient_, -1, own_.gradient_);
    problem_.controls.filter.apply(pair.change);
    pair.product = sparse::dot(pair.step, pair.change);
    const double scale = std::sqrt(sparse::dot(pair.step, pair.step) * sparse::dot(pair.change, pair.change));
    if (pair.product > kFlatPair * scale) {
      newest_ = next;
      pair_count_ = std::min(size, pair_count_ + 1);
    } else {
      pair_count_ = std::min(size - 1, pair_count_);  // it has overwritten the oldest
    }
  }
  std::swap(q_, own_.trial_);
  std::swap(own_.gradient_, own_.trial_gradient_);
  value_ = trial_value_;
}

}  // namespace pliant::solver
