#include "benchmarks/quasi_newton_study/descent.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <limits>

#include "pliant/solver/newton/newton.h"

namespace pliant::study {
namespace {

constexpr double kShortening = 0.5, kEnough = 0.03, kFlatter = 0.9;  // β, γ, and Wolfe's second constant
constexpr int kMostTrials = 30;
constexpr double kFlatPair = 1e-12;       // pairs with s·t ≤ this |s| |t| are left out
constexpr double kValueRounding = 1e-14;  // of g, relative to its parts
constexpr int kPlainStart = 10;           // iterations before Chebyshev sets in

// Processor time of this thread: the only one at work, and what the machine does besides does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Descent {
 public:
  Descent(const StudyStep& step, Metric& metric, const DescentOptions& options)
      : step_(step), metric_(metric), options_(options), problem_(step.problem()), objective_(problem_) {
    for (BlockVector* v : {&gradient_, &direction_, &trial_, &trial_gradient_, &work_}) v->resize(step.count());
  }
  Trace run();

 private:
  struct Pair {
    BlockVector step, change;
    double product = 0;
  };
  void find_direction();
  void apply_history();
  bool search();
  bool search_armijo();
  bool search_wolfe();
  void remember();

  const StudyStep& step_;
  Metric& metric_;
  DescentOptions options_;
  solver::StepProblem problem_;
  solver::Objective objective_;
  Trace trace_;
  solver::Objective::Value value_, trial_value_;
  BlockVector gradient_, direction_, trial_, trial_gradient_, work_;
  std::deque<Pair> pairs_;  // newest last
  std::vector<double> share_;
  double slope_ = 0;
};

Trace Descent::run() {
  BlockVector& x = trace_.x;
  double begin = now();
  x = step_.target;
  metric_.start(step_, objective_);
  value_ = metric_.follows() ? metric_.renew(objective_, x, gradient_)
                             : objective_.evaluate(x, gradient_, nullptr, HessianKind::projected);
  trace_.value = {value_.total};
  trace_.seconds = {0};
  for (int k = 1; k <= options_.iterations; ++k) {
    if (metric_.follows() && k > 1) metric_.renew(objective_, x, gradient_);
    find_direction();
    if (!search()) break;
    if (options_.history > 0) remember();
    std::swap(x, trial_);
    std::swap(gradient_, trial_gradient_);
    value_ = trial_value_;
    const double end = now();
    trace_.value.push_back(value_.total);
    trace_.seconds.push_back(end - begin);
    begin = end;
  }
  return std::move(trace_);
}

// The two loops of L-BFGS; without the history where it would not descend, the gradient itself where that fails too.
void Descent::find_direction() {
  for (;;) {
    apply_history();
    slope_ = sparse::dot(gradient_, direction_);
    if (slope_ < 0) return;
    ++trace_.restarts;
    if (pairs_.empty()) break;
    pairs_.clear();
    metric_.see_pair(0, 0);
  }
  sparse::combine(direction_, -step_.step * step_.step, gradient_, 0, gradient_);
  slope_ = sparse::dot(gradient_, direction_);
}

void Descent::apply_history() {
  sparse::combine(work_, 1, gradient_, 0, gradient_);
  share_.assign(pairs_.size(), 0);
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    share_[i] = sparse::dot(pairs_[i].step, work_) / pairs_[i].product;
    sparse::add_scaled(work_, -share_[i], pairs_[i].change);
  }
  metric_.apply(work_, direction_);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double part = sparse::dot(pairs_[i].change, direction_) / pairs_[i].product;
    sparse::add_scaled(direction_, share_[i] - part, pairs_[i].step);
  }
  sparse::scale(direction_, -1);
}

bool Descent::search() {
  if (!(slope_ < 0)) return false;
  return options_.search == Search::wolfe ? search_wolfe() : search_armijo();
}

bool Descent::search_armijo() {
  const bool wants_gradient = !metric_.follows();
  double alpha = 1;
  for (int trial = 0; trial < kMostTrials; ++trial, alpha *= kShortening) {
    sparse::combine(trial_, 1, trace_.x, alpha, direction_);
    trial_value_ = wants_gradient && trial == 0
                       ? objective_.evaluate(trial_, trial_gradient_, nullptr, HessianKind::projected)
                       : objective_.value(trial_);
    ++trace_.trials;
    if (options_.search == Search::none) return std::isfinite(trial_value_.total);
    if (trial_value_.total <= value_.total + kEnough * alpha * slope_) {
      if (wants_gradient && trial > 0) objective_.evaluate(trial_, trial_gradient_, nullptr, HessianKind::projected);
      return true;
    }
    if (-slope_ <= kValueRounding * value_.magnitude) return false;  // g cannot judge so small a promise
  }
  return false;
}

bool Descent::search_wolfe() {
  double alpha = 1, low = 0, high = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < kMostTrials; ++trial) {
    sparse::combine(trial_, 1, trace_.x, alpha, direction_);
    trial_value_ = objective_.evaluate(trial_, trial_gradient_, nullptr, HessianKind::projected);
    ++trace_.trials;
    if (!(trial_value_.total <= value_.total + kEnough * alpha * slope_)) {
      if (-slope_ <= kValueRounding * value_.magnitude) return false;
      high = alpha;
    } else if (sparse::dot(trial_gradient_, direction_) < kFlatter * slope_) {
      low = alpha;
    } else {
      return true;
    }
    alpha = std::isinf(high) ? 2 * alpha : 0.5 * (low + high);
  }
  return trial_value_.total < value_.total;
}

void Descent::remember() {
  Pair pair;
  if (static_cast<int>(pairs_.size()) == options_.history) {
    pair = std::move(pairs_.front());  // its memory
    pairs_.pop_front();
  } else {
    pair.step.resize(step_.count()), pair.change.resize(step_.count());
  }
  sparse::combine(pair.step, 1, trial_, -1, trace_.x);
  sparse::combine(pair.change, 1, trial_gradient_, -1, gradient_);
  pair.product = sparse::dot(pair.step, pair.change);
  const double t_dot_t = sparse::dot(pair.change, pair.change);
  if (pair.product <= kFlatPair * std::sqrt(sparse::dot(pair.step, pair.step) * t_dot_t)) return;
  metric_.see_pair(pair.product, t_dot_t);
  pairs_.push_back(std::move(pair));
}

}  // namespace

Trace descend(const StudyStep& step, Metric& metric, const DescentOptions& options) {
  return Descent(step, metric, options).run();
}

Trace descend_chebyshev(const StudyStep& step, Metric& metric, double rho, int iterations) {
  const solver::StepProblem problem = step.problem();
  solver::Objective objective(problem);
  const int count = step.count();
  BlockVector gradient(count), direction(count), previous(count), next(count);
  Trace trace;
  BlockVector& x = trace.x;
  double begin = now(), omega = 1;
  int since_restart = 0;
  x = previous = step.target;
  metric.start(step, objective);
  solver::Objective::Value value = objective.evaluate(x, gradient, nullptr, HessianKind::projected);
  trace.value = {value.total};
  trace.seconds = {0};
  for (int k = 1; k <= iterations; ++k) {
    metric.apply(gradient, direction);
    omega = since_restart < kPlainStart    ? 1
            : since_restart == kPlainStart ? 2 / (2 - rho * rho)
                                           : 4 / (4 - rho * rho * omega);
    ++since_restart;
    // x̂ = x − d;  next = ω (x̂ − previous) + previous
    sparse::combine(next, omega, x, 1 - omega, previous);
    sparse::add_scaled(next, -omega, direction);
    solver::Objective::Value next_value = objective.evaluate(next, gradient, nullptr, HessianKind::projected);
    ++trace.trials;
    if (!(next_value.total <= value.total)) {
      if (since_restart > kPlainStart) ++trace.restarts;
      since_restart = 0;
      double alpha = 1;
      for (int trial = 0; trial < kMostTrials && !(next_value.total <= value.total); ++trial, alpha *= kShortening) {
        sparse::combine(next, 1, x, -alpha, direction);
        next_value = objective.evaluate(next, gradient, nullptr, HessianKind::projected);
        ++trace.trials;
      }
      if (!(next_value.total <= value.total)) break;
    }
    std::swap(previous, x);
    std::swap(x, next);
    value = next_value;
    const double end = now();
    trace.value.push_back(value.total);
    trace.seconds.push_back(end - begin);
    begin = end;
  }
  return trace;
}

Reference find_reference(const StudyStep& step, Metric& constant, ReferenceStarts starts) {
  const solver::StepProblem problem = step.problem();
  solver::Objective objective(problem);
  const auto refine = [&](BlockVector& x) {
    solver::NewtonOptions options;
    options.linear = solver::NewtonLinear::cholesky;
    options.tolerance = 1e-12;
    options.max_iterations = 1000;
    options.starts_at_given = true;
    (void)solver::Newton(options).solve(problem, x);
    return objective.value(x).total;
  };
  Reference reference;
  reference.start = objective.value(step.target).total;
  reference.x = descend(step, constant, {5, 300, Search::armijo}).x;
  reference.best = refine(reference.x);
  if (starts == ReferenceStarts::one) return reference;
  BlockVector from_target = step.target;
  const double other = refine(from_target);
  const double difference = std::abs(other - reference.best);
  if (other < reference.best) {
    reference.best = other;
    reference.x = from_target;
  }
  reference.gap = difference / (reference.start - reference.best);
  return reference;
}

}  // namespace pliant::study
